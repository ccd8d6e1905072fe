//! Map files of Blue Gene/Q: the coordinates of each rank.

use std::collections::HashMap;
use std::fmt::Write;

use super::error::LaunchError;
use super::format::{HostNames, Launch, LaunchEntry, LaunchFiles, LaunchFormat, LaunchNames};

/// The most processes that a node of Blue Gene/Q runs.
const MOST_RANKS_OF_A_NODE: u32 = 64;

/// Map files of Blue Gene/Q.
pub(super) static ENTRY: LaunchEntry = LaunchEntry {
    name: "bgq-mapfile",
    summary: "map file of Blue Gene/Q: A B C D E T of each rank, for machines of 5 dimensions",
    example: "mapfile",
    parameters: &[],
    build: LaunchFormat { hosts: HostNames::Unused, binds: true, write, command },
};

/// The coordinates of each rank, T last, and how many ranks a node runs.
fn coordinates(launch: &Launch) -> Result<(Vec<[u32; 6]>, u32), LaunchError> {
    let not_possible = |reason| Err(LaunchError::NotPossible { format: ENTRY.name, reason });
    let Some((machine, slots)) = &launch.slots else {
        return not_possible("the machine is not known".to_string());
    };
    let lengths = machine.topology().grid_lengths();
    let Some(&[a, b, c, d, e]) = lengths else {
        let reason = format!(
            "{} is not a box of 5 dimensions such as torus:4x4x4x4x2,slots=16",
            machine.spec()
        );
        return not_possible(reason);
    };
    let per_node = machine.slots_per_node();
    // Ranks that share a slot still have their own T: the ranks of a node in the order of slots.
    let mut ranks: Vec<usize> = (0..slots.len()).collect();
    ranks.sort_by_key(|&rank| (slots[rank], rank));
    let mut next: HashMap<u32, u32> = HashMap::new();
    let shared = ranks.windows(2).any(|pair| slots[pair[0]] == slots[pair[1]]);
    let (mut places, mut most) = (vec![[0; 6]; slots.len()], per_node);
    for rank in ranks {
        let node = slots[rank] / per_node;
        let count = next.entry(node).or_insert(0);
        let t = if shared { *count } else { slots[rank] % per_node };
        *count += 1;
        most = most.max(t + 1);
        let place = &mut places[rank];
        let mut rest = node;
        for (coordinate, length) in place.iter_mut().zip([a, b, c, d, e]) {
            *coordinate = rest % length;
            rest /= length;
        }
        place[5] = t;
    }
    if most > MOST_RANKS_OF_A_NODE {
        let reason = format!("a node runs at most {MOST_RANKS_OF_A_NODE} ranks, not {most}");
        return not_possible(reason);
    }
    // runjob accepts only powers of two.
    Ok((places, most.next_power_of_two()))
}

fn write(launch: &Launch) -> Result<LaunchFiles, LaunchError> {
    let mut main = String::new();
    for [a, b, c, d, e, t] in coordinates(launch)?.0 {
        let _ = writeln!(main, "{a} {b} {c} {d} {e} {t}");
    }
    Ok(LaunchFiles { main, ..LaunchFiles::default() })
}

fn command(launch: &Launch, names: &LaunchNames<'_>) -> Result<String, LaunchError> {
    let (_, each) = coordinates(launch)?;
    let LaunchNames { main, program, .. } = names;
    let ranks = launch.ranks;
    Ok(format!("runjob --mapping {main} --np {ranks} --ranks-per-node {each} : {program}"))
}
