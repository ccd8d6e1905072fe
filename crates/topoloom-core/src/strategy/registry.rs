//! The list of strategies.

use super::entry::StrategyBuilder;
use super::{
    a_star, auto, bipartition, bisection, bits, bokhari, consecutive, curves, exhaustive, folding,
    genetic, grasp, greedy, hosts_first, in_order, launchers, matching, minmd, multilevel,
    node_order, permute, rahtm, random, random_sampling, rcm, tiles,
};
use crate::registry::Registry;

/// Every known strategy.
pub static STRATEGIES: Registry<StrategyBuilder> = Registry {
    kind: "strategy",
    entries: &[
        &auto::ENTRY,
        &multilevel::ENTRY,
        &hosts_first::ENTRY,
        &node_order::ENTRY,
        &in_order::ENTRY,
        &launchers::BLOCK,
        &launchers::ROUND_ROBIN,
        &consecutive::ENTRY,
        &curves::SWEEP,
        &curves::SCAN,
        &curves::PEANO,
        &curves::GRAY,
        &curves::HILBERT,
        &folding::ENTRY,
        &permute::ENTRY,
        &bits::ENTRY,
        &tiles::ENTRY,
        &rahtm::ENTRY,
        &random::ENTRY,
        &random_sampling::ENTRY,
        &bokhari::ENTRY,
        &minmd::ENTRY,
        &greedy::ENTRY,
        &rcm::ENTRY,
        &bisection::ENTRY,
        &bipartition::ENTRY,
        &matching::ENTRY,
        &genetic::ENTRY,
        &grasp::ENTRY,
        &a_star::ENTRY,
        &exhaustive::ENTRY,
    ],
    common: &[],
};
