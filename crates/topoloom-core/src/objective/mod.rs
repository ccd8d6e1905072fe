//! What a placement costs: the definition from scratch, and a tracker that follows exchanges.

mod balanced_hop_bytes;
mod cardinality;
mod cost_matrix;
mod distance;
mod energy;
mod hop_bytes;
mod link_load_mean;
mod link_loads;
mod max_dilation;
mod max_link_load;
pub(crate) mod pair_sum;
mod traffic_distribution;

use std::fmt::Debug;
use std::sync::Arc;

pub use balanced_hop_bytes::BalancedHopBytes;
pub use cardinality::Cardinality;
pub use cost_matrix::CostMatrix;
pub use distance::Distance;
pub use energy::Energy;
pub use hop_bytes::HopBytes;
pub use link_load_mean::LinkLoadMean;
pub use max_dilation::MaxDilation;
pub(crate) use max_link_load::LinkTracker;
pub use max_link_load::MaxLinkLoad;
pub use pair_sum::NodeCosts;
pub use traffic_distribution::TrafficDistribution;

use crate::machine::Machine;
use crate::mapping::{Mapping, Placement};
use crate::problem::Problem;
use crate::registry::{Entry, Registry};
use crate::run::Run;
use crate::spec::{Spec, SpecError};

/// What a placement costs; less is better.
pub trait Objective: Debug + Send + Sync {
    /// The name in the registry.
    fn name(&self) -> &'static str;

    /// The definition, from scratch, by the machine's own distances.
    fn cost(&self, problem: &Problem, mapping: &Mapping) -> f64;

    /// A tracker of the cost that starts at `start`.
    fn track<'a>(&self, problem: &'a Problem, start: &Mapping) -> Box<dyn CostTracker + 'a>;

    /// The same as [`Objective::cost`], where counting may take long; `None` if the run is over
    /// before it is done.
    fn cost_within(&self, problem: &Problem, mapping: &Mapping, _run: &Run) -> Option<f64> {
        Some(self.cost(problem, mapping))
    }

    /// The same as [`Objective::track`], where counting may take long; `None` if the run is over
    /// before it is done.
    fn track_within<'a>(
        &self,
        problem: &'a Problem,
        start: &Mapping,
        _run: &Run,
    ) -> Option<Box<dyn CostTracker + 'a>> {
        Some(self.track(problem, start))
    }

    /// What one pair of partners adds to the cost, where the cost is a sum over pairs.
    fn pair_cost(&self, _weight: f64, _distance: u32) -> Option<f64> {
        None
    }

    /// What a unit of weight costs from one node of `machine` to another, where the cost is the
    /// sum over all flows of weight times that.
    fn node_costs<'a>(&'a self, _machine: &'a Machine) -> Option<NodeCosts<'a>> {
        None
    }

    /// Whether this is hop-bytes, under whatever name: searches have quick ways for it.
    fn is_hop_bytes(&self) -> bool {
        false
    }

    /// Whether placements on `machine` have such a cost; says why not, in words that follow the
    /// name.
    fn applies_to(&self, machine: &Machine) -> Result<(), String> {
        if self.needs_links() { check_links(machine) } else { Ok(()) }
    }

    /// Whether the cost is about the loads of links, so that only machines with links have it.
    fn needs_links(&self) -> bool {
        false
    }

    /// How fit a placement of this cost is; more is better, never negative.
    fn fitness(&self, _problem: &Problem, cost: f64) -> f64 {
        1.0 / (1.0 + cost)
    }
}

/// Links of which loads are kept: three numbers each.
const MOST_LINKS: u64 = 1 << 27;

/// Whether the loads of a machine's links can be followed; says why not.
pub fn check_links(machine: &Machine) -> Result<(), String> {
    let (topology, spec) = (machine.topology(), machine.spec());
    let links = topology.link_id_bound();
    match () {
        () if !topology.is_wired() => Err(format!("needs links, and {spec} has none")),
        () if links > MOST_LINKS => {
            Err(format!("keeps at most {MOST_LINKS} links, and {spec} has up to {links}"))
        }
        () => Ok(()),
    }
}

/// Follows the cost of a placement through exchanges.
pub trait CostTracker: Send {
    /// The cost now.
    fn cost(&self) -> f64;

    /// The placement now.
    fn placement(&self) -> &Placement;

    /// What exchanging `a` and `b` would add to the cost; negative is better. Phantoms may be
    /// exchanged too. Leaves the placement unchanged.
    fn swap_delta(&mut self, a: u32, b: u32) -> f64;

    /// Exchanges `a` and `b`.
    fn swap(&mut self, a: u32, b: u32);

    /// Puts everyone, phantoms included, where `slot_of` says and returns the cost.
    fn reset(&mut self, slot_of: &[u32]) -> f64;

    /// The exchange of `a` that adds least to the cost. Of equal ones the first in the order
    /// `first`, `first + 1`, ... around to `first - 1`.
    fn best_swap(&mut self, a: u32, first: u32) -> BestSwap {
        best_swap_by_trying_all(self, a, first)
    }
}

/// What a search for the best exchange found.
#[derive(Debug, Clone, Copy)]
pub struct BestSwap {
    /// The other rank or phantom and what the exchange adds to the cost; `None` if every
    /// exchange makes it worse.
    pub exchange: Option<(u32, f64)>,
    /// How many exchanges were examined.
    pub examined: u64,
}

/// The definition of [`CostTracker::best_swap`]: try everyone.
pub fn best_swap_by_trying_all<T: CostTracker + ?Sized>(
    tracker: &mut T,
    a: u32,
    first: u32,
) -> BestSwap {
    let count = tracker.placement().len() as u32;
    let mut best: Option<(u32, f64)> = None;
    for b in (first..count).chain(0..first).filter(|&b| b != a) {
        let delta = tracker.swap_delta(a, b);
        if delta <= 0.0 && best.is_none_or(|(_, least)| delta < least) {
            best = Some((b, delta));
        }
    }
    BestSwap { exchange: best, examined: u64::from(count) - 1 }
}

/// Makes an objective from a specification.
pub type ObjectiveBuilder = fn(&Spec) -> Result<Arc<dyn Objective>, SpecError>;

/// An entry of [`OBJECTIVES`].
pub type ObjectiveEntry = Entry<ObjectiveBuilder>;

/// Every known objective.
pub static OBJECTIVES: Registry<ObjectiveBuilder> = Registry {
    kind: "objective",
    entries: &[
        &hop_bytes::ENTRY,
        &balanced_hop_bytes::ENTRY,
        &cardinality::ENTRY,
        &max_dilation::ENTRY,
        &max_link_load::ENTRY,
        &link_load_mean::ENTRY,
        &distance::ENTRY,
        &traffic_distribution::ENTRY,
        &energy::ENTRY,
        &cost_matrix::ENTRY,
    ],
    common: &[],
};

/// The objective that `text` names.
pub fn parse_objective(text: &str) -> Result<Arc<dyn Objective>, SpecError> {
    let spec = Spec::parse(text)?;
    let entry = OBJECTIVES.find(&spec)?;
    // Only a matrix has something behind the colon: its file.
    if entry.name != CostMatrix::NAME {
        spec.no_shape()?;
    }
    (entry.build)(&spec)
}
