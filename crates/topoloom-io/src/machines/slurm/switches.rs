//! Switches in a tree or, if the file says so, wired in any other way.

use std::collections::HashMap;

use topoloom_core::cluster::{Fabric, Network, SwitchGroup};

use super::statement::Statement;
use crate::text::error::ReadError;
use crate::text::fault::Fault;
use crate::text::source::Source;
use crate::text::warnings::Warnings;

/// More levels of switches than these are not supported.
const HIGHEST_LEVEL: u32 = 99;

/// The groups that the switches form.
pub fn network(
    source: &Source<'_>,
    statements: &[Statement],
    warnings: &mut Warnings,
) -> Result<Network, ReadError> {
    let below = switches_below(source, statements)?;
    match tree(&below) {
        Some(parents) => Tree::new(source, statements, &below, &parents)?.network(),
        None => {
            warnings.push(
                "the switches are not a tree, because some are below several others or name each \
                 other; the names are treated as cables"
                    .to_string(),
            );
            Ok(wired(statements, &below, warnings))
        }
    }
}

/// The numbers of the switches that each one names.
fn switches_below(
    source: &Source<'_>,
    statements: &[Statement],
) -> Result<Vec<Vec<usize>>, ReadError> {
    let mut numbers: HashMap<&str, usize> = HashMap::new();
    for (number, switch) in statements.iter().enumerate() {
        if numbers.insert(&switch.name, number).is_some() {
            let fault = Fault::Repeated(format!("switch {} appears twice", switch.name));
            return Err(source.error_in_line(switch.line, fault));
        }
    }
    let below = |switch: &Statement| {
        let number = |name: &String| {
            numbers.get(name.as_str()).copied().ok_or_else(|| {
                let fault = Fault::Missing(format!("Switches: there is no line for switch {name}"));
                source.error_in_line(switch.line, fault)
            })
        };
        let mut below = switch.switches.iter().map(number).collect::<Result<Vec<usize>, _>>()?;
        below.sort_unstable();
        below.dedup();
        Ok(below)
    };
    statements.iter().map(below).collect()
}

/// The switch above each, if no switch is below several or below itself.
fn tree(below: &[Vec<usize>]) -> Option<Vec<Option<usize>>> {
    let mut parents = vec![None; below.len()];
    for (number, children) in below.iter().enumerate() {
        for &child in children {
            if parents[child].replace(number).is_some() {
                return None;
            }
        }
    }
    // Switches that no outermost switch leads to form a cycle.
    let mut left: Vec<usize> =
        (0..below.len()).filter(|&switch| parents[switch].is_none()).collect();
    let mut reached = 0;
    while let Some(switch) = left.pop() {
        reached += 1;
        left.extend(&below[switch]);
    }
    (reached == below.len()).then_some(parents)
}

/// A tree of switches.
struct Tree<'a> {
    source: &'a Source<'a>,
    statements: &'a [Statement],
    parents: &'a [Option<usize>],
    /// The switches, those above first.
    order: Vec<usize>,
    /// 1 for switches with none below, else one more than the highest below.
    levels: Vec<u32>,
}

impl<'a> Tree<'a> {
    fn new(
        source: &'a Source<'a>,
        statements: &'a [Statement],
        below: &'a [Vec<usize>],
        parents: &'a [Option<usize>],
    ) -> Result<Tree<'a>, ReadError> {
        let mut order = Vec::with_capacity(below.len());
        let mut left: Vec<usize> =
            (0..below.len()).rev().filter(|&switch| parents[switch].is_none()).collect();
        while let Some(switch) = left.pop() {
            order.push(switch);
            left.extend(below[switch].iter().rev());
        }
        let mut levels = vec![1; below.len()];
        for &switch in order.iter().rev() {
            if levels[switch] > HIGHEST_LEVEL {
                let fault =
                    Fault::TooLarge(format!("more than {HIGHEST_LEVEL} levels of switches"));
                return Err(source.error_in_line(statements[switch].line, fault));
            }
            if let Some(parent) = parents[switch] {
                levels[parent] = levels[parent].max(levels[switch] + 1);
            }
        }
        Ok(Tree { source, statements, parents, order, levels })
    }

    fn network(&self) -> Result<Network, ReadError> {
        let mut number_of = vec![0; self.statements.len()];
        let mut groups = Vec::with_capacity(self.statements.len());
        for &switch in &self.order {
            number_of[switch] = groups.len() as u32;
            groups.push(SwitchGroup {
                name: self.statements[switch].name.clone(),
                parent: self.parents[switch].map(|parent| number_of[parent]),
                level: self.levels[switch],
            });
        }
        let hosts = self.hosts()?;
        let up = self.parents.iter().flatten().count();
        Ok(Network {
            switches: groups.len(),
            links: up + hosts.len(),
            groups,
            hosts: hosts
                .into_iter()
                .map(|(name, switch)| (name.to_string(), number_of[switch]))
                .collect(),
            wiring: None,
            named: None,
        })
    }

    /// The nodes, each with the lowest switch that lists it: `scontrol` lists at a switch also the
    /// nodes of the switches below it.
    fn hosts(&self) -> Result<Vec<(&'a str, usize)>, ReadError> {
        let mut hosts: Vec<(&str, usize)> = Vec::new();
        let mut number_of: HashMap<&str, usize> = HashMap::new();
        for (switch, statement) in self.statements.iter().enumerate() {
            let twice = |other: usize, node: &str| {
                let (a, b) = (&self.statements[other].name, &statement.name);
                let fault = match other == switch {
                    true => Fault::Repeated(format!("node {node} is twice on switch {a}")),
                    false => Fault::Contradiction(format!(
                        "node {node} is on switch {a} and on switch {b}"
                    )),
                };
                self.source.error_in_line(statement.line, fault)
            };
            for node in &statement.nodes {
                let Some(&known) = number_of.get(node.as_str()) else {
                    number_of.insert(node, hosts.len());
                    hosts.push((node, switch));
                    continue;
                };
                let other = hosts[known].1;
                match (self.is_above(switch, other), self.is_above(other, switch)) {
                    (true, _) => {}
                    (_, true) => hosts[known].1 = switch,
                    _ => return Err(twice(other, node)),
                }
            }
        }
        Ok(hosts)
    }

    /// Whether a switch is somewhere above another.
    fn is_above(&self, switch: usize, other: usize) -> bool {
        let mut at = self.parents[other];
        while let Some(above) = at {
            if above == switch {
                return true;
            }
            at = self.parents[above];
        }
        false
    }
}

/// Switches that are wired in any way: one cable for each pair of which one names the other.
fn wired(statements: &[Statement], below: &[Vec<usize>], warnings: &mut Warnings) -> Network {
    let mut fabric = Fabric::default();
    let numbers: Vec<u32> =
        statements.iter().map(|switch| fabric.add_switch(&switch.name)).collect();
    for (switch, named) in below.iter().enumerate() {
        for &other in named {
            let from_there = below[other].binary_search(&switch).is_ok();
            if other != switch && (switch < other || !from_there) {
                fabric.add_cable(numbers[switch], numbers[other]);
            }
        }
    }
    let mut hosts: HashMap<&str, u32> = HashMap::new();
    for (switch, statement) in statements.iter().enumerate() {
        for node in &statement.nodes {
            let host = *hosts.entry(node).or_insert_with(|| fabric.add_host(node));
            fabric.plug(host, numbers[switch]);
        }
    }
    let (network, more) = fabric.network();
    warnings.extend(more);
    network
}
