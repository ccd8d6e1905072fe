//! Where the ranks of a job are now: its seats.

use std::sync::Arc;

use anyhow::{Context, bail};
use topoloom::core::cluster::{Description, Host, ObjectKind, Seat, same_host};
use topoloom::core::seats::JobSeat;
use topoloom::core::topology::Cluster;
use topoloom::core::{Machine, Mapping, Problem, Traffic, Weight};
use topoloom::io::Probe;

use crate::output::numbers::plural;

/// The present seats of a job.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Present {
    /// The seat of each rank.
    pub seats: Vec<JobSeat>,
    /// Whether the hosts have GPUs: programs choose them by the number of a rank on its host.
    pub has_gpus: bool,
}

/// The seats that a probe found. A rank that may run on all CPUs of its host is not bound.
pub fn seats(probe: &Probe, description: &Description) -> anyhow::Result<Present> {
    let reported = probe.ranks.iter().map(|rank| (rank.rank, &rank.host[..], &rank.cpus[..]));
    if let Some((rank, host, _)) = reported.clone().find(|(_, _, cpus)| cpus.is_empty()) {
        bail!("rank {rank} on {host} does not report which CPUs it may run on");
    }
    on_hosts(reported, description)
}

/// The seats of ranks, each with its host and its CPUs. Without CPUs it is not bound.
pub fn on_hosts<'a>(
    ranks: impl Iterator<Item = (u32, &'a str, &'a [u32])>,
    description: &Description,
) -> anyhow::Result<Present> {
    let mut seats = Vec::new();
    for (rank, host, cpus) in ranks {
        let host = host_of(host, description).with_context(|| {
            format!("rank {rank} is on {host}, which is not a host of the machine")
        })?;
        let whole = description.kinds[description.hosts[host as usize].kind as usize].node.cpus();
        let is_bound = !cpus.is_empty() && whole.iter().any(|cpu| !cpus.contains(cpu));
        let cpus = if is_bound { cpus.to_vec() } else { Vec::new() };
        let host = description.hosts[host as usize].name.clone();
        seats.push(JobSeat { host, cpus });
    }
    let has_gpus = description.kinds.iter().any(|kind| kind.node.count(ObjectKind::Gpu) > 0);
    Ok(Present { seats, has_gpus })
}

/// The problem of placing ranks on a machine that is called `spec`.
pub fn problem_on(
    spec: &str,
    machine: Description,
    traffic: Traffic,
    weight: Weight,
) -> anyhow::Result<Problem> {
    let machine = Machine::with_topology(spec, Arc::new(Cluster::new(machine)?))?;
    Ok(Problem::new(traffic, machine, weight)?)
}

/// Every rank in its own seat.
pub fn identity(problem: &Problem) -> anyhow::Result<Mapping> {
    Ok(problem.mapping(cluster_of(problem)?.node_of_seat().to_vec())?)
}

/// The hosts of a problem whose machine was made of hosts.
pub fn cluster_of(problem: &Problem) -> anyhow::Result<&Cluster> {
    problem.machine().topology().cluster().context("the machine was made of hosts")
}

fn host_of(name: &str, description: &Description) -> Option<u32> {
    let host = description.hosts.iter().position(|host| same_host(&host.name, name));
    host.map(|host| host as u32)
}

impl Present {
    /// A machine with these seats only.
    pub fn machine(&self, description: &Description) -> anyhow::Result<Description> {
        let mut machine = self.hosts_with_seats(description);
        machine.hosts.iter_mut().for_each(|host| host.slots = None);
        let seat = |seat: &JobSeat| {
            let host = machine.hosts.iter().position(|host| host.name == seat.host);
            let host = host.context("hosts with seats are kept")? as u32;
            Ok(Seat { host, cpus: seat.cpus.clone(), gpu: None })
        };
        machine.seats = self.seats.iter().map(seat).collect::<anyhow::Result<_>>()?;
        Ok(machine)
    }

    /// The machine without hosts that have no seat.
    pub fn hosts_with_seats(&self, description: &Description) -> Description {
        let is_used = |host: &Host| self.seats.iter().any(|seat| seat.host == host.name);
        let hosts = (0..).zip(&description.hosts).filter(|(_, host)| is_used(host));
        let hosts: Vec<u32> = hosts.map(|(number, _)| number).collect();
        description.clone().with_hosts(&hosts)
    }

    /// The same with ranks that may run anywhere on their hosts: then only the traffic between
    /// hosts counts.
    pub fn by_hosts(&self) -> Present {
        let unbound = |seat: &JobSeat| JobSeat { cpus: Vec::new(), ..seat.clone() };
        Present { seats: self.seats.iter().map(unbound).collect(), ..self.clone() }
    }

    /// How many ranks are not bound.
    pub fn unbound(&self) -> usize {
        self.seats.iter().filter(|seat| seat.cpus.is_empty()).count()
    }

    /// How many hosts there are.
    pub fn hosts(&self) -> usize {
        let mut hosts: Vec<&str> = self.seats.iter().map(|seat| &seat.host[..]).collect();
        hosts.sort_unstable();
        hosts.dedup();
        hosts.len()
    }

    /// How many CPUs each bound rank has, if they all have the same number.
    pub fn cpus_each(&self) -> Option<usize> {
        let mut counts: Vec<usize> = self.seats.iter().map(|seat| seat.cpus.len()).collect();
        counts.dedup();
        match counts[..] {
            [one] if one > 0 => Some(one),
            _ => None,
        }
    }

    /// In words: `8 ranks on 2 hosts, not bound`, `4 ranks on 1 host, bound to 2 CPUs each`.
    pub fn in_words(&self) -> String {
        let (ranks, hosts) = (self.seats.len(), self.hosts());
        let bound = match (self.unbound(), self.cpus_each()) {
            (0, Some(cpus)) if ranks == 1 => format!("bound to {}", plural(cpus, "CPU")),
            (0, Some(cpus)) => format!("bound to {} each", plural(cpus, "CPU")),
            (0, None) => "bound".to_string(),
            (unbound, _) if unbound == ranks => "not bound to CPUs".to_string(),
            (unbound, _) => format!("{unbound} of them not bound to CPUs"),
        };
        format!("{} on {}, {bound}", plural(ranks, "rank"), plural(hosts, "host"))
    }
}

/// Whether two jobs have the same seats, whichever ranks have them.
pub fn same_seats(a: &[JobSeat], b: &[JobSeat]) -> bool {
    let sorted = |seats: &[JobSeat]| {
        let mut seats: Vec<(String, Vec<u32>)> =
            seats.iter().map(|seat| (seat.host.clone(), seat.cpus.clone())).collect();
        seats.sort_unstable();
        seats
    };
    sorted(a) == sorted(b)
}

#[cfg(test)]
mod tests {
    use super::*;
    use topoloom::core::cluster::{Costs, Hardware, Network, Object};
    use topoloom::io::ProbedRank;

    fn machine() -> Description {
        let host = |name: &str| Host { name: name.into(), kind: 0, slots: None, group: None };
        Description {
            kinds: vec![Hardware::new(None, Object::flat_node(4))],
            network: Network::default(),
            hosts: vec![host("a"), host("b"), host("c")],
            costs: Costs::default(),
            place: ObjectKind::Core,
            seats: Vec::new(),
        }
    }

    fn probe(ranks: &[(&str, &[u32])]) -> Probe {
        let rank = |(rank, (host, cpus)): (usize, &(&str, &[u32]))| ProbedRank {
            rank: rank as u32,
            host: host.to_string(),
            cpus: cpus.to_vec(),
            variable: "PMI_RANK".to_string(),
            process: 1,
            command: Vec::new(),
            starter: String::new(),
        };
        Probe { ranks: ranks.iter().enumerate().map(rank).collect(), ..Probe::default() }
    }

    #[test]
    fn a_rank_that_may_run_everywhere_is_not_bound() {
        let probe = probe(&[("a", &[0, 1, 2, 3]), ("b.org", &[0, 1])]);
        let present = seats(&probe, &machine()).unwrap();
        assert_eq!((present.unbound(), present.hosts(), present.cpus_each()), (1, 2, None));
        assert_eq!(present.seats[1], JobSeat { host: "b".to_string(), cpus: vec![0, 1] });
        let seated = present.machine(&machine()).unwrap();
        // c runs nothing.
        assert_eq!((seated.hosts.len(), seated.seats[0].is_bound()), (2, false));
        assert_eq!(present.in_words(), "2 ranks on 2 hosts, 1 of them not bound to CPUs");
    }

    #[test]
    fn a_rank_on_an_unknown_host_is_named() {
        let wrong = seats(&probe(&[("x", &[0])]), &machine()).unwrap_err().to_string();
        assert_eq!(wrong, "rank 0 is on x, which is not a host of the machine");
    }
}
