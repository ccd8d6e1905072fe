//! How much work each effort puts into each step. It is counted in evaluations and ranks, never in
//! seconds.

use crate::effort::Effort;
use crate::machine::Machine;
use crate::objective::{BalancedHopBytes, Objective};
use crate::problem::Problem;
use crate::refiner::{Anneal, Relieve, Swap, Tabu};

/// From this many ranks on, memory is slow and every pass over the traffic matters.
const HUGE: usize = 200_000;

/// Up to this many ranks, several searches are cheap.
const FEW: usize = 1024;

/// Slots up to which MAPPER can check all exchanges in reasonable time.
const MOST_SLOTS_FOR_MAPPER: usize = 256;

/// How much work goes into each step.
#[derive(Debug, Clone)]
pub(super) struct Plan {
    pub(super) effort: Effort,
    pub(super) ranks: usize,
    slots: usize,
    /// Directed pairs: the work of one pass over the traffic.
    pairs: usize,
    /// The partners of a partner, on average: far more than the pairs per rank if there are hubs.
    crowd: f64,
    hop_bytes: bool,
    /// Whether hop-bytes count first, and something else second.
    hop_bytes_first: bool,
    shared: bool,
}

impl Plan {
    pub(super) fn of(problem: &Problem, objective: &dyn Objective, effort: Effort) -> Plan {
        let pairs = 2 * problem.graph().num_pairs();
        let partners = |rank: u32| problem.graph().partners(rank).len() as f64;
        let squares: f64 = (0..problem.num_ranks() as u32).map(|rank| partners(rank).powi(2)).sum();
        Plan {
            effort,
            ranks: problem.num_ranks(),
            slots: problem.num_slots(),
            pairs,
            crowd: squares / (pairs as f64).max(1.0),
            hop_bytes: objective.is_hop_bytes(),
            hop_bytes_first: objective.name() == BalancedHopBytes.name(),
            shared: problem.sharing().is_some(),
        }
    }

    /// The value of this effort.
    fn by_effort<T>(&self, fast: T, eco: T, strong: T) -> T {
        match self.effort {
            Effort::Fast => fast,
            Effort::Eco => eco,
            Effort::Strong | Effort::Extreme => strong,
        }
    }

    /// Whether ranks share slots, which most strategies and all refiners cannot do.
    pub(super) fn shared(&self) -> bool {
        self.shared
    }

    pub(super) fn optimises_hop_bytes(&self) -> bool {
        self.hop_bytes
    }

    pub(super) fn optimises_hop_bytes_first(&self) -> bool {
        self.hop_bytes_first
    }

    pub(super) fn is_huge(&self) -> bool {
        self.ranks > HUGE
    }

    /// Whether bisection takes the place of the multilevel search down to single slots. It takes a
    /// tenth of the time. On boxes, with exchanges after it, it beats the multilevel search of
    /// `fast` (random and geometric graphs of 4,096 to 262,144 ranks on tori, meshes, hypercubes
    /// and haec: by 3 to 7 %), but not that of `eco` (1 to 2 % behind).
    pub(super) fn bisects(&self, machine: &Machine) -> bool {
        let is_box = machine.topology().grid_lengths().is_some();
        let most_others = match self.effort {
            Effort::Fast if is_box => FEW,
            Effort::Fast | Effort::Eco => HUGE,
            Effort::Strong | Effort::Extreme => 4 * HUGE,
        };
        !self.shared && self.ranks > most_others
    }

    /// Whether this many passes over the traffic are cheap.
    pub(super) fn affords_looks(&self, looks: usize) -> bool {
        let limit = self.by_effort(2_000_000, 10_000_000, 200_000_000);
        looks.saturating_mul(self.pairs + self.ranks) <= limit
    }

    /// Whether strategies are tried that place rank by rank.
    pub(super) fn tries_growth(&self) -> bool {
        // With hundreds of partners per rank, placing one takes hundreds of passes over all slots.
        let sparse = self.pairs <= 64 * self.ranks;
        self.affords_looks(self.by_effort(20, 10, 10)) && (sparse || self.slots <= 1024)
    }

    /// Whether Bokhari's MAPPER is tried, which checks all exchanges.
    pub(super) fn tries_mapper(&self) -> bool {
        let most = self.by_effort(0, MOST_SLOTS_FOR_MAPPER, 2 * MOST_SLOTS_FOR_MAPPER);
        self.slots <= if self.hop_bytes { most } else { most.max(64) * 2 }
    }

    /// Evaluations of MAPPER.
    pub(super) fn mapper_evaluations(&self) -> u64 {
        self.by_effort(300_000, 1_000_000, 30_000_000)
    }

    /// Evaluations of a strategy without its own limit.
    pub(super) fn search_evaluations(&self) -> u64 {
        if self.is_huge() && !self.shared {
            // The exchanges after it would take longer than everything before.
            return self.by_effort(30, 60, 500) * self.ranks as u64;
        }
        if self.is_crowded() {
            return self.by_effort(20, 30, 512) * self.ranks as u64;
        }
        u64::MAX
    }

    /// Whether there are hubs. Their partners are each other's candidates for exchanges: there are
    /// many to check, and almost never a gain.
    fn is_crowded(&self) -> bool {
        self.crowd > 512.0
    }

    /// How many placements get exchanges of ranks, and which.
    pub(super) fn swaps(&self) -> (usize, Swap) {
        let starts = match self.is_huge() {
            // Exchanges run on one thread. After a bisection they gain 0.3 % on a random graph.
            true => self.by_effort(0, 1, 1),
            false => self.by_effort(1, 3, 6),
        };
        let touches: u64 = self.by_effort(200_000_000, 1_000_000_000, 10_000_000_000);
        let affordable = touches / (self.pairs as u64).max(1);
        let usual = Swap::default();
        let most = match () {
            () if self.is_huge() => 30,
            () if self.is_crowded() => usual.evaluations_per_rank / 125,
            () => usual.evaluations_per_rank,
        };
        let evaluations_per_rank = affordable.min(self.by_effort(most, most, 4 * most));
        (starts, Swap { evaluations_per_rank, ..usual })
    }

    /// How many placements get a tabu search, and which.
    pub(super) fn tabus(&self) -> Option<(usize, Tabu)> {
        let (starts, iterations, most_slots) =
            self.by_effort((0, 0, 0), (2, 6_000, 256), (8, 50_000, 1024));
        let fits = self.slots <= most_slots && self.pairs <= 64 * self.slots;
        fits.then_some((starts, Tabu { iterations: Some(iterations), patience: None }))
    }

    /// Evaluations of a tabu search: with many slots each of its steps checks many exchanges.
    pub(super) fn tabu_evaluations(&self) -> u64 {
        let tracked = if self.hop_bytes { 1 } else { 8 };
        self.by_effort(0, 10_000_000, 100_000_000) / tracked
    }

    /// How many placements are annealed, and how.
    pub(super) fn anneals(&self) -> Option<(usize, Anneal)> {
        let (starts, sweeps, most_ranks) =
            self.by_effort((0, 0, 0), (1, 1000, 8192), (4, 10_000, HUGE));
        let degree = (self.pairs / self.ranks.max(1)).max(1) as u64;
        let touches: u64 = self.by_effort(0, 100_000_000, 2_000_000_000);
        let affordable = touches / (degree * self.ranks as u64);
        let sweeps = affordable.min(sweeps) as u32;
        let fits = self.ranks <= most_ranks && sweeps >= 100;
        fits.then_some((starts, Anneal { sweeps, ..Anneal::default() }))
    }

    /// How many placements are improved if the loads of links count.
    pub(super) fn link_starts(&self) -> usize {
        self.by_effort(1, 1, 4)
    }

    /// Exchanges of whole nodes if the loads of links count: the time of each is proportional to
    /// the partners of a node.
    pub(super) fn balancing(&self, problem: &Problem) -> (Anneal, Swap, Relieve) {
        let ranks = problem.num_ranks().max(1) as u64;
        let degree = (2 * problem.graph().num_pairs() as u64 / ranks).max(1);
        let exchanges = self.by_effort(60_000, 300_000, 6_000_000) / degree;
        let most = self.by_effort(200, 1000, 10_000);
        let anneal = Anneal { sweeps: (exchanges / ranks).clamp(10, most) as u32, heat: 0.1 };
        let swap =
            Swap { evaluations_per_rank: (exchanges / 4 / ranks).clamp(5, 500), ..Swap::default() };
        let exchanges = (exchanges / 50).clamp(50, 2000) as usize;
        (anneal, swap, Relieve { links: 8, exchanges })
    }

    /// Exchanges of ranks that cross the most loaded links.
    pub(super) fn relief(&self) -> Relieve {
        let (links, exchanges) = self.by_effort((4, 250), (16, 1000), (64, 4000));
        let degree = (self.pairs / self.ranks.max(1)).max(8);
        Relieve { links, exchanges: exchanges * 8 / degree }
    }
}
