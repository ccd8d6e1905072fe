//! Puts ranks on the seats of their hosts, in the order that they would have there.

use crate::topology::Cluster;

/// The slot of each rank, given its host: the first rank of a host gets the seat of the first rank
/// that is there now, the second that of the second, and so on. Seats are in the order of the ranks
/// that have them now. `None` if a host does not have as many seats as ranks.
pub fn slots_in_local_order(host_of_rank: &[u32], cluster: &Cluster) -> Option<Vec<u32>> {
    let mut seats_of_host = vec![Vec::new(); cluster.description().hosts.len()];
    for (seat, &node) in cluster.description().seats.iter().zip(cluster.node_of_seat()) {
        seats_of_host[seat.host as usize].push(node);
    }
    let mut next: Vec<_> = seats_of_host.into_iter().map(Vec::into_iter).collect();
    let slots: Option<Vec<u32>> =
        host_of_rank.iter().map(|&host| next.get_mut(host as usize)?.next()).collect();
    slots.filter(|_| next.iter().all(|seats| seats.as_slice().is_empty()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cluster::{Costs, Description, Hardware, Host, Network, Object, ObjectKind, Seat};

    #[test]
    fn a_rank_has_the_cpus_of_its_number_on_the_host() {
        let host = |name: &str| Host { name: name.into(), kind: 0, slots: None, group: None };
        let seat = |host, cpu| Seat { host, cpus: vec![cpu], gpu: None };
        // Ranks 0 and 2 are on a, with CPUs 3 and 1; ranks 1 and 3 on b, with CPUs 0 and 2.
        let cluster = Cluster::new(Description {
            kinds: vec![Hardware::new(None, Object::flat_node(4))],
            network: Network::default(),
            hosts: vec![host("a"), host("b")],
            costs: Costs::default(),
            place: ObjectKind::Core,
            seats: vec![seat(0, 3), seat(1, 0), seat(0, 1), seat(1, 2)],
        })
        .unwrap();
        let cpus = |hosts: &[u32]| -> Option<Vec<u32>> {
            let slots = slots_in_local_order(hosts, &cluster)?;
            Some(slots.iter().map(|&slot| cluster.places()[slot as usize].cpus[0]).collect())
        };
        assert_eq!(cpus(&[0, 1, 0, 1]), Some(vec![3, 0, 1, 2]));
        // Ranks 0 and 1 on b: its first has CPU 0 as before, its second CPU 2.
        assert_eq!(cpus(&[1, 1, 0, 0]), Some(vec![0, 2, 3, 1]));
        assert_eq!(cpus(&[0, 0, 0, 1]), None);
        assert_eq!(cpus(&[0, 1]), None);
    }
}
