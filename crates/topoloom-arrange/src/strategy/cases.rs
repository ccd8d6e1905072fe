//! Random platforms and columns for tests.

use topoloom_core::random::{Stream, below, shuffle};

use crate::arrangement::{Column, Rectangle};
use crate::measure::Measure;
use crate::platform::{Bandwidths, Cluster, Node, Platform};
use crate::speed::Speed;

/// Clusters of this many processors, in groups of `sites` and with bandwidths that differ by
/// direction.
pub(crate) fn platform(rng: &mut Stream, processors: &[usize], sites: usize) -> Platform {
    let clusters = processors
        .iter()
        .enumerate()
        .map(|(number, &processors)| Cluster {
            name: format!("cluster{number}"),
            groups: if sites == 0 { Vec::new() } else { vec![format!("site{}", number % sites)] },
            nodes: (0..processors)
                .map(|node| Node {
                    name: format!("node{number}-{node}"),
                    speed: Speed::Constant(1.0),
                })
                .collect(),
        })
        .collect();
    let size = processors.len() * processors.len();
    let mut table = || (0..size).map(|_| f64::from(1 + below(rng, 100))).collect();
    let horizontal = Bandwidths::new(processors.len(), table()).unwrap();
    let vertical = Bandwidths::new(processors.len(), table()).unwrap();
    Platform::new("random", clusters, 1e6, horizontal, Some(vertical)).unwrap()
}

/// Clusters of processors of these speeds, with bandwidths that differ by direction.
pub(crate) fn platform_of_speeds(rng: &mut Stream, speeds: &[&[f64]]) -> Platform {
    let counts: Vec<usize> = speeds.iter().map(|speeds| speeds.len()).collect();
    let plain = platform(rng, &counts, 0);
    let mut clusters = plain.clusters().to_vec();
    for (cluster, speeds) in clusters.iter_mut().zip(speeds) {
        for (node, &speed) in cluster.nodes.iter_mut().zip(*speeds) {
            node.speed = Speed::Constant(speed);
        }
    }
    let vertical = plain.vertical().cloned();
    Platform::new("random", clusters, 1e6, plain.bandwidth().clone(), vertical).unwrap()
}

/// Columns of this many rectangles each, with the same height and the processors in any order.
pub(crate) fn columns(rng: &mut Stream, sizes: &[usize]) -> Vec<Column> {
    let mut processors: Vec<u32> = (0..sizes.iter().sum::<usize>() as u32).collect();
    shuffle(rng, &mut processors);
    let height = 4 * *sizes.iter().max().unwrap() as u32 + below(rng, 20);
    let mut column = |&size: &usize| {
        let mut cuts: Vec<u32> = (1..height).collect();
        shuffle(rng, &mut cuts);
        cuts.truncate(size - 1);
        cuts.extend([0, height]);
        cuts.sort_unstable();
        let rectangles = cuts
            .windows(2)
            .map(|pair| Rectangle {
                processor: processors.pop().unwrap(),
                height: pair[1] - pair[0],
            })
            .collect();
        Column { width: 1 + below(rng, 30), rectangles }
    };
    sizes.iter().map(&mut column).collect()
}

/// Measures of all three kinds of rings.
pub(crate) fn measures(platform: &Platform) -> [Measure; 4] {
    [
        Measure::hops(platform),
        Measure::bandwidth(platform, 512.0),
        Measure::asymmetric(platform, 1.0, false),
        Measure::asymmetric(platform, 1.0, true),
    ]
}

/// Calls `see` with every order of `items`.
pub(crate) fn for_each_order(items: &mut [usize], fixed: usize, see: &mut impl FnMut(&[usize])) {
    if fixed == items.len() {
        see(items);
        return;
    }
    for next in fixed..items.len() {
        items.swap(fixed, next);
        for_each_order(items, fixed + 1, see);
        items.swap(fixed, next);
    }
}

/// Whether two costs are the same except for rounding.
pub(crate) fn close(one: f64, other: f64) -> bool {
    (one - other).abs() <= 1e-9 * one.abs().max(other.abs())
}
