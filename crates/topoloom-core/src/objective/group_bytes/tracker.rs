//! Follows group-bytes through exchanges: only the groups of the exchanged ranks are counted again.

use super::domains::domains_of_nodes;
use crate::mapping::{Mapping, Placement};
use crate::objective::cost_tracker::CostTracker;
use crate::problem::Problem;
use crate::topology::Metric;
use crate::training::{Call, Carrier, StepTraffic};

/// Follows the cost of a placement of a training job.
pub(super) struct GroupTracker<'a, M> {
    step: &'a StepTraffic,
    metric: &'a M,
    placement: Placement,
    domains: Vec<u32>,
    /// The groups that send anything: kind and number.
    groups: Vec<(u32, u32)>,
    /// The calls of each list of each kind, with equal operations added up.
    calls: Vec<Vec<Vec<Call>>>,
    /// The groups of each rank: `group_of[first_group[r]..first_group[r + 1]]`.
    first_group: Vec<u32>,
    group_of: Vec<u32>,
    /// What each group costs.
    cost_of: Vec<f64>,
    cost: f64,
    /// Scratch: the groups of an exchange and what they would cost.
    touched: Vec<u32>,
    carrier: Carrier,
}

impl<'a, M: Metric> GroupTracker<'a, M> {
    pub(super) fn new(
        problem: &'a Problem,
        step: &'a StepTraffic,
        metric: &'a M,
        start: &Mapping,
    ) -> Self {
        let mut groups = Vec::new();
        for (kind, of_kind) in (0..).zip(&step.kinds) {
            let sends = |group: &u32| {
                of_kind.groups[*group as usize].size() > 1
                    && !of_kind.calls(*group as usize).is_empty()
            };
            let all = (0..of_kind.groups.len() as u32).filter(sends);
            groups.extend(all.map(|group| (kind, group)));
        }
        let (first_group, group_of) = groups_of_ranks(step, &groups);
        let combined = |list: &Vec<Call>| Call::combined(list);
        let lists = |lists: &Vec<Vec<Call>>| lists.iter().map(combined).collect();
        let mut tracker = GroupTracker {
            step,
            metric,
            placement: Placement::new(start, problem.machine()),
            domains: domains_of_nodes(problem.machine()),
            calls: step.kinds.iter().map(|kind| lists(&kind.lists)).collect(),
            cost_of: vec![0.0; groups.len()],
            groups,
            first_group,
            group_of,
            cost: 0.0,
            touched: Vec::new(),
            carrier: Carrier::default(),
        };
        tracker.count();
        tracker
    }

    fn count(&mut self) {
        for group in 0..self.groups.len() {
            self.cost_of[group] = self.group_cost(group);
        }
        self.cost = self.cost_of.iter().sum();
    }

    fn group_cost(&mut self, group: usize) -> f64 {
        let (kind, number) = self.groups[group];
        let of_kind = &self.step.kinds[kind as usize];
        let list = of_kind.list_of_group[number as usize];
        let calls = &self.calls[kind as usize][list as usize];
        let members = &of_kind.groups[number as usize];
        let (placement, domains, metric) = (&self.placement, &self.domains, self.metric);
        let domain = |rank: u32| domains[placement.node_of(rank) as usize];
        let mut cost = 0.0;
        self.carrier.messages(members, calls, self.step.carry, domain, |from, to, bytes| {
            let distance = metric.distance(placement.node_of(from), placement.node_of(to));
            cost += bytes * f64::from(distance);
        });
        of_kind.weight * cost
    }

    /// The groups in which one of two ranks is.
    fn touch(&mut self, a: u32, b: u32) {
        self.touched.clear();
        for rank in [a, b] {
            if let Some(&[first, end]) =
                self.first_group.get(rank as usize..).and_then(<[u32]>::first_chunk)
            {
                self.touched.extend(&self.group_of[first as usize..end as usize]);
            }
        }
        self.touched.sort_unstable();
        self.touched.dedup();
    }
}

/// The groups of each rank, as rows.
fn groups_of_ranks(step: &StepTraffic, groups: &[(u32, u32)]) -> (Vec<u32>, Vec<u32>) {
    let members = |&(kind, group): &(u32, u32)| {
        let group = &step.kinds[kind as usize].groups[group as usize];
        (0..group.size()).map(|number| group.member(number))
    };
    let mut first = vec![0u32; step.ranks as usize + 1];
    groups.iter().flat_map(members).for_each(|rank| first[rank as usize + 1] += 1);
    for rank in 0..step.ranks as usize {
        first[rank + 1] += first[rank];
    }
    let mut next = first.clone();
    let mut group_of = vec![0; first[step.ranks as usize] as usize];
    for (number, group) in (0..).zip(groups) {
        for rank in members(group) {
            group_of[next[rank as usize] as usize] = number;
            next[rank as usize] += 1;
        }
    }
    (first, group_of)
}

impl<M: Metric> CostTracker for GroupTracker<'_, M> {
    fn cost(&self) -> f64 {
        self.cost
    }

    fn placement(&self) -> &Placement {
        &self.placement
    }

    fn swap_delta(&mut self, a: u32, b: u32) -> f64 {
        self.touch(a, b);
        self.placement.swap(a, b);
        let mut delta = 0.0;
        for at in 0..self.touched.len() {
            let group = self.touched[at] as usize;
            delta += self.group_cost(group) - self.cost_of[group];
        }
        self.placement.swap(a, b);
        delta
    }

    fn swap(&mut self, a: u32, b: u32) {
        self.touch(a, b);
        self.placement.swap(a, b);
        for at in 0..self.touched.len() {
            let group = self.touched[at] as usize;
            let after = self.group_cost(group);
            self.cost += after - self.cost_of[group];
            self.cost_of[group] = after;
        }
    }

    fn reset(&mut self, slot_of: &[u32]) -> f64 {
        self.placement.set(slot_of);
        self.count();
        self.cost
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use crate::cluster::{
        Costs, Description, Hardware, Host, NVLINK_LEVEL, Network, Object, ObjectKind, SwitchGroup,
    };
    use crate::machine::Machine;
    use crate::objective::{GroupBytes, HopBytes, Objective, track_by_definition};
    use crate::problem::Problem;
    use crate::topology::Cluster;
    use crate::{Run, Weight, parse_pattern, parse_strategy};

    /// Two leaves with two NVLink domains of two hosts each; every host has two cores.
    fn racks() -> Machine {
        let group = |name: String, parent, level| SwitchGroup { name, parent, level };
        let mut groups: Vec<SwitchGroup> =
            (0..2).map(|leaf| group(format!("leaf{leaf}"), None, 1)).collect();
        groups
            .extend((0..4).map(|rack| group(format!("rack{rack}"), Some(rack / 2), NVLINK_LEVEL)));
        let host = |number: u32| Host {
            name: format!("n{number}"),
            kind: 0,
            slots: None,
            group: Some(2 + number / 2),
        };
        let description = Description {
            kinds: vec![Hardware::new(None, Object::flat_node(2))],
            network: Network { groups, ..Network::default() },
            hosts: (0..8).map(host).collect(),
            costs: Costs::default(),
            place: ObjectKind::Core,
            seats: Vec::new(),
        };
        let cluster = Cluster::new(description).unwrap();
        Machine::with_topology("cluster:racks", Arc::new(cluster)).unwrap()
    }

    #[test]
    fn exchanges_are_followed_as_the_definition_says() {
        let sizes = "llm:layers=8,hidden=64,experts=4,moe-layers=4,sequence=64,gpus-per-node=2";
        for (layout, ranks) in [("tp=2,pp=2,dp=4,ep=4,etp=1", 16), ("tp=2,cp=2,pp=3,zero=0", 12)] {
            for carry in ["ring", "tree", "nvls", "pxn"] {
                let traffic = parse_pattern(&format!("{sizes},{layout},carry={carry}")).unwrap();
                assert_eq!(traffic.num_ranks(), ranks);
                for machine in [racks(), Machine::parse("torus:4x4").unwrap()] {
                    let problem = Problem::new(traffic.clone(), machine, Weight::Bytes).unwrap();
                    let random = parse_strategy("random").unwrap();
                    let start = random.map(&problem, None, &mut Run::new(3)).unwrap();
                    let mut slow = track_by_definition(GroupBytes, &problem, &start);
                    let mut fast = GroupBytes.track(&problem, &start);
                    let near = |a: f64, b: f64, of: f64| {
                        assert!((a - b).abs() <= 1e-9 * of.abs(), "{layout} {carry}: {a} {b}");
                    };
                    near(slow.cost(), fast.cost(), slow.cost());
                    for (a, b) in [(0, 5), (3, 15), (1, 2), (11, 4), (15, 14), (7, 8)] {
                        near(slow.swap_delta(a, b), fast.swap_delta(a, b), slow.cost());
                        slow.swap(a, b);
                        fast.swap(a, b);
                        near(slow.cost(), fast.cost(), slow.cost());
                    }
                    let order: Vec<u32> = (0..16).rev().collect();
                    near(slow.reset(&order), fast.reset(&order), slow.cost());
                }
            }
        }
    }

    /// With ranks in order on whole nodes and weights of 1, the flows of the traffic are the
    /// messages of the groups.
    #[test]
    fn it_is_hop_bytes_of_the_flows_if_ranks_are_in_order() {
        let weights = "tp-weight=1,cp-weight=1,pp-weight=1,dp-weight=1,ep-weight=1";
        let traffic =
            format!("llm:layers=8,hidden=64,sequence=64,tp=2,pp=2,dp=4,gpus-per-node=2,{weights}");
        let traffic = parse_pattern(&traffic).unwrap();
        let machine = Machine::parse("torus:4x2,slots=2").unwrap();
        let problem = Problem::new(traffic, machine, Weight::Bytes).unwrap();
        let mapping = problem.mapping((0..16).collect()).unwrap();
        let (groups, flows) =
            (GroupBytes.cost(&problem, &mapping), HopBytes.cost(&problem, &mapping));
        assert!((groups / flows - 1.0).abs() < 1e-6, "{groups} {flows}");
    }
}
