//! What a placement does to the groups of a training job, kind by kind.

use std::collections::{BTreeSet, HashMap};

use crate::ids::Vertex;
use crate::machine::Machine;
use crate::mapping::Mapping;
use crate::objective::domains_of_nodes;
use crate::problem::Problem;
use crate::routing::{LinkLoads, UsedLink};
use crate::topology::Groups;
use crate::training::{Carrier, GroupKind, StepTraffic};

/// What the groups of a kind send through a level.
#[derive(Debug, Clone, PartialEq)]
pub struct KindLevel {
    /// The level: `same place`, `node`, `nvlink`, `switch1`, ...; `network` on machines without
    /// levels.
    pub name: String,
    /// Bytes between members whose smallest common part is of this level.
    pub bytes: f64,
    /// Groups whose members are in several parts below this level.
    pub cut: usize,
}

/// What a placement does to the groups of a kind.
#[derive(Debug, Clone, PartialEq)]
pub struct KindSurvey {
    /// The kind.
    pub name: String,
    /// What its bytes count.
    pub weight: f64,
    /// How many groups it has.
    pub groups: usize,
    /// The members of its largest group.
    pub size: u32,
    /// Bytes that all members send in a step.
    pub bytes: f64,
    /// By level, innermost first.
    pub levels: Vec<KindLevel>,
    /// The most parts of the outermost level but one that a group is in: pods, racks or hosts.
    pub spread: usize,
    /// An estimate: bytes of the busiest link of the network or of NVLink between hosts by its
    /// bandwidth, if nothing else used the links. None if the machine has no links, or there are
    /// very many messages.
    pub seconds: Option<f64>,
    /// The busiest link of the network, and its bytes.
    pub busiest: Option<(crate::ids::LinkId, f64)>,
}

/// The time of links is not estimated for kinds with more messages.
const MOST_PAIRS: usize = 1 << 20;

/// What a placement does to the groups of the problem's traffic; none if it has no groups. Kinds
/// that send nothing are left out.
pub fn survey_groups(problem: &Problem, mapping: &Mapping) -> Option<Vec<KindSurvey>> {
    let step = problem.traffic().step()?;
    let machine = problem.machine();
    let levels = Levels::of(machine);
    let nodes = mapping.nodes();
    let domains = domains_of_nodes(machine);
    let look = Look { step, machine, levels: &levels, nodes: &nodes, domains: &domains };
    Some(step.kinds.iter().filter(|kind| kind.sends()).map(|kind| look.at(kind)).collect())
}

/// The levels of a machine between places.
struct Levels {
    groups: Option<(Groups, Vec<u32>)>,
    /// Names of levels, innermost first, after `same place`.
    names: Vec<String>,
    /// The place of (level, distance) in `names`.
    place_of: HashMap<(u16, u32), usize>,
}

impl Levels {
    fn of(machine: &Machine) -> Levels {
        let Some(groups) = machine.topology().groups() else {
            let names = vec!["network".to_string()];
            return Levels { groups: None, names, place_of: HashMap::new() };
        };
        let several = groups.all().iter().filter(|group| group.children.len() > 1);
        let found: BTreeSet<(u32, u16)> =
            several.map(|group| (group.distance, group.level)).collect();
        let mut names: Vec<String> = Vec::new();
        let mut place_of = HashMap::new();
        for &(distance, level) in &found {
            let name = &groups.level_names()[level as usize];
            let place = names.iter().position(|known| known == name).unwrap_or_else(|| {
                names.push(name.clone());
                names.len() - 1
            });
            place_of.insert((level, distance), place);
        }
        let group_of_node = groups.group_of_node();
        Levels { groups: Some((groups.as_ref().clone(), group_of_node)), names, place_of }
    }

    /// The level of a message between two nodes; 0 inside a place.
    fn between(&self, a: u32, b: u32) -> usize {
        if a == b {
            return 0;
        }
        let Some((groups, group_of_node)) = &self.groups else { return 1 };
        let [a, b] = [a, b].map(|node| group_of_node[node as usize]);
        let around = groups.group(groups.smallest_around(a, b));
        1 + self.place_of[&(around.level, around.distance)]
    }

    /// The part of a node just below the outermost level.
    fn outer_part(&self, node: u32) -> u32 {
        let Some((groups, group_of_node)) = &self.groups else { return node };
        // Groups with a single part inside are not a level.
        let mut at = group_of_node[node as usize];
        let mut part = at;
        while at != 0 {
            let parent = groups.group(at).parent;
            if groups.group(parent).children.len() > 1 {
                part = at;
            }
            at = parent;
        }
        part
    }
}

struct Look<'a> {
    step: &'a StepTraffic,
    machine: &'a Machine,
    levels: &'a Levels,
    nodes: &'a [u32],
    domains: &'a [u32],
}

impl Look<'_> {
    fn at(&self, kind: &GroupKind) -> KindSurvey {
        let mut bytes_of = vec![0.0; self.levels.names.len() + 1];
        let mut cut = vec![0; bytes_of.len()];
        let mut spread = 0;
        let (topology, routing) = (self.machine.topology(), self.machine.routing());
        let mut loads =
            topology.is_wired().then(|| LinkLoads::new(topology, routing.is_straight()));
        let mut between: Vec<(u64, f64)> = Vec::new();
        let mut carrier = Carrier::default();
        for (number, group) in kind.groups.iter().enumerate() {
            let node_of = |rank: u32| self.nodes[rank as usize];
            let domain = |rank: u32| self.domains[node_of(rank) as usize];
            let calls = kind.calls(number);
            carrier.messages(group, calls, self.step.carry, domain, |from, to, bytes| {
                let (from, to) = (node_of(from), node_of(to));
                bytes_of[self.levels.between(from, to)] += bytes;
                if from != to && loads.is_some() && between.len() <= MOST_PAIRS {
                    between.push((u64::from(from) << 32 | u64::from(to), bytes));
                }
            });
            let members = || (0..group.size()).map(|member| node_of(group.member(member)));
            let first = node_of(group.member(0));
            let widest = members().map(|node| self.levels.between(first, node)).max().unwrap_or(0);
            cut[1..=widest].iter_mut().for_each(|groups| *groups += 1);
            let parts: BTreeSet<u32> = members().map(|node| self.levels.outer_part(node)).collect();
            spread = spread.max(parts.len());
        }
        if between.len() > MOST_PAIRS {
            loads = None;
        }
        if let Some(loads) = &mut loads {
            between.sort_unstable_by_key(|(pair, _)| *pair);
            for pairs in between.chunk_by(|a, b| a.0 == b.0) {
                let (from, to) = (Vertex((pairs[0].0 >> 32) as u32), Vertex(pairs[0].0 as u32));
                let bytes = pairs.iter().map(|(_, bytes)| bytes).sum();
                routing.add_flow(topology, from, to, bytes, loads);
            }
        }
        let mut seconds = None;
        let mut busiest = None;
        if let Some(loads) = loads {
            let mut most = 0.0;
            let network = |used: &UsedLink| used.id.0 >= topology.inner_link_bound();
            for used in loads.into_used().into_iter().filter(network) {
                let Some(link) = topology.link(used.id) else { continue };
                let time = used.load / link.properties.bytes_per_second;
                if time > most {
                    most = time;
                    busiest = Some((used.id, used.load));
                }
            }
            seconds = Some(most);
        }
        let bytes = bytes_of.iter().sum();
        let names = std::iter::once("same place").chain(self.levels.names.iter().map(|n| &n[..]));
        let levels = names
            .zip(bytes_of.iter().zip(&cut))
            .map(|(name, (&bytes, &cut))| KindLevel { name: name.to_string(), bytes, cut })
            .collect();
        KindSurvey {
            name: kind.name.clone(),
            weight: kind.weight,
            groups: kind.groups.len(),
            size: kind.size(),
            bytes,
            levels,
            spread,
            seconds,
            busiest,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::objective::{GroupBytes, Objective};
    use crate::{Run, Weight, parse_pattern, parse_strategy};

    #[test]
    fn levels_add_up_to_group_bytes() {
        let traffic = "llm:layers=8,hidden=64,sequence=64,experts=4,tp=2,pp=2,dp=4,ep=4,etp=1";
        let machine = Machine::parse("tree:2:4:2,distances=1:3:20").unwrap();
        let problem =
            Problem::new(parse_pattern(traffic).unwrap(), machine, Weight::Bytes).unwrap();
        let random = parse_strategy("random").unwrap();
        let mapping = random.map(&problem, None, &mut Run::new(1)).unwrap();
        let found = survey_groups(&problem, &mapping).unwrap();
        let names: Vec<&str> = found.iter().map(|kind| &kind.name[..]).collect();
        assert_eq!(names, ["tp", "pp", "ep", "dp-cp", "expert-dp"]);
        let distances = [0.0, 1.0, 3.0, 20.0];
        let mut cost = 0.0;
        for kind in &found {
            let sent = problem.traffic().step().unwrap().kind(&kind.name).unwrap().bytes();
            assert!((kind.bytes / sent - 1.0).abs() < 1e-9, "{}", kind.name);
            let weighted = kind.levels.iter().zip(distances).map(|(level, by)| level.bytes * by);
            cost += kind.weight * weighted.sum::<f64>();
            assert!(kind.spread <= 2 && kind.levels[3].cut <= kind.groups);
        }
        let known = GroupBytes.cost(&problem, &mapping);
        assert!((cost / known - 1.0).abs() < 1e-9, "{cost} {known}");
    }
}
