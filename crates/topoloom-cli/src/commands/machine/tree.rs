//! A described cluster as a tree for people; equal parts are shown together.

use topoloom::core::cluster::{Costs, Description, Host, Object, ObjectKind};
use topoloom::io::host_list;

use crate::output::numbers::{noun, plural};
use crate::output::plain_text::one_line;

/// A line and the lines below it.
pub struct Branch {
    pub label: String,
    pub inside: Vec<Branch>,
}

impl Branch {
    /// The lines of the branches below a heading.
    pub fn draw(branches: &[Branch]) -> String {
        let mut text = String::new();
        draw_below(branches, "", &mut text);
        text
    }
}

fn draw_below(branches: &[Branch], indent: &str, text: &mut String) {
    for (number, branch) in branches.iter().enumerate() {
        let is_last = number + 1 == branches.len();
        let (corner, line) = if is_last { ("└─ ", "   ") } else { ("├─ ", "│  ") };
        text.push_str(&format!(" {indent}{corner}{}\n", one_line(&branch.label)));
        draw_below(&branch.inside, &format!("{indent}{line}"), text);
    }
}

/// The switches and the hosts below them.
pub fn network(machine: &Description) -> Vec<Branch> {
    let groups = &machine.network.groups;
    let top = Level { machine, groups: Vec::new(), hosts: hosts_in(machine, None), shared_by: 1 };
    let roots: Vec<u32> =
        (0..groups.len() as u32).filter(|&group| groups[group as usize].parent.is_none()).collect();
    Level { groups: roots, ..top }.branches()
}

/// The groups of switches and hosts below something.
struct Level<'a> {
    machine: &'a Description,
    groups: Vec<u32>,
    hosts: Vec<&'a Host>,
    /// How many equal things this is below.
    shared_by: usize,
}

impl<'a> Level<'a> {
    fn branches(&self) -> Vec<Branch> {
        let mut branches = self.switch_branches();
        branches.extend(self.host_branches());
        branches
    }

    /// The groups of switches, with equal ones together, in the order of the first of each.
    fn switch_branches(&self) -> Vec<Branch> {
        let mut shapes: Vec<(String, Vec<u32>)> = Vec::new();
        for &group in &self.groups {
            let Some(shape) = self.shape(group) else { continue };
            match shapes.iter_mut().find(|(other, _)| *other == shape) {
                Some((_, alike)) => alike.push(group),
                None => shapes.push((shape, vec![group])),
            }
        }
        shapes.iter().map(|(_, alike)| self.switches(alike)).collect()
    }

    /// Groups of switches that are equal, in one line.
    fn switches(&self, alike: &[u32]) -> Branch {
        let groups = &self.machine.network.groups;
        let first = &groups[alike[0] as usize];
        let names: Vec<&str> =
            alike.iter().map(|&group| groups[group as usize].name.as_str()).collect();
        let level = Costs::switch_name(first.level);
        let label = match alike.len() {
            1 => format!("{} ({level})", names[0]),
            many => {
                let in_all = if self.shared_by > 1 { " in all" } else { "" };
                format!("{many} x {level}{in_all}: {}", shortened(&names))
            }
        };
        let below = Level {
            machine: self.machine,
            groups: (0..groups.len() as u32)
                .filter(|&group| {
                    alike.iter().any(|&one| groups[group as usize].parent == Some(one))
                })
                .collect(),
            hosts: alike.iter().flat_map(|&group| hosts_in(self.machine, Some(group))).collect(),
            shared_by: alike.len(),
        };
        let mut inside = below.switch_branches();
        inside.extend(below.host_branches());
        Branch { label, inside }
    }

    /// The hosts, with those of the same kind together; equal groups have the same number of hosts.
    fn host_branches(&self) -> Vec<Branch> {
        let shared_by = self.shared_by;
        let mut hosts = self.hosts.clone();
        hosts.sort_by_key(|host| (host.kind, host.slots));
        let alike = |a: &&Host, b: &&Host| (a.kind, a.slots) == (b.kind, b.slots);
        let branch = |hosts: &[&Host]| {
            let names: Vec<&str> = hosts.iter().map(|host| host.name.as_str()).collect();
            let each = if shared_by > 1 { " each" } else { "" };
            let slots = hosts[0]
                .slots
                .map_or(String::new(), |slots| format!(", {}", plural(slots as usize, "slot")));
            let kind = match self.machine.kinds.len() {
                1 => String::new(),
                _ => format!(", kind {}", hosts[0].kind + 1),
            };
            let count = plural(hosts.len() / shared_by, "host");
            let label = format!("{count}{each}{slots}{kind}: {}", shortened(&names));
            Branch { label, inside: Vec::new() }
        };
        hosts.chunk_by(alike).map(branch).collect()
    }

    /// The structure below a group, without names; `None` if there is no host.
    fn shape(&self, group: u32) -> Option<String> {
        let groups = &self.machine.network.groups;
        let mut parts: Vec<String> = hosts_in(self.machine, Some(group))
            .iter()
            .map(|host| format!("h{}:{:?}", host.kind, host.slots))
            .collect();
        let below =
            (0..groups.len() as u32).filter(|&inner| groups[inner as usize].parent == Some(group));
        parts.extend(below.filter_map(|inner| self.shape(inner)));
        parts.sort_unstable();
        (!parts.is_empty())
            .then(|| format!("{}({})", groups[group as usize].level, parts.join(",")))
    }
}

/// A list of names that fits a line; the rest is counted.
fn shortened(names: &[&str]) -> String {
    const MOST_LETTERS: usize = 48;
    let whole = host_list::write(names);
    if whole.chars().count() <= MOST_LETTERS {
        return whole;
    }
    let fits = |count: &usize| host_list::write(&names[..*count]).chars().count() <= MOST_LETTERS;
    // A list becomes longer with more names, or nearly so.
    let (mut low, mut high) = (1, names.len());
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        if fits(&middle) { low = middle } else { high = middle }
    }
    format!("{} and {} more", host_list::write(&names[..low]), names.len() - low)
}

fn hosts_in(machine: &Description, group: Option<u32>) -> Vec<&Host> {
    machine.hosts.iter().filter(|host| host.group == group).collect()
}

/// The parts inside a kind of node.
pub fn inside(node: &Object) -> Vec<Branch> {
    inside_one_of(node, 1)
}

/// The same for one of several equal nodes.
fn inside_one_of(node: &Object, many: usize) -> Vec<Branch> {
    let all = many;
    let mut branches = Vec::new();
    for alike in node.children.chunk_by(same_shape) {
        let first = &alike[0];
        let many = if alike.len() > 1 { format!("{} x ", alike.len()) } else { String::new() };
        let name = first.name.as_ref().map_or(String::new(), |name| format!(" ({name})"));
        let label = match first.kind {
            ObjectKind::Core => {
                let threads = plural(first.count(ObjectKind::Thread), "thread");
                let which = if all > 1 { " in the first" } else { "" };
                format!("{many}core of {threads}: {}{which}", cpus(alike))
            }
            ObjectKind::Thread | ObjectKind::Gpu => format!("{many}{}{name}", first.kind),
            kind => format!("{many}{kind}{name}"),
        };
        let inside = if first.kind == ObjectKind::Core {
            Vec::new()
        } else {
            inside_one_of(first, all * alike.len())
        };
        branches.push(Branch { label, inside });
    }
    branches
}

fn cpus(cores: &[Object]) -> String {
    let mut cpus: Vec<u32> = cores.iter().flat_map(Object::cpus).collect();
    cpus.sort_unstable();
    let word = noun(cpus.len(), "CPU");
    format!("{word} {}", topoloom::io::cpu_list::write(&cpus))
}

/// Whether two parts are equal except for their numbers.
fn same_shape(a: &Object, b: &Object) -> bool {
    a.kind == b.kind
        && a.name == b.name
        && a.children.len() == b.children.len()
        && a.children.iter().zip(&b.children).all(|(a, b)| same_shape(a, b))
}
