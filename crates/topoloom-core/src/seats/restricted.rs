//! A problem on some seats of a cluster only.

use std::collections::HashMap;
use std::sync::Arc;

use thiserror::Error;

use crate::cluster::{Description, Seat};
use crate::machine::Machine;
use crate::mapping::Mapping;
use crate::problem::{Problem, ProblemError};
use crate::topology::Cluster;

/// Why a problem cannot be restricted to seats.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum NotAPlace {
    /// The machine does not know hosts.
    #[error("seats can be chosen only on a described machine (see `topoloom machine`)")]
    NoCluster,
    /// A seat that is not a place of the machine.
    #[error("a seat on {host} with {cpus} is not a place of the machine")]
    NoSuchPlace {
        /// The host.
        host: String,
        /// Its CPUs.
        cpus: String,
    },
    /// Seats that do not make a machine.
    #[error("{0}")]
    Machine(String),
    /// Too few seats.
    #[error(transparent)]
    Problem(#[from] ProblemError),
}

/// A problem whose ranks may only use some seats of a cluster.
#[derive(Debug)]
pub struct Restricted {
    /// The problem on the seats only; its slots are the seats.
    pub problem: Problem,
    /// For each slot, its slot on the whole machine.
    slots: Vec<u32>,
}

impl Restricted {
    /// The problem on these seats, each of which is a place of its machine.
    pub fn new(problem: &Problem, seats: &[Seat]) -> Result<Restricted, NotAPlace> {
        let machine = problem.machine();
        let cluster = machine.topology().cluster().ok_or(NotAPlace::NoCluster)?;
        let whole = cluster.description();
        let used: Vec<u32> = (0..whole.hosts.len() as u32)
            .filter(|host| seats.iter().any(|seat| seat.host == *host))
            .collect();
        let number: HashMap<u32, u32> = used.iter().copied().zip(0..).collect();
        let seat = |seat: &Seat| Seat { host: number[&seat.host], ..seat.clone() };
        let description = Description {
            seats: seats.iter().map(seat).collect(),
            ..whole.clone().with_hosts(&used)
        };
        let of_job =
            Cluster::new(description).map_err(|error| NotAPlace::Machine(error.to_string()))?;
        let mut nodes: HashMap<(u32, &[u32]), Vec<u32>> = HashMap::new();
        for (node, place) in cluster.places().iter().enumerate().rev() {
            nodes.entry((place.host, &place.cpus[..])).or_default().push(node as u32);
        }
        let mut slots = vec![0; seats.len()];
        for (seat, &node) in seats.iter().zip(of_job.node_of_seat()) {
            let place = &of_job.places()[node as usize];
            let missing = || NotAPlace::NoSuchPlace {
                host: whole.hosts[seat.host as usize].name.clone(),
                cpus: place.cpus_in_words(),
            };
            let there = nodes.get_mut(&(seat.host, &place.cpus[..])).and_then(Vec::pop);
            slots[node as usize] = there.ok_or_else(missing)?;
        }
        let topology = Arc::new(of_job);
        let routed = |of_job: Machine| match machine.routing().name() {
            none if none == "none" || !of_job.topology().is_wired() => Ok(of_job),
            name => of_job.with_routing(&name),
        };
        let machine = Machine::with_topology(machine.spec(), topology)
            .and_then(routed)
            .map_err(|error| NotAPlace::Machine(error.to_string()))?;
        let problem = Problem::new(problem.traffic().clone(), machine, problem.weight())?;
        Ok(Restricted { problem, slots })
    }

    /// A placement on the seats as one on the whole machine.
    pub fn on_the_whole(&self, mapping: &Mapping, problem: &Problem) -> Mapping {
        let slots = mapping.slots().iter().map(|&slot| self.slots[slot as usize]).collect();
        problem.mapping(slots).expect("each seat is a slot of the whole machine")
    }

    /// A placement on the whole machine as one on the seats, if it uses no others.
    pub fn on_the_seats(&self, mapping: &Mapping) -> Option<Mapping> {
        let seat_of: HashMap<u32, u32> = self.slots.iter().copied().zip(0..).collect();
        let slots: Option<Vec<u32>> =
            mapping.slots().iter().map(|slot| seat_of.get(slot).copied()).collect();
        self.problem.mapping(slots?).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cluster::{Costs, Hardware, Host, Network, Object, ObjectKind, SeatRules};
    use crate::objective::{HopBytes, Objective};
    use crate::{Run, Weight, parse_pattern, parse_strategy};

    #[test]
    fn a_placement_costs_the_same_on_the_seats_and_on_the_whole() {
        let host = |name: &str| Host { name: name.into(), kind: 0, slots: None, group: None };
        let description = Description {
            kinds: vec![Hardware::new(None, Object::flat_node(8))],
            network: Network::default(),
            hosts: ["a", "b", "c", "d"].map(host).to_vec(),
            costs: Costs::default(),
            place: ObjectKind::Core,
            seats: Vec::new(),
        };
        let rules = SeatRules { ranks_per_node: Some(4..=4), ..SeatRules::default() };
        let seats = rules.choose(&description, 12).unwrap();
        let cluster = Arc::new(Cluster::new(description).unwrap());
        let machine = Machine::with_topology("cluster:x", cluster).unwrap();
        let traffic = parse_pattern("stencil:3x4").unwrap();
        let problem = Problem::new(traffic, machine, Weight::Bytes).unwrap();
        let restricted = Restricted::new(&problem, &seats).unwrap();
        assert_eq!(restricted.problem.num_slots(), 12);
        let strategy = parse_strategy("auto").unwrap();
        let found = strategy.map(&restricted.problem, None, &mut Run::new(1)).unwrap();
        let whole = restricted.on_the_whole(&found, &problem);
        let cost = HopBytes.cost(&restricted.problem, &found);
        assert_eq!(cost, HopBytes.cost(&problem, &whole));
        assert_eq!(restricted.on_the_seats(&whole), Some(found));
        let hosts: Vec<u32> = whole.nodes().iter().map(|node| node / 8).collect();
        assert!(
            (0..3).all(|host| hosts.iter().filter(|&&on| on == host).count() == 4),
            "{hosts:?}"
        );
        // A thirteenth rank has no seat.
        assert!(Restricted::new(&problem, &seats[..11]).is_err());
    }
}
