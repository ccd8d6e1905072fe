//! Which ranks a rank may be exchanged with.

use super::judge::Judge;
use crate::problem::Problem;
use crate::refiner::hubs::Hubs;
use crate::refiner::surroundings::Surroundings;
use crate::run::Run;

/// Exchanges tried per rank and turn next to its partners' nodes. In all-to-all traffic there would
/// be all ranks, many times over.
const MOST_NEAR_PARTNERS: usize = 512;

/// Ranks met on the walk through the traffic. A stencil in two dimensions has 220 within 10 steps;
/// in traffic without locality all ranks are within a few steps.
const MOST_IN_TRAFFIC: usize = 256;

/// Lists the ranks that a rank may be exchanged with, each once.
pub(super) struct Candidates<'a> {
    problem: &'a Problem,
    surroundings: &'a Surroundings,
    /// The turn in which a node was last a target, and a rank was last visited.
    aimed: Vec<u32>,
    met: Vec<u32>,
    turn: u32,
    /// Ranks visited, nearest first.
    walk: Vec<u32>,
    hubs: Hubs<'a>,
}

/// The data of one turn.
struct Turn {
    of: u32,
    is_hub: bool,
    /// How many evaluations each exchange counts as.
    price: u64,
    partners: u64,
    examined: u64,
}

impl Turn {
    /// Whether there is time for one more exchange; ordinary turns end before the check is
    /// worthwhile.
    #[inline]
    fn goes_on(&self, run: &mut Run) -> bool {
        !self.is_hub || run.goes_on(self.partners)
    }
}

impl<'a> Candidates<'a> {
    pub(super) fn new(problem: &'a Problem, surroundings: &'a Surroundings) -> Self {
        Candidates {
            problem,
            surroundings,
            aimed: vec![0; problem.machine().num_nodes()],
            met: vec![0; problem.num_ranks()],
            turn: 0,
            walk: Vec::new(),
            hubs: Hubs::of(problem.graph()),
        }
    }

    /// The first exchange of `a` with a gain, and how many were examined: a slow exchange counts
    /// several times. Hubs have their own turn. If a hub were exchanged in the turns of all its
    /// partners, the time of each turn would grow with the number of those partners.
    pub(super) fn first_gain<J: Judge>(
        &mut self,
        a: u32,
        radius: u32,
        judge: &mut J,
        run: &mut Run,
    ) -> (Option<u32>, u64) {
        self.next_turn();
        judge.look(a);
        let mut turn = Turn {
            of: a,
            is_hub: self.hubs.contain(a),
            price: self.hubs.price(a),
            partners: self.problem.graph().num_partners(a) as u64,
            examined: 0,
        };
        let found = self
            .near_partners(judge, &mut turn, run)
            .or_else(|| self.in_traffic(radius, judge, &mut turn, run));
        (found, turn.examined)
    }

    /// Whether `b` may be exchanged in this turn.
    #[inline]
    fn is_candidate(&self, turn: &Turn, b: u32) -> bool {
        turn.is_hub || !self.hubs.contain(b)
    }

    fn next_turn(&mut self) {
        if self.turn == u32::MAX {
            self.aimed.fill(0);
            self.met.fill(0);
            self.turn = 0;
        }
        self.turn += 1;
    }

    /// The best exchange with ranks on the nodes of the partners of `a` and next to them.
    fn near_partners<J: Judge>(
        &mut self,
        judge: &mut J,
        turn: &mut Turn,
        run: &mut Run,
    ) -> Option<u32> {
        let a = turn.of;
        let graph = self.problem.graph();
        self.aimed[judge.placement().node_of(a) as usize] = self.turn;
        let mut best: Option<(u32, f64)> = None;
        let mut left = MOST_NEAR_PARTNERS;
        for &partner in graph.partners(a) {
            let home = judge.placement().node_of(partner);
            for &node in std::iter::once(&home).chain(self.surroundings.of(home)) {
                if std::mem::replace(&mut self.aimed[node as usize], self.turn) == self.turn {
                    continue;
                }
                if !turn.goes_on(run) {
                    return best.map(|(b, _)| b);
                }
                judge.aim(node);
                for position in 0..judge.placement().on_node(node).len() {
                    let b = judge.placement().on_node(node)[position];
                    if !self.is_candidate(turn, b) {
                        continue;
                    }
                    turn.examined += turn.price;
                    if let Some(delta) = judge.gain(b)
                        && best.is_none_or(|(_, least)| delta < least)
                    {
                        best = Some((b, delta));
                    }
                    left = left.saturating_sub(1);
                }
            }
            if left == 0 {
                break;
            }
        }
        best.map(|(b, _)| b)
    }

    /// The first exchange among the ranks at most `radius` steps from `a` in the traffic.
    fn in_traffic<J: Judge>(
        &mut self,
        radius: u32,
        judge: &mut J,
        turn: &mut Turn,
        run: &mut Run,
    ) -> Option<u32> {
        let a = turn.of;
        let graph = self.problem.graph();
        self.walk.clear();
        self.walk.push(a);
        self.met[a as usize] = self.turn;
        let (mut next, mut step_ends) = (0, 1);
        for _ in 0..radius {
            while next < step_ends {
                for &b in graph.partners(self.walk[next]) {
                    if std::mem::replace(&mut self.met[b as usize], self.turn) == self.turn {
                        continue;
                    }
                    self.walk.push(b);
                    let node = judge.placement().node_of(b);
                    // Target nodes were tried before, and the rank's own node is useless.
                    if self.aimed[node as usize] != self.turn && self.is_candidate(turn, b) {
                        if !turn.goes_on(run) {
                            return None;
                        }
                        judge.aim(node);
                        turn.examined += turn.price;
                        if judge.gain(b).is_some() {
                            return Some(b);
                        }
                    }
                    if self.walk.len() > MOST_IN_TRAFFIC {
                        return None;
                    }
                }
                next += 1;
            }
            step_ends = self.walk.len();
            if next == step_ends {
                return None;
            }
        }
        None
    }
}
