//! Task maps of Flux (RFC 34): `[[node, nodes, tasks per node, times], ...]`.

use super::binding::{Binding, bound};
use super::error::LaunchError;
use super::format::{HostNames, Launch, LaunchEntry, LaunchFiles, LaunchFormat, LaunchNames};
use super::shell::{quoted, warning_of_length};
use crate::text::{cpu_list, host_list};

/// Task maps of Flux.
pub(super) static ENTRY: LaunchEntry = LaunchEntry {
    name: "flux-taskmap",
    summary: "task map of Flux (RFC 34): runs of ranks by node",
    example: "taskmap.json",
    parameters: &[],
    build: LaunchFormat { hosts: HostNames::Known, binds: true, write, command },
};

/// A block of a task map: `tasks` ranks on each of `nodes` nodes from `node` on, `times` times.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Block {
    node: u32,
    nodes: u32,
    tasks: u32,
    times: u32,
}

/// The blocks of the nodes of all ranks.
fn blocks(nodes: &[u32]) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    for run in nodes.chunk_by(|a, b| a == b) {
        let (node, tasks) = (run[0], run.len() as u32);
        match blocks.last_mut() {
            Some(last) if last.node + last.nodes == node && last.tasks == tasks => last.nodes += 1,
            _ => blocks.push(Block { node, nodes: 1, tasks, times: 1 }),
        }
    }
    let mut repeated: Vec<Block> = Vec::new();
    for block in blocks {
        match repeated.last_mut() {
            Some(last) if (Block { times: 1, ..*last }) == block => last.times += 1,
            _ => repeated.push(block),
        }
    }
    repeated
}

fn as_json(blocks: &[Block]) -> String {
    let one =
        |block: &Block| format!("[{},{},{},{}]", block.node, block.nodes, block.tasks, block.times);
    format!("[{}]", blocks.iter().map(one).collect::<Vec<String>>().join(","))
}

fn write(launch: &Launch) -> Result<LaunchFiles, LaunchError> {
    // A job has only the nodes that have ranks.
    let mut nodes = vec![0; launch.ranks];
    for (node, host) in (0..).zip(launch.used_hosts()?) {
        host.ranks.iter().for_each(|&rank| nodes[rank as usize] = node);
    }
    let main = format!("{}\n", as_json(&blocks(&nodes)));
    let bind = launch.binding_by_rank()?.file();
    let mut warnings = launch.warning_of_unknown_cpus()?;
    warnings.extend(warning_of_length(main.len()));
    Ok(LaunchFiles { main, bind, warnings })
}

fn command(launch: &Launch, names: &LaunchNames<'_>) -> Result<String, LaunchError> {
    let hosts = launch.used_hosts()?;
    let each = hosts.first().map_or(0, |host| host.ranks.len());
    let even = hosts.iter().all(|host| host.ranks.len() == each);
    // Flux gives each task its own core unless it knows the number of tasks per node.
    let tasks = match launch.has_cores()? && launch.shares_cpus()? {
        false => format!("-n {}", launch.ranks),
        true if even => format!("--tasks-per-node={each}"),
        true => {
            let reason = "ranks share cores, and hosts have different numbers of ranks".to_string();
            return Err(LaunchError::NotPossible { format: ENTRY.name, reason });
        }
    };
    let bind = match launch.binding_by_rank()? {
        Binding::List(lists) => {
            let lists: Vec<String> = lists.iter().map(|cpus| cpu_list::write(cpus)).collect();
            quoted(&format!("cpu-affinity=map:{}", lists.join(";")))
        }
        Binding::File(_) | Binding::Free => "cpu-affinity=off".to_string(),
    };
    let list: Vec<&str> = hosts.iter().map(|host| host.name).collect();
    Ok(format!(
        r#"flux run -N {} {tasks} --exclusive --requires={} --taskmap=manual:"$(cat {})" -o {bind} {}"#,
        hosts.len(),
        quoted(&format!("hosts:{}", host_list::write(&list))),
        names.main,
        bound("FLUX_TASK_RANK", names)
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The nodes of all ranks, from the ranks of each node.
    fn nodes(ranks_of_node: &str) -> Vec<u32> {
        let mut placed = Vec::new();
        for (node, list) in (0..).zip(ranks_of_node.split(';')) {
            placed.extend(cpu_list::parse(list).unwrap().iter().map(|&rank| (rank, node)));
        }
        placed.sort_unstable();
        placed.iter().map(|&(_, node)| node).collect()
    }

    #[test]
    fn the_test_vectors_of_rfc_34_hold() {
        let vectors = [
            ("0", "[[0,1,1,1]]"),
            ("0;1", "[[0,2,1,1]]"),
            ("0-1", "[[0,1,2,1]]"),
            ("0-1;2-3", "[[0,2,2,1]]"),
            ("0,2;1,3", "[[0,2,1,2]]"),
            ("1;0", "[[1,1,1,1],[0,1,1,1]]"),
            ("0-3;4-7;8-11;12-15", "[[0,4,4,1]]"),
            ("0,4,8,12;1,5,9,13;2,6,10,14;3,7,11,15", "[[0,4,1,4]]"),
            ("0-1,8-9;2-3,10-11;4-5,12-13;6-7,14-15", "[[0,4,2,2]]"),
            ("0-1;2-3;4-5;6-7;8-11;12-15", "[[0,4,2,1],[4,2,4,1]]"),
            ("0,6;1,7;2,8;3,9;4,10,12,14;5,11,13,15", "[[0,6,1,2],[4,2,1,2]]"),
            (
                "14-15;12-13;10-11;8-9;4-7;0-3",
                "[[5,1,4,1],[4,1,4,1],[3,1,2,1],[2,1,2,1],[1,1,2,1],[0,1,2,1]]",
            ),
            ("0-1;2-3;4-5;6-7;8-9;12-13;10-11;14-15", "[[0,5,2,1],[6,1,2,1],[5,1,2,1],[7,1,2,1]]"),
            ("12-15;8-11;4-7;0-3", "[[3,1,4,1],[2,1,4,1],[1,1,4,1],[0,1,4,1]]"),
        ];
        for (ranks, map) in vectors {
            assert_eq!(as_json(&blocks(&nodes(ranks))), map, "{ranks}");
        }
    }
}
