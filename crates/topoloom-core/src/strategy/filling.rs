//! Puts ordered ranks into ordered slots; several per slot if the problem allows it.

use super::definition::NotApplicable;
use crate::mapping::Mapping;
use crate::problem::Problem;
use crate::words::counted;

/// Puts `ranks` in their order into `slots` in theirs: one each or, if slots are shared, in
/// consecutive blocks of nearly equal weight. If weights are too uneven for that, slots are filled
/// one after the other. As a last resort, the heaviest ranks go first wherever there is room.
pub(super) fn fill(
    problem: &Problem,
    ranks: impl ExactSizeIterator<Item = u32> + Clone,
    slots: &[u32],
) -> Result<Mapping, NotApplicable> {
    let mut slot_of = vec![0; problem.num_ranks()];
    let Some(sharing) = problem.sharing() else {
        ranks.zip(slots).for_each(|(rank, &slot)| slot_of[rank as usize] = slot);
        return problem.mapping(slot_of).map_err(|reason| NotApplicable(reason.to_string()));
    };
    for attempt in [equal_blocks, full_slots, heaviest_first] {
        let order: Vec<u32> = ranks.clone().collect();
        attempt(problem, sharing.slot_capacity, &order, slots, &mut slot_of);
        if let Ok(mapping) = problem.mapping(slot_of.clone()) {
            return Ok(mapping);
        }
    }
    Err(NotApplicable(format!(
        "found no way to put ranks of such different weights into {} of capacity {}",
        counted(slots.len(), "slot"),
        sharing.slot_capacity
    )))
}

/// All ranks are laid out over the slots in a row; each goes to the slot that contains its middle.
fn equal_blocks(
    problem: &Problem,
    _capacity: f64,
    ranks: &[u32],
    slots: &[u32],
    slot_of: &mut [u32],
) {
    if ranks.len() <= slots.len() {
        ranks.iter().zip(slots).for_each(|(&rank, &slot)| slot_of[rank as usize] = slot);
        return;
    }
    if problem.traffic().rank_weights().is_none() {
        // With whole numbers no block gets more than its share rounded up.
        for (position, &rank) in ranks.iter().enumerate() {
            slot_of[rank as usize] = slots[position * slots.len() / ranks.len()];
        }
        return;
    }
    let total: f64 = ranks.iter().map(|&rank| problem.rank_weight(rank)).sum();
    let mut before = 0.0;
    for &rank in ranks {
        let weight = problem.rank_weight(rank);
        let place = (before + weight / 2.0) / total * slots.len() as f64;
        slot_of[rank as usize] = slots[(place as usize).min(slots.len() - 1)];
        before += weight;
    }
}

/// A slot takes ranks until the next does not fit.
fn full_slots(problem: &Problem, capacity: f64, ranks: &[u32], slots: &[u32], slot_of: &mut [u32]) {
    let (mut place, mut held) = (0, 0.0);
    for &rank in ranks {
        let weight = problem.rank_weight(rank);
        if held + weight > capacity && place + 1 < slots.len() {
            (place, held) = (place + 1, 0.0);
        }
        held += weight;
        slot_of[rank as usize] = slots[place];
    }
}

/// First fit, in descending order of weight.
fn heaviest_first(
    problem: &Problem,
    capacity: f64,
    ranks: &[u32],
    slots: &[u32],
    slot_of: &mut [u32],
) {
    let mut order = ranks.to_vec();
    order.sort_by(|&a, &b| problem.rank_weight(b).total_cmp(&problem.rank_weight(a)));
    let mut room = Room::new(slots.len(), capacity);
    for rank in order {
        let weight = problem.rank_weight(rank);
        // If there is no room, the last slot is overloaded and the mapping is refused.
        let place = room.first_with(weight).unwrap_or(slots.len() - 1);
        room.take(place, weight);
        slot_of[rank as usize] = slots[place];
    }
}

/// The room left in each place, and a tree of the maxima above it.
struct Room {
    leaves: usize,
    rest: Vec<f64>,
}

impl Room {
    fn new(places: usize, capacity: f64) -> Self {
        let leaves = places.next_power_of_two();
        let mut rest = vec![f64::NEG_INFINITY; 2 * leaves];
        rest[leaves..leaves + places].fill(capacity);
        for inner in (1..leaves).rev() {
            rest[inner] = rest[2 * inner].max(rest[2 * inner + 1]);
        }
        Room { leaves, rest }
    }

    fn first_with(&self, weight: f64) -> Option<usize> {
        if self.rest[1] < weight {
            return None;
        }
        let mut at = 1;
        while at < self.leaves {
            at = if self.rest[2 * at] >= weight { 2 * at } else { 2 * at + 1 };
        }
        Some(at - self.leaves)
    }

    fn take(&mut self, place: usize, weight: f64) {
        let mut at = place + self.leaves;
        self.rest[at] -= weight;
        while at > 1 {
            at /= 2;
            self.rest[at] = self.rest[2 * at].max(self.rest[2 * at + 1]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Machine, TrafficBuilder, Weight};

    fn filled(weights: &[f64], slots: u32, imbalance: f64) -> Result<Vec<u32>, NotApplicable> {
        let mut builder = TrafficBuilder::new(weights.len() as u32);
        builder.set_rank_weights(weights.to_vec());
        let machine = Machine::parse(&format!("mesh:{slots}")).unwrap();
        let problem =
            Problem::with_imbalance(builder.build(), machine, Weight::Bytes, Some(imbalance));
        let order: Vec<u32> = (0..slots).collect();
        let mapping = fill(&problem.unwrap(), 0..weights.len() as u32, &order)?;
        Ok(mapping.slots().to_vec())
    }

    #[test]
    fn blocks_are_of_nearly_equal_weight() {
        assert_eq!(filled(&[1.0; 7], 3, 0.0).unwrap(), [0, 0, 1, 1, 1, 2, 2]);
        assert_eq!(filled(&[3.0, 1.0, 1.0, 1.0, 3.0], 3, 0.0).unwrap(), [0, 1, 1, 1, 2]);
    }

    #[test]
    fn lumpy_weights_fall_back_to_the_heaviest_first() {
        // 3 slots of 4: in order, 1 3, 2 2, 2 and 2 would fit, but 1 2 3 2 2 2 does not.
        let slots = filled(&[1.0, 2.0, 3.0, 2.0, 2.0, 2.0], 3, 0.0).unwrap();
        let held = |slot: u32| -> f64 {
            let weights = [1.0, 2.0, 3.0, 2.0, 2.0, 2.0];
            slots.iter().zip(weights).filter(|&(&s, _)| s == slot).map(|(_, w)| w).sum()
        };
        assert_eq!([held(0), held(1), held(2)], [4.0, 4.0, 4.0]);
    }

    #[test]
    fn what_does_not_fit_is_refused_in_words() {
        // 6 on 2 slots is 3 each, and no two of 2 share one.
        let reason = filled(&[2.0, 2.0, 2.0], 2, 0.0).unwrap_err().0;
        assert_eq!(
            reason,
            "found no way to put ranks of such different weights into 2 slots of capacity 3"
        );
    }
}
