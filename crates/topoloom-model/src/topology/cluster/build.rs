//! From a description to groups in groups.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;
use std::sync::Arc;

use super::between::Between;
use super::data::Cluster;
use super::error::ClusterError;
use super::part::Part;
use super::place::Place;
use super::seats;
use super::wired::Wired;
use crate::cluster::{Costs, Description, Host, NVLINK_LEVEL, Object, ObjectKind, Seat};
use crate::topology::groups::{Group, Groups};
use crate::topology::size::MAX_NODES;

/// Anything that is in a cluster.
enum Thing<'a> {
    Everything,
    Switches(u32),
    Host(u32),
    Part(&'a Part),
}

impl Cluster {
    /// The machine that a description stands for.
    pub fn new(description: Description) -> Result<Cluster, ClusterError> {
        build(description)
    }
}

fn build(description: Description) -> Result<Cluster, ClusterError> {
    check(&description)?;
    let insides = match description.seats.is_empty() {
        true => insides_of_hosts(&description)?,
        false => insides_with_seats(&description)?,
    };
    let joined = Joined::new(&description);
    let top = description.network.groups.iter().map(|group| group.level).max().unwrap_or(0);
    let level_of = |kind: ObjectKind| {
        ObjectKind::ALL.iter().position(|&other| other == kind).unwrap_or_default() as u16
    };
    let level_of_switches = |level: u32| (ObjectKind::ALL.len() as u32 + level) as u16;
    let mut names: Vec<String> = ObjectKind::ALL.iter().map(|kind| kind.to_string()).collect();
    names.extend((NVLINK_LEVEL..=top + 1).map(Costs::switch_name));

    let costs = &description.costs;
    let groups = Groups::new(Thing::Everything, names, |thing| match thing {
        Thing::Everything => {
            (joined.inside(None), costs.switch(top + 1), level_of_switches(top + 1))
        }
        Thing::Switches(group) => {
            let level = description.network.groups[*group as usize].level;
            (joined.inside(Some(*group)), costs.switch(level), level_of_switches(level))
        }
        Thing::Host(host) => {
            let inside = insides[*host as usize].parts.iter().map(Thing::Part).collect();
            (inside, costs.inside(ObjectKind::Node), level_of(ObjectKind::Node))
        }
        Thing::Part(part) => {
            let inside = part.parts.iter().map(Thing::Part).collect();
            (inside, cost_of(part, costs), level_of(part.kind))
        }
    });
    let mut placed = Placed { places: Vec::new(), seats: vec![0; description.seats.len()] };
    // The places in the order of their numbers, which is the order of the tree.
    let mut host_groups = vec![0; description.hosts.len()];
    let hosts_in_order = joined.hosts_in_order();
    let is_host = |group: &Group| group.level == level_of(ObjectKind::Node);
    let mut numbered: Vec<(u32, u32)> = (0..)
        .zip(groups.all())
        .filter(|(_, group)| is_host(group))
        .map(|(number, group)| (group.nodes.start, number))
        .collect();
    numbered.sort_unstable();
    for (&host, &(_, group)) in hosts_in_order.iter().zip(&numbered) {
        host_groups[host as usize] = group;
        placed.add(&insides[host as usize], host);
    }
    let wired = Wired::new(&description, &groups, &host_groups, &placed.places)?;
    let named = description.network.named.as_ref();
    let several = description.hosts.len() > 1;
    Ok(Cluster {
        wired: wired.map(Arc::new),
        between: named.filter(|_| several).and_then(|named| Between::new(named, costs)),
        groups: Arc::new(groups),
        places: Arc::new(placed.places),
        node_of_seat: Arc::new(placed.seats),
        host_groups: Arc::new(host_groups),
        description: Arc::new(description),
    })
}

/// The cost of a part. A NUMA node around packages is larger than usual.
fn cost_of(part: &Part, costs: &Costs) -> u32 {
    let around_packages =
        part.parts.len() > 1 && part.parts.iter().all(|inner| inner.kind == ObjectKind::Package);
    match part.kind {
        ObjectKind::Numa if around_packages && !costs.is_given(ObjectKind::Numa) => {
            costs.inside(ObjectKind::Group)
        }
        kind => costs.inside(kind),
    }
}

/// Whether everything that is referred to exists.
fn check(description: &Description) -> Result<(), ClusterError> {
    if description.hosts.is_empty() {
        return Err(ClusterError::NoHosts);
    }
    let groups = &description.network.groups;
    for (number, group) in groups.iter().enumerate() {
        let wrong = match group.parent {
            Some(parent) => {
                parent as usize >= number || groups[parent as usize].level <= group.level
            }
            None => false,
        };
        if wrong || group.level > 99 {
            return Err(ClusterError::WrongGroup(group.name.clone()));
        }
    }
    if let Some(named) = &description.network.named {
        let mut taken = vec![false; named.topology.num_nodes()];
        let fits = named.node_of_host.len() == description.hosts.len()
            && named.node_of_host.iter().all(|&node| {
                let free = |taken: &mut bool| !std::mem::replace(taken, true);
                taken.get_mut(node as usize).is_some_and(free)
            });
        if !fits {
            return Err(ClusterError::WrongNodes(named.specification.clone()));
        }
    }
    let mut names = HashSet::new();
    for host in &description.hosts {
        let is_odd =
            |letter: char| letter.is_whitespace() || letter.is_control() || ",:[]".contains(letter);
        if host.name.is_empty() || host.name.contains(is_odd) {
            return Err(ClusterError::WrongName(host.name.clone()));
        }
        if !names.insert(host.name.as_str()) {
            return Err(ClusterError::HostTwice(host.name.clone()));
        }
        let no_such = |what, number| ClusterError::NoSuch { host: host.name.clone(), what, number };
        if host.kind as usize >= description.kinds.len() {
            return Err(no_such("kind of node", host.kind));
        }
        if let Some(group) = host.group.filter(|&group| group as usize >= groups.len()) {
            return Err(no_such("group of switches", group));
        }
    }
    Ok(())
}

/// The parts of each host that ranks may use.
fn insides_of_hosts(description: &Description) -> Result<Vec<Rc<Part>>, ClusterError> {
    let mut known: HashMap<(u32, Option<u32>), Rc<Part>> = HashMap::new();
    let mut places: HashMap<u32, usize> = HashMap::new();
    let mut total = 0u64;
    let mut inside_of = |host: &Host| {
        let node = &description.kinds[host.kind as usize].node;
        let (name, kind) = (|| host.name.clone(), description.place.name());
        let there = *places.entry(host.kind).or_insert_with(|| node.count(description.place));
        if there == 0 || host.slots == Some(0) {
            return Err(ClusterError::NoPlace { host: name(), kind });
        }
        if let Some(slots) = host.slots.filter(|&slots| slots as usize > there) {
            return Err(ClusterError::TooManySlots { host: name(), places: there, kind, slots });
        }
        let room = host.slots.map_or(there, |slots| slots as usize);
        total += room as u64;
        if total > u64::from(MAX_NODES) {
            return Err(ClusterError::TooLarge(total));
        }
        let part = known.entry((host.kind, host.slots)).or_insert_with(|| {
            let mut cutting = Cutting { place: description.place, room, cores: 0, gpus: 0 };
            Rc::new(cutting.part(node, node).expect("a node with places"))
        });
        Ok(part.clone())
    };
    description.hosts.iter().map(&mut inside_of).collect()
}

/// Takes the parts with places out of a node, the first ones first.
struct Cutting {
    place: ObjectKind,
    /// How many places are still to be taken.
    room: usize,
    /// How many cores and GPUs came before this point.
    cores: u32,
    gpus: u32,
}

impl Cutting {
    fn part(&mut self, object: &Object, around: &Object) -> Option<Part> {
        let core = self.cores;
        let gpu = self.gpus;
        self.cores += u32::from(object.kind == ObjectKind::Core);
        self.gpus += u32::from(object.kind == ObjectKind::Gpu);
        if object.kind == self.place {
            self.cores = core + object.count(ObjectKind::Core) as u32;
            if self.room == 0 {
                return None;
            }
            self.room -= 1;
            let is_gpu = object.kind == ObjectKind::Gpu;
            let cpus = if is_gpu { around.cpus() } else { object.cpus() };
            // A thread is on the core that was counted last. A GPU is near the next one.
            let (core, cores) = match object.kind {
                ObjectKind::Thread => {
                    let core = core.saturating_sub(1);
                    // A core with one thread is the same as that thread.
                    let whole = around.kind == ObjectKind::Core && around.children.len() == 1;
                    (core, if whole { vec![core] } else { Vec::new() })
                }
                ObjectKind::Gpu => (core, Vec::new()),
                _ => (core, (core..self.cores).collect()),
            };
            let gpu = is_gpu.then_some(gpu);
            let place = Some(Place { host: 0, core: Some(core), cores, cpus, gpu });
            return Some(Part { kind: object.kind, parts: Vec::new(), place, seat: None });
        }
        let parts: Vec<Part> =
            object.children.iter().filter_map(|child| self.part(child, object)).collect();
        (!parts.is_empty()).then_some(Part { kind: object.kind, parts, place: None, seat: None })
    }
}

/// The parts of each host that have seats in them.
fn insides_with_seats(description: &Description) -> Result<Vec<Rc<Part>>, ClusterError> {
    if description.seats.len() as u64 > u64::from(MAX_NODES) {
        return Err(ClusterError::TooLarge(description.seats.len() as u64));
    }
    let mut seats_of_host = vec![Vec::new(); description.hosts.len()];
    for (number, seat) in (0u32..).zip(&description.seats) {
        match seats_of_host.get_mut(seat.host as usize) {
            Some(seats) => seats.push((number, seat)),
            None => {
                let (host, number) = (format!("of seat {number}"), seat.host);
                return Err(ClusterError::NoSuch { host, what: "host", number });
            }
        }
    }
    let inside = |(host, seats): (&Host, &Vec<(u32, &Seat)>)| {
        seats::around(&description.kinds[host.kind as usize].node, &host.name, seats).map(Rc::new)
    };
    description.hosts.iter().zip(&seats_of_host).map(inside).collect()
}

/// The places in the order of their numbers, and which of them belongs to each seat.
struct Placed {
    places: Vec<Place>,
    seats: Vec<u32>,
}

impl Placed {
    fn add(&mut self, part: &Part, host: u32) {
        if let Some(place) = &part.place {
            if let Some(seat) = part.seat {
                self.seats[seat as usize] = self.places.len() as u32;
            }
            self.places.push(Place { host, ..place.clone() });
        }
        part.parts.iter().for_each(|inner| self.add(inner, host));
    }
}

/// Which hosts and groups of switches are in which, without groups that have no hosts.
struct Joined {
    /// For each group and, last, for everything: what is in it, in the order of the first hosts.
    inside: Vec<Vec<(u32, bool, u32)>>,
}

impl Joined {
    fn new(description: &Description) -> Joined {
        let groups = &description.network.groups;
        let mut first_host = vec![u32::MAX; groups.len()];
        let mut inside = vec![Vec::new(); groups.len() + 1];
        for (number, host) in (0u32..).zip(&description.hosts) {
            inside[host.group.map_or(groups.len(), |group| group as usize)]
                .push((number, true, number));
            let mut at = host.group;
            while let Some(group) = at {
                let first = &mut first_host[group as usize];
                *first = (*first).min(number);
                at = groups[group as usize].parent;
            }
        }
        for (number, group) in (0u32..).zip(groups) {
            let first = first_host[number as usize];
            if first != u32::MAX {
                let around = group.parent.map_or(groups.len(), |parent| parent as usize);
                inside[around].push((first, false, number));
            }
        }
        inside.iter_mut().for_each(|things| things.sort_unstable());
        Joined { inside }
    }

    fn inside<'a>(&self, group: Option<u32>) -> Vec<Thing<'a>> {
        let at = group.map_or(self.inside.len() - 1, |group| group as usize);
        let thing = |&(_, is_host, number): &(u32, bool, u32)| match is_host {
            true => Thing::Host(number),
            false => Thing::Switches(number),
        };
        self.inside[at].iter().map(thing).collect()
    }

    /// The hosts in the order of the tree.
    fn hosts_in_order(&self) -> Vec<u32> {
        let mut hosts = Vec::new();
        let mut left: Vec<&(u32, bool, u32)> =
            self.inside[self.inside.len() - 1].iter().rev().collect();
        while let Some(&(_, is_host, number)) = left.pop() {
            match is_host {
                true => hosts.push(number),
                false => left.extend(self.inside[number as usize].iter().rev()),
            }
        }
        hosts
    }
}
