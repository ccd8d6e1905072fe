//! One shortest way out of several.

use crate::ids::{LinkId, Vertex};
use crate::topology::Topology;

/// Visits the links of one shortest way; `pick(n)` chooses one of n links at each step. It ends early
/// if nothing leads there.
pub fn shortest_way(
    topology: &dyn Topology,
    from: Vertex,
    to: Vertex,
    pick: &mut dyn FnMut(u32) -> u32,
    visit: &mut dyn FnMut(LinkId),
) {
    let mut at = from;
    let mut links = Vec::new();
    while at != to {
        links.clear();
        topology.next_links(at, to, &mut links);
        let Some(&link) = links.get(pick(links.len() as u32) as usize) else { return };
        visit(link);
        at = topology.link(link).expect("a link that leads closer exists").to;
    }
}
