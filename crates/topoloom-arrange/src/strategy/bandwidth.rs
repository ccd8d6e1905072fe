//! `bandwidth`: the heuristic based on bandwidths.

use topoloom_core::{Entry, NotApplicable, Run};

use crate::arrangement::Arrangement;
use crate::measure::{Measure, Ring};
use crate::strategy::column_by_column::{self, Counts};
use crate::strategy::{Arranger, ArrangerBuilder, Task};

/// Bytes per block, if the task does not say.
const BYTES: f64 = 512.0;

/// Algorithm 2: rectangles of a cluster are placed side by side. The first column gets the cheapest
/// ring, and every following one the order of its groups with the lowest cost along rows and
/// columns.
///
/// It uses the task's measure if that is a time around closed rings, like the algorithm's own.
/// Otherwise it uses the bandwidths of the platform.
#[derive(Debug)]
struct Bandwidth;

impl Arranger for Bandwidth {
    fn arrange(
        &self,
        task: &Task,
        start: &Arrangement,
        run: &mut Run,
    ) -> Result<Arrangement, NotApplicable> {
        let own;
        let measure = if task.measure.ring == Ring::Closed {
            task.measure
        } else {
            own = Measure::bandwidth(task.platform, BYTES);
            &own
        };
        Ok(column_by_column::arrange(task.platform, measure, Counts::Both, start, run))
    }
}

/// For strategies that build on it.
pub(super) const ARRANGER: &dyn Arranger = &Bandwidth;

pub(super) static ENTRY: Entry<ArrangerBuilder> = Entry {
    name: "bandwidth",
    summary: "column by column, clusters grouped where links are fastest (algorithm 2)",
    example: "bandwidth",
    parameters: &[],
    build: |spec| {
        spec.no_shape()?;
        Ok(Box::new(Bandwidth))
    },
};
