//! The search for a better placement on the seats that a job may have.

use anyhow::Context;
use topoloom::core::cluster::{Costs, Description, ObjectKind, SeatRules};
use topoloom::core::seats::{JobSeat, present_slots, slots_in_local_order};
use topoloom::core::topology::Cluster;
use topoloom::core::{Mapping, Problem, Score, Strategy, Traffic, score};
use topoloom::io::{FilesTogether, MappingFile, Recording, machine_content, mapping_content};

use super::arguments::{Seats, TuneArguments};
use crate::arguments::Fixed;
use crate::output::numbers::plural;
use crate::output::{warn, warn_of_early_end};
use crate::placing::baseline::PRESENT;
use crate::placing::present::{Present, cluster_of, identity, problem_on, same_seats};
use crate::placing::search::{Found, Searches};

/// A job and the settings of the search.
pub struct Placing<'a> {
    arguments: &'a TuneArguments,
    strategy: &'a dyn Strategy,
    /// The hosts of the job, without seats.
    description: &'a Description,
    pub present: Present,
    searches: Searches,
}

/// A placement that was found, together with the present one.
pub struct Placed {
    problem: Problem,
    /// What the traffic is called.
    traffic: String,
    /// The present placement.
    present: Mapping,
    /// The problem on the seats that the job has, if the other problem does not have them.
    present_problem: Option<Problem>,
    found: Mapping,
    /// What was minimised.
    pub objective: &'static str,
    pub seed: u64,
    /// The present placement and the one that was found, with their scores.
    pub before: Score,
    pub after: Score,
    /// The estimated share by which communication becomes cheaper.
    pub gain: f64,
    /// Whether only the traffic between hosts could be compared.
    pub by_hosts: bool,
    pub same_seats: bool,
    /// Whether the ranks of a host keep the order of their seats there.
    in_local_order: bool,
}

impl<'a> Placing<'a> {
    pub fn new(
        arguments: &'a TuneArguments,
        strategy: &'a dyn Strategy,
        description: &'a Description,
        present: Present,
    ) -> anyhow::Result<Placing<'a>> {
        let searches = Searches::new(arguments.search.clone())?;
        Ok(Placing { arguments, strategy, description, present, searches })
    }

    /// Searches for a placement.
    pub fn place(&self, traffic: Traffic, recorded: Option<&Recording>) -> anyhow::Result<Placed> {
        let placed = match self.arguments.seats {
            Seats::Same => self.among_the_same_seats(traffic),
            Seats::Any => self.on_any_seats(traffic, recorded),
        };
        self.searches.interrupt.forget();
        placed
    }

    /// Exchanges ranks among the seats that the job has.
    fn among_the_same_seats(&self, traffic: Traffic) -> anyhow::Result<Placed> {
        let problem = self.problem(traffic, self.present.machine(self.description)?)?;
        let present = identity(&problem)?;
        let in_local_order =
            self.present.has_gpus && self.present.unbound() < self.present.seats.len();
        let mut found = match in_local_order {
            true => self.in_local_order(&problem)?,
            false => self.search(&problem, &[&present])?,
        };
        if self.keeps_rank_0() && !in_local_order {
            found.mapping = self.with_rank_0_as(&present, found.mapping, &problem)?;
        }
        let cost = |mapping: &Mapping| self.objective().cost(&problem, mapping);
        let (before, after) = (cost(&present), cost(&found.mapping));
        let by_hosts = self.present.unbound() == self.present.seats.len();
        Ok(Placed {
            gain: if before > 0.0 { 1.0 - after / before } else { 0.0 },
            before: score(&problem, &present),
            after: score(&problem, &found.mapping),
            present,
            present_problem: None,
            objective: found.objective,
            seed: self.searches.seed(),
            found: found.mapping,
            by_hosts,
            same_seats: true,
            in_local_order,
            problem,
            traffic: self.arguments.traffic_name(),
        })
    }

    /// Chooses only the host of each rank. Programs use the GPU with their number on the host, so
    /// the CPUs of that number must stay with it.
    fn in_local_order(&self, problem: &Problem) -> anyhow::Result<Found> {
        warn(
            "the hosts have GPUs, which programs choose by the number of a rank on its host: ranks \
             only move between hosts, and keep the order of their seats there",
        );
        let hosts_only = self.present.by_hosts().machine(self.description)?;
        let by_hosts = self.problem(problem.traffic().clone(), hosts_only)?;
        let present = identity(&by_hosts)?;
        let found = self.search(&by_hosts, &[&present])?;
        let inner = cluster_of(&by_hosts)?;
        let hosts: Vec<u32> =
            found.mapping.slots().iter().map(|&slot| inner.places()[slot as usize].host).collect();
        let slots = slots_in_local_order(&hosts, cluster_of(problem)?);
        let mapping = problem.mapping(slots.context("every host has as many ranks as seats")?)?;
        Ok(Found { mapping, ..found })
    }

    /// Chooses seats on the hosts of the job.
    fn on_any_seats(
        &self,
        traffic: Traffic,
        recorded: Option<&Recording>,
    ) -> anyhow::Result<Placed> {
        let size = self.cpus_per_rank(recorded)?;
        let mut machine = self.present.hosts_with_seats(self.description);
        let rules = SeatRules { cpus_per_rank: Some(size), ..SeatRules::default() };
        if size > 1 {
            machine.seats = rules.all_seats(&machine)?;
        }
        let ranks = traffic.num_ranks();
        let problem = self.problem(traffic.clone(), machine).with_context(|| {
            format!(
                "{} with {} each: not enough room on the hosts of the job: leave out --seats any, \
                 or give --cpus-per-rank",
                plural(ranks, "rank"),
                plural(size as usize, "core")
            )
        })?;
        let cluster = cluster_of(&problem)?;
        let present = present_slots(&self.present.seats, cluster);
        let present = present.and_then(|slots| problem.mapping(slots).ok());
        let starts: Vec<&Mapping> = present.iter().collect();
        let found = self.search(&problem, &starts)?;
        let after = score(&problem, &found.mapping);
        let seats = seats_of(&found.mapping, cluster);
        let same_seats = same_seats(&seats, &self.present.seats);
        let share = |before: f64, after: f64| if before > 0.0 { 1.0 - after / before } else { 0.0 };
        let (present, present_problem, before, gain) = match present {
            Some(present) => {
                let cost = |mapping: &Mapping| self.objective().cost(&problem, mapping);
                let gain = share(cost(&present), cost(&found.mapping));
                let before = score(&problem, &present);
                (present, None, before, gain)
            }
            // The present places of ranks inside their hosts are not known, so only the traffic
            // between hosts is compared.
            None => {
                let now = self.problem(traffic, self.present.machine(self.description)?)?;
                let present = identity(&now)?;
                let before = score(&now, &present);
                let gain = share(self.cost_by_hosts(&before), self.cost_by_hosts(&after));
                (present, Some(now), before, gain)
            }
        };
        Ok(Placed {
            gain,
            before,
            after,
            by_hosts: present_problem.is_some(),
            same_seats,
            in_local_order: false,
            present,
            present_problem,
            objective: found.objective,
            seed: self.searches.seed(),
            found: found.mapping,
            problem,
            traffic: self.arguments.traffic_name(),
        })
    }

    /// Whether every rank could have a core to itself on the host where it is.
    pub fn has_cores_for_all(&self) -> bool {
        self.description.hosts.iter().all(|host| {
            let ranks = self.present.seats.iter().filter(|seat| seat.host == host.name).count();
            let node = &self.description.kinds[host.kind as usize].node;
            ranks <= node.count(ObjectKind::Core)
        })
    }

    /// The cost of communication if everything that stays on a host costs the same.
    fn cost_by_hosts(&self, score: &Score) -> f64 {
        let inside = f64::from(self.description.costs.inside(ObjectKind::Node));
        let levels = score.levels.iter().flatten().filter(|level| level.distance > 0);
        levels
            .map(|level| match Costs::switch_level(&level.name) {
                Some(_) => level.weight * f64::from(level.distance),
                None => level.weight * inside,
            })
            .sum()
    }

    /// How many cores each rank gets: the requested number, the present number, or one per thread.
    fn cpus_per_rank(&self, recorded: Option<&Recording>) -> anyhow::Result<u32> {
        if let Some(cpus) = self.arguments.rules.cpus_per_rank {
            return Ok(cpus);
        }
        if self.present.unbound() == 0 {
            let cluster = Cluster::new(self.present.machine(self.description)?)?;
            let most = cluster.places().iter().map(|place| place.cores.len()).max();
            return Ok(most.unwrap_or(1).max(1) as u32);
        }
        let seats = recorded.iter().flat_map(|recording| &recording.seats);
        let threads = seats.filter_map(|seat| seat.openmp_threads.or(seat.threads));
        Ok(threads.max().unwrap_or(1).max(1))
    }

    /// A placement that has rank 0 where the present one has it, as good as possible: at worst, the
    /// present one.
    fn with_rank_0_as(
        &self,
        present: &Mapping,
        found: Mapping,
        problem: &Problem,
    ) -> anyhow::Result<Mapping> {
        let slot = present.slots()[0];
        if !self.arguments.rules.fix.is_empty() || found.slots()[0] == slot {
            return Ok(found);
        }
        self.searches.with_rank_kept(problem, self.objective(), &[&found, present], (0, slot))
    }

    /// Whether rank 0 stays with its process: standard input goes there, and ranks that are exchanged
    /// inside the job cannot change that.
    fn keeps_rank_0(&self) -> bool {
        self.arguments.may_run()
    }

    fn objective(&self) -> &dyn topoloom::core::Objective {
        self.searches.objective.as_deref().unwrap_or(self.strategy.usual_objective())
    }

    fn problem(&self, traffic: Traffic, machine: Description) -> anyhow::Result<Problem> {
        let file = self.arguments.file(".machine.json");
        let spec = format!("{}:{}", Cluster::NAME, file.display());
        problem_on(&spec, machine, traffic, self.arguments.weight)
    }

    fn search(&self, problem: &Problem, starts: &[&Mapping]) -> anyhow::Result<Found> {
        let name = &self.arguments.strategy;
        let mut rules = self.arguments.rules.clone();
        // On hosts with GPUs, the first rank of a host also has its first seat.
        if self.keeps_rank_0()
            && self.present.has_gpus
            && !rules.fix.iter().any(|fixed| fixed.ranks.contains(&0))
        {
            let host = self.present.seats[0].host.clone();
            rules.fix.push(Fixed { ranks: vec![0], host });
        }
        let found = rules.search(&self.searches, name, self.strategy, problem, starts)?;
        if found.run.was_cut_short() {
            warn_of_early_end();
        }
        Ok(found)
    }
}

/// Where a placement puts each rank.
fn seats_of(mapping: &Mapping, cluster: &Cluster) -> Vec<JobSeat> {
    let hosts = &cluster.description().hosts;
    let seat = |&node: &u32| {
        let place = &cluster.places()[node as usize];
        let host = hosts[place.host as usize].name.clone();
        let cpus = if place.core.is_some() { place.cpus.clone() } else { Vec::new() };
        JobSeat { host, cpus }
    };
    mapping.nodes().iter().map(seat).collect()
}

impl Placed {
    /// Whether any rank moves.
    pub fn moves(&self) -> bool {
        self.present_problem.is_some() || self.present != self.found
    }

    /// Whether it matters which CPUs a rank has on its host.
    pub fn names_cpus(&self) -> bool {
        !self.in_local_order && !self.is_unbound()
    }

    /// Whether ranks are not bound.
    pub fn is_unbound(&self) -> bool {
        let places = cluster_of(&self.problem).map(Cluster::places).unwrap_or_default();
        self.found.nodes().iter().all(|&node| places[node as usize].core.is_none())
    }

    /// The placement that was found as a file.
    pub fn file(&self, strategy: &str) -> anyhow::Result<MappingFile> {
        self.as_file(&self.problem, &self.found, strategy)
    }

    fn as_file(
        &self,
        problem: &Problem,
        mapping: &Mapping,
        strategy: &str,
    ) -> anyhow::Result<MappingFile> {
        Ok(MappingFile {
            strategy: Some(strategy.to_string()),
            objective: Some(self.objective.to_string()),
            seed: Some(self.seed),
            traffic: Some(self.traffic.clone()),
            imbalance: None,
            ..MappingFile::of(problem, mapping)
        })
    }

    /// Writes the placement that was found, as this file, and its machine; both or none.
    pub fn write_found(
        &self,
        arguments: &TuneArguments,
        mapping: &MappingFile,
    ) -> anyhow::Result<()> {
        write_down(arguments, &self.problem, mapping)
    }

    /// Writes the present placement, which is kept, and its machine; both or none.
    pub fn write_present(&self, arguments: &TuneArguments) -> anyhow::Result<()> {
        let problem = self.present_problem.as_ref().unwrap_or(&self.problem);
        write_down(arguments, problem, &self.as_file(problem, &self.present, PRESENT)?)
    }
}

fn write_down(
    arguments: &TuneArguments,
    problem: &Problem,
    mapping: &MappingFile,
) -> anyhow::Result<()> {
    let mut files = FilesTogether::new();
    let description = cluster_of(problem)?.description();
    files.add(&arguments.file(".machine.json"), machine_content(description))?;
    let path = arguments.file(".mapping.json");
    files.add(&path, mapping_content(&path, mapping))?;
    Ok(files.commit()?)
}
