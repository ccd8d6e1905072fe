//! Calls that may take long and send nothing of the program's own. They are here because of the
//! time that is spent in them. If times are not kept, they go straight to the library.
//!
//! All of them have been in the standard since MPI 3.1, so every library has them: a program that
//! checks whether a function is there would find ours. The functions of Fortran call those of C, by
//! either name.

use super::{interpose, partner};
use crate::invoke::invoke;

interpose! {
    (source, tag, comm, status) |real, all| real(all);
    C: MPI_Probe;
    Profiling: PMPI_Probe;
}

interpose! {
    (source, tag, comm, flag, status) |real, all| real(all);
    C: MPI_Iprobe;
    Profiling: PMPI_Iprobe;
}

interpose! {
    (request, flag, status) |real, all| real(all);
    C: MPI_Request_get_status;
    Profiling: PMPI_Request_get_status;
}

interpose! {
    (buffer, size) |real, all| real(all);
    C: MPI_Buffer_detach;
    Profiling: PMPI_Buffer_detach;
}

// Communicators.

interpose! {
    (comm, new, request) [everybody] |real, all| real(all);
    C: MPI_Comm_idup;
    Profiling: PMPI_Comm_idup;
}

interpose! {
    (comm, leader, peer_comm, remote_leader, tag, new) [everybody] |real, all| real(all);
    C: MPI_Intercomm_create;
    Profiling: PMPI_Intercomm_create;
}

interpose! {
    (port, info, root, comm, new) [everybody] |real, all| real(all);
    C: MPI_Comm_accept MPI_Comm_connect;
    Profiling: PMPI_Comm_accept PMPI_Comm_connect;
}

interpose! {
    (command, argv, most, info, root, comm, new, codes) [everybody] |real, all| real(all);
    C: MPI_Comm_spawn;
    Profiling: PMPI_Comm_spawn;
}

interpose! {
    (number, commands, argvs, most, infos, root, comm, new, codes) [everybody] |real, all|
        real(all);
    C: MPI_Comm_spawn_multiple;
    Profiling: PMPI_Comm_spawn_multiple;
}

// Windows.

interpose! {
    (a, b, c, d, e, window) [everybody] |real, all| real(all);
    C: MPI_Win_create MPI_Win_allocate MPI_Win_allocate_shared;
    Profiling: PMPI_Win_create PMPI_Win_allocate PMPI_Win_allocate_shared;
}

interpose! {
    (info, comm, window) [everybody] |real, all| real(all);
    C: MPI_Win_create_dynamic;
    Profiling: PMPI_Win_create_dynamic;
}

interpose! {
    (assertion, window) [everybody] |real, all| real(all);
    C: MPI_Win_fence MPI_Win_lock_all;
    Profiling: PMPI_Win_fence PMPI_Win_lock_all;
}

interpose! {
    (window) [everybody] |real, all| real(all);
    C: MPI_Win_unlock_all MPI_Win_flush_all MPI_Win_flush_local_all;
    Profiling: PMPI_Win_unlock_all PMPI_Win_flush_all PMPI_Win_flush_local_all;
}

interpose! {
    (kind, rank, assertion, window) [target rank window] |real, all| real(all);
    C: MPI_Win_lock;
    Profiling: PMPI_Win_lock;
}

interpose! {
    (rank, window) [target rank window] |real, all| real(all);
    C: MPI_Win_unlock MPI_Win_flush MPI_Win_flush_local;
    Profiling: PMPI_Win_unlock PMPI_Win_flush PMPI_Win_flush_local;
}

interpose! {
    (group, assertion, window) |real, all| real(all);
    C: MPI_Win_post MPI_Win_start;
    Profiling: PMPI_Win_post PMPI_Win_start;
}

interpose! {
    (window) |real, all| real(all);
    C: MPI_Win_complete MPI_Win_wait MPI_Win_sync;
    Profiling: PMPI_Win_complete PMPI_Win_wait PMPI_Win_sync;
}

interpose! {
    (window, flag) |real, all| real(all);
    C: MPI_Win_test;
    Profiling: PMPI_Win_test;
}

// Files.

interpose! {
    (comm, name, mode, info, file) [file] |real, all| real(all);
    C: MPI_File_open;
    Profiling: PMPI_File_open;
}

interpose! {
    (file) [file] |real, all| real(all);
    C: MPI_File_close MPI_File_sync;
    Profiling: PMPI_File_close PMPI_File_sync;
}

interpose! {
    (file, what) [file] |real, all| real(all);
    C: MPI_File_delete MPI_File_set_size MPI_File_preallocate;
    Profiling: PMPI_File_delete PMPI_File_set_size PMPI_File_preallocate;
}

interpose! {
    (file, offset, whence) [file] |real, all| real(all);
    C: MPI_File_seek_shared;
    Profiling: PMPI_File_seek_shared;
}

interpose! {
    (file, displacement, elements, view, representation, info) [file] |real, all| real(all);
    C: MPI_File_set_view;
    Profiling: PMPI_File_set_view;
}

interpose! {
    (file, buffer, count, datatype, end) [file] |real, all| real(all);
    C: MPI_File_read MPI_File_read_all MPI_File_read_shared MPI_File_read_ordered
        MPI_File_write MPI_File_write_all MPI_File_write_shared MPI_File_write_ordered
        MPI_File_iread MPI_File_iread_all MPI_File_iread_shared
        MPI_File_iwrite MPI_File_iwrite_all MPI_File_iwrite_shared;
    Large: MPI_File_read_c MPI_File_read, MPI_File_read_all_c MPI_File_read_all,
        MPI_File_read_shared_c MPI_File_read_shared, MPI_File_read_ordered_c MPI_File_read_ordered,
        MPI_File_write_c MPI_File_write, MPI_File_write_all_c MPI_File_write_all,
        MPI_File_write_shared_c MPI_File_write_shared,
        MPI_File_write_ordered_c MPI_File_write_ordered,
        MPI_File_iread_c MPI_File_iread, MPI_File_iread_all_c MPI_File_iread_all,
        MPI_File_iread_shared_c MPI_File_iread_shared,
        MPI_File_iwrite_c MPI_File_iwrite, MPI_File_iwrite_all_c MPI_File_iwrite_all,
        MPI_File_iwrite_shared_c MPI_File_iwrite_shared;
    Profiling: PMPI_File_read PMPI_File_read_all PMPI_File_read_shared PMPI_File_read_ordered
        PMPI_File_write PMPI_File_write_all PMPI_File_write_shared PMPI_File_write_ordered
        PMPI_File_iread PMPI_File_iread_all PMPI_File_iread_shared
        PMPI_File_iwrite PMPI_File_iwrite_all PMPI_File_iwrite_shared;
}

interpose! {
    (file, offset, buffer, count, datatype, end) [file] |real, all| real(all);
    C: MPI_File_read_at MPI_File_read_at_all MPI_File_write_at MPI_File_write_at_all
        MPI_File_iread_at MPI_File_iread_at_all MPI_File_iwrite_at MPI_File_iwrite_at_all;
    Large: MPI_File_read_at_c MPI_File_read_at, MPI_File_read_at_all_c MPI_File_read_at_all,
        MPI_File_write_at_c MPI_File_write_at, MPI_File_write_at_all_c MPI_File_write_at_all,
        MPI_File_iread_at_c MPI_File_iread_at, MPI_File_iread_at_all_c MPI_File_iread_at_all,
        MPI_File_iwrite_at_c MPI_File_iwrite_at, MPI_File_iwrite_at_all_c MPI_File_iwrite_at_all;
    Profiling: PMPI_File_read_at PMPI_File_read_at_all PMPI_File_write_at PMPI_File_write_at_all
        PMPI_File_iread_at PMPI_File_iread_at_all PMPI_File_iwrite_at PMPI_File_iwrite_at_all;
}

interpose! {
    (file, buffer, count, datatype) [file] |real, all| real(all);
    C: MPI_File_read_all_begin MPI_File_read_ordered_begin
        MPI_File_write_all_begin MPI_File_write_ordered_begin;
    Large: MPI_File_read_all_begin_c MPI_File_read_all_begin,
        MPI_File_read_ordered_begin_c MPI_File_read_ordered_begin,
        MPI_File_write_all_begin_c MPI_File_write_all_begin,
        MPI_File_write_ordered_begin_c MPI_File_write_ordered_begin;
    Profiling: PMPI_File_read_all_begin PMPI_File_read_ordered_begin
        PMPI_File_write_all_begin PMPI_File_write_ordered_begin;
}

interpose! {
    (file, offset, buffer, count, datatype) [file] |real, all| real(all);
    C: MPI_File_read_at_all_begin MPI_File_write_at_all_begin;
    Large: MPI_File_read_at_all_begin_c MPI_File_read_at_all_begin,
        MPI_File_write_at_all_begin_c MPI_File_write_at_all_begin;
    Profiling: PMPI_File_read_at_all_begin PMPI_File_write_at_all_begin;
}

interpose! {
    (file, buffer, status) [file] |real, all| real(all);
    C: MPI_File_read_all_end MPI_File_read_at_all_end MPI_File_read_ordered_end
        MPI_File_write_all_end MPI_File_write_at_all_end MPI_File_write_ordered_end;
    Profiling: PMPI_File_read_all_end PMPI_File_read_at_all_end PMPI_File_read_ordered_end
        PMPI_File_write_all_end PMPI_File_write_at_all_end PMPI_File_write_ordered_end;
}
