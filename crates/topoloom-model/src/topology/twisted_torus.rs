//! Twisted tori: boxes of k x k x 2k or k x 2k x 2k nodes in which the link around the end of a short
//! axis also shifts by k along every long one. Slices of TPU v4 and v5p may be wired like this.

use std::collections::VecDeque;
use std::sync::Arc;

use super::distance_counts::{DistanceCounts, ball, unordered};
use super::entry::TopologyEntry;
use super::interface::Topology;
use super::link::UNIFORM_LINK_PARAMETERS;
use super::link::{Link, LinkProperties};
use super::size::checked_volume;
use crate::ids::{LinkId, Vertex};
use crate::spec::{Spec, SpecError};

/// Twisted tori.
pub static ENTRY: TopologyEntry = TopologyEntry {
    name: "twisted-torus",
    summary: "torus of k x k x 2k or k x 2k x 2k whose short rings end k further along the long ones",
    example: "twisted-torus:4x4x8",
    parameters: UNIFORM_LINK_PARAMETERS,
    build: |spec| Ok(Arc::new(TwistedTorus::from_spec(spec)?)),
};

/// The links of a node: up and down in each of three dimensions.
const PORTS: u32 = 6;

/// A twisted torus; node = x + X*(y + Y*z). Link `6 * node + 2 * dimension` goes up in that
/// dimension, and the next number goes down.
#[derive(Debug, Clone)]
pub struct TwistedTorus {
    lengths: [u32; 3],
    short: u32,
    /// Hops from node 0. All nodes see the same machine, so they are hops by offset.
    hops: Vec<u16>,
    properties: LinkProperties,
}

impl TwistedTorus {
    fn from_spec(spec: &Spec) -> Result<TwistedTorus, SpecError> {
        let given = spec.lengths("4x4x8")?;
        checked_volume(spec, &given)?;
        let shape = |lengths: &[u32]| match *lengths {
            [x, y, z] => {
                let short = x.min(y).min(z);
                let fits = |length: u32| length == short || length == 2 * short;
                let is_plain = [x, y, z] == [short; 3];
                (short >= 2 && !is_plain && [x, y, z].into_iter().all(fits))
                    .then_some(([x, y, z], short))
            }
            _ => None,
        };
        let (lengths, short) = shape(&given).ok_or_else(|| {
            SpecError::new(format!(
                "twisted-torus: expected k x k x 2k or k x 2k x 2k with k of at least 2, such as \
                 4x4x8, found \"{}\"",
                spec.shape.as_deref().unwrap_or_default()
            ))
        })?;
        let properties = LinkProperties::ELECTRICAL.overridden(spec, "")?;
        let mut torus = TwistedTorus { lengths, short, hops: Vec::new(), properties };
        torus.hops = torus.hops_from_first();
        Ok(torus)
    }

    fn coordinates(&self, node: u32) -> [u32; 3] {
        let [x, y, _] = self.lengths;
        [node % x, node / x % y, node / x / y]
    }

    fn node(&self, [a, b, c]: [u32; 3]) -> u32 {
        let [x, y, _] = self.lengths;
        a + x * (b + y * c)
    }

    /// A place that has gone around a short axis is shifted along every long one.
    fn shifted(&self, mut place: [u32; 3]) -> [u32; 3] {
        for (at, &length) in place.iter_mut().zip(&self.lengths) {
            if length > self.short {
                *at = (*at + self.short) % length;
            }
        }
        place
    }

    fn neighbour(&self, node: u32, port: u32) -> u32 {
        let mut place = self.coordinates(node);
        let dimension = (port / 2) as usize;
        let length = self.lengths[dimension];
        let around = place[dimension] == if port.is_multiple_of(2) { length - 1 } else { 0 };
        let step = if port.is_multiple_of(2) { 1 } else { length - 1 };
        place[dimension] = (place[dimension] + step) % length;
        if around && length == self.short {
            place = self.shifted(place);
        }
        self.node(place)
    }

    /// The node that is as far from node 0 as `to` is from `from`.
    fn offset(&self, from: u32, to: u32) -> u32 {
        let (from, to) = (self.coordinates(from), self.coordinates(to));
        let mut place = [0; 3];
        let mut turns = 0;
        for dimension in 0..3 {
            let length = self.lengths[dimension];
            place[dimension] = (to[dimension] + length - from[dimension]) % length;
            turns += u32::from(length == self.short && to[dimension] < from[dimension]);
        }
        // Two turns are a shift by a whole long axis.
        if turns % 2 == 1 {
            place = self.shifted(place);
        }
        self.node(place)
    }

    fn hops_from_first(&self) -> Vec<u16> {
        let mut hops = vec![u16::MAX; self.num_nodes()];
        hops[0] = 0;
        let mut queue = VecDeque::from([0]);
        while let Some(at) = queue.pop_front() {
            for next in (0..PORTS).map(|port| self.neighbour(at, port)) {
                if hops[next as usize] == u16::MAX {
                    hops[next as usize] = hops[at as usize] + 1;
                    queue.push_back(next);
                }
            }
        }
        hops
    }

    /// How many nodes are at each distance from any node.
    fn shells(&self) -> Vec<u64> {
        let farthest = self.hops.iter().max().copied().unwrap_or(0);
        let mut shells = vec![0; usize::from(farthest) + 1];
        self.hops.iter().for_each(|&hops| shells[usize::from(hops)] += 1);
        shells
    }
}

impl Topology for TwistedTorus {
    fn num_nodes(&self) -> usize {
        self.lengths.iter().map(|&length| length as usize).product()
    }

    fn num_links(&self) -> u64 {
        self.link_id_bound()
    }

    fn link_id_bound(&self) -> u64 {
        self.num_nodes() as u64 * u64::from(PORTS)
    }

    fn link(&self, id: LinkId) -> Option<Link> {
        if id.0 >= self.link_id_bound() {
            return None;
        }
        let (node, port) = ((id.0 / u64::from(PORTS)) as u32, (id.0 % u64::from(PORTS)) as u32);
        let to = Vertex(self.neighbour(node, port));
        Some(Link { from: Vertex(node), to, properties: self.properties })
    }

    fn distance(&self, from: Vertex, to: Vertex) -> u32 {
        u32::from(self.hops[self.offset(from.0, to.0) as usize])
    }

    fn next_links(&self, at: Vertex, to: Vertex, out: &mut Vec<LinkId>) {
        let left = self.distance(at, to);
        let closer = |&port: &u32| {
            left > 0 && self.distance(Vertex(self.neighbour(at.0, port)), to) + 1 == left
        };
        let first = u64::from(at.0) * u64::from(PORTS);
        out.extend((0..PORTS).filter(closer).map(|port| LinkId(first + u64::from(port))));
    }

    fn fastest_link(&self) -> f64 {
        self.properties.bytes_per_second
    }

    fn pairs_at_distance(&self) -> DistanceCounts {
        let nodes = self.num_nodes() as u64;
        unordered(self.shells().iter().map(|shell| shell * nodes).collect(), nodes)
    }

    fn largest_ball(&self) -> DistanceCounts {
        ball(self.shells())
    }

    fn representative_nodes(&self) -> Vec<Vertex> {
        vec![Vertex(0)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Machine;

    /// The diameter, the mean distance and the busiest link of an all-to-all.
    fn known(spec: &str) -> (u32, f64, f64) {
        let machine = Machine::parse(spec).unwrap();
        let topology = machine.topology();
        let nodes = topology.num_nodes() as u32;
        let mut loads = vec![0.0; topology.link_id_bound() as usize];
        let (mut farthest, mut sum) = (0, 0.0);
        for from in (0..nodes).map(Vertex) {
            for to in (0..nodes).map(Vertex) {
                let distance = topology.distance(from, to);
                farthest = farthest.max(distance);
                sum += f64::from(distance);
                let add = &mut |id: LinkId, share: f64| loads[id.index()] += share;
                machine.routing().route(topology, from, to, add);
            }
        }
        let pairs = f64::from(nodes) * f64::from(nodes - 1);
        (farthest, sum / pairs, loads.into_iter().fold(0.0, f64::max))
    }

    #[test]
    fn diameters_and_loads_are_those_of_a_separate_program() {
        // Computed from the definition alone, with an even split at each step.
        for (spec, diameter, mean, busiest) in
            [("twisted-torus:4x4x8", 6, 3.4646, 73.3333), ("twisted-torus:4x8x8", 6, 4.3294, 184.0)]
        {
            let found = known(spec);
            assert_eq!(found.0, diameter, "{spec}");
            assert!((found.1 - mean).abs() < 1e-4, "{spec}: {}", found.1);
            assert!((found.2 - busiest).abs() < 1e-4, "{spec}: {}", found.2);
        }
    }

    #[test]
    fn other_shapes_are_refused() {
        for shape in ["4x4x4", "4x4x16", "4x8", "1x1x2", "4x4x8x8"] {
            let error = Machine::parse(&format!("twisted-torus:{shape}")).unwrap_err();
            assert!(error.to_string().contains("expected k x k x 2k"), "{error}");
        }
    }
}
