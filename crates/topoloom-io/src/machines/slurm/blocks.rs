//! Blocks of nodes, and blocks of blocks.

use std::collections::{HashMap, HashSet};

use topoloom_core::cluster::{Network, SwitchGroup};
use topoloom_core::words::counted;

use super::statement::{Statement, What};
use crate::text::error::ReadError;
use crate::text::fault::Fault;
use crate::text::source::Source;
use crate::text::warnings::Warnings;

/// The blocks as groups of level 1. As many consecutive blocks as a larger size covers form a group
/// of the next level.
pub fn network(
    source: &Source<'_>,
    statements: &[Statement],
    warnings: &mut Warnings,
) -> Result<Network, ReadError> {
    let blocks: Vec<&Statement> =
        statements.iter().filter(|statement| statement.what == What::Block).collect();
    let mut sizes = Vec::new();
    let mut given = false;
    for statement in statements.iter().filter(|statement| statement.what == What::BlockSizes) {
        if std::mem::replace(&mut given, true) {
            return Err(source.error_in_line(
                statement.line,
                Fault::Repeated("BlockSizes is given twice".into()),
            ));
        }
        sizes.clone_from(&statement.sizes);
    }
    let spans = spans(sizes, warnings);
    let mut groups: Vec<SwitchGroup> = Vec::new();
    // The groups around the next block, outermost first, each with the number of blocks in it.
    let mut around: Vec<(u32, usize)> = Vec::new();
    let mut names: HashSet<&str> = HashSet::new();
    let mut block_of: HashMap<&str, &str> = HashMap::new();
    let mut hosts = Vec::new();
    for (number, block) in blocks.iter().enumerate() {
        if !names.insert(&block.name) {
            let fault = Fault::Repeated(format!("block {} appears twice", block.name));
            return Err(source.error_in_line(block.line, fault));
        }
        around.retain(|&(_, span)| number % span != 0);
        let begins = |&(_, &span): &(usize, &usize)| number % span == 0;
        for (index, &span) in spans.iter().enumerate().rev().filter(begins) {
            let others = span.min(blocks.len() - number) - 1;
            let name = match others {
                0 => block.name.clone(),
                others => {
                    format!("{} and {}", block.name, counted(others, "other"))
                }
            };
            let parent = around.last().map(|&(group, _)| group);
            around.push((groups.len() as u32, span));
            groups.push(SwitchGroup { name, parent, level: index as u32 + 2 });
        }
        let parent = around.last().map(|&(group, _)| group);
        let own = groups.len() as u32;
        groups.push(SwitchGroup { name: block.name.clone(), parent, level: 1 });
        for node in &block.nodes {
            if let Some(other) = block_of.insert(node, &block.name) {
                let fault = Fault::Contradiction(format!(
                    "node {node} is in block {other} and in block {}",
                    block.name
                ));
                return Err(source.error_in_line(block.line, fault));
            }
            hosts.push((node.clone(), own));
        }
    }
    Ok(Network { groups, hosts, switches: 0, links: 0, wiring: None, named: None })
}

/// How many blocks each larger size takes, in ascending order, each a multiple of the one before.
fn spans(mut sizes: Vec<u64>, warnings: &mut Warnings) -> Vec<usize> {
    sizes.sort_unstable();
    sizes.dedup();
    let Some(&base) = sizes.first() else { return Vec::new() };
    let mut spans: Vec<usize> = Vec::new();
    for &size in &sizes[1..] {
        let span = usize::try_from(size / base).unwrap_or(usize::MAX);
        let before = spans.last().copied().unwrap_or(1);
        match size % base == 0 && span % before == 0 {
            true => spans.push(span),
            false => warnings.push(format!(
                "BlockSizes: {size} is not a multiple of {}, so no blocks of that size are made",
                base * before as u64
            )),
        }
    }
    spans
}
