//! Hosts on a network with a name, such as a torus: ranks are first shared out to hosts, as if each
//! host were one node with many slots, and then placed inside each host.

use std::sync::Arc;

use rayon::prelude::*;

use super::definition::{NotApplicable, Strategy};
use super::entry::StrategyEntry;
use super::multilevel::Multilevel;
use crate::cluster::NamedNetwork;
use crate::machine::Machine;
use crate::mapping::Mapping;
use crate::objective::{HopBytes, Objective};
use crate::problem::Problem;
use crate::run::Run;
use crate::topology::Cluster;
use crate::traffic::TrafficBuilder;
use crate::{Spec, Weight};

/// The registry's entry.
pub static ENTRY: StrategyEntry = StrategyEntry {
    name: "hosts-first",
    summary: "shares ranks out to the hosts of a network, then places them inside each host",
    example: "hosts-first",
    parameters: &[],
    build: |spec| {
        spec.no_shape()?;
        Ok(Arc::new(HostsFirst { on_network: &Multilevel }))
    },
};

/// First hosts, then places.
#[derive(Debug, Clone, Copy)]
pub struct HostsFirst {
    /// Shares ranks out to hosts.
    pub on_network: &'static dyn Strategy,
}

impl Strategy for HostsFirst {
    fn map(
        &self,
        problem: &Problem,
        objective: Option<&dyn Objective>,
        run: &mut Run,
    ) -> Result<Mapping, NotApplicable> {
        let hosts = Hosts::of(problem).map_err(|why| NotApplicable(why.to_string()))?;
        let not = |error: &dyn std::fmt::Display| NotApplicable(error.to_string());
        let network = hosts.network(problem)?;
        let between = Problem::new(problem.traffic().clone(), network, problem.weight())
            .map_err(|error| not(&error))?;
        let mut part = run.part();
        let on_network = self.on_network.map(&between, objective, &mut part);
        run.absorb(part);
        let host_of_rank = on_network?.nodes();
        drop(between);
        let slots = hosts.inside(problem, &host_of_rank, run)?;
        problem.mapping(slots).map_err(|error| not(&error))
    }
}

/// The hosts of a machine, and how many places each has.
struct Hosts<'a> {
    cluster: &'a Cluster,
    named: &'a NamedNetwork,
    places: u32,
}

impl<'a> Hosts<'a> {
    /// The hosts of the problem's machine, or why this strategy is not for it.
    fn of(problem: &'a Problem) -> Result<Hosts<'a>, &'static str> {
        let cluster = problem.machine().topology().cluster();
        let cluster = cluster.ok_or("it is for hosts on a network, such as torus:4x4,node=FILE")?;
        let named = cluster.description().network.named.as_ref();
        let named = named.ok_or("it is for a network with a name, such as torus:4x4,node=FILE")?;
        if problem.sharing().is_some() {
            return Err("it places at most one rank per slot");
        }
        let sizes = cluster.host_groups().iter().map(|&group| cluster.tree().group(group));
        let mut sizes = sizes.map(|group| group.nodes.len() as u32);
        let places = sizes.next().ok_or("the machine has no hosts")?;
        if sizes.any(|other| other != places) {
            return Err("hosts differ in their number of places");
        }
        if !named.node_of_host.iter().copied().eq(0..named.topology.num_nodes() as u32) {
            return Err("not every node of the network has a host");
        }
        Ok(Hosts { cluster, named, places })
    }

    /// The network as a machine with as many slots per node as a host has places.
    fn network(&self, problem: &Problem) -> Result<Machine, NotApplicable> {
        let not = |error: crate::SpecError| NotApplicable(error.to_string());
        let mut spec = Spec::parse(&self.named.specification).map_err(not)?;
        spec.options.push(("slots".to_string(), Some(self.places.to_string())));
        Machine::with_topology(&spec.to_string(), self.named.topology.clone())
            .and_then(|machine| machine.with_routing(&problem.machine().routing().name()))
            .map_err(not)
    }

    /// The slot of each rank, after its host was chosen.
    fn inside(
        &self,
        problem: &Problem,
        host_of_rank: &[u32],
        run: &mut Run,
    ) -> Result<Vec<u32>, NotApplicable> {
        let not = |error: &dyn std::fmt::Display| NotApplicable(error.to_string());
        let one = self.cluster.description().clone().with_hosts(&[0]);
        let one = Cluster::new(one).map_err(|error| not(&error))?;
        let one =
            Machine::with_topology("cluster:host", Arc::new(one)).map_err(|error| not(&error))?;
        let hosts = self.cluster.host_groups();
        let mut ranks_of: Vec<Vec<u32>> = vec![Vec::new(); hosts.len()];
        for (rank, &host) in (0..).zip(host_of_rank) {
            ranks_of[host as usize].push(rank);
        }
        let placed: Vec<(Vec<u32>, Run)> = ranks_of
            .par_iter()
            .map(|ranks| {
                let mut part = run.part().unreported();
                (inside_one(problem, host_of_rank, ranks, &one, &mut part), part)
            })
            .collect();
        let mut slots = vec![0; host_of_rank.len()];
        let per_host = ranks_of.iter().zip(hosts).zip(placed);
        for ((ranks, &group), (places, part)) in per_host {
            run.absorb(part);
            let first = self.cluster.tree().group(group).nodes.start;
            for (&rank, place) in ranks.iter().zip(places) {
                slots[rank as usize] = first + place;
            }
        }
        Ok(slots)
    }
}

/// The place of each of the ranks of one host.
fn inside_one(
    problem: &Problem,
    host_of_rank: &[u32],
    ranks: &[u32],
    host: &Machine,
    run: &mut Run,
) -> Vec<u32> {
    let in_order = || (0..ranks.len() as u32).collect();
    if ranks.len() < 2 || run.must_stop() {
        return in_order();
    }
    let own = host_of_rank[ranks[0] as usize];
    let mut traffic = TrafficBuilder::new(ranks.len() as u32);
    for (number, &rank) in (0..).zip(ranks) {
        let on_host =
            |&(other, _): &(u32, f64)| host_of_rank[other as usize] == own && other > rank;
        for (other, weight) in problem.graph().edges(rank).filter(on_host) {
            let other = ranks.binary_search(&other).expect("ranks of a host are in rising order");
            traffic.add(number, other as u32, 1.0, weight);
        }
    }
    let placed = Problem::new(traffic.build(), host.clone(), Weight::Bytes)
        .map_err(|error| NotApplicable(error.to_string()))
        .and_then(|inside| Multilevel.map(&inside, Some(&HopBytes), run));
    placed.map_or_else(|_| in_order(), |mapping| mapping.slots().to_vec())
}
