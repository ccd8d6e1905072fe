//! Searches that place whole hosts and keep groups, or an old placement, together.

use std::collections::{BTreeSet, HashMap};
use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, bail};
use topoloom::core::cluster::short_name;
use topoloom::core::strategy::{Auto, NodeOrder, Together};
use topoloom::core::{Problem, Strategy};

use crate::arguments::WholeHostArguments;
use crate::files::read_mapping;
use crate::output::inform;
use crate::output::numbers::plural;
use crate::placing::strategy_list::AUTO;

impl WholeHostArguments {
    /// Whether anything must stay together. Then the result is not compared with other placements.
    pub fn restricts(&self) -> bool {
        !self.together.is_empty() || self.keep.is_some()
    }

    /// The strategy that obeys: the named one if nothing is required.
    pub fn strategy(
        &self,
        name: &str,
        named: Arc<dyn Strategy>,
        problem: &Problem,
    ) -> anyhow::Result<Arc<dyn Strategy>> {
        if !self.restricts() {
            return Ok(named);
        }
        if ![AUTO, "node-order"].contains(&name.trim()) {
            bail!("--together and --keep need --strategy auto or node-order, found {name}");
        }
        let together: Result<Vec<Together>, _> =
            self.together.iter().map(|text| Together::parse(text)).collect();
        let together = together.context("--together")?;
        let kept = match &self.keep {
            Some(path) => kept_hosts(path, problem)?,
            None => Vec::new(),
        };
        Ok(Arc::new(NodeOrder { together, kept, on_hosts: &Auto }))
    }
}

/// The host of each rank in an old mapping, by the hosts of the problem's machine; none for hosts
/// that are gone.
fn kept_hosts(path: &Path, problem: &Problem) -> anyhow::Result<Vec<Option<u32>>> {
    let cluster = problem.machine().topology().cluster();
    let cluster = cluster.context("--keep: the machine does not know its hosts")?;
    let file = read_mapping(path)?;
    let Some(seating) = &file.seating else {
        bail!("{}: the mapping names no hosts, so there is nothing to keep", path.display());
    };
    if file.ranks() != problem.num_ranks() {
        bail!(
            "{}: expected a mapping of {}, found {}",
            path.display(),
            plural(problem.num_ranks(), "rank"),
            plural(file.ranks(), "rank")
        );
    }
    let mut number_of: HashMap<&str, u32> = HashMap::new();
    for (number, host) in (0..).zip(&cluster.description().hosts) {
        number_of.insert(&host.name, number);
        number_of.entry(short_name(&host.name)).or_insert(number);
    }
    let number = |name: &String| {
        number_of.get(name.as_str()).or_else(|| number_of.get(short_name(name))).copied()
    };
    let hosts: Vec<Option<u32>> = seating.hosts.iter().map(number).collect();
    let kept: Vec<Option<u32>> =
        seating.seats.iter().map(|seat| hosts[seat.host as usize]).collect();
    let used: BTreeSet<u32> = seating.seats.iter().map(|seat| seat.host).collect();
    let is_gone = |host: &&u32| hosts[**host as usize].is_none();
    let gone: Vec<&str> =
        used.iter().filter(is_gone).map(|&host| &seating.hosts[host as usize][..]).collect();
    let moved = kept.iter().filter(|host| host.is_none()).count();
    let gone = match gone[..] {
        [] => "no host is gone".to_string(),
        [one] => format!("{one} is gone"),
        [first, ..] => format!("{first} and {} are gone", plural(gone.len() - 1, "other host")),
    };
    let moved = match moved {
        1 => "1 rank moves".to_string(),
        moved => format!("{} move", plural(moved, "rank")),
    };
    inform(&format!("{}: {gone}, so {moved}", path.display()));
    Ok(kept)
}
