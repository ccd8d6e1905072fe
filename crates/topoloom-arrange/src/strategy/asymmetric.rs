//! `asymmetric`: the heuristic based on bandwidths that differ by direction.

use std::collections::BTreeSet;

use topoloom_core::{Entry, NotApplicable, Run};

use crate::arrangement::Arrangement;
use crate::measure::Measure;
use crate::partition::Cutter;
use crate::strategy::column_by_column::{self, Counts};
use crate::strategy::grid::{Direction, grid, linear_order, no_shape};
use crate::strategy::groups::Levels;
use crate::strategy::{Arranger, ArrangerBuilder, Form, Grids, Parts, Task, parts};

/// Algorithm 3: a line of processors, with those of a cluster side by side, is folded into the
/// cheapest rows and columns. Algorithm 2 puts them in order, which makes a new line. This is
/// repeated until nothing changes.
///
/// The thesis defines it for equal processors, and mentions unequal ones as future work. For those,
/// a line is folded into columns of rectangles in proportion to the speeds of the processors
/// ([`parts::foldings`]); the rest is the same.
#[derive(Debug)]
struct Asymmetric;

/// How lines of processors become rows and columns.
enum Folding<'a> {
    Grids(Grids, Vec<(usize, usize)>),
    Parts(Parts, Cutter<'a>),
}

impl<'a> Folding<'a> {
    fn new(task: &Task<'a>, processors: usize) -> Result<Self, NotApplicable> {
        match task.form {
            Form::Columns => Err(NotApplicable(
                "it chooses rows and columns, but the rows and columns of these rectangles are \
                 given; use bandwidth or auto"
                    .to_string(),
            )),
            Form::Grids(grids) => match grids.shapes(processors) {
                shapes if shapes.is_empty() => Err(no_shape(&grids, processors)),
                shapes => Ok(Folding::Grids(grids, shapes)),
            },
            Form::Parts(parts) => match Cutter::new(task.platform, parts.domain) {
                Ok(cutter) => Ok(Folding::Parts(parts, cutter)),
                Err(error) => Err(NotApplicable(error.to_string())),
            },
        }
    }

    /// Every way to fold a line.
    fn of(&self, line: &[u32]) -> Vec<(Direction, Arrangement)> {
        match self {
            Folding::Grids(grids, shapes) => {
                let directions = [Direction::RowByRow, Direction::ColumnByColumn];
                let ways = shapes.iter().flat_map(|&shape| directions.map(|way| (shape, way)));
                ways.map(|(shape, way)| (way, grid(grids, shape, way, line))).collect()
            }
            Folding::Parts(parts, cutter) => parts::foldings(parts, cutter, line),
        }
    }

    /// The processors in a line again.
    fn undone(&self, arrangement: &Arrangement, direction: Direction) -> Vec<u32> {
        match self {
            Folding::Grids(..) => linear_order(arrangement, direction),
            Folding::Parts(..) => parts::line_of(arrangement, direction),
        }
    }
}

impl Arranger for Asymmetric {
    fn arrange(
        &self,
        task: &Task,
        start: &Arrangement,
        run: &mut Run,
    ) -> Result<Arrangement, NotApplicable> {
        let folding = Folding::new(task, start.num_processors())?;
        let own;
        let measure = if task.measure.kind() == "asymmetric" {
            task.measure
        } else {
            own = Measure::asymmetric(task.platform, 1.0, false);
            &own
        };
        let cluster_of = measure.cluster_of();
        let mut line = folding.undone(start, Direction::RowByRow);
        Levels::new(task.platform).gather(&mut line, |&processor| cluster_of[processor as usize]);
        let mut seen = BTreeSet::new();
        let mut best: Option<(f64, Arrangement, Vec<String>)> = None;
        // A line that appears again would repeat the same steps: it is a fixed point or a cycle.
        while seen.insert(line.clone()) {
            let ways = folding.of(&line);
            let work = ways.len() as u64;
            let mut folded: Option<(f64, Direction, Arrangement)> = None;
            for (direction, tried) in ways {
                let cost = measure.cost(&tried).total();
                if folded.as_ref().is_none_or(|(least, ..)| cost < *least) {
                    folded = Some((cost, direction, tried));
                }
            }
            let Some((cost, direction, folded)) = folded else { break };
            let mut part = run.part();
            let ordered =
                column_by_column::arrange(task.platform, measure, Counts::Both, &folded, &mut part);
            run.count(part.evaluations());
            line = folding.undone(&ordered, direction);
            for (cost, found) in [(measure.cost(&ordered).total(), ordered), (cost, folded)] {
                if best.as_ref().is_none_or(|(least, ..)| cost < *least) {
                    best = Some((cost, found, part.notes().to_vec()));
                }
            }
            if !run.spend_long(work) {
                break;
            }
        }
        let Some((_, found, notes)) = best else {
            return Err(match task.form {
                Form::Parts(parts) => parts::no_columns(&parts, start.num_processors()),
                _ => NotApplicable("there is no way to fold these processors".to_string()),
            });
        };
        for note in notes {
            run.note(note);
        }
        Ok(found)
    }
}

/// For strategies that build on it.
pub(super) const ARRANGER: &dyn Arranger = &Asymmetric;

pub(super) static ENTRY: Entry<ArrangerBuilder> = Entry {
    name: "asymmetric",
    summary: "rows and columns by folding and reordering a line of processors (algorithm 3)",
    example: "asymmetric",
    parameters: &[],
    build: |spec| {
        spec.no_shape()?;
        Ok(Box::new(Asymmetric))
    },
};
