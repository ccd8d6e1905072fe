//! Groups in groups: places at the bottom, groups above them. Links are not drawn; an edge is a
//! group's boundary.

mod names;

use topoloom_core::topology::Groups;
use topoloom_core::{Problem, Topology};

use super::edges::{Carried, Collected};
use super::levels::Ground;
use super::limits::MOST_POINTS;
use super::plan::{Plan, in_rows};
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
        });
        let edges = inner().map(|(point, around)| [point, around]).collect();
        Collected { edges, carried: carried.collect(), notes: Vec::new() }
    }
}

/// The amount that crosses the boundary of each group.
pub struct Crossings {
    out: Vec<f64>,
    into: Vec<f64>,
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

/// The positions of the points of kept groups.
struct Places {
    place: Vec<[f64; 2]>,
}

impl Places {
    fn of(groups: &Groups, kept: &Kept) -> Places {
        let around = |group: u32| kept.around[group as usize].map(|around| around as usize);
        let mut points_in = vec![0usize; groups.len()];
        for &group in kept.order.iter().filter(|&&group| kept.is_point(group)) {
            if let Some(around) = around(group) {
                points_in[around] += 1;
            }
        }
        let blocks = points_in.iter().filter(|&&points| points > 0).count();
        let together = points_in.iter().copied().max().unwrap_or(1).max(1);
        let ground = Ground::of(blocks * together, together);
        let width_of = |points: usize| match points {
            0 => 0.0,
            points => points.min(ground.columns) as f64 + 0.6,
        };
        // Widths are found from the inside, then positions from the outside.
        let mut width: Vec<f64> = points_in.iter().map(|&points| width_of(points)).collect();
        let inner: Vec<u32> =
            kept.order.iter().copied().filter(|&group| kept.is_inner(group)).collect();
        for &group in inner.iter().rev() {
            if let Some(around) = around(group) {
                width[around] += width[group as usize] + 0.4;
            }
        }
        let whole =
            width.first().copied().unwrap_or(0.0).max(width.iter().copied().fold(0.0, f64::max));
        let gaps = kept.height[0].saturating_sub(kept.points_up_to).saturating_sub(1).max(1);
        let first = (whole / 24.0).clamp(1.5, 8.0);
        let apart = ((whole * 0.5 - first) / f64::from(gaps)).clamp(2.5, (whole / 3.0).max(2.5));

        let mut place = vec![[0.0; 2]; groups.len()];
        // Where the next part of a group begins.
        let mut next = vec![0.0; groups.len()];
        let mut seen = vec![0usize; groups.len()];
        for &group in &kept.order {
            let index = group as usize;
            if kept.is_inner(group) {
                let left = around(group).map_or(0.0, |around| {
                    let left = next[around];
                    next[around] += width[index] + 0.4;
                    left
                });
                next[index] = left + width_of(points_in[index]);
                let level = kept.height[index] - kept.points_up_to - 1;
                place[index] = [left + width[index] / 2.0, first + f64::from(level) * apart];
            } else if let Some(around) = around(group).filter(|_| kept.is_point(group)) {
                let at = seen[around];
                seen[around] += 1;
                let count = points_in[around];
                let [column, row] = in_rows(count, ground.columns, at);
                let slant = ground.slant(row, count.div_ceil(ground.columns));
                // Points of a group come first in it, whatever other groups it has.
                let left = place[around][0] - width[around] / 2.0;
                place[index] = [left + width_of(count) / 2.0 + column + slant, -row];
            }
        }
        Places { place }
    }
}

pub fn plan(topology: &dyn Topology, groups: &Groups) -> Nested {
    let kept = Kept::of(groups);
    let places = Places::of(groups, &kept);
    let names = names::Names::of(topology, groups);
    let mut plan = Plan { block: "group", ..Plan::flat() };
    let (mut numbers, mut around) = (Vec::new(), Vec::new());
    let mut point_of_group = vec![u32::MAX; groups.len()];
    plan.point_of_vertex = vec![0; groups.num_nodes()];
    let mut add = |plan: &mut Plan, group: u32| {
        let point = plan.add(places.place[group as usize], names.name(groups, group));
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
    if largest > 1 {
        let (largest, what) = (grouped(largest as f64), names.what_nodes_are);
        plan.notes.push(format!("A point stands for a group of up to {largest} {what}."));
    }
    plan.notes.push(
        "An edge shows what leaves a group of the machine and what comes into it.".to_string(),
    );
    Nested { plan, groups: numbers, around }
}
