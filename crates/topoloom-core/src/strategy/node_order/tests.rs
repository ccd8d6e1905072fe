use super::*;
use crate::cluster::{
    Costs, Description, Hardware, Host, NVLINK_LEVEL, Network, Object, ObjectKind, SwitchGroup,
};
use crate::machine::Machine;
use crate::strategy::Auto;
use crate::topology::Cluster;
use crate::{Weight, parse_pattern, survey_groups};

/// Racks of hosts under one switch. `level` is that of a rack: NVLink or a leaf.
fn racks(racks: u32, hosts: u32, cores: u32, level: u32) -> Machine {
    let group = |name: String, parent, level| SwitchGroup { name, parent, level };
    let mut groups = vec![group("top".to_string(), None, 2)];
    groups.extend((0..racks).map(|rack| group(format!("rack{rack}"), Some(0), level)));
    let host = |number: u32| Host {
        name: format!("n{number:03}"),
        kind: 0,
        slots: None,
        group: Some(1 + number / hosts),
    };
    let description = Description {
        kinds: vec![Hardware::new(None, Object::flat_node(cores))],
        network: Network { groups, ..Network::default() },
        hosts: (0..racks * hosts).map(host).collect(),
        costs: Costs::default(),
        place: ObjectKind::Core,
        seats: Vec::new(),
    };
    let cluster = Cluster::new(description).unwrap();
    Machine::with_topology("cluster:racks", Arc::new(cluster)).unwrap()
}

fn problem(traffic: &str, machine: Machine) -> Problem {
    Problem::new(parse_pattern(traffic).unwrap(), machine, Weight::Bytes).unwrap()
}

fn node_order() -> NodeOrder {
    NodeOrder { together: Vec::new(), kept: Vec::new(), on_hosts: &Auto }
}

fn outside(problem: &Problem, mapping: &Mapping, kind: &str) -> f64 {
    let found = survey_groups(problem, mapping).unwrap();
    let kind = found.iter().find(|found| found.name == kind).unwrap();
    kind.levels.last().unwrap().bytes
}

/// The hosts, each once, in the order of their first ranks.
fn hosts(problem: &Problem, mapping: &Mapping) -> Vec<u32> {
    let cluster = problem.machine().topology().cluster().unwrap();
    let mut hosts: Vec<u32> =
        mapping.nodes().iter().map(|&node| cluster.places()[node as usize].host).collect();
    hosts.dedup();
    hosts
}

const EXPERTS: &str = "llm:layers=8,hidden=64,experts=64,sequence=64,tp=1,pp=4,dp=64,ep=64,\
                       gpus-per-node=4";

#[test]
fn experts_stay_inside_racks_of_72_gpus() {
    let problem = problem(EXPERTS, racks(4, 18, 4, NVLINK_LEVEL));
    let together = Together::parse_all("ep/nvlink").unwrap();
    for strategy in [node_order(), NodeOrder { together, ..node_order() }] {
        let mapping = strategy.map(&problem, None, &mut Run::new(1)).unwrap();
        assert_eq!(outside(&problem, &mapping, "ep"), 0.0);
        assert_eq!(hosts(&problem, &mapping).len(), 64, "whole hosts");
    }
    // 64 hosts in the order of their names cut the second group.
    let sorted = Block.map(&problem, None, &mut Run::new(1)).unwrap();
    assert!(outside(&problem, &sorted, "ep") > 0.0);
    let auto = Auto.map(&problem, None, &mut Run::new(1)).unwrap();
    assert_eq!(outside(&problem, &auto, "ep"), 0.0);
}

#[test]
fn what_cannot_stay_together_is_said() {
    let refusal = |traffic: &str, together: &str, machine: Machine| {
        let together = Together::parse_all(together).unwrap();
        let strategy = NodeOrder { together, ..node_order() };
        let problem = problem(traffic, machine);
        strategy.map(&problem, None, &mut Run::new(1)).unwrap_err().to_string()
    };
    let nvl72 = || racks(4, 18, 4, NVLINK_LEVEL);
    let wide = "llm:layers=8,hidden=64,experts=128,sequence=64,pp=2,dp=128,ep=128";
    assert_eq!(
        refusal(wide, "ep/nvlink", nvl72()),
        "ep cannot stay inside nvlink: the job needs room for 2 sets of 32 hosts, and 4 parts of up \
         to 18 hosts have room for 0"
    );
    let tensors = "llm:layers=8,hidden=64,sequence=64,tp=8,dp=4";
    assert_eq!(
        refusal(tensors, "tp/node", nvl72()),
        "tp groups of 8 ranks cannot stay inside hosts of 4 places: ranks 0 and 4 are on different \
         hosts"
    );
    let unknown = refusal(tensors, "xp/node", nvl72());
    assert!(unknown.starts_with("the traffic has no groups \"xp\"; it has tp, cp,"), "{unknown}");
    assert!(Together::parse("ep").unwrap_err().to_string().contains("such as ep/nvlink"));
    assert!(Together::parse("ep/L3").unwrap_err().to_string().contains("node, nvlink, switch1"));
}

#[test]
fn ten_pods_on_racks_of_four_cross_three_boundaries() {
    // Kueue's example: a ring of ten is wanted as [0-3][4-7][8, 9].
    let ring = "llm:layers=8,hidden=64,sequence=64,tp=1,dp=10,gpus-per-node=1";
    let problem = problem(ring, racks(3, 4, 1, 1));
    let mapping = node_order().map(&problem, None, &mut Run::new(1)).unwrap();
    let order = hosts(&problem, &mapping);
    let crossings = (0..10).filter(|&at| order[at] / 4 != order[(at + 1) % 10] / 4).count();
    assert_eq!(crossings, 3);
}

#[test]
fn striping_over_segments_is_equalled_or_beaten() {
    // Striping: each stage is spread over all segments. Experts and stages stay inside, and only
    // data crosses. 32 hosts of 8 in 4 segments; a stage has 8 hosts.
    let traffic = "llm:layers=8,hidden=64,experts=16,sequence=64,tp=1,pp=4,dp=64,ep=16";
    let problem = problem(traffic, racks(4, 8, 8, 1));
    let (hosts_of_stage, segments) = (8, 4);
    let mut used = vec![0; segments];
    let mut slots = Vec::new();
    for block in 0..32 {
        let segment = (block % hosts_of_stage) / (hosts_of_stage / segments);
        let host = segment * 8 + used[segment];
        used[segment] += 1;
        slots.extend((0..8).map(|place| (host * 8 + place) as u32));
    }
    let striped = problem.mapping(slots).unwrap();
    let mapping = node_order().map(&problem, None, &mut Run::new(1)).unwrap();
    let cost = |mapping: &Mapping| GroupBytes.cost(&problem, mapping);
    assert!(cost(&mapping) <= cost(&striped), "{} {}", cost(&mapping), cost(&striped));
}

#[test]
fn a_spare_replaces_a_host_and_nobody_else_moves() {
    let traffic = "llm:layers=8,hidden=64,sequence=64,tp=2,pp=2,dp=6,gpus-per-node=2";
    let problem = problem(traffic, racks(4, 4, 2, 1));
    let before = node_order().map(&problem, None, &mut Run::new(1)).unwrap();
    let cluster = problem.machine().topology().cluster().unwrap();
    let host_of =
        |mapping: &Mapping, rank: usize| cluster.places()[mapping.nodes()[rank] as usize].host;
    let gone = host_of(&before, 4);
    let kept = (0..24).map(|rank| Some(host_of(&before, rank)).filter(|&host| host != gone));
    let strategy = NodeOrder { kept: kept.collect(), ..node_order() };
    let after = strategy.map(&problem, None, &mut Run::new(1)).unwrap();
    let moved: Vec<usize> =
        (0..24).filter(|&rank| host_of(&before, rank) != host_of(&after, rank)).collect();
    // The failed host is still in this machine, so its ranks may also come back to it.
    assert!(moved.is_empty() || moved == [4, 5], "{moved:?}");
    let cost = |mapping: &Mapping| GroupBytes.cost(&problem, mapping);
    assert!(cost(&after) <= cost(&before) * (1.0 + 1e-12));
}

#[test]
fn it_is_never_worse_than_hosts_in_their_order() {
    for seed in 0..8u32 {
        let layout = ["tp=2,pp=2,dp=4", "tp=4,cp=2,dp=2", "tp=1,pp=4,dp=4", "tp=2,pp=8"];
        let traffic = format!(
            "llm:layers=8,hidden=64,sequence=64,{},gpus-per-node=2",
            layout[seed as usize % 4]
        );
        let level = if seed < 4 { 1 } else { NVLINK_LEVEL };
        let problem = problem(&traffic, racks(3, 3, 2, level));
        let cost = |mapping: &Mapping| GroupBytes.cost(&problem, mapping);
        let found = node_order().map(&problem, None, &mut Run::new(u64::from(seed))).unwrap();
        for usual in [
            Block.map(&problem, None, &mut Run::new(1)),
            InOrder.map(&problem, None, &mut Run::new(1)),
        ] {
            assert!(cost(&found) <= cost(&usual.unwrap()));
        }
    }
}
