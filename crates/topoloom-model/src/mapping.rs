//! Which slot each rank runs in; a value of this type is always valid.

use thiserror::Error;

use crate::ids::{Rank, Slot, Vertex};
use crate::machine::Machine;
use crate::words::counted;

/// Why a list of slots is not a mapping.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum InvalidMapping {
    /// A slot that the machine does not have.
    #[error("rank {rank} is in slot {slot}, but the machine has slots 0 to {last}")]
    NoSuchSlot {
        /// The rank.
        rank: Rank,
        /// Its slot.
        slot: Slot,
        /// The highest slot.
        last: Slot,
    },
    /// Two ranks in one slot.
    #[error("ranks {first} and {second} are both in slot {slot}")]
    SlotTaken {
        /// The lower rank.
        first: Rank,
        /// The higher rank.
        second: Rank,
        /// The slot.
        slot: Slot,
    },
    /// More weight in a slot than it holds, if several ranks may share one.
    #[error("slot {slot} holds {weight}, but at most {capacity} is allowed")]
    SlotOverfull {
        /// The slot.
        slot: Slot,
        /// The weight of its ranks.
        weight: f64,
        /// The most weight it holds.
        capacity: f64,
    },
    /// The number of slots differs from the number of ranks.
    #[error("{} for {}", counted(*found, "slot"), counted(*expected, "rank"))]
    WrongLength {
        /// How many slots there are.
        found: usize,
        /// How many ranks there are.
        expected: usize,
    },
}

/// Which slot each rank runs in. Every slot exists and holds at most one rank, or, if the problem
/// allows sharing, no more weight than its capacity.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mapping {
    slot_of_rank: Vec<u32>,
    slots_per_node: u32,
}

impl Mapping {
    /// The mapping that puts rank r in `slot_of_rank[r]`, one rank per slot.
    pub fn new(slot_of_rank: Vec<u32>, machine: &Machine) -> Result<Mapping, InvalidMapping> {
        const FREE: u32 = u32::MAX;
        let mut rank_in_slot = vec![FREE; machine.num_slots()];
        for (rank, &slot) in slot_of_rank.iter().enumerate() {
            let Some(taken) = rank_in_slot.get_mut(slot as usize) else {
                return Err(no_such_slot(rank, slot, machine));
            };
            if *taken != FREE {
                let (first, second) = (Rank(*taken), Rank(rank as u32));
                return Err(InvalidMapping::SlotTaken { first, second, slot: Slot(slot) });
            }
            *taken = rank as u32;
        }
        Ok(Mapping { slot_of_rank, slots_per_node: machine.slots_per_node() })
    }

    /// The mapping that puts rank r in `slot_of_rank[r]`, where the ranks of a slot may have a
    /// total weight of up to `capacity`.
    pub fn shared(
        slot_of_rank: Vec<u32>,
        machine: &Machine,
        weight_of: impl Fn(usize) -> f64,
        capacity: f64,
    ) -> Result<Mapping, InvalidMapping> {
        let mut held = vec![0.0; machine.num_slots()];
        for (rank, &slot) in slot_of_rank.iter().enumerate() {
            let Some(held) = held.get_mut(slot as usize) else {
                return Err(no_such_slot(rank, slot, machine));
            };
            *held += weight_of(rank);
        }
        if let Some(slot) = held.iter().position(|&weight| weight > capacity) {
            let (slot, weight) = (Slot(slot as u32), held[slot]);
            return Err(InvalidMapping::SlotOverfull { slot, weight, capacity });
        }
        Ok(Mapping { slot_of_rank, slots_per_node: machine.slots_per_node() })
    }

    /// The number of ranks.
    pub fn num_ranks(&self) -> usize {
        self.slot_of_rank.len()
    }

    /// The slot of a rank.
    #[inline]
    pub fn slot_of(&self, rank: Rank) -> Slot {
        Slot(self.slot_of_rank[rank.index()])
    }

    /// The node of a rank.
    #[inline]
    pub fn node_of(&self, rank: Rank) -> Vertex {
        Vertex(self.slot_of_rank[rank.index()] / self.slots_per_node)
    }

    /// The slots of all ranks.
    pub fn slots(&self) -> &[u32] {
        &self.slot_of_rank
    }

    /// The nodes of all ranks.
    pub fn nodes(&self) -> Vec<u32> {
        self.slot_of_rank.iter().map(|slot| slot / self.slots_per_node).collect()
    }
}

fn no_such_slot(rank: usize, slot: u32, machine: &Machine) -> InvalidMapping {
    let last = Slot(machine.num_slots() as u32 - 1);
    InvalidMapping::NoSuchSlot { rank: Rank(rank as u32), slot: Slot(slot), last }
}

/// A mapping that is being changed. Each empty slot holds a phantom: a number beyond the last rank,
/// without partners. So moving a rank to an empty slot is an exchange like any other.
#[derive(Debug, Clone)]
pub struct Placement {
    slot_of: Vec<u32>,
    /// The node of each: a division for every access would cost more than the memory.
    node_of: Vec<u32>,
    in_slot: Vec<u32>,
    num_ranks: usize,
    slots_per_node: u32,
}

impl Placement {
    /// The placement of a mapping of one rank per slot. Phantoms take the free slots in rising
    /// order.
    pub fn new(mapping: &Mapping, machine: &Machine) -> Placement {
        let slots = machine.num_slots();
        let num_ranks = mapping.num_ranks();
        let mut in_slot = vec![u32::MAX; slots];
        for (rank, &slot) in mapping.slots().iter().enumerate() {
            in_slot[slot as usize] = rank as u32;
        }
        let mut slot_of = mapping.slots().to_vec();
        for (slot, occupant) in in_slot.iter_mut().enumerate() {
            if *occupant == u32::MAX {
                *occupant = slot_of.len() as u32;
                slot_of.push(slot as u32);
            }
        }
        let slots_per_node = machine.slots_per_node();
        let node_of = slot_of.iter().map(|slot| slot / slots_per_node).collect();
        Placement { slot_of, node_of, in_slot, num_ranks, slots_per_node }
    }

    /// The number of ranks and phantoms, which is the number of slots.
    pub fn len(&self) -> usize {
        self.slot_of.len()
    }

    /// Whether the machine has no slots at all. This is never true.
    pub fn is_empty(&self) -> bool {
        self.slot_of.is_empty()
    }

    /// The slot of a rank or phantom.
    #[inline]
    pub fn slot_of(&self, rank: u32) -> u32 {
        self.slot_of[rank as usize]
    }

    /// The node of a rank or phantom.
    #[inline]
    pub fn node_of(&self, rank: u32) -> u32 {
        self.node_of[rank as usize]
    }

    /// The nodes of ranks and phantoms.
    #[inline]
    pub fn nodes(&self) -> &[u32] {
        &self.node_of
    }

    /// The rank or phantom in a slot.
    #[inline]
    pub fn in_slot(&self, slot: u32) -> u32 {
        self.in_slot[slot as usize]
    }

    /// The ranks and phantoms on a node.
    #[inline]
    pub fn on_node(&self, node: u32) -> &[u32] {
        let first = node as usize * self.slots_per_node as usize;
        &self.in_slot[first..first + self.slots_per_node as usize]
    }

    /// The slots of ranks and phantoms.
    pub fn slots(&self) -> &[u32] {
        &self.slot_of
    }

    /// Exchanges two ranks or phantoms.
    #[inline]
    pub fn swap(&mut self, a: u32, b: u32) {
        self.slot_of.swap(a as usize, b as usize);
        self.node_of.swap(a as usize, b as usize);
        self.in_slot[self.slot_of[a as usize] as usize] = a;
        self.in_slot[self.slot_of[b as usize] as usize] = b;
    }

    /// Puts every rank and phantom where `slot_of` says, which must be a permutation of the slots.
    pub fn set(&mut self, slot_of: &[u32]) {
        self.slot_of.copy_from_slice(slot_of);
        for (rank, &slot) in slot_of.iter().enumerate() {
            self.in_slot[slot as usize] = rank as u32;
            self.node_of[rank] = slot / self.slots_per_node;
        }
        debug_assert!(self.is_permutation(), "the slots are a permutation");
    }

    /// The mapping of the ranks, without phantoms.
    pub fn mapping(&self) -> Mapping {
        Mapping {
            slot_of_rank: self.slot_of[..self.num_ranks].to_vec(),
            slots_per_node: self.slots_per_node,
        }
    }

    fn is_permutation(&self) -> bool {
        (0..self.slot_of.len()).all(|rank| self.in_slot[self.slot_of[rank] as usize] == rank as u32)
    }
}
