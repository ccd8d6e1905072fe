//! What must not be claimed.

use super::tests::{check, pattern, recognition, shuffled, traffic};
use super::*;
use crate::random;
use crate::traffic::{Traffic, TrafficBuilder};

/// Every pair sends one byte, and these pairs send a lot.
fn heavy_in_noise(ranks: u32, heavy: &[(u32, u32)]) -> Traffic {
    let mut builder = TrafficBuilder::new(ranks);
    let pairs = (0..ranks).flat_map(|a| (0..ranks).map(move |b| (a, b)));
    pairs.filter(|(a, b)| a != b).for_each(|(a, b)| builder.add(a, b, 1.0, 1.0));
    heavy.iter().for_each(|&(a, b)| builder.add(a, b, 1.0, 1e7));
    builder.build()
}

/// This traffic plus random pairs as heavy as its own, this many for each of its pairs.
fn with_strays(traffic: &Traffic, part: f64, seed: u64) -> Traffic {
    let ranks = traffic.num_ranks() as u32;
    let mut builder = TrafficBuilder::new(ranks);
    traffic.flows().for_each(|flow| builder.add(flow.from.0, flow.to.0, 1.0, 10.0));
    let mut stream = random::stream(seed, &[]);
    let strays = part * traffic.flows().count() as f64 / 2.0;
    for _ in 0..strays as usize {
        let (a, b) = (random::below(&mut stream, ranks), random::below(&mut stream, ranks));
        builder.add_both_ways(a, b, 1.0, 10.0);
    }
    builder.build()
}

/// Several traffics, each on its own ranks. The flows are multiplied by `factor`.
fn side_by_side(jobs: &[Traffic], factor: impl Fn(usize, u32) -> f64) -> Traffic {
    let ranks = jobs.iter().map(|job| job.num_ranks() as u32).sum();
    let mut builder = TrafficBuilder::new(ranks);
    let mut first = 0;
    for (number, job) in jobs.iter().enumerate() {
        for flow in job.flows() {
            let bytes = flow.bytes * factor(number, flow.from.0.abs_diff(flow.to.0));
            builder.add(first + flow.from.0, first + flow.to.0, 1.0, bytes);
        }
        first += job.num_ranks() as u32;
    }
    builder.build()
}

#[test]
fn a_byte_from_everyone_to_everyone_completes_no_structure() {
    check(&heavy_in_noise(64, &[(0, 1)]), "chain of 2", "one heavy pair");
    check(&heavy_in_noise(64, &[(0, 1), (1, 2), (2, 3)]), "chain of 4", "three heavy pairs");
    let is = pattern("is:class=S,ranks=64").with_collectives("algorithm".parse().unwrap()).unwrap();
    let found = recognition(&is).to_string();
    assert!(!found.contains("blocks"), "{found}");
}

#[test]
fn ranks_are_called_by_their_own_numbers_beside_silent_ones() {
    let star = traffic(12, [5, 6, 8, 9, 10].map(|worker| (7, worker)));
    check(&star, "star: master 7 and 5 workers (100.0 %)", "star");
    let tree = traffic(24, (1..13).map(|rank| (8 + rank, 8 + (rank - 1) / 2)));
    check(&tree, "binary tree from rank 8 of 13 ranks, silent ranks not counted", "tree");
    let cube = (0..16u32).flat_map(|rank| [1, 2, 4, 8].map(|bit| (5 + rank, 5 + (rank ^ bit))));
    let cube = recognition(&traffic(24, cube));
    assert!(cube.to_string().contains("silent ranks not counted"), "{cube}");
    assert!(cube.findings[0].talkers_only);
    // Silent ranks at the end change no numbers.
    let steps = (0..20).flat_map(|rank| [1, 2, 4, 8, 16].map(|step| (rank, (rank + step) % 20)));
    check(
        &traffic(21, steps),
        "partners 1, 2, 4, ... further on (dissemination) of 20 ranks (",
        "",
    );
}

#[test]
fn parts_are_named_without_the_masters_of_each() {
    let star = |master: u32, first: u32| {
        (first..first + 6).filter(move |&rank| rank != master).map(move |rank| (master, rank))
    };
    let stars = traffic(12, star(2, 0).chain(star(9, 6)));
    check(&stars, "2 parts of 6 ranks: star (100.0 %)", "two stars");
    // The same after silent ranks, beside a ring.
    let ring = (20..30).map(|rank| (rank, 20 + (rank - 19) % 10));
    let star = (3..19).filter(|&rank| rank != 11).map(|rank| (11, rank));
    let both = traffic(30, ring.chain(star));
    check(&both, "a part of 16 ranks: star: master 11 beside a part of 10 ranks: ring of 10", "");
}

#[test]
fn strays_on_a_grid_in_order_do_not_make_another_one() {
    for seed in 0..10 {
        let stray = with_strays(&pattern("stencil:8x8"), 0.3, seed);
        check(&stray, "grid 8x8, open, von Neumann neighbours, last axis fastest", "8x8");
    }
}

#[test]
fn a_grid_has_a_rank_in_nearly_every_cell_and_no_axis_of_one() {
    for (text, part) in [("stencil:30x40", 0.05), ("stencil:30x40", 0.02), ("stencil:4x4x4", 0.1)] {
        let clean = pattern(text);
        for seed in 0..4 {
            let found = recognition(&shuffled(&with_strays(&clean, part, seed), seed));
            let Some(Structure::Grid(grid)) = found.findings.first().map(|found| &found.structure)
            else {
                continue;
            };
            let cells: u32 = grid.lengths.iter().product();
            assert!(f64::from(cells) <= 1.02 * clean.num_ranks() as f64, "{text}: {found}");
            assert!(grid.lengths.iter().all(|&length| length > 1), "{text}: {found}");
        }
    }
    // If ranks are in order, the last row may be short, and pairs of empty cells do not count as
    // missing.
    let all = pattern("stencil:8x8");
    let flows = all.flows().map(|flow| (flow.from.0, flow.to.0));
    let found = recognition(&traffic(61, flows.filter(|&(a, b)| a < b && b < 61)));
    assert!(found.to_string().starts_with("grid 8x8, open"), "{found}");
    assert_eq!(found.findings[0].present, 1.0);
}

#[test]
fn jobs_side_by_side_are_not_one_grid() {
    let jobs = vec![pattern("stencil:8x8"); 4];
    let uneven = side_by_side(&jobs, |job, apart| if apart == 1 { 1.0 + job as f64 } else { 1.0 });
    check(&uneven, "4 parts of 64 ranks: grid 8x8, open, von Neumann neighbours (100.0 %)", "");
    // One seam of 100 rows is negligible.
    let jobs = vec![pattern("stencil:100x10"); 2];
    let long = side_by_side(&jobs, |_, _| 1.0);
    check(&long, "2 parts of 1000 ranks: grid 100x10, open, von Neumann neighbours (100", "");
}

#[test]
fn parts_in_another_order_are_said_to_be() {
    let jobs = vec![pattern("ring:20"); 2];
    let found = recognition(&shuffled(&side_by_side(&jobs, |_, _| 1.0), 1));
    assert_eq!(found.findings[0].order, RankOrder::Other, "{found}");
    let expected = "2 parts of 20 ranks: ring of 20, ranks in another order (100.0 %)";
    assert_eq!(found.to_string(), expected);
}

#[test]
fn boxes_where_all_are_neighbours_have_no_diagonals() {
    // All ranks exchange with all; the axes of 2x2x2 and of a ring of 3 by 3 carry most.
    for (box_of, far) in [("stencil:2x2x2,bytes=10", 8), ("stencil:3x3,periodic,bytes=10", 9)] {
        for bytes in [2.0, 4.0, 8.0] {
            let mut builder = TrafficBuilder::new(far);
            for flow in pattern(box_of).flows() {
                builder.add(flow.from.0, flow.to.0, 1.0, flow.bytes);
            }
            for a in 0..far {
                (0..a).for_each(|b| builder.add_both_ways(a, b, 1.0, bytes));
            }
            let found = recognition(&builder.build()).to_string();
            assert!(!found.contains("Moore"), "{box_of}: {found}");
        }
    }
}

#[test]
fn few_ranks_must_be_explained_nearly_whole() {
    let mut stream = random::stream(1, &[]);
    for round in 0..400 {
        let ranks = 4 + round % 8;
        let mut builder = TrafficBuilder::new(ranks);
        for a in 0..ranks {
            for b in 0..a {
                if random::below(&mut stream, 2) == 0 {
                    let bytes = [1.0, 10.0, 100.0][random::below(&mut stream, 3) as usize];
                    builder.add_both_ways(a, b, 1.0, bytes);
                }
            }
        }
        let found = recognition(&builder.build());
        // Other ranks may be silent or nearly silent, so the share of all bytes may be slightly
        // less.
        if let Some(first) = found.findings.first() {
            assert!(first.share * first.present > 0.88, "{ranks} ranks: {found}");
        }
    }
}

#[test]
fn an_all_to_all_does_not_claim_the_bytes_of_one_heavy_pair() {
    // 119 pairs of 20 bytes, and one of 1,020.
    let mut builder = TrafficBuilder::new(16);
    for a in 0..16 {
        (0..a).for_each(|b| builder.add_both_ways(a, b, 1.0, 10.0));
    }
    builder.add(0, 1, 1.0, 1000.0);
    let found = recognition(&builder.build());
    assert_eq!(found.findings[0].structure, Structure::AllToAll);
    assert!((found.findings[0].share - 2380.0 / 3400.0).abs() < 1e-9, "{found}");
    assert!(found.to_string().ends_with("+ chain of 2, one way (30.0 %)"), "{found}");
}
