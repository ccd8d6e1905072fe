//! The traffic of an application, in compressed rows.

use std::ops::Range;
use std::sync::Arc;

use super::collective::Collective;
use super::flow::Flow;
use super::symmetry;
use super::values::Values;
use super::weight::Weight;
use crate::ids::Rank;
use crate::list::{CommonMemory, List};
use crate::tally;
use crate::training::StepTraffic;

/// The traffic of an application: directed, in compressed rows, with bytes and messages of every
/// pair, and with its collective operations kept separately. Copies share their rows.
#[derive(Debug, Clone, PartialEq)]
pub struct Traffic {
    pub(super) num_ranks: u32,
    pub(super) row_start: List<usize>,
    pub(super) receiver: List<u32>,
    pub(super) bytes: Values,
    pub(super) messages: Values,
    /// Whether every pair sends the same in both directions.
    pub(super) symmetric: bool,
    pub(super) rank_weights: Option<Vec<f64>>,
    pub(super) collectives: Vec<Collective>,
    pub(super) step: Option<Arc<StepTraffic>>,
}

impl Traffic {
    /// Traffic in rows that are already packed. The flows of rank r are the entries
    /// `row_start[r]..row_start[r + 1]`, in the order of receivers. Each receiver appears once and
    /// is a rank, and each flow has bytes or messages.
    pub fn from_rows(
        row_start: Vec<usize>,
        receiver: Vec<u32>,
        bytes: Values,
        messages: Values,
        rank_weights: Option<Vec<f64>>,
    ) -> Traffic {
        debug_assert!(
            row_start
                .windows(2)
                .all(|row| receiver[row[0]..row[1]].windows(2).all(|pair| pair[0] < pair[1])),
            "receivers rise in each row"
        );
        // Without flows there are no numbers, and they are always kept in the same way.
        let none = receiver.is_empty();
        let kept = |values: Values| if none { Values::Same(0.0) } else { values };
        let (bytes, messages) = (kept(bytes), kept(messages));
        let symmetric = symmetry::is_symmetric(&row_start, &receiver, &bytes, &messages);
        Traffic {
            num_ranks: row_start.len() as u32 - 1,
            row_start: row_start.into(),
            receiver: receiver.into(),
            bytes,
            messages,
            symmetric,
            rank_weights,
            collectives: Vec::new(),
            step: None,
        }
    }

    /// Moves the rows to memory that several processes have in common.
    pub fn move_to(&mut self, memory: &dyn CommonMemory) {
        self.row_start.move_by(|list| memory.usizes(list));
        self.receiver.move_by(|list| memory.u32s(list));
        for values in [&mut self.bytes, &mut self.messages] {
            if let Values::Each(values) = values {
                values.move_by(|list| memory.f64s(list));
            }
        }
    }

    /// Whether every pair sends the same in both directions.
    pub fn is_symmetric(&self) -> bool {
        self.symmetric
    }

    /// Calls `visit` with (from, to, weight) of every flow, in the order of senders, then of
    /// receivers. The same as `flows`, for inner loops.
    #[inline]
    pub fn for_each_flow(&self, weight: Weight, visit: impl FnMut(u32, u32, f64)) {
        self.for_each_flow_from(0..self.num_ranks, weight, visit);
    }

    /// The same for the flows that ranks of this range send.
    #[inline]
    pub fn for_each_flow_from(
        &self,
        senders: Range<u32>,
        weight: Weight,
        mut visit: impl FnMut(u32, u32, f64),
    ) {
        let values = self.values(weight);
        for from in senders {
            let row = self.row_start[from as usize]..self.row_start[from as usize + 1];
            tally::touch(row.len());
            for flow in row {
                visit(from, self.receiver[flow], values.get(flow));
            }
        }
    }

    pub(super) fn values(&self, weight: Weight) -> &Values {
        match weight {
            Weight::Bytes => &self.bytes,
            Weight::Messages => &self.messages,
        }
    }

    /// The number of ranks.
    pub fn num_ranks(&self) -> usize {
        self.num_ranks as usize
    }

    /// The number of ordered pairs that exchange anything point to point, including self pairs.
    pub fn num_flows(&self) -> usize {
        self.receiver.len()
    }

    /// Everything that `rank` sends point to point, in the order of receivers.
    pub fn flows_from(&self, rank: Rank) -> impl Iterator<Item = Flow> + '_ {
        let row = self.row_start[rank.index()]..self.row_start[rank.index() + 1];
        tally::touch(row.len());
        row.map(move |entry| Flow {
            from: rank,
            to: Rank(self.receiver[entry]),
            bytes: self.bytes.get(entry),
            messages: self.messages.get(entry),
        })
    }

    /// Every point-to-point flow, in the order of senders, then of receivers.
    pub fn flows(&self) -> impl Iterator<Item = Flow> + '_ {
        (0..self.num_ranks).flat_map(|rank| self.flows_from(Rank(rank)))
    }

    /// The sum of `weight` over all flows, including self pairs.
    pub fn total(&self, weight: Weight) -> f64 {
        self.values(weight).total(self.receiver.len())
    }

    /// The computing load of each rank, if the source had one.
    pub fn rank_weights(&self) -> Option<&[f64]> {
        self.rank_weights.as_deref()
    }

    /// What the groups of a training job send in a step, if this is one. The flows are those of
    /// ranks in order.
    pub fn step(&self) -> Option<&Arc<StepTraffic>> {
        self.step.as_ref()
    }

    /// The collective operations; they are not among the flows.
    pub fn collectives(&self) -> &[Collective] {
        &self.collectives
    }
}
