//! Distances between nodes for inner loops: one concrete type for each kind of machine, so
//! that trackers are compiled for it and no call goes through a table of functions.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::tree::Level;
use super::{ClusterMetric, DistanceCounts, Topology};
use crate::ids::Vertex;

/// Hops between two nodes, cheap enough for inner loops.
pub trait Metric: Send + Sync {
    /// Hops from node `a` to node `b`.
    fn distance(&self, a: u32, b: u32) -> u32;

    /// For each node, the sum over `places` (nodes with weights) of weight times hops from there.
    fn weighted_hops(&self, places: &[(u32, f64)], sums: &mut [f64]) {
        weighted_hops_by_distance(self, places, sums);
    }
}

/// The definition of [`Metric::weighted_hops`].
pub fn weighted_hops_by_distance<M: Metric + ?Sized>(
    metric: &M,
    places: &[(u32, f64)],
    sums: &mut [f64],
) {
    sums.fill(0.0);
    for &(place, weight) in places {
        for (node, sum) in (0..).zip(&mut *sums) {
            *sum += weight * f64::from(metric.distance(place, node));
        }
    }
}

/// Boxes of `D` dimensions, with or without wrap-around.
#[derive(Debug, Clone)]
pub struct GridMetric<const D: usize> {
    coordinates: Vec<[u32; D]>,
    /// The length of a dimension that wraps around; of one that does not, so large a number
    /// that the way round is never shorter.
    round_trip: [u32; D],
}

impl<const D: usize> GridMetric<D> {
    fn new(lengths: &[u32], wraps: bool) -> Self {
        let volume: usize = lengths.iter().map(|&length| length as usize).product();
        let mut coordinates = Vec::with_capacity(volume);
        let mut current = [0u32; D];
        for _ in 0..volume {
            coordinates.push(current);
            for (coordinate, &length) in current.iter_mut().zip(lengths) {
                *coordinate += 1;
                if *coordinate < length {
                    break;
                }
                *coordinate = 0;
            }
        }
        let mut round_trip = [u32::MAX; D];
        if wraps {
            round_trip.copy_from_slice(lengths);
        }
        GridMetric { coordinates, round_trip }
    }

    #[inline(always)]
    fn hops_along(&self, dimension: usize, from: u32, to: u32) -> u32 {
        let straight = from.abs_diff(to);
        straight.min(self.round_trip[dimension] - straight)
    }
}

impl<const D: usize> Metric for GridMetric<D> {
    #[inline(always)]
    fn distance(&self, a: u32, b: u32) -> u32 {
        let (from, to) = (&self.coordinates[a as usize], &self.coordinates[b as usize]);
        let mut hops = 0;
        for dimension in 0..D {
            hops += self.hops_along(dimension, from[dimension], to[dimension]);
        }
        hops
    }

    // Hops add up over the dimensions, so the sums do too.
    fn weighted_hops(&self, places: &[(u32, f64)], sums: &mut [f64]) {
        sums.fill(0.0);
        let last = self.coordinates.last().expect("a box has nodes");
        for dimension in 0..D {
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

/// Hypercubes: the number of bits that differ.
#[derive(Debug, Clone, Copy)]
pub struct HypercubeMetric;

impl Metric for HypercubeMetric {
    #[inline(always)]
    fn distance(&self, a: u32, b: u32) -> u32 {
        (a ^ b).count_ones()
    }
}

/// The HAEC box: torus distance in a layer, number of layers between layers.
#[derive(Debug, Clone)]
pub struct HaecMetric {
    in_layer: GridMetric<2>,
    layer: Vec<u32>,
}

impl HaecMetric {
    pub(super) fn new(lengths: &[u32; 3]) -> Self {
        let volume: u32 = lengths.iter().product();
        let per_layer = lengths[0] * lengths[1];
        let torus = GridMetric::<2>::new(&lengths[..2], true);
        HaecMetric {
            layer: (0..volume).map(|node| node / per_layer).collect(),
            in_layer: GridMetric {
                coordinates: (0..volume)
                    .map(|node| torus.coordinates[(node % per_layer) as usize])
                    .collect(),
                round_trip: torus.round_trip,
            },
        }
    }
}

impl Metric for HaecMetric {
    #[inline(always)]
    fn distance(&self, a: u32, b: u32) -> u32 {
        let layers = self.layer[a as usize].abs_diff(self.layer[b as usize]);
        if layers > 0 { layers } else { self.in_layer.distance(a, b) }
    }
}

/// Trees: the highest digit that differs tells.
#[derive(Debug, Clone)]
pub struct TreeMetric {
    /// The digits of each leaf side by side, the highest level in the highest bits. They fit: no
    /// length takes more than 3 bits for log2(5) = 2.3, and a tree has at most 2^24 leaves.
    digits: Vec<u32>,
    /// The distance by the number of leading zeros of what differs; 32 if nothing does.
    distance: [u32; 33],
}

impl TreeMetric {
    pub(super) fn new(levels: &[Level]) -> Self {
        let mut distance = [0; 33];
        let mut digits = vec![0];
        let mut bits = 0;
        for level in levels {
            let width = u32::BITS - (level.length - 1).leading_zeros();
            for bit in bits..bits + width {
                distance[31 - bit as usize] = level.distance;
            }
            let below = digits.len();
            for digit in 1..level.length {
                digits.extend_from_within(..below);
                let start = digit as usize * below;
                digits[start..].iter_mut().for_each(|leaf| *leaf |= digit << bits);
            }
            bits += width;
        }
        TreeMetric { digits, distance }
    }
}

impl Metric for TreeMetric {
    #[inline(always)]
    fn distance(&self, a: u32, b: u32) -> u32 {
        let differ = self.digits[a as usize] ^ self.digits[b as usize];
        self.distance[differ.leading_zeros() as usize]
    }
}

/// Any topology, through its own `distance`.
#[derive(Debug, Clone)]
pub struct GeneralMetric(pub Arc<dyn Topology>);

impl Metric for GeneralMetric {
    #[inline]
    fn distance(&self, a: u32, b: u32) -> u32 {
        self.0.distance(Vertex(a), Vertex(b))
    }
}

/// The metric of a machine; [`with_metric!`](crate::with_metric) opens it.
#[derive(Debug, Clone)]
pub enum MetricKind {
    /// One dimension.
    Grid1(GridMetric<1>),
    /// Two dimensions.
    Grid2(GridMetric<2>),
    /// Three dimensions.
    Grid3(GridMetric<3>),
    /// Four dimensions.
    Grid4(GridMetric<4>),
    /// Five dimensions.
    Grid5(GridMetric<5>),
    /// Six dimensions.
    Grid6(GridMetric<6>),
    /// A hypercube.
    Hypercube(HypercubeMetric),
    /// A HAEC box.
    Haec(HaecMetric),
    /// A tree.
    Tree(TreeMetric),
    /// A cluster.
    Cluster(ClusterMetric),
    /// Anything else.
    General(GeneralMetric),
}

impl MetricKind {
    /// The metric of a box of 1 to 6 dimensions.
    pub(super) fn grid(lengths: &[u32], wraps: bool) -> MetricKind {
        match lengths.len() {
            1 => MetricKind::Grid1(GridMetric::new(lengths, wraps)),
            2 => MetricKind::Grid2(GridMetric::new(lengths, wraps)),
            3 => MetricKind::Grid3(GridMetric::new(lengths, wraps)),
            4 => MetricKind::Grid4(GridMetric::new(lengths, wraps)),
            5 => MetricKind::Grid5(GridMetric::new(lengths, wraps)),
            6 => MetricKind::Grid6(GridMetric::new(lengths, wraps)),
            dimensions => unreachable!("boxes have 1 to 6 dimensions, not {dimensions}"),
        }
    }
}

/// Runs `body` with `metric` bound to the concrete metric of a machine, so that `body` is
/// compiled once for each kind.
#[macro_export]
macro_rules! with_metric {
    ($kind:expr, $metric:ident => $body:expr) => {
        match $kind {
            $crate::topology::MetricKind::Grid1($metric) => $body,
            $crate::topology::MetricKind::Grid2($metric) => $body,
            $crate::topology::MetricKind::Grid3($metric) => $body,
            $crate::topology::MetricKind::Grid4($metric) => $body,
            $crate::topology::MetricKind::Grid5($metric) => $body,
            $crate::topology::MetricKind::Grid6($metric) => $body,
            $crate::topology::MetricKind::Hypercube($metric) => $body,
            $crate::topology::MetricKind::Haec($metric) => $body,
            $crate::topology::MetricKind::Tree($metric) => $body,
            $crate::topology::MetricKind::Cluster($metric) => $body,
            $crate::topology::MetricKind::General($metric) => $body,
        }
    };
}

/// The definition of [`Topology::pairs_at_distance`]: look at every pair.
pub fn pairs_at_distance_by_counting<T: Topology + ?Sized>(topology: &T) -> DistanceCounts {
    let mut counts = BTreeMap::new();
    let nodes = topology.num_nodes() as u32;
    for a in 0..nodes {
        for b in a + 1..nodes {
            *counts.entry(topology.distance(Vertex(a), Vertex(b))).or_default() += 1;
        }
    }
    counts.into_iter().collect()
}

/// The definition of [`Topology::largest_ball`]: look at every pair.
pub fn largest_ball_by_counting<T: Topology + ?Sized>(topology: &T) -> DistanceCounts {
    let mut largest: DistanceCounts = pairs_at_distance_by_counting(topology)
        .into_iter()
        .map(|(distance, _)| (distance, 0))
        .collect();
    let nodes = topology.num_nodes() as u32;
    for a in 0..nodes {
        let mut hops: Vec<u32> = (0..nodes)
            .filter(|&b| b != a)
            .map(|b| topology.distance(Vertex(a), Vertex(b)))
            .collect();
        hops.sort_unstable();
        for (distance, within) in &mut largest {
            *within = (*within).max(hops.partition_point(|hops| hops <= distance) as u64);
        }
    }
    largest.dedup_by_key(|&mut (_, within)| within);
    largest
}

/// Adds up independent distances: the histogram of the sum of two.
pub(super) fn convolve(a: &[u64], b: &[u64]) -> Vec<u64> {
    let mut sum = vec![0; a.len() + b.len() - 1];
    for (i, &x) in a.iter().enumerate().filter(|&(_, &x)| x > 0) {
        for (j, &y) in b.iter().enumerate() {
            sum[i + j] += x * y;
        }
    }
    sum
}

/// The counts of a histogram by distance.
pub(super) fn counts(histogram: Vec<u64>) -> DistanceCounts {
    (0..).zip(histogram).filter(|&(_, count)| count > 0).collect()
}

/// Turns a histogram over ordered pairs, self pairs included, into one over unordered pairs.
pub(super) fn unordered(mut ordered: Vec<u64>, nodes: u64) -> DistanceCounts {
    ordered[0] -= nodes;
    ordered.iter_mut().for_each(|count| *count /= 2);
    counts(ordered)
}

/// Running sums of a histogram around one node, the node itself left out.
pub(super) fn ball(mut histogram: Vec<u64>) -> DistanceCounts {
    histogram[0] -= 1;
    let mut shells = counts(histogram);
    let mut within = 0;
    for (_, count) in &mut shells {
        within += *count;
        *count = within;
    }
    shells
}
