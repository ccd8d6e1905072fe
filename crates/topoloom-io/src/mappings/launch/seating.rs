//! Which host and which core each rank of a mapping gets, given the hosts of an allocation.

use std::collections::HashMap;
use std::net::IpAddr;
use std::ops::Range;

use topoloom_core::Machine;
use topoloom_core::cluster::Seating;
use topoloom_core::topology::Place;
use topoloom_core::words::counted;

use super::error::LaunchError;
use crate::machines::export::numbered_host;
use crate::machines::specification::read_machine;
use crate::mappings::mapping_file::MappingFile;
use crate::text::host_list::ListedHost;

/// Differences beyond this many are counted, not named.
const MOST_NAMED: usize = 8;

/// Where the ranks of a mapping sit. A mapping that names hosts needs no list; if there is one, it
/// must name the same hosts, in any order. For other mappings node `v` of the machine is the `v`-th
/// host of the list, or, on trees, the `v`-th group of the level that has as many groups.
///
/// ```
/// use topoloom_io::{MappingFile, host_list, launch};
/// let mapping = MappingFile {
///     machine: Some("torus:4,slots=2".to_string()),
///     node_of_rank: vec![3, 0, 3],
///     slot_of_rank: Some(vec![7, 0, 6]),
///     ..MappingFile::default()
/// };
/// let hosts = host_list::parse("n[1-4]").unwrap();
/// let seating = launch::seating_of(&mapping, Some(&hosts)).unwrap();
/// let places: Vec<(u32, u32)> = seating.seats.iter().map(|seat| (seat.host, seat.cores[0])).collect();
/// assert_eq!(places, [(3, 1), (0, 0), (3, 0)]);
/// ```
pub fn seating_of(
    mapping: &MappingFile,
    hosts: Option<&[ListedHost]>,
) -> Result<Seating, LaunchError> {
    let listed: Vec<&str> = hosts.unwrap_or_default().iter().map(|host| &host.name[..]).collect();
    check_names(&listed, "the list of hosts")?;
    match (&mapping.seating, hosts) {
        (Some(seating), hosts) => {
            let names: Vec<&str> = seating.hosts.iter().map(String::as_str).collect();
            check_names(&names, "the mapping")?;
            match hosts {
                Some(hosts) => on_the_same_hosts(mapping, seating, hosts),
                None => Ok(seating.clone()),
            }
        }
        (None, Some(hosts)) => match &mapping.machine {
            Some(spec) => on_nodes_of(&read_machine(spec)?, mapping, hosts),
            None => on_nodes_in_order(mapping, hosts),
        },
        (None, None) => Err(LaunchError::NoHosts { machine: mapping.machine.clone() }),
    }
}

/// Where the ranks of a mapping without hosts sit: on the hosts of its machine, or on nodes called as
/// [`numbered_host`] says.
pub(super) fn on_own_hosts(mapping: &MappingFile) -> Result<Seating, LaunchError> {
    let machine = mapping.machine.as_ref().map(|spec| read_machine(spec)).transpose()?;
    if let Some((machine, cluster)) =
        machine.as_ref().and_then(|m| Some((m, m.topology().cluster()?)))
    {
        let node_of = |slot: u32| slot / machine.slots_per_node();
        let nodes: Vec<u32> = slots_on(machine, mapping)?.into_iter().map(node_of).collect();
        let seating = Seating::of_nodes(&nodes, cluster);
        let names: Vec<&str> = seating.hosts.iter().map(String::as_str).collect();
        check_names(&names, "the machine")?;
        return Ok(seating);
    }
    let last = mapping.node_of_rank.iter().max().map_or(0, |&last| last as usize + 1);
    let nodes = machine.map_or(last, |machine| machine.num_nodes());
    let numbered = |node| ListedHost { name: numbered_host(node), slots: None };
    let hosts: Vec<ListedHost> = (0..nodes).map(numbered).collect();
    seating_of(mapping, Some(&hosts))
}

/// Names go into files and commands, so they must be plain names.
fn check_names(names: &[&str], whose: &str) -> Result<(), LaunchError> {
    let mut seen = HashMap::new();
    for name in names {
        let fits = |letter: char| letter.is_ascii_alphanumeric() || "-._".contains(letter);
        if name.is_empty() || name.starts_with('-') || !name.chars().all(fits) {
            let message = format!(
                "{whose} has a host \"{}\", which is not a valid host name",
                name.escape_debug()
            );
            return Err(LaunchError::Hosts(message));
        }
        if seen.insert(*name, ()).is_some() {
            return Err(LaunchError::Hosts(format!("{whose} names {name} twice")));
        }
    }
    Ok(())
}

/// Hosts of a list, found by their full name or, if one of the two names is short, by the short
/// name.
struct Names<'a> {
    full: HashMap<&'a str, usize>,
    short: HashMap<&'a str, Vec<usize>>,
}

impl<'a> Names<'a> {
    fn new(hosts: &'a [ListedHost]) -> Names<'a> {
        let mut names = Names { full: HashMap::new(), short: HashMap::new() };
        for (index, host) in hosts.iter().enumerate() {
            names.full.insert(&host.name, index);
            names.short.entry(short(&host.name)).or_default().push(index);
        }
        names
    }

    /// Every host that `name` may mean.
    fn find(&self, name: &str) -> Vec<usize> {
        if let Some(&index) = self.full.get(name) {
            return vec![index];
        }
        match short(name) {
            same if same == name => self.short.get(name).cloned().unwrap_or_default(),
            shorter => self.full.get(shorter).copied().into_iter().collect(),
        }
    }
}

/// `n01` of `n01.cluster.org`; addresses have no short form.
fn short(name: &str) -> &str {
    match name.parse::<IpAddr>() {
        Ok(_) => name,
        Err(_) => name.split('.').next().unwrap_or(name),
    }
}

/// A seating with the names and in the order of a list of the same hosts.
fn on_the_same_hosts(
    mapping: &MappingFile,
    seating: &Seating,
    hosts: &[ListedHost],
) -> Result<Seating, LaunchError> {
    let names = Names::new(hosts);
    let needed = slots_needed(mapping, seating);
    let mut host_in_list: Vec<Option<usize>> = vec![None; seating.hosts.len()];
    let mut host_of_listed: Vec<Option<usize>> = vec![None; hosts.len()];
    let (mut missing, mut unclear) = (Vec::new(), Vec::new());
    for (host, name) in seating.hosts.iter().enumerate() {
        match names.find(name)[..] {
            [] if needed[host] > 0 => missing.push(name.clone()),
            [] => {}
            [listed] if host_of_listed[listed].is_none() => {
                host_in_list[host] = Some(listed);
                host_of_listed[listed] = Some(host);
            }
            _ => unclear.push(name.clone()),
        }
    }
    let unknown: Vec<String> = hosts
        .iter()
        .zip(&host_of_listed)
        .filter(|(_, known)| known.is_none())
        .map(|(host, _)| host.name.clone())
        .collect();
    let full: Vec<String> = (hosts.iter().zip(&host_of_listed))
        .filter_map(|(host, known)| {
            let (slots, needed) = (host.slots?, needed[(*known)?]);
            (slots < needed)
                .then(|| format!("{} ({slots} for {})", host.name, counted(needed, "rank")))
        })
        .collect();
    let differences = [
        ("the mapping puts ranks on hosts that are not in the list", missing),
        ("it is not clear which host of the list is meant by", unclear),
        ("the list names hosts that the mapping does not know", unknown),
        ("hosts of the list have too few slots", full),
    ];
    let said: Vec<String> = differences
        .into_iter()
        .filter(|(_, names)| !names.is_empty())
        .map(|(what, names)| format!("{what}: {}", named(&names)))
        .collect();
    if !said.is_empty() {
        return Err(LaunchError::Hosts(said.join("; ")));
    }
    let seat = |seat: &Place| Place {
        host: host_in_list[seat.host as usize].expect("hosts with ranks are listed") as u32,
        ..seat.clone()
    };
    let slots = |(host, &known): (&ListedHost, &Option<usize>)| {
        host.slots.unwrap_or(seating.slots_of_host[known.expect("all are known")])
    };
    Ok(Seating {
        hosts: hosts.iter().map(|host| host.name.clone()).collect(),
        slots_of_host: hosts.iter().zip(&host_of_listed).map(slots).collect(),
        seats: seating.seats.iter().map(seat).collect(),
    })
}

/// How many slots each host needs: one per rank, or one per place if ranks share places.
fn slots_needed(mapping: &MappingFile, seating: &Seating) -> Vec<u32> {
    let mut needed = vec![0; seating.hosts.len()];
    let mut places: Vec<&Place> = seating.seats.iter().collect();
    places.sort_by_key(|seat| (seat.host, seat.core, &seat.cpus, seat.gpu));
    if mapping.imbalance.is_some() {
        places.dedup();
    }
    places.iter().for_each(|seat| needed[seat.host as usize] += 1);
    needed
}

/// A list of names that stays short.
fn named(names: &[String]) -> String {
    let shown = names.iter().take(MOST_NAMED).cloned().collect::<Vec<String>>().join(", ");
    match names.len().saturating_sub(MOST_NAMED) {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}

/// Hosts by the nodes of a machine, or by the groups of one level of it.
fn on_nodes_of(
    machine: &Machine,
    mapping: &MappingFile,
    hosts: &[ListedHost],
) -> Result<Seating, LaunchError> {
    let per_node = machine.slots_per_node();
    let slots = slots_on(machine, mapping)?;
    let nodes_of_host = nodes_of_hosts(machine, hosts.len())?;
    let mut host_of_node = vec![0u32; machine.num_nodes()];
    for (host, nodes) in (0..).zip(&nodes_of_host) {
        host_of_node[nodes.start as usize..nodes.end as usize].fill(host);
    }
    let seat = |&slot: &u32| {
        let host = host_of_node[(slot / per_node) as usize];
        let core = slot - nodes_of_host[host as usize].start * per_node;
        // A rank that has the only slot of a host has all of the host.
        let is_whole = nodes_of_host[host as usize].len() as u32 * per_node == 1;
        place_on(host, (!is_whole).then_some(core))
    };
    let seating = Seating {
        hosts: hosts.iter().map(|host| host.name.clone()).collect(),
        slots_of_host: nodes_of_host.iter().map(|nodes| nodes.len() as u32 * per_node).collect(),
        seats: slots.iter().map(seat).collect(),
    };
    with_listed_slots(mapping, seating, hosts)
}

/// A core of a host, with nothing else known about it.
fn place_on(host: u32, core: Option<u32>) -> Place {
    Place { host, core, cores: core.into_iter().collect(), cpus: Vec::new(), gpu: None }
}

/// The nodes of each host, for a machine that is to form `count` hosts.
fn nodes_of_hosts(machine: &Machine, count: usize) -> Result<Vec<Range<u32>>, LaunchError> {
    let nodes = machine.num_nodes();
    if count == nodes {
        return Ok((0..nodes as u32).map(|node| node..node + 1).collect());
    }
    let mut possible = vec![nodes];
    if let Some(groups) = machine.topology().groups() {
        for level in 0..groups.level_names().len() as u16 {
            let of_level = groups.all().iter().filter(|group| group.level == level);
            let mut ranges: Vec<Range<u32>> = of_level.map(|group| group.nodes.clone()).collect();
            ranges.sort_by_key(|range| range.start);
            // A level that misses some nodes cannot be the level of hosts.
            if ranges.iter().map(ExactSizeIterator::len).sum::<usize>() != nodes {
                continue;
            }
            if ranges.len() == count {
                return Ok(ranges);
            }
            possible.push(ranges.len());
        }
    }
    possible.sort_unstable();
    possible.dedup();
    let expected = match &possible[..] {
        [one] => counted(*one, "node"),
        [others @ .., last] => {
            let others: Vec<String> = others.iter().map(usize::to_string).collect();
            format!("{} or {last} groups that can be hosts", others.join(", "))
        }
        [] => unreachable!("the nodes themselves are possible"),
    };
    Err(LaunchError::Hosts(format!(
        "{} has {expected}, but the list has {}",
        machine.spec(),
        counted(count, "host")
    )))
}

/// The slots of the ranks on a machine; a list of nodes alone fills each node's slots in order.
pub(super) fn slots_on(machine: &Machine, mapping: &MappingFile) -> Result<Vec<u32>, LaunchError> {
    let (nodes, per_node) = (machine.num_nodes(), machine.slots_per_node());
    let wrong = |message: String| Err(LaunchError::Mapping(message));
    let mut next = HashMap::new();
    let mut slots = Vec::with_capacity(mapping.ranks());
    for (rank, &node) in mapping.node_of_rank.iter().enumerate() {
        if node as usize >= nodes {
            let spec = machine.spec();
            return wrong(format!(
                "rank {rank} is on node {node}, but {spec} has {nodes}",
                nodes = counted(nodes, "node")
            ));
        }
        let slot = match &mapping.slot_of_rank {
            Some(slots) => slots[rank],
            None => {
                let next = next.entry(node).or_insert(0);
                *next += 1;
                if *next > per_node && mapping.imbalance.is_none() {
                    return wrong(format!(
                        "node {node} holds more ranks than its {}",
                        counted(per_node, "slot")
                    ));
                }
                node * per_node + (*next - 1) % per_node
            }
        };
        if slot / per_node != node {
            return wrong(format!("rank {rank}: slot {slot} is not on node {node}"));
        }
        slots.push(slot);
    }
    let mut first_in = HashMap::new();
    for (rank, &slot) in slots.iter().enumerate() {
        if let Some(first) = first_in.insert(slot, rank).filter(|_| mapping.imbalance.is_none()) {
            return wrong(format!("ranks {first} and {rank} are both in slot {slot}"));
        }
    }
    Ok(slots)
}

/// Hosts by the numbers of nodes alone, for mappings that do not say what machine they are for.
fn on_nodes_in_order(mapping: &MappingFile, hosts: &[ListedHost]) -> Result<Seating, LaunchError> {
    let last = mapping.node_of_rank.iter().max().copied().unwrap_or(0) as usize;
    if last >= hosts.len() {
        let rank = mapping.node_of_rank.iter().position(|&node| node as usize == last);
        return Err(LaunchError::Hosts(format!(
            "rank {} is on node {last}, but the list has {}, for nodes 0 to {}",
            rank.unwrap_or(0),
            counted(hosts.len(), "host"),
            hosts.len() - 1
        )));
    }
    // Cores in the order of slots, if there are slots, else in the order of ranks.
    let slot_of = |rank: usize| mapping.slot_of_rank.as_ref().map_or(rank as u32, |all| all[rank]);
    let mut ranks: Vec<usize> = (0..mapping.ranks()).collect();
    ranks.sort_by_key(|&rank| (mapping.node_of_rank[rank], slot_of(rank), rank));
    let mut core_of = vec![0; ranks.len()];
    for on_node in ranks.chunk_by(|&a, &b| mapping.node_of_rank[a] == mapping.node_of_rank[b]) {
        for (core, in_slot) in (0..).zip(on_node.chunk_by(|&a, &b| slot_of(a) == slot_of(b))) {
            in_slot.iter().for_each(|&rank| core_of[rank] = core);
        }
    }
    let mut slots_of_host = vec![0; hosts.len()];
    for (&node, &core) in mapping.node_of_rank.iter().zip(&core_of) {
        let slots = &mut slots_of_host[node as usize];
        *slots = (*slots).max(core + 1);
    }
    // One rank per host has all of it.
    let is_whole = slots_of_host.iter().all(|&slots| slots <= 1);
    let seat = |(&host, &core): (&u32, &u32)| place_on(host, (!is_whole).then_some(core));
    let seating = Seating {
        hosts: hosts.iter().map(|host| host.name.clone()).collect(),
        slots_of_host,
        seats: mapping.node_of_rank.iter().zip(&core_of).map(seat).collect(),
    };
    with_listed_slots(mapping, seating, hosts)
}

/// A seating with as many slots per host as a list says, if that is enough.
fn with_listed_slots(
    mapping: &MappingFile,
    mut seating: Seating,
    hosts: &[ListedHost],
) -> Result<Seating, LaunchError> {
    let needed = slots_needed(mapping, &seating);
    let mut full = Vec::new();
    for ((host, &needed), known) in hosts.iter().zip(&needed).zip(&mut seating.slots_of_host) {
        if let Some(slots) = host.slots.filter(|&slots| slots < needed) {
            full.push(format!("{} ({slots} for {})", host.name, counted(needed, "rank")));
        }
        *known = host.slots.unwrap_or(*known);
    }
    match full.is_empty() {
        true => Ok(seating),
        false => {
            let message = format!("hosts of the list have too few slots: {}", named(&full));
            Err(LaunchError::Hosts(message))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::host_list;

    fn on(machine: &str, slots: &[u32], per_node: u32) -> MappingFile {
        MappingFile {
            machine: Some(machine.to_string()),
            node_of_rank: slots.iter().map(|slot| slot / per_node).collect(),
            slot_of_rank: Some(slots.to_vec()),
            ..MappingFile::default()
        }
    }

    /// Ranks 0 and 1 on n02, rank 2 on n01; n03 exists and is not used.
    fn seated() -> MappingFile {
        let place = |host, core| Place {
            host,
            core: Some(core),
            cores: vec![core],
            cpus: vec![core, core + 4],
            gpu: None,
        };
        MappingFile {
            node_of_rank: vec![1, 1, 0],
            seating: Some(Seating {
                hosts: ["n01", "n02", "n03"].map(String::from).to_vec(),
                slots_of_host: vec![4; 3],
                seats: vec![place(1, 3), place(1, 0), place(0, 2)],
            }),
            ..MappingFile::default()
        }
    }

    fn seats(mapping: &MappingFile, hosts: &str) -> Result<Vec<(String, u32)>, String> {
        let hosts = host_list::parse(hosts).unwrap();
        let seating = seating_of(mapping, Some(&hosts)).map_err(|error| error.to_string())?;
        let of = |seat: &Place| (seating.hosts[seat.host as usize].clone(), seat.core.unwrap_or(0));
        Ok(seating.seats.iter().map(of).collect())
    }

    fn refusal(mapping: &MappingFile, hosts: &str) -> String {
        seats(mapping, hosts).unwrap_err()
    }

    #[test]
    fn hosts_of_a_mapping_may_be_listed_in_any_order_and_with_full_names() {
        let n = |name: &str, core| (name.to_string(), core);
        let expected = [n("n02", 3), n("n02", 0), n("n01", 2)];
        assert_eq!(seats(&seated(), "n[01-03]").unwrap(), expected);
        assert_eq!(seats(&seated(), "n02:2,n01").unwrap(), expected);
        let full = [n("n02.a.org", 3), n("n02.a.org", 0), n("n01.a.org", 2)];
        assert_eq!(seats(&seated(), "n[01-03].a.org:8").unwrap(), full);
        assert_eq!(seating_of(&seated(), None).unwrap(), seated().seating.unwrap());
    }

    #[test]
    fn hosts_that_differ_are_named() {
        assert_eq!(
            refusal(&seated(), "n01"),
            "the mapping puts ranks on hosts that are not in the list: n02"
        );
        assert_eq!(
            refusal(&seated(), "n[01-04]"),
            "the list names hosts that the mapping does not know: n04"
        );
        assert_eq!(
            refusal(&seated(), "n02:1,n01,x[1-9]"),
            "the list names hosts that the mapping does not know: x1, x2, x3, x4, x5, x6, x7, x8 \
             and 1 more; hosts of the list have too few slots: n02 (1 for 2 ranks)"
        );
        assert_eq!(
            refusal(&seated(), "n01,n02.a,n02.b"),
            "it is not clear which host of the list is meant by: n02; \
             the list names hosts that the mapping does not know: n02.a, n02.b"
        );
        assert_eq!(refusal(&seated(), "n01,n01"), "the list of hosts names n01 twice");
        assert_eq!(
            refusal(&seated(), "n01;rm"),
            "the list of hosts has a host \"n01;rm\", which is not a valid host name"
        );
    }

    #[test]
    fn addresses_have_no_short_form() {
        let mut mapping = seated();
        mapping.seating.as_mut().unwrap().hosts =
            ["10.0.0.1", "10.0.0.2", "10.0.0.3"].map(String::from).to_vec();
        assert!(seats(&mapping, "10.0.0.[1-3]").is_ok());
        assert!(refusal(&mapping, "10.0.0.1,10").contains("not in the list: 10.0.0.2"));
    }

    #[test]
    fn nodes_of_a_machine_are_hosts_in_their_order() {
        let mapping = on("torus:2x2,slots=2", &[7, 0, 3], 2);
        let n = |name: &str, core| (name.to_string(), core);
        assert_eq!(seats(&mapping, "a,b,c,d").unwrap(), [n("d", 1), n("a", 0), n("b", 1)]);
        assert_eq!(
            refusal(&mapping, "a,b,c"),
            "torus:2x2,slots=2 has 4 nodes, but the list has 3 hosts"
        );
        assert_eq!(
            refusal(&on("torus:2x2,slots=2", &[6, 7], 2), "a,b,c,d:1"),
            "hosts of the list have too few slots: d (1 for 2 ranks)"
        );
    }

    #[test]
    fn groups_of_one_level_of_a_tree_may_be_hosts() {
        // 16 leaves: 2 in a group, 2 groups in the next, 4 of those.
        let mapping = on("tree:2:2:4,distances=1:10:100", &[15, 4, 6], 1);
        let n = |name: &str, core| (name.to_string(), core);
        assert_eq!(seats(&mapping, "n[0-3]").unwrap(), [n("n3", 3), n("n1", 0), n("n1", 2)]);
        assert_eq!(seats(&mapping, "n[0-7]").unwrap(), [n("n7", 1), n("n2", 0), n("n3", 0)]);
        assert_eq!(seats(&mapping, "n[00-15]").unwrap(), [n("n15", 0), n("n04", 0), n("n06", 0)]);
        assert_eq!(seats(&mapping, "n").unwrap(), [n("n", 15), n("n", 4), n("n", 6)]);
        assert_eq!(
            refusal(&mapping, "n[0-2]"),
            "tree:2:2:4,distances=1:10:100 has 1, 4, 8 or 16 groups that can be hosts, but the \
             list has 3 hosts"
        );
    }

    #[test]
    fn a_list_of_nodes_fills_hosts_in_the_order_of_ranks() {
        let mapping = MappingFile { node_of_rank: vec![1, 0, 1, 1], ..MappingFile::default() };
        let n = |name: &str, core| (name.to_string(), core);
        let expected = [n("b", 0), n("a", 0), n("b", 1), n("b", 2)];
        assert_eq!(seats(&mapping, "a,b,c").unwrap(), expected);
        assert_eq!(
            refusal(&mapping, "a"),
            "rank 0 is on node 1, but the list has 1 host, for nodes 0 to 0"
        );
        assert!(refusal(&mapping, "a,b:2").contains("b (2 for 3 ranks)"));
    }

    #[test]
    fn ranks_that_share_a_slot_share_a_core() {
        let mut mapping = on("mesh:2,slots=2", &[3, 3, 2, 0], 2);
        mapping.imbalance = Some(1.0);
        let n = |name: &str, core| (name.to_string(), core);
        let expected = [n("b", 1), n("b", 1), n("b", 0), n("a", 0)];
        assert_eq!(seats(&mapping, "a:1,b:2").unwrap(), expected);
    }

    #[test]
    fn a_mapping_without_hosts_asks_for_them() {
        let error = seating_of(&on("torus:4", &[0], 1), None).unwrap_err().to_string();
        assert_eq!(error, "the mapping names no hosts, only torus:4");
        let wrong = MappingFile { node_of_rank: vec![9], ..on("torus:4", &[0], 1) };
        assert_eq!(refusal(&wrong, "n[1-4]"), "rank 0 is on node 9, but torus:4 has 4 nodes");
    }
}
