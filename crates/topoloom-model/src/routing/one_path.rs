//! One path for each pair of nodes, for simulators that know no other routes.

use std::collections::{HashMap, VecDeque};

use crate::ids::{LinkId, Vertex};
use crate::machine::Machine;
use crate::random::{below, stream};

/// What came of looking for the path of a pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OnePath {
    /// All messages take this path.
    Only,
    /// Messages also take other paths.
    OneOfSeveral,
    /// No path leads there.
    None,
}

/// Finds the links from one node to another in their order, and puts them into `path`.
///
/// If the routing divides messages among several paths, one of the shortest is drawn, link by link,
/// as switches do that choose by a hash of both ends: each link that leads closer is equally likely.
/// The draw depends on `seed` and on the pair alone.
pub fn one_path(
    machine: &Machine,
    from: Vertex,
    to: Vertex,
    seed: u64,
    path: &mut Vec<LinkId>,
) -> OnePath {
    path.clear();
    let topology = machine.topology();
    let mut taken: Vec<Taken> = Vec::new();
    machine.routing().route(topology, from, to, &mut |id, _| {
        if let Some(link) = topology.link(id) {
            taken.push(Taken { from: link.from.0, id, to: link.to.0 });
        }
    });
    taken.sort_unstable();
    taken.dedup();
    let is_one = taken.windows(2).all(|pair| pair[0].from != pair[1].from);
    if !is_one {
        keep_shortest(&mut taken, to.0);
    }
    let mut random = stream(seed, &[u64::from(from.0), u64::from(to.0)]);
    let mut at = from.0;
    while at != to.0 {
        let start = taken.partition_point(|link| link.from < at);
        let on = taken[start..].partition_point(|link| link.from == at);
        // A path takes no link twice.
        if on == 0 || path.len() == taken.len() {
            path.clear();
            return OnePath::None;
        }
        let drawn = if on > 1 { below(&mut random, on as u32) as usize } else { 0 };
        path.push(taken[start + drawn].id);
        at = taken[start + drawn].to;
    }
    if is_one { OnePath::Only } else { OnePath::OneOfSeveral }
}

/// A link that messages of a pair take, by where it begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Taken {
    from: u32,
    id: LinkId,
    to: u32,
}

/// Keeps the links that lead one link closer to `target` on the links that are taken. Paths of
/// different lengths could otherwise be joined to a circle.
fn keep_shortest(taken: &mut Vec<Taken>, target: u32) {
    let mut into: HashMap<u32, Vec<u32>> = HashMap::new();
    taken.iter().for_each(|link| into.entry(link.to).or_default().push(link.from));
    let mut left = HashMap::from([(target, 0u32)]);
    let mut reached = VecDeque::from([target]);
    while let Some(at) = reached.pop_front() {
        let next = left[&at] + 1;
        for &before in into.get(&at).into_iter().flatten() {
            left.entry(before).or_insert_with(|| {
                reached.push_back(before);
                next
            });
        }
    }
    taken.retain(|link| match (left.get(&link.from), left.get(&link.to)) {
        (Some(from), Some(to)) => *from == to + 1,
        _ => false,
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(machine: &str, routing: &str, from: u32, to: u32) -> (OnePath, Vec<(u32, u32)>) {
        let machine = Machine::parse(machine).unwrap().with_routing(routing).unwrap();
        let mut links = Vec::new();
        let found = one_path(&machine, Vertex(from), Vertex(to), 1, &mut links);
        let ends = links.iter().map(|&id| machine.topology().link(id).unwrap());
        (found, ends.map(|link| (link.from.0, link.to.0)).collect())
    }

    #[test]
    fn a_single_path_is_in_order() {
        // Node x + 4y: two steps along x, then one along y.
        let (found, links) = path("mesh:4x4", "dimension-order", 0, 6);
        assert_eq!((found, links), (OnePath::Only, vec![(0, 1), (1, 2), (2, 6)]));
        assert_eq!(path("mesh:4x4", "dimension-order", 5, 5), (OnePath::Only, vec![]));
    }

    #[test]
    fn one_of_several_paths_is_a_whole_path_and_is_drawn_the_same_way_again() {
        let drawn = path("mesh:4x4", "minimal-adaptive", 0, 15);
        assert_eq!(drawn.0, OnePath::OneOfSeveral);
        assert_eq!(drawn.1.len(), 6);
        assert!(drawn.1.windows(2).all(|pair| pair[0].1 == pair[1].0));
        assert_eq!(drawn, path("mesh:4x4", "minimal-adaptive", 0, 15));
    }

    #[test]
    fn pairs_are_divided_among_equal_paths() {
        // 4 hosts under each of 4 leaves, 4 spines. Of 48 pairs over a spine, none has all.
        let mut seen = std::collections::HashMap::new();
        for (from, to) in (0..4).flat_map(|from| (4..16).map(move |to| (from, to))) {
            let (_, links) = path("fat-tree:levels=2,down=4:4,up=4", "ecmp", from, to);
            *seen.entry(links[1].1).or_insert(0) += 1;
        }
        assert_eq!(seen.len(), 4);
        assert!(seen.values().all(|&pairs| (4..=24).contains(&pairs)), "{seen:?}");
    }
}
