//! Programs with sessions get the world as a group, in the same order.

use std::ffi::CStr;
use std::time::Duration;

use crate::begin::report_rank;
use crate::invoke::invoke;
use crate::library::{self, Family, Library, asked};
use crate::order::{decide, is_decided};
use crate::settings::{Settings, settings};
use crate::symbols::Real;
use crate::system::_exit;
use crate::translate::instead;
use crate::world::library;

instead! {
    MPI_Group_from_session_pset (session, name, group) {
        static REAL: Real = Real::new(c"PMPI_Group_from_session_pset");
        let result = invoke!(REAL; session, name, group);
        if result == 0 && is_world(name) {
            reorder(group);
        }
        result
    }
}

const GRACE: Duration = Duration::from_millis(500);

/// Names of sets of processes may be in upper or lower case.
fn is_world(name: usize) -> bool {
    name != 0
        && unsafe { CStr::from_ptr(name as *const _) }
            .to_bytes()
            .eq_ignore_ascii_case(b"mpi://WORLD")
}

/// Puts the members of the group behind this address in order.
fn reorder(group: usize) {
    let (Some(settings), Some(library)) = (settings(), library()) else { return };
    if !settings.order || library.family == Family::SimGrid {
        return;
    }
    put_in_order(settings, library, group);
    let has_world = asked(|flag| unsafe { library::initialized(flag) }) == Some(1);
    if let Some(folder) = settings.probe.as_deref().filter(|_| !has_world) {
        let group = unsafe { library.handle_at(group, 0) };
        report_rank(folder, asked(|rank| unsafe { library::group_rank(group, rank) }));
        // Launchers do not like it if ranks leave before all have begun.
        std::thread::sleep(GRACE);
        unsafe { _exit(0) }
    }
}

fn put_in_order(settings: &'static Settings, library: &'static Library, group: usize) {
    let old = unsafe { library.handle_at(group, 0) };
    let size = asked(|size| unsafe { library::group_size(old, size) }).unwrap_or(0) as usize;
    let Some(processes) = with_all(library, old, |comm| decide(settings, library, comm)) else {
        return;
    };
    if processes.len() != size {
        return;
    }
    let (mut new, mut freed) = (0_usize, old);
    let (ranks, address) = (processes.as_ptr() as usize, &raw mut new as usize);
    unsafe {
        if library::group_incl(old, size, ranks, address) != Some(0) {
            return;
        }
        library::group_free(&raw mut freed as usize);
        match library.wide_handles {
            true => *(group as *mut usize) = new,
            false => *(group as *mut u32) = new as u32,
        }
    }
}

/// Does something with a communicator of all processes. Nobody needs one if the order is decided.
fn with_all<T>(
    library: &Library,
    group: usize,
    work: impl FnOnce(usize) -> Option<T>,
) -> Option<T> {
    if is_decided() {
        return work(library.world);
    }
    let mut comm = 0_usize;
    let (tag, address) = (c"org.topoloom.order".as_ptr() as usize, &raw mut comm as usize);
    let made = unsafe {
        library::comm_create_from_group(
            group,
            tag,
            library.info_null,
            library.errors_return,
            address,
        )
    };
    if made != Some(0) {
        return None;
    }
    let result = work(library.handle(comm));
    unsafe { library::comm_free(address) };
    result
}
