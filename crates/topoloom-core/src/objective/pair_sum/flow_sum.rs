//! A sum over all flows, with what tables of all exchanges need: which ranks are affected when a
//! rank moves, and what each place then costs them.

use super::by_table::symmetric;
use super::pair_cost::PairCost;
use super::symmetric::weights_to_itself;
use super::table::CostTable;
use crate::machine::Machine;
use crate::objective::definition::Objective;
use crate::problem::Problem;
use crate::traffic::CommunicationGraph;

/// A sum over all flows of weight times the cost of the pair of nodes.
pub(crate) struct FlowSum<'a> {
    graph: &'a CommunicationGraph,
    machine: &'a Machine,
    costs: CostTable,
    /// Both directions of pairs, if both the traffic and the costs depend on the direction.
    directed: Option<Directed>,
    /// What each rank sends to itself; empty if a node costs nothing to itself.
    to_itself: Vec<f64>,
}

struct Directed {
    senders: Lists,
    receivers: Lists,
    /// The table with rows and columns exchanged.
    costs_back: CostTable,
}

/// Ranks with weights, list by list.
struct Lists {
    starts: Vec<usize>,
    entries: Vec<(u32, f64)>,
}

/// One part of the sum. If rank r moves from node x to node y, then what the flows of rank i cost
/// on node z changes by w(i) (c(y, z) - c(x, z)), with w from the list of r and c from `costs`.
#[derive(Clone, Copy)]
pub(crate) struct Part<'a> {
    lists: PartLists<'a>,
    pub(crate) costs: &'a CostTable,
}

#[derive(Clone, Copy)]
enum PartLists<'a> {
    Pairs(&'a CommunicationGraph),
    OneWay(&'a Lists),
}

impl<'a> FlowSum<'a> {
    /// The sum that `objective` is; `None` if it is not such a sum.
    pub(crate) fn of(problem: &'a Problem, objective: &dyn Objective) -> Option<FlowSum<'a>> {
        let nodes = problem.machine().num_nodes();
        let costs = CostTable::new(nodes, objective.node_costs(problem.machine())?);
        let (costs, directed) = match symmetric(problem, costs) {
            Ok(costs) => (costs, None),
            Err(costs) => {
                let directed = Directed::new(problem, &costs);
                (costs, Some(directed))
            }
        };
        let to_itself = if costs.has_diagonal() { weights_to_itself(problem) } else { Vec::new() };
        let (graph, machine) = (problem.graph(), problem.machine());
        Some(FlowSum { graph, machine, costs, directed, to_itself })
    }

    /// The parts that together are the sum.
    pub(crate) fn parts(&self) -> Vec<Part<'_>> {
        match &self.directed {
            None => vec![Part { lists: PartLists::Pairs(self.graph), costs: &self.costs }],
            Some(directed) => vec![
                Part { lists: PartLists::OneWay(&directed.senders), costs: &directed.costs_back },
                Part { lists: PartLists::OneWay(&directed.receivers), costs: &self.costs },
            ],
        }
    }

    /// All pairs, with the weight of both directions.
    pub(crate) fn graph(&self) -> &'a CommunicationGraph {
        self.graph
    }

    /// The machine whose nodes the costs are about.
    pub(crate) fn machine(&self) -> &'a Machine {
        self.machine
    }

    /// What a unit of weight costs from one node to another.
    pub(crate) fn costs(&self) -> &CostTable {
        &self.costs
    }

    /// What each rank sends to itself; empty if that costs nothing.
    pub(crate) fn to_itself(&self) -> &[f64] {
        &self.to_itself
    }

    /// Whether both the traffic and the costs depend on the direction.
    pub(crate) fn is_directed(&self) -> bool {
        self.directed.is_some()
    }
}

impl Directed {
    fn new(problem: &Problem, costs: &CostTable) -> Directed {
        let mut flows = Vec::new();
        problem.traffic().for_each_flow(problem.weight(), |from, to, weight| {
            if from != to && weight != 0.0 {
                flows.push((from, to, weight));
            }
        });
        let ranks = problem.num_ranks();
        let receivers = Lists::new(ranks, flows.iter().copied());
        let senders = Lists::new(ranks, flows.iter().map(|&(from, to, weight)| (to, from, weight)));
        let costs_back = CostTable::new(costs.nodes(), |from, to| costs.between(to, from));
        Directed { senders, receivers, costs_back }
    }
}

impl Lists {
    /// The lists of (owner, entry, weight), each in the given order.
    fn new(owners: usize, flows: impl Iterator<Item = (u32, u32, f64)> + Clone) -> Lists {
        let mut starts = vec![0; owners + 1];
        flows.clone().for_each(|(owner, ..)| starts[owner as usize + 1] += 1);
        (0..owners).for_each(|owner| starts[owner + 1] += starts[owner]);
        let mut next = starts.clone();
        let mut entries = vec![(0, 0.0); starts[owners]];
        for (owner, other, weight) in flows {
            entries[next[owner as usize]] = (other, weight);
            next[owner as usize] += 1;
        }
        Lists { starts, entries }
    }

    /// Empty for phantoms.
    fn of(&self, owner: u32) -> &[(u32, f64)] {
        match self.starts.get(owner as usize..owner as usize + 2) {
            Some(&[start, end]) => &self.entries[start..end],
            _ => &[],
        }
    }
}

impl Part<'_> {
    /// Calls `visit` with each rank that is affected when `rank` moves, and the weight. Phantoms
    /// affect no rank.
    #[inline]
    pub(crate) fn for_each_affected(&self, rank: u32, mut visit: impl FnMut(u32, f64)) {
        match self.lists {
            PartLists::Pairs(graph) => {
                graph.edges(rank).for_each(|(partner, weight)| visit(partner, weight));
            }
            PartLists::OneWay(lists) => {
                lists.of(rank).iter().for_each(|&(partner, weight)| visit(partner, weight));
            }
        }
    }
}
