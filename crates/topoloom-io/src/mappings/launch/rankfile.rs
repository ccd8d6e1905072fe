//! Open MPI's rank files: one line per rank, with its host and its cores in the order of the hardware.

use std::collections::HashSet;
use std::fmt::Write;

use topoloom_core::topology::Place;

use super::error::LaunchError;
use super::format::{Launch, LaunchFiles};
use crate::text::cpu_list;

/// The cores of each rank, counted as Open MPI counts them, and whether they are exact.
pub(super) struct RankCores {
    /// The cores of each rank.
    pub cores: Vec<Vec<u32>>,
    /// Whether the cores differ from what ranks get: threads of cores, or cores whose number the
    /// mapping does not contain.
    pub inexact: bool,
    /// Whether ranks have cores in common.
    pub shared: bool,
}

impl RankCores {
    pub fn of(launch: &Launch) -> Result<RankCores, LaunchError> {
        let seats = &launch.seating()?.seats;
        // A rank that has a whole host of unknown cores is put on the first one.
        let some_core = |seat: &Place| vec![seat.core.unwrap_or(0)];
        let cores_of = |seat: &Place| match seat.cores.is_empty() {
            true => some_core(seat),
            false => seat.cores.clone(),
        };
        let cores: Vec<Vec<u32>> = seats.iter().map(cores_of).collect();
        let inexact = seats.iter().any(|seat| seat.cores.is_empty() && !seat.cpus.is_empty());
        let mut taken = HashSet::new();
        let mut places = (seats.iter().zip(&cores))
            .flat_map(|(seat, cores)| cores.iter().map(|&core| (seat.host, core)));
        let shared = !places.all(|place| taken.insert(place));
        Ok(RankCores { cores, inexact, shared })
    }
}

/// The file, and the file of CPUs if the cores are not exact.
pub(super) fn write(launch: &Launch) -> Result<LaunchFiles, LaunchError> {
    let RankCores { cores, inexact, .. } = RankCores::of(launch)?;
    let mut main = String::new();
    for (rank, (host, cores)) in launch.host_names()?.iter().zip(&cores).enumerate() {
        let _ = writeln!(main, "rank {rank}={host} slot={}", cpu_list::write(cores));
    }
    let bind = if inexact { Some(launch.bind_lines()?) } else { None };
    Ok(LaunchFiles { main, bind, warnings: Vec::new() })
}
