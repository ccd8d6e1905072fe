//! The beginning and the end.

use super::{interpose, partner};
use crate::invoke::invoke;
use crate::measure::measure_if_asked;
use crate::recorder::{abandon, finish, start};
use crate::seat::describe_host_if_first;

fn begin(real: impl FnOnce() -> i32) -> i32 {
    describe_host_if_first();
    let result = real();
    if result == 0 {
        measure_if_asked();
        start();
    }
    result
}

interpose! {
    (argc, argv) |real, all| begin(|| real(all));
    C: MPI_Init;
    Profiling: PMPI_Init;
}

interpose! {
    (argc, argv, required, provided) |real, all| begin(|| real(all));
    C: MPI_Init_thread;
    Profiling: PMPI_Init_thread;
}

interpose! {
    () |real, all| { finish(); real(all) };
    C: MPI_Finalize;
    Profiling: PMPI_Finalize;
}

// Some libraries finalise on their way out. A program that aborts has not reached its end.
interpose! {
    (comm, code) |real, all| { abandon(); real(all) };
    C: MPI_Abort;
    Profiling: PMPI_Abort;
}
