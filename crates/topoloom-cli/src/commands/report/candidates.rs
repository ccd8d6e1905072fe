//! The placements that a report compares.

use anyhow::{Context, bail};
use topoloom::core::{NotApplicable, parse_strategy};

use super::candidate::Candidate;
use super::told::{Gathered, Told};
use crate::inputs::{mapping_of_file, warn_of_another_machine};
use crate::placing::placement::Named;
use crate::placing::strategy_list::{USUAL, strategies};
use crate::progress::numbered;

/// Runs the strategy of this name; the terminal shows it as `task`.
pub fn search(
    name: &str,
    task: &str,
    told: &Told<'_>,
) -> anyhow::Result<Result<Candidate, NotApplicable>> {
    let strategy = parse_strategy(name)?;
    let found = told.searches.run_strategy(task, strategy.as_ref(), told.problem);
    Ok(found.map(|found| Candidate::found(name, found)))
}

/// Adds the chosen placement and those of other strategies.
pub fn gather(
    told: &Told<'_>,
    (chosen, named): (&str, Named),
    others: &[String],
    gathered: &mut Gathered,
) -> anyhow::Result<()> {
    let usual = [USUAL.to_string()];
    let names = strategies(if others.is_empty() { &usual } else { others })?;
    // All names are read before the first strategy runs.
    names.iter().try_for_each(|name| parse_strategy(name).map(|_| ()))?;
    let is_known = |name: &str, gathered: &Gathered| {
        gathered.candidates.iter().any(|known| known.name == name)
    };
    gathered.chosen = Some(chosen.to_string());
    match named {
        Named::Strategy if is_known(chosen, gathered) => {}
        Named::Strategy => match search(chosen, chosen, told)? {
            Ok(candidate) => gathered.candidates.push(candidate),
            Err(reason) => bail!("{chosen} is not applicable: {reason}"),
        },
        Named::File(file) => {
            warn_of_another_machine(&file, told.problem.machine());
            let mapping = mapping_of_file(&file, told.problem)
                .with_context(|| format!("{chosen}: not a valid mapping"))?;
            let name = chosen.to_string();
            gathered.candidates.push(Candidate { name, mapping, search: None, mean_cost: None });
        }
    }
    for (number, name) in names.iter().enumerate() {
        if is_known(name, gathered) {
            continue;
        }
        if told.searches.interrupt.happened() {
            let left: Vec<&str> = names[number..]
                .iter()
                .filter(|name| !is_known(name, gathered))
                .map(String::as_str)
                .collect();
            gathered.remarks.push(format!("Interrupted: {} did not run.", left.join(", ")));
            break;
        }
        match search(name, &numbered(name, number, names.len()), told)? {
            Ok(candidate) => gathered.candidates.push(candidate),
            Err(reason) => gathered.not_applicable.push((name.clone(), reason.0)),
        }
    }
    Ok(())
}
