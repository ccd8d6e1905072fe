//! A recording as traffic, and traffic as a recording.

use topoloom_core::{Rank, Traffic, TrafficBuilder};

use super::collectives;
use super::content::{FlowKind, RecordedFlow, Recording};

impl Recording {
    /// What was sent in total: all kinds of flows together, rank weights, and the nearest
    /// equivalents of the collectives. The root is the first member; irregular gathers and scatters
    /// are variable all-to-alls, `Allgatherv` and `Reduce_scatter` have the rounded mean of their
    /// members, and scans count as `Allreduce`.
    ///
    /// The recording must be consistent, as every recording read from a file is.
    pub fn traffic(&self) -> Traffic {
        let flows = self.flows.iter().map(Vec::len).sum();
        let mut builder = TrafficBuilder::with_capacity(self.ranks, flows);
        for (from, row) in (0..).zip(&self.flows) {
            for flow in row {
                builder.add(from, flow.to, flow.messages, flow.bytes);
            }
        }
        if let Some(weights) = &self.rank_weights {
            builder.set_rank_weights(weights.clone());
        }
        for collective in collectives::of_recorded(&self.collectives) {
            builder.add_collective(collective);
        }
        builder.build()
    }

    /// The recording of a run with this traffic. [`Recording::traffic`] returns the same traffic
    /// again.
    pub fn of_traffic(traffic: &Traffic) -> Recording {
        let row = |rank| {
            let flows = traffic.flows_from(Rank(rank));
            let kind = FlowKind::PointToPoint;
            let flow = |messages, bytes, to| RecordedFlow { to, kind, messages, bytes };
            flows.map(|of| flow(of.messages, of.bytes, of.to.0)).collect()
        };
        let ranks = traffic.num_ranks() as u32;
        let collectives = traffic.collectives().iter();
        Recording {
            ranks,
            rank_weights: traffic.rank_weights().map(<[f64]>::to_vec),
            flows: (0..ranks).map(row).collect(),
            collectives: collectives
                .map(|collective| collectives::to_recorded(collective, collective.calls))
                .collect(),
            ..Recording::default()
        }
    }
}
