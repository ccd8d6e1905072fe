//! Meshes and tori of 1 to 6 dimensions.

use std::ops::ControlFlow;
use std::sync::Arc;

use super::distance_counts::{DistanceCounts, ball, convolve, unordered};
use super::entry::TopologyEntry;
use super::interface::Topology;
use super::lattice::Lattice;
use super::link::LINK_PARAMETERS_BY_DIMENSION;
use super::link::{Lines, Link, LinkProperties, Stretch, stretch_lengths};
use super::metric::Metric;
use super::size::checked_volume;
use crate::ids::{LinkId, Vertex};
use crate::registry::Parameter;
use crate::spec::{Spec, SpecError};

/// Boxes without wrap-around.
pub static MESH: TopologyEntry = TopologyEntry {
    name: "mesh",
    summary: "box of 1 to 6 dimensions, no wrap-around",
    example: "mesh:4x4x4",
    parameters: LINK_PARAMETERS_BY_DIMENSION,
    build: |spec| Ok(Arc::new(Grid::from_spec(spec, false)?)),
};

/// Boxes whose dimensions wrap around.
pub static TORUS: TopologyEntry = TopologyEntry {
    name: "torus",
    summary: "box of 1 to 6 dimensions, each a ring",
    example: "torus:4x4x4",
    parameters: TORUS_PARAMETERS,
    build: |spec| Ok(Arc::new(Grid::from_spec(spec, true)?)),
};

const TORUS_PARAMETERS: &[Parameter] = &[
    LINK_PARAMETERS_BY_DIMENSION[0],
    LINK_PARAMETERS_BY_DIMENSION[1],
    LINK_PARAMETERS_BY_DIMENSION[2],
    LINK_PARAMETERS_BY_DIMENSION[3],
    Parameter {
        name: "double-links",
        default: "single",
        summary: "rings of two nodes have two links each way, as on Blue Gene/Q",
    },
];

/// A box of nodes; node = x + X*(y + Y*(z + ...)).
///
/// Link `node*2D + 2*dimension` goes up in that dimension, and the next number goes down. If a ring
/// has two nodes, each has only its upward link, so there is one link in each direction, unless
/// links are double there.
#[derive(Debug, Clone)]
pub struct Grid {
    lengths: Vec<u32>,
    strides: Vec<u32>,
    wraps: bool,
    /// Whether rings of two nodes have both their links.
    double_links: bool,
    nodes: usize,
    /// Properties of the links of each dimension.
    properties: Vec<LinkProperties>,
}

impl Grid {
    fn from_spec(spec: &Spec, wraps: bool) -> Result<Grid, SpecError> {
        let lengths = spec.lengths("4x4x4")?;
        if lengths.len() > 6 {
            return Err(SpecError::new(format!(
                "{}: expected 1 to 6 dimensions, found {}",
                spec.name,
                lengths.len()
            )));
        }
        let nodes = checked_volume(spec, &lengths)?;
        let dimensions = lengths.len();
        let properties =
            LinkProperties::ELECTRICAL.overridden_each(spec, "", dimensions, "dimension")?;
        let strides = lengths
            .iter()
            .scan(1, |product, &length| {
                let stride = *product;
                *product *= length;
                Some(stride)
            })
            .collect();
        let double_links = wraps && spec.flag("double-links")?;
        Ok(Grid { lengths, strides, wraps, double_links, nodes, properties })
    }

    fn coordinate(&self, node: u32, dimension: usize) -> u32 {
        node / self.strides[dimension] % self.lengths[dimension]
    }

    fn link_id(&self, node: u32, dimension: usize, down: bool) -> LinkId {
        let per_node = 2 * self.lengths.len() as u64;
        LinkId(u64::from(node) * per_node + 2 * dimension as u64 + u64::from(down))
    }

    /// The node `count` steps up or down, around the ring if necessary.
    fn steps(&self, node: u32, dimension: usize, down: bool, count: u32) -> u32 {
        let (length, stride) = (self.lengths[dimension], self.strides[dimension]);
        let coordinate = self.coordinate(node, dimension);
        let next = (coordinate + if down { length - count } else { count }) % length;
        node - coordinate * stride + next * stride
    }

    /// The step from the number of a link to that of the next one in its line.
    fn line_step(&self, dimension: usize) -> u64 {
        u64::from(self.strides[dimension]) * 2 * self.lengths.len() as u64
    }

    /// Hops in one dimension going up and going down; `None` if that way is closed.
    fn ways(&self, dimension: usize, from: u32, to: u32) -> (Option<u32>, Option<u32>) {
        let length = self.lengths[dimension];
        if self.wraps {
            let up = (to + length - from) % length;
            (Some(up), (!self.is_single(dimension)).then_some((length - up) % length))
        } else {
            (to.checked_sub(from), from.checked_sub(to))
        }
    }

    /// Whether a dimension has upward links only: a ring of two nodes.
    fn is_single(&self, dimension: usize) -> bool {
        self.wraps && self.lengths[dimension] == 2 && !self.double_links
    }

    /// Hops between two coordinates of a dimension.
    fn hops(&self, dimension: usize, from: u32, to: u32) -> u32 {
        let straight = from.abs_diff(to);
        if self.wraps { straight.min(self.lengths[dimension] - straight) } else { straight }
    }

    /// For each distance in one dimension, the number of ordered pairs of coordinates.
    fn ordered_pairs(&self, dimension: usize) -> Vec<u64> {
        let length = u64::from(self.lengths[dimension]);
        if !self.wraps {
            let longer = (1..length).map(|distance| 2 * (length - distance));
            return std::iter::once(length).chain(longer).collect();
        }
        self.around_center(dimension).iter().map(|&count| count * length).collect()
    }

    /// For each distance in one dimension, the coordinates that far from the middle one.
    fn around_center(&self, dimension: usize) -> Vec<u64> {
        let length = self.lengths[dimension];
        let mut counts = vec![0; length as usize / 2 + 1];
        for coordinate in 0..length {
            counts[self.hops(dimension, length / 2, coordinate) as usize] += 1;
        }
        counts
    }

    fn visit_shell(
        &self,
        from: u32,
        dimension: usize,
        node: u32,
        left: u32,
        visit: &mut dyn FnMut(Vertex) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let (length, stride) = (self.lengths[dimension], self.strides[dimension]);
        let coordinate = self.coordinate(from, dimension);
        let last = dimension + 1 == self.lengths.len();
        let farthest = if self.wraps { length / 2 } else { length - 1 };
        let nearest = if last { left } else { 0 };
        for distance in nearest..=left.min(farthest) {
            let up = coordinate + distance;
            let up = if up < length { Some(up) } else { self.wraps.then(|| up - length) };
            let down = match coordinate.checked_sub(distance) {
                Some(down) => Some(down),
                None => self.wraps.then(|| coordinate + length - distance),
            };
            let second = if down == up { None } else { down };
            for next in up.into_iter().chain(second) {
                let node = node + next * stride;
                if last {
                    visit(Vertex(node))?;
                } else {
                    self.visit_shell(from, dimension + 1, node, left - distance, visit)?;
                }
            }
        }
        ControlFlow::Continue(())
    }
}

impl Topology for Grid {
    fn num_nodes(&self) -> usize {
        self.nodes
    }

    fn num_links(&self) -> u64 {
        let nodes = self.nodes as u64;
        let of_dimension = |&length: &u32| match (self.wraps, length) {
            (_, 1) => 0,
            (true, 2) if !self.double_links => nodes,
            (true, _) => 2 * nodes,
            (false, _) => 2 * (nodes / u64::from(length)) * u64::from(length - 1),
        };
        self.lengths.iter().map(of_dimension).sum()
    }

    fn link_id_bound(&self) -> u64 {
        self.nodes as u64 * 2 * self.lengths.len() as u64
    }

    fn link(&self, id: LinkId) -> Option<Link> {
        if id.0 >= self.link_id_bound() {
            return None;
        }
        let per_node = 2 * self.lengths.len() as u64;
        let node = (id.0 / per_node) as u32;
        let dimension = (id.0 % per_node / 2) as usize;
        let down = id.0 % 2 == 1;
        let length = self.lengths[dimension];
        let coordinate = self.coordinate(node, dimension);
        let exists = match (self.wraps, length) {
            (_, 1) => false,
            (true, _) => !(down && self.is_single(dimension)),
            (false, _) => (down && coordinate > 0) || (!down && coordinate + 1 < length),
        };
        exists.then(|| Link {
            from: Vertex(node),
            to: Vertex(self.steps(node, dimension, down, 1)),
            properties: self.properties[dimension],
        })
    }

    fn distance(&self, from: Vertex, to: Vertex) -> u32 {
        (0..self.lengths.len())
            .map(|dimension| {
                let (a, b) = (self.coordinate(from.0, dimension), self.coordinate(to.0, dimension));
                self.hops(dimension, a, b)
            })
            .sum()
    }

    fn next_links(&self, at: Vertex, to: Vertex, out: &mut Vec<LinkId>) {
        for dimension in 0..self.lengths.len() {
            let (a, b) = (self.coordinate(at.0, dimension), self.coordinate(to.0, dimension));
            let shortest = self.hops(dimension, a, b);
            if shortest == 0 {
                continue;
            }
            let (up, down) = self.ways(dimension, a, b);
            if up == Some(shortest) {
                out.push(self.link_id(at.0, dimension, false));
            }
            if down == Some(shortest) {
                out.push(self.link_id(at.0, dimension, true));
            }
        }
    }

    fn dimension_order_route(
        &self,
        from: Vertex,
        to: Vertex,
        order: &[usize],
        visit: &mut dyn FnMut(Stretch),
    ) -> bool {
        let mut at = from.0;
        for &dimension in order {
            let (a, b) = (self.coordinate(at, dimension), self.coordinate(to.0, dimension));
            if a == b {
                continue;
            }
            let hops = self.hops(dimension, a, b);
            // The shorter way round; upwards if both are equally short.
            let down = self.ways(dimension, a, b).0 != Some(hops);
            let step = self.line_step(dimension) as i64;
            let step = if down { -step } else { step };
            for count in stretch_lengths(self.lengths[dimension], a, down, hops) {
                if count > 0 {
                    visit(Stretch { first: self.link_id(at, dimension, down), step, count });
                    at = self.steps(at, dimension, down, count);
                }
            }
        }
        debug_assert_eq!(at, to.0, "the order names every dimension");
        true
    }

    fn lines(&self) -> Lines {
        let steps = (0..self.lengths.len()).flat_map(|axis| [self.line_step(axis); 2]).collect();
        Lines { bound: self.link_id_bound(), steps }
    }

    fn grid_lengths(&self) -> Option<&[u32]> {
        Some(&self.lengths)
    }

    fn lattice(&self) -> Option<Lattice> {
        Some(Lattice { lengths: self.lengths.clone(), wraps: self.wraps })
    }

    fn metric(&self) -> Option<Box<dyn Metric>> {
        let metric = GridMetric::new(&self.lengths, self.wraps)?;
        Some(Box::new(metric))
    }

    fn fastest_link(&self) -> f64 {
        let exist = self.lengths.iter().map(|&length| length > 1);
        LinkProperties::fastest(exist.zip(self.properties.iter().copied()))
    }

    fn nodes_at_distance(
        &self,
        from: Vertex,
        distance: u32,
        visit: &mut dyn FnMut(Vertex) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        self.visit_shell(from.0, 0, 0, distance, visit)
    }

    fn pairs_at_distance(&self) -> DistanceCounts {
        let ordered = (0..self.lengths.len())
            .map(|dimension| self.ordered_pairs(dimension))
            .fold(vec![1], |sum, dimension| convolve(&sum, &dimension));
        unordered(ordered, self.nodes as u64)
    }

    // The middle has, in each dimension and so in their sum, the most nodes within any distance.
    fn largest_ball(&self) -> DistanceCounts {
        let around = (0..self.lengths.len())
            .map(|dimension| self.around_center(dimension))
            .fold(vec![1], |sum, dimension| convolve(&sum, &dimension));
        ball(around)
    }

    fn representative_nodes(&self) -> Vec<Vertex> {
        if self.wraps {
            return vec![Vertex(0)];
        }
        // A mesh is symmetric under reflection in each dimension.
        let in_lower_half = |&node: &u32| {
            (0..self.lengths.len())
                .all(|dimension| 2 * self.coordinate(node, dimension) < self.lengths[dimension])
        };
        (0..self.nodes as u32).filter(in_lower_half).map(Vertex).collect()
    }

    fn central_node(&self) -> Vertex {
        Vertex(
            self.lengths
                .iter()
                .zip(&self.strides)
                .map(|(length, stride)| length / 2 * stride)
                .sum(),
        )
    }
}

/// How many coordinates a processor handles at a time. Boxes have fewer dimensions.
const LANES: usize = 8;

/// Boxes of any number of dimensions, with or without wrap-around. All coordinates of a node are in
/// one machine word, so six dimensions take no longer than two.
#[derive(Debug, Clone)]
pub struct GridMetric {
    dimensions: usize,
    pub(super) coordinates: Vec<[u16; LANES]>,
    /// The length of a dimension that wraps around. If it does not wrap around, a number so large
    /// that the way round is never shorter.
    round_trip: [u16; LANES],
}

impl GridMetric {
    /// Nothing if the box is so long that its hops do not fit.
    pub(super) fn new(lengths: &[u32], wraps: bool) -> Option<Self> {
        let longest = lengths.iter().copied().max()?;
        let farthest: u64 = lengths.iter().map(|&length| u64::from(length)).sum();
        let most = u64::from(u16::MAX);
        if lengths.len() > LANES || longest > u32::from(u16::MAX / 2) || farthest > most {
            return None;
        }
        let volume: usize = lengths.iter().map(|&length| length as usize).product();
        let mut coordinates = Vec::with_capacity(volume);
        let mut current = [0; LANES];
        for _ in 0..volume {
            coordinates.push(current);
            for (coordinate, &length) in current.iter_mut().zip(lengths) {
                *coordinate += 1;
                if u32::from(*coordinate) < length {
                    break;
                }
                *coordinate = 0;
            }
        }
        let mut round_trip = [u16::MAX; LANES];
        if wraps {
            for (round_trip, &length) in round_trip.iter_mut().zip(lengths) {
                *round_trip = length as u16;
            }
        }
        Some(GridMetric { dimensions: lengths.len(), coordinates, round_trip })
    }

    #[inline(always)]
    fn hops_along(&self, dimension: usize, from: u16, to: u16) -> u16 {
        let straight = from.abs_diff(to);
        straight.min(self.round_trip[dimension].wrapping_sub(straight))
    }
}

impl Metric for GridMetric {
    // Over all lanes, and in two loops: the compiler makes a few wide instructions of each.
    #[inline(always)]
    fn distance(&self, a: u32, b: u32) -> u32 {
        let (from, to) = (self.coordinates[a as usize], self.coordinates[b as usize]);
        let mut hops = [0; LANES];
        for lane in 0..LANES {
            hops[lane] = self.hops_along(lane, from[lane], to[lane]);
        }
        let mut sum: u16 = 0;
        for of_lane in hops {
            sum = sum.wrapping_add(of_lane);
        }
        u32::from(sum)
    }

    // Hops add up over the dimensions, so the sums do too.
    fn weighted_hops(&self, places: &[(u32, f64)], sums: &mut [f64]) {
        sums.fill(0.0);
        let last = self.coordinates.last().expect("a box has nodes");
        for dimension in 0..self.dimensions {
            let along: Vec<f64> = (0..=last[dimension])
                .map(|coordinate| {
                    let of_place = |&(place, weight): &(u32, f64)| {
                        let home = self.coordinates[place as usize][dimension];
                        weight * f64::from(self.hops_along(dimension, home, coordinate))
                    };
                    places.iter().map(of_place).sum()
                })
                .collect();
            for (sum, coordinates) in sums.iter_mut().zip(&self.coordinates) {
                *sum += along[coordinates[dimension] as usize];
            }
        }
    }
}
