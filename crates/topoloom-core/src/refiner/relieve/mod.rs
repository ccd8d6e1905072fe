//! Relief for the most loaded link: ranks that use it are exchanged with others near their
//! partners, until no such exchange has a gain.

mod crossing;

use std::sync::Arc;

use crossing::Crossing;

use super::definition::Refiner;
use super::entry::RefinerEntry;
use super::surroundings::Surroundings;
use crate::mapping::Mapping;
use crate::objective::{CostTracker, LinkTracker, MaxLinkLoad, Objective, check_links};
use crate::problem::Problem;
use crate::registry::Parameter;
use crate::run::Run;

/// The registry's entry.
pub static ENTRY: RefinerEntry = RefinerEntry {
    name: "relieve",
    summary: "exchanges of ranks whose traffic crosses the busiest link, until none improves",
    example: "relieve",
    parameters: &[
        Parameter {
            name: "links",
            default: "32",
            summary: "busiest links to try without success before it ends",
        },
        Parameter { name: "exchanges", default: "2000", summary: "exchanges to examine per link" },
    ],
    build: |spec| {
        spec.no_shape()?;
        let usual = Relieve::default();
        Ok(Arc::new(Relieve {
            links: spec.get("links", "a number")?.unwrap_or(usual.links),
            exchanges: spec.get("exchanges", "a number")?.unwrap_or(usual.exchanges),
        }))
    },
};

/// Exchanges of ranks whose traffic crosses the most loaded links.
#[derive(Debug, Clone, Copy)]
pub struct Relieve {
    /// Links to try without a gain before the search ends.
    pub links: usize,
    /// Exchanges to examine for one link.
    pub exchanges: usize,
}

impl Default for Relieve {
    fn default() -> Self {
        Relieve { links: 32, exchanges: 2000 }
    }
}

impl Refiner for Relieve {
    fn usual_objective(&self) -> &'static dyn Objective {
        &MaxLinkLoad
    }

    fn refine(
        &self,
        problem: &Problem,
        objective: Option<&dyn Objective>,
        start: Mapping,
        run: &mut Run,
    ) -> Mapping {
        if check_links(problem.machine()).is_err() || problem.sharing().is_some() {
            return start;
        }
        if run.out_of_time() {
            return start;
        }
        let objective = objective.unwrap_or(&MaxLinkLoad);
        let Some(links) = MaxLinkLoad::links_within(problem, &start, run) else {
            run.must_stop();
            return start;
        };
        // Another objective makes the final decision on every exchange.
        let other =
            (objective.name() != MaxLinkLoad.name()).then(|| objective.track(problem, &start));
        let Some(surroundings) = Surroundings::in_time(problem.machine(), run) else {
            return start;
        };
        let mut relief = Relief {
            problem,
            links,
            other,
            surroundings,
            crossing: Crossing::new(problem),
            aimed: vec![0; problem.machine().num_nodes()],
            turn: 0,
        };
        relief.go_on(self, run);
        relief.links.placement().mapping()
    }
}

struct Relief<'a> {
    problem: &'a Problem,
    links: LinkTracker<'a>,
    other: Option<Box<dyn CostTracker + 'a>>,
    surroundings: Surroundings,
    crossing: Crossing<'a>,
    /// The turn in which a node was last a target.
    aimed: Vec<u32>,
    turn: u32,
}

impl Relief<'_> {
    /// One link after the other, starting with the most loaded, until `limits.links` of them find
    /// no gain in a row.
    fn go_on(&mut self, limits: &Relieve, run: &mut Run) {
        let mut in_vain = Vec::new();
        while in_vain.len() < limits.links {
            let Some(link) = self.links.most_loaded_except(&in_vain) else { return };
            let (gained, examined) = self.relieve(link, limits.exchanges, run);
            if gained {
                in_vain.clear();
            } else {
                in_vain.push(link);
            }
            if !run.spend_long(examined.max(1)) {
                return;
            }
        }
    }

    /// Tries exchanges of ranks whose traffic crosses a link, heaviest first. Returns whether one
    /// had a gain, and how many were examined.
    fn relieve(&mut self, link: u32, most: usize, run: &mut Run) -> (bool, u64) {
        let ranks = self.crossing.ranks(self.links.placement(), link);
        let mut left = most;
        for rank in ranks {
            let best = self.best_near_partners(rank, &mut left, run);
            if let Some((other, _)) = best {
                self.swap(rank, other);
                return (true, (most - left) as u64);
            }
            if left == 0 || run.was_cut_short() {
                break;
            }
        }
        (false, (most - left) as u64)
    }

    /// The best exchange of `rank` with a rank on or next to the nodes of its partners, if it has a
    /// gain.
    fn best_near_partners(
        &mut self,
        rank: u32,
        left: &mut usize,
        run: &mut Run,
    ) -> Option<(u32, f64)> {
        let graph = self.problem.graph();
        let partners = graph.num_partners(rank);
        let mut best: Option<(u32, f64)> = None;
        for slot in self.slots_near_partners(rank) {
            if *left == 0 {
                break;
            }
            *left -= 1;
            let other = self.links.placement().in_slot(slot);
            if !run.goes_on((1 + partners + graph.num_partners(other)) as u64) {
                break;
            }
            let delta = self.delta(rank, other);
            if delta < best.map_or(-self.least_gain(), |(_, least)| least) {
                best = Some((other, delta));
            }
        }
        best
    }

    /// The slots on and next to the nodes of the partners of `rank`, except those of its own node.
    fn slots_near_partners(&mut self, rank: u32) -> Vec<u32> {
        self.turn += 1;
        let placement = self.links.placement();
        self.aimed[placement.node_of(rank) as usize] = self.turn;
        let mut slots = Vec::new();
        for &partner in self.problem.graph().partners(rank) {
            let near = placement.node_of(partner);
            for &node in std::iter::once(&near).chain(self.surroundings.of(near)) {
                if std::mem::replace(&mut self.aimed[node as usize], self.turn) != self.turn {
                    let per_node = self.problem.machine().slots_per_node();
                    slots.extend(node * per_node..(node + 1) * per_node);
                }
            }
        }
        slots
    }

    /// A decrease due to rounding is not a gain.
    fn least_gain(&self) -> f64 {
        1e-12 * self.other.as_ref().map_or(self.links.cost(), |other| other.cost()).abs()
    }

    fn delta(&mut self, a: u32, b: u32) -> f64 {
        match &mut self.other {
            Some(other) => other.swap_delta(a, b),
            None => self.links.swap_delta(a, b),
        }
    }

    fn swap(&mut self, a: u32, b: u32) {
        if let Some(other) = &mut self.other {
            other.swap(a, b);
        }
        self.links.swap(a, b);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Machine, TrafficBuilder, Weight};

    #[test]
    fn the_heavy_pair_of_a_square_moves_to_the_diagonal() {
        // Figure 1 of the RAHTM paper: the heavy pair has one route if it is adjacent, and two
        // across the diagonal.
        let mut builder = TrafficBuilder::new(4);
        builder.add_both_ways(0, 1, 1.0, 10.0);
        for (a, b) in [(0, 2), (1, 3), (2, 3)] {
            builder.add_both_ways(a, b, 1.0, 1.0);
        }
        let machine = Machine::parse("mesh:2x2").unwrap().with_routing("minimal-adaptive").unwrap();
        let problem = Problem::new(builder.build(), machine, Weight::Bytes).unwrap();
        let start = Mapping::new(vec![0, 1, 2, 3], problem.machine()).unwrap();
        assert!(MaxLinkLoad.cost(&problem, &start) > 10.0);
        let relieved = Relieve::default().refine(&problem, None, start, &mut Run::new(1));
        assert!(MaxLinkLoad.cost(&problem, &relieved) < 6.51);
        let [a, b] = [0, 1].map(|rank| relieved.node_of(crate::Rank(rank)).0);
        assert_eq!(a ^ b, 3);
    }
}
