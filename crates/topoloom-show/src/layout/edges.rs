//! Which edges are drawn between points, and the loads of the links that they represent.

use std::cmp::Ordering;

use topoloom_core::routing::UsedLink;
use topoloom_core::{LinkId, Topology, Weight};

use super::limits::MOST_EDGES;
use super::plan::Plan;
use crate::figure::Unit;
use crate::numbers;

/// Link numbers are visited one by one up to this many; a box whose layers are fully wired has
/// billions.
const WALKED_LINKS: u64 = 1 << 25;

/// The edges between the points of a plan.
pub struct Collected {
    /// Pairs of points, in ascending order.
    pub edges: Vec<[u32; 2]>,
    /// How many cables each edge stands for.
    pub links: Vec<u32>,
    /// The loads of the edges under each placement.
    pub carried: Vec<Carried>,
    /// What was left out.
    pub notes: Vec<String>,
}

/// The loads of edges under a placement.
pub struct Carried {
    /// From the first end to the second.
    pub forward: Vec<f64>,
    /// From the second end to the first.
    pub backward: Vec<f64>,
    /// The busiest link, drawn or not.
    pub most: f64,
    /// The edge of the busiest link, and its number; none if it is not drawn.
    pub busiest: Option<(u32, LinkId)>,
}

/// Two points as one number: pairs are sorted by their lower end, then by the other.
type Pair = u64;

fn pair(a: u32, b: u32) -> Pair {
    u64::from(a.min(b)) << 32 | u64::from(a.max(b))
}

fn ends(pair: Pair) -> [u32; 2] {
    [(pair >> 32) as u32, pair as u32]
}

/// The edges of a plan, and their loads under placements that use these links.
pub fn collect(
    topology: &dyn Topology,
    plan: &Plan,
    used: &[Vec<UsedLink>],
    weight: Weight,
) -> Collected {
    let wired = Wired::walk(topology, plan);
    let mut notes: Vec<String> = Vec::new();
    if wired.has_inner {
        let inside = busiest_inside(topology, plan, used);
        let carries = match inside {
            _ if used.is_empty() => String::new(),
            0.0 => "; none of them carries anything".to_string(),
            inside => {
                format!("; the busiest of them carries {}", Unit::from(weight).written(inside))
            }
        };
        notes.push(format!("Links inside a {} are not drawn{carries}.", plan.block));
    }
    let pairs = match wired.pairs.len() <= MOST_EDGES && wired.is_all {
        true => wired.pairs,
        false => {
            let chosen = choose(topology, plan, used, wired.pairs, weight);
            notes.push(chosen.note);
            chosen.pairs
        }
    };
    let carried = used.iter().map(|used| carried_by(topology, plan, used, &pairs)).collect();
    let links = cables(topology, plan, &pairs);
    Collected { edges: pairs.into_iter().map(ends).collect(), links, carried, notes }
}

/// How many links each pair of points has, one direction counted; 1 if there are too many to visit.
fn cables(topology: &dyn Topology, plan: &Plan, pairs: &[Pair]) -> Vec<u32> {
    let bound = topology.link_id_bound();
    if bound > WALKED_LINKS {
        return vec![1; pairs.len()];
    }
    let mut counts = vec![[0u32; 2]; pairs.len()];
    for link in (0..bound).filter_map(|id| topology.link(LinkId(id))) {
        let [a, b] = [link.from, link.to].map(|end| plan.point_of_vertex[end.index()]);
        if let Ok(edge) = pairs.binary_search(&pair(a, b))
            && a != b
        {
            counts[edge][usize::from(a > b)] += 1;
        }
    }
    counts.into_iter().map(|[there, back]| there.max(back).max(1)).collect()
}

/// The pairs of points that links join.
pub struct Wired {
    /// In ascending order, each once.
    pairs: Vec<Pair>,
    /// Whether the list is complete.
    is_all: bool,
    /// Whether there are links inside points.
    has_inner: bool,
}

impl Wired {
    /// Visits every link, or, if there are too many, those along lines.
    pub fn walk(topology: &dyn Topology, plan: &Plan) -> Wired {
        let bound = topology.link_id_bound();
        let is_all = bound <= WALKED_LINKS;
        let lines = topology.lines().bound;
        let walked = match is_all {
            true => bound,
            false if lines <= WALKED_LINKS => lines,
            false => 0,
        };
        let mut pairs: Vec<Pair> = Vec::new();
        let mut has_inner = !is_all && plan.holding < topology.num_nodes();
        let mut room = 1 << 20;
        for link in (0..walked).filter_map(|id| topology.link(LinkId(id))) {
            let [a, b] = [link.from, link.to].map(|end| plan.point_of_vertex[end.index()]);
            if a == b {
                has_inner = true;
                continue;
            }
            pairs.push(pair(a, b));
            // There may be many links between few points.
            if pairs.len() == room {
                sort_out(&mut pairs);
                room = (2 * pairs.len()).max(1 << 20);
            }
        }
        sort_out(&mut pairs);
        Wired { pairs, is_all, has_inner }
    }

    /// Pairs of points that are linked, in any order.
    pub fn between(pairs: impl IntoIterator<Item = [u32; 2]>) -> Wired {
        let mut pairs: Vec<Pair> = pairs.into_iter().map(|[a, b]| pair(a, b)).collect();
        sort_out(&mut pairs);
        Wired { pairs, is_all: true, has_inner: false }
    }

    /// The ends of each pair, the lower one first.
    pub fn ends(&self) -> impl Iterator<Item = [u32; 2]> + '_ {
        self.pairs.iter().copied().map(ends)
    }
}

fn sort_out(pairs: &mut Vec<Pair>) {
    pairs.sort_unstable();
    pairs.dedup();
}

/// The loads of a placement's links between two points, or inside one point.
fn between_points<'a>(
    topology: &'a dyn Topology,
    plan: &'a Plan,
    used: &'a [UsedLink],
) -> impl Iterator<Item = ([u32; 2], f64)> + 'a {
    used.iter().filter_map(|used| {
        let link = topology.link(used.id)?;
        let points = [link.from, link.to].map(|end| plan.point_of_vertex[end.index()]);
        Some((points, used.load.max(0.0)))
    })
}

fn busiest_inside(topology: &dyn Topology, plan: &Plan, used: &[Vec<UsedLink>]) -> f64 {
    let all = used.iter().flat_map(|used| between_points(topology, plan, used));
    all.filter(|([a, b], _)| a == b).map(|(_, load)| load).fold(0.0, f64::max)
}

/// The edges that are drawn if there are too many.
struct Chosen {
    pairs: Vec<Pair>,
    note: String,
}

/// The busiest under any placement; if no link is used, the shortest.
fn choose(
    topology: &dyn Topology,
    plan: &Plan,
    used: &[Vec<UsedLink>],
    wired: Vec<Pair>,
    weight: Weight,
) -> Chosen {
    let many = format!(
        "The machine has {} links, both directions counted, which are too many to draw",
        numbers::grouped(topology.num_links() as f64)
    );
    let mut busy = busiest_pairs(topology, plan, used);
    let found = busy.len();
    let falling = |a: &(Pair, f64), b: &(Pair, f64)| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0));
    if found > 0 {
        let left_out = cut(&mut busy, falling);
        let note = match left_out {
            None => format!("{many}: only those that carry anything are drawn."),
            Some((_, load)) => format!(
                "{many}: of {} edges that carry anything, the {} busiest are drawn; the busiest of the others \
                 carries {}.",
                numbers::grouped(found as f64),
                numbers::grouped(MOST_EDGES as f64),
                Unit::from(weight).written(load)
            ),
        };
        return Chosen { pairs: in_order(busy), note };
    }
    let length = |pair: Pair| {
        let [a, b] = ends(pair).map(|point| plan.points[point as usize]);
        (0..3).map(|axis| f64::from(a[axis] - b[axis]).powi(2)).sum::<f64>()
    };
    let mut short: Vec<(Pair, f64)> = wired.into_iter().map(|pair| (pair, -length(pair))).collect();
    cut(&mut short, falling);
    let note =
        format!("{many}: only the {} shortest edges are.", numbers::grouped(short.len() as f64));
    Chosen { pairs: in_order(short), note }
}

/// Keeps only the first in this order, and returns the first of the removed ones.
fn cut(
    pairs: &mut Vec<(Pair, f64)>,
    order: impl Fn(&(Pair, f64), &(Pair, f64)) -> Ordering,
) -> Option<(Pair, f64)> {
    if pairs.len() <= MOST_EDGES {
        return None;
    }
    let (_, first_cut, _) = pairs.select_nth_unstable_by(MOST_EDGES, order);
    let first_cut = *first_cut;
    pairs.truncate(MOST_EDGES);
    Some(first_cut)
}

fn in_order(pairs: Vec<(Pair, f64)>) -> Vec<Pair> {
    let mut pairs: Vec<Pair> = pairs.into_iter().map(|(pair, _)| pair).collect();
    pairs.sort_unstable();
    pairs
}

/// Pairs of points with traffic between them, and the largest load of any link and placement.
fn busiest_pairs(topology: &dyn Topology, plan: &Plan, used: &[Vec<UsedLink>]) -> Vec<(Pair, f64)> {
    let all = used.iter().flat_map(|used| between_points(topology, plan, used));
    let between = all.filter(|([a, b], load)| a != b && *load > 0.0);
    let mut busy: Vec<(Pair, f64)> = between.map(|([a, b], load)| (pair(a, b), load)).collect();
    busy.sort_unstable_by(|a, b| a.0.cmp(&b.0).then(b.1.total_cmp(&a.1)));
    // The first of each pair is the busiest.
    busy.dedup_by_key(|&mut (pair, _)| pair);
    busy
}

fn carried_by(topology: &dyn Topology, plan: &Plan, used: &[UsedLink], pairs: &[Pair]) -> Carried {
    let none = vec![0.0; pairs.len()];
    let mut carried = Carried { forward: none.clone(), backward: none, most: 0.0, busiest: None };
    // The busiest link that is drawn; the first of several.
    let mut busiest = (0.0, None);
    // Links inside hosts are shared memory, not cables.
    let inside = topology.inner_link_bound();
    for used in used.iter().filter(|used| used.id.0 >= inside) {
        let Some(link) = topology.link(used.id) else { continue };
        let [from, to] = [link.from, link.to].map(|end| plan.point_of_vertex[end.index()]);
        let load = used.load.max(0.0);
        carried.most = carried.most.max(load);
        let Ok(edge) = pairs.binary_search(&pair(from, to)) else { continue };
        let side = if from < to { &mut carried.forward } else { &mut carried.backward };
        side[edge] = side[edge].max(load);
        if load > busiest.0 {
            busiest = (load, Some((edge as u32, used.id)));
        }
    }
    // A busier link that is not drawn is the busiest, whatever is drawn.
    carried.busiest = busiest.1.filter(|_| busiest.0 >= carried.most);
    carried
}
