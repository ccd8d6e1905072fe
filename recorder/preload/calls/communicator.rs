//! Communicators, windows and types come and go. Handles come again for others, so that what is
//! known of one is forgotten when it is freed.

use super::{interpose, invoke};
use crate::form::Form;
use crate::recorder::{library, recording, recording_events, with};

/// A communicator was made. Events tell communicators of the same members apart by the order in
/// which they were made, which is the same for all members.
fn made<F: Form>(new: usize, real: impl FnOnce() -> i32) -> i32 {
    let result = real();
    if result == 0 && recording_events() {
        let handle = F::comm_behind(new);
        if handle != library().comm_null {
            with(|recorder| recorder.comm(handle));
        }
    }
    result
}

interpose! {
    (comm, new) |real, all| made::<F>(new, || real(all));
    C: MPI_Comm_dup;
    Fortran: mpi_comm_dup_ ompi_comm_dup_f;
}

interpose! {
    (comm, what, new) |real, all| made::<F>(new, || real(all));
    C: MPI_Comm_dup_with_info MPI_Comm_create MPI_Cart_sub MPI_Intercomm_merge;
    Fortran: mpi_comm_dup_with_info_ ompi_comm_dup_with_info_f,
        mpi_comm_create_ ompi_comm_create_f,
        mpi_cart_sub_ ompi_cart_sub_f,
        mpi_intercomm_merge_ ompi_intercomm_merge_f;
}

interpose! {
    (comm, group, tag, new) |real, all| made::<F>(new, || real(all));
    C: MPI_Comm_create_group MPI_Comm_split;
    Fortran: mpi_comm_create_group_ ompi_comm_create_group_f, mpi_comm_split_ ompi_comm_split_f;
}

interpose! {
    (comm, kind, key, info, new) |real, all| made::<F>(new, || real(all));
    C: MPI_Comm_split_type;
    Fortran: mpi_comm_split_type_ ompi_comm_split_type_f;
}

interpose! {
    (comm, number, dims, periods, reorder, new) |real, all| made::<F>(new, || real(all));
    C: MPI_Cart_create MPI_Graph_create;
    Fortran: mpi_cart_create_ ompi_cart_create_f, mpi_graph_create_ ompi_graph_create_f;
}

interpose! {
    (comm, number, sources, degrees, destinations, weights, info, reorder, new) |real, all|
        made::<F>(new, || real(all));
    C: MPI_Dist_graph_create;
    Fortran: mpi_dist_graph_create_ ompi_dist_graph_create_f;
}

interpose! {
    (comm, in_number, sources, in_weights, out_number, destinations, out_weights, info, reorder, new)
        |real, all| made::<F>(new, || real(all));
    C: MPI_Dist_graph_create_adjacent;
    Fortran: mpi_dist_graph_create_adjacent_ ompi_dist_graph_create_adjacent_f;
}

interpose! {
    (comm) |real, all| {
        if recording() {
            let handle = F::comm_behind(comm);
            with(|recorder| recorder.free_comm(handle));
        }
        real(all)
    };
    C: MPI_Comm_free MPI_Comm_disconnect;
    Fortran: mpi_comm_free_ ompi_comm_free_f, mpi_comm_disconnect_ ompi_comm_disconnect_f;
}

interpose! {
    (window) |real, all| {
        if recording() {
            let handle = F::window_behind(window);
            with(|recorder| recorder.free_window(handle));
        }
        real(all)
    };
    C: MPI_Win_free;
    Fortran: mpi_win_free_ ompi_win_free_f;
}

interpose! {
    (datatype) |real, all| {
        if recording() {
            with(|recorder| recorder.forget_types());
        }
        real(all)
    };
    C: MPI_Type_free;
    Fortran: mpi_type_free_ ompi_type_free_f;
}
