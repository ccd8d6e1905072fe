//! `auto`: the best of everything, improved.

mod columns;
mod grids;

use topoloom_core::{Effort, Entry, NotApplicable, Parameter, Run, SpecError};

use crate::arrangement::Arrangement;
use crate::strategy::{
    Arranger, ArrangerBuilder, Form, Task, asymmetric, bandwidth, exhaustive, gains, hop_count,
};

/// Up to so many steps, all arrangements are looked at.
const MAX_EXHAUSTIVE_WORK: f64 = 5e7;

/// Takes what the published heuristics find and improves it: exact orders of single columns, exchanges of
/// equal rectangles, and random changes that are kept if they lead to something better. It looks
/// at all arrangements if they are few. Never worse than its start or any of the heuristics.
#[derive(Debug)]
struct Auto {
    /// Random changes of each search, or as many as the effort says.
    rounds: Option<u64>,
}

impl Auto {
    fn rounds(&self, effort: Effort) -> u64 {
        self.rounds.unwrap_or(match effort {
            Effort::Fast => 200,
            Effort::Eco => 1_500,
            Effort::Strong => 20_000,
        })
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
        if is_allowed(task, start) {
            known.push(start.clone());
            for heuristic in [hop_count::ARRANGER, bandwidth::ARRANGER] {
                let mut part = run.part();
                known.extend(heuristic.arrange(task, start, &mut part).ok());
                run.count(part.evaluations());
            }
        }
        if let Form::Grids(_) = task.form {
            let mut part = run.part();
            known.push(asymmetric::ARRANGER.arrange(task, start, &mut part)?);
            run.count(part.evaluations());
        }
        let mut part = run.part();
        let all = exhaustive::search(task, start, MAX_EXHAUSTIVE_WORK, &mut part);
        run.count(part.evaluations());
        match all {
            Ok(found) if !part.was_cut_short() => known.push(found),
            _ if run.must_stop() => {}
            _ => {
                let rounds = self.rounds(run.effort());
                known.extend(match task.form {
                    Form::Columns => columns::improve(task.measure, &known, rounds, run),
                    Form::Grids(grids) => grids::improve(task, &grids, start, &known, rounds, run),
                });
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

/// Whether an arrangement may be the answer: not if it is no grid of the kind that is wanted.
fn is_allowed(task: &Task, arrangement: &Arrangement) -> bool {
    let Form::Grids(grids) = task.form else { return true };
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

pub(super) static ENTRY: Entry<ArrangerBuilder> = Entry {
    name: "auto",
    summary: "the best of the heuristics, improved by exact orders, exchanges and random changes",
    example: "auto",
    parameters: &[Parameter {
        name: "rounds",
        default: "200, 1500 or 20000 by effort",
        summary: "random changes of each search",
    }],
    build: |spec| {
        spec.no_shape()?;
        let rounds = spec.get::<u64>("rounds", "a number of rounds")?;
        if rounds.is_some_and(|rounds| rounds > 1_000_000_000) {
            return Err(SpecError::new("auto: expected at most 1000000000 rounds"));
        }
        Ok(Box::new(Auto { rounds }))
    },
};
