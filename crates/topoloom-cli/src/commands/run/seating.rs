//! Gives each rank of a mapping to a process that sits where the mapping wants the rank.

use topoloom::io::{AskedSeat, cpu_list};

use super::arguments::{RankZero, Within};
use crate::commands::verify::expected::Seat;
use crate::commands::verify::judge::is_same_host;
use crate::output::numbers::plural;

/// The rank that each process gets, and what the user should know about it.
#[derive(Debug, PartialEq, Eq)]
pub struct Matched {
    pub order: Vec<u32>,
    pub notes: Vec<String>,
}

/// What ranks want, and where processes are, both by the numbers of the processes' hosts.
struct Hosts<'a> {
    names: Vec<&'a str>,
    of_process: Vec<usize>,
    of_rank: Vec<usize>,
}

/// Matches the seats that a mapping wants with those that the processes have. `cores_of` has the CPUs
/// of each core of a host. An error says why they do not fit.
pub fn matched(
    wanted: &[Seat],
    found: &[AskedSeat],
    cores_of: impl Fn(&str) -> Option<Vec<Vec<u32>>>,
    within: Within,
    rank_0: RankZero,
) -> Result<Matched, String> {
    if wanted.len() != found.len() {
        let (ranks, started) = (plural(wanted.len(), "rank"), plural(found.len(), "rank"));
        return Err(format!("the mapping has {ranks}, and the job has {started}"));
    }
    let hosts = Hosts::of(wanted, found)?;
    let mut order = match within {
        Within::Hosts => hosts.in_local_order(),
        Within::Cores => hosts.by_cpus(wanted, found, cores_of)?,
    };
    let mut notes = Vec::new();
    if rank_0 == RankZero::Stay && order[0] != 0 {
        notes.push(hosts.keep_rank_0(&mut order, found));
        if within == Within::Hosts {
            hosts.sort_within(&mut order);
        }
    }
    Ok(Matched { order, notes })
}

impl<'a> Hosts<'a> {
    fn of(wanted: &'a [Seat], found: &'a [AskedSeat]) -> Result<Hosts<'a>, String> {
        let own = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
        let mut names: Vec<&str> = Vec::new();
        let mut of_process = Vec::with_capacity(found.len());
        for seat in found {
            let host = names.iter().position(|name| *name == seat.host);
            of_process.push(host.unwrap_or_else(|| {
                names.push(&seat.host);
                names.len() - 1
            }));
        }
        let mut of_rank = Vec::with_capacity(wanted.len());
        // Ranks of a host follow each other often.
        let mut last: Option<(&str, usize)> = None;
        for (rank, seat) in wanted.iter().enumerate() {
            let host = match last {
                Some((name, host)) if name == seat.host => host,
                _ => names
                    .iter()
                    .position(|name| is_same_host(&seat.host, name, own.trim()))
                    .ok_or_else(|| {
                        format!(
                            "the mapping wants rank {rank} on {}, where the job has no process",
                            seat.host
                        )
                    })?,
            };
            last = Some((&seat.host, host));
            of_rank.push(host);
        }
        for (host, name) in names.iter().enumerate() {
            let count = |list: &[usize]| list.iter().filter(|&&other| other == host).count();
            let (ranks, processes) = (count(&of_rank), count(&of_process));
            if ranks != processes {
                return Err(format!(
                    "the mapping wants {} on {name}, where the job has {}",
                    plural(ranks, "rank"),
                    plural(processes, "process")
                ));
            }
        }
        Ok(Hosts { names, of_process, of_rank })
    }

    fn ranks_on(&self, host: usize) -> Vec<usize> {
        (0..self.of_rank.len()).filter(|&rank| self.of_rank[rank] == host).collect()
    }

    fn processes_on(&self, host: usize) -> Vec<usize> {
        (0..self.of_process.len()).filter(|&process| self.of_process[process] == host).collect()
    }

    /// Gives rank 0 to the launcher's rank 0. If the two hosts have the same number of ranks, all
    /// ranks of its host move with it, and neighbours stay together. Says what was done.
    fn keep_rank_0(&self, order: &mut [u32], found: &[AskedSeat]) -> String {
        let holder = order.iter().position(|&rank| rank == 0).unwrap_or(0);
        let (wanted, kept) = (self.of_process[holder], self.of_process[0]);
        let (kept_name, wanted_name) = (self.names[kept], self.names[wanted]);
        let by_cpus = |host: usize| {
            let mut processes = self.processes_on(host);
            processes.sort_by_key(|&process| (&found[process].cpus, process));
            processes
        };
        let (here, there) = (by_cpus(kept), by_cpus(wanted));
        let exchanges_hosts = wanted != kept && here.len() == there.len();
        if exchanges_hosts {
            here.iter().zip(&there).for_each(|(&one, &other)| order.swap(one, other));
        }
        let other = order[0];
        let holder = order.iter().position(|&rank| rank == 0).unwrap_or(0);
        order.swap(0, holder);
        let what = match exchanges_hosts {
            true => format!("the ranks of {kept_name} and {wanted_name} are exchanged"),
            false => format!("it is exchanged with rank {other}"),
        };
        format!("rank 0 stays on {kept_name}: {what} (--rank-0 move follows the mapping)")
    }

    /// Lets the ranks of each host rise with its processes.
    fn sort_within(&self, order: &mut [u32]) {
        for host in 0..self.names.len() {
            let processes = self.processes_on(host);
            let mut ranks: Vec<u32> = processes.iter().map(|&process| order[process]).collect();
            ranks.sort_unstable();
            processes.iter().zip(ranks).for_each(|(&process, rank)| order[process] = rank);
        }
    }

    /// The ranks of each host in the order of its processes.
    fn in_local_order(&self) -> Vec<u32> {
        let mut order = vec![0; self.of_process.len()];
        for host in 0..self.names.len() {
            for (process, rank) in self.processes_on(host).into_iter().zip(self.ranks_on(host)) {
                order[process] = rank as u32;
            }
        }
        order
    }

    /// Each rank to a process that may run on exactly its CPUs.
    fn by_cpus(
        &self,
        wanted: &[Seat],
        found: &[AskedSeat],
        cores_of: impl Fn(&str) -> Option<Vec<Vec<u32>>>,
    ) -> Result<Vec<u32>, String> {
        let mut order = vec![0; self.of_process.len()];
        for (host, name) in self.names.iter().enumerate() {
            let cores = cores_of(name);
            let mut free = self.processes_on(host);
            let mut anywhere = Vec::new();
            for rank in self.ranks_on(host) {
                let seat = &wanted[rank];
                let core = || cores.as_ref()?.get(seat.core? as usize).cloned();
                let Some(cpus) = seat.cpus.clone().or_else(core) else {
                    anywhere.push(rank);
                    continue;
                };
                let place = free.iter().position(|&process| found[process].cpus == cpus);
                let place = place.ok_or_else(|| {
                    format!(
                        "the mapping wants rank {rank} on CPUs {} of {name}, where no process is \
                         bound to them",
                        cpu_list::write(&cpus)
                    )
                })?;
                order[free.remove(place)] = rank as u32;
            }
            for (process, rank) in free.into_iter().zip(anywhere) {
                order[process] = rank as u32;
            }
        }
        Ok(order)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wanted(seats: &[(&str, &[u32])]) -> Vec<Seat> {
        let seat = |(host, cpus): &(&str, &[u32])| Seat {
            host: host.to_string(),
            core: None,
            cpus: (!cpus.is_empty()).then(|| cpus.to_vec()),
        };
        seats.iter().map(seat).collect()
    }

    fn found(seats: &[(&str, &[u32])]) -> Vec<AskedSeat> {
        let seat = |(host, cpus): &(&str, &[u32])| AskedSeat {
            host: host.to_string(),
            cpus: cpus.to_vec(),
        };
        seats.iter().map(seat).collect()
    }

    fn order(
        want: &[(&str, &[u32])],
        find: &[(&str, &[u32])],
        within: Within,
        rank_0: RankZero,
    ) -> Result<Vec<u32>, String> {
        matched(&wanted(want), &found(find), |_| None, within, rank_0).map(|matched| matched.order)
    }

    #[test]
    fn ranks_go_to_their_hosts_and_rise_with_the_processes_there() {
        // Ranks 0 and 3 belong together, and 1 and 2.
        let want: [(&str, &[u32]); 4] = [("a", &[]), ("b", &[]), ("b.org", &[]), ("a", &[])];
        let find: [(&str, &[u32]); 4] = [("a", &[]), ("a", &[]), ("b", &[]), ("b", &[])];
        assert_eq!(order(&want, &find, Within::Hosts, RankZero::Stay), Ok(vec![0, 3, 1, 2]));
        // The mapping wants rank 0 on the other host: the hosts are exchanged, or rank 0 moves.
        let want: [(&str, &[u32]); 4] = [("b", &[]), ("a", &[]), ("a", &[]), ("b", &[])];
        assert_eq!(order(&want, &find, Within::Hosts, RankZero::Stay), Ok(vec![0, 3, 1, 2]));
        assert_eq!(order(&want, &find, Within::Hosts, RankZero::Move), Ok(vec![1, 2, 0, 3]));
        // Hosts of different size: rank 0 alone is exchanged.
        let want: [(&str, &[u32]); 3] = [("b", &[]), ("a", &[]), ("a", &[])];
        let find: [(&str, &[u32]); 3] = [("a", &[]), ("a", &[]), ("b", &[])];
        assert_eq!(order(&want, &find, Within::Hosts, RankZero::Stay), Ok(vec![0, 2, 1]));
    }

    #[test]
    fn cpus_count_on_request() {
        let want: [(&str, &[u32]); 3] = [("a", &[2]), ("a", &[0]), ("a", &[1])];
        let find: [(&str, &[u32]); 3] = [("a", &[0]), ("a", &[1]), ("a", &[2])];
        assert_eq!(order(&want, &find, Within::Hosts, RankZero::Move), Ok(vec![0, 1, 2]));
        assert_eq!(order(&want, &find, Within::Cores, RankZero::Move), Ok(vec![1, 2, 0]));
        // Rank 0 stays with the first process, and rank 1 takes its seat. Also where hosts differ.
        let three: [(&str, &[u32]); 3] = [("b", &[0]), ("a", &[1]), ("a", &[0])];
        let on: [(&str, &[u32]); 3] = [("a", &[0]), ("a", &[1]), ("b", &[0])];
        assert_eq!(order(&three, &on, Within::Cores, RankZero::Stay), Ok(vec![0, 1, 2]));
        assert_eq!(order(&three, &on, Within::Cores, RankZero::Move), Ok(vec![2, 1, 0]));
        assert_eq!(order(&want, &find, Within::Cores, RankZero::Stay), Ok(vec![0, 2, 1]));
        let unbound: [(&str, &[u32]); 3] = [("a", &[0, 1]), ("a", &[1]), ("a", &[2])];
        let wrong = order(&want, &unbound, Within::Cores, RankZero::Move).unwrap_err();
        assert_eq!(
            wrong,
            "the mapping wants rank 1 on CPUs 0 of a, where no process is bound to them"
        );
    }

    #[test]
    fn a_job_that_sits_elsewhere_does_not_fit() {
        let find: [(&str, &[u32]); 2] = [("a", &[]), ("b", &[])];
        let wrong = |want: &[(&str, &[u32])]| {
            order(want, &find, Within::Hosts, RankZero::Stay).unwrap_err()
        };
        assert_eq!(wrong(&[("a", &[])]), "the mapping has 1 rank, and the job has 2 ranks");
        assert_eq!(
            wrong(&[("a", &[]), ("c", &[])]),
            "the mapping wants rank 1 on c, where the job has no process"
        );
        assert_eq!(
            wrong(&[("a", &[]), ("a", &[])]),
            "the mapping wants 2 ranks on a, where the job has 1 process"
        );
    }
}
