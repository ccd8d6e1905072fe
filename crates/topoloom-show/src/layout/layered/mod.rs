//! Networks with switches: a row for each level, hosts at the bottom, and whatever hangs together
//! side by side.

mod heights;
mod linked;
mod natural;
mod order;
mod spans;

pub use heights::levels_of;

use super::edges::Wired;
use super::layers::Layers;
use super::plan::Plan;
use linked::Layered;

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
