//! A machine as people read it: a sentence, a tree, and the costs of its levels.

use topoloom::core::Machine;
use topoloom::core::cluster::{Description, Hardware, Object, ObjectKind};
use topoloom::core::topology::{Cluster, Topology};

use super::fabric;
use super::record::levels;
use super::tree::{self, Branch};
use crate::output::numbers::{grouped, plural};
use crate::output::table::{numbers_table, wrapped};

/// A described cluster.
pub fn cluster(name: &str, cluster: &Cluster) -> String {
    let description = cluster.description();
    let mut text = format!("{}\n\n", wrapped(&format!("{name}: {}", sentence(cluster)), ""));
    text.push_str(&Branch::draw(&tree::network(description)));
    for (number, kind) in description.kinds.iter().enumerate() {
        let which = match description.kinds.len() {
            1 => "each host".to_string(),
            _ => format!("hosts of kind {}", number + 1),
        };
        text.push_str(&format!("\n inside {which}: {}\n", node_sentence(&kind.node)));
        text.push_str(&Branch::draw(&tree::inside(&kind.node)));
        text.push_str(&adapters(kind));
    }
    let rows: Vec<Vec<String>> = levels(cluster)
        .into_iter()
        .map(|level| vec![level.name, level.cost.to_string(), grouped(level.groups as f64)])
        .collect();
    if !rows.is_empty() {
        text.push_str(
            "\ncost of a byte between two places, by the smallest part that holds both:\n\n",
        );
        text.push_str(&numbers_table(&["level", "cost", "number"], &rows));
    }
    if cluster.groups().is_none() {
        let (costs, name) = (&description.costs, network_name(description).unwrap_or_default());
        let further = f64::from(costs.switch(2).saturating_sub(costs.switch(1))) / 2.0;
        text.push_str(&format!(
            "\nThe closest hosts cost {}, and each further hop of {name} costs {further} more.\n",
            costs.switch(1)
        ));
    }
    text.push_str(&fabric::show(cluster));
    text
}

/// The network adapters of a kind of node, with what is near to them.
fn adapters(kind: &Hardware) -> String {
    if kind.adapters.is_empty() {
        return String::new();
    }
    let has_slingshot = kind.adapters.iter().any(|adapter| adapter.slingshot_port().is_some());
    let has_speeds = kind.adapters.iter().any(|adapter| adapter.megabits_per_second.is_some());
    let rows: Vec<Vec<String>> = kind
        .adapters
        .iter()
        .map(|adapter| {
            let gpus: Vec<String> = kind.gpus_of(adapter).iter().map(u32::to_string).collect();
            let numa = kind.numa_of(adapter).map_or("-".to_string(), |numa| numa.to_string());
            let gpus = if gpus.is_empty() { "-".to_string() } else { gpus.join(",") };
            let mut row = vec![adapter.name.clone(), numa, gpus];
            if has_speeds {
                let speed = adapter.megabits_per_second.map(|speed| f64::from(speed) / 1e3);
                row.push(speed.map_or("-".to_string(), |speed| speed.to_string()));
            }
            if has_slingshot {
                row.push(adapter.slingshot_port().map_or("-".to_string(), |at| {
                    format!("group {}, switch {}, port {}", at.group, at.switch, at.port)
                }));
            }
            row
        })
        .collect();
    let mut heads = vec!["adapter", "NUMA node", "GPU on its bridge"];
    if has_speeds {
        heads.push("Gbit/s");
    }
    if has_slingshot {
        heads.push("Slingshot");
    }
    format!("\n{}", numbers_table(&heads, &rows))
}

/// A cluster in a sentence.
fn sentence(cluster: &Cluster) -> String {
    let description = cluster.description();
    let hosts = plural(description.hosts.len(), "host");
    let inside = match description.kinds.as_slice() {
        [one] => {
            let each = if description.hosts.len() == 1 { " with " } else { ", each with " };
            format!("{each}{}", node_sentence(&one.node))
        }
        kinds => format!(" of {} kinds", kinds.len()),
    };
    let places = match description.seats.is_empty() {
        true => {
            let places = plural(cluster.num_nodes(), "place");
            let each = if cluster.num_nodes() == 1 { "" } else { " each" };
            format!("{places} for ranks, one {}{each}", description.place)
        }
        false => {
            let unbound = description.seats.iter().filter(|seat| !seat.is_bound()).count();
            let bound = match unbound {
                0 => "bound to CPUs".to_string(),
                all if all == description.seats.len() => "not bound to CPUs".to_string(),
                some => format!("{some} of them not bound to CPUs"),
            };
            format!("{} of a job, {bound}", plural(description.seats.len(), "seat"))
        }
    };
    format!("{hosts}{inside}{}; {places}.", network_sentence(description))
}

/// The specification of the network, if it has one.
fn network_name(description: &Description) -> Option<&str> {
    description.network.named.as_ref().map(|named| &named.specification[..])
}

fn network_sentence(description: &Description) -> String {
    let network = &description.network;
    if let Some(name) = network_name(description) {
        return format!(", on {name} with {}", plural(network.links, "link"));
    }
    if network.groups.is_empty() {
        return match description.hosts.len() {
            1 => String::new(),
            _ => ", network not known".to_string(),
        };
    }
    let mut levels: Vec<u32> = network.groups.iter().map(|group| group.level).collect();
    levels.sort_unstable();
    levels.dedup();
    let links = match network.links {
        0 => String::new(),
        links => format!(" with {}", plural(links, "link")),
    };
    if network.switches == 0 {
        return format!(", in groups of {}", plural(levels.len(), "level"));
    }
    let switches = plural(network.switches, "switch");
    format!(", on {switches} in {}{links}", plural(levels.len(), "level"))
}

/// `2 packages x 4 L2 x 2 cores of 2 threads, 1 GPU`.
fn node_sentence(node: &Object) -> String {
    let mut factors = Vec::new();
    let regular = factors_of(node, &mut factors);
    let gpus = match node.count(ObjectKind::Gpu) {
        0 => String::new(),
        gpus => format!(", {}", plural(gpus, "GPU")),
    };
    let threads = node.count(ObjectKind::Thread);
    let cores = node.count(ObjectKind::Core);
    let of_threads = match threads == cores {
        true => String::new(),
        false if threads.is_multiple_of(cores.max(1)) => {
            format!(" of {}", plural(threads / cores.max(1), "thread"))
        }
        false => format!(" with {}", plural(threads, "thread")),
    };
    if regular && !factors.is_empty() {
        let shown: Vec<String> = factors
            .iter()
            .map(|&(count, kind)| match kind {
                ObjectKind::Core | ObjectKind::Package | ObjectKind::Die | ObjectKind::Group => {
                    plural(count, kind.name())
                }
                kind => format!("{count} {kind}"),
            })
            .collect();
        return format!("{}{of_threads}{gpus}", shown.join(" x "));
    }
    let packages = plural(node.count(ObjectKind::Package), "package");
    format!("{packages} and {}{of_threads}{gpus}", plural(cores, "core"))
}

/// How many parts of each kind contain each other, down to cores; and whether all parts are alike.
fn factors_of(object: &Object, factors: &mut Vec<(usize, ObjectKind)>) -> bool {
    let parts: Vec<&Object> =
        object.children.iter().filter(|child| child.count(ObjectKind::Core) > 0).collect();
    let Some(first) = parts.first() else { return true };
    if parts.iter().any(|part| part.kind != first.kind) {
        return false;
    }
    // A single part is not worth mentioning, unless it is a package or a core.
    let counts = parts.len() > 1 || matches!(first.kind, ObjectKind::Core | ObjectKind::Package);
    if counts {
        factors.push((parts.len(), first.kind));
    }
    if first.kind == ObjectKind::Core {
        return true;
    }
    // Caches with one core each are the same as the cores.
    if parts.iter().all(|part| part.count(ObjectKind::Core) == 1)
        && first.kind != ObjectKind::Package
    {
        if counts {
            factors.pop();
        }
        factors.push((parts.len(), ObjectKind::Core));
        return true;
    }
    let mut inside = Vec::new();
    let mut regular = factors_of(first, &mut inside);
    for part in &parts[1..] {
        let mut other = Vec::new();
        regular &= factors_of(part, &mut other) && other == inside;
    }
    factors.extend(inside);
    regular
}

/// A machine that a specification describes.
pub fn machine(name: &str, machine: &Machine) -> String {
    let topology = machine.topology();
    let nodes = machine.num_nodes();
    let farthest = topology.distances().last().copied().unwrap_or(0);
    let links = match topology.is_wired() {
        true => {
            let links = plural(topology.num_links() as usize, "directed link");
            format!("; {links}, {} routing", machine.routing().name())
        }
        false => "; distances are known, links are not".to_string(),
    };
    let slots = plural(machine.slots_per_node() as usize, "slot");
    let each = if nodes == 1 { "" } else { " each" };
    let sentence = format!(
        "{name}: {} with {slots}{each}, {} for ranks; at most {} apart{links}.",
        plural(nodes, "node"),
        plural(machine.num_slots(), "place"),
        if topology.is_wired() { plural(farthest as usize, "hop") } else { farthest.to_string() },
    );
    let mut text = wrapped(&sentence, "");
    text.push('\n');
    if let Some(lengths) = topology.grid_lengths() {
        let shape: Vec<String> = lengths.iter().map(ToString::to_string).collect();
        text.push_str(&format!("\n a box of {}\n", shape.join(" x ")));
    }
    if let Some(levels) = topology.levels() {
        let shape: Vec<String> = levels.iter().map(ToString::to_string).collect();
        text.push_str(&format!("\n groups in groups, innermost first: {}\n", shape.join(" x ")));
    }
    let counts = topology.pairs_at_distance();
    let rows: Vec<Vec<String>> = counts
        .iter()
        .take(16)
        .map(|&(distance, pairs)| vec![distance.to_string(), grouped(pairs as f64)])
        .collect();
    if !rows.is_empty() {
        text.push_str("\npairs of nodes by distance:\n\n");
        text.push_str(&numbers_table(&["distance", "pairs"], &rows));
        if counts.len() > rows.len() {
            let more = plural(counts.len() - rows.len(), "more distance");
            text.push_str(&format!(" and {more}\n"));
        }
    }
    text
}
