//! Hypercubes: there is a link between nodes whose numbers differ in one bit.

use std::ops::ControlFlow;
use std::sync::Arc;

use super::distance_counts::{DistanceCounts, ball, counts};
use super::entry::TopologyEntry;
use super::interface::Topology;
use super::link::UNIFORM_LINK_PARAMETERS;
use super::link::{Link, LinkProperties, Stretch};
use super::metric::Metric;
use crate::ids::{LinkId, Vertex};
use crate::spec::SpecError;

/// Hypercubes.
pub static ENTRY: TopologyEntry = TopologyEntry {
    name: "hypercube",
    summary: "2^d nodes, linked if their numbers differ in one bit",
    example: "hypercube:6",
    parameters: UNIFORM_LINK_PARAMETERS,
    build: |spec| {
        let dimensions = spec.count("6")?;
        if dimensions > 24 {
            return Err(SpecError::new(format!(
                "hypercube: expected 1 to 24 dimensions, found {dimensions}"
            )));
        }
        Ok(Arc::new(Hypercube {
            lengths: vec![2; dimensions as usize],
            properties: LinkProperties::ELECTRICAL.overridden(spec, "")?,
        }))
    },
};

/// A hypercube; link `node*d + bit` flips that bit.
#[derive(Debug, Clone)]
pub struct Hypercube {
    lengths: Vec<u32>,
    properties: LinkProperties,
}

impl Hypercube {
    fn dimensions(&self) -> u32 {
        self.lengths.len() as u32
    }

    /// How many nodes are at each distance from any node: the binomial coefficients.
    fn shells(&self) -> Vec<u64> {
        let d = u64::from(self.dimensions());
        let mut shells = vec![1u64];
        for k in 1..=d {
            shells.push(shells[k as usize - 1] * (d - k + 1) / k);
        }
        shells
    }
}

impl Topology for Hypercube {
    fn num_nodes(&self) -> usize {
        1 << self.dimensions()
    }

    fn num_links(&self) -> u64 {
        self.link_id_bound()
    }

    fn link_id_bound(&self) -> u64 {
        (self.num_nodes() as u64) * u64::from(self.dimensions())
    }

    fn link(&self, id: LinkId) -> Option<Link> {
        if id.0 >= self.link_id_bound() {
            return None;
        }
        let node = (id.0 / u64::from(self.dimensions())) as u32;
        let bit = id.0 % u64::from(self.dimensions());
        Some(Link {
            from: Vertex(node),
            to: Vertex(node ^ (1 << bit)),
            properties: self.properties,
        })
    }

    fn distance(&self, from: Vertex, to: Vertex) -> u32 {
        (0..self.dimensions()).map(|bit| (from.0 >> bit & 1).abs_diff(to.0 >> bit & 1)).sum()
    }

    fn next_links(&self, at: Vertex, to: Vertex, out: &mut Vec<LinkId>) {
        let differ = at.0 ^ to.0;
        let first = u64::from(at.0) * u64::from(self.dimensions());
        out.extend(
            (0..self.dimensions())
                .filter(|bit| differ >> bit & 1 == 1)
                .map(|bit| LinkId(first + u64::from(bit))),
        );
    }

    fn dimension_order_route(
        &self,
        from: Vertex,
        to: Vertex,
        order: &[usize],
        visit: &mut dyn FnMut(Stretch),
    ) -> bool {
        let mut at = from.0;
        for &bit in order {
            if (at ^ to.0) >> bit & 1 == 1 {
                let first = u64::from(at) * u64::from(self.dimensions());
                visit(Stretch::single(LinkId(first + bit as u64)));
                at ^= 1 << bit;
            }
        }
        true
    }

    fn grid_lengths(&self) -> Option<&[u32]> {
        Some(&self.lengths)
    }

    fn metric(&self) -> Option<Box<dyn Metric>> {
        Some(Box::new(HypercubeMetric))
    }

    fn fastest_link(&self) -> f64 {
        self.properties.bytes_per_second
    }

    fn nodes_at_distance(
        &self,
        from: Vertex,
        distance: u32,
        visit: &mut dyn FnMut(Vertex) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        if distance == 0 {
            return visit(from);
        }
        if distance > self.dimensions() {
            return ControlFlow::Continue(());
        }
        // Every mask with that many bits, in rising order: the next one moves the top of the lowest
        // run of ones up by one and the rest of the run to the bottom.
        let bound = 1u64 << self.dimensions();
        let mut mask = (1u64 << distance) - 1;
        while mask < bound {
            visit(Vertex(from.0 ^ mask as u32))?;
            let lowest = mask & mask.wrapping_neg();
            let raised = mask + lowest;
            mask = raised | (((mask ^ raised) / lowest) >> 2);
        }
        ControlFlow::Continue(())
    }

    fn pairs_at_distance(&self) -> DistanceCounts {
        let nodes = self.num_nodes() as u64;
        let mut pairs: Vec<u64> = self.shells().iter().map(|shell| shell * nodes / 2).collect();
        pairs[0] = 0;
        counts(pairs)
    }

    fn largest_ball(&self) -> DistanceCounts {
        ball(self.shells())
    }

    fn representative_nodes(&self) -> Vec<Vertex> {
        vec![Vertex(0)]
    }

    fn central_node(&self) -> Vertex {
        Vertex((self.num_nodes() - 1) as u32)
    }
}

/// Hypercubes: the number of bits that differ.
#[derive(Debug, Clone, Copy)]
pub struct HypercubeMetric;

impl Metric for HypercubeMetric {
    #[inline(always)]
    fn distance(&self, a: u32, b: u32) -> u32 {
        (a ^ b).count_ones()
    }
}
