//! Checks the seats that a probe found against the expected ones.

use std::fs;

use topoloom::core::cluster::same_host;
use topoloom::io::{Probe, ProbedRank, cpu_list};
use topoloom_recorder::layout::TRAINING_RANK_VARIABLE;

use super::expected::Seat;
use crate::output::numbers::plural;

/// The finding about one rank.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The rank.
    pub rank: u32,
    /// Where it should be, with the CPUs of its core if only the core was known.
    pub expected: Option<Seat>,
    /// Where it is.
    pub found: Option<ProbedRank>,
    /// What is wrong, if anything is.
    pub wrong: Option<String>,
}

/// Judges every rank of the mapping, then those that are not in it. The ranks of the probe are in
/// ascending order.
pub fn judge(seats: &[Seat], probe: &Probe) -> Vec<Finding> {
    let own = fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    let mut findings = Vec::with_capacity(seats.len());
    for (rank, seat) in (0..).zip(seats) {
        let at = probe.ranks.binary_search_by_key(&rank, |found| found.rank);
        let found = at.ok().map(|at| probe.ranks[at].clone());
        let mut seat = seat.clone();
        let wrong = match &found {
            None => Some("has not reported".to_string()),
            Some(found) => judge_one(&mut seat, found, probe, own.trim()),
        };
        findings.push(Finding { rank, expected: Some(seat), found, wrong });
    }
    let beyond = probe.ranks.iter().filter(|found| found.rank as usize >= seats.len());
    findings.extend(beyond.map(|found| Finding {
        rank: found.rank,
        expected: None,
        found: Some(found.clone()),
        wrong: Some("is not in the mapping".to_string()),
    }));
    findings
}

/// What is wrong with a rank. Completes the seat with what the host reports about its cores.
fn judge_one(seat: &mut Seat, found: &ProbedRank, probe: &Probe, own: &str) -> Option<String> {
    if !is_same_host(&seat.host, &found.host, own) {
        return Some("on another host".to_string());
    }
    if found.variable == TRAINING_RANK_VARIABLE {
        // Launchers of training jobs bind no ranks. They choose GPUs by the order on the host.
        seat.cpus = None;
        seat.core = None;
        return None;
    }
    if seat.cpus.is_none() {
        let cores = probe.cores_of(&found.host);
        if let Some((core, cores)) = seat.core.zip(cores) {
            match cores.get(core as usize) {
                Some(cpus) => seat.cpus = Some(cpus.clone()),
                None => return Some(format!("the host has only {}", plural(cores.len(), "core"))),
            }
        }
    }
    let cpus = seat.cpus.as_ref()?;
    let is_inside = |cpu: &u32| cpus.contains(cpu);
    if found.cpus.is_empty() {
        return Some("may run on no known CPU".to_string());
    }
    let inside = found.cpus.iter().filter(|cpu| is_inside(cpu)).count();
    let list = || cpu_list::write(&found.cpus);
    match () {
        () if found.cpus == *cpus => None,
        () if inside == 0 => Some("on other CPUs".to_string()),
        // A rank that lacks a CPU may have a thread that has to wait.
        () if inside == found.cpus.len() => Some(format!("may only run on {}", list())),
        () => Some(format!("not bound: may run on {}", list())),
    }
}

/// Whether two names mean the same host; `own` is the name of this host.
pub fn is_same_host(expected: &str, found: &str, own: &str) -> bool {
    let expected = if ["localhost", "127.0.0.1"].contains(&expected) { own } else { expected };
    same_host(&expected.to_ascii_lowercase(), &found.to_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(rank: u32, host: &str, cpus: &[u32]) -> ProbedRank {
        let (host, variable) = (host.to_string(), "PMI_RANK".to_string());
        let (command, starter) = (Vec::new(), String::new());
        ProbedRank { rank, host, cpus: cpus.to_vec(), variable, process: 1, command, starter }
    }

    fn seat(host: &str, cpus: &[u32]) -> Seat {
        Seat { host: host.to_string(), core: Some(0), cpus: Some(cpus.to_vec()) }
    }

    #[test]
    fn names_of_hosts_may_lack_their_domain() {
        assert!(is_same_host("n01", "n01.cluster.org", "x"));
        assert!(is_same_host("N01.cluster.org", "n01", "x"));
        assert!(!is_same_host("n01.a.org", "n01.b.org", "x"));
        assert!(!is_same_host("n01", "n011", "x"));
        assert!(is_same_host("localhost", "x", "x"));
        assert!(!is_same_host("localhost", "y", "x"));
    }

    #[test]
    fn every_way_to_sit_elsewhere_has_its_words() {
        let seats = [
            seat("a", &[0, 2]),
            seat("a", &[1]),
            seat("a", &[1]),
            seat("b", &[0]),
            seat("b", &[1]),
            seat("a", &[0, 2]),
        ];
        let ranks = vec![
            found(0, "a", &[0, 2]),
            found(1, "a", &[0, 1, 2, 3]),
            found(2, "a", &[3]),
            found(3, "a", &[0]),
            found(5, "a", &[2]),
            found(7, "b", &[1]),
        ];
        let probe = Probe { ranks, ..Probe::default() };
        let findings = judge(&seats, &probe);
        let wrong: Vec<Option<&str>> =
            findings.iter().map(|finding| finding.wrong.as_deref()).collect();
        assert_eq!(
            wrong,
            [
                None,
                Some("not bound: may run on 0-3"),
                Some("on other CPUs"),
                Some("on another host"),
                Some("has not reported"),
                Some("may only run on 2"),
                Some("is not in the mapping"),
            ]
        );
        assert_eq!(findings[6].rank, 7);
    }

    #[test]
    fn a_core_is_looked_up_on_its_host() {
        let mut text = "/sys/devices/system/cpu/online\t0-3\\n\n".to_string();
        for cpu in 0..4 {
            let folder = format!("/sys/devices/system/cpu/cpu{cpu}/topology");
            text += &format!("{folder}/core_id\t{}\\n\n", cpu / 2);
            text += &format!("{folder}/core_cpus_list\t{0}-{1}\\n\n", cpu / 2 * 2, cpu / 2 * 2 + 1);
        }
        let mut probe = Probe { ranks: vec![found(0, "a", &[2, 3])], ..Probe::default() };
        probe.nodes.insert("a".to_string(), text);
        let at = |core| {
            let seats = [Seat { host: "a".to_string(), core: Some(core), cpus: None }];
            judge(&seats, &probe).swap_remove(0).wrong
        };
        assert_eq!(at(1), None);
        assert_eq!(at(0).as_deref(), Some("on other CPUs"));
        assert_eq!(at(2).as_deref(), Some("the host has only 2 cores"));
    }
}
