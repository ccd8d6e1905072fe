//! `asymmetric`: the heuristic based on bandwidths that differ by direction.

use std::collections::BTreeSet;

use topoloom_core::{Entry, NotApplicable, Run};

use crate::arrangement::Arrangement;
use crate::measure::Measure;
use crate::strategy::column_by_column::{self, Counts};
use crate::strategy::grid::{Direction, grid, linear_order, no_shape};
use crate::strategy::groups::Levels;
use crate::strategy::{Arranger, ArrangerBuilder, Form, Task};

/// Algorithm 3: a line of processors, those of a cluster beside each other, is folded into the rows and
/// columns that cost least; algorithm 2 puts them in order, which makes a new line; and so on until
/// nothing changes.
#[derive(Debug)]
struct Asymmetric;

impl Arranger for Asymmetric {
    fn arrange(
        &self,
        task: &Task,
        start: &Arrangement,
        run: &mut Run,
    ) -> Result<Arrangement, NotApplicable> {
        let Form::Grids(grids) = task.form else {
            return Err(NotApplicable(
                "it looks for rows and columns of equal cells, and these rectangles have the sizes \
                 of their processors' speeds; take bandwidth, or auto"
                    .to_string(),
            ));
        };
        let own;
        let measure = if task.measure.kind() == "asymmetric" {
            task.measure
        } else {
            own = Measure::asymmetric(task.platform, 1.0, false);
            &own
        };
        let shapes = grids.shapes(start.num_processors());
        if shapes.is_empty() {
            return Err(no_shape(&grids, start.num_processors()));
        }
        let cluster_of = measure.cluster_of();
        let mut line = linear_order(start, Direction::RowByRow);
        Levels::new(task.platform).gather(&mut line, |&processor| cluster_of[processor as usize]);
        let mut seen = BTreeSet::new();
        let mut best: Option<(f64, Arrangement, Vec<String>)> = None;
        // A line that comes again goes on as it did: a fixed point, or a circle.
        while seen.insert(line.clone()) {
            let mut folded: Option<(f64, Direction, Arrangement)> = None;
            for &shape in &shapes {
                for direction in [Direction::RowByRow, Direction::ColumnByColumn] {
                    let tried = grid(&grids, shape, direction, &line);
                    let cost = measure.cost(&tried).total();
                    if folded.as_ref().is_none_or(|(least, ..)| cost < *least) {
                        folded = Some((cost, direction, tried));
                    }
                }
            }
            let Some((cost, direction, folded)) = folded else { break };
            let mut part = run.part();
            let ordered =
                column_by_column::arrange(task.platform, measure, Counts::Both, &folded, &mut part);
            run.count(part.evaluations());
            line = linear_order(&ordered, direction);
            for (cost, found) in [(measure.cost(&ordered).total(), ordered), (cost, folded)] {
                if best.as_ref().is_none_or(|(least, ..)| cost < *least) {
                    best = Some((cost, found, part.notes().to_vec()));
                }
            }
            if !run.spend_long(2 * shapes.len() as u64) {
                break;
            }
        }
        let Some((_, found, notes)) = best else { return Ok(start.clone()) };
        for note in notes {
            run.note(note);
        }
        Ok(found)
    }
}

/// For those who build on it.
pub(super) const ARRANGER: &dyn Arranger = &Asymmetric;

pub(super) static ENTRY: Entry<ArrangerBuilder> = Entry {
    name: "asymmetric",
    summary: "rows and columns of equal cells by folding and reordering a line of processors (algorithm 3)",
    example: "asymmetric",
    parameters: &[],
    build: |spec| {
        spec.no_shape()?;
        Ok(Box::new(Asymmetric))
    },
};
