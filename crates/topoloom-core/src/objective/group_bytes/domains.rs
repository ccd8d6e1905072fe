//! What NCCL takes for a node: everything that NVLink joins.

use crate::machine::Machine;

/// For each node of a machine, a number of what NVLink joins: the NVLink domain of its host, or the
/// host, or the node itself if the machine has no hosts.
pub(crate) fn domains_of_nodes(machine: &Machine) -> Vec<u32> {
    let Some(cluster) = machine.topology().cluster() else {
        return (0..machine.num_nodes() as u32).collect();
    };
    let description = cluster.description();
    let hosts = description.hosts.len() as u32;
    let domain = |host: u32| match description.domain_of(&description.hosts[host as usize]) {
        Some(group) => hosts + group,
        None => host,
    };
    cluster.places().iter().map(|place| domain(place.host)).collect()
}
