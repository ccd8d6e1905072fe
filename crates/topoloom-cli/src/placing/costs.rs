//! What a placement costs if costs between nodes are given.

use std::sync::Arc;

use anyhow::bail;
use topoloom::core::objective::CostMatrix;
use topoloom::core::{Mapping, Objective, Problem};
use topoloom::io::ScoreRecord;

use crate::output::numbers::precise;
use crate::output::warn;

/// Adds the cost of a placement: by the objective if it is a matrix of costs, else by the costs that
/// came with the traffic. Refuses a matrix of another size than the machine.
pub fn add(
    record: &mut ScoreRecord,
    problem: &Problem,
    mapping: &Mapping,
    objective: Option<&dyn Objective>,
    costs: &Option<Arc<CostMatrix>>,
) -> anyhow::Result<()> {
    let objective = objective.filter(|objective| objective.name() == CostMatrix::NAME);
    if let Some(Err(reason)) = objective.map(|costs| costs.applies_to(problem.machine())) {
        bail!("{} {reason}", CostMatrix::NAME);
    }
    let beside = costs.as_deref().map(|costs| costs as &dyn Objective);
    record.cost_matrix = objective.or(beside).map(|costs| costs.cost(problem, mapping));
    record.only_costs = costs.is_some();
    if record.only_costs {
        // These bounds are about distances, which mean nothing here.
        (record.lower_bound, record.gap, record.link_load_bound) = (None, None, None);
        record.lower_bound_name = None;
    }
    Ok(())
}

/// Warns if the mapping file `name` says that it costs something else. Some solutions of QAPLIB take
/// the first matrix for costs.
pub fn warn_of_another_cost(said: Option<f64>, name: &str, cost: f64) {
    if let Some(said) = said.filter(|said| (said - cost).abs() > 1e-9 * said.abs()) {
        warn(&format!(
            "{name} says that the placement costs {}, but it costs {}",
            precise(said),
            precise(cost)
        ));
    }
}
