//! Groups of hosts by their distances in a network of switches.

use std::collections::HashMap;

/// Groups of a higher level than this are not distinguished.
const HIGHEST_LEVEL: u32 = 99;

const UNREACHABLE: u32 = u32::MAX;

/// What is directly in a group.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Member {
    Group(usize),
    Class(usize),
}

#[derive(Debug)]
pub(super) struct Made {
    pub level: u32,
    pub parent: Option<usize>,
    /// In the order of their hosts.
    pub members: Vec<Member>,
    /// Steps of at most this length join its hosts.
    within: u32,
    first_class: usize,
}

/// Hosts that are plugged into the same switches: they have the same distances to all others.
struct Class {
    ports: Vec<u32>,
    first_host: usize,
    hosts: usize,
}

/// Two hosts of a group that are farther apart than the steps that join it.
pub(super) struct Stretch {
    pub hosts: [usize; 2],
    pub distance: u32,
    pub within: u32,
}

/// Groups in groups; inner groups come before the groups around them.
pub(super) struct Grouping {
    pub groups: Vec<Made>,
    classes: Vec<Class>,
    class_of_host: Vec<usize>,
    group_of_class: Vec<usize>,
}

impl Grouping {
    /// The groups of hosts that are plugged into `ports`, in rising order, of switches that `wires`
    /// join to others.
    pub fn of(wires: &[Vec<u32>], ports: &[Vec<u32>]) -> Grouping {
        let (classes, class_of_host) = classes(ports);
        let (tree, distances) = shortest_tree(wires, &classes);
        let group_of_class = vec![0; classes.len()];
        let mut made = Grouping { groups: Vec::new(), classes, class_of_host, group_of_class };
        made.join(&tree, &steps(&tree, &distances));
        made
    }

    /// The first of the hosts of a group.
    pub fn first_host(&self, group: usize) -> usize {
        self.classes[self.groups[group].first_class].first_host
    }

    /// The innermost group of a host.
    pub fn group_of_host(&self, host: usize) -> usize {
        self.group_of_class[self.class_of_host[host]]
    }

    /// Makes the groups step by step. Each step is a level and the distance up to which it joins.
    fn join(&mut self, tree: &[Edge], steps: &[(u32, u32)]) {
        let mut sets = Sets::new(self.classes.len());
        // The outermost group so far of each set of classes, by the set's representative.
        let mut outermost: Vec<Option<usize>> = vec![None; self.classes.len()];
        let mut next = 0;
        for &(level, within) in steps {
            let mut inside: Vec<Vec<Member>> = vec![Vec::new(); self.classes.len()];
            let before: Vec<usize> = (0..self.classes.len()).map(|class| sets.of(class)).collect();
            while let Some(edge) = tree.get(next).filter(|edge| edge.distance <= within) {
                sets.join(edge.a, edge.b);
                next += 1;
            }
            let mut taken = vec![false; self.classes.len()];
            for class in 0..self.classes.len() {
                let whole = sets.of(class);
                match outermost[before[class]] {
                    None => inside[whole].push(Member::Class(class)),
                    Some(group) if !std::mem::replace(&mut taken[before[class]], true) => {
                        inside[whole].push(Member::Group(group));
                    }
                    Some(_) => {}
                }
            }
            for (whole, members) in inside.into_iter().enumerate() {
                match members[..] {
                    [] => {}
                    // It has not grown.
                    [Member::Group(group)] => outermost[whole] = Some(group),
                    _ => outermost[whole] = Some(self.add(level, within, members)),
                }
            }
        }
    }

    fn add(&mut self, level: u32, within: u32, members: Vec<Member>) -> usize {
        let number = self.groups.len();
        let mut first_class = usize::MAX;
        for member in &members {
            first_class = first_class.min(match *member {
                Member::Class(class) => {
                    self.group_of_class[class] = number;
                    class
                }
                Member::Group(group) => {
                    self.groups[group].parent = Some(number);
                    self.groups[group].first_class
                }
            });
        }
        self.groups.push(Made { level, parent: None, members, within, first_class });
        number
    }

    /// The switches that all hosts of a group share or, if there are none, that some of them share
    /// or from which the farthest member is closest.
    pub fn switches_that_explain(&self, group: usize, wires: &[Vec<u32>]) -> Vec<u32> {
        let members: Vec<Vec<u32>> =
            self.groups[group].members.iter().map(|&member| self.switches_of(member)).collect();
        let (first, rest) = members.split_first().expect("a group has members");
        let in_all = |switch: &u32| rest.iter().all(|ports| ports.binary_search(switch).is_ok());
        let is_class = |member: &Member| matches!(member, Member::Class(_));
        if self.groups[group].members.iter().all(is_class) {
            let shared: Vec<u32> = first.iter().copied().filter(in_all).collect();
            if !shared.is_empty() {
                return shared;
            }
            // Rails join them, but not all of them by the same rails.
            if self.groups[group].within == 0 {
                return self.switches_of(Member::Group(group));
            }
        }
        let mut farthest = vec![0; wires.len()];
        let mut walk = Walk::new(wires);
        for member in &members {
            let distances = walk.from(member);
            farthest.iter_mut().zip(distances).for_each(|(most, &far)| *most = (*most).max(far));
        }
        let least = farthest.iter().copied().min().filter(|&least| least < UNREACHABLE);
        (0..).zip(&farthest).filter(|&(_, &far)| Some(far) == least).map(|(at, _)| at).collect()
    }

    /// The switches that hosts of a member are plugged into, in rising order.
    fn switches_of(&self, member: Member) -> Vec<u32> {
        let mut switches = Vec::new();
        let mut left = vec![member];
        while let Some(member) = left.pop() {
            match member {
                Member::Class(class) => switches.extend(&self.classes[class].ports),
                Member::Group(group) => left.extend(&self.groups[group].members),
            }
        }
        switches.sort_unstable();
        switches.dedup();
        switches
    }

    /// The first hosts that are farther apart than the steps that join their group.
    pub fn first_stretch(&self, wires: &[Vec<u32>]) -> Option<Stretch> {
        let mut walk = Walk::new(wires);
        let mut within = vec![UNREACHABLE; self.groups.len()];
        for (number, class) in self.classes.iter().enumerate() {
            within.fill(UNREACHABLE);
            let mut around = Some(self.group_of_class[number]);
            while let Some(group) = around {
                within[group] = self.groups[group].within;
                around = self.groups[group].parent;
            }
            // The group around comes later, so it is known when it is needed.
            for group in (0..self.groups.len()).rev() {
                if let (UNREACHABLE, Some(parent)) = (within[group], self.groups[group].parent) {
                    within[group] = within[parent];
                }
            }
            let distances = walk.from(&class.ports);
            for (other, far) in self.classes.iter().enumerate().skip(number + 1) {
                let within = within[self.group_of_class[other]];
                let distance = closest(distances, &far.ports);
                if distance > within && distance < UNREACHABLE {
                    let hosts = [class.first_host, far.first_host];
                    return Some(Stretch { hosts, distance, within });
                }
            }
        }
        None
    }
}

/// Classes in the order of their first hosts, and the class of each host. Each host without ports
/// is in its own class: it reaches no other host.
fn classes(ports: &[Vec<u32>]) -> (Vec<Class>, Vec<usize>) {
    let mut classes: Vec<Class> = Vec::new();
    let mut known: HashMap<&[u32], usize> = HashMap::new();
    let mut class_of_host = Vec::with_capacity(ports.len());
    for (host, ports) in ports.iter().enumerate() {
        let next = classes.len();
        let class = if ports.is_empty() { next } else { *known.entry(ports).or_insert(next) };
        if class == next {
            classes.push(Class { ports: ports.clone(), first_host: host, hosts: 0 });
        }
        classes[class].hosts += 1;
        class_of_host.push(class);
    }
    (classes, class_of_host)
}

/// Two classes that a step joins.
struct Edge {
    distance: u32,
    a: usize,
    b: usize,
}

/// A tree of the shortest steps that join all classes, as far as they can be joined (Prim 1957),
/// the shortest first, and the distances that occur between hosts, in rising order.
fn shortest_tree(wires: &[Vec<u32>], classes: &[Class]) -> (Vec<Edge>, Vec<u32>) {
    let mut found = vec![false; wires.len() + 1];
    let mut walk = Walk::new(wires);
    let mut tree = Vec::new();
    let mut joined = vec![false; classes.len()];
    let mut best: Vec<(u32, usize)> = vec![(UNREACHABLE, 0); classes.len()];
    for _ in 0..classes.len() {
        let left = (0..classes.len()).filter(|&class| !joined[class]);
        let next = left.min_by_key(|&class| best[class].0).expect("some are left");
        joined[next] = true;
        let (distance, to) = best[next];
        if distance < UNREACHABLE {
            tree.push(Edge { distance, a: to, b: next });
        }
        let distances = walk.from(&classes[next].ports);
        found[0] |= classes[next].hosts > 1;
        for (class, other) in classes.iter().enumerate().filter(|&(class, _)| class != next) {
            let distance = closest(distances, &other.ports);
            if distance < UNREACHABLE {
                found[distance as usize] = true;
            }
            if !joined[class] && distance < best[class].0 {
                best[class] = (distance, next);
            }
        }
    }
    tree.sort_by_key(|edge| edge.distance);
    let distances = (0..).zip(found).filter(|(_, found)| *found).map(|(distance, _)| distance);
    (tree, distances.collect())
}

/// Levels, each with the distance up to which it joins.
fn steps(tree: &[Edge], distances: &[u32]) -> Vec<(u32, u32)> {
    let mut steps: Vec<u32> = distances.to_vec();
    if steps.len() > HIGHEST_LEVEL as usize {
        // Levels at which nothing is joined have no meaning.
        let joins =
            |distance: &u32| tree.binary_search_by_key(distance, |edge| edge.distance).is_ok();
        steps.retain(joins);
    }
    if steps.len() > HIGHEST_LEVEL as usize {
        let last = steps[steps.len() - 1];
        steps.truncate(HIGHEST_LEVEL as usize - 1);
        steps.push(last);
    }
    if steps.is_empty() {
        steps.push(0);
    }
    (1..).zip(steps).collect()
}

fn closest(distances: &[u32], ports: &[u32]) -> u32 {
    ports.iter().map(|&port| distances[port as usize]).min().unwrap_or(UNREACHABLE)
}

/// Distances from some switches to all switches.
struct Walk<'a> {
    wires: &'a [Vec<u32>],
    distances: Vec<u32>,
    queue: Vec<u32>,
}

impl<'a> Walk<'a> {
    fn new(wires: &'a [Vec<u32>]) -> Walk<'a> {
        Walk { wires, distances: vec![UNREACHABLE; wires.len()], queue: Vec::new() }
    }

    fn from(&mut self, starts: &[u32]) -> &[u32] {
        self.distances.fill(UNREACHABLE);
        self.queue.clear();
        self.queue.extend(starts);
        starts.iter().for_each(|&start| self.distances[start as usize] = 0);
        let mut at = 0;
        while let Some(&switch) = self.queue.get(at) {
            at += 1;
            let next = self.distances[switch as usize] + 1;
            for &neighbour in &self.wires[switch as usize] {
                let distance = &mut self.distances[neighbour as usize];
                if *distance == UNREACHABLE {
                    *distance = next;
                    self.queue.push(neighbour);
                }
            }
        }
        &self.distances
    }
}

/// Which classes have been joined.
struct Sets {
    parents: Vec<usize>,
}

impl Sets {
    fn new(size: usize) -> Sets {
        Sets { parents: (0..size).collect() }
    }

    fn of(&mut self, mut element: usize) -> usize {
        while self.parents[element] != element {
            self.parents[element] = self.parents[self.parents[element]];
            element = self.parents[element];
        }
        element
    }

    fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.of(a), self.of(b));
        // The lower one represents both, and this keeps the order of the hosts.
        self.parents[a.max(b)] = a.min(b);
    }
}
