//! Where a mapping file puts each rank.

use std::path::Path;

use anyhow::{Context, anyhow, bail};
use topoloom::core::Machine;
use topoloom::io::{MappingFile, host_list};

/// The place of a rank, as far as it is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Seat {
    /// The host.
    pub host: String,
    /// The number of its core among those of the host, in the order of the hardware.
    pub core: Option<u32>,
    /// The operating system's numbers of its CPUs.
    pub cpus: Option<Vec<u32>>,
}

/// The seats of all ranks. Machines that know their hosts say in the file where ranks sit; `hosts`
/// gives names to the nodes of others.
pub fn seats(file: &MappingFile, path: &Path, hosts: Option<&str>) -> anyhow::Result<Vec<Seat>> {
    let names = match hosts {
        Some(list) => {
            let listed = host_list::parse(list).map_err(|error| anyhow!("--hosts: {error}"))?;
            Some(listed.into_iter().map(|host| host.name).collect::<Vec<String>>())
        }
        None => None,
    };
    let Some(seating) = &file.seating else {
        let names = names.with_context(|| {
            format!("{}: the mapping names no hosts; give --hosts", path.display())
        })?;
        return seats_by_node(file, &names);
    };
    let names = names.unwrap_or_else(|| seating.hosts.clone());
    if names.len() != seating.hosts.len() {
        let expected = seating.hosts.len();
        bail!("--hosts: the mapping has {expected} hosts, found {} names", names.len());
    }
    let seats = seating.seats.iter().map(|seat| Seat {
        host: names[seat.host as usize].clone(),
        core: Some(seat.core),
        cpus: (!seat.cpus.is_empty()).then(|| seat.cpus.clone()),
    });
    Ok(seats.collect())
}

/// Node by node in the order of the names, and slot by slot in the order of the cores. A node's
/// only slot is the whole node.
fn seats_by_node(file: &MappingFile, names: &[String]) -> anyhow::Result<Vec<Seat>> {
    let machine = file.machine.as_deref().and_then(|spec| Machine::parse(spec).ok());
    let slots_a_node = machine.map_or(1, |machine| machine.slots_per_node());
    let mut seats = Vec::with_capacity(file.ranks());
    for (rank, &node) in file.node_of_rank.iter().enumerate() {
        let host = names.get(node as usize).with_context(|| {
            format!("--hosts: rank {rank} is on node {node}, but there are {} names", names.len())
        })?;
        let slot = file.slot_of_rank.as_ref().map(|slots| slots[rank]);
        let core = slot.filter(|_| slots_a_node > 1).map(|slot| slot % slots_a_node);
        seats.push(Seat { host: host.clone(), core, cpus: None });
    }
    Ok(seats)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slots_of_a_node_are_its_cores_and_nodes_are_hosts() {
        let file = MappingFile {
            machine: Some("torus:2x2,slots=2".to_string()),
            node_of_rank: vec![3, 0],
            slot_of_rank: Some(vec![7, 0]),
            ..MappingFile::default()
        };
        let path = Path::new("m.json");
        let found = seats(&file, path, Some("n[1-4]")).unwrap();
        let seat = |host: &str, core| Seat { host: host.to_string(), core, cpus: None };
        assert_eq!(found, [seat("n4", Some(1)), seat("n1", Some(0))]);
        let refusal = |hosts| seats(&file, path, hosts).unwrap_err().to_string();
        assert_eq!(refusal(None), "m.json: the mapping names no hosts; give --hosts");
        assert_eq!(refusal(Some("a,b")), "--hosts: rank 0 is on node 3, but there are 2 names");
    }

    #[test]
    fn who_has_a_whole_node_may_run_on_any_core_of_it() {
        let file = MappingFile {
            machine: Some("torus:2x2".to_string()),
            node_of_rank: vec![1],
            slot_of_rank: Some(vec![1]),
            ..MappingFile::default()
        };
        let found = seats(&file, Path::new("m.json"), Some("a,b,c,d")).unwrap();
        assert_eq!(found, [Seat { host: "b".to_string(), core: None, cpus: None }]);
    }
}
