//! The lines of a layered machine. Where there are many, links between the same switches share a
//! bar, as the lines of a bus do.

use std::collections::BTreeMap;

use super::paper::Paper;
use crate::layout::{DrawnMachine, Layers};

/// Up to this many links between two levels are drawn one by one.
const ONE_BY_ONE: usize = 420;

/// How far a bar is from its switches, as a part of the room between two rows.
const BAR: f64 = 0.2;

/// The distance of bars that would lie on each other.
const LANE: f64 = 7.0;

/// A line on paper.
#[derive(Debug, Clone, PartialEq)]
pub struct Stroke {
    /// Its corners.
    pub corners: Vec<[f64; 2]>,
    /// The edges that it stands for.
    pub edges: Vec<u32>,
    /// Whether it is a bar.
    pub is_bar: bool,
    /// Whether it is bent: from its first corner to its last, towards the one between.
    pub is_bent: bool,
}

impl Stroke {
    fn line(a: [f64; 2], b: [f64; 2], edges: Vec<u32>) -> Stroke {
        Stroke { corners: vec![a, b], edges, is_bar: false, is_bent: false }
    }

    pub fn length(&self) -> f64 {
        let two = self.corners.windows(2);
        two.map(|two| (two[0][0] - two[1][0]).hypot(two[0][1] - two[1][1])).sum()
    }
}

/// All lines, and whether some of them share bars.
pub struct Strokes {
    pub all: Vec<Stroke>,
    pub has_bars: bool,
}

pub fn strokes(drawn: &DrawnMachine, layers: &Layers, paper: &Paper) -> Strokes {
    let mut strokes = Strokes { all: Vec::new(), has_bars: false };
    let level = |point: u32| layers.level_of.get(point as usize).copied().unwrap_or(0);
    let see = |point: u32| paper.see(drawn.points[point as usize]);
    let mut between: BTreeMap<(u16, u16), Vec<u32>> = BTreeMap::new();
    for (edge, &[a, b]) in (0u32..).zip(&drawn.edges) {
        let (low, high) = (level(a).min(level(b)), level(a).max(level(b)));
        between.entry((low, high)).or_default().push(edge);
    }
    for ((low, high), edges) in between {
        if low == high {
            strokes.all.extend(edges.iter().map(|&edge| arc(drawn, paper, edge)));
        } else if low == 0 && layers.in_cells {
            to_blocks(&mut strokes, drawn, layers, paper, &edges);
        } else if edges.len() <= ONE_BY_ONE || (low == 0 && is_comb(drawn, &edges)) {
            strokes.all.extend(edges.iter().map(|&edge| {
                let [a, b] = drawn.edges[edge as usize].map(see);
                Stroke::line(a, b, vec![edge])
            }));
        } else {
            strokes.has_bars = true;
            strokes.all.extend(bundled(drawn, layers, paper, &edges));
        }
    }
    strokes
}

/// Whether every host has only one of these edges.
fn is_comb(drawn: &DrawnMachine, edges: &[u32]) -> bool {
    let mut has_one = vec![false; drawn.holding];
    edges.iter().all(|&edge| {
        let host = drawn.edges[edge as usize][0] as usize;
        has_one.get_mut(host).is_some_and(|seen| !std::mem::replace(seen, true))
    })
}

/// A link between two switches of a row, above it.
fn arc(drawn: &DrawnMachine, paper: &Paper, edge: u32) -> Stroke {
    let [a, b] = drawn.edges[edge as usize].map(|point| paper.see(drawn.points[point as usize]));
    let high = (0.25 * (a[0] - b[0]).abs()).clamp(12.0, 60.0);
    let middle = [(a[0] + b[0]) / 2.0, a[1].min(b[1]) - 2.0 * high];
    Stroke { corners: vec![a, middle, b], edges: vec![edge], is_bar: false, is_bent: true }
}

/// A line from each switch to each block of hosts below it.
fn to_blocks(
    strokes: &mut Strokes,
    drawn: &DrawnMachine,
    layers: &Layers,
    paper: &Paper,
    edges: &[u32],
) {
    let mut block_of = vec![0u32; drawn.holding];
    for (number, block) in (0u32..).zip(&layers.blocks) {
        block.iter().for_each(|&host| block_of[host as usize] = number);
    }
    let mut of_pair: BTreeMap<(u32, u32), Vec<u32>> = BTreeMap::new();
    for &edge in edges {
        let [host, switch] = drawn.edges[edge as usize];
        of_pair.entry((block_of[host as usize], switch)).or_default().push(edge);
    }
    for ((block, switch), edges) in of_pair {
        let hosts = &layers.blocks[block as usize];
        let places = hosts.iter().map(|&host| paper.see(drawn.points[host as usize]));
        let (mut left, mut right, mut top) = (f64::INFINITY, f64::NEG_INFINITY, f64::INFINITY);
        for [x, y] in places {
            (left, right, top) = (left.min(x), right.max(x), top.min(y));
        }
        let from = paper.see(drawn.points[switch as usize]);
        let to = [from[0].clamp(left, right), top - 0.5 * paper.unit];
        strokes.all.push(Stroke::line(to, from, edges));
    }
}

/// Points of a row that are side by side and linked to the same points of the other row.
struct Group {
    members: Vec<u32>,
    left: f64,
    right: f64,
    y: f64,
}

impl Group {
    fn middle(&self) -> f64 {
        (self.left + self.right) / 2.0
    }
}

/// The groups of a row, and the group of each point.
fn groups(
    drawn: &DrawnMachine,
    paper: &Paper,
    linked: &BTreeMap<u32, Vec<u32>>,
) -> (Vec<Group>, BTreeMap<u32, usize>) {
    let place = |point: &u32| paper.see(drawn.points[*point as usize]);
    let mut row: Vec<u32> = linked.keys().copied().collect();
    row.sort_by(|a, b| place(a)[0].total_cmp(&place(b)[0]).then(a.cmp(b)));
    let mut groups = Vec::new();
    let mut group_of = BTreeMap::new();
    for members in row.chunk_by(|a, b| linked[a] == linked[b]) {
        members.iter().for_each(|&member| {
            group_of.insert(member, groups.len());
        });
        let [first, last] =
            [members.first(), members.last()].map(|point| point.map_or([0.0; 2], place));
        groups.push(Group {
            members: members.to_vec(),
            left: first[0],
            right: last[0],
            y: first[1],
        });
    }
    (groups, group_of)
}

/// Lines that share bars: links between all points of one group and all of another.
fn bundled(drawn: &DrawnMachine, layers: &Layers, paper: &Paper, edges: &[u32]) -> Vec<Stroke> {
    let level = |point: u32| layers.level_of[point as usize];
    let mut linked: [BTreeMap<u32, Vec<u32>>; 2] = [BTreeMap::new(), BTreeMap::new()];
    let sorted = |edge: u32| {
        let [a, b] = drawn.edges[edge as usize];
        if level(a) < level(b) { [a, b] } else { [b, a] }
    };
    for &edge in edges {
        let [low, high] = sorted(edge);
        linked[0].entry(low).or_default().push(high);
        linked[1].entry(high).or_default().push(low);
    }
    linked.iter_mut().flat_map(BTreeMap::values_mut).for_each(|list| list.sort_unstable());
    let (lows, low_of) = groups(drawn, paper, &linked[0]);
    let (highs, high_of) = groups(drawn, paper, &linked[1]);
    let mut pairs: BTreeMap<(usize, usize), Vec<u32>> = BTreeMap::new();
    for &edge in edges {
        let [low, high] = sorted(edge);
        pairs.entry((low_of[&low], high_of[&high])).or_default().push(edge);
    }
    let mut partners = [vec![0usize; lows.len()], vec![0usize; highs.len()]];
    for &(low, high) in pairs.keys() {
        partners[0][low] += 1;
        partners[1][high] += 1;
    }
    let mut strokes = Vec::new();
    let mut one_bar = Vec::new();
    // Where the trunks of each group meet it: sorted by where they come from.
    let mut trunks = Vec::new();
    for (&(low, high), edges) in &pairs {
        let several = lows[low].members.len() > 1 && highs[high].members.len() > 1;
        match several && partners[0][low] == 1 && partners[1][high] == 1 {
            true => one_bar.push((&lows[low], &highs[high], &edges[..])),
            false => trunks.push((low, high, &edges[..])),
        }
    }
    let ends = |edge: u32| sorted(edge);
    bars_between(&mut strokes, drawn, paper, &one_bar, &ends);
    let ends_of_trunks = [
        attached(
            &lows,
            trunks.iter().map(|&(low, high, _)| (low, highs[high].middle())),
            1.0,
            &highs,
        ),
        attached(
            &highs,
            trunks.iter().map(|&(low, high, _)| (high, lows[low].middle())),
            -1.0,
            &lows,
        ),
    ];
    for (number, &(_, _, edges)) in trunks.iter().enumerate() {
        let [from, to] = [0, 1].map(|side| ends_of_trunks[side][number]);
        strokes.push(Stroke::line(from, to, edges.to_vec()));
    }
    for (side, groups) in [&lows, &highs].into_iter().enumerate() {
        let other = if side == 0 { &highs } else { &lows };
        let mut edges_of = vec![Vec::new(); groups.len()];
        for &(low, high, edges) in &trunks {
            edges_of[[low, high][side]].extend_from_slice(edges);
        }
        for (group, of_group) in groups.iter().zip(edges_of) {
            if group.members.len() == 1 || of_group.is_empty() {
                continue;
            }
            let y = bar_height(group, other, if side == 0 { 1.0 } else { -1.0 });
            let mut of_member: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
            for &edge in &of_group {
                of_member.entry(sorted(edge)[side]).or_default().push(edge);
            }
            for (member, edges) in of_member {
                let place = paper.see(drawn.points[member as usize]);
                strokes.push(Stroke::line([place[0], y], place, edges));
            }
            strokes.push(bar([group.left, group.right], y, of_group));
        }
    }
    strokes
}

fn bar([left, right]: [f64; 2], y: f64, edges: Vec<u32>) -> Stroke {
    Stroke { corners: vec![[left, y], [right, y]], edges, is_bar: true, is_bent: false }
}

/// The height of the bar of a group; `up` is 1 for groups of the lower row.
fn bar_height(group: &Group, other: &[Group], up: f64) -> f64 {
    let room = other.first().map_or(40.0, |other| (other.y - group.y).abs());
    group.y - up * BAR * room
}

/// Where each trunk meets its group: at its only member, or along its bar in the order of the other
/// ends.
fn attached(
    groups: &[Group],
    trunks: impl Iterator<Item = (usize, f64)>,
    up: f64,
    other: &[Group],
) -> Vec<[f64; 2]> {
    let trunks: Vec<(usize, f64)> = trunks.collect();
    let mut order: Vec<usize> = (0..trunks.len()).collect();
    order.sort_by(|&a, &b| {
        trunks[a].0.cmp(&trunks[b].0).then(trunks[a].1.total_cmp(&trunks[b].1)).then(a.cmp(&b))
    });
    let mut places = vec![[0.0; 2]; trunks.len()];
    for of_group in order.chunk_by(|&a, &b| trunks[a].0 == trunks[b].0) {
        let group = &groups[trunks[of_group[0]].0];
        let is_one = group.members.len() == 1;
        let y = if is_one { group.y } else { bar_height(group, other, up) };
        for (at, &trunk) in of_group.iter().enumerate() {
            let part = (at as f64 + 0.5) / of_group.len() as f64;
            places[trunk] = [group.left + part * (group.right - group.left), y];
        }
    }
    places
}

/// A bar in the middle between two groups that are linked only to each other.
fn bars_between(
    strokes: &mut Vec<Stroke>,
    drawn: &DrawnMachine,
    paper: &Paper,
    pairs: &[(&Group, &Group, &[u32])],
    ends: &dyn Fn(u32) -> [u32; 2],
) {
    let span = |low: &Group, high: &Group| [low.left.min(high.left), low.right.max(high.right)];
    let mut order: Vec<usize> = (0..pairs.len()).collect();
    let spans: Vec<[f64; 2]> = pairs.iter().map(|&(low, high, _)| span(low, high)).collect();
    order.sort_by(|&a, &b| spans[a][0].total_cmp(&spans[b][0]).then(a.cmp(&b)));
    // The right end of the last bar of each lane.
    let mut lanes: Vec<f64> = Vec::new();
    let mut lane_of = vec![0usize; pairs.len()];
    for &pair in &order {
        let free = lanes.iter().position(|&end| end < spans[pair][0]);
        let lane = free.unwrap_or(lanes.len());
        match free {
            Some(lane) => lanes[lane] = spans[pair][1],
            None => lanes.push(spans[pair][1]),
        }
        lane_of[pair] = lane;
    }
    for (number, &(low, high, edges)) in pairs.iter().enumerate() {
        let room = (low.y - high.y).abs();
        let apart = LANE.min(0.6 * room / lanes.len().max(1) as f64);
        let aside = lane_of[number] as f64 - (lanes.len() as f64 - 1.0) / 2.0;
        let y = (low.y + high.y) / 2.0 + aside * apart;
        let mut of_member: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        for &edge in edges {
            ends(edge).into_iter().for_each(|end| of_member.entry(end).or_default().push(edge));
        }
        for (member, edges) in of_member {
            let place = paper.see(drawn.points[member as usize]);
            strokes.push(Stroke::line([place[0], y], place, edges));
        }
        strokes.push(bar(spans[number], y, edges.to_vec()));
    }
}
