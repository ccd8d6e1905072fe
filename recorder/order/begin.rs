//! The beginning and the end of a program.

use std::env;
use std::path::Path;

use crate::attributes::free_at_end;
use crate::host::{describe_host, say};
use crate::invoke::invoke;
use crate::layout::RANK_VARIABLES;
use crate::library::{self, Family, Library, asked};
use crate::order::{decide, decided, stop};
use crate::report::report;
use crate::settings::{Settings, settings};
use crate::symbols::Real;
use crate::system::_exit;
use crate::translate::instead;
use crate::world::{is_replaced, library, replace, restore, translated};

instead! {
    MPI_Init (argc, argv) {
        static REAL: Real = Real::new(c"PMPI_Init");
        begin(|| invoke!(REAL; argc, argv))
    }
}

instead! {
    MPI_Init_thread (argc, argv, required, provided) {
        static REAL: Real = Real::new(c"PMPI_Init_thread");
        begin(|| invoke!(REAL; argc, argv, required, provided))
    }
}

instead! {
    MPI_Finalize () {
        static REAL: Real = Real::new(c"PMPI_Finalize");
        let result = invoke!(REAL;);
        // What took the place of the world has been freed on the way.
        restore();
        result
    }
}

instead! {
    MPI_Abort (comm, code) {
        static REAL: Real = Real::new(c"PMPI_Abort");
        invoke!(REAL; aborted(comm), code)
    }
}

/// The communicator to abort. With another one than the real world, MPICH does not always pass the
/// exit code on. But then its message has the launcher's rank.
fn aborted(comm: usize) -> usize {
    let new = translated(comm);
    match library() {
        Some(library) if is_replaced(comm) && library.family != Family::OpenMpi => {
            let rank = asked(|rank| unsafe { library::comm_rank(new, rank) });
            say(&format!("rank {} calls MPI_Abort", rank.unwrap_or(-1)));
            library.world
        }
        _ => new,
    }
}

fn begin(real: impl FnOnce() -> i32) -> i32 {
    let Some(settings) = settings() else { return real() };
    if settings.describe {
        // If a host is not described, the command that started the job says so.
        let _ = describe_host(&settings.folder);
    }
    let result = real();
    if result == 0 {
        match library() {
            Some(library) => at_begin(settings, library),
            None => say("the MPI library is not a known one: ranks keep the launcher's order"),
        }
    }
    result
}

fn at_begin(settings: &'static Settings, library: &'static Library) {
    // SimGrid has all ranks in one process: there is only one world for all of them.
    if library.family == Family::SimGrid || library.was_spawned() {
        return;
    }
    if let Some(processes) = decide(settings, library, library.world) {
        match reordered(library, processes) {
            Some(new) => {
                replace(library, new);
                free_at_end(library);
            }
            // Other ranks may have one: nobody may go on with two orders.
            None => {
                say("the MPI library makes no communicator in another order: the job ends");
                stop(library.world)
            }
        }
    }
    if let Some(folder) = &settings.probe {
        let world = translated(library.world);
        let rank = asked(|rank| unsafe { library::comm_rank(world, rank) });
        report_rank(folder, rank);
        unsafe {
            // A rank that leaves without the others makes launchers say that something went wrong.
            library::barrier(library.world);
            library::finalize();
            _exit(0)
        }
    }
}

/// A communicator of all processes in another order. Of the functions that make one, this one takes
/// least time by far where ranks share cores.
fn reordered(library: &Library, processes: &[i32]) -> Option<usize> {
    const TAG: usize = 32_751;
    let (mut all, mut group, mut new) = (0_usize, 0_usize, 0_usize);
    let (to_all, to_group, to_new) =
        (&raw mut all as usize, &raw mut group as usize, &raw mut new as usize);
    let ranks = processes.as_ptr() as usize;
    let is_made = unsafe {
        library::comm_group(library.world, to_all) == Some(0)
            && library::group_incl(all, processes.len(), ranks, to_group) == Some(0)
            && library::comm_create_group(library.world, group, TAG, to_new) == Some(0)
    };
    unsafe {
        library::group_free(to_all);
        library::group_free(to_group);
    }
    let new = library.handle(new);
    if !is_made || new == library.comm_null {
        return None;
    }
    unsafe { library::comm_set_name(new, c"MPI_COMM_WORLD".as_ptr() as usize) };
    Some(new)
}

/// Says where the process with this rank is.
pub fn report_rank(folder: &Path, rank: Option<i32>) {
    let variable = RANK_VARIABLES.iter().find(|name| env::var_os(name).is_some());
    let rank = rank.unwrap_or(0).max(0) as u32;
    if let Err(error) = report(folder, rank, variable.unwrap_or(&RANK_VARIABLES[0])) {
        say(&format!("rank {rank} cannot report: {error}"));
    }
}

/// The rank that the launcher gave to this process, plus one, if the program has another one; for
/// the recorder, which is another library.
#[unsafe(no_mangle)]
extern "C" fn topoloom_launcher_rank() -> u64 {
    let (Some(library), Some(_)) = (library(), decided()) else { return 0 };
    let rank = asked(|rank| unsafe { library::comm_rank(library.world, rank) });
    rank.map_or(0, |rank| rank as u64 + 1)
}
