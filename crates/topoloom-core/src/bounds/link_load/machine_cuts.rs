//! Machine cuts: what must cross between as many ranks as fit on some nodes and all others shares the
//! links between these nodes and the others.

use super::entry::{LinkBoundEntry, Sight, all_links};
use crate::bounds::entry::Work;
use crate::bounds::least_cut::LeastCut;
use crate::bounds::meter::Meter;
use crate::topology::{Link, Topology};

/// The registry's entry.
pub(super) static ENTRY: LinkBoundEntry =
    LinkBoundEntry { name: "machine cuts", work: Work::Thorough, compute: machine_cuts };

/// Links that are examined for all cuts together: some tenths of a second.
const MOST_WORK: usize = 1 << 24;

fn machine_cuts(sight: &Sight<'_>, meter: &mut Meter<'_>) -> Option<f64> {
    let topology = sight.view.problem.machine().topology();
    let links: Vec<(Link, f64)> = all_links(topology)
        .map(|link| {
            let relative = sight.links.relative(&link);
            (link, relative)
        })
        .collect();
    let most_cuts = MOST_WORK / links.len().max(1);
    let parts = parts(topology, most_cuts)?;
    let mut cuts = LeastCut::new(sight.view, meter)?;
    let mut best = 0.0f64;
    for part in parts {
        if !meter.has_time() {
            break;
        }
        let side = sides(topology, &links, &part);
        let is_between = |link: &Link| side[link.from.index()] != side[link.to.index()];
        let between = links.iter().filter(|(link, _)| is_between(link));
        let room: f64 = between.map(|(_, relative)| relative).sum();
        let nodes = part.iter().filter(|&&is_in| is_in).count() as u64;
        if room > 0.0 && nodes > 0 {
            best = best.max(cuts.between(sight.view, nodes) / room);
        }
    }
    Some(best)
}

/// Sets of nodes that few links lead out of: layers of a box, or the parts that a machine is made of.
fn parts(topology: &dyn Topology, most: usize) -> Option<Vec<Vec<bool>>> {
    let nodes = topology.num_nodes();
    let mut parts = Vec::new();
    if let Some(lengths) = topology.grid_lengths() {
        let all: usize = lengths.iter().map(|&length| (length * (length - 1) / 2) as usize).sum();
        let mut step = 1;
        for &length in lengths {
            // If there is no time for layers between any two cuts, only those from the first on.
            let first = if all <= most { 0..length } else { 0..1 };
            for (from, to) in first.flat_map(|from| (from + 1..length).map(move |to| (from, to))) {
                let is_in = |node: usize| (from..to).contains(&(node as u32 / step % length));
                parts.push((0..nodes).map(is_in).collect());
            }
            step *= length;
        }
    } else {
        let mut size = 1;
        for parts_of_level in topology.nested_parts()? {
            size *= parts_of_level as usize;
            for first in (0..nodes).step_by(size.max(1)) {
                let is_in = |node: usize| (first..first + size).contains(&node);
                parts.push((0..nodes).map(is_in).collect());
            }
        }
    }
    (parts.len() <= most).then_some(parts)
}

/// On which side each vertex is: nodes as given, and switches where most of their links lead to.
fn sides(topology: &dyn Topology, links: &[(Link, f64)], part: &[bool]) -> Vec<bool> {
    let mut side: Vec<Option<bool>> = part.iter().map(|&is_in| Some(is_in)).collect();
    side.resize(topology.num_vertices(), None);
    loop {
        let mut pull = vec![0.0; side.len()];
        for (link, relative) in links {
            for (at, other) in [(link.from, link.to), (link.to, link.from)] {
                if let (None, Some(is_in)) = (side[at.index()], side[other.index()]) {
                    pull[at.index()] += if is_in { *relative } else { -*relative };
                }
            }
        }
        let mut is_done = true;
        for (side, pull) in side.iter_mut().zip(pull) {
            if side.is_none() && pull != 0.0 {
                *side = Some(pull > 0.0);
                is_done = false;
            }
        }
        if is_done {
            return side.into_iter().map(|side| side.unwrap_or(false)).collect();
        }
    }
}
