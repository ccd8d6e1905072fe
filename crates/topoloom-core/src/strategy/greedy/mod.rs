//! Greedy growth: the rank with most traffic to placed ranks goes where it costs least.

mod free_slots;

use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::sync::Arc;

use free_slots::FreeSlots;

use super::definition::{NotApplicable, Strategy};
use super::entry::StrategyEntry;
use super::unfinished::{NOWHERE, fill_up};
use crate::mapping::Mapping;
use crate::objective::Objective;
use crate::problem::Problem;
use crate::run::Run;
use crate::topology::Metric;
use crate::traffic::CommunicationGraph;
use crate::with_metric;

/// The registry's entry.
pub static ENTRY: StrategyEntry = StrategyEntry {
    name: "greedy",
    summary: "places the rank with most traffic to placed ranks in the free slot of least hop-bytes",
    example: "greedy",
    parameters: &[],
    build: |spec| {
        spec.no_shape()?;
        Ok(Arc::new(Greedy))
    },
};

/// Greedy growth from the centre of the machine.
#[derive(Debug, Clone, Copy)]
pub struct Greedy;

impl Strategy for Greedy {
    fn map(
        &self,
        problem: &Problem,
        _objective: Option<&dyn Objective>,
        run: &mut Run,
    ) -> Result<Mapping, NotApplicable> {
        let slots = with_metric!(problem.machine().metric(), metric => grow(problem, metric, run));
        Ok(Mapping::new(slots, problem.machine()).expect("each slot is taken once"))
    }
}

/// All ranks; those that send and receive most come first.
fn by_traffic(graph: &CommunicationGraph) -> Vec<u32> {
    let mut ranks: Vec<u32> = (0..graph.num_ranks() as u32).collect();
    let traffic: Vec<f64> =
        ranks.iter().map(|&rank| graph.weights(rank).iter().sum::<f64>()).collect();
    ranks.sort_by(|&a, &b| traffic[b as usize].total_cmp(&traffic[a as usize]));
    ranks
}

/// The slot of each rank.
fn grow<M: Metric>(problem: &Problem, metric: &M, run: &mut Run) -> Vec<u32> {
    let graph = problem.graph();
    let ranks = problem.num_ranks();
    let per_node = problem.machine().slots_per_node();
    let centre = problem.machine().topology().central_node().0;
    let mut free = FreeSlots::new(problem.machine(), metric);
    let mut slot_of = vec![NOWHERE; ranks];
    let mut heap: BinaryHeap<Waiting> = BinaryHeap::new();
    let mut to_placed = vec![0.0; ranks];
    let mut arrival = 0;
    let mut places: Vec<(u32, f64)> = Vec::new();

    for seed in by_traffic(graph) {
        if slot_of[seed as usize] == NOWHERE {
            heap.push(Waiting { traffic: 0.0, arrival, rank: seed });
        }
        while let Some(Waiting { rank, .. }) = heap.pop() {
            // A rank that has gained traffic since is in the heap again, further up.
            if slot_of[rank as usize] != NOWHERE {
                continue;
            }
            places.clear();
            for (partner, weight) in graph.edges(rank) {
                let slot = slot_of[partner as usize];
                if slot != NOWHERE {
                    places.push((slot / per_node, weight));
                }
            }
            if places.is_empty() {
                places.push((centre, 1.0));
            }
            let node = free.take_cheapest(&places);
            slot_of[rank as usize] = node.0 * per_node + node.1;
            // A limit on evaluations does not apply here: half a placement is of little use.
            run.count(1);
            if !run.goes_on(1 + places.len() as u64) {
                fill_up(ENTRY.name, &mut slot_of, problem, run);
                return slot_of;
            }
            for (partner, weight) in graph.edges(rank) {
                if slot_of[partner as usize] == NOWHERE {
                    to_placed[partner as usize] += weight;
                    arrival += 1;
                    let traffic = to_placed[partner as usize];
                    heap.push(Waiting { traffic, arrival, rank: partner });
                }
            }
        }
    }
    slot_of
}

/// A rank and its traffic to placed ranks. Among equals, the first to arrive comes first, which
/// keeps growth compact.
#[derive(Debug, PartialEq)]
struct Waiting {
    traffic: f64,
    arrival: u64,
    rank: u32,
}

impl Eq for Waiting {}

impl Ord for Waiting {
    fn cmp(&self, other: &Self) -> Ordering {
        self.traffic
            .total_cmp(&other.traffic)
            .then(other.arrival.cmp(&self.arrival))
            .then(other.rank.cmp(&self.rank))
    }
}

impl PartialOrd for Waiting {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::objective::HopBytes;
    use crate::{Machine, Weight, parse_pattern};

    fn cost(traffic: &str, machine: &str) -> f64 {
        let machine = Machine::parse(machine).unwrap();
        let problem =
            Problem::new(parse_pattern(traffic).unwrap(), machine, Weight::Bytes).unwrap();
        let mapping = Greedy.map(&problem, None, &mut Run::new(1)).unwrap();
        HopBytes.cost(&problem, &mapping)
    }

    #[test]
    fn a_path_grows_hop_by_hop_while_there_is_room() {
        // Seven pairs both ways; the centre of the torus lets both ends grow.
        assert_eq!(cost("stencil:8", "torus:32"), 14.0);
        // All on one node.
        assert_eq!(cost("ring:6", "mesh:3,slots=6"), 0.0);
    }

    #[test]
    fn a_rank_goes_where_its_placed_partners_are() {
        assert_eq!(cost("all-to-all:2", "mesh:4x4"), 2.0);
    }
}
