//! Ranks that a user wants on a certain host.

use std::collections::HashMap;

use thiserror::Error;

use crate::mapping::Mapping;
use crate::objective::{CostTracker, Objective};
use crate::problem::Problem;
use crate::run::Run;
use crate::words::counted;

/// A rank that must be on a host.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pin {
    /// The rank.
    pub rank: u32,
    /// The host: an index of the machine's hosts.
    pub host: u32,
}

/// Why ranks cannot be pinned this way.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum PinError {
    /// The machine does not know hosts.
    #[error("ranks can be fixed to hosts only on a described machine (see `topoloom machine`)")]
    NoCluster,
    /// More ranks are pinned than the host has places.
    #[error(
        "{} fixed to {host}, which has only {} for ranks",
        counted(*ranks, "rank"), counted(*places, "place")
    )]
    TooMany {
        /// The host.
        host: String,
        /// How many places it has.
        places: usize,
        /// How many ranks are pinned to it.
        ranks: usize,
    },
}

/// Candidates to exchange a rank with: a limit, because large problems would take too long.
const MOST_CANDIDATES: usize = 4096;

/// A placement in which pinned ranks are on their hosts, made from `start`. Each goes there by the
/// cheapest exchange, alone or with its whole host. Then ranks are exchanged while there is a gain
/// and no pinned rank leaves its host. A placement that already obeys the pins never gets worse.
pub fn obey_pins(
    problem: &Problem,
    objective: &dyn Objective,
    start: &Mapping,
    pins: &[Pin],
    run: &mut Run,
) -> Result<Mapping, PinError> {
    let mut tracker = objective.track(problem, start);
    let mut pinned = Pinned::new(problem, pins, &mut *tracker)?;
    for pin in pins {
        pinned.bring_home(pin);
    }
    pinned.improve(problem, run);
    Ok(tracker.placement().mapping())
}

/// A changing placement, in which some ranks may not leave their hosts.
pub(super) struct Pinned<'a> {
    /// The host of each slot.
    hosts: Vec<u32>,
    slots_of_host: HashMap<u32, Vec<u32>>,
    host_of_rank: HashMap<u32, u32>,
    /// A rank that may not leave a slot.
    pub(super) fixed: Option<(u32, u32)>,
    pub(super) tracker: &'a mut dyn CostTracker,
}

impl<'a> Pinned<'a> {
    pub(super) fn new(
        problem: &Problem,
        pins: &[Pin],
        tracker: &'a mut dyn CostTracker,
    ) -> Result<Pinned<'a>, PinError> {
        let cluster = problem.machine().topology().cluster().ok_or(PinError::NoCluster)?;
        let hosts: Vec<u32> = cluster.places().iter().map(|place| place.host).collect();
        let mut slots_of_host: HashMap<u32, Vec<u32>> = HashMap::new();
        for (slot, &host) in (0..).zip(&hosts) {
            slots_of_host.entry(host).or_default().push(slot);
        }
        let host_of_rank: HashMap<u32, u32> = pins.iter().map(|pin| (pin.rank, pin.host)).collect();
        let mut ranks_of_host: HashMap<u32, usize> = HashMap::new();
        host_of_rank.values().for_each(|&host| *ranks_of_host.entry(host).or_default() += 1);
        for (&host, &ranks) in &ranks_of_host {
            let places = slots_of_host.get(&host).map_or(0, Vec::len);
            if ranks > places {
                let host = cluster.description().hosts[host as usize].name.clone();
                return Err(PinError::TooMany { host, places, ranks });
            }
        }
        Ok(Pinned { hosts, slots_of_host, host_of_rank, fixed: None, tracker })
    }

    /// Whether a rank or phantom may be in a slot.
    fn may_be_in(&self, rank: u32, slot: u32) -> bool {
        if self.fixed.is_some_and(|(fixed, place)| fixed == rank && place != slot) {
            return false;
        }
        self.host_of_rank.get(&rank).is_none_or(|&host| self.hosts[slot as usize] == host)
    }

    /// Brings a rank to its host by the cheapest exchange: with a rank there, or of all ranks on
    /// both hosts, which also brings its partners.
    fn bring_home(&mut self, pin: &Pin) {
        let slot = self.tracker.placement().slot_of(pin.rank);
        if self.may_be_in(pin.rank, slot) {
            return;
        }
        let single = self.best_exchange(pin);
        let all = self.exchange_of_hosts(self.hosts[slot as usize], pin.host);
        let before = self.tracker.cost();
        if !all.is_empty() {
            all.iter().for_each(|&(a, b)| self.tracker.swap(a, b));
            let added = self.tracker.cost() - before;
            if single.is_none_or(|(least, _)| added < least) {
                return;
            }
            all.iter().rev().for_each(|&(a, b)| self.tracker.swap(a, b));
        }
        if let Some((_, other)) = single {
            self.tracker.swap(pin.rank, other);
        }
    }

    /// The rank on the pin's host that is cheapest to exchange the pinned rank with, and what that
    /// adds.
    fn best_exchange(&mut self, pin: &Pin) -> Option<(f64, u32)> {
        let mut best: Option<(f64, u32)> = None;
        for &slot in &self.slots_of_host[&pin.host] {
            let other = self.tracker.placement().in_slot(slot);
            // A rank that belongs here stays.
            if self.host_of_rank.get(&other) == Some(&pin.host) {
                continue;
            }
            let delta = self.tracker.swap_delta(pin.rank, other);
            if best.is_none_or(|(least, _)| delta < least) {
                best = Some((delta, other));
            }
        }
        best
    }

    /// The ranks that change places if two hosts are exchanged; none if the hosts have different
    /// numbers of places, or if a rank is pinned to its present host.
    fn exchange_of_hosts(&self, a: u32, b: u32) -> Vec<(u32, u32)> {
        let (on_a, on_b) = (&self.slots_of_host[&a], &self.slots_of_host[&b]);
        let placement = self.tracker.placement();
        let is_home = |slot: u32| {
            let host = self.host_of_rank.get(&placement.in_slot(slot));
            host == Some(&self.hosts[slot as usize])
        };
        if on_a.len() != on_b.len() || on_a.iter().chain(on_b).any(|&slot| is_home(slot)) {
            return Vec::new();
        }
        let pairs = on_a.iter().zip(on_b);
        pairs.map(|(&one, &other)| (placement.in_slot(one), placement.in_slot(other))).collect()
    }

    /// Exchanges ranks while there is a gain.
    pub(super) fn improve(&mut self, problem: &Problem, run: &mut Run) {
        let ranks = problem.num_ranks() as u32;
        loop {
            let mut gained = false;
            for rank in 0..ranks {
                if !run.spend_long(1) {
                    return;
                }
                let mut best: Option<(f64, u32)> = None;
                for other in self.candidates(problem, rank) {
                    let placement = self.tracker.placement();
                    let (here, there) = (placement.slot_of(rank), placement.slot_of(other));
                    if !self.may_be_in(rank, there) || !self.may_be_in(other, here) {
                        continue;
                    }
                    let delta = self.tracker.swap_delta(rank, other);
                    if delta < 0.0 && best.is_none_or(|(least, _)| delta < least) {
                        best = Some((delta, other));
                    }
                }
                // A decrease due to rounding is not a gain, and could repeat forever.
                let least = -1e-9 * self.tracker.cost().abs();
                if let Some((_, other)) = best.filter(|&(delta, _)| delta < least) {
                    self.tracker.swap(rank, other);
                    gained = true;
                }
            }
            if !gained {
                return;
            }
        }
    }

    /// All if there are few, otherwise those on the hosts of the rank's partners.
    fn candidates(&self, problem: &Problem, rank: u32) -> Vec<u32> {
        let placement = self.tracker.placement();
        let count = placement.len() as u32;
        if count as usize <= MOST_CANDIDATES.min(512) {
            return (0..count).filter(|&other| other != rank).collect();
        }
        let partners = problem.graph().partners(rank).iter();
        let mut hosts: Vec<u32> =
            partners.map(|&other| self.hosts[placement.slot_of(other) as usize]).collect();
        hosts.sort_unstable();
        hosts.dedup();
        let slots = hosts.iter().flat_map(|host| &self.slots_of_host[host]);
        let others = slots.map(|&slot| placement.in_slot(slot)).filter(|&other| other != rank);
        others.take(MOST_CANDIDATES).collect()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::cluster::{Costs, Description, Hardware, Host, Network, Object, ObjectKind};
    use crate::objective::HopBytes;
    use crate::topology::Cluster;
    use crate::{Machine, Weight, parse_pattern, parse_strategy};

    /// Three hosts of four cores.
    fn problem(traffic: &str) -> Problem {
        let host = |name: &str| Host { name: name.into(), kind: 0, slots: None, group: None };
        let cluster = Cluster::new(Description {
            kinds: vec![Hardware::new(None, Object::flat_node(4))],
            network: Network::default(),
            hosts: ["a", "b", "c"].map(host).to_vec(),
            costs: Costs::default(),
            place: ObjectKind::Core,
            seats: Vec::new(),
        });
        let machine = Machine::with_topology("cluster:x", Arc::new(cluster.unwrap())).unwrap();
        Problem::new(parse_pattern(traffic).unwrap(), machine, Weight::Bytes).unwrap()
    }

    #[test]
    fn pinned_ranks_are_at_home_and_the_others_follow_them() {
        // A ring of 8 on two hosts crosses between them twice each way, wherever rank 0 is.
        let problem = problem("ring:8");
        let start = problem.mapping((0..8).collect()).unwrap();
        let pins = [Pin { rank: 0, host: 2 }];
        let found = obey_pins(&problem, &HopBytes, &start, &pins, &mut Run::new(1)).unwrap();
        assert_eq!(found.slots()[0] / 4, 2);
        assert_eq!(HopBytes.cost(&problem, &found), HopBytes.cost(&problem, &start));
    }

    #[test]
    fn pins_hold_whatever_the_start() {
        let problem = problem("random:ranks=12,degree=4,seed=3");
        let pins = [(3, 0), (4, 0), (5, 2), (0, 2), (11, 1)].map(|(rank, host)| Pin { rank, host });
        for seed in 0..8 {
            let random = parse_strategy("random").unwrap();
            let start = random.map(&problem, None, &mut Run::new(seed)).unwrap();
            let found = obey_pins(&problem, &HopBytes, &start, &pins, &mut Run::new(1)).unwrap();
            assert!(pins.iter().all(|pin| found.slots()[pin.rank as usize] / 4 == pin.host));
            // Again, from a placement that obeys the pins: never worse.
            let again = obey_pins(&problem, &HopBytes, &found, &pins, &mut Run::new(1)).unwrap();
            assert!(HopBytes.cost(&problem, &again) <= HopBytes.cost(&problem, &found));
        }
    }

    #[test]
    fn a_host_takes_no_more_than_it_has_places() {
        let problem = problem("ring:8");
        let start = problem.mapping((0..8).collect()).unwrap();
        let pins: Vec<Pin> = (0..5).map(|rank| Pin { rank, host: 1 }).collect();
        let refused = obey_pins(&problem, &HopBytes, &start, &pins, &mut Run::new(1)).unwrap_err();
        assert_eq!(refused.to_string(), "5 ranks fixed to b, which has only 4 places for ranks");
    }
}
