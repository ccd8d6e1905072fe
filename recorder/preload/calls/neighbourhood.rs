//! Collectives among the neighbours of a process topology: messages to each of them.

use super::collective::collective;
use super::{interpose, invoke, partner, prepared, recorded};
use crate::action::Action;
use crate::events::Message;
use crate::form::Form;
use crate::layout::event::{self, NEIGHBOURHOOD_TAG};
use crate::recorder::{Recorder, library};
use crate::totals::{Direction, Kind};

impl Recorder {
    /// A message to each existing neighbour, of as many elements as `elements` says for its place
    /// in the buffer.
    fn plan_neighbours<F: Form>(
        &mut self,
        action: &mut Action,
        comm: usize,
        elements: impl Fn(usize) -> (i64, usize),
    ) {
        let comm = self.comm(F::comm(comm));
        let neighbours = self.neighbours(comm);
        let tag = NEIGHBOURHOOD_TAG;
        let somebody = |rank: i32| rank != library().proc_null;
        for (place, &rank) in neighbours.destinations.iter().enumerate() {
            if somebody(rank) {
                let (count, datatype) = elements(place);
                let bytes = self.bytes(count, datatype);
                let flow = self.flow(Kind::Neighbourhood, Direction::ToPeer, comm, rank);
                self.plan_message(action, flow, Kind::Neighbourhood, bytes);
                let peer = self.peer(comm, rank);
                self.plan_start(action, event::START_SEND, Message { comm, peer, tag, bytes });
            }
        }
        for &rank in neighbours.sources.iter().filter(|&&rank| somebody(rank)) {
            let peer = self.peer(comm, rank);
            self.plan_start(action, event::START_RECEIVE, Message { comm, peer, tag, bytes: 0 });
        }
    }
}

collective! {
    (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm) |recorder, action| {
        let all = |_| (F::count(sendcount), F::datatype(sendtype));
        recorder.plan_neighbours::<F>(action, comm, all)
    };
    MPI_Neighbor_allgather MPI_Neighbor_allgather_c
        mpi_neighbor_allgather_ ompi_neighbor_allgather_f;
    MPI_Ineighbor_allgather MPI_Ineighbor_allgather_c
        mpi_ineighbor_allgather_ ompi_ineighbor_allgather_f;
    MPI_Neighbor_allgather_init MPI_Neighbor_allgather_init_c
        mpi_neighbor_allgather_init_ ompi_neighbor_allgather_init_f;
}

collective! {
    (sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm) |recorder, action| {
        let all = |_| (F::count(sendcount), F::datatype(sendtype));
        recorder.plan_neighbours::<F>(action, comm, all)
    };
    MPI_Neighbor_allgatherv MPI_Neighbor_allgatherv_c
        mpi_neighbor_allgatherv_ ompi_neighbor_allgatherv_f;
    MPI_Ineighbor_allgatherv MPI_Ineighbor_allgatherv_c
        mpi_ineighbor_allgatherv_ ompi_ineighbor_allgatherv_f;
    MPI_Neighbor_allgatherv_init MPI_Neighbor_allgatherv_init_c
        mpi_neighbor_allgatherv_init_ ompi_neighbor_allgatherv_init_f;
}

collective! {
    (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm) |recorder, action| {
        let all = |_| (F::count(sendcount), F::datatype(sendtype));
        recorder.plan_neighbours::<F>(action, comm, all)
    };
    MPI_Neighbor_alltoall MPI_Neighbor_alltoall_c
        mpi_neighbor_alltoall_ ompi_neighbor_alltoall_f;
    MPI_Ineighbor_alltoall MPI_Ineighbor_alltoall_c
        mpi_ineighbor_alltoall_ ompi_ineighbor_alltoall_f;
    MPI_Neighbor_alltoall_init MPI_Neighbor_alltoall_init_c
        mpi_neighbor_alltoall_init_ ompi_neighbor_alltoall_init_f;
}

collective! {
    (sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm)
    |recorder, action| {
        let each = |place| (F::count_at(sendcounts, place), F::datatype(sendtype));
        recorder.plan_neighbours::<F>(action, comm, each)
    };
    MPI_Neighbor_alltoallv MPI_Neighbor_alltoallv_c
        mpi_neighbor_alltoallv_ ompi_neighbor_alltoallv_f;
    MPI_Ineighbor_alltoallv MPI_Ineighbor_alltoallv_c
        mpi_ineighbor_alltoallv_ ompi_ineighbor_alltoallv_f;
    MPI_Neighbor_alltoallv_init MPI_Neighbor_alltoallv_init_c
        mpi_neighbor_alltoallv_init_ ompi_neighbor_alltoallv_init_f;
}

collective! {
    (sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm)
    |recorder, action| {
        let each = |place| (F::count_at(sendcounts, place), F::datatype_at(sendtypes, place));
        recorder.plan_neighbours::<F>(action, comm, each)
    };
    MPI_Neighbor_alltoallw MPI_Neighbor_alltoallw_c
        mpi_neighbor_alltoallw_ ompi_neighbor_alltoallw_f;
    MPI_Ineighbor_alltoallw MPI_Ineighbor_alltoallw_c
        mpi_ineighbor_alltoallw_ ompi_ineighbor_alltoallw_f;
    MPI_Neighbor_alltoallw_init MPI_Neighbor_alltoallw_init_c
        mpi_neighbor_alltoallw_init_ ompi_neighbor_alltoallw_init_f;
}
