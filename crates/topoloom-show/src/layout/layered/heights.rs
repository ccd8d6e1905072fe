//! The level of each switch, from the links alone.

use crate::layout::edges::Wired;
use crate::layout::plan::Plan;

/// A picture in rows needs links between rows. If more than this share of the links between
/// switches stays in one level, the network is not a tree of any kind.
const MOST_LEVEL_LINKS: f64 = 0.2;

/// A switch with at most this share of the hosts of the fullest one may be a spine that also has
/// some hosts.
const FEW_HOSTS: f64 = 0.25;

const UNKNOWN: u16 = u16::MAX;

/// The level of each point: 0 for hosts, then hops from the hosts. None if rows do not suit the
/// network: it has no switches, or too many links between switches of one level.
pub fn levels_of(plan: &Plan, wired: &Wired) -> Option<Vec<u16>> {
    let points = plan.points.len();
    let holding = plan.holding;
    if points == holding {
        return None;
    }
    let mut neighbours = vec![Vec::new(); points];
    let mut hosts = vec![0usize; points];
    for [low, high] in wired.ends() {
        let [low_holds, high_holds] = [low, high].map(|point| (point as usize) < holding);
        match (low_holds, high_holds) {
            // Hosts that are cabled to each other have no level.
            (true, true) => return None,
            (true, false) => hosts[high as usize] += 1,
            _ => {
                neighbours[low as usize].push(high);
                neighbours[high as usize].push(low);
            }
        }
    }
    let most = hosts.iter().copied().max().unwrap_or(0);
    if most == 0 {
        return None;
    }
    let is_full = |point: usize| hosts[point] as f64 > FEW_HOSTS * most as f64;
    let is_leaf = |point: usize| {
        let beside_leaf = || neighbours[point].iter().any(|&other| is_full(other as usize));
        is_full(point) || (hosts[point] > 0 && !beside_leaf())
    };
    let mut level_of = vec![UNKNOWN; points];
    level_of[..holding].fill(0);
    let mut reached: Vec<u32> =
        (holding as u32..points as u32).filter(|&point| is_leaf(point as usize)).collect();
    reached.iter().for_each(|&point| level_of[point as usize] = 1);
    let mut next = 0;
    while let Some(&at) = reached.get(next) {
        next += 1;
        let level = level_of[at as usize].saturating_add(1).min(UNKNOWN - 1);
        for &other in &neighbours[at as usize] {
            if level_of[other as usize] == UNKNOWN {
                level_of[other as usize] = level;
                reached.push(other);
            }
        }
    }
    // Switches that nothing leads to are out of the way on top.
    let top = level_of.iter().copied().filter(|&level| level != UNKNOWN).max().unwrap_or(1);
    level_of.iter_mut().filter(|level| **level == UNKNOWN).for_each(|level| *level = top);
    let between = wired.ends().filter(|ends| ends.iter().all(|&end| end as usize >= holding));
    let (mut all, mut level_links) = (0usize, 0usize);
    for [a, b] in between {
        all += 1;
        level_links += usize::from(level_of[a as usize] == level_of[b as usize]);
    }
    (level_links as f64 <= MOST_LEVEL_LINKS * all as f64).then_some(level_of)
}
