//! The strategies that lists name, and the defaults.

use std::path::Path;

use anyhow::bail;
use topoloom::core::STRATEGIES;

use crate::files;
use crate::spec_list::split_list;

/// The default strategy.
pub const AUTO: &str = "auto";

/// What is compared by default: cheap strategies of every kind, and what launchers do.
pub const USUAL: &str = "in-order,round-robin,random,scan,hilbert,greedy,bisection,multilevel,auto";

/// The strategies that a list names; files may be among them.
pub fn strategies(texts: &[String]) -> anyhow::Result<Vec<String>> {
    let known = |name: &str| STRATEGIES.entries.iter().any(|entry| entry.name == name);
    let mut specs = Vec::new();
    let is_name = |word: &str| word == "all" || known(word) || files::is_readable(Path::new(word));
    for spec in split_list(texts, is_name) {
        if spec == "all" {
            specs.extend(STRATEGIES.entries.iter().map(|entry| entry.name.to_string()));
        } else {
            specs.push(spec);
        }
    }
    if specs.is_empty() {
        bail!("--strategy: expected strategies such as auto,greedy, found none");
    }
    Ok(specs)
}
