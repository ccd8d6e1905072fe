//! Communicators, windows and types come and go. Handles are reused for other objects, so what is
//! known about one is forgotten when it is freed.

use super::{interpose, partner};
use crate::form::Form;
use crate::invoke::invoke;
use crate::recorder::{library, recording, recording_events, with};

/// A communicator was made. Events distinguish communicators of the same members by the order in
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
    (comm, new) [everybody] |real, all| made::<F>(new, || real(all));
    C: MPI_Comm_dup;
    Profiling: PMPI_Comm_dup;
}

interpose! {
    (comm, what, new) [everybody] |real, all| made::<F>(new, || real(all));
    C: MPI_Comm_dup_with_info MPI_Comm_create MPI_Cart_sub MPI_Intercomm_merge;
    Profiling: PMPI_Comm_dup_with_info PMPI_Comm_create PMPI_Cart_sub PMPI_Intercomm_merge;
}

interpose! {
    (comm, group, tag, new) [everybody] |real, all| made::<F>(new, || real(all));
    C: MPI_Comm_create_group MPI_Comm_split;
    Profiling: PMPI_Comm_create_group PMPI_Comm_split;
}

interpose! {
    (comm, kind, key, info, new) [everybody] |real, all| made::<F>(new, || real(all));
    C: MPI_Comm_split_type;
    Profiling: PMPI_Comm_split_type;
}

interpose! {
    (comm, number, dims, periods, reorder, new) [everybody] |real, all| made::<F>(new, || real(all));
    C: MPI_Cart_create MPI_Graph_create;
    Profiling: PMPI_Cart_create PMPI_Graph_create;
}

interpose! {
    (comm, number, sources, degrees, destinations, weights, info, reorder, new) [everybody] |real, all|
        made::<F>(new, || real(all));
    C: MPI_Dist_graph_create;
    Profiling: PMPI_Dist_graph_create;
}

interpose! {
    (comm, in_number, sources, in_weights, out_number, destinations, out_weights, info, reorder, new) [everybody]
        |real, all| made::<F>(new, || real(all));
    C: MPI_Dist_graph_create_adjacent;
    Profiling: PMPI_Dist_graph_create_adjacent;
}

interpose! {
    (comm) [everybody] |real, all| {
        if recording() {
            let handle = F::comm_behind(comm);
            with(|recorder| recorder.free_comm(handle));
        }
        real(all)
    };
    C: MPI_Comm_free MPI_Comm_disconnect;
    Profiling: PMPI_Comm_free PMPI_Comm_disconnect;
}

interpose! {
    (window) [everybody] |real, all| {
        if recording() {
            let handle = F::window_behind(window);
            with(|recorder| recorder.free_window(handle));
        }
        real(all)
    };
    C: MPI_Win_free;
    Profiling: PMPI_Win_free;
}

interpose! {
    (datatype) |real, all| {
        if recording() {
            with(|recorder| recorder.forget_types());
        }
        real(all)
    };
    C: MPI_Type_free;
    Profiling: PMPI_Type_free;
}
