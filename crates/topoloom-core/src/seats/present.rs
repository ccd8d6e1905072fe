//! Where the ranks of a job are now, as slots of a machine.

use std::collections::HashMap;

use crate::cluster::same_host;
use crate::topology::Cluster;

/// The observed seat of one rank of a job.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JobSeat {
    /// The name of its host.
    pub host: String,
    /// The CPUs it may run on, in ascending order; empty if it is not bound.
    pub cpus: Vec<u32>,
}

/// The slot of each rank, if the machine has a place for each of them with exactly these CPUs. For
/// ranks that are not bound, the place must be a whole host.
pub fn present_slots(seats: &[JobSeat], cluster: &Cluster) -> Option<Vec<u32>> {
    let hosts = &cluster.description().hosts;
    let exact: HashMap<&str, u32> =
        (0..).zip(hosts).map(|(number, host)| (host.name.as_str(), number)).collect();
    let mut known: HashMap<&str, Option<u32>> = HashMap::new();
    let mut free: HashMap<(u32, &[u32]), Vec<u32>> = HashMap::new();
    for (node, place) in cluster.places().iter().enumerate().rev() {
        let cpus = if place.core.is_none() { &[] } else { &place.cpus[..] };
        free.entry((place.host, cpus)).or_default().push(node as u32);
    }
    let mut slots = Vec::with_capacity(seats.len());
    for seat in seats {
        let host = *known.entry(&seat.host).or_insert_with(|| {
            let similar = || hosts.iter().position(|host| same_host(&host.name, &seat.host));
            exact.get(&seat.host[..]).copied().or_else(|| similar().map(|host| host as u32))
        });
        slots.push(free.get_mut(&(host?, &seat.cpus[..]))?.pop()?);
    }
    Some(slots)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cluster::{Costs, Description, Hardware, Host, Network, Object, ObjectKind, Seat};

    fn cluster(seats: Vec<Seat>) -> Cluster {
        let host = |name: &str| Host { name: name.into(), kind: 0, slots: None, group: None };
        Cluster::new(Description {
            kinds: vec![Hardware::new(None, Object::flat_node(4))],
            network: Network::default(),
            hosts: vec![host("a"), host("b")],
            costs: Costs::default(),
            place: ObjectKind::Core,
            seats,
        })
        .unwrap()
    }

    fn seat(host: &str, cpus: &[u32]) -> JobSeat {
        JobSeat { host: host.to_string(), cpus: cpus.to_vec() }
    }

    #[test]
    fn ranks_bound_to_cores_are_in_the_slots_of_these_cores() {
        let cluster = cluster(Vec::new());
        let found = present_slots(&[seat("b.org", &[2]), seat("a", &[0])], &cluster);
        assert_eq!(found, Some(vec![6, 0]));
        // Two cores, no core, an unknown host, and a core for two.
        assert_eq!(present_slots(&[seat("a", &[0, 1])], &cluster), None);
        assert_eq!(present_slots(&[seat("a", &[])], &cluster), None);
        assert_eq!(present_slots(&[seat("c", &[0])], &cluster), None);
        assert_eq!(present_slots(&[seat("a", &[0]), seat("a", &[0])], &cluster), None);
    }

    #[test]
    fn seats_that_are_alike_are_taken_one_after_the_other() {
        let of = |host, cpus: &[u32]| Seat { host, cpus: cpus.to_vec(), gpu: None };
        let seats = vec![of(1, &[]), of(0, &[1, 2]), of(1, &[]), of(0, &[1, 2])];
        let cluster = cluster(seats);
        let job = [seat("b", &[]), seat("a", &[1, 2]), seat("b", &[]), seat("a", &[1, 2])];
        let found = present_slots(&job, &cluster).unwrap();
        let nodes: Vec<u32> = cluster.node_of_seat().to_vec();
        assert_eq!(found, nodes);
    }
}
