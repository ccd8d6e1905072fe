//! Up*/down*: a route that has gone down never goes up again, so packets never wait for each other
//! in a circle.
//!
//! Links are up or down by a tree: a vertex is higher the closer it is to the root, and of equally
//! close ones the one with the lower number. The root is the switch from which the farthest node is
//! closest, and of several the one that is farthest from its nearest node. Of the allowed routes the
//! shortest count, with an equal split at each hop. M. Schroeder et al., Autonet, 1991.

use std::borrow::Cow;
use std::collections::VecDeque;
use std::sync::{Arc, OnceLock};

use super::entry::RoutingEntry;
use super::interface::{PacketWays, Routing};
use crate::ids::{LinkId, Vertex};
use crate::spec::SpecError;
use crate::topology::Topology;

/// Up*/down* on any network with links.
pub static ENTRY: RoutingEntry = RoutingEntry {
    name: "up-down",
    summary: "shortest routes that never go up again after they went down, split equally",
    example: "up-down",
    parameters: &[],
    build: |spec, topology| {
        spec.no_shape()?;
        Ok(Arc::new(UpDown::new(topology)?))
    },
};

/// Pairs of nodes and vertices whose hops are kept: 256 MB.
const MOST_KEPT: usize = 1 << 26;

/// A vertex is not reached.
const FAR: u16 = u16::MAX;

/// The links of a network as up and down.
#[derive(Debug)]
struct UpDown {
    /// Links that leave each vertex: where they lead, and whether they lead up.
    leaving: Vec<Vec<(LinkId, u32, bool)>>,
    entering: Vec<Vec<(u32, bool)>>,
    /// For each node that anything was sent to: how far each vertex is from it, first if the way may
    /// still go up, then if it may not. Empty if that would be too much to keep.
    hops_to: Vec<OnceLock<Vec<[u16; 2]>>>,
}

impl UpDown {
    fn new(topology: &dyn Topology) -> Result<UpDown, SpecError> {
        let (nodes, vertices) = (topology.num_nodes(), topology.num_vertices());
        let links = (0..topology.link_id_bound()).map(LinkId);
        let links: Vec<(LinkId, u32, u32)> = links
            .filter_map(|id| topology.link(id).map(|link| (id, link.from.0, link.to.0)))
            .collect();
        let mut next = vec![Vec::new(); vertices];
        links.iter().for_each(|&(_, from, to)| next[from as usize].push(to));
        let root = root(nodes, &next);
        let depth = hops_from(&[root], &next);
        if depth[..nodes].contains(&FAR) {
            return Err(SpecError::new("up-down: expected a network in one part"));
        }
        let leads_up = |from: u32, to: u32| (depth[to as usize], to) < (depth[from as usize], from);
        let mut leaving = vec![Vec::new(); vertices];
        let mut entering = vec![Vec::new(); vertices];
        for (id, from, to) in links {
            leaving[from as usize].push((id, to, leads_up(from, to)));
            entering[to as usize].push((from, leads_up(from, to)));
        }
        let keeps = nodes.saturating_mul(vertices) <= MOST_KEPT;
        let hops_to = (0..nodes).filter(|_| keeps).map(|_| OnceLock::new()).collect();
        Ok(UpDown { leaving, entering, hops_to })
    }

    /// The links on the shortest allowed ways from a vertex that is `left` hops away: where they
    /// lead, and whether the way may still go up (0) or not (1).
    fn next<'a>(
        &'a self,
        hops: &'a [[u16; 2]],
        (at, phase): (u32, usize),
        left: u16,
    ) -> impl Iterator<Item = (LinkId, u32, usize)> + 'a {
        self.leaving[at as usize].iter().filter_map(move |&(id, end, up)| {
            let after = if up { 0 } else { 1 };
            let allowed = phase <= after && hops[end as usize][after] == left - 1;
            allowed.then_some((id, end, after))
        })
    }

    /// How far each vertex is from a node; searched again each time if there is too much to keep.
    fn hops_to(&self, to: Vertex) -> Cow<'_, [[u16; 2]]> {
        match self.hops_to.get(to.index()) {
            Some(kept) => kept.get_or_init(|| self.search(to)).into(),
            None => self.search(to).into(),
        }
    }

    /// A search backwards from a node.
    fn search(&self, to: Vertex) -> Vec<[u16; 2]> {
        let mut hops = vec![[FAR; 2]; self.leaving.len()];
        hops[to.index()] = [0; 2];
        let mut queue = VecDeque::from([(to.0, 0), (to.0, 1)]);
        while let Some((at, phase)) = queue.pop_front() {
            let here = hops[at as usize][phase];
            for &(from, up) in &self.entering[at as usize] {
                // An up link is taken before any down link. A down link ends the way up.
                let before: &[usize] = match (up, phase) {
                    (true, 0) => &[0],
                    (false, 1) => &[0, 1],
                    _ => &[],
                };
                for &before in before {
                    let known = &mut hops[from as usize][before];
                    if *known == FAR {
                        *known = here.saturating_add(1).min(FAR - 1);
                        queue.push_back((from, before));
                    }
                }
            }
        }
        hops
    }
}

/// The switch in the middle; the first node in a network without switches.
fn root(nodes: usize, next: &[Vec<u32>]) -> u32 {
    let from_nodes = hops_from(&(0..nodes as u32).collect::<Vec<_>>(), next);
    let key = |&switch: &u32| {
        let hops = hops_from(&[switch], next);
        let farthest = hops[..nodes].iter().max().copied().unwrap_or(FAR);
        (farthest, std::cmp::Reverse(from_nodes[switch as usize]), switch)
    };
    (nodes as u32..next.len() as u32).min_by_key(key).unwrap_or(0)
}

fn hops_from(starts: &[u32], next: &[Vec<u32>]) -> Vec<u16> {
    let mut hops = vec![FAR; next.len()];
    let mut queue: VecDeque<u32> = starts.iter().copied().collect();
    starts.iter().for_each(|&start| hops[start as usize] = 0);
    while let Some(at) = queue.pop_front() {
        for &to in &next[at as usize] {
            if hops[to as usize] == FAR {
                hops[to as usize] = hops[at as usize].saturating_add(1).min(FAR - 1);
                queue.push_back(to);
            }
        }
    }
    hops
}

impl Routing for UpDown {
    fn name(&self) -> String {
        ENTRY.name.to_string()
    }

    fn route(
        &self,
        _topology: &dyn Topology,
        from: Vertex,
        to: Vertex,
        visit: &mut dyn FnMut(LinkId, f64),
    ) {
        let hops = &*self.hops_to(to);
        // Vertices at one distance, each with whether the way may still go up, and its share.
        let mut here = vec![((from.0, 0usize), 1.0)];
        for left in (1..=hops[from.index()][0]).rev() {
            let mut there: Vec<((u32, usize), f64)> = Vec::new();
            for ((at, phase), share) in here {
                let ends: Vec<_> = self.next(hops, (at, phase), left).collect();
                let each = share / ends.len() as f64;
                for (id, end, after) in ends {
                    visit(id, each);
                    there.push(((end, after), each));
                }
            }
            there.sort_by_key(|&(state, _)| state);
            there.dedup_by(|next, kept| {
                let same = next.0 == kept.0;
                if same {
                    kept.1 += next.1;
                }
                same
            });
            here = there;
        }
    }

    fn is_straight(&self) -> bool {
        false
    }

    fn may_be_longer(&self) -> bool {
        true
    }

    fn packet_ways(&self) -> Option<PacketWays> {
        Some(PacketWays::Random)
    }

    fn one_way(
        &self,
        _topology: &dyn Topology,
        (from, to): (Vertex, Vertex),
        _shortest: bool,
        pick: &mut dyn FnMut(u32) -> u32,
        visit: &mut dyn FnMut(LinkId),
    ) {
        let hops = &*self.hops_to(to);
        let mut at = (from.0, 0);
        for left in (1..=hops[from.index()][0]).rev() {
            let ends: Vec<(LinkId, u32, usize)> = self.next(hops, at, left).collect();
            let (id, end, after) = ends[pick(ends.len() as u32) as usize];
            visit(id);
            at = (end, after);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Machine;

    fn loads(spec: &str) -> Vec<((u32, u32), f64)> {
        let machine = Machine::parse(spec).unwrap().with_routing("up-down").unwrap();
        let topology = machine.topology();
        let nodes = topology.num_nodes() as u32;
        let mut loads = std::collections::BTreeMap::new();
        for from in 0..nodes {
            for to in (0..nodes).filter(|&to| to != from) {
                machine.routing().route(topology, Vertex(from), Vertex(to), &mut |id, share| {
                    let link = topology.link(id).unwrap();
                    *loads.entry((link.from.0, link.to.0)).or_insert(0.0) += share;
                });
            }
        }
        loads.into_iter().collect()
    }

    #[test]
    fn on_a_ring_the_link_across_the_root_is_not_used_to_turn_up_again() {
        // Node 0 is the root of a ring of four. Between 1 and 3 the way by 0 goes up, then down; the
        // way by 2 would go down, then up.
        let loads = loads("torus:4");
        let load = |from, to| loads.iter().find(|(ends, _)| *ends == (from, to)).map(|l| l.1);
        // 1 -> 0 and 1 -> 3; half of 2 -> 0 as well.
        assert_eq!(load(1, 0), Some(2.5));
        // 1 -> 2, and half of 0 -> 2.
        assert_eq!(load(1, 2), Some(1.5));
    }

    #[test]
    fn on_a_fat_tree_it_is_an_even_spread_over_shortest_routes() {
        for from in 0..16 {
            for to in 0..16 {
                let links = |routing: &str| {
                    let machine = Machine::parse("fat-tree:k=4").unwrap();
                    let machine = machine.with_routing(routing).unwrap();
                    let mut count = 0.0;
                    let mut add = |_, share: f64| count += share;
                    let (from, to) = (Vertex(from), Vertex(to));
                    machine.routing().route(machine.topology(), from, to, &mut add);
                    count
                };
                assert_eq!(links("up-down"), links("ecmp"), "{from} {to}");
            }
        }
    }
}
