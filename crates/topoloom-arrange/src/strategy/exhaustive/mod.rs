//! `exhaustive`: the best arrangement, proven.

mod columns;
mod counting;
mod dealings;
mod grids;
mod parts;

use topoloom_core::{Entry, NotApplicable, Run};

use crate::arrangement::Arrangement;
use crate::strategy::{Arranger, ArrangerBuilder, Form, Task};

/// A search that could need more steps is not started, however many of them would turn out to be
/// unnecessary. `auto` tries all arrangements within the same limit, so it is never worse than this
/// strategy.
pub(super) const MAX_WORK: f64 = 4e8;

/// Tries every order of rectangles and of columns, with equal rectangles of different columns
/// exchanged in every way; or every grid; or every way to share out processors among columns.
/// Leaves out what cannot be better than the best known one. Processors of a cluster are not
/// distinguished if their rectangles are equal.
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
