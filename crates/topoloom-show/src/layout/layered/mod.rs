//! Networks with switches: a row for each level, hosts at the bottom, and whatever hangs together
//! side by side.

mod heights;
mod natural;
mod order;
mod spans;

pub use heights::levels_of;

use super::edges::Wired;
use super::plan::Plan;

/// The rows of a layered picture.
#[derive(Debug, Clone, PartialEq)]
pub struct Layers {
    /// What each level is called, the one of the hosts first.
    pub names: Vec<String>,
    /// The level of each point; 0 for those that hold nodes.
    pub level_of: Vec<u16>,
    /// A short name of each point, to be written beside it.
    pub labels: Vec<String>,
    /// The points that hold nodes, in blocks below the same switches.
    pub blocks: Vec<Vec<u32>>,
    /// Whether blocks have several rows. Then lines to single hosts would run through others, and
    /// hosts are drawn as cells.
    pub in_cells: bool,
}

impl Layers {
    /// The highest point of a level, beside which its name is written.
    pub(crate) fn highest(&self, points: &[[f32; 3]], level: usize) -> Option<usize> {
        let of_level = |&(_, at): &(usize, &u16)| usize::from(*at) == level;
        let all = self.level_of.iter().enumerate().filter(of_level).map(|(point, _)| point);
        let height = |point: usize| points.get(point).map_or(f32::MIN, |place| place[1]);
        all.reduce(|best, next| if height(next) > height(best) { next } else { best })
    }

    /// The highest level.
    pub fn top(&self) -> u16 {
        self.names.len().saturating_sub(1) as u16
    }
}

/// What a layered picture is made of.
pub(super) struct Layered {
    /// The level of each point: 0 for those that hold nodes, and only for them.
    pub level_of: Vec<u16>,
    /// How many of the points hold nodes: the first ones.
    pub holding: usize,
    /// Pairs of points that are linked, the lower number first.
    pub links: Vec<[u32; 2]>,
    /// The place of each host if they are read from left to right.
    pub reading: Vec<u32>,
}

impl Layered {
    /// The points that each point is linked to, in ascending order.
    fn neighbours(&self) -> Vec<Vec<u32>> {
        let mut neighbours = vec![Vec::new(); self.level_of.len()];
        for &[a, b] in &self.links {
            neighbours[a as usize].push(b);
            neighbours[b as usize].push(a);
        }
        for list in &mut neighbours {
            list.sort_unstable();
            list.dedup();
        }
        neighbours
    }
}

/// Moves the points of a plan into rows. `names` says what levels are called, and `labels` has the
/// short names of points.
pub(super) fn arrange(
    plan: &mut Plan,
    wired: &Wired,
    level_of: Vec<u16>,
    names: Vec<String>,
    labels: Vec<String>,
) {
    let links = wired.ends().collect();
    let reading = natural::places(&labels[..plan.holding.min(labels.len())]);
    let layered = Layered { level_of, holding: plan.holding, links, reading };
    let placed = order::placed(&layered);
    for (point, [x, y]) in plan.points.iter_mut().zip(&placed.places) {
        *point = [*x as f32, *y as f32, 0.0];
    }
    plan.layers = Some(Layers {
        names,
        level_of: layered.level_of,
        labels,
        blocks: placed.blocks,
        in_cells: placed.rows > 1,
    });
}

/// What the levels of switches are called; nodes are `hosts` or `nodes`.
pub(super) fn usual_names(nodes: &str, top: u16) -> Vec<String> {
    let switches = (1..=top).map(|level| match (level, top) {
        (1, 1) => "switches".to_string(),
        (1, _) => "leaf switches".to_string(),
        (2, 2) => "spine switches".to_string(),
        (2, 3) => "aggregation switches".to_string(),
        (level, top) if level == top => "core switches".to_string(),
        (level, _) => format!("switches of level {level}"),
    });
    std::iter::once(nodes.to_string()).chain(switches).collect()
}

#[cfg(test)]
mod tests;
