//! Links that routes between clusters share.

use std::collections::HashMap;

use super::ways::Way;
use super::zones::{LinkId, Zones};

/// Clusters around one middle, each on its own link, which all its messages share.
#[derive(Debug, Clone, PartialEq)]
pub struct Star {
    /// Bytes per second and seconds of each cluster's link.
    pub uplinks: Vec<(f64, f64)>,
    /// Bytes per second and seconds of the middle, if there is anything in it.
    pub core: Option<(f64, f64)>,
    /// Whether messages through the middle share it.
    pub core_is_shared: bool,
}

impl Star {
    /// The star that the ways between `count` clusters form, if they form one: the link of the
    /// source, the common middle, the link of the target.
    pub fn of(zones: &Zones, count: usize, table: &[Way]) -> Option<Star> {
        if count < 3 {
            return None;
        }
        let links = |from: usize, to: usize| &table[from * count + to].links[..];
        let other = |cluster: usize| usize::from(cluster == 0);
        let uplinks = (0..count).map(|cluster| links(cluster, other(cluster)).first().copied());
        let uplinks: Vec<LinkId> = uplinks.collect::<Option<_>>()?;
        let mut different = uplinks.clone();
        different.sort_unstable();
        different.dedup();
        if different.len() != count {
            return None;
        }
        let core = |from: usize, to: usize| match links(from, to) {
            [first, core @ .., last] if *first == uplinks[from] && *last == uplinks[to] => {
                Some(core)
            }
            _ => None,
        };
        let middle = core(0, 1)?;
        let backwards: Vec<LinkId> = middle.iter().rev().copied().collect();
        for from in 0..count {
            for to in (0..count).filter(|&to| to != from) {
                let core = core(from, to)?;
                if core != middle && core != backwards {
                    return None;
                }
            }
        }
        let value =
            |link: &LinkId| (zones.links[*link].bytes_per_second, zones.links[*link].seconds);
        let narrow = |(bandwidth, latency): (f64, f64), (other, more): (f64, f64)| {
            (bandwidth.min(other), latency + more)
        };
        Some(Star {
            uplinks: uplinks.iter().map(value).collect(),
            core: middle.iter().map(value).reduce(narrow),
            core_is_shared: middle.iter().any(|&link| !zones.links[link].fat_pipe),
        })
    }
}

/// How many of the links between clusters are fat pipes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FatPipes {
    None,
    Some,
    All,
}

impl FatPipes {
    /// The fat pipes of the ways between `count` clusters.
    pub fn of(zones: &Zones, count: usize, table: &[Way]) -> FatPipes {
        let between = (0..table.len()).filter(|at| at / count != at % count);
        let links = between.flat_map(|at| &table[at].links);
        let (mut fat, mut shared) = (false, false);
        for &link in links {
            match zones.links[link].fat_pipe {
                true => fat = true,
                false => shared = true,
            }
        }
        match (fat, shared) {
            (false, _) => FatPipes::None,
            (true, false) => FatPipes::All,
            (true, true) => FatPipes::Some,
        }
    }
}

/// Whether ways between different pairs of clusters lead over the same link.
pub fn share_links(zones: &Zones, count: usize, table: &[Way]) -> bool {
    let mut users: HashMap<LinkId, (usize, usize)> = HashMap::new();
    for from in 0..count {
        for to in 0..count {
            let pair = (from.min(to), from.max(to));
            let links = table[from * count + to].links.iter();
            for &link in links.filter(|&&link| !zones.links[link].fat_pipe) {
                if *users.entry(link).or_insert(pair) != pair {
                    return true;
                }
            }
        }
    }
    false
}
