//! Processors of different speed moved from column to column.

use topoloom_core::Run;
use topoloom_core::random::{Stream, below, stream};

use super::amount::Amount;
use super::columns;
use crate::arrangement::Arrangement;
use crate::measure::Measure;
use crate::partition::Cutter;
use crate::strategy::{Parts, Task, gains};

/// How much worse than the best one a new arrangement may be at the beginning, as a share.
const TOLERANCE: f64 = 0.05;

/// One in this many of the steps is for moves from column to column; the rest is for orders.
const MOVES: u64 = 2;

/// Whether every part has the size that its processor gets in its column.
pub(super) fn is_allowed(task: &Task, parts: &Parts, arrangement: &Arrangement) -> bool {
    let cut = Cutter::new(task.platform, parts.domain).and_then(|c| c.cut(&members(arrangement)));
    parts.allow(arrangement.columns().iter().map(|column| column.rectangles.len()))
        && cut.is_ok_and(|cut| cut == *arrangement)
}

/// Which processors are in each column.
fn members(arrangement: &Arrangement) -> Vec<Vec<u32>> {
    let column = |column: &crate::Column| column.rectangles.iter().map(|r| r.processor).collect();
    arrangement.columns().iter().map(column).collect()
}

/// Improves the orders of the known arrangements, and moves processors of the best one from column
/// to column.
pub(super) fn improve(
    task: &Task,
    parts: &Parts,
    known: &[Arrangement],
    amount: Amount,
    run: &mut Run,
) -> Vec<Arrangement> {
    let of_orders = Amount { steps: amount.steps / MOVES, ..amount };
    let mut found = columns::improve(task.measure, known, of_orders, run);
    let cost = |arrangement: &&Arrangement| task.measure.cost(arrangement).total();
    let best = found.iter().chain(known).min_by(|a, b| cost(a).total_cmp(&cost(b)));
    if let (Some(best), Ok(cutter)) = (best, Cutter::new(task.platform, parts.domain)) {
        let best = best.clone();
        let search = Search { measure: task.measure, parts, cutter };
        let rng = stream(run.seed(), &[0x7061_7274]);
        found.push(search.run(best, amount, rng, run));
    }
    found
}

struct Search<'a> {
    measure: &'a Measure,
    parts: &'a Parts,
    cutter: Cutter<'a>,
}

impl Search<'_> {
    /// Random moves, each followed by an improvement of the orders; worse ones are accepted less
    /// and less often.
    fn run(
        &self,
        start: Arrangement,
        amount: Amount,
        mut rng: Stream,
        run: &mut Run,
    ) -> Arrangement {
        let cost = |arrangement: &Arrangement| self.measure.cost(arrangement).total();
        let mut best = (cost(&start), start.clone());
        let mut current = best.clone();
        let steps = amount.steps / MOVES;
        let (begin, mut rounds) = (run.evaluations(), 0);
        loop {
            let spent = run.evaluations() - begin;
            let done = match amount.rounds {
                Some(0) => 1.0,
                Some(most) => rounds as f64 / most as f64,
                None => spent as f64 / steps.max(1) as f64,
            };
            if done >= 1.0 || !run.spend(current.1.num_processors() as u64) {
                return best.1;
            }
            rounds += 1;
            let Some(moved) = self.moved(&members(&current.1), &mut rng) else { continue };
            let Ok(cut) = self.cutter.cut(&moved) else { continue };
            let polished = columns::polish(self.measure, &cut, run);
            let new = cost(&polished);
            if new <= best.0 * (1.0 + TOLERANCE * (1.0 - done)) {
                current = (new, polished.clone());
            }
            if gains(new, best.0) {
                best = (new, polished);
            }
        }
    }

    /// The same with two processors exchanged or one moved, if that is allowed and changes something.
    fn moved(&self, columns: &[Vec<u32>], rng: &mut Stream) -> Option<Vec<Vec<u32>>> {
        let mut moved = columns.to_vec();
        let number = columns.len() as u32;
        let from = below(rng, number) as usize;
        let at = below(rng, columns[from].len() as u32) as usize;
        // One more than the number of columns means a new one.
        let to = below(rng, number + 1) as usize;
        let exchanges = below(rng, 2) == 0;
        if exchanges {
            let other = below(rng, columns.get(to)?.len() as u32) as usize;
            let (one, second) = (columns[from][at], columns[to][other]);
            let classes = self.cutter.classes();
            if from == to || classes[one as usize] == classes[second as usize] {
                return None;
            }
            moved[from][at] = second;
            moved[to][other] = one;
            return Some(moved);
        }
        if from == to {
            return None;
        }
        let processor = moved[from].remove(at);
        match moved.get_mut(to) {
            Some(column) => {
                let place = below(rng, column.len() as u32 + 1) as usize;
                column.insert(place, processor);
            }
            None => {
                let place = below(rng, number + 1) as usize;
                moved.insert(place, vec![processor]);
            }
        }
        moved.retain(|column| !column.is_empty());
        self.parts.allow(moved.iter().map(Vec::len)).then_some(moved)
    }
}
