//! Messages between the ranks of a job.

use std::collections::HashMap;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use anyhow::{Context, anyhow, bail};
use topoloom::core::topology::Cluster;
use topoloom::io::{Probe, ProbedRank};
use topoloom_recorder::layout::measure::{PLAN, RESULT_ENDING};
use topoloom_recorder::layout::{
    FOLDER_VARIABLE, MEASURE_VARIABLE, PROBE_VARIABLE, RANK_VARIABLES,
};

use super::levels::Pairs;
use crate::jobs::launcher::Job;
use crate::jobs::launcher::capture::{Capture, it_said};
use crate::jobs::preload::Scratch;

/// Ranks in the places of a machine.
pub struct Seated {
    /// The rank in each place, if there is one.
    pub rank_at: Vec<Option<u32>>,
    /// Whether a rank stays in its place.
    pub is_bound: Box<dyn Fn(u32) -> bool>,
    /// How many ranks may leave their places.
    pub unbound: usize,
}

/// Where the ranks of a probe are. Those that may run on several places of their host get the first
/// free one: only the host counts.
pub fn seated(cluster: &Cluster, probe: &Probe) -> Seated {
    let short = |name: &str| name.split('.').next().unwrap_or_default().to_ascii_lowercase();
    let mut places_of: HashMap<String, Vec<usize>> = HashMap::new();
    for (number, place) in cluster.places().iter().enumerate() {
        let host = &cluster.description().hosts[place.host as usize].name;
        places_of.entry(short(host)).or_default().push(number);
    }
    let mut rank_at = vec![None; cluster.places().len()];
    let mut loose: Vec<&ProbedRank> = Vec::new();
    for rank in &probe.ranks {
        let places = places_of.get(&short(&rank.host)).map_or(&[][..], |places| &places[..]);
        let cpus_of = |place: usize| &cluster.places()[place].cpus;
        let holds = |&&place: &&usize| {
            !rank.cpus.is_empty() && rank.cpus.iter().all(|cpu| cpus_of(place).contains(cpu))
        };
        match places.iter().find(holds) {
            Some(&place) => {
                rank_at[place].get_or_insert(rank.rank);
            }
            None => loose.push(rank),
        }
    }
    let unbound: Vec<u32> = loose.iter().map(|rank| rank.rank).collect();
    for rank in &loose {
        let places = places_of.get(&short(&rank.host)).map_or(&[][..], |places| &places[..]);
        if let Some(&place) = places.iter().find(|&&place| rank_at[place].is_none()) {
            rank_at[place] = Some(rank.rank);
        }
    }
    let count = unbound.len();
    Seated { rank_at, is_bound: Box::new(move |rank| !unbound.contains(&rank)), unbound: count }
}

/// Lets the ranks of a job send messages of the given size, the given number of times, pair after
/// pair.
pub fn measure(
    command: &[OsString],
    scratch: &Scratch,
    (bytes, rounds): (u32, u32),
    levels: &[Pairs],
) -> anyhow::Result<Vec<Vec<u64>>> {
    let folder = scratch.folder();
    let all: Vec<(u32, u32)> = levels.iter().flat_map(|level| level.pairs.clone()).collect();
    let mut plan = format!("{bytes} {rounds}\n");
    all.iter().for_each(|(first, second)| plan += &format!("{first} {second}\n"));
    remove_results(folder)?;
    let path = folder.join(PLAN);
    fs::write(&path, plan).with_context(|| format!("{}: cannot write", path.display()))?;

    let mut started =
        scratch.preloaded(command, &[(MEASURE_VARIABLE, folder.as_os_str().into())])?;
    for variable in RANK_VARIABLES.iter().chain(&[FOLDER_VARIABLE, PROBE_VARIABLE]) {
        started.env_remove(variable);
    }
    let program = command[0].display();
    started.stdin(Stdio::null());
    let job = Job::about_to_start()?;
    let (mut child, capture) = Capture::start(started)?;
    if job.wait(&mut child, None)?.interrupted {
        bail!("interrupted");
    }
    let times = times_in(folder, all.len())?;
    let missing = times.iter().filter(|time| time.is_none()).count();
    if missing > 0 {
        bail!(
            "{missing} of {} pairs of ranks were not measured: the program that {program} starts \
             must call MPI_Init from a library that is loaded at run time{}",
            all.len(),
            it_said(&capture.text())
        );
    }
    let mut times = times.into_iter().flatten();
    Ok(levels.iter().map(|level| times.by_ref().take(level.pairs.len()).collect()).collect())
}

/// The files that ranks have written, by their ending.
fn results_in(folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let unreadable = || format!("{}: cannot read", folder.display());
    let mut results = Vec::new();
    for entry in fs::read_dir(folder).with_context(unreadable)? {
        let path = entry.with_context(unreadable)?.path();
        if path.extension().is_some_and(|ending| ending == RESULT_ENDING) {
            results.push(path);
        }
    }
    Ok(results)
}

/// What an earlier job with other messages has left must not count for this one.
fn remove_results(folder: &Path) -> anyhow::Result<()> {
    for path in results_in(folder)? {
        fs::remove_file(&path).with_context(|| format!("{}: cannot remove", path.display()))?;
    }
    Ok(())
}

/// The nanoseconds of each pair, as ranks have written them.
fn times_in(folder: &Path, pairs: usize) -> anyhow::Result<Vec<Option<u64>>> {
    let mut times = vec![None; pairs];
    for path in results_in(folder)? {
        let shown = path.display();
        let text = fs::read_to_string(&path).with_context(|| format!("{shown}: cannot read"))?;
        for (number, line) in (1..).zip(text.lines()) {
            let fields = line.split_once(' ').and_then(|(pair, time)| {
                Some((pair.parse::<usize>().ok()?, time.parse::<u64>().ok()?))
            });
            let (pair, time) = fields
                .filter(|&(pair, _)| pair < pairs)
                .ok_or_else(|| anyhow!("{shown}:{number}: expected a pair and its time"))?;
            times[pair] = Some(time.max(1));
        }
    }
    Ok(times)
}

#[cfg(test)]
mod tests {
    use super::super::levels::tests::two_hosts;
    use super::*;

    #[test]
    fn ranks_sit_in_the_places_that_hold_their_cpus() {
        let rank = |rank, host: &str, cpus: &[u32]| ProbedRank {
            rank,
            host: host.to_string(),
            cpus: cpus.to_vec(),
            variable: String::new(),
            process: 1,
            command: Vec::new(),
            starter: String::new(),
        };
        let ranks = vec![
            rank(0, "b.cluster.org", &[3]),
            rank(1, "a", &[0, 1, 2, 3]),
            rank(2, "a", &[0]),
            rank(3, "elsewhere", &[0]),
        ];
        let probe = Probe { ranks, ..Probe::default() };
        let seated = seated(&two_hosts(), &probe);
        // Rank 2 has CPU 0 of a to itself, rank 1 takes the next place, rank 3 has none.
        let expected = [Some(2), Some(1), None, None, None, None, None, Some(0)];
        assert_eq!(seated.rank_at, expected);
        assert_eq!(seated.unbound, 2);
        assert!((seated.is_bound)(0) && !(seated.is_bound)(1));
    }
}
