//! Seats of a job inside a node: each is in the smallest part that holds all of its CPUs.

use std::collections::{HashMap, HashSet};

use super::error::ClusterError;
use super::part::Part;
use super::place::Place;
use crate::cluster::{Object, ObjectKind, Seat};

/// The cores of a node in the order of the hardware.
struct Cores {
    /// The CPUs of each core.
    cpus_of: Vec<Vec<u32>>,
    /// The core of each CPU.
    core_of: HashMap<u32, u32>,
}

impl Cores {
    fn of(node: &Object) -> Cores {
        let mut cores = Cores { cpus_of: Vec::new(), core_of: HashMap::new() };
        cores.add(node);
        cores
    }

    fn add(&mut self, object: &Object) {
        if object.kind == ObjectKind::Core {
            let cpus = object.cpus();
            let number = self.cpus_of.len() as u32;
            self.core_of.extend(cpus.iter().map(|&cpu| (cpu, number)));
            self.cpus_of.push(cpus);
        } else {
            object.children.iter().for_each(|child| self.add(child));
        }
    }

    /// What a rank in a seat gets.
    fn place(&self, seat: &Seat, host: &str) -> Result<Place, ClusterError> {
        if !seat.is_bound() {
            let mut cpus: Vec<u32> = self.cpus_of.concat();
            cpus.sort_unstable();
            let cores = (0..self.cpus_of.len() as u32).collect();
            return Ok(Place { host: 0, core: None, cores, cpus, gpu: seat.gpu });
        }
        let core_of = |cpu: &u32| {
            let missing = || ClusterError::NoCpu { host: host.to_string(), cpu: *cpu };
            self.core_of.get(cpu).copied().ok_or_else(missing)
        };
        let mut cores = seat.cpus.iter().map(core_of).collect::<Result<Vec<u32>, _>>()?;
        cores.sort_unstable();
        cores.dedup();
        let core = cores.first().copied();
        let threads: usize = cores.iter().map(|&core| self.cpus_of[core as usize].len()).sum();
        if threads != seat.cpus.len() {
            cores.clear();
        }
        Ok(Place { host: 0, core, cores, cpus: seat.cpus.clone(), gpu: seat.gpu })
    }
}

/// The parts of a node that have seats in them. Seats come with their numbers.
pub(super) fn around(
    node: &Object,
    host: &str,
    seats: &[(u32, &Seat)],
) -> Result<Part, ClusterError> {
    if seats.is_empty() {
        return Err(ClusterError::NoSeat(host.to_string()));
    }
    let cores = Cores::of(node);
    let mut leaves = Vec::with_capacity(seats.len());
    for &(number, seat) in seats {
        leaves.push((seat, number, cores.place(seat, host)?));
    }
    Ok(part(node, leaves))
}

/// A part with these seats in it. All of them fit into it.
fn part(object: &Object, mut seats: Vec<(&Seat, u32, Place)>) -> Part {
    let mut parts = Vec::new();
    // Threads of a core are as close as possible: cores have no parts here.
    let inner = object.children.iter().filter(|_| object.kind != ObjectKind::Core);
    for child in inner {
        let cpus: HashSet<u32> = child.cpus().into_iter().collect();
        let fits = |seat: &Seat| seat.is_bound() && seat.cpus.iter().all(|cpu| cpus.contains(cpu));
        let (inside, outside) = seats.into_iter().partition(|(seat, ..)| fits(seat));
        seats = outside;
        let inside: Vec<(&Seat, u32, Place)> = inside;
        if !inside.is_empty() {
            parts.push(part(child, inside));
        }
    }
    // The kind of a seat does not matter, but only hosts are nodes.
    parts.extend(seats.into_iter().map(|(_, number, place)| Part {
        kind: ObjectKind::Core,
        parts: Vec::new(),
        place: Some(place),
        seat: Some(number),
    }));
    Part { kind: object.kind, parts, place: None, seat: None }
}
