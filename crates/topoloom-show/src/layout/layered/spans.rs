//! Parts of a layered network: what hangs together without the switches of higher levels, and how
//! wide it is.

use super::linked::Layered;

/// The room between blocks of hosts, and between parts of the next level.
const BETWEEN_BLOCKS: f64 = 0.6;

/// The room that a switch needs.
const SWITCH: f64 = 0.8;

/// A block of hosts, or a part of a lower level.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Child {
    Block(u32),
    Part(u32),
}

/// What hangs together without switches above a level.
#[derive(Debug, Default)]
pub struct Part {
    /// Its level.
    pub level: u16,
    /// Switches of its level.
    pub switches: Vec<u32>,
    /// What is in it, from left to right.
    pub children: Vec<Child>,
    /// The place of its first host.
    first: u32,
}

/// Parts in parts.
pub struct Parts {
    /// Inner parts first; the last one holds everything.
    pub parts: Vec<Part>,
    /// Hosts that are linked to the same switches.
    pub blocks: Vec<Vec<u32>>,
}

/// The set that each point is in.
struct Sets(Vec<u32>);

impl Sets {
    fn root(&mut self, mut at: u32) -> u32 {
        while self.0[at as usize] != at {
            let above = self.0[self.0[at as usize] as usize];
            self.0[at as usize] = above;
            at = above;
        }
        at
    }

    fn join(&mut self, a: u32, b: u32) {
        let (a, b) = (self.root(a), self.root(b));
        let (low, high) = (a.min(b), a.max(b));
        self.0[high as usize] = low;
    }
}

impl Parts {
    pub fn of(layered: &Layered, neighbours: &[Vec<u32>]) -> Parts {
        let points = layered.level_of.len() as u32;
        let top = layered.level_of.iter().copied().max().unwrap_or(0);
        let blocks = blocks(layered, neighbours);
        let level = |point: u32| layered.level_of[point as usize];
        // A block belongs to the lowest of its switches.
        let level_of_block: Vec<u16> = blocks
            .iter()
            .map(|block| neighbours[block[0] as usize].iter().map(|&at| level(at)).min())
            .map(|lowest| lowest.unwrap_or(top + 1).max(1))
            .collect();
        let mut links: Vec<[u32; 2]> = layered.links.clone();
        links.sort_unstable_by_key(|ends| ends.map(level).into_iter().max());
        let mut links = links.into_iter().peekable();
        let mut by_level: Vec<Vec<u32>> = vec![Vec::new(); usize::from(top) + 2];
        for point in layered.holding as u32..points {
            by_level[usize::from(level(point))].push(point);
        }
        let mut sets = Sets((0..points).collect());
        let mut parts: Vec<Part> = Vec::new();
        // The part that holds each set, by its root; only parts that are not yet in another.
        let mut open: Vec<(u32, u32)> = Vec::new();
        let mut part_of_root = vec![u32::MAX; points as usize];
        for at in 1..=top + 1 {
            let is_all = at == top + 1;
            while let Some(&ends) = links.peek() {
                if ends.map(level).into_iter().max() > Some(at) {
                    break;
                }
                sets.join(ends[0], ends[1]);
                links.next();
            }
            let mut made: Vec<(u32, u32)> = Vec::new();
            let mut part_at = |parts: &mut Vec<Part>, root: u32| -> usize {
                let root = if is_all { 0 } else { root };
                let known = part_of_root[root as usize];
                if known != u32::MAX && parts[known as usize].level == at {
                    return known as usize;
                }
                part_of_root[root as usize] = parts.len() as u32;
                made.push((root, parts.len() as u32));
                parts.push(Part { level: at, first: u32::MAX, ..Part::default() });
                parts.len() - 1
            };
            for (member, inner) in std::mem::take(&mut open) {
                let part = part_at(&mut parts, sets.root(member));
                let first = parts[inner as usize].first;
                parts[part].first = parts[part].first.min(first);
                parts[part].children.push(Child::Part(inner));
            }
            for (number, block) in (0u32..).zip(&blocks) {
                if level_of_block[number as usize] == at {
                    let part = part_at(&mut parts, sets.root(block[0]));
                    let first = layered.reading[block[0] as usize];
                    parts[part].first = parts[part].first.min(first);
                    parts[part].children.push(Child::Block(number));
                }
            }
            for &switch in &by_level[usize::from(at)] {
                let part = part_at(&mut parts, sets.root(switch));
                parts[part].switches.push(switch);
            }
            open = made;
        }
        let firsts: Vec<u32> = parts.iter().map(|part| part.first).collect();
        for part in &mut parts {
            part.children.sort_by_key(|&child| match child {
                Child::Block(block) => (layered.reading[blocks[block as usize][0] as usize], 0),
                Child::Part(part) => (firsts[part as usize], part),
            });
        }
        Parts { parts, blocks }
    }

    /// The most hosts of a block.
    pub fn largest_block(&self) -> usize {
        self.blocks.iter().map(Vec::len).max().unwrap_or(1)
    }

    /// The width of each part if blocks have at most this many rows.
    pub fn widths(&self, rows: usize) -> Vec<f64> {
        let mut widths: Vec<f64> = Vec::with_capacity(self.parts.len());
        for part in &self.parts {
            let inside = self.inner_width(part, rows, &widths);
            widths.push(inside.max(SWITCH * part.switches.len() as f64));
        }
        widths
    }

    /// The width of what is in a part, with gaps.
    pub fn inner_width(&self, part: &Part, rows: usize, widths: &[f64]) -> f64 {
        let all: f64 =
            part.children.iter().map(|&child| self.child_width(child, rows, widths)).sum();
        all + part.children.len().saturating_sub(1) as f64 * gap(part.level)
    }

    pub fn child_width(&self, child: Child, rows: usize, widths: &[f64]) -> f64 {
        match child {
            Child::Part(part) => widths[part as usize],
            Child::Block(block) => columns(self.blocks[block as usize].len(), rows) as f64,
        }
    }
}

/// The room between the children of a part.
pub fn gap(level: u16) -> f64 {
    // Pods are farther apart than leaves, but deep trees do not fall to pieces.
    BETWEEN_BLOCKS * f64::from(level.saturating_sub(1).clamp(1, 3))
}

/// The columns of a block with at most this many rows.
pub fn columns(hosts: usize, rows: usize) -> usize {
    hosts.div_ceil(rows.max(1)).max(1)
}

/// Hosts in blocks that are linked to the same switches, in the order in which they are read.
fn blocks(layered: &Layered, neighbours: &[Vec<u32>]) -> Vec<Vec<u32>> {
    let reading = |host: u32| layered.reading[host as usize];
    let mut hosts: Vec<u32> = (0..layered.holding as u32).collect();
    hosts.sort_by(|&a, &b| {
        let switches = neighbours[a as usize].cmp(&neighbours[b as usize]);
        switches.then(reading(a).cmp(&reading(b)))
    });
    let mut blocks: Vec<Vec<u32>> = hosts
        .chunk_by(|&a, &b| neighbours[a as usize] == neighbours[b as usize])
        .map(<[u32]>::to_vec)
        .collect();
    blocks.sort_unstable_by_key(|block| reading(block[0]));
    blocks
}
