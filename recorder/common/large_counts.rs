//! Calls with 64-bit counts, made with 32-bit counts if the library has no others.

use crate::library::{self, Library, asked};
use crate::neighbours::ask_for_neighbours;

/// The error class of a count that is too large, the same in all libraries.
const COUNT_TOO_LARGE: i32 = 2;

/// Arguments whose counts were made small, with the arrays that some of them point to.
pub struct Small {
    arguments: Vec<usize>,
    _arrays: Vec<Vec<i32>>,
}

impl Small {
    /// The arguments of a call, distinguished by their names: `...count` is a count, `...counts`
    /// and `...displs` are arrays.
    pub fn of(function: &str, names: &[&str], arguments: &[usize]) -> Result<Small, i32> {
        let mut small = Small { arguments: arguments.to_vec(), _arrays: Vec::new() };
        for (place, name) in names.iter().enumerate() {
            let is_array = name.ends_with("counts") || name.ends_with("displs");
            // These have addresses as displacements in both forms.
            let is_address = name.ends_with("displs") && function.contains("eighbor_alltoallw");
            if function.ends_with("Pack_size_c") && *name == "size" {
                // The library writes only the lower half.
                unsafe { *(arguments[place] as *mut i64) = 0 };
            } else if name.ends_with("count") {
                i32::try_from(arguments[place] as i64).map_err(|_| COUNT_TOO_LARGE)?;
            } else if is_array && !is_address {
                let Some(length) = length(function, name, names, arguments) else { continue };
                let large = (0..length).map(|number| {
                    let value = unsafe { *(arguments[place] as *const i64).add(number) };
                    i32::try_from(value).map_err(|_| COUNT_TOO_LARGE)
                });
                let array = large.collect::<Result<Vec<i32>, i32>>()?;
                small.arguments[place] = array.as_ptr() as usize;
                match reads_later(function) {
                    // There is no moment that we see when the library is done with it.
                    true => std::mem::forget(array),
                    false => small._arrays.push(array),
                }
            }
        }
        Ok(small)
    }

    pub fn arguments(&self) -> impl Iterator<Item = usize> + '_ {
        self.arguments.iter().copied()
    }
}

/// Whether the library may read arrays after the call has returned.
fn reads_later(function: &str) -> bool {
    function.starts_with("MPI_I") || function.contains("_init")
}

/// How long an array is; nothing if it has no meaning.
fn length(function: &str, name: &str, names: &[&str], arguments: &[usize]) -> Option<usize> {
    let argument = |wanted: &str| {
        let place = names.iter().position(|&name| name == wanted)?;
        Some(arguments[place])
    };
    let library = Library::loaded()?;
    let comm = library.handle(argument("comm")?);
    if let Some(root) = argument("root") {
        let rank = asked(|rank| unsafe { library::comm_rank(comm, rank) })?;
        if rank != root as i32 {
            return None;
        }
    }
    if !function.contains("eighbor") {
        let inter = asked(|flag| unsafe { library::comm_test_inter(comm, flag) }) == Some(1);
        let size = asked(|size| unsafe {
            if inter {
                library::comm_remote_size(comm, size)
            } else {
                library::comm_size(comm, size)
            }
        })?;
        return usize::try_from(size).ok();
    }
    let neighbours = ask_for_neighbours(&library, comm);
    let sends = name.starts_with("send") || name == "sdispls";
    Some(if sends { neighbours.destinations.len() } else { neighbours.sources.len() })
}
