//! The undirected view that placements are optimised on: both directions of a pair together.

use super::rows::Traffic;
use super::values::Values;
use super::weight::Weight;
use crate::list::{CommonMemory, List};
use crate::side_by_side::side_by_side;
use crate::tally;

/// An undirected graph in compressed rows: each pair of ranks that exchange anything is in both
/// rows, with the weight of both directions together. There are no self pairs, and no pairs of
/// weight 0, such as pairs that only meet in a barrier if bytes count.
#[derive(Debug, Clone, PartialEq)]
pub struct CommunicationGraph {
    row_start: List<usize>,
    partner: List<u32>,
    weight: List<f64>,
}

impl CommunicationGraph {
    /// Moves it to memory that several processes have in common. Lists of `traffic`, which has been
    /// moved from `before`, are not moved again.
    pub fn move_to(&mut self, memory: &dyn CommonMemory, before: &Traffic, traffic: &Traffic) {
        if self.row_start.is_same_as(&before.row_start) {
            self.row_start = traffic.row_start.clone();
        } else {
            self.row_start.move_by(|list| memory.usizes(list));
        }
        if self.partner.is_same_as(&before.receiver) {
            self.partner = traffic.receiver.clone();
        } else {
            self.partner.move_by(|list| memory.u32s(list));
        }
        self.weight.move_by(|list| memory.f64s(list));
    }

    /// The number of ranks.
    pub fn num_ranks(&self) -> usize {
        self.row_start.len() - 1
    }

    /// The number of unordered pairs that exchange anything.
    pub fn num_pairs(&self) -> usize {
        self.partner.len() / 2
    }

    /// The partners of a rank, in rising order; empty for numbers beyond the last rank.
    #[inline]
    pub fn partners(&self, rank: u32) -> &[u32] {
        &self.partner[self.row(rank)]
    }

    /// How many partners a rank has; none for numbers beyond the last rank.
    #[inline]
    pub fn num_partners(&self, rank: u32) -> usize {
        self.row(rank).len()
    }

    /// The weights that belong to `partners(rank)`.
    #[inline]
    pub fn weights(&self, rank: u32) -> &[f64] {
        let row = self.row(rank);
        tally::touch(row.len());
        &self.weight[row]
    }

    /// The weight of every pair, twice, row by row.
    pub fn all_weights(&self) -> &[f64] {
        &self.weight
    }

    /// Partners and their weights.
    #[inline]
    pub fn edges(&self, rank: u32) -> impl Iterator<Item = (u32, f64)> + '_ {
        let row = self.row(rank);
        tally::touch(row.len());
        side_by_side(&self.partner[row.clone()], &self.weight[row])
    }

    /// Every pair once, as (lower rank, higher rank, weight), in rising order.
    pub fn pairs(&self) -> impl Iterator<Item = (u32, u32, f64)> + '_ {
        (0..self.num_ranks() as u32).flat_map(move |a| {
            self.edges(a).filter(move |&(b, _)| a < b).map(move |(b, weight)| (a, b, weight))
        })
    }

    /// Calls `visit` with every pair. The same as `pairs`, for inner loops.
    #[inline]
    pub fn for_each_pair(&self, mut visit: impl FnMut(u32, u32, f64)) {
        for a in 0..self.num_ranks() as u32 {
            let row = self.row(a);
            tally::touch(row.len());
            for (&b, &weight) in self.partner[row.clone()].iter().zip(&self.weight[row]) {
                if a < b {
                    visit(a, b, weight);
                }
            }
        }
    }

    #[inline]
    fn row(&self, rank: u32) -> std::ops::Range<usize> {
        let rank = rank as usize;
        if rank + 1 < self.row_start.len() {
            self.row_start[rank]..self.row_start[rank + 1]
        } else {
            0..0
        }
    }
}

impl Traffic {
    /// Both directions of each pair together under `weight`, without self pairs.
    pub fn graph(&self, weight: Weight) -> CommunicationGraph {
        combine_directions(self, weight)
    }
}

/// Rows that are being made.
struct Rows {
    row_start: Vec<usize>,
    partner: Vec<u32>,
    weight: Vec<f64>,
}

impl Rows {
    fn done(self) -> CommunicationGraph {
        let Rows { row_start, partner, weight } = self;
        let (row_start, partner, weight) = (row_start.into(), partner.into(), weight.into());
        CommunicationGraph { row_start, partner, weight }
    }
}

/// Adds up both directions of every pair.
fn combine_directions(traffic: &Traffic, weight: Weight) -> CommunicationGraph {
    if traffic.is_symmetric() {
        return double(traffic, traffic.values(weight));
    }
    merge(traffic, traffic.values(weight))
}

/// The graph of symmetric traffic: its rows, without self pairs and flows of weight 0.
fn double(traffic: &Traffic, value: &Values) -> CommunicationGraph {
    let n = traffic.num_ranks();
    let flows = traffic.num_flows();
    let to_self = (0..n as u32).any(|rank| {
        let row = traffic.row_start[rank as usize]..traffic.row_start[rank as usize + 1];
        traffic.receiver[row].binary_search(&rank).is_ok()
    });
    if let (Values::Same(value), false) = (value, to_self)
        && *value > 0.0
    {
        return CommunicationGraph {
            row_start: traffic.row_start.clone(),
            partner: traffic.receiver.clone(),
            weight: vec![2.0 * value; flows].into(),
        };
    }
    let mut graph = Rows {
        row_start: Vec::with_capacity(n + 1),
        partner: Vec::with_capacity(flows),
        weight: Vec::with_capacity(flows),
    };
    graph.row_start.push(0);
    for rank in 0..n {
        for flow in traffic.row_start[rank]..traffic.row_start[rank + 1] {
            let (partner, value) = (traffic.receiver[flow], value.get(flow));
            if partner as usize != rank && value > 0.0 {
                graph.partner.push(partner);
                graph.weight.push(value + value);
            }
        }
        graph.row_start.push(graph.partner.len());
    }
    graph.done()
}

/// The graph of any traffic: what each rank sends and what it receives, merged.
fn merge(traffic: &Traffic, value: &Values) -> CommunicationGraph {
    let n = traffic.num_ranks();
    let (in_start, sender, in_value) = transpose(traffic, value);
    let mut graph = Rows {
        row_start: Vec::with_capacity(n + 1),
        partner: Vec::with_capacity(sender.len()),
        weight: Vec::with_capacity(sender.len()),
    };
    graph.row_start.push(0);
    for rank in 0..n {
        // Both rows are sorted: merge them.
        let (mut out, out_end) = (traffic.row_start[rank], traffic.row_start[rank + 1]);
        let (mut inward, in_end) = (in_start[rank], in_start[rank + 1]);
        while out < out_end || inward < in_end {
            let receiver = if out < out_end { traffic.receiver[out] } else { u32::MAX };
            let source = if inward < in_end { sender[inward] } else { u32::MAX };
            let partner = receiver.min(source);
            let mut sum = 0.0;
            if receiver == partner {
                sum += value.get(out);
                out += 1;
            }
            if source == partner {
                sum += in_value[inward];
                inward += 1;
            }
            if partner as usize != rank && sum > 0.0 {
                graph.partner.push(partner);
                graph.weight.push(sum);
            }
        }
        graph.row_start.push(graph.partner.len());
    }
    graph.partner.shrink_to_fit();
    graph.weight.shrink_to_fit();
    graph.done()
}

/// The incoming flows of each rank, in the order of senders.
fn transpose(traffic: &Traffic, value: &Values) -> (Vec<usize>, Vec<u32>, Vec<f64>) {
    let n = traffic.num_ranks();
    let mut start = vec![0usize; n + 1];
    for &to in traffic.receiver.iter() {
        start[to as usize + 1] += 1;
    }
    for rank in 0..n {
        start[rank + 1] += start[rank];
    }
    let mut next = start.clone();
    let mut sender = vec![0u32; traffic.receiver.len()];
    let mut in_value = vec![0.0; traffic.receiver.len()];
    for rank in 0..n {
        for entry in traffic.row_start[rank]..traffic.row_start[rank + 1] {
            let place = &mut next[traffic.receiver[entry] as usize];
            sender[*place] = rank as u32;
            in_value[*place] = value.get(entry);
            *place += 1;
        }
    }
    (start, sender, in_value)
}

#[cfg(test)]
mod tests {
    use crate::{TrafficBuilder, Weight};

    #[test]
    fn both_directions_of_a_pair_are_added_and_self_pairs_left_out() {
        let mut builder = TrafficBuilder::new(4);
        builder.add(0, 1, 1.0, 10.0);
        builder.add(1, 0, 2.0, 5.0);
        builder.add(3, 1, 4.0, 7.0);
        builder.add(2, 2, 1.0, 9.0);
        builder.add(2, 3, 1.0, 0.0);
        let graph = builder.build().graph(Weight::Bytes);
        let pairs: Vec<_> = graph.pairs().collect();
        assert_eq!(pairs, [(0, 1, 15.0), (1, 3, 7.0)]);
        assert_eq!(graph.partners(1), [0, 3]);
        assert_eq!(graph.partners(2), [] as [u32; 0]);
        assert_eq!(graph.num_pairs(), 2);
    }

    #[test]
    fn the_graph_of_symmetric_traffic_is_what_merging_both_directions_gives() {
        use super::{double, merge};
        for pattern in
            ["stencil:4x5,bytes=3", "random:ranks=30,degree=4", "all-to-all:5", "ring:2", "ring:1"]
        {
            let traffic = crate::parse_pattern(pattern).unwrap();
            assert!(traffic.is_symmetric(), "{pattern}");
            let value = traffic.values(Weight::Bytes);
            assert_eq!(double(&traffic, value), merge(&traffic, value), "{pattern}");
        }
        let mut builder = TrafficBuilder::new(4);
        builder.add(1, 1, 1.0, 4.0);
        builder.add_both_ways(0, 2, 1.0, 5.0);
        builder.add_both_ways(1, 2, 1.0, 0.0);
        let traffic = builder.build();
        let value = traffic.values(Weight::Bytes);
        assert_eq!(double(&traffic, value), merge(&traffic, value));
    }
}
