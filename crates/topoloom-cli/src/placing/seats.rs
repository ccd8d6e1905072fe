//! A search that obeys what users require of the seats of a job.

use std::path::Path;

use anyhow::{Context, bail};
use topoloom::core::cluster::{SeatRules, same_host};
use topoloom::core::seats::{Pin, Restricted, obey_pins};
use topoloom::core::topology::Cluster;
use topoloom::core::{Mapping, Problem, Strategy};

use crate::arguments::{Fixed, ProblemArguments, SeatArguments};
use crate::files;
use crate::placing::search::{Found, Searches};

impl SeatArguments {
    /// The rules by which seats are chosen.
    pub fn rules(&self) -> SeatRules {
        SeatRules {
            cpus_per_rank: self.cpus_per_rank,
            ranks_per_node: self.ranks_per_node.clone(),
            spread: self.spread.clone(),
            pack: self.pack.clone(),
        }
    }

    /// Whether the rules restrict where ranks sit, apart from how many CPUs they get.
    pub fn restricts(&self) -> bool {
        !SeatRules { cpus_per_rank: None, ..self.rules() }.is_empty()
    }

    /// The machine of a problem, with as many cores in each place as each rank gets.
    pub fn machine(&self, problem: &ProblemArguments) -> anyhow::Result<String> {
        let machine = problem.machine_or_seats()?;
        let Some(cpus) = self.cpus_per_rank else { return Ok(machine) };
        let name = Cluster::NAME;
        match machine.starts_with(&format!("{name}:")) {
            true => Ok(format!("{machine},cpus-per-rank={cpus}")),
            false if files::is_readable(Path::new(&machine)) => {
                Ok(format!("{name}:{machine},cpus-per-rank={cpus}"))
            }
            false => bail!(
                "--cpus-per-rank needs a described machine (see `topoloom machine`), found {machine}"
            ),
        }
    }

    /// Whether a placement obeys these rules: it runs the required number of ranks on each host,
    /// and pinned ranks are where they belong. The places of ranks inside hosts are not checked.
    pub fn allow(&self, mapping: &Mapping, problem: &Problem) -> bool {
        let Some(cluster) = problem.machine().topology().cluster() else { return true };
        let mut ranks_of_host = vec![0; cluster.description().hosts.len()];
        let nodes = mapping.nodes();
        let host_of = |rank: u32| cluster.places()[nodes[rank as usize] as usize].host;
        (0..nodes.len() as u32).for_each(|rank| ranks_of_host[host_of(rank) as usize] += 1);
        let mut used = ranks_of_host.iter().filter(|&&ranks| ranks > 0);
        let counts_fit = self
            .ranks_per_node
            .as_ref()
            .is_none_or(|range| used.all(|ranks| range.contains(ranks)));
        let spreads = !self.spread.is_empty() || !self.pack.is_empty();
        let pins = self.pins(problem).unwrap_or_default();
        counts_fit && !spreads && pins.iter().all(|pin| host_of(pin.rank) == pin.host)
    }

    /// The ranks that are pinned, by the hosts of the problem's machine.
    fn pins(&self, problem: &Problem) -> anyhow::Result<Vec<Pin>> {
        let mut pins: Vec<Pin> = Vec::new();
        for Fixed { ranks, host: name } in &self.fix {
            let cluster = problem.machine().topology().cluster();
            let cluster = cluster.context("--fix: the machine does not know its hosts")?;
            let hosts = &cluster.description().hosts;
            let host = hosts.iter().position(|host| same_host(&host.name, name));
            let host =
                host.with_context(|| format!("--fix: {name} is not a host of the machine"))?;
            for &rank in ranks {
                if rank as usize >= problem.num_ranks() {
                    bail!(
                        "--fix: there is no rank {rank}; the last one is {}",
                        problem.num_ranks() - 1
                    );
                }
                if pins.iter().any(|pin| pin.rank == rank) {
                    bail!("--fix: rank {rank} is given twice");
                }
                pins.push(Pin { rank, host: host as u32 });
            }
        }
        Ok(pins)
    }

    /// Runs a strategy on the seats that these rules allow. Placements of the problem that obey the
    /// rules, such as the present one, are starting points if ranks are pinned.
    pub fn search(
        &self,
        searches: &Searches,
        name: &str,
        strategy: &dyn Strategy,
        problem: &Problem,
        starts: &[&Mapping],
    ) -> anyhow::Result<Found> {
        let not_applicable = |reason| anyhow::anyhow!("{name} is not applicable: {reason}");
        let pins = self.pins(problem)?;
        if !self.restricts() && pins.is_empty() {
            return searches.run_strategy(name, strategy, problem).map_err(not_applicable);
        }
        if problem.imbalance().is_some() {
            bail!(
                "--imbalance lets ranks share places: it cannot be combined with rules for seats"
            );
        }
        let restricted = match self.restricts() {
            true => Some(self.restricted(problem)?),
            false => None,
        };
        let searched = restricted.as_ref().map_or(problem, |restricted| &restricted.problem);
        let mut found = searches.run_strategy(name, strategy, searched).map_err(not_applicable)?;
        let objective = searches.objective.as_deref().unwrap_or(strategy.usual_objective());
        if !pins.is_empty() {
            let seats = restricted.as_ref();
            let inner = |start: &&Mapping| match seats {
                Some(restricted) => restricted.on_the_seats(start),
                None => Some((*start).clone()),
            };
            let starts: Vec<Mapping> = [found.mapping.clone()]
                .into_iter()
                .chain(starts.iter().filter_map(inner))
                .collect();
            // Hosts of a restricted problem have their own numbers.
            let pins = self
                .pins(searched)
                .context("a rank is fixed to a host that has no seat under these rules")?;
            let mut best: Option<(f64, Mapping)> = None;
            for start in &starts {
                let obeying = obey_pins(searched, objective, start, &pins, &mut found.run)?;
                let cost = objective.cost(searched, &obeying);
                if best.as_ref().is_none_or(|(least, _)| cost < *least) {
                    best = Some((cost, obeying));
                }
            }
            found.mapping = best.context("there is at least one start")?.1;
        }
        if let Some(restricted) = &restricted {
            found.mapping = restricted.on_the_whole(&found.mapping, problem);
        }
        found.cost = objective.cost(problem, &found.mapping);
        found.shown_cost = objective.shown(problem, &found.mapping, found.cost);
        Ok(found)
    }

    /// The problem on the seats that these rules choose.
    fn restricted(&self, problem: &Problem) -> anyhow::Result<Restricted> {
        let cluster = problem.machine().topology().cluster();
        let cluster = cluster.context(
            "--ranks-per-node, --spread and --pack need a machine that knows its hosts (see `topoloom machine`)",
        )?;
        let description = cluster.description();
        // Seats of the machine are shares of several cores, or the seats of a job.
        let shares = self.cpus_per_rank.is_some_and(|cpus| cpus > 1);
        if !description.seats.is_empty() && !shares {
            bail!(
                "the machine consists of the seats of a job, and rules for seats choose other \
                 seats: give --machine {},seats=any",
                problem.machine().spec()
            );
        }
        let seats = self.rules().choose(description, problem.num_ranks())?;
        Ok(Restricted::new(problem, &seats)?)
    }
}
