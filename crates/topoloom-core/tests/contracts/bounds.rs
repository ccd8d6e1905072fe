//! Every bound, checked against every placement of small problems.

use topoloom_core::bounds::{BOUNDS, hop_bytes_bound, hop_bytes_bound_by, max_link_load_bounds};
use topoloom_core::objective::{HopBytes, MaxLinkLoad};
use topoloom_core::{Machine, Objective, Problem, Traffic, TrafficBuilder, Weight};

/// Numbers that look random and are the same in every run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % limit
    }
}

/// Directed flows of different weights, some from a rank to itself; whole numbers or not.
fn traffic(ranks: u32, numbers: &mut Numbers, unit: f64, weighted: bool) -> Traffic {
    let mut builder = TrafficBuilder::new(ranks);
    for from in 0..ranks {
        for to in 0..ranks {
            if numbers.below(5) < 2 {
                builder.add(from, to, 1.0, unit * (1 + numbers.below(9)) as f64);
            }
        }
    }
    if weighted {
        builder.set_rank_weights((0..ranks).map(|_| (1 + numbers.below(3)) as f64).collect());
    }
    builder.build()
}

/// The least hop-bytes and the least load of the busiest link of any placement.
fn least(problem: &Problem) -> (f64, f64) {
    let has_links = problem.machine().topology().num_links() > 0;
    let (mut hops, mut load) = (f64::INFINITY, f64::INFINITY);
    let mut slots = Vec::new();
    visit(problem, &mut slots, &mut |slots| {
        let Ok(mapping) = problem.mapping(slots.to_vec()) else { return };
        hops = hops.min(HopBytes.cost(problem, &mapping));
        if has_links {
            load = load.min(MaxLinkLoad.shown(problem, &mapping, 0.0));
        }
    });
    (hops, load)
}

fn visit(problem: &Problem, slots: &mut Vec<u32>, found: &mut dyn FnMut(&[u32])) {
    if slots.len() == problem.num_ranks() {
        return found(slots);
    }
    for slot in 0..problem.num_slots() as u32 {
        if problem.sharing().is_some() || !slots.contains(&slot) {
            slots.push(slot);
            visit(problem, slots, found);
            slots.pop();
        }
    }
}

/// Checks all bounds of a problem; returns how many hold with a value above 0.
fn check(problem: &Problem, name: &str) -> Vec<&'static str> {
    let (hops, load) = least(problem);
    let mut used = Vec::new();
    for entry in BOUNDS {
        let Some(bound) = hop_bytes_bound_by(entry, problem) else { continue };
        assert!(bound <= hops * (1.0 + 1e-12), "{}: {bound} > {hops} on {name}", entry.name);
        if bound > 0.0 {
            used.push(entry.name);
        }
    }
    let best = hop_bytes_bound(problem);
    assert!(best.value <= hops * (1.0 + 1e-12), "{best:?} > {hops} on {name}");
    for bound in max_link_load_bounds(problem) {
        assert!(bound.value <= load * (1.0 + 1e-12), "{bound:?} > {load} on {name}");
    }
    used
}

#[test]
fn no_placement_costs_less_than_a_bound() {
    let mut numbers = Numbers(1);
    let mut used = Vec::new();
    for name in [
        "mesh:6",
        "mesh:2x3",
        "torus:5",
        "torus:6",
        "torus:2x3",
        "torus:3,slots=2",
        "torus:2x2x2",
        "hypercube:3",
        "haec:2x1x3",
        "tree:2:3,distances=1:10",
        "tree:3:2,distances=2:3",
        "tree:2:2:2,distances=1:10:100",
        "tree:2:2,distances=0:7,slots=2",
        "fat-tree:k=2,slots=3",
        "fat-tree:k=4,slots=1",
        "dragonfly:groups=3,routers=2,nodes=1",
    ] {
        let machine = Machine::parse(name).unwrap();
        for round in 0..6u32 {
            // Sometimes there are spare slots; with many slots only few ranks can be tried.
            let most = if machine.num_slots() > 8 { 4 } else { machine.num_slots().min(6) as u32 };
            let ranks = most - round % 2;
            let unit = if round < 3 { 1.0 } else { 0.1 };
            let traffic = traffic(ranks, &mut numbers, unit, false);
            let problem = Problem::new(traffic, machine.clone(), Weight::Bytes).unwrap();
            used.extend(check(&problem, name));
        }
    }
    for entry in BOUNDS {
        assert!(used.contains(&entry.name), "{} is never of use", entry.name);
    }
}

#[test]
fn no_placement_loads_its_busiest_link_less_than_a_bound_whatever_divides_flows() {
    let mut numbers = Numbers(3);
    let mut best = Vec::new();
    for (name, routing) in [
        ("torus:2x3", "minimal-adaptive"),
        ("torus:5", "minimal-adaptive"),
        ("mesh:2x3", "minimal-adaptive"),
        ("mesh:2x3,bandwidth=1e9:4e9", "dimension-order"),
        ("torus:3,slots=2", "dimension-order"),
        ("hypercube:3", "minimal-adaptive"),
        ("fat-tree:levels=2,down=3:2,up=1", "ecmp"),
        ("fat-tree:levels=2,down=2:3,up=2", "ecmp"),
        ("dragonfly:groups=3,routers=2,nodes=1", "ecmp"),
    ] {
        let machine = Machine::parse(name).unwrap().with_routing(routing).unwrap();
        for round in 0..8u32 {
            let most = if machine.num_slots() > 6 { 5 } else { machine.num_slots() as u32 };
            let traffic = traffic(most - round % 2, &mut numbers, 1.0, false);
            let problem = Problem::new(traffic, machine.clone(), Weight::Bytes).unwrap();
            check(&problem, name);
            let bounds = max_link_load_bounds(&problem).into_iter();
            best.extend(bounds.max_by(|a, b| a.value.total_cmp(&b.value)).map(|bound| bound.name));
        }
    }
    for name in ["busiest rank", "busiest flow", "machine cuts"] {
        assert!(best.contains(&name), "{name} is never the best");
    }
}

#[test]
fn no_placement_in_shared_slots_costs_less_than_a_bound() {
    let mut numbers = Numbers(2);
    for name in [
        "mesh:3",
        "torus:4",
        "torus:2,slots=2",
        "tree:2:2,distances=1:10",
        "tree:3,distances=4",
        "hypercube:2",
    ] {
        for round in 0..6u32 {
            let imbalance = [0.0, 0.2, 0.5][round as usize % 3];
            let traffic = traffic(7, &mut numbers, 1.0, round % 2 == 1);
            let machine = Machine::parse(name).unwrap();
            let problem = Problem::with_imbalance(traffic, machine, Weight::Bytes, Some(imbalance));
            // A rank may be too heavy for a slot.
            let Ok(problem) = problem else { continue };
            check(&problem, name);
        }
    }
}
