//! `hop-count`: the heuristic based on message hops.

use topoloom_core::{Entry, NotApplicable, Run};

use crate::arrangement::Arrangement;
use crate::measure::Measure;
use crate::strategy::column_by_column::{self, Counts};
use crate::strategy::{Arranger, ArrangerBuilder, Task};

/// Algorithm 1: rectangles of a cluster are placed side by side. The first column stays, and every
/// following one gets the order of its groups with the fewest hops along rows. It always counts
/// hops, whatever the measure: users who measure bandwidths may want to know what hops alone
/// achieve.
#[derive(Debug)]
struct HopCount;

impl Arranger for HopCount {
    fn arrange(
        &self,
        task: &Task,
        start: &Arrangement,
        run: &mut Run,
    ) -> Result<Arrangement, NotApplicable> {
        let measure = Measure::hops(task.platform);
        Ok(column_by_column::arrange(task.platform, &measure, Counts::Rows, start, run))
    }
}

/// For strategies that build on it.
pub(super) const ARRANGER: &dyn Arranger = &HopCount;

pub(super) static ENTRY: Entry<ArrangerBuilder> = Entry {
    name: "hop-count",
    summary: "column by column, clusters grouped so that rows cross the fewest levels (algorithm 1)",
    example: "hop-count",
    parameters: &[],
    build: |spec| {
        spec.no_shape()?;
        Ok(Box::new(HopCount))
    },
};
