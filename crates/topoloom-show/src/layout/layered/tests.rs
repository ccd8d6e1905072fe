use std::collections::BTreeMap;
use std::sync::Arc;

use topoloom_core::topology::{Edge, Graph, LinkProperties};
use topoloom_core::{Machine, Vertex};

use crate::layout::{DrawnMachine, Layers};

fn drawn(spec: &str) -> (DrawnMachine, Layers) {
    let drawn = DrawnMachine::of(&Machine::parse(spec).unwrap());
    let layers = drawn.layers.clone().expect("it has levels");
    (drawn, layers)
}

/// A network of nodes and switches with these cables.
fn network(nodes: u32, switches: u32, cables: &[(u32, u32)]) -> DrawnMachine {
    let edge = |&(a, b): &(u32, u32)| Edge {
        ends: [Vertex(a), Vertex(b)],
        properties: LinkProperties::ELECTRICAL,
    };
    let edges: Vec<Edge> = cables.iter().map(edge).collect();
    let graph = Graph::new(nodes, switches, &edges).unwrap();
    DrawnMachine::of(&Machine::with_topology("graph:network.txt", Arc::new(graph)).unwrap())
}

fn check(drawn: &DrawnMachine, layers: &Layers) {
    assert_eq!(layers.level_of.len(), drawn.points.len());
    assert_eq!(layers.labels.len(), drawn.points.len());
    // No two hosts overlap: those of a row are at least 1 apart.
    let mut rows: BTreeMap<i64, Vec<f32>> = BTreeMap::new();
    for place in &drawn.points[..drawn.holding] {
        rows.entry((place[1] * 100.0).round() as i64).or_default().push(place[0]);
    }
    for row in rows.values_mut() {
        row.sort_by(f32::total_cmp);
        assert!(row.windows(2).all(|two| two[1] - two[0] > 0.99), "{row:?}");
    }
    let rows: Vec<i64> = rows.into_keys().collect();
    assert!(rows.windows(2).all(|two| two[1] - two[0] >= 99));
    // Switches of a row do not overlap either, and higher levels are higher.
    let mut heights: BTreeMap<u16, Vec<[f32; 2]>> = BTreeMap::new();
    for (place, &level) in drawn.points.iter().zip(&layers.level_of).skip(drawn.holding) {
        assert!(level > 0 && level <= layers.top());
        heights.entry(level).or_default().push([place[0], place[1]]);
    }
    let mut below = 0.0;
    for row in heights.values_mut() {
        row.sort_by(|a, b| a[0].total_cmp(&b[0]));
        assert!(row.windows(2).all(|two| two[1][0] - two[0][0] > 0.3));
        assert!(row.iter().all(|place| place[1] == row[0][1]));
        assert!(row[0][1] > below);
        below = row[0][1];
    }
    // Every host is in one block.
    let mut hosts: Vec<u32> = layers.blocks.iter().flatten().copied().collect();
    hosts.sort_unstable();
    assert!(hosts.into_iter().eq(0..drawn.holding as u32));
}

/// How many pairs of lines between hosts and their switches cross.
fn crossing_stalks(drawn: &DrawnMachine) -> usize {
    let mut stalks: Vec<[f32; 2]> = Vec::new();
    for &[low, high] in &drawn.edges {
        if (low as usize) < drawn.holding {
            stalks.push([low, high].map(|point| drawn.points[point as usize][0]));
        }
    }
    // From left to right at the bottom, lines that do not cross are from left to right at the top.
    stalks.sort_by(|a, b| a[0].total_cmp(&b[0]));
    stalks.windows(2).filter(|two| two[0][1] > two[1][1]).count()
}

#[test]
fn rows_are_in_order_and_nothing_overlaps() {
    for spec in [
        "fat-tree:k=2",
        "fat-tree:k=4",
        "fat-tree:k=8",
        "fat-tree:k=16",
        "fat-tree:levels=1,down=5",
        "fat-tree:levels=2,down=16:12,up=8",
        "fat-tree:levels=3,down=2:3:2,up=2:3",
        "fat-tree:levels=3,down=16:16:16,up=16:16",
        "tree:5,distances=1",
        "tree:4:8:8,distances=1:10:100",
    ] {
        let (first, layers) = drawn(spec);
        check(&first, &layers);
        assert_eq!(first, drawn(spec).0, "{spec} is drawn in the same way each time");
    }
}

#[test]
fn stalks_of_a_fat_tree_do_not_cross() {
    for spec in ["fat-tree:k=4", "fat-tree:k=8", "fat-tree:levels=2,down=16:4,up=8"] {
        let (drawn, layers) = drawn(spec);
        assert_eq!(crossing_stalks(&drawn), 0, "{spec}");
        // Switches are above the middle of their hosts.
        for block in &layers.blocks {
            let sum: f32 = block.iter().map(|&host| drawn.points[host as usize][0]).sum();
            let leaf = drawn.edges.iter().find(|ends| ends[0] == block[0]).unwrap()[1];
            let above = drawn.points[leaf as usize][0];
            // Rows that are not full are filled from the left.
            let apart = (sum / block.len() as f32 - above).abs();
            assert!(apart < 0.51, "{spec}: {apart}");
        }
    }
}

#[test]
fn levels_are_named_as_in_data_centres() {
    let (_, layers) = drawn("fat-tree:k=4");
    let expected = ["nodes", "leaf switches", "aggregation switches", "core switches"];
    assert_eq!(layers.names, expected);
    let (_, layers) = drawn("fat-tree:levels=2,down=4:4,up=2");
    assert_eq!(layers.names, ["nodes", "leaf switches", "spine switches"]);
    let (_, layers) = drawn("fat-tree:levels=1,down=4");
    assert_eq!(layers.names, ["nodes", "switches"]);
}

#[test]
fn a_spine_with_a_host_of_its_own_stays_above_the_leaves() {
    // Leaves 9 and 10 with four hosts each, spine 11 with host 8.
    let mut cables: Vec<(u32, u32)> = (0..8).map(|host| (host, 9 + host / 4)).collect();
    cables.extend([(8, 11), (9, 11), (10, 11)]);
    let drawn = network(9, 3, &cables);
    let layers = drawn.layers.clone().unwrap();
    assert_eq!(layers.level_of[9..], [1, 1, 2]);
    check(&drawn, &layers);
}

#[test]
fn hosts_of_several_rails_are_one_block_below_their_switches() {
    // Six hosts, each with a cable to both switches.
    let cables: Vec<(u32, u32)> = (0..6).flat_map(|host| [(host, 6), (host, 7)]).collect();
    let drawn = network(6, 2, &cables);
    let layers = drawn.layers.clone().unwrap();
    assert_eq!(layers.blocks, [[0, 1, 2, 3, 4, 5]]);
    check(&drawn, &layers);
}

#[test]
fn switches_with_arbitrary_numbers_are_sorted_by_what_they_reach() {
    // Two pods of two leaves and two upper switches each; cores 12 and 13. Upper switches of the
    // second pod have their numbers the other way round.
    let mut cables: Vec<(u32, u32)> = (0..4).map(|host| (host, 4 + host)).collect();
    cables.extend([(4, 8), (4, 9), (5, 8), (5, 9), (6, 10), (6, 11), (7, 10), (7, 11)]);
    cables.extend([(8, 12), (9, 13), (10, 13), (11, 12)]);
    let drawn = network(4, 10, &cables);
    let x = |point: usize| drawn.points[point][0];
    // In each pod, the switch of the left core is on the left.
    assert_eq!(x(8) < x(9), x(12) < x(13));
    assert_eq!(x(11) < x(10), x(12) < x(13));
}

#[test]
fn networks_of_equal_switches_have_no_rows() {
    // A ring of six switches with a host each.
    let mut cables: Vec<(u32, u32)> = (0..6).map(|host| (host, 6 + host)).collect();
    cables.extend((0..6).map(|switch| (6 + switch, 6 + (switch + 1) % 6)));
    assert!(network(6, 6, &cables).layers.is_none());
    assert!(network(2, 0, &[(0, 1)]).layers.is_none());
}
