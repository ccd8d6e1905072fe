//! Places ranks on the seats that a job has, while it waits.

use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::Context;
use topoloom::core::cluster::{Description, Hardware, NamedNetwork, Object};
use topoloom::core::{Mapping, Objective, Problem, Traffic, parse_strategy};
use topoloom::io::host_list::ListedHost;
use topoloom::io::{AskedSeat, Probe, ProbedRank, read_probe};

use super::arguments::{RankZero, RunArguments, Within};
use crate::commands::machine::join;
use crate::inputs::load_machine;
use crate::output::{warn, warn_of_early_end};
use crate::placing::present::{self, Present, cluster_of, identity, problem_on};
use crate::placing::search::Searches;

/// What is known before the job starts.
pub struct Placing<'a> {
    arguments: &'a RunArguments,
    /// The machine that was given.
    machine: Option<Description>,
}

/// A placement that is better than the present one, or why there is none.
pub struct Placed {
    /// The new rank of each rank; `None` if nothing is gained.
    pub order: Option<Vec<u32>>,
    /// What was minimised.
    pub objective: &'static str,
    /// The cost of the present order, and of the one that was found.
    pub before: f64,
    pub after: f64,
    pub seconds: f64,
}

/// What is placed.
pub struct Wanted {
    pub traffic: Traffic,
    pub within: Within,
    /// Whether rank 0 stays with its process.
    pub rank_0: RankZero,
    /// The time limit, if the user has given none.
    pub limit: Duration,
}

impl<'a> Placing<'a> {
    pub fn new(arguments: &'a RunArguments, hosts: Option<&[ListedHost]>) -> anyhow::Result<Self> {
        parse_strategy(&arguments.strategy)?;
        let machine = arguments.machine.as_deref();
        let machine = machine.map(|machine| described(machine, hosts)).transpose()?;
        Ok(Placing { arguments, machine })
    }

    /// Whether hosts must describe themselves.
    pub fn asks_hosts(&self) -> bool {
        self.machine.is_none()
    }

    /// The machine of processes that sit here: the given one, or what their hosts have left in the
    /// folder.
    fn description(&self, seats: &[AskedSeat], folder: &Path) -> anyhow::Result<Description> {
        if let Some(machine) = &self.machine {
            return Ok(machine.clone());
        }
        let joined = join::probed(&probe(seats, folder)?, self.arguments.network.as_deref())?;
        joined.warnings.iter().for_each(|warning| warn(warning));
        Ok(joined.description)
    }

    /// Places ranks on the seats of processes.
    pub fn place(
        &self,
        wanted: Wanted,
        seats: &[AskedSeat],
        folder: &Path,
    ) -> anyhow::Result<Placed> {
        let begin = Instant::now();
        let description = self.description(seats, folder)?;
        let ranks = (0..).zip(seats).map(|(rank, seat)| (rank, &seat.host[..], &seat.cpus[..]));
        let present = present::on_hosts(ranks, &description)?;
        let present = match wanted.within {
            Within::Hosts => present.by_hosts(),
            Within::Cores => present,
        };
        let spec = self.arguments.machine.as_deref().unwrap_or("cluster:job");
        let machine = present.machine(&description)?;
        let problem = problem_on(spec, machine, wanted.traffic, self.arguments.weight)?;
        let mut search = self.arguments.search.clone();
        search.work.time_limit.get_or_insert(wanted.limit);
        let searches = Searches::new(search)?;
        let strategy = parse_strategy(&self.arguments.strategy)?;
        let objective = searches.objective.clone();
        let objective = objective.as_deref().unwrap_or(strategy.usual_objective());
        let now = identity(&problem)?;
        let name = &self.arguments.strategy;
        let found = searches.run_strategy(name, strategy.as_ref(), &problem);
        let mut found =
            found.map_err(|reason| anyhow::anyhow!("{name} is not applicable: {reason}"))?;
        if wanted.rank_0 == RankZero::Stay {
            let kept = (0, now.slots()[0]);
            let starts = [&found.mapping, &now];
            found.mapping = searches.with_rank_kept(&problem, objective, &starts, kept)?;
        }
        if found.run.was_cut_short() {
            warn_of_early_end();
        }
        let placing = OnSeats { problem: &problem, present: &present, objective };
        let order = placing.order(&found.mapping, wanted.within)?;
        let before = objective.cost(&problem, &now);
        let after = placing.cost(&order)?;
        Ok(Placed {
            order: (after < before).then_some(order),
            objective: objective.name(),
            before,
            after,
            seconds: begin.elapsed().as_secs_f64(),
        })
    }
}

/// A problem whose seats are the processes of a job.
struct OnSeats<'a> {
    problem: &'a Problem,
    present: &'a Present,
    objective: &'a dyn Objective,
}

impl OnSeats<'_> {
    /// The rank of each process.
    fn order(&self, mapping: &Mapping, within: Within) -> anyhow::Result<Vec<u32>> {
        let cluster = cluster_of(self.problem)?;
        let nodes = mapping.nodes();
        let mut order = vec![0; nodes.len()];
        match within {
            Within::Cores => {
                let mut process_of = vec![0; cluster.places().len()];
                for (process, &node) in cluster.node_of_seat().iter().enumerate() {
                    process_of[node as usize] = process;
                }
                for (rank, &node) in (0..).zip(&nodes) {
                    order[process_of[node as usize]] = rank;
                }
            }
            Within::Hosts => {
                let hosts = &cluster.description().hosts;
                let mut waiting = vec![Vec::new(); hosts.len()];
                for (rank, &node) in (0..nodes.len() as u32).zip(&nodes).rev() {
                    waiting[cluster.places()[node as usize].host as usize].push(rank);
                }
                for (process, seat) in self.present.seats.iter().enumerate() {
                    let host = hosts.iter().position(|host| host.name == seat.host);
                    let rank = host.and_then(|host| waiting[host].pop());
                    order[process] = rank.context("every host has as many ranks as processes")?;
                }
            }
        }
        Ok(order)
    }

    fn cost(&self, order: &[u32]) -> anyhow::Result<f64> {
        let seats = cluster_of(self.problem)?.node_of_seat();
        let mut slots = vec![0; order.len()];
        for (process, &rank) in order.iter().enumerate() {
            slots[rank as usize] = seats[process];
        }
        Ok(self.objective.cost(self.problem, &self.problem.mapping(slots)?))
    }
}

/// What is known about processes that sit here, as if a probe had found it.
pub fn probe(seats: &[AskedSeat], folder: &Path) -> anyhow::Result<Probe> {
    let rank = |(rank, seat): (u32, &AskedSeat)| ProbedRank {
        rank,
        host: seat.host.clone(),
        cpus: seat.cpus.clone(),
        variable: String::new(),
        process: 0,
        command: Vec::new(),
        starter: String::new(),
    };
    let ranks = (0..).zip(seats).map(rank).collect();
    Ok(Probe { ranks, nodes: read_probe(folder)?.nodes })
}

/// A machine by its hosts. The nodes of other machines are hosts with the names of a list, or n0, n1
/// and so on, as in exported platforms.
fn described(machine: &str, hosts: Option<&[ListedHost]>) -> anyhow::Result<Description> {
    let machine = load_machine(machine, None)?;
    if let Some(cluster) = machine.topology().cluster() {
        return Ok(Description { seats: Vec::new(), ..cluster.description().clone() });
    }
    let network = NamedNetwork::new(machine.spec(), machine.shared_topology());
    let mut description =
        Description::on_network(network, Hardware::new(None, Object::flat_node(1)));
    if let Some(names) = hosts {
        if names.len() != description.hosts.len() {
            anyhow::bail!(
                "--hosts names {} hosts, and the machine has {} nodes",
                names.len(),
                description.hosts.len()
            );
        }
        for (host, name) in description.hosts.iter_mut().zip(names) {
            host.name.clone_from(&name.name);
        }
    }
    Ok(description)
}
