//! Networks whose switches are in levels above their nodes: fat trees of any radix, with parallel
//! cables and missing ones.

use std::collections::BTreeMap;

use crate::ids::{LinkId, Vertex};
use crate::topology::Topology;

/// Links from a switch to one other switch or node, in the order of their ports.
#[derive(Debug, Clone)]
pub struct Bundle {
    /// Where they lead.
    pub to: Vertex,
    /// The links themselves.
    pub links: Vec<LinkId>,
}

/// What a vertex has above and below it.
#[derive(Debug, Clone, Default)]
pub struct Place {
    /// 0 for nodes.
    pub level: u32,
    /// Bundles that lead up, in the order of their first ports.
    pub up: Vec<Bundle>,
    /// Bundles that lead down.
    pub down: Vec<Bundle>,
    /// How many ways up there are from a node to this level: the product of the numbers of switches
    /// that each level sees above it.
    pub ways: u64,
    /// The bits of the nodes that can be reached by going up this many levels, and then down. The
    /// first ones are those below.
    reached: Vec<Vec<u64>>,
}

impl Place {
    /// Whether a node can be reached by going up this many levels, and then down.
    pub fn reaches(&self, up: usize, node: Vertex) -> bool {
        self.reached[up][node.index() / 64] >> (node.index() % 64) & 1 == 1
    }

    /// How many levels up the way to a node leads.
    pub fn levels_up(&self, node: Vertex) -> Option<usize> {
        (0..self.reached.len()).find(|&up| self.reaches(up, node))
    }

    /// How many nodes no way leads to.
    pub fn unreached(&self, nodes: usize) -> usize {
        let all = (0..nodes as u32).map(Vertex);
        all.filter(|&node| self.levels_up(node).is_none()).count()
    }
}

/// The levels of a network.
#[derive(Debug)]
pub struct TreeShape {
    /// By vertex.
    pub places: Vec<Place>,
}

impl TreeShape {
    /// The levels of a network; the reason if it has none.
    pub fn of(topology: &dyn Topology) -> Result<TreeShape, String> {
        let nodes = topology.num_nodes();
        let mut leaving: Vec<Vec<(u64, LinkId, Vertex)>> =
            vec![Vec::new(); topology.num_vertices()];
        for id in (0..topology.link_id_bound()).map(LinkId) {
            if let Some(link) = topology.link(id) {
                leaving[link.from.index()].push((topology.port(id), id, link.to));
            }
        }
        leaving.iter_mut().for_each(|links| links.sort_unstable());
        let levels = levels(nodes, &leaving);
        let words = nodes.div_ceil(64);
        let mut places: Vec<Place> = Vec::with_capacity(leaving.len());
        for (vertex, links) in leaving.iter().enumerate() {
            let level = levels[vertex];
            let mut place = Place { level, reached: vec![vec![0; words]], ..Place::default() };
            for &(_, id, to) in links {
                let side = match levels[to.index()] {
                    other if other == level.wrapping_add(1) => &mut place.up,
                    other if level > 0 && other == level - 1 => &mut place.down,
                    other => {
                        let (from, to) =
                            (topology.vertex_name(Vertex(vertex as u32)), topology.vertex_name(to));
                        return Err(format!(
                            "the link from {from} to {to} leads from level {level} to level {other}"
                        ));
                    }
                };
                match side.iter_mut().find(|bundle| bundle.to == to) {
                    Some(bundle) => bundle.links.push(id),
                    None => side.push(Bundle { to, links: vec![id] }),
                }
            }
            places.push(place);
        }
        let mut shape = TreeShape { places };
        shape.look_down(nodes);
        shape.look_up();
        Ok(shape)
    }

    /// Finds what is below each switch, level by level.
    fn look_down(&mut self, nodes: usize) {
        for (node, place) in self.places.iter_mut().enumerate().take(nodes) {
            place.reached[0][node / 64] |= 1 << (node % 64);
            place.ways = 1;
        }
        let mut by_level: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
        for (vertex, place) in self.places.iter().enumerate().skip(nodes) {
            by_level.entry(place.level).or_default().push(vertex);
        }
        for vertex in by_level.into_values().flatten() {
            let mut below = std::mem::take(&mut self.places[vertex].reached[0]);
            let mut ways = 1;
            for bundle in &self.places[vertex].down {
                let child = &self.places[bundle.to.index()];
                add(&mut below, &child.reached[0]);
                ways = ways.max(child.ways.saturating_mul(child.up.len() as u64));
            }
            self.places[vertex].reached[0] = below;
            self.places[vertex].ways = ways;
        }
    }

    /// Finds what each vertex reaches by going up, from the highest level down.
    fn look_up(&mut self) {
        let mut order: Vec<usize> = (0..self.places.len()).collect();
        order.sort_by_key(|&vertex| std::cmp::Reverse(self.places[vertex].level));
        for vertex in order {
            let mut reached = std::mem::take(&mut self.places[vertex].reached);
            for bundle in &self.places[vertex].up {
                for (up, more) in self.places[bundle.to.index()].reached.iter().enumerate() {
                    match reached.get_mut(up + 1) {
                        Some(all) => add(all, more),
                        None => reached.push(more.clone()),
                    }
                }
            }
            self.places[vertex].reached = reached;
        }
    }

    /// The place of a vertex.
    pub fn place(&self, vertex: Vertex) -> &Place {
        &self.places[vertex.index()]
    }
}

fn add(all: &mut [u64], more: &[u64]) {
    all.iter_mut().zip(more).for_each(|(all, more)| *all |= more);
}

/// The distance of each vertex from the nearest node.
fn levels(nodes: usize, leaving: &[Vec<(u64, LinkId, Vertex)>]) -> Vec<u32> {
    let mut levels = vec![u32::MAX; leaving.len()];
    levels[..nodes].fill(0);
    let mut queue: Vec<usize> = (0..nodes).collect();
    let mut next = 0;
    while let Some(&at) = queue.get(next) {
        next += 1;
        for &(_, _, to) in &leaving[at] {
            if levels[to.index()] == u32::MAX {
                levels[to.index()] = levels[at] + 1;
                queue.push(to.index());
            }
        }
    }
    levels
}
