//! Groups in groups: places at the bottom, groups above them. Links are not drawn; an edge is a
//! group's boundary.

pub mod names;

use topoloom_core::topology::Groups;
use topoloom_core::{Problem, Topology};

use super::edges::{Carried, Collected, Wired};
use super::layered;
use super::limits::MOST_POINTS;
use super::plan::Plan;
use crate::numbers::grouped;

/// A plan of groups, and the group of each point.
pub struct Nested {
    pub plan: Plan,
    /// The group of each point.
    groups: Vec<u32>,
    /// The point of the group around each point; `None` for the outermost.
    around: Vec<Option<u32>>,
}

impl Nested {
    /// Every boundary, with the amount that crosses it under each placement.
    pub fn collected(&self, crossings: Vec<Crossings>) -> Collected {
        let inner =
            || (0u32..).zip(&self.around).filter_map(|(point, around)| Some((point, (*around)?)));
        let of_edges = |of_groups: &[f64]| -> Vec<f64> {
            inner().map(|(point, _)| of_groups[self.groups[point as usize] as usize]).collect()
        };
        let carried = crossings.iter().map(|crossings| Carried {
            forward: of_edges(&crossings.out),
            backward: of_edges(&crossings.into),
            most: crossings.out.iter().chain(&crossings.into).copied().fold(0.0, f64::max),
            busiest: None,
        });
        let edges: Vec<[u32; 2]> = inner().map(|(point, around)| [point, around]).collect();
        let links = vec![1; edges.len()];
        Collected { edges, links, carried: carried.collect(), notes: Vec::new() }
    }
}

/// The amount that crosses the boundary of each group.
pub struct Crossings {
    pub out: Vec<f64>,
    pub into: Vec<f64>,
}

/// The amount that crosses the boundary of each group if ranks are on these nodes.
pub fn crossings(groups: &Groups, problem: &Problem, nodes: &[u32]) -> Crossings {
    let none = vec![0.0; groups.len()];
    let mut crossings = Crossings { out: none.clone(), into: none };
    let group_of = groups.group_of_node();
    problem.traffic().for_each_flow(problem.weight(), |from, to, weight| {
        let [mut a, mut b] = [from, to].map(|rank| group_of[nodes[rank as usize] as usize]);
        // Outer groups have lower numbers, so the one with the higher number cannot contain the
        // other.
        while a != b {
            if a > b {
                crossings.out[a as usize] += weight;
                a = groups.group(a).parent;
            } else {
                crossings.into[b as usize] += weight;
                b = groups.group(b).parent;
            }
        }
    });
    crossings
}

/// The groups that are worth a point: those with several parts, and single nodes.
struct Kept {
    /// In the order of their first nodes, outer groups first.
    order: Vec<u32>,
    /// The next group around each that is kept.
    around: Vec<Option<u32>>,
    /// Levels of kept groups below each.
    height: Vec<u16>,
    /// Groups up to this height are points.
    points_up_to: u16,
}

impl Kept {
    fn of(groups: &Groups) -> Kept {
        let is_kept = |group: u32| groups.group(group).children.len() != 1;
        let mut height = vec![0u16; groups.len()];
        let mut around = vec![None; groups.len()];
        for (number, group) in (0u32..).zip(groups.all()).skip(1) {
            let parent = group.parent;
            around[number as usize] =
                if is_kept(parent) { Some(parent) } else { around[parent as usize] };
        }
        for (number, group) in groups.all().iter().enumerate().rev() {
            let below = group.children.clone().map(|child| height[child as usize]).max();
            let own = u16::from(group.children.len() > 1);
            height[number] = below.unwrap_or(0).saturating_add(own);
        }
        let mut order: Vec<u32> =
            (0..groups.len() as u32).filter(|&group| is_kept(group)).collect();
        order.sort_unstable_by_key(|&group| (groups.group(group).nodes.start, group));
        let mut kept = Kept { order, around, height, points_up_to: 0 };
        let top = kept.height[0];
        let few = |kept: &Kept| {
            kept.order.iter().filter(|&&group| kept.is_point(group)).count() <= MOST_POINTS
        };
        while kept.points_up_to < top && !few(&kept) {
            kept.points_up_to += 1;
        }
        kept
    }

    fn is_inner(&self, group: u32) -> bool {
        self.height[group as usize] > self.points_up_to
    }

    /// Whether a group is a point that holds nodes: the largest group that is not too high.
    fn is_point(&self, group: u32) -> bool {
        let inside = self.around[group as usize].is_some_and(|around| !self.is_inner(around));
        !self.is_inner(group) && !inside
    }
}

/// What each level of points is called: what all its groups are, or its number.
fn level_names(groups: &Groups, numbers: &[u32], levels: &[u16]) -> Vec<String> {
    let top = levels.iter().copied().max().unwrap_or(0);
    let name = |at: u16| {
        let of_level = numbers.iter().zip(levels).filter(|&(_, &level)| level == at);
        let mut kinds: Vec<u16> = of_level.map(|(&group, _)| groups.group(group).level).collect();
        kinds.sort_unstable();
        kinds.dedup();
        match kinds[..] {
            [kind] => groups.level_names()[usize::from(kind)].clone(),
            _ => format!("level {at}"),
        }
    };
    (0..=top).map(name).collect()
}

pub fn plan(topology: &dyn Topology, groups: &Groups) -> Nested {
    let kept = Kept::of(groups);
    let names = names::Names::of(topology, groups);
    let mut plan = Plan { block: "group", ..Plan::flat() };
    let (mut numbers, mut around) = (Vec::new(), Vec::new());
    let mut point_of_group = vec![u32::MAX; groups.len()];
    plan.point_of_vertex = vec![0; groups.num_nodes()];
    let (mut labels, mut levels): (Vec<String>, Vec<u16>) = (Vec::new(), Vec::new());
    let mut add = |plan: &mut Plan, group: u32| {
        let point = plan.add([0.0; 2], names.name(groups, group));
        labels.push(names.label(groups, group));
        levels.push(kept.height[group as usize].saturating_sub(kept.points_up_to));
        point_of_group[group as usize] = point;
        numbers.push(group);
        point
    };
    let mut largest = 0;
    for &group in kept.order.iter().filter(|&&group| kept.is_point(group)) {
        let point = add(&mut plan, group);
        let nodes = groups.group(group).nodes.clone();
        largest = largest.max(nodes.len());
        plan.point_of_vertex[nodes.start as usize..nodes.end as usize].fill(point);
    }
    plan.holding = plan.points.len();
    let mut inner: Vec<u32> =
        kept.order.iter().copied().filter(|&group| kept.is_inner(group)).collect();
    // Inner groups before those around them, so each edge leads outwards from its group.
    inner.sort_by_key(|&group| kept.height[group as usize]);
    for &group in &inner {
        add(&mut plan, group);
    }
    for &group in &numbers {
        around.push(kept.around[group as usize].map(|around| point_of_group[around as usize]));
    }
    // A single place is a picture without rows.
    if plan.points.len() > plan.holding {
        let boundaries =
            (0u32..).zip(&around).filter_map(|(point, &around)| Some([point, around?]));
        let names = level_names(groups, &numbers, &levels);
        let wired = Wired::between(boundaries);
        layered::arrange(&mut plan, &wired, levels, names, labels);
    }
    if largest > 1 {
        let (largest, what) = (grouped(largest as f64), names.what_nodes_are);
        plan.notes.push(format!("A point stands for a group of up to {largest} {what}."));
    }
    plan.notes.push(
        "An edge shows what leaves a group of the machine and what comes into it.".to_string(),
    );
    Nested { plan, groups: numbers, around }
}
