use std::sync::Arc;

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};

use super::*;
use crate::platform::{Bandwidths, Cluster, Node};
use crate::speed::{Interpolation, SpeedFunction};

fn platform(speeds: Vec<Speed>) -> Platform {
    let node = |(number, speed)| Node { name: format!("n{number}"), speed };
    let nodes = speeds.into_iter().enumerate().map(node).collect();
    let cluster = Cluster { name: "one".to_string(), groups: Vec::new(), nodes };
    let bandwidth = Bandwidths::new(1, vec![1.0]).unwrap();
    Platform::new("test", vec![cluster], 1.0, bandwidth, None).unwrap()
}

fn function(points: &[(f64, f64)], interpolation: Interpolation) -> Speed {
    Speed::Function(Arc::new(SpeedFunction::new(points.to_vec(), interpolation).unwrap()))
}

/// The least sum of half-perimeters of any partition into columns, with any processors in any
/// column, by trying all of them: each processor joins an existing column or opens a new one.
fn least_half_perimeters(areas: &[f64], most: usize) -> f64 {
    fn go(areas: &[f64], at: usize, most: usize, columns: &mut Vec<(f64, f64)>) -> f64 {
        if at == areas.len() {
            return columns.iter().map(|(width, count)| width * count + 1.0).sum();
        }
        let mut best = f64::INFINITY;
        for column in 0..columns.len() {
            if columns[column].1 as usize == most {
                continue;
            }
            let before = columns[column];
            columns[column] = (before.0 + areas[at], before.1 + 1.0);
            best = best.min(go(areas, at + 1, most, columns));
            columns[column] = before;
        }
        if columns.len() < most {
            columns.push((areas[at], 1.0));
            best = best.min(go(areas, at + 1, most, columns));
            columns.pop();
        }
        best
    }
    let all: f64 = areas.iter().sum();
    let areas: Vec<f64> = areas.iter().map(|area| area / all).collect();
    go(&areas, 0, most, &mut Vec::new())
}

/// Areas of which some are equal and some are thousands of times larger than others.
fn uneven_areas(count: std::ops::RangeInclusive<usize>) -> impl Strategy<Value = Vec<f64>> {
    let area = prop_oneof![
        0.5..2.0,
        (0.0..7.0).prop_map(|power: f64| 10_f64.powf(power)),
        (1u32..4).prop_map(f64::from),
    ];
    prop::collection::vec(area, count)
}

proptest! {
    #[test]
    fn no_partition_into_columns_has_smaller_half_perimeters(areas in uneven_areas(1..=8)) {
        let plan = columns(&areas);
        let least = least_half_perimeters(&areas, areas.len());
        prop_assert!((plan.half_perimeters() - least).abs() < 1e-9, "{:?} {}", plan, least);
        prop_assert!((plan.columns.iter().map(|column| column.width).sum::<f64>() - 1.0).abs() < 1e-12);
    }

    #[test]
    fn nor_where_few_blocks_leave_few_columns_and_rows(
        areas in uneven_areas(1..=8),
        most in 1_usize..=4,
    ) {
        prop_assume!(areas.len() <= most * most);
        let plan = columns::columns_within(&areas, most);
        prop_assert!(plan.columns.len() <= most);
        prop_assert!(plan.columns.iter().all(|column| column.rectangles.len() <= most));
        let least = least_half_perimeters(&areas, most);
        prop_assert!((plan.half_perimeters() - least).abs() < 1e-9, "{:?} {}", plan, least);
    }

    #[test]
    fn every_processor_gets_a_rectangle_and_nothing_is_left(
        areas in uneven_areas(1..=60),
        blocks in prop_oneof![1_u32..20, 1_u32..2000, Just(MOST_BLOCKS)],
    ) {
        let result = partition(&areas, blocks);
        if areas.len() as u64 > u64::from(blocks) * u64::from(blocks) {
            let processors = areas.len();
            prop_assert_eq!(result, Err(PartitionError::TooManyProcessors { processors, blocks }));
        } else {
            // The arrangement itself checks that it tiles the square.
            let arrangement = result.unwrap();
            prop_assert_eq!((arrangement.width(), arrangement.height()), (blocks, blocks));
            prop_assert_eq!(arrangement.num_processors(), areas.len());
        }
    }
}

/// All ways to write `total` as a sum of `count` numbers of at least 1.
fn sums(total: u32, count: usize) -> Vec<Vec<u32>> {
    if count == 1 {
        return vec![vec![total]];
    }
    let mut found = Vec::new();
    for first in 1..=total - (count as u32 - 1) {
        for mut rest in sums(total - first, count - 1) {
            rest.insert(0, first);
            found.push(rest);
        }
    }
    found
}

#[test]
fn no_other_whole_blocks_of_the_same_columns_are_done_earlier() {
    let mut runner = TestRunner::new(Config { cases: 60, ..Config::default() });
    let points = || prop::collection::vec((1.0..40.0, 0.1..10.0), 1..5);
    let speeds = prop::collection::vec(points(), 1..7);
    let cases = (speeds, any::<bool>(), 3_u32..8);
    let check = |(points, constant, blocks): (Vec<Vec<(f64, f64)>>, bool, u32)| {
        let speed = |points: &Vec<(f64, f64)>| match constant {
            true => Speed::Constant(points[0].1),
            false => function(points, Interpolation::Akima),
        };
        let platform = platform(points.iter().map(speed).collect());
        let found = fpm_br(&platform, blocks).unwrap();
        let last = |arrangement: &Arrangement| {
            predicted_times(&platform, arrangement).into_iter().fold(0.0, f64::max)
        };
        let mut least = f64::INFINITY;
        for widths in sums(blocks, found.columns().len()) {
            // Heights of one column do not depend on those of others.
            let columns = found.columns().iter().zip(widths).map(|(column, width)| {
                let time = |heights: &Vec<u32>| {
                    let times = column.rectangles.iter().zip(heights).map(|(rectangle, height)| {
                        let speed =
                            &platform.clusters()[0].nodes[rectangle.processor as usize].speed;
                        speed.time(f64::from(width * height))
                    });
                    times.fold(0.0, f64::max)
                };
                let all = sums(blocks, column.rectangles.len());
                all.iter().map(time).fold(f64::INFINITY, f64::min)
            });
            least = f64::min(least, columns.fold(0.0, f64::max));
        }
        prop_assert!(last(&found) <= least * (1.0 + 1e-12), "{} {}", last(&found), least);
        Ok(())
    };
    runner.run(&cases, check).unwrap();
}

#[test]
fn rectangles_stand_by_increasing_area_and_equal_ones_in_their_order() {
    let arrangement = partition(&[2.0, 1.0, 2.0, 1.0], 60).unwrap();
    let order: Vec<u32> = arrangement
        .columns()
        .iter()
        .flat_map(|column| column.rectangles.iter().map(|rectangle| rectangle.processor))
        .collect();
    assert_eq!(order, [1, 3, 0, 2]);
    let widths: Vec<u32> = arrangement.columns().iter().map(|column| column.width).collect();
    assert_eq!(widths, [20, 40]);
}

#[test]
fn ninety_nodes_of_the_size_of_the_thesis_are_balanced_within_rounding() {
    // 90,000 numbers per side in blocks of 64; six clusters whose speeds differ and fall with size.
    let counts = [(17, 80.0), (17, 100.0), (15, 45.0), (16, 70.0), (12, 150.0), (13, 90.0)];
    let speeds = counts.into_iter().flat_map(|(count, fastest)| {
        let points =
            [(100.0, 0.6), (1000.0, 0.95), (10_000.0, 1.0), (30_000.0, 0.8), (60_000.0, 0.3)];
        let points = points.map(|(size, part)| (size, fastest * part));
        std::iter::repeat_n(function(&points, Interpolation::Akima), count)
    });
    let platform = platform(speeds.collect());
    let arrangement = fpm_br(&platform, 1406).unwrap();
    // Rectangles of about 150 x 150 blocks: half a block is a third of a percent each way.
    let found = imbalance(&platform, &arrangement);
    assert!((1.0..1.01).contains(&found), "{found}");
    assert!(imbalance(&platform, &br(&platform, 1406).unwrap()) >= found);
}

#[test]
fn constant_speeds_are_partitioned_alike_by_both_algorithms() {
    let platform = platform([3.0, 1.0, 4.0, 1.0, 5.0].map(Speed::Constant).to_vec());
    assert_eq!(br(&platform, 100), fpm_br(&platform, 100));
    assert_eq!(br(&platform, 100), partition(&[3.0, 1.0, 4.0, 1.0, 5.0], 100));
}

#[test]
fn speeds_at_an_equal_share_mislead_where_speeds_fall() {
    // The processor that is fast with few blocks becomes five times slower with many.
    let slowing = function(&[(5000.0, 100.0), (8000.0, 20.0)], Interpolation::Linear);
    let platform = platform(vec![slowing, Speed::Constant(50.0)]);
    let (constant, functional) = (br(&platform, 100).unwrap(), fpm_br(&platform, 100).unwrap());
    assert!(imbalance(&platform, &functional) < 1.02);
    assert!(imbalance(&platform, &constant) > 1.3);
}

#[test]
fn what_cannot_be_cut_is_refused_with_a_reason() {
    let said = |result: Result<Arrangement, PartitionError>| result.unwrap_err().to_string();
    assert_eq!(said(partition(&[], 5)), "the platform has no processors");
    assert_eq!(
        said(partition(&[1.0; 5], 2)),
        "5 processors are more than the 2 x 2 blocks of the square"
    );
    assert_eq!(said(partition(&[1.0], 0)), "expected 1 to 67108864 blocks per side, found 0");
    assert_eq!(
        said(partition(&[1.0, 0.0], 2)),
        "expected a positive finite area for processor 1, found 0"
    );
    assert_eq!(
        said(br(&platform(vec![Speed::Constant(-1.0)]), 2)),
        "expected a speed of n0 between 1e-100 and 1e100 blocks per second, found -1"
    );
}

#[test]
fn extreme_areas_are_cut_all_the_same() {
    let arrangement = partition(&[f64::MAX, f64::MIN_POSITIVE, 5e-324, 1.0], 1000).unwrap();
    assert_eq!(arrangement.num_processors(), 4);
    // A processor with almost no share gets one block of a column of one.
    assert_eq!(arrangement.columns()[0].width, 1);
}
