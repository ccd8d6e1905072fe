//! The times of all ranks, with classes instead of partners.

use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;

use topoloom_recorder::layout::partner;

use super::part::Part;
use crate::traffic::recording::{CallTime, PartnerClass, RankTime, Times};
use topoloom_core::words::counted;

/// The times of all ranks, if any of them kept some.
pub fn times(
    ranks: u32,
    parts: &[(Part, PathBuf)],
    host_of_rank: &[u32],
    notes: &mut Vec<String>,
) -> Option<Times> {
    if parts.iter().all(|(part, _)| part.times.is_none()) {
        return None;
    }
    let ticks = Ticks::of(parts);
    let mut of_ranks = vec![None; ranks as usize];
    let mut calls: BTreeMap<(&str, PartnerClass), (u64, u64)> = BTreeMap::new();
    let mut unknown = 0;
    for (part, _) in parts {
        let Some(of_part) = &part.times else { continue };
        let Some(tick) = ticks.of_rank(part) else {
            unknown += 1;
            continue;
        };
        let nanoseconds = |ticks: u64| (ticks as f64 * tick).round() as u64;
        let mut mpi = 0_u64;
        for call in of_part.calls.iter().filter(|call| call.calls > 0) {
            let time = nanoseconds(call.ticks);
            let key = (&*of_part.names[call.name], class(part.rank, call.peer, host_of_rank));
            let sum = calls.entry(key).or_default();
            sum.0 = sum.0.saturating_add(call.calls);
            sum.1 = sum.1.saturating_add(time);
            mpi = mpi.saturating_add(time);
        }
        of_ranks[part.rank as usize] =
            Some(RankTime { wall_nanoseconds: nanoseconds(of_part.wall), mpi_nanoseconds: mpi });
    }
    if unknown > 0 {
        notes.push(format!(
            "times of {unknown} left out: too short to measure the clock",
            unknown = counted(unknown, "rank")
        ));
    }
    let ran = |time: &RankTime| time.wall_nanoseconds > 0;
    of_ranks.iter().flatten().any(ran).then(|| Times {
        ranks: of_ranks,
        calls: calls
            .into_iter()
            .map(|((call, partner), (calls, nanoseconds))| CallTime {
                call: call.to_string(),
                partner,
                calls,
                nanoseconds,
            })
            .collect(),
    })
}

fn class(rank: u32, peer: u32, host_of_rank: &[u32]) -> PartnerClass {
    match peer {
        partner::EVERYBODY => PartnerClass::Everybody,
        partner::FILE => PartnerClass::File,
        peer if peer == rank => PartnerClass::Itself,
        peer => match (host_of_rank.get(rank as usize), host_of_rank.get(peer as usize)) {
            (Some(own), Some(other)) if own == other => PartnerClass::SameHost,
            (Some(_), Some(_)) => PartnerClass::OtherHost,
            _ => PartnerClass::NotTold,
        },
    }
}

/// The length of ticks. A rank that was killed early does not know it, but others on its host do.
/// The hosts of a job are mostly the same.
struct Ticks<'a> {
    of_hosts: HashMap<&'a str, f64>,
    of_any: Option<f64>,
}

impl<'a> Ticks<'a> {
    fn of(parts: &'a [(Part, PathBuf)]) -> Ticks<'a> {
        let known = || parts.iter().filter_map(|(part, _)| Some((&*part.host, part.tick?)));
        Ticks { of_hosts: known().collect(), of_any: known().next().map(|(_, tick)| tick) }
    }

    fn of_rank(&self, part: &Part) -> Option<f64> {
        part.tick.or_else(|| self.of_hosts.get(&*part.host).copied()).or(self.of_any)
    }
}
