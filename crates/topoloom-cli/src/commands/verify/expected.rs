//! Where a mapping file puts each rank.

use topoloom::io::MappingFile;
use topoloom::io::host_list::ListedHost;
use topoloom::io::launch::{LaunchError, seating_of};

/// The place of a rank, as far as it is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Seat {
    /// The host.
    pub host: String,
    /// The number of its first core among those of the host, in the order of the hardware; `None`
    /// if the rank may run anywhere on its host.
    pub core: Option<u32>,
    /// The operating system's numbers of its CPUs.
    pub cpus: Option<Vec<u32>>,
}

/// The seats of all ranks. If the machine has named hosts, the file says where ranks sit. Otherwise
/// `hosts` gives names to the nodes, and the only slot of a node is the whole node.
pub fn seats(file: &MappingFile, hosts: Option<&[ListedHost]>) -> Result<Vec<Seat>, LaunchError> {
    let seating = seating_of(file, hosts)?;
    let seats = seating.seats.iter().map(|seat| Seat {
        host: seating.hosts[seat.host as usize].clone(),
        core: seat.core,
        cpus: (!seat.cpus.is_empty()).then(|| seat.cpus.clone()),
    });
    Ok(seats.collect())
}

#[cfg(test)]
mod tests {
    use topoloom::io::host_list;

    use super::*;

    fn seat(host: &str, core: Option<u32>) -> Seat {
        Seat { host: host.to_string(), core, cpus: None }
    }

    #[test]
    fn slots_of_a_node_are_its_cores_and_nodes_are_hosts() {
        let file = MappingFile {
            machine: Some("torus:2x2,slots=2".to_string()),
            node_of_rank: vec![3, 0],
            slot_of_rank: Some(vec![7, 0]),
            ..MappingFile::default()
        };
        let hosts = host_list::parse("n[1-4]").unwrap();
        let found = seats(&file, Some(&hosts)).unwrap();
        assert_eq!(found, [seat("n4", Some(1)), seat("n1", Some(0))]);
    }

    #[test]
    fn who_has_a_whole_node_may_run_on_any_core_of_it() {
        let file = MappingFile {
            machine: Some("torus:2x2".to_string()),
            node_of_rank: vec![1],
            slot_of_rank: Some(vec![1]),
            ..MappingFile::default()
        };
        let hosts = host_list::parse("a,b,c,d").unwrap();
        assert_eq!(seats(&file, Some(&hosts)).unwrap(), [seat("b", None)]);
    }
}
