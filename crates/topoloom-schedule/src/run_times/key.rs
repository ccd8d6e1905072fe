//! Partitions on which a job is equally fast.

use topoloom_core::{Machine, Objective};

use crate::partition::Partition;

/// What decides how fast jobs of a kind and size are on a partition: its form, not where it is.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Key {
    job: (usize, u32),
    form: Form,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Form {
    /// A box of these lengths.
    Box(Vec<u32>),
    /// On a grid: how far each node lies from the first, along every dimension.
    Offsets(Vec<i32>),
    /// In groups: the distance from each node to the next. All other distances follow: each is the
    /// largest on the way.
    Steps(Vec<u32>),
    /// These nodes.
    Nodes(Vec<u32>),
}

impl Key {
    pub(super) fn new(
        machine: &Machine,
        objective: &dyn Objective,
        job: (usize, u32),
        partition: &Partition,
    ) -> Key {
        Key { job, form: form(machine, objective, partition) }
    }
}

fn form(machine: &Machine, objective: &dyn Objective, partition: &Partition) -> Form {
    let topology = machine.topology();
    if let Some(lengths) = &partition.lengths {
        return Form::Box(lengths.clone());
    }
    let nodes = &partition.nodes;
    if let Some(grid) = topology.lattice() {
        return Form::Offsets(offsets(nodes, &grid.lengths, grid.wraps));
    }
    // Link loads depend on more than distances.
    if topology.groups().is_some() && !objective.needs_links() {
        let distance = |pair: &[u32]| machine_distance(machine, pair[0], pair[1]);
        return Form::Steps(nodes.windows(2).map(distance).collect());
    }
    Form::Nodes(nodes.clone())
}

fn machine_distance(machine: &Machine, from: u32, to: u32) -> u32 {
    machine.topology().distance(topoloom_core::Vertex(from), topoloom_core::Vertex(to))
}

fn offsets(nodes: &[u32], lengths: &[u32], wraps: bool) -> Vec<i32> {
    let mut offsets = Vec::with_capacity(nodes.len() * lengths.len());
    let first = nodes.first().copied().unwrap_or(0);
    for &node in nodes {
        let (mut own, mut start) = (node, first);
        for &length in lengths {
            let offset = (own % length) as i32 - (start % length) as i32;
            offsets.push(if wraps { offset.rem_euclid(length as i32) } else { offset });
            (own, start) = (own / length, start / length);
        }
    }
    offsets
}
