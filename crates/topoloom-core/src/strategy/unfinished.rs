//! The result of a strategy that a limit stopped before it had a complete placement.

use super::definition::{NotApplicable, Strategy};
use super::in_order::InOrder;
use crate::mapping::Mapping;
use crate::problem::Problem;
use crate::run::Run;
use crate::words::counted;

/// The slot of a rank that has none yet.
pub(super) const NOWHERE: u32 = u32::MAX;

/// Ranks in order, for a strategy that has nothing else yet.
pub(super) fn in_order_instead(
    name: &str,
    problem: &Problem,
    run: &mut Run,
) -> Result<Mapping, NotApplicable> {
    run.cut_short();
    run.note(format!("{name}: stopped before it found a placement; the ranks are in order"));
    InOrder.map(problem, None, run)
}

/// Gives the free slots to the ranks that are `NOWHERE`, both in order.
pub(super) fn fill_up(name: &str, slot_of: &mut [u32], problem: &Problem, run: &mut Run) {
    let mut taken = vec![false; problem.num_slots()];
    for &slot in slot_of.iter().filter(|&&slot| slot != NOWHERE) {
        taken[slot as usize] = true;
    }
    let mut free = (0..).zip(taken).filter(|&(_, taken)| !taken).map(|(slot, _)| slot);
    let mut filled = 0;
    for slot in slot_of.iter_mut().filter(|slot| **slot == NOWHERE) {
        *slot = free.next().expect("there are slots for all ranks");
        filled += 1;
    }
    run.cut_short();
    run.note(format!(
        "{name}: stopped early; {filled} of {} placed in the free slots, in order",
        counted(slot_of.len(), "rank")
    ));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Machine, Weight, parse_pattern};

    #[test]
    fn ranks_without_a_slot_get_the_free_ones_in_order_and_a_note_says_so() {
        let machine = Machine::parse("mesh:5").unwrap();
        let problem = Problem::new(parse_pattern("ring:4").unwrap(), machine, Weight::Bytes);
        let mut slots = [NOWHERE, 0, NOWHERE, 2];
        let mut run = Run::new(1);
        fill_up("greedy", &mut slots, &problem.unwrap(), &mut run);
        assert_eq!(slots, [1, 0, 3, 2]);
        assert!(run.was_cut_short());
        let note = "greedy: stopped early; 2 of 4 ranks placed in the free slots, in order";
        assert_eq!(run.notes(), [note]);
    }
}
