//! `shared-links`: minimises the load of the busiest link between two clusters.

mod loads;

use rand::RngExt;
use topoloom_core::random::{Stream, below, stream};
use topoloom_core::{Effort, Entry, NotApplicable, Parameter, Run, SpecError};

use super::auto::Auto;
use super::{Arranger, ArrangerBuilder, Task, bandwidth, gains};
use crate::arrangement::Arrangement;
use crate::measure::Measure;
use loads::{Change, Loads};

/// Temperatures at the beginning and at the end, as fractions of the initial cost.
const HEAT: (f64, f64) = (0.03, 0.0003);

/// The changes between two full counts, which remove rounding errors.
const CHANGES_BETWEEN_COUNTS: u64 = 10_000;

/// The published costs add up the times of all rings, as if one came after the other. But rings run
/// at the same time, and all of them wait for the busiest link. Orders are changed at random, by
/// annealing on a mean of the link loads that is dominated by the highest ones.
#[derive(Debug, Default)]
pub(super) struct SharedLinks {
    changes: Option<u64>,
}

impl SharedLinks {
    fn changes(&self, effort: Effort) -> u64 {
        self.changes.unwrap_or(match effort {
            Effort::Fast => 100_000,
            Effort::Eco => 500_000,
            Effort::Strong | Effort::Extreme => 5_000_000,
        })
    }
}

impl Arranger for SharedLinks {
    fn arrange(
        &self,
        task: &Task,
        start: &Arrangement,
        run: &mut Run,
    ) -> Result<Arrangement, NotApplicable> {
        let measure = match task.measure.kind() {
            "hops" => Measure::bandwidth(task.platform, 512.0),
            _ => task.measure.clone(),
        };
        let task = Task { measure: &measure, ..*task };
        let mut known = Vec::new();
        let auto = Auto { rounds: Some(100), asks: None };
        for arranger in [bandwidth::ARRANGER as &dyn Arranger, &auto] {
            let mut part = run.part();
            known.extend(arranger.arrange(&task, start, &mut part).ok());
            run.count(part.evaluations());
        }
        let mut best = (measure.busiest(start), start.clone());
        for arrangement in known {
            let busiest = measure.busiest(&arrangement);
            if gains(busiest, best.0) {
                best = (busiest, arrangement);
            }
        }
        let rng = stream(run.seed(), &[0x6c69_6e6b]);
        let changes = self.changes(run.effort());
        let found = anneal(&measure, &best.1, changes, rng, run);
        Ok(if gains(measure.busiest(&found), best.0) { found } else { best.1 })
    }
}

/// Changes orders at random; returns the order with the smallest load of the busiest link.
fn anneal(
    measure: &Measure,
    start: &Arrangement,
    changes: u64,
    mut rng: Stream,
    run: &mut Run,
) -> Arrangement {
    let mut loads = Loads::new(measure, start);
    let mut cost = loads.mean();
    let mut best = (loads.busiest(), loads.clone());
    let (first, last) = (cost * HEAT.0, cost * HEAT.1);
    let largest_ratio = loads.largest_ratio();
    for number in 0..changes {
        if cost <= 0.0 || !run.spend(1) {
            break;
        }
        let heat = first * (last / first).powf(number as f64 / changes as f64);
        let Some(change) = random_change(&loads, &mut rng) else { continue };
        loads.apply(change);
        let new = loads.mean();
        if new > cost && rng.random::<f64>() >= ((cost - new) / heat).exp() {
            loads.apply(change.undone());
            continue;
        }
        cost = new;
        // Most arrangements cannot be the best one: their links need not be looked at.
        if new < largest_ratio * best.0 {
            let busiest = loads.busiest();
            if gains(busiest, best.0) {
                best = (busiest, loads.clone());
            }
        }
        if number % CHANGES_BETWEEN_COUNTS == 0 {
            loads.count();
            run.progress("changes", number, changes);
            run.found(best.0);
        }
    }
    best.1.arrangement().unwrap_or_else(|| start.clone())
}

fn random_change(loads: &Loads, rng: &mut Stream) -> Option<Change> {
    let columns = loads.num_columns() as u32;
    let column = below(rng, columns) as usize;
    let length = loads.length(column) as u32;
    let (one, other) = (below(rng, length) as usize, below(rng, length) as usize);
    match below(rng, 64) {
        0..28 => (one != other).then_some(Change::Swap { column, one, other }),
        28..56 => (one != other).then_some(Change::Move { column, from: one, to: other }),
        56..62 => {
            let second = below(rng, columns) as usize;
            let other = below(rng, loads.length(second) as u32) as usize;
            let (a, b) = ((column, one), (second, other));
            (column != second && loads.are_alike(a, b)).then_some(Change::Exchange { a, b })
        }
        _ => {
            let second = below(rng, columns) as usize;
            (column != second).then_some(Change::MoveColumn { from: column, to: second })
        }
    }
}

pub(super) static ENTRY: Entry<ArrangerBuilder> = Entry {
    name: "shared-links",
    summary: "minimises the load of the busiest link between clusters, for concurrent rings",
    example: "shared-links",
    parameters: &[Parameter {
        name: "changes",
        default: "100000, 500000 or 5000000 by effort",
        summary: "random changes to try",
    }],
    build: |spec| {
        spec.no_shape()?;
        let changes = spec.get::<u64>("changes", "a number of changes")?;
        if changes.is_some_and(|changes| changes > 1_000_000_000_000) {
            return Err(SpecError::new("shared-links: expected at most 1000000000000 changes"));
        }
        Ok(Box::new(SharedLinks { changes }))
    },
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::strategy::{Form, cases};

    #[test]
    fn no_link_is_busier_than_before_or_than_by_the_heuristics() {
        let mut quieter = 0;
        for seed in 0..20 {
            let mut rng = stream(seed, &[]);
            let platform = cases::platform(&mut rng, &[3, 2, 4, 3], 0);
            let start = Arrangement::new(cases::columns(&mut rng, &[3, 4, 5])).unwrap();
            let measure = Measure::bandwidth(&platform, 512.0);
            let task = Task { platform: &platform, measure: &measure, form: Form::Columns };
            let search = SharedLinks { changes: Some(2000) };
            let found = search.arrange(&task, &start, &mut Run::new(seed)).unwrap();
            let heuristic =
                bandwidth::ARRANGER.arrange(&task, &start, &mut Run::new(seed)).unwrap();
            let busiest = measure.busiest(&found);
            assert!(busiest <= measure.busiest(&start) && busiest <= measure.busiest(&heuristic));
            quieter += usize::from(busiest < 0.99 * measure.busiest(&heuristic));
        }
        assert!(quieter > 10, "only {quieter} of 20 are quieter than by the heuristic");
    }
}
