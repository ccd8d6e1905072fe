//! The best result of the heuristics, improved.

use topoloom_core::{Effort, NotApplicable, Run};

use super::amount::Amount;
use super::{columns, grids, parts};
use crate::arrangement::Arrangement;
use crate::strategy::{Arranger, Form, Task, asymmetric, bandwidth, exhaustive, gains, hop_count};

/// Up to this many processors, heuristics run to the end whatever the limits: they take at most a
/// second, and the result is never worse than that of any one of them.
const ALWAYS_TO_THE_END: usize = 2_000;

/// Improves the results of the published heuristics by exact orders of single columns, exchanges of
/// equal rectangles, and random changes that are kept if they lead to something better. It tries
/// all arrangements if they are few. Never worse than its start or any other strategy.
#[derive(Debug)]
pub(in crate::strategy) struct Auto {
    /// Random changes of each search; `None` for steps by effort.
    pub(in crate::strategy) rounds: Option<u64>,
    /// A strategy that runs at the end and whose result is improved too.
    pub(in crate::strategy) asks: Option<fn() -> Box<dyn Arranger>>,
}

/// Beyond this many processors, the total number of steps does not grow.
const MAX_COUNTED: u64 = 400;

impl Auto {
    fn amount(&self, effort: Effort, processors: usize) -> Amount {
        let steps_per_processor = match effort {
            Effort::Fast => 30_000,
            Effort::Eco => 250_000,
            Effort::Strong | Effort::Extreme => 5_000_000,
        };
        let steps = steps_per_processor * MAX_COUNTED.min(processors as u64);
        Amount { rounds: self.rounds, steps }
    }
}

impl Arranger for Auto {
    fn arrange(
        &self,
        task: &Task,
        start: &Arrangement,
        run: &mut Run,
    ) -> Result<Arrangement, NotApplicable> {
        let mut known = Vec::new();
        let heuristic = |heuristic: &dyn Arranger, run: &mut Run| {
            let mut part = run.part();
            if start.num_processors() <= ALWAYS_TO_THE_END {
                part = Run::new(run.seed());
            }
            let found = heuristic.arrange(task, start, &mut part);
            run.count(part.evaluations());
            found
        };
        let start_is_allowed = is_allowed(task, start);
        if start_is_allowed {
            known.push(start.clone());
            known.extend(heuristic(hop_count::ARRANGER, run));
            known.extend(heuristic(bandwidth::ARRANGER, run));
        }
        if task.form != Form::Columns {
            known.push(heuristic(asymmetric::ARRANGER, run)?);
        }
        let mut part = run.part();
        let all = exhaustive::search(task, start, exhaustive::MAX_WORK, &mut part);
        run.count(part.evaluations());
        let proven = all.is_ok() && !part.was_cut_short();
        known.extend(all);
        if !proven && !run.must_stop() {
            let amount = self.amount(run.effort(), start.num_processors());
            known.extend(match task.form {
                Form::Columns => columns::improve(task.measure, &known, amount, run),
                Form::Grids(grids) => grids::improve(task, &grids, start, &known, amount, run),
                Form::Parts(parts) => parts::improve(task, &parts, &known, amount, run),
            });
            if let Some(asked) = self.asks
                && start_is_allowed
                && !run.must_stop()
            {
                let mut part = run.part();
                let found = asked().arrange(task, start, &mut part);
                run.count(part.evaluations());
                known.extend(found.map(|found| columns::polish(task.measure, &found, run)));
            }
        }
        let mut best: Option<(f64, Arrangement)> = None;
        for found in known {
            let cost = task.measure.cost(&found).total();
            if best.as_ref().is_none_or(|(least, _)| gains(cost, *least)) {
                best = Some((cost, found));
            }
        }
        Ok(best.map_or_else(|| start.clone(), |(_, found)| found))
    }
}

/// Whether an arrangement may be the answer: it must be a grid of the wanted kind, or have parts in
/// proportion to the speeds of their processors.
fn is_allowed(task: &Task, arrangement: &Arrangement) -> bool {
    let grids = match task.form {
        Form::Columns => return true,
        Form::Grids(grids) => grids,
        Form::Parts(parts) => return parts::is_allowed(task, &parts, arrangement),
    };
    let columns = arrangement.columns();
    let shape = (columns[0].rectangles.len(), columns.len());
    let (height, width) = grids.cell(shape);
    grids.shapes(arrangement.num_processors()).contains(&shape)
        && columns.iter().all(|column| {
            column.width == width
                && column.rectangles.len() == shape.0
                && column.rectangles.iter().all(|rectangle| rectangle.height == height)
        })
}
