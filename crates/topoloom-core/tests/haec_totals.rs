//! The totals of tables A.1 to A.3 of the HAEC thesis that follow from its definitions.
//!
//! The thesis maps LU's grids of 8x8, 32x16 and 64x64 ranks; a total in hops is its total in
//! messages divided by the messages of a pair of neighbours. One message each way counts as one
//! pair, so hops are half of the directed sum.

use topoloom_core::{Machine, Problem, Run, Weight, parse_pattern, parse_strategy, score};

const SIZES: [(&str, u32); 3] = [("stencil:8x8", 4), ("stencil:16x32", 8), ("stencil:64x64", 16)];

fn problem(size: usize, topology: &str) -> Problem {
    let (traffic, side) = SIZES[size];
    let machine = Machine::parse(&format!("{topology}:{side}x{side}x{side}")).unwrap();
    Problem::new(parse_pattern(traffic).unwrap(), machine, Weight::Messages).unwrap()
}

fn hops(strategy: &str, topology: &str, size: usize) -> f64 {
    let problem = problem(size, topology);
    let strategy = parse_strategy(strategy).unwrap();
    let mapping = strategy.map(&problem, None, &mut Run::new(1)).unwrap();
    score(&problem, &mapping).hop_bytes / 2.0
}

fn all_sizes(strategy: &str, topology: &str) -> [f64; 3] {
    [0, 1, 2].map(|size| hops(strategy, topology, size))
}

#[test]
fn sweep_scan_and_peano_cost_what_the_thesis_says() {
    // The thesis has 20592 for sweep and 35200 for peano on the largest torus; its own
    // definitions give 21312 and 35392.
    assert_eq!(all_sizes("sweep", "torus"), [200.0, 2688.0, 21312.0]);
    assert_eq!(all_sizes("scan", "torus"), [168.0, 2192.0, 19200.0]);
    assert_eq!(all_sizes("peano", "torus"), [264.0, 3120.0, 35392.0]);
    assert_eq!(all_sizes("sweep", "haec"), [152.0, 1792.0, 17472.0]);
    assert_eq!(all_sizes("scan", "haec"), [144.0, 1744.0, 17280.0]);
    assert_eq!(all_sizes("peano", "haec"), [216.0, 1584.0, 25280.0]);
}

#[test]
fn on_the_mesh_sweep_and_scan_cost_their_manhattan_distances() {
    // The thesis has 232 and 240 hops, which no shortest route can reach.
    assert_eq!(hops("sweep", "mesh", 0), 216.0);
    assert_eq!(hops("scan", "mesh", 0), 168.0);
}

#[test]
fn sweep_uses_140_links_of_the_small_torus_with_at_most_3_pairs_on_one() {
    let problem = problem(0, "torus");
    let mapping = parse_strategy("sweep").unwrap().map(&problem, None, &mut Run::new(1)).unwrap();
    let thesis = score(&problem, &mapping).thesis;
    let links = thesis.inter_node_physical.unwrap();
    assert_eq!(links.count, 140);
    assert_eq!(thesis.congestion, Some(3));
    // Every pair's two messages cross each of its 200 hops.
    assert_eq!(links.total, 400.0);
    // 112 pairs of neighbours, each on two nodes.
    assert_eq!(thesis.inter_process_logical.count, 112);
    assert_eq!(thesis.inter_node_logical.count, 112);
    assert_eq!(thesis.intra_node_logical.count, 0);
}

#[test]
fn bokhari_maps_lu_on_64_ranks_perfectly_to_the_haec_box() {
    assert_eq!(hops("bokhari", "haec", 0), 112.0);
}
