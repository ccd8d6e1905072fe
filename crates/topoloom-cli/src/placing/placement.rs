//! A mapping that a name stands for: a file, or a strategy that finds one.

use std::path::Path;
use std::time::Instant;

use anyhow::{Context, bail};
use topoloom::core::{Mapping, Problem, STRATEGIES, parse_strategy};
use topoloom::io::{MappingFile, SearchRecord};

use crate::files::{self, read_mapping};
use crate::inputs::{mapping_of_file, warn_of_another_machine};
use crate::placing::record::search_record;
use crate::placing::search::Searches;

/// A problem and a mapping of it.
pub struct Placed {
    pub problem: Problem,
    pub mapping: Mapping,
    /// How it was found, if a strategy found it.
    pub search: Option<SearchRecord>,
    /// When the search began, if there was one; the time limits of later steps count from here.
    pub started: Instant,
    /// What the placement costs, if its file says it.
    pub said_cost: Option<f64>,
}

/// The mapping that `text` names. The problem is made with the given imbalance, or with that of the
/// mapping file.
pub fn place(
    text: &str,
    imbalance: Option<f64>,
    make_problem: impl FnOnce(Option<f64>) -> anyhow::Result<Problem>,
    searches: &Searches,
) -> anyhow::Result<Placed> {
    let Named::File(file) = name_kind(text)? else {
        let strategy = parse_strategy(text)?;
        let problem = make_problem(imbalance)?;
        return match searches.run_strategy(text, strategy.as_ref(), &problem) {
            Ok(found) => {
                let search = search_record(text, &found);
                let started = found.started;
                let (mapping, search) = (found.mapping, Some(search));
                Ok(Placed { problem, mapping, search, started, said_cost: None })
            }
            Err(reason) => bail!("{text} is not applicable: {reason}"),
        };
    };
    let problem = make_problem(imbalance.or(file.imbalance))?;
    warn_of_another_machine(&file, problem.machine());
    let mapping =
        mapping_of_file(&file, &problem).with_context(|| format!("{text}: not a valid mapping"))?;
    let started = Instant::now();
    Ok(Placed { problem, mapping, search: None, started, said_cost: file.cost })
}

/// What a name stands for.
pub enum Named {
    /// A strategy, which has been parsed without errors.
    Strategy,
    /// A file with a mapping.
    File(Box<MappingFile>),
}

/// What `text` names, with the file read.
pub fn name_kind(text: &str) -> anyhow::Result<Named> {
    match is_strategy(text) {
        true => parse_strategy(text).map(|_| Named::Strategy).map_err(Into::into),
        false => Ok(Named::File(Box::new(read_mapping(Path::new(text))?))),
    }
}

/// A file of that name wins; otherwise a text that begins with the name of a strategy is one.
fn is_strategy(text: &str) -> bool {
    let name = text.split([':', '|', ',']).next().unwrap_or_default().trim();
    let known = STRATEGIES.entries.iter().any(|entry| entry.name == name);
    let path_like = text.contains(['/', '\\', '.']);
    let path = Path::new(text);
    !files::exists(path) && !files::is_readable(path) && (known || !path_like)
}
