//! Strategies for clusters of multi-core nodes, as M. K. Ferreira, V. S. Cruz and P. O. A. Navaux
//! compare them in "Static process mapping heuristics evaluation for MPI processes in multi-core
//! clusters": matching and recursive bipartitioning against a search of all possibilities.

use std::sync::Arc;

use topoloom_core::cluster::{Costs, Description, Hardware, Host, Network, Object, ObjectKind};
use topoloom_core::objective::HopBytes;
use topoloom_core::topology::Cluster;
use topoloom_core::{
    CollectiveMode, Machine, Mapping, Objective, Problem, Run, Traffic, TrafficBuilder, Weight,
    parse_objective, parse_pattern, parse_strategy, random,
};

/// The paper's cluster: two nodes with two processors, each with two L2 caches of two cores. A
/// cache costs 1, a processor 2, a node 4 and the network 16.
const PAPER: &str = "tree:2:2:2:2,distances=1:2:4:16";

const BENCHMARKS: [&str; 8] = ["bt", "cg", "ep", "ft", "is", "lu", "mg", "sp"];

/// A benchmark of class C with 16 ranks; those that depend on collectives include them.
fn benchmark(name: &str) -> Traffic {
    let traffic = parse_pattern(&format!("{name}:class=C,ranks=16")).unwrap();
    if !["ep", "ft", "is"].contains(&name) {
        return traffic;
    }
    traffic.with_collectives("direct".parse::<CollectiveMode>().unwrap()).unwrap()
}

fn on_paper_machine(traffic: Traffic) -> Problem {
    Problem::new(traffic, Machine::parse(PAPER).unwrap(), Weight::Bytes).unwrap()
}

fn map(strategy: &str, problem: &Problem) -> Mapping {
    let mut run = Run::new(1);
    let mapping = parse_strategy(strategy).unwrap().map(problem, None, &mut run).unwrap();
    assert!(!run.was_cut_short());
    mapping
}

/// The traffic that stays in the caches: the sum over pairs of slots that share one.
fn inside_pairs(problem: &Problem, mapping: &Mapping) -> f64 {
    let cache = |rank: u32| mapping.slots()[rank as usize] / 2;
    let inside = |&(a, b, _): &(u32, u32, f64)| cache(a) == cache(b);
    problem.graph().pairs().filter(inside).map(|(_, _, weight)| weight).sum()
}

#[test]
fn matching_and_bipartition_are_close_to_the_best_placement_of_all_benchmarks() {
    let strategies = ["block", "round-robin", "exhaustive:pairs", "matching", "bipartition"];
    println!("hop-bytes above the least, in %, on {PAPER}");
    println!("{:4} {}", "", strategies.map(|name| format!("{name:>17}")).join(""));
    let mut sums = [0.0; 5];
    for name in BENCHMARKS {
        let problem = on_paper_machine(benchmark(name));
        let least = HopBytes.cost(&problem, &map("exhaustive", &problem));
        let above = strategies.map(|strategy| {
            let cost = HopBytes.cost(&problem, &map(strategy, &problem));
            assert!(cost >= least, "{name} {strategy}: {cost} below the least, {least}");
            if least > 0.0 { (cost / least - 1.0) * 100.0 } else { cost }
        });
        println!("{name:4} {}", above.map(|percent| format!("{percent:17.2}")).join(""));
        sums.iter_mut().zip(above).for_each(|(sum, percent)| *sum += percent);
    }
    let means = sums.map(|sum| sum / BENCHMARKS.len() as f64);
    println!("mean {}", means.map(|percent| format!("{percent:17.2}")).join(""));
    assert!(means[3] <= 2.0 && means[4] <= 2.0, "{means:?}");
}

#[test]
fn matching_keeps_as_much_in_the_caches_as_the_best_pairs_of_all_benchmarks() {
    for name in BENCHMARKS {
        let problem = on_paper_machine(benchmark(name));
        let [best, found] = ["exhaustive:pairs", "matching"]
            .map(|strategy| inside_pairs(&problem, &map(strategy, &problem)));
        assert_eq!(found, best, "{name}");
    }
}

/// Sparse or dense, with ties and zeros or without, small weights or large ones.
fn drawn_traffic(seed: u64, ranks: u32) -> Traffic {
    let mut rng = random::stream(seed, &[]);
    let density = [10, 30, 60, 100][seed as usize % 4];
    let bound = [2, 5, 1000, u32::MAX][(seed / 4) as usize % 4];
    let scale = [1.0, 4096.0][(seed / 16) as usize % 2];
    let mut builder = TrafficBuilder::new(ranks);
    for a in 0..ranks {
        for b in a + 1..ranks {
            if random::below(&mut rng, 100) < density {
                builder.add(a, b, 1.0, scale * f64::from(random::below(&mut rng, bound)));
            }
        }
    }
    builder.build()
}

#[test]
fn matching_keeps_as_much_in_the_caches_as_the_best_pairs_of_any_traffic() {
    for seed in 0..1000 {
        let problem = on_paper_machine(drawn_traffic(seed, 16));
        let [best, found] = ["exhaustive:pairs", "matching:starts=2"]
            .map(|strategy| inside_pairs(&problem, &map(strategy, &problem)));
        assert_eq!(found, best, "{seed}");
    }
}

/// Hosts with two packages of two cores, with one package of three, and with two cores without a
/// package.
fn uneven_cluster() -> Machine {
    let core = |cpu| {
        let thread = Object::new(ObjectKind::Thread, Some(cpu), Vec::new());
        Object::new(ObjectKind::Core, Some(cpu), vec![thread])
    };
    let package = |cpus: std::ops::Range<u32>| {
        Object::new(ObjectKind::Package, None, cpus.map(core).collect())
    };
    let node = |packages| Object::new(ObjectKind::Node, None, packages);
    let kinds =
        [node(vec![package(0..2), package(2..4)]), node(vec![package(0..3)]), Object::flat_node(2)];
    let kinds = kinds.map(|node| Hardware::new(None, node)).to_vec();
    let network = Network {
        groups: Vec::new(),
        hosts: Vec::new(),
        switches: 0,
        links: 0,
        wiring: None,
        named: None,
    };
    let hosts = (0..3)
        .map(|kind| Host { name: format!("host{kind}"), kind, slots: None, group: None })
        .collect();
    let (costs, place) = (Costs::default(), ObjectKind::Core);
    let cluster =
        Cluster::new(Description { kinds, network, hosts, costs, place, seats: Vec::new() })
            .unwrap();
    Machine::with_topology("cluster:uneven.json", Arc::new(cluster)).unwrap()
}

/// The least cost of all placements, one by one.
fn least_of_all(problem: &Problem, objective: &dyn Objective) -> f64 {
    fn extend(slots: &mut Vec<u32>, problem: &Problem, objective: &dyn Objective, least: &mut f64) {
        if slots.len() == problem.num_ranks() {
            let mapping = Mapping::new(slots.clone(), problem.machine()).unwrap();
            *least = least.min(objective.cost(problem, &mapping));
            return;
        }
        for slot in 0..problem.num_slots() as u32 {
            if !slots.contains(&slot) {
                slots.push(slot);
                extend(slots, problem, objective, least);
                slots.pop();
            }
        }
    }
    let mut least = f64::INFINITY;
    extend(&mut Vec::new(), problem, objective, &mut least);
    least
}

#[test]
fn exhaustive_finds_what_trying_every_placement_finds() {
    let machines = [
        ("tree:2:2:2,distances=1:3:10", 7),
        ("tree:3:2,distances=2:5", 6),
        ("tree:2:2,distances=1:4,slots=2", 7),
        ("tree:7,distances=3", 6),
        ("fat-tree:levels=2,down=2:3,up=2", 5),
        ("mesh:7", 7),
        ("mesh:3x2", 6),
        ("mesh:2x2,slots=2", 6),
        ("torus:7", 7),
        ("torus:3x2", 6),
        ("cluster:uneven.json", 5),
    ];
    for (spec, ranks) in machines {
        let machine = match spec.starts_with("cluster") {
            true => uneven_cluster(),
            false => Machine::parse(spec).unwrap(),
        };
        for seed in [1, 6, 11, 28] {
            let traffic = drawn_traffic(seed, ranks);
            let problem = Problem::new(traffic, machine.clone(), Weight::Bytes).unwrap();
            for name in ["hop-bytes", "cardinality", "max-dilation"] {
                // Trying all takes longest.
                if name != "hop-bytes" && seed != 6 {
                    continue;
                }
                let objective = parse_objective(name).unwrap();
                let mut run = Run::new(1);
                let strategy = parse_strategy("exhaustive").unwrap();
                let mapping = strategy.map(&problem, Some(objective.as_ref()), &mut run).unwrap();
                let found = objective.cost(&problem, &mapping);
                assert!(!run.was_cut_short());
                assert_eq!(
                    found,
                    least_of_all(&problem, objective.as_ref()),
                    "{spec} {seed} {name}"
                );
            }
        }
    }
}

#[test]
fn exhaustive_refuses_what_would_take_days_in_words() {
    let refusal = |strategy: &str, traffic: &str, machine: &str| {
        let machine = Machine::parse(machine).unwrap();
        let problem =
            Problem::new(parse_pattern(traffic).unwrap(), machine, Weight::Bytes).unwrap();
        parse_strategy(strategy).unwrap().map(&problem, None, &mut Run::new(1)).unwrap_err().0
    };
    assert_eq!(
        refusal("exhaustive", "stencil:4x4", "torus:4x4"),
        "1.3e12 placements, about 2 days at 10 million per second; give limit=... to try anyway, \
         or use auto"
    );
    assert_eq!(
        refusal("exhaustive:pairs", "ring:40", "torus:40"),
        "3.2e23 ways to pair ranks, which takes longer than anyone can wait at 10 million per \
         second; give limit=... to try anyway, or use auto"
    );
    assert!(refusal("exhaustive", "ring:40", "tree:8:8,distances=1:2").contains("at most 24"));
    assert!(refusal("exhaustive:limit=10", "ring:16", PAPER).contains("ways to split"));
}

#[test]
fn exhaustive_that_is_cut_short_says_so_and_gives_what_it_has() {
    let problem = on_paper_machine(benchmark("lu"));
    let mut run = Run::new(1).with_max_evaluations(1000);
    let mapping = parse_strategy("exhaustive").unwrap().map(&problem, None, &mut run).unwrap();
    assert_eq!(mapping.num_ranks(), 16);
    assert!(run.was_cut_short());
    assert!(run.notes().iter().any(|note| note.contains("stopped by a limit")));
}

#[test]
fn matching_fills_groups_of_any_number_and_uneven_machines() {
    let cost = |strategy: &str, traffic: Traffic, machine: Machine| {
        let problem = Problem::new(traffic, machine, Weight::Bytes).unwrap();
        HopBytes.cost(&problem, &map(strategy, &problem))
    };
    for machine in [
        "tree:3:2,distances=1:10",
        "tree:6:2,distances=1:10",
        "tree:2:3:2,distances=1:2:9",
        "tree:4:3,distances=1:8",
        "tree:2:2,distances=1:5,slots=3",
        "fat-tree:levels=2,down=4:3,up=2",
        "cluster:uneven.json",
    ] {
        let mut above = Vec::new();
        for seed in 0..24 {
            let machine = match machine.starts_with("cluster") {
                true => uneven_cluster(),
                false => Machine::parse(machine).unwrap(),
            };
            // As many ranks as slots, or up to three fewer.
            let ranks = machine.num_slots() as u32 - (seed % 4) as u32;
            let traffic = drawn_traffic(seed + 100, ranks);
            let least = cost("exhaustive", traffic.clone(), machine.clone());
            let found = cost("matching", traffic.clone(), machine.clone());
            let halved = cost("bipartition", traffic, machine);
            assert!(found >= least && halved >= least);
            if least > 0.0 {
                above.push([found / least - 1.0, halved / least - 1.0]);
            }
        }
        let mean = |which: usize| {
            above.iter().map(|above| above[which]).sum::<f64>() / above.len() as f64 * 100.0
        };
        println!("{machine}: matching {:.2} %, bipartition {:.2} % above", mean(0), mean(1));
        assert!(mean(0) < 5.0 && mean(1) < 5.0, "{machine}: {} {}", mean(0), mean(1));
    }
}
