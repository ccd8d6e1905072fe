//! Collectives as plain values, so that Python can store them.

use std::sync::Arc;

use topoloom::core::traffic::{Collective, Group, Operation, VariableSizes};

/// The MPI call, the members, how often, bytes of a call, and bytes of pairs if they differ.
pub type State = (String, Vec<u32>, u64, u64, Option<Vec<(u32, u32, f64)>>);

/// The plain values of a collective.
pub fn state(collective: &Collective) -> State {
    let size = collective.group.size();
    let members = (0..size).map(|number| collective.group.member(number)).collect();
    let pairs = match &collective.operation {
        Operation::AllToAllVariable(sizes) => {
            let mut pairs = Vec::new();
            sizes.for_each(size, |from, to, bytes| pairs.push((from, to, bytes)));
            Some(pairs)
        }
        _ => None,
    };
    let name = collective.operation.mpi_name().to_string();
    (name, members, collective.calls, collective.bytes, pairs)
}

/// The collective of these values.
pub fn of_state((name, members, calls, bytes, pairs): State) -> Result<Collective, String> {
    let simple = [
        Operation::Barrier,
        Operation::Broadcast,
        Operation::Reduce,
        Operation::Allreduce,
        Operation::AllToAll,
        Operation::Allgather,
        Operation::ReduceScatter,
        Operation::Gather,
        Operation::Scatter,
    ];
    let operation = match pairs {
        Some(pairs) => Operation::AllToAllVariable(VariableSizes::Pairs(Arc::from(pairs))),
        None => simple
            .into_iter()
            .find(|operation| operation.mpi_name() == name)
            .ok_or_else(|| format!("{name} is not the name of a collective"))?,
    };
    Ok(Collective { operation, group: Group::of_members(Arc::from(members)), calls, bytes })
}
