use std::collections::BTreeSet;

use topoloom_core::{Machine, Problem, Run, Weight, parse_pattern, parse_strategy};

use super::*;
use crate::figure::machine::{MachineOptions, machine};

fn drawn(spec: &str) -> DrawnMachine {
    DrawnMachine::of(&Machine::parse(spec).unwrap())
}

fn under_random(spec: &str) -> DrawnMachine {
    let machine = Machine::parse(spec).unwrap();
    let ranks = machine.num_nodes();
    let pattern = format!("random:ranks={ranks},degree={},seed=2", 3.min(ranks - 1));
    let problem = Problem::new(parse_pattern(&pattern).unwrap(), machine, Weight::Bytes).unwrap();
    let random = parse_strategy("random").unwrap();
    let mapping = random.map(&problem, None, &mut Run::new(3)).unwrap();
    DrawnMachine::under(&problem, &[&mapping])
}

const NETWORKS: &[&str] = &[
    "fat-tree:levels=1,down=2",
    "fat-tree:k=4",
    "fat-tree:k=8",
    "fat-tree:k=16",
    "fat-tree:levels=2,down=24:40,up=16",
    "fat-tree:levels=3,down=16:16:16,up=16:16",
    "tree:4:8:8,distances=1:10:100",
];

#[test]
fn everything_is_inside_the_picture() {
    for spec in NETWORKS {
        let drawn = drawn(spec);
        let layers = drawn.layers.as_ref().unwrap();
        for widest in [1120.0, 760.0] {
            let paper = Paper::new(&drawn, layers, widest);
            assert!(paper.width <= widest + 1e-6, "{spec}");
            let half = 0.5 * paper.unit;
            for &point in &drawn.points {
                let [x, y] = paper.see(point);
                assert!(x - half >= paper.left - 1e-3 && x + half <= paper.width + 1e-3, "{spec}");
                assert!(y >= 10.0 && y <= paper.height, "{spec}");
            }
            for stroke in strokes::strokes(&drawn, layers, &paper).all {
                for [x, y] in stroke.corners {
                    assert!(x >= paper.left && x <= paper.width && y <= paper.height, "{spec}");
                }
            }
        }
    }
}

#[test]
fn every_link_is_in_a_line_and_lines_are_few() {
    for spec in NETWORKS {
        let drawn = drawn(spec);
        let layers = drawn.layers.as_ref().unwrap();
        let paper = Paper::new(&drawn, layers, 1120.0);
        let strokes = strokes::strokes(&drawn, layers, &paper);
        let edges: BTreeSet<u32> =
            strokes.all.iter().flat_map(|stroke| stroke.edges.iter().copied()).collect();
        assert_eq!(edges.len(), drawn.edges.len(), "{spec}");
        assert!(strokes.all.len() <= 1500, "{spec}: {}", strokes.all.len());
    }
}

#[test]
fn switches_that_reach_the_same_share_a_bar() {
    // 128 aggregation switches lead to 8 groups of 8 core switches: 128 lines, 64 stalks and 8 bars.
    // 16 pods have a bar each, with 8 stalks on both sides. A leaf has one line to its nodes.
    let drawn = drawn("fat-tree:k=16");
    let layers = drawn.layers.as_ref().unwrap();
    let paper = Paper::new(&drawn, layers, 1120.0);
    let strokes = strokes::strokes(&drawn, layers, &paper);
    assert!(strokes.has_bars);
    assert_eq!(strokes.all.len(), (128 + 64 + 8) + 16 * (1 + 8 + 8) + 128);
    assert_eq!(strokes.all.iter().filter(|stroke| stroke.is_bar).count(), 8 + 16);
}

#[test]
fn levels_hosts_and_the_busiest_link_are_named() {
    let drawn = under_random("fat-tree:k=4");
    let options = MachineOptions { title: "t", placements: &["random"], weight: Weight::Bytes };
    let picture = machine(&drawn, options);
    for words in ["core switches (4)", "leaf switches (8)", "nodes (16)", ">15</text>"] {
        assert!(picture.body.contains(words), "{words}");
    }
    let (_, name) = drawn.loads[0].busiest.as_ref().unwrap();
    assert!(name.contains(" -&gt; ") || name.contains(" -> "));
    assert!(picture.body.contains(&escaped(name)));
    // In the picture and in the legend.
    assert_eq!(picture.body.matches("class=\"line-1\"").count(), 2);
}

#[test]
fn pictures_of_thousands_of_hosts_stay_small() {
    for spec in NETWORKS {
        let drawn = under_random(spec);
        let options =
            MachineOptions { title: spec, placements: &["random"], weight: Weight::Bytes };
        let picture = machine(&drawn, options);
        assert!(picture.body.len() < 1_000_000, "{spec}: {}", picture.body.len());
        assert!(roxmltree::Document::parse(&picture.standalone()).is_ok(), "{spec}");
        assert_eq!(picture, machine(&drawn, options));
    }
}
