//! RAHTM: routing algorithm aware hierarchical task mapping.
//!
//! A. H. Abdel-Gawad, M. Thottethodi and A. Bhatele, "RAHTM: routing algorithm aware hierarchical
//! task mapping" (2014). Three phases. Ranks are grouped by tiles, with one group per node, and
//! groups of nodes by tiles again, in as many levels as the machine's box can be halved (`tiling`,
//! `hierarchy`). From the top down, each group is placed on a 2-ary n-cube to minimise the load of
//! the most loaded link (`placing`, `cube`). From the bottom up, the placed blocks are joined, each
//! in its best rotation or reflection (`merging`). On fat trees and dragonflies, as in the paper's
//! discussion, pods, switches, groups and routers replace cubes (`positions`), and the order of the
//! parts of a block replaces its rotations.

mod clusters;
mod cube;
mod halves;
mod halving;
mod hierarchy;
mod merging;
mod orientation;
mod placing;
mod positions;
mod prices;
mod report;
mod sheet;
mod solver;
mod tiling;

use std::sync::Arc;

use clusters::Clusters;
pub use hierarchy::Uneven;
use hierarchy::{Filling, Level, Turns};
use merging::{Block, EMPTY, Merging};
pub use placing::Budget;
use placing::Placing;
pub use report::{CubeReport, CubesReport, Onto, Proof};
use tiling::{Grid, best_tiling};

use super::definition::{NotApplicable, Strategy};
use super::entry::StrategyEntry;
use super::unfinished::in_order_instead;
use crate::crew::{Used, mark};
use crate::machine::Machine;
use crate::mapping::Mapping;
use crate::objective::{MaxLinkLoad, Objective, check_links};
use crate::problem::Problem;
use crate::registry::Parameter;
use crate::run::Run;

/// Cubes that are reported one by one.
const MOST_REPORTED: usize = 3;

/// The registry's entry.
pub static ENTRY: StrategyEntry = StrategyEntry {
    name: "rahtm",
    summary: "tiles, exact placement on small cubes or parts, merging by rotation; for \
              max-link-load",
    example: "rahtm",
    parameters: &[
        Parameter {
            name: "beam",
            default: "64",
            summary: "combinations to keep while blocks are merged",
        },
        Parameter {
            name: "looks",
            default: "300000000",
            summary: "links that may be visited while blocks are merged, for each block",
        },
        Parameter {
            name: "nodes",
            default: "2000",
            summary: "nodes of the search trees of the linear programs, of eight clusters each",
        },
        Parameter {
            name: "steps",
            default: "1000000",
            summary: "steps of branch and bound for all cubes or parts of a hierarchy",
        },
        Parameter {
            name: "uneven",
            default: "the better of top, as published, and bottom",
            summary: "where to put the parts of a box that make its dimensions differ",
        },
    ],
    build: |spec| {
        spec.no_shape()?;
        let usual = Rahtm::default();
        let beam = spec.get_positive("beam")?.unwrap_or(usual.beam);
        let budget = Budget {
            nodes: spec.get("nodes", "a number")?.unwrap_or(usual.budget.nodes),
            steps: spec.get("steps", "a number")?.unwrap_or(usual.budget.steps),
        };
        let looks = spec.get_positive("looks")?.unwrap_or(usual.looks);
        let uneven = spec.get("uneven", "top or bottom")?.or(usual.uneven);
        Ok(Arc::new(Rahtm { beam, budget, looks, uneven }))
    },
};

/// The three phases.
#[derive(Debug, Clone, Copy)]
pub struct Rahtm {
    /// Combinations that are kept while blocks are merged.
    pub beam: usize,
    /// The budget for the cubes of each hierarchy.
    pub budget: Budget,
    /// Links that may be visited while blocks are joined, for each block of the next level.
    pub looks: usize,
    /// Where uneven dimensions are split off; `None` to try both.
    pub uneven: Option<Uneven>,
}

impl Default for Rahtm {
    fn default() -> Self {
        Rahtm { beam: 64, budget: Budget::default(), looks: 300_000_000, uneven: None }
    }
}

impl Strategy for Rahtm {
    fn usual_objective(&self) -> &'static dyn Objective {
        &MaxLinkLoad
    }

    fn map(
        &self,
        problem: &Problem,
        _objective: Option<&dyn Objective>,
        run: &mut Run,
    ) -> Result<Mapping, NotApplicable> {
        Ok(self.map_with_report(problem, run)?.0)
    }
}

impl Rahtm {
    /// The placement, and a report on the cubes of its hierarchy.
    pub fn map_with_report(
        &self,
        problem: &Problem,
        run: &mut Run,
    ) -> Result<(Mapping, CubesReport), NotApplicable> {
        let machine = problem.machine();
        let frame = self.frame(machine)?;
        check_links(machine).map_err(|reason| NotApplicable(format!("it {reason}")))?;
        let nodes = machine.num_nodes() as u32;
        // All slots of a node, or so few that the ranks spread over all nodes.
        let full = machine.slots_per_node();
        let spread = (problem.num_ranks() as u32).div_ceil(nodes);
        let mut sizes = vec![spread, full];
        sizes.dedup();
        let mut best: Option<(f64, Attempt)> = None;
        let both = sizes.iter().flat_map(|&size| {
            let clusters = (problem.num_ranks() as u32).div_ceil(size);
            frame.hierarchies(clusters).into_iter().map(move |levels| (size, levels))
        });
        for (size, levels) in both {
            if best.is_some() && run.must_stop() {
                break;
            }
            let Some(attempt) = self.map_tiles_of(size, problem, &frame, &levels, run) else {
                break;
            };
            // Evaluating it may take longer than everything before; it is not needed if there is
            // nothing to compare with.
            let cost = MaxLinkLoad.cost_within(problem, &attempt.mapping, run);
            if cost.is_none() && run.out_of_time() && best.is_some() {
                break;
            }
            let cost = cost.unwrap_or(f64::INFINITY);
            if best.as_ref().is_none_or(|(least, _)| cost < *least) {
                best = Some((cost, attempt));
            }
        }
        match best {
            Some((_, attempt)) => {
                attempt.notes.into_iter().for_each(|note| run.note(format!("rahtm: {note}")));
                Ok((attempt.mapping, attempt.report))
            }
            None => {
                let mapping = in_order_instead(ENTRY.name, problem, run)?;
                Ok((mapping, CubesReport::default()))
            }
        }
    }

    /// How the machine is cut: as a box, or into the parts that it consists of.
    fn frame(&self, machine: &Machine) -> Result<Frame, NotApplicable> {
        let topology = machine.topology();
        if let Some(lengths) = topology.grid_lengths() {
            let orders = match self.uneven {
                Some(uneven) => vec![uneven],
                None => vec![Uneven::Top, Uneven::Bottom],
            };
            let cuts = Cuts::Box(orders);
            return Ok(Frame { lengths: lengths.to_vec(), cuts });
        }
        let Some(parts) = topology.nested_parts() else {
            return Err(NotApplicable(
                "it needs a machine whose nodes fill a box, or one made of equal parts such as a \
                 fat tree or a dragonfly"
                    .into(),
            ));
        };
        if self.uneven.is_some() {
            return Err(NotApplicable(format!(
                "\"uneven\" is for machines whose nodes fill a box, which the nodes of {} do not",
                machine.spec()
            )));
        }
        let lengths = vec![machine.num_nodes() as u32];
        Ok(Frame { lengths, cuts: Cuts::Parts(parts) })
    }

    /// The placement with this many ranks per node; `None` if the time runs out before there is
    /// one.
    fn map_tiles_of(
        &self,
        size: u32,
        problem: &Problem,
        frame: &Frame,
        levels: &[Level],
        run: &mut Run,
    ) -> Option<Attempt> {
        let machine = problem.machine().with_one_slot();
        let nodes = machine.num_nodes();
        let clusters = Clusters::new(problem, size, levels, nodes as u32, run)?;
        let placing = Placing::new(self.budget);
        let merging =
            Merging::new(&machine, &frame.lengths, &clusters.traffic[0], self.beam, self.looks);
        let loads = vec![0.0; levels.len()];
        let mut work =
            Phases { levels, clusters: &clusters, machine: &machine, placing, merging, loads };
        let block = work.whole_block(run);
        let Phases { placing, loads, .. } = work;
        let mapping = in_slots(problem, &clusters.cluster_of, &nodes_of(&block, nodes));
        // The load that merging added up, link by link, equals the definition.
        debug_assert!(
            run.was_cut_short() || {
                let cost = MaxLinkLoad.cost(problem, &mapping);
                loads.last().is_none_or(|load| (load - cost).abs() <= 1e-5 * cost)
            }
        );
        let loads: Vec<String> = loads.iter().map(|load| format!("{load:.4e}")).collect();
        let mut notes = vec![
            format!("tiles of {}", clusters.shapes.join(", then ")),
            format!("most loaded link of a block {}", loads.join(", then ")),
            placing.report.to_string(),
        ];
        notes.extend(placing.report.cubes.iter().take(MOST_REPORTED).map(ToString::to_string));
        let mut attempt = Attempt { mapping, report: placing.report, notes };
        if levels.iter().any(|level| level.turns != Turns::Box) {
            let start = nodes_of(&clusters.in_order(levels, levels.len(), 0), nodes);
            let start = in_slots(problem, &clusters.cluster_of, &start);
            attempt.keep_better(start, problem, run);
        }
        Some(attempt)
    }
}

/// A machine as a box, and the ways to cut it.
struct Frame {
    /// The lengths of the box; if the nodes do not fill one, a single length, the number of nodes.
    lengths: Vec<u32>,
    cuts: Cuts,
}

enum Cuts {
    /// Into cubes, with the uneven parts at one end or the other.
    Box(Vec<Uneven>),
    /// Into the parts that the machine consists of.
    Parts(Vec<u32>),
}

impl Frame {
    /// The hierarchies to try for this many clusters.
    fn hierarchies(&self, clusters: u32) -> Vec<Vec<Level>> {
        let mut hierarchies: Vec<Vec<Level>> = match &self.cuts {
            Cuts::Box(orders) => {
                orders.iter().map(|uneven| hierarchy::levels(&self.lengths, *uneven)).collect()
            }
            Cuts::Parts(parts) => [Filling::Packed, Filling::Spread]
                .map(|filling| hierarchy::nested_levels(parts, clusters, filling))
                .to_vec(),
        };
        hierarchies.dedup();
        hierarchies
    }
}

/// The result for one hierarchy.
struct Attempt {
    mapping: Mapping,
    report: CubesReport,
    notes: Vec<String>,
}

impl Attempt {
    /// Uses the placement that it started from if that is better: while parts are placed, the
    /// positions of clusters inside them are not known.
    fn keep_better(&mut self, start: Mapping, problem: &Problem, run: &mut Run) {
        let ours = MaxLinkLoad.cost_within(problem, &self.mapping, run);
        let before = MaxLinkLoad.cost_within(problem, &start, run);
        if let (Some(ours), Some(before)) = (ours, before)
            && before < ours
        {
            self.mapping = start;
            self.notes.push("tiles in order are better than merged ones and were used".into());
        }
    }
}

/// Only the tiles of the first phase, one per node, with the machine's last dimension fastest.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TilesInOrder;

impl Strategy for TilesInOrder {
    fn usual_objective(&self) -> &'static dyn Objective {
        &MaxLinkLoad
    }

    fn map(
        &self,
        problem: &Problem,
        _objective: Option<&dyn Objective>,
        run: &mut Run,
    ) -> Result<Mapping, NotApplicable> {
        let machine = problem.machine();
        let lengths = machine.topology().grid_lengths().ok_or_else(|| {
            NotApplicable("tiles in order need a machine whose nodes fill a box".into())
        })?;
        let grids = Grid::of_ranks(problem, run);
        let size = machine.slots_per_node();
        let tiling = best_tiling(&grids, size, problem.traffic(), problem.weight(), run);
        let node_of: Vec<u32> = (0..machine.num_nodes() as u32)
            .map(|mut tile| {
                let mut stride = machine.num_nodes() as u32;
                let mut node = 0;
                for &length in lengths.iter().rev() {
                    stride /= length;
                    node += tile % length * stride;
                    tile /= length;
                }
                node
            })
            .collect();
        Ok(in_slots(problem, &tiling.group_of, &node_of))
    }
}

/// The node of each cluster of a block that is the whole machine.
fn nodes_of(block: &Block, nodes: usize) -> Vec<u32> {
    let mut node_of = vec![0; nodes];
    for (place, &cluster) in (0..).zip(block).filter(|&(_, &cluster)| cluster != EMPTY) {
        node_of[cluster as usize] = place;
    }
    node_of
}

/// The mapping that puts each cluster on its node, with ranks in order.
fn in_slots(problem: &Problem, cluster_of: &[u32], node_of: &[u32]) -> Mapping {
    let per_node = problem.machine().slots_per_node();
    let mut taken = vec![0; node_of.len()];
    let slot = |&cluster: &u32| {
        let node = node_of[cluster as usize];
        taken[node as usize] += 1;
        node * per_node + taken[node as usize] - 1
    };
    let slots = cluster_of.iter().map(slot).collect();
    Mapping::new(slots, problem.machine()).expect("each cluster has a node of its own")
}

/// The shared data of the phases after tiling.
struct Phases<'a> {
    levels: &'a [Level],
    clusters: &'a Clusters,
    machine: &'a Machine,
    placing: Placing,
    merging: Merging<'a>,
    /// For each level, the load of the most loaded link of any block.
    loads: Vec<f64>,
}

impl Phases<'_> {
    /// The block of the whole machine: all groups placed from the top down, then merged from the
    /// bottom up.
    fn whole_block(&mut self, run: &mut Run) -> Block {
        let members = &self.clusters.members;
        let mut places: Vec<Vec<Vec<u32>>> =
            members.iter().map(|groups| vec![Vec::new(); groups.len()]).collect();
        self.place(self.levels.len(), 0, &mut places, run);
        let singles = members.first().map_or(0, |groups| groups.iter().map(Vec::len).sum());
        let mut blocks: Vec<Block> = (0..singles.max(1) as u32).map(|group| vec![group]).collect();
        for (below, places) in places.iter().enumerate() {
            blocks = self.merge(below, &blocks, places, run);
        }
        blocks.swap_remove(0)
    }

    /// The places of the members of a group, and of all groups inside, one group after the other:
    /// what was placed once is not placed again.
    fn place(&mut self, level: usize, group: u32, places: &mut [Vec<Vec<u32>>], run: &mut Run) {
        let Some(below) = level.checked_sub(1) else { return };
        let traffic = self.clusters.among_members(below, group);
        let here = &self.levels[below];
        places[below][group as usize] = match here.turns {
            Turns::Box => self.placing.place(here, &traffic, self.machine, run),
            Turns::Parts(_) => {
                self.placing.place_on_parts(here, &traffic, self.merging.routes(), run)
            }
        };
        let clusters = self.clusters;
        for &member in &clusters.members[below][group as usize] {
            self.place(below, member, places, run);
        }
    }

    /// The blocks of all groups of a level. They do not depend on each other, so they are shared
    /// out.
    fn merge(
        &mut self,
        below: usize,
        blocks: &[Block],
        places: &[Vec<u32>],
        run: &mut Run,
    ) -> Vec<Block> {
        let members = &self.clusters.members[below];
        let count = members.len();
        let inside = |group: usize| -> Vec<Block> {
            members[group].iter().map(|&member| blocks[member as usize].clone()).collect()
        };
        let join = |group: usize, part: &mut Run| {
            self.merging.join(&self.levels[below], &inside(group), &places[group], part)
        };
        let settled = blocks.iter().chain(places).flatten().map(|&number| u64::from(number));
        let mark = mark("blocks of rahtm", settled);
        run.progress("merging levels", below as u64, self.levels.len() as u64);
        let merged = run.share(mark, count, |group| {
            let part = run.one_of(count as u64, group as u64);
            let mut part = if count == 1 { part } else { part.unreported() };
            let (block, load) = join(group, &mut part);
            (block, load, Used::by(&part))
        });
        let mut joined = Vec::with_capacity(count);
        for (group, made) in merged.into_iter().enumerate() {
            let (block, load) = match made {
                Some((block, load, used)) => {
                    used.absorb(run);
                    (block, load)
                }
                // The time was over before the work began: the blocks are joined as they are.
                None => {
                    run.cut_short();
                    join(group, run)
                }
            };
            self.loads[below] = load.max(self.loads[below]);
            joined.push(block);
        }
        joined
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Machine, Weight, parse_pattern, parse_strategy};

    fn problem(traffic: &str, machine: &str) -> Problem {
        let machine = Machine::parse(machine).unwrap().with_routing("minimal-adaptive").unwrap();
        Problem::new(parse_pattern(traffic).unwrap(), machine, Weight::Bytes).unwrap()
    }

    fn load(strategy: &str, problem: &Problem) -> f64 {
        let strategy = parse_strategy(strategy).unwrap();
        let mapping = strategy.map(problem, Some(&MaxLinkLoad), &mut Run::new(1)).unwrap();
        MaxLinkLoad.cost(problem, &mapping)
    }

    #[test]
    fn a_stencil_finds_its_place() {
        // The example of the paper: 16 ranks on 4 x 4, each neighbour one hop away.
        let problem = problem("stencil:4x4", "mesh:4x4");
        assert!(load("rahtm", &problem) < 1.001);
    }

    #[test]
    fn it_beats_every_order_of_dimensions_on_a_small_blue_gene() {
        let problem = problem("bt:class=A,ranks=256", "torus:4x4x2,slots=8,double-links");
        let ours = load("rahtm", &problem);
        for other in ["permute:ABCT", "permute:TABC", "permute:ACBT", "hilbert:equal", "in-order"] {
            assert!(ours <= load(other, &problem), "{other}");
        }
    }

    #[test]
    fn odd_boxes_and_empty_slots_are_no_trouble() {
        for (traffic, machine) in [
            ("stencil:5x7", "torus:3x5,slots=3"),
            ("ring:3", "mesh:4x4"),
            ("random:ranks=20,degree=3", "torus:6x4"),
            ("all-to-all:9", "torus:2x2x3"),
            ("stencil:4x4", "hypercube:4"),
            ("ring:1", "mesh:1"),
        ] {
            let problem = problem(traffic, machine);
            let (ours, in_order) = (load("rahtm", &problem), load("in-order", &problem));
            assert!(ours <= in_order, "{traffic} on {machine}: {ours}, in order {in_order}");
        }
    }

    /// The machines of parts in parts, with the default routing of each and others.
    const OF_PARTS: [(&str, &str); 4] = [
        ("fat-tree:k=4,slots=2", "minimal-adaptive"),
        ("fat-tree:levels=2,down=4:6,up=2,slots=2", "ecmp"),
        ("dragonfly:groups=5,routers=4,nodes=2", "minimal-adaptive"),
        ("dragonfly:groups=4,routers=3,nodes=2,slots=2,global-bandwidth=25e8", "minimal-adaptive"),
    ];

    fn on_parts(traffic: &str, (machine, routing): (&str, &str)) -> Problem {
        let machine = Machine::parse(machine).unwrap().with_routing(routing).unwrap();
        Problem::new(parse_pattern(traffic).unwrap(), machine, Weight::Bytes).unwrap()
    }

    #[test]
    fn on_fat_trees_and_dragonflies_it_beats_random_placements() {
        for machine in OF_PARTS {
            for traffic in ["stencil:4x8", "bt:class=A,ranks=16", "cg:class=A,ranks=32", "ring:20"]
            {
                let problem = on_parts(traffic, machine);
                let ours = load("rahtm", &problem);
                for seed in 1..=20 {
                    let random = parse_strategy("random").unwrap();
                    let random = random.map(&problem, None, &mut Run::new(seed)).unwrap();
                    let random = MaxLinkLoad.cost(&problem, &random);
                    assert!(ours < random, "{traffic} on {machine:?}: {ours}, random {random}");
                }
            }
        }
    }

    #[test]
    fn on_parts_it_is_never_worse_than_the_tiles_in_order_that_it_starts_from() {
        for machine in OF_PARTS {
            for seed in 0..6 {
                let traffic = format!("random:ranks=30,degree=4,seed={seed}");
                let problem = on_parts(&traffic, machine);
                let machine = problem.machine();
                let parts = machine.topology().nested_parts().unwrap();
                let nodes = machine.num_nodes();
                for size in [30u32.div_ceil(nodes as u32), machine.slots_per_node()] {
                    let levels = hierarchy::nested_levels(&parts, 30, Filling::Packed);
                    let run = &mut Run::new(1);
                    let clusters = Clusters::new(&problem, size, &levels, nodes as u32, run);
                    let clusters = clusters.unwrap();
                    let start = nodes_of(&clusters.in_order(&levels, levels.len(), 0), nodes);
                    let start = in_slots(&problem, &clusters.cluster_of, &start);
                    let ours = load("rahtm", &problem);
                    assert!(ours <= MaxLinkLoad.cost(&problem, &start), "{}", machine.spec());
                }
            }
        }
    }

    #[test]
    fn on_parts_the_same_seed_gives_the_same_on_any_number_of_threads() {
        for machine in OF_PARTS {
            let problem = on_parts("bt:class=A,ranks=25", machine);
            let map = || parse_strategy("rahtm").unwrap().map(&problem, None, &mut Run::new(3));
            let one = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
            let four = rayon::ThreadPoolBuilder::new().num_threads(4).build().unwrap();
            assert_eq!(one.install(map).unwrap().slots(), four.install(map).unwrap().slots());
        }
    }

    /// The least load of any placement with as many ranks as nodes.
    fn least_by_trying_all(problem: &Problem) -> f64 {
        fn extend(problem: &Problem, placed: &mut Vec<u32>) -> f64 {
            if placed.len() == problem.num_ranks() {
                let mapping = Mapping::new(placed.clone(), problem.machine()).unwrap();
                return MaxLinkLoad.cost(problem, &mapping);
            }
            let mut least = f64::INFINITY;
            for slot in 0..problem.num_slots() as u32 {
                if !placed.contains(&slot) {
                    placed.push(slot);
                    least = least.min(extend(problem, placed));
                    placed.pop();
                }
            }
            least
        }
        extend(problem, &mut Vec::new())
    }

    #[test]
    fn on_tiny_machines_of_parts_it_comes_close_to_the_best_of_all_placements() {
        let machines = [
            ("dragonfly:groups=3,routers=2,nodes=1", "minimal-adaptive"),
            ("fat-tree:levels=2,down=2:3,up=1", "ecmp"),
        ];
        for machine in machines {
            for (traffic, at_most) in
                [("stencil:2x3", 1.34), ("ring:6", 1.001), ("random:ranks=6,degree=2,seed=1", 2.0)]
            {
                let problem = on_parts(traffic, machine);
                let (ours, least) = (load("rahtm", &problem), least_by_trying_all(&problem));
                assert!(ours >= least * (1.0 - 1e-9), "{traffic} on {machine:?}");
                assert!(ours <= at_most * least, "{traffic} on {machine:?}: {ours}, {least}");
            }
        }
    }

    #[test]
    fn a_machine_without_equal_parts_is_refused_with_the_reason() {
        let machine = Machine::parse("tree:2:4,distances=1:2").unwrap();
        let problem =
            Problem::new(parse_pattern("ring:8").unwrap(), machine, Weight::Bytes).unwrap();
        let refused = parse_strategy("rahtm").unwrap().map(&problem, None, &mut Run::new(1));
        assert!(refused.unwrap_err().0.contains("needs links"));
        let problem = on_parts("ring:8", OF_PARTS[0]);
        let refused =
            parse_strategy("rahtm:uneven=top").unwrap().map(&problem, None, &mut Run::new(1));
        assert!(refused.unwrap_err().0.contains("\"uneven\" is for machines"));
    }

    #[test]
    fn cubes_of_sixteen_have_a_proof_or_a_gap_and_the_notes_say_so() {
        let problem = problem("stencil:4x4,periodic", "torus:2x2x2x2");
        let mut run = Run::new(1);
        let (_, report) = Rahtm::default().map_with_report(&problem, &mut run).unwrap();
        // A 4 x 4 torus is a cube of four dimensions.
        assert_eq!(report.cubes[0].clusters, 16);
        assert_eq!(report.count(Proof::Branching), 1, "{report}");
        assert!(run.notes().contains(&format!("rahtm: {report}")), "{:?}", run.notes());
        let problem = super::tests::problem("bt:class=A,ranks=16", "torus:2x2x2x2");
        let little = Rahtm { budget: Budget { nodes: 0, steps: 100 }, ..Rahtm::default() };
        let (_, report) = little.map_with_report(&problem, &mut Run::new(1)).unwrap();
        let left = report.count(Proof::Left) == 1;
        assert!(!left || report.largest_gap().is_some_and(|gap| gap < 1.0), "{report}");
    }

    #[test]
    fn without_a_budget_cubes_are_left_to_the_search_and_that_is_said() {
        let problem = problem("bt:class=A,ranks=64", "torus:4x4x4");
        let none = Rahtm { budget: Budget { nodes: 0, steps: 0 }, ..Rahtm::default() };
        let (_, report) = none.map_with_report(&problem, &mut Run::new(1)).unwrap();
        assert_eq!(report.count(Proof::Left), report.cubes.len());
        assert!(report.to_string().contains("without a bound"), "{report}");
    }
}
