//! Open MPI's rank files: a line a rank, with its host and its cores in the order of the hardware.

use std::collections::{HashMap, HashSet};
use std::fmt::Write;

use topoloom_core::cluster::Seating;
use topoloom_core::topology::Place;

use super::{Launch, LaunchError, LaunchFiles};
use crate::cpu_list;

/// The cores of each rank, counted as Open MPI counts them, and whether they say all there is.
pub(super) struct RankCores {
    /// The cores of each rank.
    pub cores: Vec<Vec<u32>>,
    /// Whether the cores are not exactly what ranks get: threads of cores, or cores whose number
    /// the mapping does not tell.
    pub inexact: bool,
    /// Whether ranks have cores in common.
    pub shared: bool,
}

impl RankCores {
    pub fn of(launch: &Launch) -> Result<RankCores, LaunchError> {
        let seating = launch.seating()?;
        let threads = threads_of_a_core(seating);
        let mut inexact = has_threads_of_one_core(seating);
        let cores: Vec<Vec<u32>> = seating
            .seats
            .iter()
            .map(|seat| match (seat.cpus.len(), threads) {
                (0 | 1, _) => vec![seat.core],
                (cpus, Some(threads)) if cpus % threads == 0 => {
                    (seat.core..).take(cpus / threads).collect()
                }
                _ => {
                    inexact = true;
                    vec![seat.core]
                }
            })
            .collect();
        let mut taken = HashSet::new();
        let mut places = (seating.seats.iter().zip(&cores))
            .flat_map(|(seat, cores)| cores.iter().map(|&core| (seat.host, core)));
        let shared = !places.all(|place| taken.insert(place));
        Ok(RankCores { cores, inexact, shared })
    }
}

/// How many CPUs a core has, if the mapping shows it: where two ranks begin at cores that follow
/// each other, the first has one core and no more.
fn threads_of_a_core(seating: &Seating) -> Option<usize> {
    let at: HashMap<(u32, u32), &Place> =
        seating.seats.iter().map(|seat| ((seat.host, seat.core), seat)).collect();
    let single = seating.seats.iter().filter(|seat| {
        let next = at.get(&(seat.host, seat.core.wrapping_add(1)));
        next.is_some_and(|next| next.cpus.iter().all(|cpu| !seat.cpus.contains(cpu)))
    });
    let mut counts: Vec<usize> = single.map(|seat| seat.cpus.len()).collect();
    counts.sort_unstable();
    counts.dedup();
    match counts[..] {
        [one] => Some(one),
        _ => None,
    }
}

/// Whether ranks have different CPUs of the same core.
fn has_threads_of_one_core(seating: &Seating) -> bool {
    let mut first_at: HashMap<(u32, u32), &Place> = HashMap::new();
    seating
        .seats
        .iter()
        .any(|seat| first_at.entry((seat.host, seat.core)).or_insert(seat).cpus != seat.cpus)
}

/// The file, and that of CPUs where cores do not say it all.
pub(super) fn write(launch: &Launch) -> Result<LaunchFiles, LaunchError> {
    let RankCores { cores, inexact, .. } = RankCores::of(launch)?;
    let mut main = String::new();
    for (rank, (host, cores)) in launch.host_names()?.iter().zip(&cores).enumerate() {
        let _ = writeln!(main, "rank {rank}={host} slot={}", cpu_list::write(cores));
    }
    let bind = if inexact { Some(launch.bind_lines()?) } else { None };
    Ok(LaunchFiles { main, bind, warnings: Vec::new() })
}
