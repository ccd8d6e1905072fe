//! Traffic between groups of ranks.

use super::{Traffic, TrafficBuilder};

impl Traffic {
    /// What groups of ranks exchange: rank r belongs to group `group_of[r]`. Messages inside a
    /// group are left out, and so are collectives.
    ///
    /// ```
    /// use topoloom_model::parse_pattern;
    /// let halves = parse_pattern("ring:4").unwrap().contracted(&[0, 0, 1, 1], 2);
    /// let flows: Vec<_> = halves.flows().map(|f| (f.from.0, f.to.0, f.bytes)).collect();
    /// assert_eq!(flows, [(0, 1, 2.0), (1, 0, 2.0)]);
    /// ```
    pub fn contracted(&self, group_of: &[u32], groups: u32) -> Traffic {
        let mut builder = TrafficBuilder::new(groups);
        for flow in self.flows() {
            let (from, to) = (group_of[flow.from.index()], group_of[flow.to.index()]);
            if from != to {
                builder.add(from, to, flow.messages, flow.bytes);
            }
        }
        builder.build()
    }
}
