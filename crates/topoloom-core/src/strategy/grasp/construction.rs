//! The first phase: a placement that is both greedy and random.

use crate::objective::pair_sum::{CostTable, PairCost};
use crate::problem::Problem;
use crate::random::{self, Stream};
use crate::run::Run;

/// The common start of every construction.
pub(super) struct Construction<'a> {
    problem: &'a Problem,
    costs: &'a CostTable,
    alpha: f64,
    /// Stage 1: pairs of ranks and pairs of slots for them, the cheapest first.
    beginnings: Vec<[u32; 4]>,
}

impl<'a> Construction<'a> {
    /// Sorts the choices of stage 1: the largest flows and the smallest costs, a share `beta` of
    /// all flows, are multiplied one by one, and the smallest share `alpha` of the products is
    /// kept. Pairs that exchange nothing give no information and are left out, as for sparse
    /// problems.
    pub(super) fn new(problem: &'a Problem, costs: &'a CostTable, alpha: f64, beta: f64) -> Self {
        let mut flows: Vec<(f64, [u32; 2])> =
            problem.graph().pairs().map(|(a, b, weight)| (weight, [a, b])).collect();
        flows.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        let slots = problem.num_slots() as u32;
        let per_node = problem.machine().slots_per_node();
        let mut places: Vec<(f64, [u32; 2])> = Vec::new();
        for a in 0..slots {
            for b in a + 1..slots {
                places.push((costs.between(a / per_node, b / per_node), [a, b]));
            }
        }
        let kept = share_of(beta, flows.len()).min(places.len());
        let by_cost =
            |a: &(f64, [u32; 2]), b: &(f64, [u32; 2])| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1));
        if kept > 0 && kept < places.len() {
            places.select_nth_unstable_by(kept - 1, by_cost);
        }
        places.truncate(kept);
        places.sort_by(by_cost);
        let mut products: Vec<(f64, [u32; 4])> = flows
            .iter()
            .zip(&places)
            .map(|(&(weight, [i, j]), &(cost, [k, l]))| (weight * cost, [i, j, k, l]))
            .collect();
        products.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        products.truncate(share_of(alpha, products.len()));
        let beginnings = products.into_iter().map(|(_, beginning)| beginning).collect();
        Construction { problem, costs, alpha, beginnings }
    }

    /// The slot of each rank. If the time is up, the remaining ranks take the free slots in order.
    pub(super) fn build(&self, rng: &mut Stream, run: &mut Run) -> Vec<u32> {
        let mut state = State::new(self.problem, self.costs);
        if !self.beginnings.is_empty() {
            let choice = random::below(rng, self.beginnings.len() as u32) as usize;
            let [i, j, k, l] = self.beginnings[choice];
            // Swapping the two makes no difference: both directions cost the same.
            state.place(i, k);
            state.place(j, l);
        }
        while !state.open.is_empty() {
            if !run.goes_on((state.open.len() * state.free.len()) as u64) {
                for (&rank, &slot) in state.open.iter().zip(&state.free) {
                    state.slot_of[rank as usize] = slot;
                }
                break;
            }
            let (rank, slot) = state.choose(self.alpha, rng);
            state.place(rank, slot);
        }
        state.slot_of
    }
}

/// The given share of `count`, but at least 1 if there are any.
fn share_of(share: f64, count: usize) -> usize {
    ((share * count as f64) as usize).clamp(count.min(1), count)
}

/// A placement of some of the ranks.
struct State<'a> {
    problem: &'a Problem,
    costs: &'a CostTable,
    slot_of: Vec<u32>,
    /// Ranks without a slot and slots without a rank.
    open: Vec<u32>,
    free: Vec<u32>,
    /// What the pairs of each rank with placed ranks would cost on each node.
    cost_at: Vec<f64>,
    /// Scratch: what each choice costs, and its number.
    choices: Vec<(f64, u32)>,
}

impl<'a> State<'a> {
    fn new(problem: &'a Problem, costs: &'a CostTable) -> Self {
        let ranks = problem.num_ranks();
        State {
            problem,
            costs,
            slot_of: vec![0; ranks],
            open: (0..ranks as u32).collect(),
            free: (0..problem.num_slots() as u32).collect(),
            cost_at: vec![0.0; ranks * costs.nodes()],
            choices: Vec::new(),
        }
    }

    fn place(&mut self, rank: u32, slot: u32) {
        self.slot_of[rank as usize] = slot;
        self.open.retain(|&other| other != rank);
        self.free.retain(|&other| other != slot);
        let (nodes, per_node) = (self.costs.nodes(), self.problem.machine().slots_per_node());
        let row = self.costs.row(slot / per_node);
        for (partner, weight) in self.problem.graph().edges(rank) {
            let costs = &mut self.cost_at[partner as usize * nodes..][..nodes];
            costs.iter_mut().zip(row).for_each(|(sum, cost)| *sum += weight * cost);
        }
    }

    /// Stage 2: any of the cheapest choices of a rank and a slot for it.
    fn choose(&mut self, alpha: f64, rng: &mut Stream) -> (u32, u32) {
        let (nodes, per_node) = (self.costs.nodes(), self.problem.machine().slots_per_node());
        self.choices.clear();
        for &rank in &self.open {
            let costs = &self.cost_at[rank as usize * nodes..][..nodes];
            for &slot in &self.free {
                let number = self.choices.len() as u32;
                self.choices.push((costs[(slot / per_node) as usize], number));
            }
        }
        let candidates = share_of(alpha, self.choices.len());
        let place = random::below(rng, candidates as u32) as usize;
        // A random one of the cheapest is at a random place of the sorted list. The list need not
        // be sorted for that.
        let (_, &mut (_, number), _) = self
            .choices
            .select_nth_unstable_by(place, |a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let width = self.free.len();
        (self.open[number as usize / width], self.free[number as usize % width])
    }
}
