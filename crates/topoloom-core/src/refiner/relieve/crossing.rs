//! Which ranks have traffic across a link.

use crate::ids::{LinkId, Vertex};
use crate::mapping::Placement;
use crate::problem::Problem;
use crate::routing::RelativeRoutes;
use crate::topology::Metric;
use crate::with_metric;

/// Finds the ranks whose traffic crosses a link.
pub(super) struct Crossing<'a> {
    problem: &'a Problem,
    routes: RelativeRoutes<'a>,
    /// What each rank puts on the link.
    on_link: Vec<f64>,
    /// Hops from each node to the start of the link, and from its end to each node.
    before: Vec<u32>,
    after: Vec<u32>,
}

impl<'a> Crossing<'a> {
    pub(super) fn new(problem: &'a Problem) -> Self {
        Crossing {
            problem,
            routes: RelativeRoutes::new(problem.machine()),
            on_link: vec![0.0; problem.num_ranks()],
            before: Vec::new(),
            after: Vec::new(),
        }
    }

    /// The ranks that send or receive over a link, those with the heaviest traffic on it first.
    pub(super) fn ranks(&mut self, placement: &Placement, link: u32) -> Vec<u32> {
        let machine = self.problem.machine();
        let topology = machine.topology();
        let Some(ends) = topology.link(LinkId(u64::from(link))) else { return Vec::new() };
        let nodes = || (0..machine.num_nodes() as u32).map(Vertex);
        // On a cluster distances are costs, and hops lead to places only. They are the same both ways.
        let in_hops = topology.cluster().is_none();
        let before = |node| match in_hops {
            true => topology.distance(node, ends.from),
            false => topology.hops(ends.from, node),
        };
        self.before.clear();
        self.before.extend(nodes().map(before));
        self.after.clear();
        self.after.extend(nodes().map(|node| topology.hops(ends.to, node)));
        self.on_link.fill(0.0);
        let is_shortest = !machine.routing().may_be_longer();
        with_metric!(machine.metric(), metric => {
            self.problem.traffic().for_each_flow(self.problem.weight(), |from, to, weight| {
                let (source, target) = (placement.node_of(from), placement.node_of(to));
                if source == target {
                    return;
                }
                // If routes are shortest, distance alone excludes most flows.
                let over = self.before[source as usize] + 1 + self.after[target as usize];
                let hops = || match in_hops {
                    true => metric.distance(source, target),
                    false => topology.hops(Vertex(source), Vertex(target)),
                };
                if is_shortest && over != hops() {
                    return;
                }
                self.routes.for_each(source, target, |crossed, share| {
                    if crossed == link as usize {
                        self.on_link[from as usize] += weight * share;
                        self.on_link[to as usize] += weight * share;
                    }
                });
            });
        });
        let loaded = |&rank: &u32| self.on_link[rank as usize] > 0.0;
        let mut ranks: Vec<u32> = (0..self.on_link.len() as u32).filter(loaded).collect();
        let heavier = |&a: &u32, &b: &u32| {
            self.on_link[b as usize].total_cmp(&self.on_link[a as usize]).then(a.cmp(&b))
        };
        ranks.sort_by(heavier);
        ranks
    }
}
