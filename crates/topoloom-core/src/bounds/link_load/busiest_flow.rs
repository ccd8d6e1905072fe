//! Busiest flow: what one rank sends to another one on a different node crosses at least one link, and
//! is divided among links only as far as the routing divides it.

use super::entry::{LinkBoundEntry, Sight};
use crate::bounds::entry::Work;
use crate::bounds::meter::Meter;
use crate::ids::Vertex;

/// The registry's entry.
pub(super) static ENTRY: LinkBoundEntry =
    LinkBoundEntry { name: "busiest flow", work: Work::Thorough, compute: busiest_flow };

/// If the routing divides flows, the routes of all pairs of nodes are examined.
const MOST_NODES: usize = 128;
/// Links on these routes: a tenth of a second. A routing with detours takes many links for each pair.
const MOST_LINKS: usize = 1 << 19;

fn busiest_flow(sight: &Sight<'_>, meter: &mut Meter<'_>) -> Option<f64> {
    let problem = sight.view.problem;
    let together = sight.view.ranks_on_node as usize - 1;
    let mut sent = vec![Vec::new(); problem.num_ranks()];
    problem.traffic().for_each_flow(problem.weight(), |from, to, weight| {
        if from != to {
            sent[from as usize].push(weight);
        }
    });
    // Of this many heaviest flows of a rank, one leaves its node.
    let leaving = sent.into_iter().map(|mut weights| {
        weights.sort_unstable_by(|a, b| b.total_cmp(a));
        weights.get(together).copied().unwrap_or(0.0)
    });
    Some(leaving.fold(0.0, f64::max) * least_share(sight, meter)?)
}

/// The least that a flow of weight 1 loads its busiest link, between any two nodes.
fn least_share(sight: &Sight<'_>, meter: &Meter<'_>) -> Option<f64> {
    let machine = sight.view.problem.machine();
    let (topology, routing) = (machine.topology(), machine.routing());
    // No link is faster than the fastest.
    if routing.is_straight() {
        return Some(1.0);
    }
    let nodes = topology.num_nodes();
    if nodes > MOST_NODES {
        return None;
    }
    let mut least = f64::INFINITY;
    let mut seen = 0;
    for from in 0..nodes as u32 {
        for to in (0..nodes as u32).filter(|&to| to != from) {
            if seen > MOST_LINKS || !meter.has_time() {
                return None;
            }
            let mut loads = std::collections::BTreeMap::new();
            routing.route(topology, Vertex(from), Vertex(to), &mut |id, share| {
                *loads.entry(id.0).or_insert(0.0) += share;
                seen += 1;
            });
            let relative = |(&id, &share): (&u64, &f64)| {
                let link = topology.link(crate::ids::LinkId(id));
                link.map_or(0.0, |link| share / sight.links.relative(&link))
            };
            least = least.min(loads.iter().map(relative).fold(0.0, f64::max));
        }
    }
    least.is_finite().then_some(least)
}
