//! Maximum weighted perfect matching, level by level: ranks are paired for the closest places,
//! pairs for the next level, and so on.
//!
//! M. K. Ferreira, V. S. Cruz and P. O. A. Navaux, "Static process mapping heuristics evaluation
//! for MPI processes in multi-core clusters", section 2.2, extended to any tree: groups of a size
//! other than two are put together from pairs, and then there are exchanges between the groups of a
//! level. Between equally good pairs, other levels decide: the levels are built several times, with
//! a different order of ranks each time. On small machines, exchanges follow that keep the lowest
//! level as good as it is.

mod exchanges;
mod joining;
mod pairing;
mod polish;

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use self::exchanges::Exchanges;
use self::joining::{Bin, join};
use self::polish::Polish;
use super::definition::{NotApplicable, Strategy};
use super::entry::StrategyEntry;
use super::place_tree::PlaceTree;
use crate::mapping::Mapping;
use crate::objective::{HopBytes, Objective};
use crate::problem::Problem;
use crate::random;
use crate::registry::Parameter;
use crate::run::Run;

/// The registry's entry.
pub static ENTRY: StrategyEntry = StrategyEntry {
    name: "matching",
    summary: "matches pairs of ranks, then pairs of pairs, and so on, up the levels of a tree",
    example: "matching",
    parameters: &[Parameter {
        name: "starts",
        default: "32",
        summary: "repetitions with ties broken differently; 1 for many ranks",
    }],
    build: |spec| {
        spec.no_shape()?;
        Ok(Arc::new(Matching { starts: spec.get_positive("starts")? }))
    },
};

/// The default maximum number of starts.
const USUAL_STARTS: usize = 32;

/// Without given starts: the total over all starts of the squared number of ranks.
const WORK_OF_ALL_STARTS: usize = 1 << 20;

/// Maximum weighted matching up the levels of a machine.
#[derive(Debug, Clone, Copy)]
pub struct Matching {
    /// The number of starts, of which the best counts. By default, as many as do not take long.
    pub starts: Option<u32>,
}

impl Strategy for Matching {
    fn map(
        &self,
        problem: &Problem,
        objective: Option<&dyn Objective>,
        run: &mut Run,
    ) -> Result<Mapping, NotApplicable> {
        let objective = objective.unwrap_or(&HopBytes);
        let ranks = problem.num_ranks();
        let tree = PlaceTree::part_for(problem.machine(), ranks).ok_or_else(|| {
            NotApplicable(format!(
                "it needs groups in groups, such as a tree, a fat tree or a cluster, not {}",
                problem.machine().spec()
            ))
        })?;
        let usual = (WORK_OF_ALL_STARTS / ranks.saturating_mul(ranks)).clamp(1, USUAL_STARTS);
        let starts = self.starts.map_or(usual, |starts| starts as usize);
        let polish = Polish::new(problem, &tree);
        let mut best: Option<(f64, Mapping)> = None;
        for start in 0..starts as u64 {
            // Half a placement is of no use, so no limit cuts the first start short.
            run.count(ranks as u64);
            let mut slots = Levels::new(problem, &tree, start, run.seed()).place(run);
            if let Some(polish) = &polish {
                polish.improve(&mut slots, run);
            }
            let mapping = Mapping::new(slots, problem.machine()).expect("each slot is taken once");
            let cost = objective.cost(problem, &mapping);
            if best.as_ref().is_none_or(|(least, _)| cost < *least) {
                best = Some((cost, mapping));
            }
            if start + 1 < starts as u64 && run.must_stop() {
                break;
            }
        }
        Ok(best.expect("at least one start").1)
    }
}

/// The kind of a single rank or free slot, below all groups.
const SINGLE: u32 = u32::MAX;

/// The ranks that will be in a group of some kind.
struct Cluster {
    kind: u32,
    /// The lowest rank in it; free slots count as ranks beyond the last.
    lowest: u32,
    /// The clusters in it; none for a single rank.
    children: Vec<u32>,
}

/// Clusters that grow level by level.
struct Levels<'a> {
    problem: &'a Problem,
    tree: &'a PlaceTree,
    clusters: Vec<Cluster>,
    /// Clusters that are not yet in another one.
    outermost: Vec<u32>,
    /// What the outermost ones exchange.
    exchanges: Exchanges,
}

impl<'a> Levels<'a> {
    /// The first start takes ranks in their order, the others in a random order.
    fn new(problem: &'a Problem, tree: &'a PlaceTree, start: u64, seed: u64) -> Self {
        let places = tree.root().room as u32;
        let mut order: Vec<u32> = (0..places).collect();
        if start > 0 {
            random::shuffle(&mut random::stream(seed, &[start]), &mut order);
        }
        let single = |&lowest: &u32| Cluster { kind: SINGLE, lowest, children: Vec::new() };
        Levels {
            problem,
            clusters: order.iter().map(single).collect(),
            outermost: (0..places).collect(),
            exchanges: Exchanges::of_ranks(problem.graph(), &order),
            tree,
        }
    }

    /// The slot of each rank.
    fn place(mut self, run: &mut Run) -> Vec<u32> {
        for height in 0..=self.tree.root().height {
            let bins = self.bins(height);
            self.grow(&bins, run);
        }
        let mut slots = vec![0; self.problem.num_ranks()];
        self.assign(0, self.outermost[0], &mut slots);
        slots
    }

    /// The bins for clusters at a height: the groups of that height, and lower groups that are not
    /// inside a group of that height.
    fn bins(&self, height: u32) -> Vec<Bin> {
        let tree = self.tree;
        let mut bins = Vec::new();
        let mut waits = Vec::new();
        for group in &tree.groups {
            let kind = &tree.kinds[group.kind as usize];
            if kind.height == height {
                let wants = match kind.children.is_empty() {
                    true => vec![(SINGLE, kind.room as u32)],
                    false => kind.children.clone(),
                };
                bins.push(Bin { kind: group.kind, wants });
            }
            if kind.height > height {
                for child in group.children.clone() {
                    let child = tree.groups[child as usize].kind;
                    if tree.kinds[child as usize].height < height {
                        waits.push(Bin { kind: child, wants: vec![(child, 1)] });
                    }
                }
            }
        }
        bins.sort_by_key(|bin| bin.kind);
        bins.extend(waits);
        bins
    }

    /// Puts the outermost clusters into bins, each of which then becomes a cluster.
    fn grow(&mut self, bins: &[Bin], run: &mut Run) {
        let kinds: Vec<u32> =
            self.outermost.iter().map(|&cluster| self.clusters[cluster as usize].kind).collect();
        let bin_of = join(&self.exchanges, &kinds, bins, run);
        let mut members = vec![Vec::new(); bins.len()];
        for (&cluster, &bin) in self.outermost.iter().zip(&bin_of) {
            members[bin as usize].push(cluster);
        }
        self.exchanges = self.exchanges.contract(&bin_of, bins.len());
        self.outermost.clear();
        for (bin, children) in bins.iter().zip(members) {
            let waits = bin.wants == [(bin.kind, 1)];
            if waits {
                self.outermost.push(children[0]);
                continue;
            }
            let lowest = |&child: &u32| self.clusters[child as usize].lowest;
            let lowest = children.iter().map(lowest).min().expect("no bin stays empty");
            self.outermost.push(self.clusters.len() as u32);
            self.clusters.push(Cluster { kind: bin.kind, lowest, children });
        }
    }

    /// Gives the ranks of a cluster the slots of a group; groups that are alike are filled in the
    /// order of their lowest ranks.
    fn assign(&self, group: u32, cluster: u32, slots: &mut [u32]) {
        let mut inside = self.clusters[cluster as usize].children.clone();
        inside.sort_by_key(|&child| self.clusters[child as usize].lowest);
        let group = &self.tree.groups[group as usize];
        if group.children.is_empty() {
            for (slot, &single) in (group.first_slot..).zip(&inside) {
                // Those beyond the last rank are free slots.
                if let Some(place) = slots.get_mut(self.clusters[single as usize].lowest as usize) {
                    *place = slot;
                }
            }
            return;
        }
        let mut of_kind: HashMap<u32, VecDeque<u32>> = HashMap::new();
        for child in inside {
            of_kind.entry(self.clusters[child as usize].kind).or_default().push_back(child);
        }
        for child in group.children.clone() {
            let kind = self.tree.groups[child as usize].kind;
            let next = of_kind.get_mut(&kind).and_then(|clusters| clusters.pop_front());
            self.assign(child, next.expect("a cluster for each group"), slots);
        }
    }
}
