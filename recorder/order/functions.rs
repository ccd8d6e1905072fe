//! Every function with a communicator among its arguments, by the position of the communicator.
//!
//! The list comes from the headers of Open MPI 4 and 5 and of MPICH 4 and 5 with the standard's
//! interface, and from their extensions. `tests/mpi/order/conformance.py` checks that none is missing.

use crate::translate::{large, through};

through! {
    (comm):
        MPIX_Comm_failure_ack MPIX_Comm_revoke MPIX_Threadcomm_finish MPIX_Threadcomm_start
        MPI_Barrier MPI_Comm_flush_buffer;
    (comm, b):
        MPIX_Comm_agree MPIX_Comm_failure_get_acked MPIX_Comm_get_failed MPIX_Comm_is_revoked
        MPIX_Comm_shrink MPIX_Comm_test_threadcomm MPI_Attr_delete MPI_Cartdim_get
        MPI_Comm_call_errhandler MPI_Comm_delete_attr MPI_Comm_dup MPI_Comm_get_errhandler
        MPI_Comm_get_info MPI_Comm_group MPI_Comm_iflush_buffer MPI_Comm_rank
        MPI_Comm_remote_group MPI_Comm_remote_size MPI_Comm_set_info MPI_Comm_set_name
        MPI_Comm_size MPI_Comm_test_inter MPI_Errhandler_get MPI_Ibarrier MPI_Topo_test;
    (comm, b, c):
        MPIX_Barrier_init MPIX_Comm_ack_failed MPIX_Comm_get_stream MPIX_Comm_iagree
        MPIX_Stream_comm_create MPIX_Threadcomm_init MPI_Attr_put MPI_Barrier_init MPI_Cart_rank
        MPI_Cart_sub MPI_Comm_attach_buffer MPI_Comm_create MPI_Comm_detach_buffer
        MPI_Comm_dup_with_info MPI_Comm_get_name MPI_Comm_idup MPI_Comm_set_attr
        MPI_Graph_neighbors_count MPI_Graphdims_get MPI_Intercomm_merge;
    (comm, other_comm, c):
        MPI_Comm_compare;
    (a, comm, c):
        MPI_Win_create_dynamic;
    (comm, b, c, d):
        MPIX_Stream_comm_create_multiplex MPI_Cart_coords MPI_Comm_create_group
        MPI_Comm_idup_with_info MPI_Comm_split MPI_Dist_graph_neighbors_count
        MPI_Graph_neighbors;
    (a, b, comm, d):
        MPI_Pack_size MPI_Probe;
    (comm, b, c, d, e):
        MPI_Cart_get MPI_Cart_map MPI_Cart_shift MPI_Comm_split_type MPI_File_open MPI_Graph_get
        MPI_Graph_map;
    (a, b, comm, d, e):
        MPI_Iprobe MPI_Mprobe;
    (a, b, c, comm, e):
        MPI_Comm_accept MPI_Comm_connect;
    (a, b, c, d, comm):
        MPI_Bcast;
    (comm, b, other_comm, d, e, f):
        MPI_Intercomm_create;
    (a, b, comm, d, e, f):
        MPI_Improbe;
    (a, b, c, comm, e, f):
        MPI_Win_allocate MPI_Win_allocate_shared;
    (a, b, c, d, comm, f):
        MPI_Ibcast MPI_Win_create;
    (a, b, c, d, e, comm):
        MPIX_Allreduce_enqueue MPIX_Send_enqueue MPI_Allreduce MPI_Bsend MPI_Exscan
        MPI_Reduce_scatter MPI_Reduce_scatter_block MPI_Rsend MPI_Scan MPI_Send MPI_Ssend;
    (comm, b, c, d, e, f, g):
        MPI_Dist_graph_neighbors;
    (a, b, c, d, comm, f, g):
        MPIX_Bcast_init MPI_Bcast_init;
    (a, b, c, d, e, comm, g):
        MPIX_Irecv_enqueue MPIX_Isend_enqueue MPIX_Recv_enqueue MPI_Bsend_init MPI_Iallreduce
        MPI_Ibsend MPI_Iexscan MPI_Irecv MPI_Ireduce_scatter MPI_Ireduce_scatter_block
        MPI_Irsend MPI_Iscan MPI_Isend MPI_Issend MPI_Recv MPI_Recv_init MPI_Rsend_init
        MPI_Send_init MPI_Ssend_init;
    (a, b, c, d, e, f, comm):
        MPI_Allgather MPI_Alltoall MPI_Neighbor_allgather MPI_Neighbor_alltoall MPI_Pack
        MPI_Reduce MPI_Unpack;
    (a, b, c, d, e, comm, g, h):
        MPIX_Allreduce_init MPIX_Exscan_init MPIX_Reduce_scatter_block_init
        MPIX_Reduce_scatter_init MPIX_Scan_init MPIX_Stream_send MPI_Allreduce_init
        MPI_Comm_spawn MPI_Exscan_init MPI_Reduce_scatter_block_init MPI_Reduce_scatter_init
        MPI_Scan_init;
    (a, b, c, d, e, f, comm, h):
        MPI_Iallgather MPI_Ialltoall MPI_Ineighbor_allgather MPI_Ineighbor_alltoall MPI_Ireduce;
    (a, b, c, d, e, f, g, comm):
        MPI_Allgatherv MPI_Gather MPI_Neighbor_allgatherv MPI_Scatter;
    (a, b, c, d, e, comm, g, h, i):
        MPIX_Stream_irecv MPIX_Stream_isend MPIX_Stream_recv;
    (a, b, c, d, e, f, comm, h, i):
        MPIX_Allgather_init MPIX_Alltoall_init MPIX_Neighbor_allgather_init
        MPIX_Neighbor_alltoall_init MPIX_Reduce_init MPI_Allgather_init MPI_Alltoall_init
        MPI_Comm_spawn_multiple MPI_Neighbor_allgather_init MPI_Neighbor_alltoall_init
        MPI_Precv_init MPI_Psend_init MPI_Reduce_init;
    (a, b, c, d, e, f, g, comm, i):
        MPI_Iallgatherv MPI_Igather MPI_Ineighbor_allgatherv MPI_Iscatter MPI_Isendrecv_replace
        MPI_Sendrecv_replace;
    (a, b, c, d, e, f, g, h, comm):
        MPI_Alltoallv MPI_Alltoallw MPI_Gatherv MPI_Neighbor_alltoallv MPI_Neighbor_alltoallw
        MPI_Scatterv;
    (a, b, c, d, e, f, g, comm, i, j):
        MPIX_Allgatherv_init MPIX_Gather_init MPIX_Neighbor_allgatherv_init MPIX_Scatter_init
        MPI_Allgatherv_init MPI_Gather_init MPI_Neighbor_allgatherv_init MPI_Scatter_init;
    (a, b, c, d, e, f, g, h, comm, j):
        MPI_Ialltoallv MPI_Ialltoallw MPI_Igatherv MPI_Ineighbor_alltoallv
        MPI_Ineighbor_alltoallw MPI_Iscatterv;
    (a, b, c, d, e, f, g, h, comm, j, k):
        MPIX_Alltoallv_init MPIX_Alltoallw_init MPIX_Gatherv_init MPIX_Neighbor_alltoallv_init
        MPIX_Neighbor_alltoallw_init MPIX_Scatterv_init MPI_Alltoallv_init MPI_Alltoallw_init
        MPI_Gatherv_init MPI_Neighbor_alltoallv_init MPI_Neighbor_alltoallw_init
        MPI_Scatterv_init;
    (a, b, c, d, e, f, g, h, i, j, comm, l):
        MPI_Isendrecv MPI_Sendrecv;
}

// With 64-bit counts. Arguments are known by their names where a library has only 32-bit counts.
large! {
    (comm, buffer, size):
        MPI_Comm_attach_buffer_c MPI_Comm_attach_buffer;
    (comm, buffer_addr, size):
        MPI_Comm_detach_buffer_c MPI_Comm_detach_buffer;
    (incount, datatype, comm, size):
        MPI_Pack_size_c MPI_Pack_size;
    (buffer, count, datatype, root, comm):
        MPI_Bcast_c MPI_Bcast;
    (base, size, disp_unit, info, comm, win):
        MPI_Win_create_c MPI_Win_create;
    (buf, count, datatype, dest, tag, comm):
        MPIX_Send_enqueue_c MPIX_Send_enqueue, MPI_Bsend_c MPI_Bsend, MPI_Rsend_c MPI_Rsend,
        MPI_Send_c MPI_Send, MPI_Ssend_c MPI_Ssend;
    (buffer, count, datatype, root, comm, request):
        MPI_Ibcast_c MPI_Ibcast;
    (sendbuf, recvbuf, count, datatype, op, comm):
        MPIX_Allreduce_enqueue_c MPIX_Allreduce_enqueue, MPI_Allreduce_c MPI_Allreduce,
        MPI_Exscan_c MPI_Exscan, MPI_Scan_c MPI_Scan;
    (sendbuf, recvbuf, recvcount, datatype, op, comm):
        MPI_Reduce_scatter_block_c MPI_Reduce_scatter_block;
    (sendbuf, recvbuf, recvcounts, datatype, op, comm):
        MPI_Reduce_scatter_c MPI_Reduce_scatter;
    (size, disp_unit, info, comm, baseptr, win):
        MPI_Win_allocate_c MPI_Win_allocate, MPI_Win_allocate_shared_c MPI_Win_allocate_shared;
    (buf, count, datatype, dest, tag, comm, request):
        MPIX_Isend_enqueue_c MPIX_Isend_enqueue, MPI_Bsend_init_c MPI_Bsend_init,
        MPI_Ibsend_c MPI_Ibsend, MPI_Irsend_c MPI_Irsend, MPI_Isend_c MPI_Isend,
        MPI_Issend_c MPI_Issend, MPI_Rsend_init_c MPI_Rsend_init, MPI_Send_init_c MPI_Send_init,
        MPI_Ssend_init_c MPI_Ssend_init;
    (buf, count, datatype, source, tag, comm, request):
        MPIX_Irecv_enqueue_c MPIX_Irecv_enqueue, MPI_Irecv_c MPI_Irecv,
        MPI_Recv_init_c MPI_Recv_init;
    (buf, count, datatype, source, tag, comm, status):
        MPIX_Recv_enqueue_c MPIX_Recv_enqueue, MPI_Recv_c MPI_Recv;
    (buffer, count, datatype, root, comm, info, request):
        MPI_Bcast_init_c MPI_Bcast_init;
    (inbuf, incount, datatype, outbuf, outsize, position, comm):
        MPI_Pack_c MPI_Pack;
    (inbuf, insize, position, outbuf, outcount, datatype, comm):
        MPI_Unpack_c MPI_Unpack;
    (sendbuf, recvbuf, count, datatype, op, comm, request):
        MPI_Iallreduce_c MPI_Iallreduce, MPI_Iexscan_c MPI_Iexscan, MPI_Iscan_c MPI_Iscan;
    (sendbuf, recvbuf, count, datatype, op, root, comm):
        MPI_Reduce_c MPI_Reduce;
    (sendbuf, recvbuf, recvcount, datatype, op, comm, request):
        MPI_Ireduce_scatter_block_c MPI_Ireduce_scatter_block;
    (sendbuf, recvbuf, recvcounts, datatype, op, comm, request):
        MPI_Ireduce_scatter_c MPI_Ireduce_scatter;
    (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm):
        MPI_Allgather_c MPI_Allgather, MPI_Alltoall_c MPI_Alltoall,
        MPI_Neighbor_allgather_c MPI_Neighbor_allgather,
        MPI_Neighbor_alltoall_c MPI_Neighbor_alltoall;
    (buf, count, datatype, dest, tag, comm, source_stream_index, dest_stream_index):
        MPIX_Stream_send_c MPIX_Stream_send;
    (sendbuf, recvbuf, count, datatype, op, comm, info, request):
        MPI_Allreduce_init_c MPI_Allreduce_init, MPI_Exscan_init_c MPI_Exscan_init,
        MPI_Scan_init_c MPI_Scan_init;
    (sendbuf, recvbuf, count, datatype, op, root, comm, request):
        MPI_Ireduce_c MPI_Ireduce;
    (sendbuf, recvbuf, recvcount, datatype, op, comm, info, request):
        MPI_Reduce_scatter_block_init_c MPI_Reduce_scatter_block_init;
    (sendbuf, recvbuf, recvcounts, datatype, op, comm, info, request):
        MPI_Reduce_scatter_init_c MPI_Reduce_scatter_init;
    (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, request):
        MPI_Iallgather_c MPI_Iallgather, MPI_Ialltoall_c MPI_Ialltoall,
        MPI_Ineighbor_allgather_c MPI_Ineighbor_allgather,
        MPI_Ineighbor_alltoall_c MPI_Ineighbor_alltoall;
    (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm):
        MPI_Gather_c MPI_Gather, MPI_Scatter_c MPI_Scatter;
    (sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm):
        MPI_Allgatherv_c MPI_Allgatherv, MPI_Neighbor_allgatherv_c MPI_Neighbor_allgatherv;
    (buf, count, datatype, dest, sendtag, source, recvtag, comm, request):
        MPI_Isendrecv_replace_c MPI_Isendrecv_replace;
    (buf, count, datatype, dest, sendtag, source, recvtag, comm, status):
        MPI_Sendrecv_replace_c MPI_Sendrecv_replace;
    (buf, count, datatype, dest, tag, comm, source_stream_index, dest_stream_index, request):
        MPIX_Stream_isend_c MPIX_Stream_isend;
    (buf, count, datatype, source, tag, comm, source_stream_index, dest_stream_index, request):
        MPIX_Stream_irecv_c MPIX_Stream_irecv;
    (buf, count, datatype, source, tag, comm, source_stream_index, dest_stream_index, status):
        MPIX_Stream_recv_c MPIX_Stream_recv;
    (sendbuf, recvbuf, count, datatype, op, root, comm, info, request):
        MPI_Reduce_init_c MPI_Reduce_init;
    (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, info, request):
        MPI_Allgather_init_c MPI_Allgather_init, MPI_Alltoall_init_c MPI_Alltoall_init,
        MPI_Neighbor_allgather_init_c MPI_Neighbor_allgather_init,
        MPI_Neighbor_alltoall_init_c MPI_Neighbor_alltoall_init;
    (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm, request):
        MPI_Igather_c MPI_Igather, MPI_Iscatter_c MPI_Iscatter;
    (sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm, request):
        MPI_Iallgatherv_c MPI_Iallgatherv, MPI_Ineighbor_allgatherv_c MPI_Ineighbor_allgatherv;
    (sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root, comm):
        MPI_Gatherv_c MPI_Gatherv;
    (sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root, comm):
        MPI_Scatterv_c MPI_Scatterv;
    (sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm):
        MPI_Alltoallv_c MPI_Alltoallv, MPI_Neighbor_alltoallv_c MPI_Neighbor_alltoallv;
    (sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm):
        MPI_Alltoallw_c MPI_Alltoallw, MPI_Neighbor_alltoallw_c MPI_Neighbor_alltoallw;
    (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm, info, request):
        MPI_Gather_init_c MPI_Gather_init, MPI_Scatter_init_c MPI_Scatter_init;
    (sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm, info, request):
        MPI_Allgatherv_init_c MPI_Allgatherv_init,
        MPI_Neighbor_allgatherv_init_c MPI_Neighbor_allgatherv_init;
    (sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root, comm, request):
        MPI_Igatherv_c MPI_Igatherv;
    (sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root, comm, request):
        MPI_Iscatterv_c MPI_Iscatterv;
    (sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm, request):
        MPI_Ialltoallv_c MPI_Ialltoallv, MPI_Ineighbor_alltoallv_c MPI_Ineighbor_alltoallv;
    (
        sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes,
        comm, request
    ):
        MPI_Ialltoallw_c MPI_Ialltoallw, MPI_Ineighbor_alltoallw_c MPI_Ineighbor_alltoallw;
    (
        sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root, comm,
        info, request
    ):
        MPI_Gatherv_init_c MPI_Gatherv_init;
    (
        sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root, comm,
        info, request
    ):
        MPI_Scatterv_init_c MPI_Scatterv_init;
    (
        sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype,
        comm, info, request
    ):
        MPI_Alltoallv_init_c MPI_Alltoallv_init,
        MPI_Neighbor_alltoallv_init_c MPI_Neighbor_alltoallv_init;
    (
        sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes,
        comm, info, request
    ):
        MPI_Alltoallw_init_c MPI_Alltoallw_init,
        MPI_Neighbor_alltoallw_init_c MPI_Neighbor_alltoallw_init;
    (
        sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount, recvtype, source,
        recvtag, comm, request
    ):
        MPI_Isendrecv_c MPI_Isendrecv;
    (
        sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount, recvtype, source,
        recvtag, comm, status
    ):
        MPI_Sendrecv_c MPI_Sendrecv;
}
