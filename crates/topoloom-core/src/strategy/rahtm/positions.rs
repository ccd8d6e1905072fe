//! Phase 2 on machines of parts in parts: which part each cluster gets. The most loaded link is to
//! carry least.
//!
//! The paper's discussion says only this about the sub-problems of fat trees and dragonflies: parts
//! of the machine replace cubes, and its own routes replace free splits. The traffic of two
//! clusters is divided over the nodes of their parts, the first with the first, the second with the
//! second and so on, because the places of ranks inside parts are decided later.

use std::collections::HashMap;

use super::halving::GAP;
use crate::pace::Pace;
use crate::routing::RelativeRoutes;
use crate::run::Run;

/// The number of nodes of a part that stand for all.
const MOST_NODES: u32 = 16;

/// The maximum storage for routes between parts, in links, added up over all pairs of parts.
const MOST_KEPT: usize = 1 << 24;

/// The routes between the parts of a block.
#[derive(Debug)]
pub struct Positions {
    parts: usize,
    links: usize,
    /// Indexed by the source and the target part: what a unit of traffic puts on each link.
    on_links: Vec<Vec<(u32, f64)>>,
}

/// The result for the clusters of a block.
#[derive(Debug, Clone)]
pub struct Found {
    /// The part of each cluster.
    pub part_of: Vec<u32>,
    /// The load of the most loaded link.
    pub load: f64,
    /// No order of the clusters has a lower load.
    pub bound: f64,
    /// Whether no order is better by more than [`GAP`].
    pub proven: bool,
    /// Orders of some clusters that were examined.
    pub steps: u64,
}

impl Positions {
    /// The routes between this many parts of this many nodes, from the machine's first node on.
    /// `None` if there are too many to store.
    pub fn new(routes: &RelativeRoutes, parts: u32, size: u32) -> Option<Positions> {
        let nodes = size.min(MOST_NODES);
        let mut number_of: HashMap<usize, u32> = HashMap::new();
        let mut on_links = Vec::new();
        let mut kept = 0;
        for (from, to) in (0..parts).flat_map(|from| (0..parts).map(move |to| (from, to))) {
            let mut on: HashMap<u32, f64> = HashMap::new();
            for node in (0..nodes).filter(|_| from != to) {
                let inside = (u64::from(node) * u64::from(size) / u64::from(nodes)) as u32;
                routes.for_each(from * size + inside, to * size + inside, |link, share| {
                    let next = number_of.len() as u32;
                    let link = *number_of.entry(link).or_insert(next);
                    *on.entry(link).or_default() += share / f64::from(nodes);
                });
            }
            kept += on.len();
            if kept > MOST_KEPT {
                return None;
            }
            let mut on: Vec<(u32, f64)> = on.into_iter().collect();
            on.sort_unstable_by_key(|&(link, _)| link);
            on_links.push(on);
        }
        Some(Positions { parts: parts as usize, links: number_of.len(), on_links })
    }

    fn between(&self, from: u32, to: u32) -> &[(u32, f64)] {
        &self.on_links[from as usize * self.parts + to as usize]
    }

    /// The load of the most loaded link when clusters are in these parts.
    pub fn load(&self, flows: &[(u32, u32, f64)], part_of: &[u32]) -> f64 {
        let mut loads = vec![0.0; self.links];
        for &(from, to, weight) in flows {
            for &(link, share) in self.between(part_of[from as usize], part_of[to as usize]) {
                loads[link as usize] += weight * share;
            }
        }
        loads.into_iter().fold(0.0, f64::max)
    }

    /// A lower bound for every order of the clusters. A flow puts at least this much on some link,
    /// wherever its ends are. And everything that a cluster sends leaves its part over links that
    /// all ways out share.
    fn lowest_load(&self, flows: &[(u32, u32, f64)], clusters: usize) -> f64 {
        let most = |on: &[(u32, f64)]| on.iter().map(|&(_, share)| share).fold(0.0, f64::max);
        let parts = 0..self.parts as u32;
        let pairs = || {
            let pair = |from| parts.clone().filter(move |&to| to != from).map(move |to| (from, to));
            parts.clone().flat_map(pair)
        };
        let of_a_flow =
            pairs().map(|(from, to)| most(self.between(from, to))).fold(f64::INFINITY, f64::min);
        let largest = flows.iter().map(|flow| flow.2).fold(0.0, f64::max);
        let shared = |part: u32, outwards: bool| {
            let mut least: HashMap<u32, (f64, usize)> = HashMap::new();
            for other in parts.clone().filter(|&other| other != part) {
                let (from, to) = if outwards { (part, other) } else { (other, part) };
                for &(link, share) in self.between(from, to) {
                    let (smallest, ways) = least.entry(link).or_insert((share, 0));
                    *smallest = smallest.min(share);
                    *ways += 1;
                }
            }
            let by_all = least.into_values().filter(|&(_, ways)| ways + 1 == self.parts);
            by_all.map(|(share, _)| share).fold(0.0, f64::max)
        };
        let everywhere = |outwards: bool| {
            parts.clone().map(|part| shared(part, outwards)).fold(f64::INFINITY, f64::min)
        };
        let (mut sent, mut received) = (vec![0.0; clusters], vec![0.0; clusters]);
        for &(from, to, weight) in flows {
            sent[from as usize] += weight;
            received[to as usize] += weight;
        }
        let largest_of = |volumes: Vec<f64>| volumes.into_iter().fold(0.0, f64::max);
        [
            largest * of_a_flow,
            largest_of(sent) * everywhere(true),
            largest_of(received) * everywhere(false),
        ]
        .into_iter()
        .filter(|load| load.is_finite())
        .fold(0.0, f64::max)
    }

    /// The best order found within this many steps: exchanges first, then branch and bound.
    pub fn search(
        &self,
        flows: &[(u32, u32, f64)],
        clusters: usize,
        most_steps: u64,
        run: &Run,
    ) -> Found {
        let part_of: Vec<u32> = (0..clusters as u32).collect();
        let load = self.load(flows, &part_of);
        let bound = self.lowest_load(flows, clusters).min(load);
        let mut search = Search {
            positions: self,
            flows,
            part_of,
            load,
            bound,
            steps: 0,
            most_steps,
            run,
            pace: Pace::default(),
            over: false,
        };
        search.exchange();
        search.branch();
        let Search { part_of, load, bound, steps, .. } = search;
        let proven = bound >= load * (1.0 - GAP);
        Found { part_of, load, bound, proven, steps }
    }
}

struct Search<'a> {
    positions: &'a Positions,
    flows: &'a [(u32, u32, f64)],
    part_of: Vec<u32>,
    load: f64,
    bound: f64,
    steps: u64,
    most_steps: u64,
    run: &'a Run,
    pace: Pace,
    over: bool,
}

impl Search<'_> {
    fn bar(&self) -> f64 {
        self.load * (1.0 - GAP)
    }

    fn spend(&mut self, work: usize) {
        self.steps += 1;
        self.over |= self.steps >= self.most_steps || self.pace.is_due(work) && self.run.is_over();
    }

    fn is_done(&self) -> bool {
        self.over || self.bound >= self.bar()
    }

    /// Exchanges the contents of two parts while that is better.
    fn exchange(&mut self) {
        let parts = self.positions.parts as u32;
        let pairs: Vec<(u32, u32)> = (0..parts).flat_map(|a| (0..a).map(move |b| (a, b))).collect();
        let mut in_vain = 0;
        for &(a, b) in pairs.iter().cycle() {
            if in_vain == pairs.len() || self.is_done() {
                return;
            }
            self.spend(self.flows.len());
            let exchanged = |part: &u32| match *part {
                part if part == a => b,
                part if part == b => a,
                part => part,
            };
            let part_of: Vec<u32> = self.part_of.iter().map(exchanged).collect();
            let load = self.positions.load(self.flows, &part_of);
            if load < self.load * (1.0 - 1e-9) {
                (self.part_of, self.load, in_vain) = (part_of, load, 0);
            } else {
                in_vain += 1;
            }
        }
    }

    /// Examines every order that may be better, clusters with the most traffic first.
    fn branch(&mut self) {
        if self.is_done() {
            return;
        }
        let clusters = self.part_of.len();
        let mut volume = vec![0.0; clusters];
        let mut partners: Vec<Vec<(u32, f64, f64)>> = vec![Vec::new(); clusters];
        for &(from, to, weight) in self.flows {
            volume[from as usize] += weight;
            volume[to as usize] += weight;
            partners[from as usize].push((to, weight, 0.0));
            partners[to as usize].push((from, 0.0, weight));
        }
        let mut order: Vec<usize> = (0..clusters).collect();
        order.sort_by(|&a, &b| volume[b].total_cmp(&volume[a]).then(a.cmp(&b)));
        let mut partial = Partial {
            order,
            partners,
            part_of: vec![None; clusters],
            taken: vec![false; self.positions.parts],
            loads: vec![0.0; self.positions.links],
        };
        self.extend(&mut partial, 0, 0.0);
        if !self.over {
            self.bound = self.bound.max(self.bar());
        }
    }

    fn extend(&mut self, partial: &mut Partial, position: usize, load: f64) {
        let Some(&cluster) = partial.order.get(position) else {
            self.load = load;
            self.part_of = partial.part_of.iter().map(|part| part.unwrap_or(0)).collect();
            return;
        };
        for part in 0..self.positions.parts as u32 {
            if self.is_done() {
                return;
            }
            if partial.taken[part as usize] {
                continue;
            }
            self.spend(partial.partners[cluster].len());
            let before = partial.loads.clone();
            let with = partial.add(self.positions, cluster, part).max(load);
            if with < self.bar() {
                partial.taken[part as usize] = true;
                partial.part_of[cluster] = Some(part);
                self.extend(partial, position + 1, with);
                partial.part_of[cluster] = None;
                partial.taken[part as usize] = false;
            }
            partial.loads = before;
        }
    }
}

/// Some clusters in their parts, and the link loads of their traffic.
struct Partial {
    order: Vec<usize>,
    /// For each cluster: the partner, what is sent to it, and what comes from it.
    partners: Vec<Vec<(u32, f64, f64)>>,
    part_of: Vec<Option<u32>>,
    taken: Vec<bool>,
    loads: Vec<f64>,
}

impl Partial {
    /// Adds the traffic of a cluster with those that have a part. Returns the largest load on its
    /// way.
    fn add(&mut self, positions: &Positions, cluster: usize, part: u32) -> f64 {
        let mut largest = 0.0f64;
        for &(partner, sent, received) in &self.partners[cluster] {
            let Some(other) = self.part_of[partner as usize] else { continue };
            for (from, to, weight) in [(part, other, sent), (other, part, received)] {
                if weight > 0.0 {
                    for &(link, share) in positions.between(from, to) {
                        let load = &mut self.loads[link as usize];
                        *load += weight * share;
                        largest = largest.max(*load);
                    }
                }
            }
        }
        largest
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Machine, random};

    fn random_flows(seed: u64, clusters: u32) -> Vec<(u32, u32, f64)> {
        let mut rng = random::stream(seed, &[7]);
        let mut flows = Vec::new();
        for from in 0..clusters {
            for to in (0..clusters).filter(|&to| to != from) {
                if random::below(&mut rng, 2) == 0 {
                    flows.push((from, to, f64::from(1 + random::below(&mut rng, 30))));
                }
            }
        }
        flows
    }

    /// The least load of any order.
    fn least_by_trying_all(
        positions: &Positions,
        flows: &[(u32, u32, f64)],
        clusters: usize,
    ) -> f64 {
        fn extend(
            positions: &Positions,
            flows: &[(u32, u32, f64)],
            clusters: usize,
            placed: &mut Vec<u32>,
        ) -> f64 {
            if placed.len() == clusters {
                return positions.load(flows, placed);
            }
            let mut least = f64::INFINITY;
            for part in 0..positions.parts as u32 {
                if !placed.contains(&part) {
                    placed.push(part);
                    least = least.min(extend(positions, flows, clusters, placed));
                    placed.pop();
                }
            }
            least
        }
        extend(positions, flows, clusters, &mut Vec::new())
    }

    #[test]
    fn routers_and_groups_of_a_dragonfly_get_what_trying_all_orders_finds() {
        // Links between routers are slow, so it matters which router has which group's link.
        let machine = "dragonfly:groups=5,routers=4,nodes=2,local-bandwidth=1e9";
        let machine = Machine::parse(machine).unwrap();
        let routes = RelativeRoutes::new(&machine);
        let run = Run::new(1);
        let mut searched = false;
        for (parts, size) in [(4, 2), (5, 8)] {
            let positions = Positions::new(&routes, parts, size).unwrap();
            for seed in 0..12 {
                for clusters in [parts, parts - 1] {
                    let flows = random_flows(seed, clusters);
                    let clusters = clusters as usize;
                    let found = positions.search(&flows, clusters, u64::MAX, &run);
                    let least = least_by_trying_all(&positions, &flows, clusters);
                    assert!(found.proven);
                    assert!(found.load <= least * (1.0 + 1.01 * GAP), "{found:?} and {least}");
                    assert!(found.bound <= least * (1.0 + 1e-9), "{found:?} and {least}");
                    let load = positions.load(&flows, &found.part_of);
                    assert!((load - found.load).abs() <= 1e-9 * load);
                    searched |= found.steps > 40;
                }
            }
        }
        assert!(searched, "the lowest load alone proved everything");
    }

    #[test]
    fn loads_are_those_of_the_routes_where_parts_are_nodes() {
        let machine = Machine::parse("dragonfly:groups=3,routers=2,nodes=1").unwrap();
        let routes = RelativeRoutes::new(&machine);
        let positions = Positions::new(&routes, 6, 1).unwrap();
        let flows = random_flows(3, 6);
        let part_of = [3, 1, 5, 0, 2, 4];
        let mut loads = vec![0.0; routes.link_bound()];
        for &(from, to, weight) in &flows {
            let ends = (part_of[from as usize], part_of[to as usize]);
            routes.for_each(ends.0, ends.1, |link, share| loads[link] += weight * share);
        }
        let largest = loads.into_iter().fold(0.0, f64::max);
        assert!((positions.load(&flows, &part_of) - largest).abs() < 1e-9);
    }

    #[test]
    fn the_order_under_a_switch_of_a_fat_tree_does_not_matter_and_the_bound_says_so() {
        let machine = Machine::parse("fat-tree:k=4").unwrap().with_routing("ecmp").unwrap();
        let routes = RelativeRoutes::new(&machine);
        let positions = Positions::new(&routes, 4, 4).unwrap();
        let found = positions.search(&random_flows(1, 4), 4, u64::MAX, &Run::new(1));
        assert!(found.proven);
        assert_eq!(found.steps, 0);
    }

    #[test]
    fn without_steps_the_start_stays_and_the_bound_holds() {
        let machine = Machine::parse("dragonfly:groups=2,routers=6,nodes=1").unwrap();
        let routes = RelativeRoutes::new(&machine);
        let positions = Positions::new(&routes, 6, 1).unwrap();
        let flows = random_flows(5, 6);
        let found = positions.search(&flows, 6, 1, &Run::new(1));
        assert!(found.bound <= least_by_trying_all(&positions, &flows, 6) * (1.0 + 1e-9));
    }
}
