//! The published heuristics and the search against what is published and against every order there is.

use topoloom_arrange::{
    Arrangement, Bandwidths, Cluster, Column, Form, Grids, Measure, Node, Platform, Rectangle,
    Speed, Task, parse_arranger,
};
use topoloom_core::Run;
use topoloom_core::random::{Stream, below, shuffle, stream};

fn cluster(name: &str, processors: usize) -> Cluster {
    Cluster {
        name: name.to_string(),
        groups: Vec::new(),
        nodes: (0..processors)
            .map(|node| Node { name: format!("{name}-{node}"), speed: Speed::Constant(1.0) })
            .collect(),
    }
}

/// Table 4.1 of the thesis, in GB/s, with clusters in any order.
fn mpdata(order: [usize; 4]) -> Platform {
    let names = ["Grimoire", "Parasilo", "Grisou", "Paravance"];
    let processors = [3, 4, 2, 3];
    let horizontal = [
        [0.03963, 0.00007, 0.03889, 0.00007],
        [0.00007, 0.03876, 0.00007, 0.03732],
        [0.03889, 0.00007, 0.03834, 0.00007],
        [0.00007, 0.03732, 0.00007, 0.03920],
    ];
    let vertical = [
        [0.48068, 0.00056, 0.49341, 0.00056],
        [0.00056, 0.48858, 0.00056, 0.45943],
        [0.49341, 0.00056, 0.48916, 0.00056],
        [0.00056, 0.45943, 0.00056, 0.46808],
    ];
    let table = |values: [[f64; 4]; 4]| {
        let values = order.iter().flat_map(|&a| order.iter().map(move |&b| values[a][b]));
        Bandwidths::new(4, values.collect()).unwrap()
    };
    let clusters = order.iter().map(|&c| cluster(names[c], processors[c])).collect();
    Platform::new("mpdata", clusters, 1e9, table(horizontal), Some(table(vertical))).unwrap()
}

fn grids(min_rows: usize, min_columns: usize) -> Grids {
    Grids { domain: (512, 512), min_rows, min_columns }
}

/// The processors row by row on 2 x 6 cells.
fn two_rows(grids: &Grids, processors: &[u32]) -> Arrangement {
    Arrangement::grid(2, 6, grids.cell((2, 6)), processors).unwrap()
}

fn cost_of(arranger: &str, task: &Task, start: &Arrangement) -> f64 {
    let found = parse_arranger(arranger).unwrap().arrange(task, start, &mut Run::new(1)).unwrap();
    task.measure.cost(&found).total()
}

const ORDERS: [[usize; 4]; 24] = {
    let mut orders = [[0; 4]; 24];
    let mut number = 0;
    let mut code = 0;
    while code < 256 {
        let order = [code / 64 % 4, code / 16 % 4, code / 4 % 4, code % 4];
        if order[0] != order[1]
            && order[0] != order[2]
            && order[0] != order[3]
            && order[1] != order[2]
            && order[1] != order[3]
            && order[2] != order[3]
        {
            orders[number] = order;
            number += 1;
        }
        code += 1;
    }
    orders
};

#[test]
fn the_asymmetric_heuristic_gives_the_published_cost_for_the_published_order_of_clusters() {
    let platform = mpdata([0, 1, 2, 3]);
    let measure = Measure::asymmetric(&platform, 1.0, false);
    let line: Vec<u32> = (0..12).collect();
    for grids in [grids(1, 1), grids(2, 2)] {
        let task = Task { platform: &platform, measure: &measure, form: Form::Grids(grids) };
        let cost = cost_of("asymmetric", &task, &two_rows(&grids, &line));
        // Table 4.2.
        assert_eq!(cost.round(), 2_143_978.0);
    }
}

#[test]
fn the_asymmetric_heuristic_comes_near_the_published_cost_from_any_order_of_clusters() {
    let line: Vec<u32> = (0..12).collect();
    for order in ORDERS {
        let platform = mpdata(order);
        let measure = Measure::asymmetric(&platform, 1.0, false);
        for grids in [grids(1, 1), grids(2, 2)] {
            let task = Task { platform: &platform, measure: &measure, form: Form::Grids(grids) };
            let cost = cost_of("asymmetric", &task, &two_rows(&grids, &line));
            assert!(cost < 2_143_978.5 * 1.0005, "{order:?}: {cost}");
        }
    }
}

#[test]
fn auto_and_exhaustive_find_the_best_grids_of_table_4_1() {
    let platform = mpdata([0, 1, 2, 3]);
    let measure = Measure::asymmetric(&platform, 1.0, false);
    let line: Vec<u32> = (0..12).collect();
    for (grids, best) in [(grids(1, 1), 924_882.0), (grids(2, 2), 2_143_736.0)] {
        let task = Task { platform: &platform, measure: &measure, form: Form::Grids(grids) };
        let start = two_rows(&grids, &line);
        assert_eq!(cost_of("auto", &task, &start).round(), best);
        assert_eq!(cost_of("exhaustive", &task, &start).round(), best);
    }
}

#[test]
fn inside_one_cluster_only_the_shape_counts() {
    let table = |value: f64| Bandwidths::new(1, vec![value]).unwrap();
    let grisou = vec![cluster("Grisou", 12)];
    let platform =
        Platform::new("grisou", grisou, 1e9, table(0.03834), Some(table(0.48916))).unwrap();
    let measure = Measure::asymmetric(&platform, 1.0, false);
    let line: Vec<u32> = (0..12).collect();
    // Table 4.3 has 18535 for 6 x 2; 12 x 1 needs no slow horizontal messages at all.
    for (grids, best) in [(grids(1, 1), 11_514.0), (grids(2, 2), 18_535.0)] {
        let task = Task { platform: &platform, measure: &measure, form: Form::Grids(grids) };
        for arranger in ["asymmetric", "auto", "exhaustive"] {
            let cost = cost_of(arranger, &task, &two_rows(&grids, &line));
            assert_eq!(cost.round(), best, "{arranger}");
        }
    }
}

/// Tables 3.3 to 3.7: 16 processors on 4 clusters, given as (cluster, height) from top to bottom.
fn sixteen(columns: [&[(usize, u32)]; 4]) -> (Platform, Arrangement) {
    let bandwidths = vec![
        891.20, 55.01, 249.53, 56.39, 55.01, 893.13, 68.96, 90.88, 249.53, 68.96, 6850.27, 71.93,
        56.39, 90.88, 71.93, 896.17,
    ];
    let clusters = vec![cluster("0", 4), cluster("1", 3), cluster("2", 5), cluster("3", 4)];
    let bandwidths = Bandwidths::new(4, bandwidths).unwrap();
    let platform = Platform::new("sixteen", clusters, 1e6, bandwidths, None).unwrap();
    let mut next = [0, 4, 7, 12];
    let mut column = |(rectangles, width): (&[(usize, u32)], u32)| Column {
        width,
        rectangles: rectangles
            .iter()
            .map(|&(cluster, height)| {
                next[cluster] += 1;
                Rectangle { processor: next[cluster] - 1, height }
            })
            .collect(),
    };
    let columns = columns.into_iter().zip([54, 30, 29, 15]).map(&mut column).collect();
    (platform, Arrangement::new(columns).unwrap())
}

fn worst_of_sixteen() -> (Platform, Arrangement) {
    sixteen([
        &[(0, 30), (0, 29), (2, 69)],
        &[(3, 37), (1, 45), (2, 46)],
        &[(1, 27), (2, 32), (2, 33), (3, 36)],
        &[(0, 15), (3, 15), (1, 16), (3, 20), (0, 28), (2, 34)],
    ])
}

fn best_of_sixteen() -> (Platform, Arrangement) {
    sixteen([
        &[(2, 69), (0, 29), (0, 30)],
        &[(2, 46), (3, 37), (1, 45)],
        &[(2, 33), (2, 32), (3, 36), (1, 27)],
        &[(2, 34), (0, 15), (0, 28), (3, 15), (3, 20), (1, 16)],
    ])
}

#[test]
fn sixteen_processors_are_arranged_no_worse_than_in_the_thesis() {
    let (platform, start) = worst_of_sixteen();
    let (_, published) = best_of_sixteen();
    let measure = Measure::bandwidth(&platform, 512.0);
    let task = Task { platform: &platform, measure: &measure, form: Form::Columns };
    let published = measure.cost(&published).total();
    let bandwidth = cost_of("bandwidth", &task, &start);
    let auto = cost_of("auto", &task, &start);
    let best = cost_of("exhaustive", &task, &start);
    println!("published {published:.2} bandwidth {bandwidth:.2} auto {auto:.2} best {best:.2}");
    println!("hop-count {:.2}", cost_of("hop-count", &task, &start));
    assert!(best <= auto && auto <= published && auto <= bandwidth);
}

/// A number below `bound`.
fn random(rng: &mut Stream, bound: usize) -> usize {
    below(rng, bound as u32) as usize
}

fn random_platform(rng: &mut Stream, processors: usize) -> Platform {
    let number = 2 + random(rng, 3);
    let mut sizes = vec![0; number];
    for _ in 0..processors {
        sizes[random(rng, number)] += 1;
    }
    let clusters =
        sizes.iter().enumerate().map(|(c, &size)| cluster(&format!("c{c}"), size)).collect();
    let table = |rng: &mut Stream| {
        let mut values = vec![0.0; number * number];
        for from in 0..number {
            for to in 0..=from {
                // Inside a cluster faster than between any two, most of the time.
                let value =
                    if from == to { 500 + random(rng, 1000) } else { 20 + random(rng, 500) };
                values[from * number + to] = value as f64;
                values[to * number + from] = value as f64;
            }
        }
        Bandwidths::new(number, values).unwrap()
    };
    let (horizontal, vertical) = (table(rng), table(rng));
    Platform::new("random", clusters, 1e6, horizontal, Some(vertical)).unwrap()
}

/// 2 to 4 columns of 1 to 4 rectangles, with the processors of clusters anywhere.
fn random_columns(rng: &mut Stream) -> (Platform, Arrangement) {
    let sizes: Vec<usize> = (0..2 + random(rng, 3)).map(|_| 1 + random(rng, 4)).collect();
    let total = sizes.iter().sum();
    let platform = random_platform(rng, total);
    let mut processors: Vec<u32> = (0..total as u32).collect();
    shuffle(rng, &mut processors);
    let height = 8 + random(rng, 60) as u32;
    let columns = sizes
        .iter()
        .map(|&size| {
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
            Column { width: 1 + random(rng, 30) as u32, rectangles }
        })
        .collect();
    (platform, Arrangement::new(columns).unwrap())
}

/// How far from the best: the median, the maximum, and how many are as good.
fn summary(name: &str, mut ratios: Vec<f64>) -> f64 {
    ratios.sort_by(f64::total_cmp);
    let median = ratios[ratios.len() / 2];
    let exact = ratios.iter().filter(|&&ratio| ratio < 1.0 + 1e-9).count();
    println!(
        "{name}: {} cases, {exact} as good as the best, median {:.2} %, 90th percentile {:.2} %, maximum {:.1} %",
        ratios.len(),
        100.0 * (median - 1.0),
        100.0 * (ratios[ratios.len() * 9 / 10] - 1.0),
        100.0 * (ratios[ratios.len() - 1] - 1.0)
    );
    median
}

/// The cost of a heuristic over the best cost there is. Nothing is better than the best.
fn ratio(cost: f64, best: f64) -> f64 {
    assert!(cost >= best * (1.0 - 1e-9), "{cost} is below the best, {best}");
    if best == 0.0 { if cost == 0.0 { 1.0 } else { f64::INFINITY } } else { cost / best }
}

#[test]
fn heuristics_are_near_the_best_of_all_orders_on_a_thousand_random_columns() {
    let (mut hops, mut bandwidth, mut auto) = (Vec::new(), Vec::new(), Vec::new());
    for case in 0..1000 {
        let mut rng = stream(31, &[case]);
        let (platform, start) = random_columns(&mut rng);
        for measure in [Measure::hops(&platform), Measure::bandwidth(&platform, 512.0)] {
            let task = Task { platform: &platform, measure: &measure, form: Form::Columns };
            let best = cost_of("exhaustive", &task, &start);
            let (by_hops, by_bandwidth) =
                (cost_of("hop-count", &task, &start), cost_of("bandwidth", &task, &start));
            // With rounds and without all arrangements at once, which auto would look at here.
            let found = cost_of("auto", &task, &start);
            let known = by_hops.min(by_bandwidth).min(measure.cost(&start).total());
            assert!(found <= known * (1.0 + 1e-9), "case {case} {measure:?}");
            auto.push(ratio(found, best));
            if measure.name == "hops" {
                hops.push(ratio(by_hops, best));
            } else {
                bandwidth.push(ratio(by_bandwidth, best));
            }
        }
    }
    assert!(summary("hop-count", hops) < 1.03);
    assert!(summary("bandwidth", bandwidth) < 1.03);
    assert!(summary("auto", auto) < 1.0 + 1e-9);
}

#[test]
fn the_asymmetric_heuristic_and_auto_on_random_grids() {
    let (mut asymmetric, mut auto) = (Vec::new(), Vec::new());
    for case in 0..300 {
        let mut rng = stream(32, &[case]);
        let processors = [4, 6, 8, 9][random(&mut rng, 4)];
        let platform = random_platform(&mut rng, processors);
        let grids = Grids {
            domain: (40 + random(&mut rng, 200) as u32, 40 + random(&mut rng, 200) as u32),
            min_rows: 1 + random(&mut rng, 2),
            min_columns: 1 + random(&mut rng, 2),
        };
        let shape = grids.shapes(processors)[0];
        let mut line: Vec<u32> = (0..processors as u32).collect();
        shuffle(&mut rng, &mut line);
        let start = Arrangement::grid(shape.0, shape.1, grids.cell(shape), &line).unwrap();
        let measure = Measure::asymmetric(&platform, 1.0, case % 2 == 1);
        let task = Task { platform: &platform, measure: &measure, form: Form::Grids(grids) };
        let best = cost_of("exhaustive", &task, &start);
        let heuristic = cost_of("asymmetric", &task, &start);
        let found = cost_of("auto", &task, &start);
        assert!(found <= heuristic * (1.0 + 1e-9) && found <= measure.cost(&start).total());
        asymmetric.push(ratio(heuristic, best));
        auto.push(ratio(found, best));
    }
    summary("asymmetric", asymmetric);
    assert!(summary("auto on grids", auto) < 1.0 + 1e-9);
}
