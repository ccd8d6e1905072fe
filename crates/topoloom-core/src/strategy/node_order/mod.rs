//! Whole hosts in a better order: ranks of a host stay together and keep their order, as launchers
//! of training jobs want it. Only the order of hosts, and which of them are used, is searched.

mod blocks;
mod exchange;
mod kept;
mod quotient;
#[cfg(test)]
mod tests;
mod together;

use std::sync::Arc;

use blocks::Blocks;
pub use together::Together;

use super::definition::{NotApplicable, Strategy};
use super::entry::StrategyEntry;
use super::in_order::InOrder;
use super::launchers::Block;
use super::multilevel::Multilevel;
use crate::mapping::Mapping;
use crate::objective::{GroupBytes, Objective};
use crate::problem::Problem;
use crate::registry::Parameter;
use crate::run::Run;
use crate::words::counted;

/// The registry's entry.
pub static ENTRY: StrategyEntry = StrategyEntry {
    name: "node-order",
    summary: "orders whole hosts, whose ranks stay together in their order, as in training jobs",
    example: "node-order",
    parameters: &[Parameter {
        name: "together",
        default: "none",
        summary: "groups that must not be cut, as in ep/nvlink or tp/node+ep/nvlink",
    }],
    build: |spec| {
        spec.no_shape()?;
        let together: Option<String> = spec.get("together", "groups such as ep/nvlink")?;
        let together = together.map(|text| Together::parse_all(&text)).transpose()?;
        Ok(Arc::new(NodeOrder {
            together: together.unwrap_or_default(),
            kept: Vec::new(),
            on_hosts: &Multilevel,
        }))
    },
};

/// Whole hosts in a better order.
#[derive(Debug, Clone)]
pub struct NodeOrder {
    /// Groups that must not be cut.
    pub together: Vec<Together>,
    /// The host of each rank that must stay there: a number of the machine's list of hosts. Empty if
    /// every rank may move.
    pub kept: Vec<Option<u32>>,
    /// Places blocks of ranks on hosts.
    pub on_hosts: &'static dyn Strategy,
}

impl Strategy for NodeOrder {
    fn usual_objective(&self) -> &'static dyn Objective {
        &GroupBytes
    }

    fn map(
        &self,
        problem: &Problem,
        objective: Option<&dyn Objective>,
        run: &mut Run,
    ) -> Result<Mapping, NotApplicable> {
        let blocks = Blocks::of(problem)?;
        let units = together::units(&self.together, problem, &blocks)?;
        let objective = objective.unwrap_or(&GroupBytes);
        let mut best = Best { problem, objective, found: None };
        if !self.kept.is_empty() {
            let small = blocks.problem(problem)?;
            let kept = kept::hosts_of_blocks(&blocks, &self.kept)?;
            let placed = kept::fill(small.exact.as_ref().unwrap_or(&small.frozen), &kept, run)?;
            return blocks.mapping(problem, &placed);
        }
        let usual = [
            ("listed order", Block.map(problem, None, run)),
            ("in order", InOrder.map(problem, None, run)),
        ];
        for (route, mapping) in usual {
            let allowed = |mapping: &Mapping| {
                let units = units.as_ref();
                blocks.order_of(mapping).is_some()
                    && units.is_none_or(|units| units.allow(&blocks, mapping))
            };
            if let Some(mapping) = mapping.ok().filter(allowed) {
                best.consider(route, mapping);
            }
        }
        let small = blocks.problem(problem)?;
        // The portfolio may be content with a grid that it finds in the traffic, so the engine runs
        // beside it.
        let mut first = None;
        for strategy in [self.on_hosts, &Multilevel] {
            let mut part = run.part();
            let placed = match &units {
                Some(units) => units.place(&blocks, &small, strategy, &mut part),
                None => strategy.map(&small.frozen, None, &mut part),
            };
            run.absorb(part);
            match placed {
                Ok(placed) => {
                    best.consider("searched", blocks.mapping(problem, &placed)?);
                    first.get_or_insert(placed);
                }
                Err(reason) if first.is_none() => return Err(reason),
                Err(_) => {}
            }
        }
        // Rings that form from the placement: exchanges under the exact cost.
        if let Some(exact) = &small.exact {
            let start = best.found.as_ref().and_then(|(_, _, mapping)| blocks.order_of(mapping));
            let start = start.or_else(|| Some(first?.slots().to_vec())).unwrap_or_default();
            let better = exchange::improve(exact, start, units.as_ref(), run);
            let better = exact.mapping(better).map_err(|error| NotApplicable(error.to_string()))?;
            best.consider("exchanged", blocks.mapping(problem, &better)?);
        }
        let (_, route, mapping) = best.found.expect("a placement was searched");
        run.note(format!("node-order: {route}"));
        if let Some(ranks) = blocks.ranks_of_last() {
            run.note(format!(
                "the last host has {} of {}, and launchers of training jobs need the same number on \
                 each",
                counted(ranks, "rank"),
                blocks.size
            ));
        }
        Ok(mapping)
    }
}

/// The best placement so far; among equals, the first.
struct Best<'a> {
    problem: &'a Problem,
    objective: &'a dyn Objective,
    found: Option<(f64, &'static str, Mapping)>,
}

impl Best<'_> {
    fn consider(&mut self, route: &'static str, mapping: Mapping) {
        let cost = self.objective.cost(self.problem, &mapping);
        if self.found.as_ref().is_none_or(|(least, _, _)| cost < *least) {
            self.found = Some((cost, route, mapping));
        }
    }
}
