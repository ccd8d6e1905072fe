//! The placements that a report compares.

use anyhow::{Context, bail};
use topoloom::core::{Mapping, NotApplicable, Problem, parse_strategy};

use super::super::compare::strategies;
use super::super::placement::Named;
use super::super::search::{Found, Searches};
use super::{DEFAULT, Gathered, USUAL};
use crate::inputs::{mapping_of_file, warn_of_another_machine};

/// A placement, and how it came about.
#[derive(Debug, Clone)]
pub struct Candidate {
    /// The strategy or the file.
    pub name: String,
    pub mapping: Mapping,
    /// How long the search took, if there was one.
    pub seconds: Option<f64>,
    /// Whether nothing cut it short.
    pub complete: bool,
}

impl Candidate {
    /// What a strategy found.
    pub fn found(name: &str, found: Found) -> Candidate {
        let complete = !found.run.was_cut_short();
        let seconds = Some(found.seconds);
        Candidate { name: name.to_string(), mapping: found.mapping, seconds, complete }
    }
}

/// Runs the strategy of this name.
pub fn search(
    name: &str,
    problem: &Problem,
    searches: &Searches,
) -> anyhow::Result<Result<Candidate, NotApplicable>> {
    let strategy = parse_strategy(name)?;
    let found = searches.run_strategy(name, strategy.as_ref(), problem);
    Ok(found.map(|found| Candidate::found(name, found)))
}

/// The chosen placement, the default one, and those of other strategies.
pub fn gather(
    problem: &Problem,
    chosen: &str,
    named: Named,
    others: &[String],
    searches: &Searches,
) -> anyhow::Result<Gathered> {
    let usual = [USUAL.to_string()];
    let mut names = strategies(if others.is_empty() { &usual } else { others });
    names.retain(|name| name != chosen);
    // Every name is read before the first strategy runs.
    names.iter().try_for_each(|name| parse_strategy(name).map(|_| ()))?;
    let first = match named {
        Named::Strategy => match search(chosen, problem, searches)? {
            Ok(candidate) => candidate,
            Err(reason) => bail!("{chosen} is not applicable: {reason}"),
        },
        Named::File(file) => {
            warn_of_another_machine(&file, problem.machine());
            let mapping = mapping_of_file(&file, problem)
                .with_context(|| format!("{chosen}: not a valid mapping"))?;
            Candidate { name: chosen.to_string(), mapping, seconds: None, complete: true }
        }
    };
    let mut gathered = Gathered {
        candidates: vec![first],
        chosen: Some(chosen.to_string()),
        not_applicable: Vec::new(),
        remarks: Vec::new(),
    };
    // What others are held against comes before anything that could be interrupted.
    names.sort_by_key(|name| name != DEFAULT);
    for (number, name) in names.iter().enumerate() {
        if searches.interrupt.happened() && name != DEFAULT {
            let left = names[number..].join(", ");
            gathered.remarks.push(format!("Interrupted: {left} did not run."));
            break;
        }
        match search(name, problem, searches)? {
            Ok(candidate) => gathered.candidates.push(candidate),
            Err(reason) => gathered.not_applicable.push((name.clone(), reason.0)),
        }
    }
    Ok(gathered)
}
