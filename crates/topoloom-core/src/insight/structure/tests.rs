use super::*;
use crate::traffic::{Traffic, TrafficBuilder, Weight};
use crate::{parse_pattern, random};

pub(super) fn recognition(traffic: &Traffic) -> Recognition {
    Recognition::of(traffic, &traffic.graph(Weight::Bytes), Weight::Bytes)
}

/// The same traffic with its ranks in random order.
pub(super) fn shuffled(traffic: &Traffic, seed: u64) -> Traffic {
    let ranks = traffic.num_ranks() as u32;
    let mut order: Vec<u32> = (0..ranks).collect();
    random::shuffle(&mut random::stream(seed, &[]), &mut order);
    let mut builder = TrafficBuilder::new(ranks);
    for flow in traffic.flows() {
        let (from, to) = (order[flow.from.index()], order[flow.to.index()]);
        builder.add(from, to, flow.messages, flow.bytes);
    }
    builder.build()
}

pub(super) fn traffic(ranks: u32, pairs: impl IntoIterator<Item = (u32, u32)>) -> Traffic {
    let mut builder = TrafficBuilder::new(ranks);
    pairs.into_iter().for_each(|(a, b)| builder.add_both_ways(a, b, 1.0, 100.0));
    builder.build()
}

pub(super) fn pattern(text: &str) -> Traffic {
    parse_pattern(text).unwrap()
}

/// Checks that the recognised structure starts with the expected text.
pub(super) fn check(traffic: &Traffic, expected: &str, what: &str) {
    let found = recognition(traffic).to_string();
    assert!(found.starts_with(expected), "{what}: {found}, expected {expected}");
}

#[test]
fn every_pattern_is_recognised_in_rank_order() {
    for (text, expected) in [
        ("stencil:64", "chain of 64 (100.0 %)"),
        ("ring:64", "ring of 64 (100.0 %)"),
        ("ring:5", "ring of 5 (100.0 %)"),
        ("ring:2", "chain of 2 (100.0 %)"),
        ("ring:1", "silent"),
        ("stencil:16x32", "grid 16x32, open, von Neumann neighbours, last axis fastest (100.0 %)"),
        ("stencil:3x5", "grid 3x5, open, von Neumann"),
        ("stencil:4x8,periodic", "grid 4x8, periodic, von Neumann"),
        ("stencil:16x32,moore", "grid 16x32, open, Moore neighbours, last axis fastest (100.0 %)"),
        ("stencil:6x7x8,moore,periodic", "grid 6x7x8, periodic, Moore"),
        ("stencil:5x4x3x2", "grid 5x4x3x2, open, von Neumann"),
        ("stencil:3x4x3x4x3", "grid 3x4x3x4x3, open, von Neumann"),
        ("stencil:3x3x3x3x3x3", "grid 3x3x3x3x3x3, open, von Neumann"),
        ("stencil:4x4x4x4x4,periodic", "grid 4x4x4x4x4, periodic, von Neumann"),
        ("stencil:2x2x2x2", "hypercube of 4 dimensions"),
        ("all-to-all:64", "all-to-all of 64 ranks (100.0 %)"),
        ("lu:class=C,ranks=64", "grid 8x8, open, von Neumann"),
        ("lu:class=C,ranks=512", "grid 16x32, open, von Neumann"),
        ("bt:class=C,ranks=64", "grid 8x8, periodic, neighbours along axes and 1 of 2 diagonals"),
        ("bt:class=C,ranks=9", "grid 3x3, periodic, neighbours along axes and 1 of 2 diagonals"),
        ("sp:class=C,ranks=256", "grid 16x16, periodic, neighbours along axes and 1 of 2"),
        ("mg:class=C,ranks=64", "grid 4x4x4, periodic, von Neumann"),
        ("mg:class=C,ranks=16", "grid 4x2x2, periodic along axis 1, von Neumann"),
    ] {
        check(&pattern(text), expected, text);
    }
}

#[test]
fn cg_is_cubes_in_rows_and_a_transpose() {
    // 3 exchanges of every rank in its row of 8, and one with the partner across the diagonal, on
    // which 8 of 64 ranks lie: 192 to 56.
    let found = recognition(&pattern("cg:class=C,ranks=64"));
    let [rows, transpose] = &found.findings[..] else { panic!("{found}") };
    assert_eq!(rows.structure, Structure::Hypercube { bits: vec![0, 1, 2] });
    assert!((rows.share - 192.0 / 248.0).abs() < 0.01, "{}", rows.share);
    assert_eq!(transpose.structure, Structure::Transpose { rows: 8, columns: 8 });
    assert!(found.outside < 0.001);
    // Twice as many columns as rows.
    let found = recognition(&pattern("cg:class=C,ranks=32"));
    assert_eq!(found.findings[1].structure, Structure::Transpose { rows: 4, columns: 8 });
}

#[test]
fn collectives_show_the_structure_of_their_messages() {
    for (text, mode, expected) in [
        ("ft:class=A,ranks=64", "direct", "all-to-all of 64 ranks (100.0 %)"),
        ("is:class=S,ranks=16", "direct", "all-to-all of 16 ranks"),
        ("ep:class=A,ranks=16", "direct", "star: master 0 and 15 workers (100.0 %)"),
        ("ep:class=A,ranks=16", "algorithm", "hypercube of 4 dimensions"),
        ("ep:class=A,ranks=21", "algorithm:allreduce=binomial", "binomial tree from rank 0 of 21"),
        ("ep:class=A,ranks=21", "algorithm:allreduce=ring", "ring of 21, one way"),
    ] {
        let traffic = pattern(text).with_collectives(mode.parse().unwrap()).unwrap();
        check(&traffic, expected, text);
    }
}

#[test]
fn ranks_in_any_order_are_recognised() {
    for (text, expected) in [
        ("stencil:64", "chain of 64, ranks in another order (100.0 %)"),
        ("ring:64", "ring of 64, ranks in another order (100.0 %)"),
        ("stencil:16x32", "grid 32x16, open, von Neumann neighbours, ranks in another order (100"),
        ("stencil:9x13,periodic", "grid 13x9, periodic, von Neumann"),
        ("stencil:16x32,moore", "grid 32x16, open, Moore neighbours, ranks in another order (100"),
        ("stencil:8x8x8", "grid 8x8x8, open"),
        ("stencil:5x6x5x7", "grid 7x6x5x5, open"),
        ("stencil:2x2x2x2x2x2", "hypercube of 6 dimensions"),
        ("lu:class=C,ranks=64", "grid 8x8, open, von Neumann"),
        ("mg:class=C,ranks=512", "grid 8x8x8, periodic, von Neumann"),
        (
            "mg:class=C,ranks=64",
            "hypercube of 6 dimensions: partners xor 1, 2, 4, 8, ..., or periodic grid 4x4x4",
        ),
        ("all-to-all:20", "all-to-all of 20 ranks"),
    ] {
        for seed in 1..4 {
            check(&shuffled(&pattern(text), seed), expected, text);
        }
    }
}

#[test]
fn random_graphs_are_irregular() {
    for seed in 0..60 {
        for (ranks, degree) in [(12, 4), (16, 3), (24, 6), (64, 3), (64, 8), (500, 5)] {
            let text = format!("random:ranks={ranks},degree={degree},seed={seed}");
            check(&pattern(&text), "irregular", &text);
        }
    }
}

#[test]
fn trees_are_recognised_by_numbers_and_in_any_order() {
    let binomial = traffic(32, (1..32).map(|rank: u32| (rank, rank & (rank - 1))));
    check(&binomial, "binomial tree from rank 0 of 32 ranks (100.0 %)", "binomial");
    let from_the_top = traffic(32, (1..32).map(|rank: u32| (rank, rank ^ (1 << rank.ilog2()))));
    check(&from_the_top, "binomial tree from rank 0 of 32", "the highest bit cleared");
    let binary = traffic(31, (1..31).map(|rank| (rank, (rank - 1) / 2)));
    check(&binary, "binary tree from rank 0 of 31", "binary");
    let rotated = traffic(24, (1..24u32).map(|r| ((r + 5) % 24, ((r & (r - 1)) + 5) % 24)));
    check(&rotated, "binomial tree from rank 5 of 24", "rotated");
    for seed in 1..4 {
        check(&shuffled(&binomial, seed), "binomial tree from rank", "shuffled");
        check(&shuffled(&binary, seed), "tree from rank", "shuffled");
    }
}

#[test]
fn a_master_is_told_from_its_workers() {
    let star = traffic(20, (0..20).filter(|&rank| rank != 7).map(|rank| (7, rank)));
    check(&star, "star: master 7 and 19 workers (100.0 %)", "star");
}

#[test]
fn rows_and_columns_that_are_all_to_all_are_blocks() {
    let plane = |rows: bool, columns: bool| {
        let pairs = (0..48u32).flat_map(|a| (0..a).map(move |b| (a, b)));
        traffic(
            48,
            pairs.filter(move |(a, b)| (rows && a / 8 == b / 8) || (columns && a % 8 == b % 8)),
        )
    };
    let rows = "blocks: all-to-all in each of 6 rows of 8 ranks in a row (100.0 %)";
    check(&plane(true, false), rows, "rows");
    let columns = "blocks: all-to-all in each of 8 columns of 6 ranks (100.0 %)";
    check(&plane(false, true), columns, "columns");
    let both = "blocks: all-to-all in each row and column of 6x8";
    check(&plane(true, true), both, "both");
    for seed in 1..4 {
        check(&shuffled(&plane(true, true), seed), both, "both, shuffled");
        let parts = "6 parts of 8 ranks: all-to-all (100.0 %)";
        check(&shuffled(&plane(true, false), seed), parts, "rows, shuffled");
    }
}

#[test]
fn one_way_grids_are_wavefronts() {
    let mut builder = TrafficBuilder::new(48);
    for rank in 0..48 {
        if rank % 8 < 7 {
            builder.add(rank, rank + 1, 1.0, 10.0);
        }
        if rank < 40 {
            builder.add(rank, rank + 8, 1.0, 10.0);
        }
    }
    let expected = "grid 6x8, open, von Neumann neighbours, one way (wavefront)";
    check(&builder.build(), expected, "wavefront");
    let mut builder = TrafficBuilder::new(9);
    (0..9).for_each(|rank| builder.add(rank, (rank + 1) % 9, 1.0, 1.0));
    check(&builder.build(), "ring of 9, one way", "ring");
}

#[test]
fn stray_messages_do_not_hide_a_structure_and_are_counted_outside() {
    for (text, expected) in [
        ("stencil:8x8,bytes=1000", "grid 8x8, open, von Neumann neighbours, last axis"),
        ("stencil:4x4x4,periodic,bytes=1000", "grid 4x4x4, periodic, von Neumann"),
        ("ring:50,bytes=1000", "ring of 50"),
    ] {
        let clean = pattern(text);
        let ranks = clean.num_ranks() as u32;
        let mut builder = TrafficBuilder::new(ranks);
        clean.flows().for_each(|flow| builder.add(flow.from.0, flow.to.0, 1.0, flow.bytes));
        (1..ranks).for_each(|rank| builder.add(rank, 0, 1.0, 40.0));
        (0..ranks).for_each(|rank| builder.add(rank, rank * 7 % ranks, 1.0, 3.0));
        let stray = builder.build();
        check(&stray, expected, text);
        let found = recognition(&stray);
        assert!(found.outside > 0.001 && found.outside < 0.04, "{text}: {}", found.outside);
    }
}

#[test]
fn silent_ranks_and_jobs_side_by_side_keep_their_structure() {
    // Ranks 1 to 64 are a grid, rank 0 and those above are silent.
    let grid = pattern("stencil:8x8");
    let moved = |builder: &mut TrafficBuilder, traffic: &Traffic, by: u32| {
        traffic.flows().for_each(|flow| builder.add(flow.from.0 + by, flow.to.0 + by, 1.0, 1.0));
    };
    let mut builder = TrafficBuilder::new(70);
    moved(&mut builder, &grid, 1);
    let found = recognition(&builder.build());
    assert_eq!(found.findings[0].ranks, 64);
    assert!(found.to_string().starts_with("grid 8x8, open"), "{found}");

    let mut builder = TrafficBuilder::new(84);
    moved(&mut builder, &grid, 0);
    moved(&mut builder, &pattern("ring:20"), 64);
    let found = recognition(&builder.build());
    assert_eq!(found.parts, 2);
    let expected = "a part of 64 ranks: grid 8x8, open, von Neumann neighbours beside a part of 20 ranks: ring of 20 (100.0 %)";
    assert_eq!(found.to_string(), expected);
}

#[test]
fn partners_at_powers_of_two_around_the_end_are_dissemination() {
    let pairs = (0..20).flat_map(|rank| [1, 2, 4, 8, 16].map(|step| (rank, (rank + step) % 20)));
    check(&traffic(20, pairs), "partners 1, 2, 4, ... further on (dissemination)", "steps");
}
