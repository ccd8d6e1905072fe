//! `topoloom machine routes`: what the routing of a network does to it.

use std::collections::BTreeMap;

use anyhow::{Context, bail};
use serde::Serialize;
use topoloom::core::cluster::same_host;
use topoloom::core::route_survey::{
    AdapterFlow, RouteSurvey, all_pairs, least_relative_load, survey,
};
use topoloom::core::routing::routing_for;
use topoloom::core::topology::{Cluster, Wired};
use topoloom::core::{LinkId, Mapping, Problem, Topology, Vertex};

use super::arguments::RoutesArguments;
use crate::arguments::ProblemArguments;
use crate::inputs::{load_machine, load_problem};
use crate::output::numbers::{grouped, percent, plural, precise};
use crate::output::table::{numbers_table, wrapped};
use crate::output::{print, print_json};
use crate::placing::placement::place;
use crate::placing::search::Searches;

/// The routings that are shown beside the machine's own.
const OTHERS: [&str; 3] = ["d-mod-k", "minimal-adaptive", "ecmp"];

/// The most adapters of which all pairs are examined.
const MOST_ADAPTERS: usize = 1 << 14;

/// What routings do to a network.
#[derive(Serialize)]
struct Survey {
    machine: String,
    hosts: usize,
    adapters: usize,
    switches: usize,
    links_between_switches: usize,
    /// What is sent.
    traffic: String,
    unrouted_pairs: u64,
    /// No routing makes the busiest link's relative load smaller.
    least_relative_load: f64,
    routings: Vec<RoutingRecord>,
}

#[derive(Serialize)]
struct RoutingRecord {
    routing: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    not_applicable: Option<String>,
    busiest_load: Option<f64>,
    busiest_relative_load: Option<f64>,
    busiest_link: Option<String>,
    links_used: Option<u64>,
    total_load: Option<f64>,
    switches_on_routes: Vec<Lengths>,
}

/// How many flows have a route of this length.
#[derive(Serialize)]
struct Lengths {
    switches: u32,
    flows: u64,
}

pub fn run(arguments: &RoutesArguments) -> anyhow::Result<()> {
    let name = &arguments.machine;
    let machine = load_machine(name, arguments.counting.routing.as_deref())?;
    let cluster = machine.topology().cluster().with_context(|| {
        format!("{name}: expected a described machine with a network, as machine import writes it")
    })?;
    let wired = cluster.wired().with_context(|| format!("{name} has no links"))?;
    let network = wired.network().with_context(|| format!("{name} has a single host"))?;
    if let (Some(from), Some(to)) = (&arguments.from, &arguments.to) {
        let (from, to) = (adapter(cluster, wired, from)?, adapter(cluster, wired, to)?);
        let steps = steps(cluster, wired, network, &machine.routing().name(), from, to)?;
        match arguments.json {
            true => print_json(&steps),
            false => print(&show_steps(&steps)),
        }
        return Ok(());
    }
    let (flows, what) = match (&arguments.traffic, &arguments.mapping) {
        (Some(traffic), Some(mapping)) => {
            let (problem, placed) = placed(arguments, traffic, mapping)?;
            (flows_of(&problem, &placed)?, format!("{traffic} placed by {mapping}"))
        }
        (Some(_), None) => bail!("--traffic needs --mapping: routes are between places"),
        (None, Some(_)) => bail!("--mapping needs --traffic: routes are those of messages"),
        (None, None) if network.num_nodes() > MOST_ADAPTERS => {
            bail!("{name} has {} adapters; give --traffic and --mapping", network.num_nodes())
        }
        (None, None) => {
            let what = "every adapter sends one unit to every other one".to_string();
            (all_pairs(network.num_nodes() as u32), what)
        }
    };
    let own = machine.routing().name();
    let mut records = vec![record(cluster, wired, network, &own, &flows)];
    for routing in OTHERS.into_iter().filter(|routing| *routing != own) {
        records.push(record(cluster, wired, network, routing, &flows));
    }
    let survey = Survey {
        machine: name.clone(),
        hosts: cluster.description().hosts.len(),
        adapters: network.num_nodes(),
        switches: network.num_vertices() - network.num_nodes(),
        links_between_switches: links_between_switches(network),
        traffic: what,
        unrouted_pairs: unrouted_pairs(network),
        least_relative_load: least_relative_load(network, &flows),
        routings: records,
    };
    match arguments.json {
        true => print_json(&survey),
        false => print(&show(&survey)),
    }
    Ok(())
}

/// A link on a route.
#[derive(Serialize)]
struct Step {
    link: String,
    /// The share of the messages that take it.
    share: f64,
}

/// The first adapter of a host, or the one that is named after it.
fn adapter(cluster: &Cluster, wired: &Wired, text: &str) -> anyhow::Result<u32> {
    let (host, name) = text.split_once(' ').unwrap_or((text, ""));
    let hosts = &cluster.description().hosts;
    let number = hosts.iter().position(|known| same_host(&known.name, host));
    let number = number.with_context(|| format!("{host}: not a host of the machine"))?;
    let found = wired.adapter(number as u32, name.trim());
    found.with_context(|| format!("{host} has no adapter {name}"))
}

fn steps(
    cluster: &Cluster,
    wired: &Wired,
    network: &dyn Topology,
    routing: &str,
    from: u32,
    to: u32,
) -> anyhow::Result<Vec<Step>> {
    let mut steps = Vec::new();
    let routing = routing_for(routing, network)?;
    routing.route(network, Vertex(from), Vertex(to), &mut |id, share| {
        let link = cluster.link_name(wired.network_link(id)).unwrap_or_default();
        steps.push(Step { link, share });
    });
    Ok(steps)
}

fn show_steps(steps: &[Step]) -> String {
    let rows: Vec<Vec<String>> =
        steps.iter().map(|step| vec![step.link.clone(), percent(step.share)]).collect();
    numbers_table(&["link", "share"], &rows)
}

/// Pairs of adapters without a route in the forwarding tables.
fn unrouted_pairs(network: &dyn Topology) -> u64 {
    let stuck = network.forwarding().and_then(|tables| tables.broken()[1]);
    stuck.map_or(0, |stuck| stuck.pairs)
}

fn placed(
    arguments: &RoutesArguments,
    traffic: &str,
    mapping: &str,
) -> anyhow::Result<(Problem, Mapping)> {
    let searches = Searches::new(arguments.search.clone())?;
    let mut problem = ProblemArguments {
        traffic: traffic.to_string(),
        machine: arguments.machine.clone(),
        counting: arguments.counting.clone(),
    };
    let imbalance = arguments.counting.imbalance;
    let make_problem = |imbalance| {
        problem.counting.imbalance = imbalance;
        Ok(load_problem(&problem)?.problem)
    };
    let placed = place(mapping, imbalance, make_problem, &searches)?;
    Ok((placed.problem, placed.mapping))
}

/// What adapters send to each other under a placement.
fn flows_of(problem: &Problem, mapping: &Mapping) -> anyhow::Result<Vec<AdapterFlow>> {
    let topology = problem.machine().topology();
    let wired = topology.cluster().and_then(Cluster::wired).context("the machine has no links")?;
    let places = topology.cluster().map(Cluster::places).unwrap_or_default();
    let mut sums: BTreeMap<(u32, u32), f64> = BTreeMap::new();
    for flow in problem.traffic().flows() {
        let (from, to) = (mapping.node_of(flow.from), mapping.node_of(flow.to));
        if places[from.index()].host != places[to.index()].host {
            let pair = wired.adapters_between(from.0, to.0);
            *sums.entry(pair).or_default() += flow.weight(problem.weight());
        }
    }
    Ok(sums.into_iter().map(|((from, to), weight)| AdapterFlow { from, to, weight }).collect())
}

fn record(
    cluster: &Cluster,
    wired: &Wired,
    network: &dyn Topology,
    routing: &str,
    flows: &[AdapterFlow],
) -> RoutingRecord {
    let (found, refused) = match routing_for(routing, network) {
        Ok(made) => (survey(network, made.as_ref(), flows), None),
        Err(error) => (RouteSurvey::default(), Some(error.to_string())),
    };
    let known = refused.is_none();
    RoutingRecord {
        routing: routing.to_string(),
        not_applicable: refused,
        busiest_load: known.then_some(found.load),
        busiest_relative_load: known.then_some(found.relative_load),
        busiest_link: found.busiest.and_then(|id| cluster.link_name(wired.network_link(id))),
        links_used: known.then_some(found.used),
        total_load: known.then_some(found.total),
        switches_on_routes: found
            .switches_on_routes
            .into_iter()
            .map(|(switches, flows)| Lengths { switches, flows })
            .collect(),
    }
}

fn links_between_switches(network: &dyn Topology) -> usize {
    let adapters = network.num_nodes() as u32;
    let links = (0..network.link_id_bound()).filter_map(|id| network.link(LinkId(id)));
    links.filter(|link| link.from.0.min(link.to.0) >= adapters).count()
}

fn show(survey: &Survey) -> String {
    let sentence = format!(
        "{}: {} with {}, {}, {} between switches; {}:",
        survey.machine,
        plural(survey.hosts, "host"),
        plural(survey.adapters, "adapter"),
        plural(survey.switches, "switch"),
        plural(survey.links_between_switches, "directed link"),
        survey.traffic,
    );
    let mut text = format!("{}\n\n", wrapped(&sentence, ""));
    let optional = |value: Option<f64>| value.map_or("-".to_string(), precise);
    let mut rows: Vec<Vec<String>> = Vec::new();
    for record in &survey.routings {
        rows.push(vec![
            record.routing.clone(),
            optional(record.busiest_load),
            optional(record.busiest_relative_load),
            record.links_used.map_or("-".to_string(), |used| grouped(used as f64)),
        ]);
    }
    let bound = precise(survey.least_relative_load);
    rows.push(vec!["lower bound for any routing".into(), "-".into(), bound, "-".into()]);
    let header = ["routing", "busiest link carries", "by bandwidth", "links used"];
    text.push_str(&numbers_table(&header, &rows));
    for record in &survey.routings {
        let words = match (&record.not_applicable, &record.busiest_link) {
            (Some(reason), _) => reason.clone(),
            (None, Some(link)) => format!("{}: the busiest link is {link}", record.routing),
            (None, None) => continue,
        };
        text.push_str(&format!("\n{}\n", wrapped(&words, "")));
    }
    if survey.unrouted_pairs > 0 {
        let pairs = plural(survey.unrouted_pairs as usize, "pair");
        let words = format!(
            "{pairs} of adapters without a route in the forwarding tables: they are assumed to use \
             all shortest routes evenly."
        );
        text.push_str(&format!("\n{}\n", wrapped(&words, "")));
    }
    text
}
