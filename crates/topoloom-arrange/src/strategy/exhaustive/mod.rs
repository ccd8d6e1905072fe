//! `exhaustive`: the best there is, proven.

mod columns;
mod dealings;
mod grids;
mod parts;

use topoloom_core::{Entry, NotApplicable, Run};

use crate::arrangement::Arrangement;
use crate::strategy::{Arranger, ArrangerBuilder, Form, Task};

/// More steps are not begun, however many of them would turn out to be unnecessary. `auto` looks at
/// all arrangements within the same limit, so that it is never above this strategy.
pub(super) const MAX_WORK: f64 = 4e8;

/// Looks at every order of rectangles and of columns, with equal rectangles of different columns
/// exchanged in every way, or at every grid, or at every way to share out processors among columns,
/// as far as it could be better than what is already known. Processors of a cluster are not told apart if their rectangles are equal.
#[derive(Debug)]
struct Exhaustive;

impl Arranger for Exhaustive {
    fn arrange(
        &self,
        task: &Task,
        start: &Arrangement,
        run: &mut Run,
    ) -> Result<Arrangement, NotApplicable> {
        let found = search(task, start, MAX_WORK, run)?;
        if run.was_cut_short() {
            run.note("not all arrangements were examined: this one is not proven to be the best");
        }
        Ok(found)
    }
}

/// The best arrangement, if that takes no more than `max_work` steps.
pub(crate) fn search(
    task: &Task,
    start: &Arrangement,
    max_work: f64,
    run: &mut Run,
) -> Result<Arrangement, NotApplicable> {
    match task.form {
        Form::Columns => columns::search(task.measure, start, max_work, run),
        Form::Grids(grids) => grids::search(task.measure, &grids, start, max_work, run),
        Form::Parts(parts) => parts::search(task, &parts, start, max_work, run),
    }
}

fn too_many(arrangements: f64) -> NotApplicable {
    let number = match arrangements.is_finite() {
        true => format!("{arrangements:.3e}"),
        false => "more than 1e308".to_string(),
    };
    // Counting ends where they are too many.
    NotApplicable(format!(
        "{number} arrangements or more are too many to examine; use auto, which does not prove its \
         answer"
    ))
}

/// In how many orders items can stand, of which so many each are the same.
fn orders(counts: impl Iterator<Item = usize>) -> f64 {
    let (mut orders, mut total) = (1.0, 0.0);
    for count in counts {
        for item in 1..=count {
            total += 1.0;
            orders *= total / item as f64;
        }
    }
    orders
}

pub(super) static ENTRY: Entry<ArrangerBuilder> = Entry {
    name: "exhaustive",
    summary: "the best of all arrangements, for about a dozen processors",
    example: "exhaustive",
    parameters: &[],
    build: |spec| {
        spec.no_shape()?;
        Ok(Box::new(Exhaustive))
    },
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn twelve_nodes_on_four_clusters_have_277200_orders() {
        // 12! / (3! 4! 2! 3!)
        assert_eq!(orders([3, 4, 2, 3].into_iter()), 277_200.0);
        assert_eq!(orders([1; 5].into_iter()), 120.0);
    }
}
