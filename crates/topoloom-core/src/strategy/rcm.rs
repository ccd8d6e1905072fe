//! Reverse Cuthill-McKee: ranks in an order that keeps partners close, along nodes in an order
//! that keeps neighbours close.
//!
//! T. Hoefler and M. Snir, "Generic topology mapping strategies for large-scale parallel
//! architectures" (2011), after E. Cuthill and J. McKee (1969).

use std::sync::Arc;

use super::curves::CURVES;
use super::definition::{NotApplicable, Strategy};
use super::entry::StrategyEntry;
use super::unfinished::in_order_instead;
use crate::mapping::Mapping;
use crate::objective::{HopBytes, Objective};
use crate::problem::Problem;
use crate::refiner::surroundings::Surroundings;
use crate::run::Run;

/// The registry's entry.
pub static ENTRY: StrategyEntry = StrategyEntry {
    name: "rcm",
    summary: "reverse Cuthill-McKee order of the traffic, along that of the machine or a curve",
    example: "rcm",
    parameters: &[],
    build: |spec| {
        spec.no_shape()?;
        Ok(Arc::new(Rcm))
    },
};

/// Two reverse Cuthill-McKee orders, matched one to the other.
#[derive(Debug, Clone, Copy)]
pub struct Rcm;

impl Strategy for Rcm {
    fn map(
        &self,
        problem: &Problem,
        objective: Option<&dyn Objective>,
        run: &mut Run,
    ) -> Result<Mapping, NotApplicable> {
        let objective = objective.unwrap_or(&HopBytes);
        let machine = problem.machine();
        let graph = problem.graph();
        let orders = |run: &mut Run| {
            let ranks =
                reverse_cuthill_mckee(problem.num_ranks(), |rank| graph.partners(rank), run)?;
            let surroundings = Surroundings::in_time(machine, run)?;
            let nodes =
                reverse_cuthill_mckee(machine.num_nodes(), |node| surroundings.of(node), run)?;
            Some((ranks, nodes))
        };
        let Some((ranks, nodes)) = orders(run) else {
            return in_order_instead(ENTRY.name, problem, run);
        };
        let mut walks = vec![nodes];
        // The order by levels cuts a box into slices; a curve stays in corners. Sometimes one is
        // better, sometimes the other.
        if let Some(lengths) = machine.topology().grid_lengths() {
            let hilbert = CURVES.iter().find(|curve| curve.name == "hilbert");
            walks.extend(hilbert.map(|curve| (curve.walk)(lengths)));
        }
        let mut best: Option<(f64, Mapping)> = None;
        for walk in walks {
            if best.is_some() && run.out_of_time() {
                break;
            }
            let mapping = along(&ranks, &walk, problem);
            let cost = objective.cost(problem, &mapping);
            run.count(1);
            if best.as_ref().is_none_or(|(least, _)| cost < *least) {
                best = Some((cost, mapping));
            }
        }
        Ok(best.expect("there is at least one walk").1)
    }
}

/// Puts the ranks, in their order, in the slots of the nodes, in theirs.
fn along(ranks: &[u32], nodes: &[u32], problem: &Problem) -> Mapping {
    let per_node = problem.machine().slots_per_node();
    let mut slots = vec![0; ranks.len()];
    for (position, &rank) in (0u32..).zip(ranks) {
        let node = nodes[(position / per_node) as usize];
        slots[rank as usize] = node * per_node + position % per_node;
    }
    Mapping::new(slots, problem.machine()).expect("the walk visits each node once")
}

/// The reverse Cuthill-McKee order of a graph: component by component, breadth first from a
/// peripheral vertex, neighbours of low degree first, and all reversed. Takes O(edges log degree).
fn reverse_cuthill_mckee<'a>(
    vertices: usize,
    neighbours: impl Fn(u32) -> &'a [u32],
    run: &mut Run,
) -> Option<Vec<u32>> {
    let mut order = Vec::with_capacity(vertices);
    let mut search = Search { level: vec![u32::MAX; vertices], reached: Vec::new() };
    let mut placed = vec![false; vertices];
    for vertex in 0..vertices as u32 {
        // If only some neighbours are listed, there may be no way back from the periphery: then the
        // vertex itself starts the remaining part.
        while !placed[vertex as usize] {
            let rim = search.vertex_at_the_rim(vertex, &neighbours, run)?;
            let start = if placed[rim as usize] { vertex } else { rim };
            let mut next = order.len();
            placed[start as usize] = true;
            order.push(start);
            while next < order.len() {
                let at: u32 = order[next];
                if !run.goes_on(1 + 4 * neighbours(at).len() as u64) {
                    return None;
                }
                let from = order.len();
                for &other in neighbours(at) {
                    if !std::mem::replace(&mut placed[other as usize], true) {
                        order.push(other);
                    }
                }
                order[from..].sort_by_key(|&other| (neighbours(other).len(), other));
                next += 1;
            }
        }
    }
    order.reverse();
    Some(order)
}

struct Search {
    level: Vec<u32>,
    reached: Vec<u32>,
}

impl Search {
    /// A vertex far from others: the farthest from the farthest from `start`, among those the one
    /// of least degree, and so on while the distance grows (George and Liu, 1979).
    fn vertex_at_the_rim<'a>(
        &mut self,
        start: u32,
        neighbours: &impl Fn(u32) -> &'a [u32],
        run: &mut Run,
    ) -> Option<u32> {
        let (mut rim, mut height) = (start, 0);
        // Long before this many rounds the distance stops growing.
        for _ in 0..8 {
            let (farthest, levels) = self.farthest(rim, neighbours, run)?;
            if levels <= height {
                break;
            }
            (rim, height) = (farthest, levels);
        }
        Some(rim)
    }

    /// The vertex of least degree among those farthest from `start`, and its distance.
    fn farthest<'a>(
        &mut self,
        start: u32,
        neighbours: &impl Fn(u32) -> &'a [u32],
        run: &mut Run,
    ) -> Option<(u32, u32)> {
        self.reached.clear();
        self.reached.push(start);
        self.level[start as usize] = 0;
        let mut next = 0;
        while next < self.reached.len() {
            let at = self.reached[next];
            if !run.goes_on(1 + neighbours(at).len() as u64) {
                return None;
            }
            for &other in neighbours(at) {
                if self.level[other as usize] == u32::MAX {
                    self.level[other as usize] = self.level[at as usize] + 1;
                    self.reached.push(other);
                }
            }
            next += 1;
        }
        let last = self.reached[self.reached.len() - 1];
        let height = self.level[last as usize];
        let at_the_end = self.reached.iter().rev();
        let farthest = at_the_end
            .take_while(|&&vertex| self.level[vertex as usize] == height)
            .min_by_key(|&&vertex| (neighbours(vertex).len(), vertex));
        let farthest = farthest.copied().unwrap_or(start);
        for &vertex in &self.reached {
            self.level[vertex as usize] = u32::MAX;
        }
        Some((farthest, height))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Machine, Weight, parse_pattern};

    #[test]
    fn every_node_is_visited_where_only_some_neighbours_are_listed() {
        // A node of the inner layers has 2 * 64 + 4 neighbours.
        let machine = Machine::parse("haec:8x8x8").unwrap();
        let traffic = parse_pattern("stencil:16x32").unwrap();
        let problem = Problem::new(traffic, machine, Weight::Bytes).unwrap();
        assert!(Rcm.map(&problem, None, &mut Run::new(1)).is_ok());
    }

    #[test]
    fn a_shuffled_path_is_laid_along_a_line_without_detours() {
        let mut builder = crate::TrafficBuilder::new(7);
        for pair in [3, 0, 6, 1, 5, 2, 4].windows(2) {
            builder.add(pair[0], pair[1], 1.0, 1.0);
        }
        let machine = Machine::parse("mesh:7").unwrap();
        let problem = Problem::new(builder.build(), machine, Weight::Bytes).unwrap();
        let mapping = Rcm.map(&problem, None, &mut Run::new(1)).unwrap();
        assert_eq!(HopBytes.cost(&problem, &mapping), 6.0);
    }

    #[test]
    fn the_order_holds_everyone_once_however_many_parts_there_are() {
        let traffic = parse_pattern("random:ranks=50,degree=1").unwrap();
        let graph = traffic.graph(Weight::Bytes);
        let run = &mut Run::new(1);
        let mut order = reverse_cuthill_mckee(50, |rank| graph.partners(rank), run).unwrap();
        order.sort_unstable();
        assert!(order.iter().copied().eq(0..50));
    }
}
