//! An evolution of placements if ranks share slots: how the engine makes them and joins them.

use super::arrange::arrange;
use super::graph::Graph;
use super::multisection::Target;
use super::region::Hierarchy;
use super::slots::{breadth_first, graph_of, node_capacity, slots_of_nodes};
use super::work::Work;
use crate::crew::fingerprint;
use crate::evolution::{Breeding, Evolution, Fitness};
use crate::machine::Machine;
use crate::problem::Problem;
use crate::random;
use crate::run::Run;
use crate::topology::Metric;
use crate::with_metric;

/// Generations without a number from the user: five to twelve times the work of `strong` for bcsstk29
/// and memplus of Walshaw's archive.
const GENERATIONS: u64 = 14;

/// The number of the random stream of choices here.
const CHOICES: u64 = 0x6973_6c61_6e64;

/// The slot of each rank after an evolution that begins with the slots in `first`, if there are
/// any.
pub fn evolve(
    problem: &Problem,
    objective: &str,
    first: impl FnOnce(&mut Run) -> Option<Vec<u32>>,
    run: &mut Run,
) -> Option<Vec<u32>> {
    let machine = problem.machine();
    let order = breadth_first(problem.graph());
    let graph = graph_of(problem, &order);
    let mark = fingerprint("multilevel", problem, objective, run);
    let generations = run.generations().unwrap_or(GENERATIONS);
    let nodes = with_metric!(machine.metric(), metric => {
        let hierarchy = Hierarchy::new(machine.topology());
        let node_capacity = node_capacity(problem);
        let target = Target { hierarchy, metric, node_capacity, arranged: true };
        let work = Work::of_one_of_many();
        let breeding = Spreading { target, graph: &graph, machine, work };
        let evolution = Evolution { breeding: &breeding, generations, mark, enough: 0.0 };
        let in_order = |run: &mut Run| {
            let nodes = |slots: Vec<u32>| {
                let node = |&rank: &u32| slots[rank as usize] / machine.slots_per_node();
                order.iter().map(node).collect()
            };
            first(run).map(nodes).into_iter().collect()
        };
        evolution.run(in_order, run)
    })?;
    let mut node_of_rank = vec![0; order.len()];
    for (&rank, node) in order.iter().zip(nodes) {
        node_of_rank[rank as usize] = node;
    }
    Some(slots_of_nodes(problem, &node_of_rank))
}

/// Placements are made by spreading a graph over a machine. They have a node for each vertex.
struct Spreading<'a, M> {
    target: Target<'a, M>,
    graph: &'a Graph,
    machine: &'a Machine,
    work: Work,
}

impl<M: Metric> Spreading<'_, M> {
    /// The graph spread again, part by part, like the parents.
    fn spread_like(&self, parents: &[&[u32]], run: &mut Run) -> Vec<u32> {
        let mut nodes = self.target.spread_like(parents, self.graph, &self.work, run);
        arrange(self.graph, &mut nodes, self.machine, &self.work, run);
        self.target.refine(self.graph, &mut nodes, &self.work, run);
        nodes
    }

    /// A placement at least as good as the first one, with what is better in the second.
    fn at_least(&self, first: &[u32], second: Vec<u32>, run: &mut Run) -> Vec<u32> {
        let judge = |nodes: &[u32]| self.target.judge(self.graph, nodes);
        if judge(&second) < judge(first) {
            return second;
        }
        self.target.combine(self.graph, first, &second, &self.work, run)
    }
}

impl<M: Metric> Breeding for Spreading<'_, M> {
    fn founder(&self, run: &mut Run) -> Vec<u32> {
        self.spread_like(&[], run)
    }

    fn child(&self, better: &[u32], other: &[u32], run: &mut Run) -> Vec<u32> {
        if self.target.hierarchy.is_tree() {
            let child = self.spread_like(&[better, other], run);
            return self.at_least(better, child, run);
        }
        self.target.combine(self.graph, better, other, &self.work, run)
    }

    /// Coarsened around the parent and refined again with other random choices, or joined with a
    /// placement from scratch.
    fn mutant(&self, parent: &[u32], run: &mut Run) -> Vec<u32> {
        let mut rng = random::stream(run.seed(), &[CHOICES]);
        let other = if random::below(&mut rng, 2) == 0 && self.target.hierarchy.is_tree() {
            self.spread_like(&[parent], run)
        } else {
            self.founder(run)
        };
        self.child(parent, &other, run)
    }

    fn judge(&self, nodes: &[u32]) -> Option<Fitness> {
        let exists = |&node: &u32| (node as usize) < self.machine.num_nodes();
        if nodes.len() != self.graph.len() || !nodes.iter().all(exists) {
            return None;
        }
        let (overload, cost) = self.target.judge(self.graph, nodes);
        Some(Fitness { overload, cost })
    }

    /// What edges cost more in one placement than in the other. If all distances were equal, this
    /// would be the edges that only one of them cuts. Two placements that differ only in the names
    /// of nodes do not differ: counting vertices on other nodes would miss that.
    fn difference(&self, a: &[u32], b: &[u32]) -> f64 {
        let metric = self.target.metric;
        let mut sum = 0.0;
        for vertex in 0..self.graph.len() as u32 {
            let hops = |nodes: &[u32], to: u32| {
                i64::from(metric.distance(nodes[vertex as usize], nodes[to as usize]))
            };
            for edge in self.graph.edges(vertex).iter().filter(|edge| edge.to > vertex) {
                let hops = (hops(a, edge.to) - hops(b, edge.to)).unsigned_abs();
                sum += f64::from(edge.weight) * hops as f64;
            }
        }
        sum
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Weight, parse_pattern};

    #[test]
    fn a_child_is_at_least_as_good_as_the_better_parent() {
        let traffic = parse_pattern("random:ranks=200,degree=4").unwrap();
        for machine in ["tree:3:4,distances=1:10", "torus:4x3"] {
            let machine = Machine::parse(machine).unwrap();
            let problem =
                Problem::with_imbalance(traffic.clone(), machine.clone(), Weight::Bytes, Some(0.1));
            let problem = problem.unwrap();
            let graph = graph_of(&problem, &breadth_first(problem.graph()));
            with_metric!(machine.metric(), metric => {
                let hierarchy = Hierarchy::new(machine.topology());
                let node_capacity = node_capacity(&problem);
                let target = Target { hierarchy, metric, node_capacity, arranged: true };
                let work = Work::of_one_of_many();
                let breeding = Spreading { target, graph: &graph, machine: &machine, work };
                let judge = |nodes: &[u32]| breeding.judge(nodes).unwrap();
                for seed in 0..5 {
                    let run = &mut Run::new(seed);
                    let mut better = breeding.founder(run);
                    let mut other = breeding.founder(&mut Run::new(seed + 100));
                    if judge(&other).is_better_than(judge(&better)) {
                        std::mem::swap(&mut better, &mut other);
                    }
                    for child in [breeding.child(&better, &other, run), breeding.mutant(&better, run)] {
                        assert!(!judge(&better).is_better_than(judge(&child)));
                        assert_eq!(judge(&child).overload, 0.0);
                    }
                    assert_eq!(breeding.difference(&better, &better), 0.0);
                }
            });
        }
    }
}
