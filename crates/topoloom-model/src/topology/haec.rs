//! The HAEC box: layers that are 2-D tori of optical links, and between adjacent layers a
//! wireless link from every node to every node.
//!
//! Besmer, "Process-to-Node Mapping Strategies for the HAEC Box" (Basel, 2016), sections 2.3
//! and 2.4. Its distance is the length of the thesis's routes, not the shortest path: traffic
//! inside a layer stays in the layer, although a detour through another layer may be shorter.

use std::ops::ControlFlow;
use std::sync::Arc;

use super::distance_counts::{DistanceCounts, ball, convolve, unordered};
use super::entry::TopologyEntry;
use super::grid::GridMetric;
use super::interface::Topology;
use super::link::{Lines, Link, LinkProperties, Stretch, stretch_lengths};
use super::metric::Metric;
use super::size::checked_volume;
use crate::ids::{LinkId, Vertex};
use crate::registry::Parameter;
use crate::spec::{Spec, SpecError};

/// HAEC boxes.
pub static ENTRY: TopologyEntry = TopologyEntry {
    name: "haec",
    summary: "layers of 2-D tori (optical), adjacent layers fully wired (wireless)",
    example: "haec:4x4x4",
    parameters: &[
        Parameter {
            name: "optical-bandwidth",
            default: "31.25e9",
            summary: "bytes per second of a link in a layer",
        },
        Parameter {
            name: "optical-latency",
            default: "10e-9",
            summary: "delay of a link in a layer, in seconds",
        },
        Parameter {
            name: "optical-energy",
            default: "40e-12",
            summary: "joules per byte on a link in a layer",
        },
        Parameter {
            name: "optical-idle-power",
            default: "0.6",
            summary: "power that a link in a layer always draws, in watts",
        },
        Parameter {
            name: "wireless-bandwidth",
            default: "12.5e9",
            summary: "bytes per second of a link between layers",
        },
        Parameter {
            name: "wireless-latency",
            default: "100e-9",
            summary: "delay of a link between layers, in seconds",
        },
        Parameter {
            name: "wireless-energy",
            default: "160e-12",
            summary: "joules per byte on a link between layers",
        },
        Parameter {
            name: "wireless-idle-power",
            default: "0",
            summary: "power that a link between layers always draws, in watts",
        },
    ],
    build: |spec| Ok(Arc::new(Haec::from_spec(spec)?)),
};

/// 250 Gbit/s and 5 pJ per bit; the lasers are always on.
const OPTICAL: LinkProperties = LinkProperties {
    bytes_per_second: 31.25e9,
    latency_seconds: 10e-9,
    joules_per_byte: 40e-12,
    idle_watts: 0.6,
    is_fat_pipe: false,
};

/// 100 Gbit/s and 20 pJ per bit; a beam that carries nothing is off.
const WIRELESS: LinkProperties = LinkProperties {
    bytes_per_second: 12.5e9,
    latency_seconds: 100e-9,
    joules_per_byte: 160e-12,
    idle_watts: 0.0,
    is_fat_pipe: false,
};

/// Links that a node has in its layer, in the order x up, x down, y up, y down.
const IN_LAYER: u64 = 4;

/// A HAEC box. First come the links in layers, four per node. Then come the links between layers:
/// for each node one to each node of the layer above, then one to each node of the layer below.
#[derive(Debug, Clone)]
pub struct Haec {
    lengths: [u32; 3],
    optical: LinkProperties,
    wireless: LinkProperties,
}

impl Haec {
    fn from_spec(spec: &Spec) -> Result<Haec, SpecError> {
        let lengths = spec.lengths("4x4x4")?;
        checked_volume(spec, &lengths)?;
        let lengths: [u32; 3] = lengths.try_into().map_err(|found: Vec<u32>| {
            SpecError::new(format!(
                "haec: expected 3 dimensions such as 4x4x4, found {}",
                found.len()
            ))
        })?;
        Ok(Haec {
            lengths,
            optical: OPTICAL.overridden(spec, "optical-")?,
            wireless: WIRELESS.overridden(spec, "wireless-")?,
        })
    }

    fn nodes_per_layer(&self) -> u32 {
        self.lengths[0] * self.lengths[1]
    }

    fn layer(&self, node: u32) -> u32 {
        node / self.nodes_per_layer()
    }

    fn coordinate(&self, node: u32, dimension: usize) -> u32 {
        match dimension {
            0 => node % self.lengths[0],
            _ => node / self.lengths[0] % self.lengths[1],
        }
    }

    /// The node `count` steps up or down the ring of a dimension of its layer.
    fn steps(&self, node: u32, dimension: usize, down: bool, count: u32) -> u32 {
        let length = self.lengths[dimension];
        let stride = if dimension == 0 { 1 } else { self.lengths[0] };
        let coordinate = self.coordinate(node, dimension);
        let next = (coordinate + if down { length - count } else { count }) % length;
        node - coordinate * stride + next * stride
    }

    /// Numbers from here on belong to links between layers.
    fn layer_link_bound(&self) -> u64 {
        IN_LAYER * self.num_nodes() as u64
    }

    fn layer_link(&self, node: u32, dimension: usize, down: bool) -> LinkId {
        LinkId(u64::from(node) * IN_LAYER + 2 * dimension as u64 + u64::from(down))
    }

    /// The step from the number of a link in a layer to that of the next in its row or column.
    fn line_step(&self, dimension: usize) -> u64 {
        IN_LAYER * if dimension == 0 { 1 } else { u64::from(self.lengths[0]) }
    }

    fn wireless_link(&self, from: u32, to: u32) -> LinkId {
        let per_layer = self.nodes_per_layer();
        let block = if self.layer(to) > self.layer(from) { 0 } else { u64::from(per_layer) };
        let first = self.layer_link_bound() + u64::from(from) * 2 * u64::from(per_layer);
        LinkId(first + block + u64::from(to % per_layer))
    }

    /// Hops up and down the ring of a dimension between two nodes of a layer.
    fn ways(&self, from: u32, to: u32, dimension: usize) -> (u32, u32) {
        let length = self.lengths[dimension];
        let up =
            (self.coordinate(to, dimension) + length - self.coordinate(from, dimension)) % length;
        (up, (length - up) % length)
    }

    /// The layer after `from` on the way to the layer of `to`.
    fn next_layer(&self, from: u32, to: u32) -> u32 {
        let layer = self.layer(from);
        if self.layer(to) > layer { layer + 1 } else { layer - 1 }
    }

    /// How many nodes of a layer are at each distance from any of its nodes.
    fn shells_in_layer(&self) -> Vec<u64> {
        let ring = |length: u32| {
            let mut counts = vec![0u64; length as usize / 2 + 1];
            (0..length).for_each(|k| counts[k.min(length - k) as usize] += 1);
            counts
        };
        convolve(&ring(self.lengths[0]), &ring(self.lengths[1]))
    }
}

impl Topology for Haec {
    fn num_nodes(&self) -> usize {
        self.lengths.iter().map(|&length| length as usize).product()
    }

    fn num_links(&self) -> u64 {
        let nodes = self.num_nodes() as u64;
        let ring = |length: u32| match length {
            1 => 0,
            2 => nodes,
            _ => 2 * nodes,
        };
        let between = 2 * u64::from(self.lengths[2] - 1) * u64::from(self.nodes_per_layer()).pow(2);
        ring(self.lengths[0]) + ring(self.lengths[1]) + between
    }

    fn link_id_bound(&self) -> u64 {
        self.num_nodes() as u64 * (IN_LAYER + 2 * u64::from(self.nodes_per_layer()))
    }

    fn link(&self, id: LinkId) -> Option<Link> {
        if id.0 >= self.link_id_bound() {
            return None;
        }
        let per_layer = self.nodes_per_layer();
        let Some(between) = id.0.checked_sub(self.layer_link_bound()) else {
            let (node, number) = ((id.0 / IN_LAYER) as u32, id.0 % IN_LAYER);
            let (dimension, down) = (number as usize / 2, number % 2 == 1);
            let length = self.lengths[dimension];
            let exists = length > 2 || (length == 2 && !down);
            return exists.then(|| Link {
                from: Vertex(node),
                to: Vertex(self.steps(node, dimension, down, 1)),
                properties: self.optical,
            });
        };
        let node = (between / (2 * u64::from(per_layer))) as u32;
        let number = between % (2 * u64::from(per_layer));
        let upwards = number < u64::from(per_layer);
        let layer = self.layer(node);
        let to_layer = if upwards { layer + 1 } else { layer.checked_sub(1)? };
        (to_layer < self.lengths[2]).then(|| Link {
            from: Vertex(node),
            to: Vertex(to_layer * per_layer + (number % u64::from(per_layer)) as u32),
            properties: self.wireless,
        })
    }

    fn distance(&self, from: Vertex, to: Vertex) -> u32 {
        let layers = self.layer(from.0).abs_diff(self.layer(to.0));
        if layers > 0 {
            return layers;
        }
        let hops = |dimension| {
            let (up, down) = self.ways(from.0, to.0, dimension);
            up.min(down)
        };
        hops(0) + hops(1)
    }

    fn next_links(&self, at: Vertex, to: Vertex, out: &mut Vec<LinkId>) {
        let layers = self.layer(at.0).abs_diff(self.layer(to.0));
        match layers {
            0 => {
                for dimension in 0..2 {
                    let (up, down) = self.ways(at.0, to.0, dimension);
                    if up > 0 && up <= down {
                        out.push(self.layer_link(at.0, dimension, false));
                    }
                    if down > 0 && down <= up && self.lengths[dimension] > 2 {
                        out.push(self.layer_link(at.0, dimension, true));
                    }
                }
            }
            1 => out.push(self.wireless_link(at.0, to.0)),
            _ => {
                let per_layer = self.nodes_per_layer();
                let first = self.next_layer(at.0, to.0) * per_layer;
                out.extend((first..first + per_layer).map(|node| self.wireless_link(at.0, node)));
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
        let per_layer = self.nodes_per_layer();
        if self.layer(at) != self.layer(to.0) {
            while self.layer(at).abs_diff(self.layer(to.0)) > 1 {
                let straight = self.next_layer(at, to.0) * per_layer + at % per_layer;
                visit(Stretch::single(self.wireless_link(at, straight)));
                at = straight;
            }
            visit(Stretch::single(self.wireless_link(at, to.0)));
            return true;
        }
        for &dimension in order.iter().filter(|&&dimension| dimension < 2) {
            let (up, down) = self.ways(at, to.0, dimension);
            let downwards = up > down;
            let coordinate = self.coordinate(at, dimension);
            let step = self.line_step(dimension) as i64;
            let step = if downwards { -step } else { step };
            let length = self.lengths[dimension];
            for count in stretch_lengths(length, coordinate, downwards, up.min(down)) {
                if count > 0 {
                    visit(Stretch {
                        first: self.layer_link(at, dimension, downwards),
                        step,
                        count,
                    });
                    at = self.steps(at, dimension, downwards, count);
                }
            }
        }
        true
    }

    fn lines(&self) -> Lines {
        let steps = [0, 0, 1, 1].map(|dimension| self.line_step(dimension)).to_vec();
        Lines { bound: self.layer_link_bound(), steps }
    }

    fn grid_lengths(&self) -> Option<&[u32]> {
        Some(&self.lengths)
    }

    fn metric(&self) -> Option<Box<dyn Metric>> {
        Some(Box::new(HaecMetric::new(&self.lengths)?))
    }

    fn fastest_link(&self) -> f64 {
        let in_layer = self.lengths[0] > 1 || self.lengths[1] > 1;
        let optical = if in_layer { self.optical.bytes_per_second } else { 0.0 };
        let wireless = if self.lengths[2] > 1 { self.wireless.bytes_per_second } else { 0.0 };
        optical.max(wireless)
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
        let [width, height, layers] = self.lengths;
        let layer = self.layer(from.0);
        let per_layer = self.nodes_per_layer();
        let (x, y) = (self.coordinate(from.0, 0), self.coordinate(from.0, 1));
        for dy in 0..height {
            let rows = dy.min(height - dy);
            let Some(columns) = distance.checked_sub(rows).filter(|&c| c <= width / 2) else {
                continue;
            };
            let row = layer * per_layer + (y + dy) % height * width;
            visit(Vertex(row + (x + columns) % width))?;
            if columns > 0 && 2 * columns != width {
                visit(Vertex(row + (x + width - columns) % width))?;
            }
        }
        let above = (layer + distance < layers).then_some(layer + distance);
        for other in above.into_iter().chain(layer.checked_sub(distance)) {
            for node in other * per_layer..(other + 1) * per_layer {
                visit(Vertex(node))?;
            }
        }
        ControlFlow::Continue(())
    }

    fn pairs_at_distance(&self) -> DistanceCounts {
        let nodes = self.num_nodes() as u64;
        let mut ordered: Vec<u64> =
            self.shells_in_layer().iter().map(|shell| shell * nodes).collect();
        let layers = self.lengths[2];
        ordered.resize(ordered.len().max(layers as usize), 0);
        for distance in 1..layers {
            let layer_pairs = 2 * u64::from(layers - distance);
            ordered[distance as usize] += layer_pairs * u64::from(self.nodes_per_layer()).pow(2);
        }
        unordered(ordered, nodes)
    }

    // Layers are alike inside; the middle one has the most layers within any distance.
    fn largest_ball(&self) -> DistanceCounts {
        let mut shells = self.shells_in_layer();
        let layers = self.lengths[2];
        shells.resize(shells.len().max(layers as usize / 2 + 1), 0);
        for layer in (0..layers).filter(|&layer| layer != layers / 2) {
            shells[layer.abs_diff(layers / 2) as usize] += u64::from(self.nodes_per_layer());
        }
        ball(shells)
    }

    fn representative_nodes(&self) -> Vec<Vertex> {
        let lower_half = self.lengths[2].div_ceil(2);
        (0..lower_half).map(|layer| Vertex(layer * self.nodes_per_layer())).collect()
    }

    fn central_node(&self) -> Vertex {
        let [x, y, z] = self.lengths.map(|length| length / 2);
        Vertex(x + self.lengths[0] * (y + self.lengths[1] * z))
    }
}

/// The HAEC box: torus distance in a layer, number of layers between layers.
#[derive(Debug, Clone)]
pub struct HaecMetric {
    in_layer: GridMetric,
    layer: Vec<u32>,
}

impl HaecMetric {
    /// Nothing if a layer is so long that its hops do not fit.
    fn new(lengths: &[u32; 3]) -> Option<Self> {
        let volume: u32 = lengths.iter().product();
        let per_layer = lengths[0] * lengths[1];
        let mut in_layer = GridMetric::new(&lengths[..2], true)?;
        let coordinates = std::mem::take(&mut in_layer.coordinates);
        in_layer.coordinates =
            (0..volume).map(|node| coordinates[(node % per_layer) as usize]).collect();
        Some(HaecMetric { in_layer, layer: (0..volume).map(|node| node / per_layer).collect() })
    }
}

impl Metric for HaecMetric {
    #[inline(always)]
    fn distance(&self, a: u32, b: u32) -> u32 {
        let layers = self.layer[a as usize].abs_diff(self.layer[b as usize]);
        if layers > 0 { layers } else { self.in_layer.distance(a, b) }
    }
}
