//! Which hosts of a cluster to ask for, and in which order a training job should number its ranks.

use std::sync::Arc;

use anyhow::{Context, bail};
use serde_json::{Value, json};
use topoloom::core::cluster::Description;
use topoloom::core::objective::GroupBytes;
use topoloom::core::strategy::{Auto, Block, NodeOrder};
use topoloom::core::topology::Cluster;
use topoloom::core::{
    Machine, Mapping, Objective, Problem, Spec, Strategy, Traffic, parse_pattern, survey_groups,
    weight_by_level,
};

use super::arguments::AdviseArguments;
use crate::inputs::{load_counted, load_machine};
use crate::output::numbers::{bytes, duration, grouped, percent, plural};
use crate::output::table::{numbers_table, wrapped};
use crate::output::{print, print_json};
use crate::placing::search::Searches;
use crate::progress::numbered;

/// The orders of ranks that Megatron offers: the default, and `--use-tp-pp-dp-mapping`.
const ORDERS: [(&str, &str); 2] =
    [("tp-cp-ep-dp-pp", "default order"), ("tp-cp-ep-pp-dp", "--use-tp-pp-dp-mapping")];

/// How many sizes of segments are tried.
const MOST_SEGMENTS: usize = 5;

/// What cannot be tried, and why.
type LeftOut = (String, String);

/// What is tried.
struct Variant {
    name: String,
    traffic: Traffic,
    /// Hosts of the machine's list.
    hosts: Vec<u32>,
}

/// What came of it.
struct Tried {
    name: String,
    hosts: usize,
    racks: usize,
    /// In the listed order of hosts, and placed.
    listed: Judged,
    placed: Judged,
}

struct Judged {
    cost: f64,
    /// Bytes through the highest level of the whole machine.
    outermost: f64,
    /// Seconds of all kinds of groups by their weights; none without links or groups.
    estimate: Option<f64>,
}

pub fn run(arguments: &AdviseArguments, machine: &str) -> anyhow::Result<()> {
    let Some(traffic) = &arguments.replayed.traffic else {
        bail!("--machine needs --traffic");
    };
    let searches = Searches::new(arguments.search.clone())?;
    let counted = load_counted(traffic, arguments.weight, arguments.replayed.collectives.mode)?;
    let machine = load_machine(machine, arguments.routing.as_deref())?;
    let cluster = machine.topology().cluster().cloned();
    let cluster = cluster.context("--machine: expected a cluster that knows its hosts")?;
    let job = Job { arguments, searches, cluster };
    let (variants, mut left_out) = job.variants(traffic, counted.traffic);
    let mut tried = Vec::new();
    let count = variants.len();
    for (number, variant) in variants.into_iter().enumerate() {
        let name = variant.name.clone();
        match job.attempt(variant, (number, count)) {
            Ok(found) => tried.push(found),
            Err(reason) => left_out.push((name, reason.to_string())),
        }
    }
    if tried.is_empty() {
        let reasons: Vec<String> =
            left_out.iter().map(|(name, why)| format!("{name}: {why}")).collect();
        bail!("nothing fits: {}", reasons.join("; "));
    }
    match arguments.json {
        true => print_json(&record(traffic, &tried, &left_out)),
        false => print(&show(traffic, &machine, &tried, &left_out)),
    }
    Ok(())
}

struct Job<'a> {
    arguments: &'a AdviseArguments,
    searches: Searches,
    cluster: Cluster,
}

impl Job<'_> {
    fn description(&self) -> &Description {
        self.cluster.description()
    }

    /// Hosts by the switch or NVLink domain that they are plugged into, in the order of the machine.
    fn racks(&self) -> Vec<Vec<u32>> {
        let mut order: Vec<u32> = self.cluster.places().iter().map(|place| place.host).collect();
        order.dedup();
        let group = |host: u32| self.description().hosts[host as usize].group;
        order.chunk_by(|&a, &b| group(a) == group(b)).map(<[u32]>::to_vec).collect()
    }

    /// The name of the highest level with several parts.
    fn highest_level(&self) -> String {
        let tree = self.cluster.tree();
        let several = tree.all().iter().filter(|group| group.children.len() > 1);
        let highest = several.max_by_key(|group| group.distance).map(|group| group.level);
        highest.map_or_else(String::new, |level| tree.level_names()[level as usize].clone())
    }

    /// What to try, and what cannot be tried.
    fn variants(&self, name: &str, traffic: Traffic) -> (Vec<Variant>, Vec<LeftOut>) {
        let all: Vec<u32> = (0..self.description().hosts.len() as u32).collect();
        let places = self.cluster.places().len() / all.len();
        let needed = traffic.num_ranks().div_ceil(places.max(1));
        let mut left_out = Vec::new();
        let mut variants = Vec::new();
        for segment in self.segments(needed) {
            let name = format!("segments of {segment}");
            match self.hosts_in_segments(needed, segment) {
                Some(hosts) => variants.push(Variant { name, traffic: traffic.clone(), hosts }),
                None => left_out
                    .push((name, "the switches or domains do not have so many hosts".to_string())),
            }
        }
        for (order, about) in ORDERS {
            let Some(other) = with_order(name, order) else { continue };
            let name = format!("order {order}");
            let about = |why: String| format!("{about}: {why}");
            match parse_pattern(&other) {
                Ok(traffic) => variants.push(Variant { name, traffic, hosts: all.clone() }),
                Err(error) => left_out.push((name, about(error.to_string()))),
            }
        }
        variants.insert(0, Variant { name: "as given".to_string(), traffic, hosts: all });
        (variants, left_out)
    }

    /// Sizes of segments: the largest numbers of hosts that divide the job and fit into a part.
    fn segments(&self, needed: usize) -> Vec<usize> {
        let largest = self.racks().iter().map(Vec::len).max().unwrap_or(0);
        let divides = |size: &usize| needed.is_multiple_of(*size);
        (2..=largest.min(needed)).rev().filter(divides).take(MOST_SEGMENTS).collect()
    }

    /// The first segments that the machine has room for, as a scheduler would choose them.
    fn hosts_in_segments(&self, needed: usize, segment: usize) -> Option<Vec<u32>> {
        let racks = self.racks();
        let segments = racks.iter().flat_map(|hosts| hosts.chunks_exact(segment));
        let mut hosts: Vec<u32> = segments.take(needed / segment).flatten().copied().collect();
        // Launchers fill hosts in the order of the list.
        hosts.sort_unstable();
        (hosts.len() == needed).then_some(hosts)
    }

    fn attempt(&self, variant: Variant, at: (usize, usize)) -> anyhow::Result<Tried> {
        let Variant { name, traffic, hosts } = variant;
        let description = self.description().clone().with_hosts(&hosts);
        let cluster = Cluster::new(description)?;
        let machine = Machine::with_topology("cluster:part", Arc::new(cluster))?;
        let weight = self.arguments.weight;
        let problem = Problem::new(traffic, machine, weight)?;
        let listed = Block
            .map(&problem, None, &mut self.searches.rest_of_limit(std::time::Instant::now()))
            .map_err(|reason| anyhow::anyhow!("{reason}"))?;
        let whole = NodeOrder { together: Vec::new(), kept: Vec::new(), on_hosts: &Auto };
        let strategy: &dyn Strategy = match problem.traffic().step() {
            Some(_) => &whole,
            None => &Auto,
        };
        let task = numbered(&name, at.0, at.1);
        let placed = self
            .searches
            .run_strategy(&task, strategy, &problem)
            .map_err(|reason| anyhow::anyhow!("{reason}"))?;
        let cluster = problem.machine().topology().cluster().context("made of hosts")?;
        let mut racks: Vec<Option<u32>> = placed
            .mapping
            .nodes()
            .iter()
            .map(|&node| cluster.places()[node as usize].host)
            .map(|host| cluster.description().hosts[host as usize].group)
            .collect();
        racks.sort_unstable();
        racks.dedup();
        let level = self.highest_level();
        Ok(Tried {
            name,
            hosts: hosts.len(),
            racks: racks.len(),
            listed: judge(&problem, &listed, &level),
            placed: judge(&problem, &placed.mapping, &level),
        })
    }
}

/// The same training job with another order of ranks; none if it is not one, or has this order.
fn with_order(name: &str, order: &str) -> Option<String> {
    let mut spec = Spec::parse(name).ok().filter(|spec| spec.name == "llm")?;
    let known = spec.options.iter_mut().find(|(key, _)| key == "order");
    match known {
        Some((_, Some(value))) if value == order => return None,
        Some((_, value)) => *value = Some(order.to_string()),
        None if order == ORDERS[0].0 => return None,
        None => spec.options.push(("order".to_string(), Some(order.to_string()))),
    }
    Some(spec.to_string())
}

/// What a placement costs, and what it sends through the level with this name.
fn judge(problem: &Problem, mapping: &Mapping, level: &str) -> Judged {
    let cost = GroupBytes.cost(problem, mapping);
    let (outermost, estimate) = match survey_groups(problem, mapping) {
        Some(kinds) => {
            let levels = kinds.iter().flat_map(|kind| &kind.levels);
            let there = levels.filter(|known| known.name == level).map(|known| known.bytes);
            let seconds: Option<Vec<f64>> =
                kinds.iter().map(|kind| Some(kind.weight * kind.seconds?)).collect();
            (there.sum(), seconds.map(|all| all.iter().sum()))
        }
        None => {
            let levels = weight_by_level(problem, mapping).unwrap_or_default();
            let there = levels.iter().filter(|known| known.name == level);
            (there.map(|known| known.weight).sum(), None)
        }
    };
    Judged { cost, outermost, estimate }
}

fn record(traffic: &str, tried: &[Tried], left_out: &[LeftOut]) -> Value {
    let judged = |judged: &Judged| {
        json!({
            "cost": judged.cost,
            "outermost_bytes": judged.outermost,
            "estimated_seconds": judged.estimate,
        })
    };
    let row = |tried: &Tried| {
        json!({
            "variant": tried.name,
            "hosts": tried.hosts,
            "parts": tried.racks,
            "listed": judged(&tried.listed),
            "placed": judged(&tried.placed),
        })
    };
    let left_out = left_out
        .iter()
        .map(|(name, reason)| json!({"variant": name, "not_applicable": reason}))
        .collect::<Vec<_>>();
    json!({
        "traffic": traffic,
        "advice": advice(tried),
        "variants": tried.iter().map(row).collect::<Vec<_>>(),
        "left_out": left_out,
    })
}

fn show(traffic: &str, machine: &Machine, tried: &[Tried], left_out: &[LeftOut]) -> String {
    let first = &tried[0].listed;
    let row = |tried: &Tried| {
        let mut row =
            vec![tried.name.clone(), grouped(tried.hosts as f64), tried.racks.to_string()];
        for judged in [&tried.listed, &tried.placed] {
            row.push(if judged.outermost > 0.0 {
                bytes(judged.outermost)
            } else {
                "-".to_string()
            });
            row.push(percent(judged.cost / first.cost));
            let estimate = judged.estimate.map_or_else(|| "-".to_string(), duration);
            row.push(estimate);
        }
        row
    };
    let rows: Vec<Vec<String>> = tried.iter().map(row).collect();
    let header = ["", "hosts", "parts", "listed", "cost", "time", "placed", "cost", "time"];
    let heading = format!("{} on {}", traffic.replace(',', ", "), machine.spec());
    let mut text = format!("{}\n\n", wrapped(&heading, "  "));
    text.push_str(&numbers_table(&header, &rows));
    let note = "listed: bytes through the highest level of switches with hosts in the order of \
                their list; placed: the same with whole hosts placed by auto; cost: relative to the first \
                row as listed; time: an estimate, the busiest link of each kind of group, by the \
                weights of kinds.";
    text.push_str(&format!("\n{}\n", wrapped(note, " ")));
    for (name, reason) in left_out {
        text.push_str(&format!("\n {}\n", wrapped(&format!("{name}: {reason}"), "   ")));
    }
    text.push_str(&format!("\n{}\n", wrapped(&advice(tried), "")));
    text
}

/// The best row, and what it gains.
fn advice(tried: &[Tried]) -> String {
    // Among equals, those with fewer hosts.
    let least = tried.iter().map(|tried| tried.placed.cost).fold(f64::INFINITY, f64::min);
    let equal = |tried: &&Tried| tried.placed.cost <= least * (1.0 + 1e-9);
    let best = tried.iter().filter(equal).min_by_key(|tried| tried.hosts);
    let Some(best) = best else { return String::new() };
    let now = &tried[0];
    let less = |from: f64| percent(1.0 - best.placed.cost / from);
    let hosts = plural(best.hosts, "host");
    match best.name == now.name {
        true if best.placed.cost < now.listed.cost => {
            format!(
                "Keep what is given ({hosts}), and place it: it costs {} less.",
                less(now.listed.cost)
            )
        }
        true => "Keep what is given: nothing costs less.".to_string(),
        false => format!(
            "Use {} ({hosts}), placed: it costs {} less than what is given in its listed order, and \
             {} less than the same placed.",
            best.name,
            less(now.listed.cost),
            less(now.placed.cost)
        ),
    }
}
