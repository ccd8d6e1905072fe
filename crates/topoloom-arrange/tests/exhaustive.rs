//! `exhaustive` checked against all arrangements, counted by the definition alone.

use topoloom_arrange::{
    Arrangement, Bandwidths, Cluster, Column, Cutter, Form, Grids, Measure, Node, Parts, Platform,
    Rectangle, Speed, Task, parse_arranger,
};
use topoloom_core::Run;
use topoloom_core::random::{Stream, below, shuffle, stream};

fn platform(rng: &mut Stream, nodes: &[usize]) -> Platform {
    let speeds: Vec<Vec<f64>> = nodes.iter().map(|&nodes| vec![1.0; nodes]).collect();
    platform_of_speeds(rng, &speeds)
}

fn platform_of_speeds(rng: &mut Stream, speeds: &[Vec<f64>]) -> Platform {
    let node = |cluster: usize, (number, &speed): (usize, &f64)| Node {
        name: format!("c{cluster}-{number}"),
        speed: Speed::Constant(speed),
    };
    let clusters = speeds.iter().enumerate().map(|(number, speeds)| Cluster {
        name: format!("c{number}"),
        groups: vec![format!("site{}", number % 2)],
        nodes: speeds.iter().enumerate().map(|one| node(number, one)).collect(),
    });
    let clusters: Vec<Cluster> = clusters.collect();
    let size = clusters.len() * clusters.len();
    let mut table = || (0..size).map(|_| f64::from(1 + below(rng, 100))).collect();
    let horizontal = Bandwidths::new(clusters.len(), table()).unwrap();
    let vertical = Bandwidths::new(clusters.len(), table()).unwrap();
    Platform::new("random", clusters, 1e6, horizontal, Some(vertical)).unwrap()
}

fn measures(platform: &Platform) -> [Measure; 4] {
    [
        Measure::hops(platform),
        Measure::bandwidth(platform, 512.0),
        Measure::asymmetric(platform, 1.0, false),
        Measure::asymmetric(platform, 1.0, true),
    ]
}

fn for_each_order(items: &mut Vec<usize>, fixed: usize, see: &mut dyn FnMut(&[usize])) {
    if fixed == items.len() {
        return see(items);
    }
    for next in fixed..items.len() {
        items.swap(fixed, next);
        for_each_order(items, fixed + 1, see);
        items.swap(fixed, next);
    }
}

/// The lowest cost of the columns in every order, with every order of rectangles in each, and with
/// every processor wherever a rectangle has its size.
fn least_of_columns(measure: &Measure, start: &Arrangement) -> f64 {
    let size_of_processor: Vec<(u32, u32)> = {
        let mut sizes = vec![(0, 0); start.num_processors()];
        for column in start.columns() {
            for r in &column.rectangles {
                sizes[r.processor as usize] = (column.width, r.height);
            }
        }
        sizes
    };
    let mut least = f64::INFINITY;
    let mut order: Vec<usize> = (0..start.columns().len()).collect();
    for_each_order(&mut order, 0, &mut |order| {
        let columns: Vec<&Column> = order.iter().map(|&c| &start.columns()[c]).collect();
        // All orders of all processors, read column by column; those that do not fill the columns
        // are left out.
        let mut line: Vec<usize> = (0..start.num_processors()).collect();
        for_each_order(&mut line, 0, &mut |line| {
            let mut next = line.iter();
            let arranged: Vec<Column> = columns
                .iter()
                .map(|column| Column {
                    width: column.width,
                    rectangles: next
                        .by_ref()
                        .take(column.rectangles.len())
                        .map(|&p| Rectangle { processor: p as u32, height: size_of_processor[p].1 })
                        .collect(),
                })
                .collect();
            let fits = arranged.iter().zip(&columns).all(|(new, old)| {
                let mut new: Vec<(u32, u32)> = new
                    .rectangles
                    .iter()
                    .map(|r| size_of_processor[r.processor as usize])
                    .collect();
                let mut old: Vec<(u32, u32)> =
                    old.rectangles.iter().map(|r| (old.width, r.height)).collect();
                new.sort_unstable();
                old.sort_unstable();
                new == old
            });
            if fits {
                let arranged = Arrangement::new(arranged).unwrap();
                least = least.min(measure.cost(&arranged).total());
            }
        });
    });
    least
}

#[test]
fn columns_with_equal_rectangles_are_never_beaten_by_plain_enumeration() {
    // (width, heights) of each column.
    let shapes: [&[(u32, &[u32])]; 7] = [
        &[(4, &[3, 3]), (4, &[3, 3]), (4, &[3, 3])],
        &[(4, &[2, 2, 2]), (4, &[2, 2, 2])],
        &[(4, &[6]), (4, &[6]), (4, &[6]), (3, &[3, 2, 1])],
        &[(4, &[3, 2, 1]), (4, &[3, 3]), (5, &[6])],
        &[(4, &[4, 2]), (4, &[2, 4]), (2, &[3, 3])],
        &[(5, &[1, 2, 3, 4]), (3, &[5, 5])],
        &[(5, &[1, 1, 1, 1, 1, 1])],
    ];
    let exhaustive = parse_arranger("exhaustive").unwrap();
    let auto = parse_arranger("auto").unwrap();
    let mut rng = stream(41, &[]);
    for shape in shapes {
        for clusters in [&[2, 2, 2][..], &[3, 3], &[1, 2, 1, 2]] {
            let platform = platform(&mut rng, clusters);
            let mut processors: Vec<u32> = (0..6).collect();
            shuffle(&mut rng, &mut processors);
            let columns = shape.iter().map(|&(width, heights)| Column {
                width,
                rectangles: heights
                    .iter()
                    .map(|&height| Rectangle { processor: processors.pop().unwrap(), height })
                    .collect(),
            });
            let columns: Vec<Column> = columns.collect();
            let start = Arrangement::new(columns).unwrap();
            for measure in measures(&platform) {
                let task = Task { platform: &platform, measure: &measure, form: Form::Columns };
                let least = least_of_columns(&measure, &start);
                for arranger in [&exhaustive, &auto] {
                    let found = arranger.arrange(&task, &start, &mut Run::new(1)).unwrap();
                    let cost = measure.cost(&found).total();
                    assert!(
                        (cost - least).abs() <= 1e-9 * least,
                        "{arranger:?}, {measure:?}, {shape:?}: {cost}, best {least}"
                    );
                }
            }
        }
    }
}

#[test]
fn grids_are_never_beaten_by_plain_enumeration() {
    let exhaustive = parse_arranger("exhaustive").unwrap();
    let mut rng = stream(42, &[]);
    for case in 0..6 {
        let platform = platform(&mut rng, [&[2, 2, 2][..], &[3, 2, 1], &[4, 2]][case % 3]);
        let (min_rows, min_columns) = [(1, 1), (2, 2)][case % 2];
        let grids = Grids { domain: (60, 36), min_rows, min_columns };
        let shapes = grids.shapes(6);
        let line: Vec<u32> = (0..6).collect();
        let first = shapes[0];
        let start = Arrangement::grid(first.0, first.1, grids.cell(first), &line).unwrap();
        for measure in measures(&platform) {
            let mut least = f64::INFINITY;
            for &shape in &shapes {
                let mut line: Vec<usize> = (0..6).collect();
                for_each_order(&mut line, 0, &mut |line| {
                    let line: Vec<u32> = line.iter().map(|&p| p as u32).collect();
                    let grid = Arrangement::grid(shape.0, shape.1, grids.cell(shape), &line);
                    least = least.min(measure.cost(&grid.unwrap()).total());
                });
            }
            let task = Task { platform: &platform, measure: &measure, form: Form::Grids(grids) };
            let found = exhaustive.arrange(&task, &start, &mut Run::new(1)).unwrap();
            let cost = measure.cost(&found).total();
            assert!((cost - least).abs() <= 1e-9 * least, "{measure:?}: {cost}, best {least}");
        }
    }
}

/// Every way to put `count` processors into columns, whose order does not matter.
fn set_partitions(count: u32) -> Vec<Vec<Vec<u32>>> {
    let Some(last) = count.checked_sub(1) else { return vec![Vec::new()] };
    let mut all = Vec::new();
    for partition in set_partitions(last) {
        for column in 0..=partition.len() {
            let mut larger = partition.clone();
            if column == larger.len() {
                larger.push(Vec::new());
            }
            larger[column].push(last);
            all.push(larger);
        }
    }
    all
}

#[test]
fn parts_by_speed_are_never_beaten_by_plain_enumeration() {
    let exhaustive = parse_arranger("exhaustive").unwrap();
    let auto = parse_arranger("auto").unwrap();
    let asymmetric = parse_arranger("asymmetric").unwrap();
    let mut rng = stream(43, &[]);
    type Case<'a> = (&'a [&'a [f64]], (u32, u32), usize);
    let cases: [Case<'_>; 4] = [
        (&[&[1.0, 2.0], &[3.0], &[1.5, 4.0]], (24, 20), 1),
        (&[&[1.0, 1.0], &[1.0], &[2.0, 2.0]], (9, 11), 1),
        // Speeds that are equal after rounding to whole blocks.
        (&[&[1.0, 1.01], &[1.02, 1.03]], (6, 6), 2),
        (&[&[5.0], &[1.0, 1.0, 1.0], &[1.0]], (16, 16), 1),
    ];
    for (speeds, domain, side) in cases {
        let speeds: Vec<Vec<f64>> = speeds.iter().map(|speeds| speeds.to_vec()).collect();
        let platform = platform_of_speeds(&mut rng, &speeds);
        let parts = Parts { domain, min_rows: side, min_columns: side };
        let cutter = Cutter::new(&platform, domain).unwrap();
        let cuts: Vec<Arrangement> = set_partitions(platform.num_processors() as u32)
            .iter()
            .filter(|columns| parts.allow(columns.iter().map(Vec::len)))
            .map(|columns| cutter.cut(columns).unwrap())
            .collect();
        for measure in measures(&platform) {
            let least = cuts.iter().map(|cut| least_of_columns(&measure, cut));
            let least = least.fold(f64::INFINITY, f64::min);
            let task = Task { platform: &platform, measure: &measure, form: Form::Parts(parts) };
            let cost = |arranger: &dyn topoloom_arrange::Arranger| {
                let found = arranger.arrange(&task, &cuts[0], &mut Run::new(1)).unwrap();
                assert_eq!((found.height(), found.width()), domain);
                assert!(parts.allow(found.columns().iter().map(|c| c.rectangles.len())));
                measure.cost(&found).total()
            };
            for arranger in [&exhaustive, &auto] {
                let found = cost(arranger.as_ref());
                assert!(
                    (found - least).abs() <= 1e-9 * least,
                    "{arranger:?}, {measure:?}, {speeds:?}: {found}, best {least}"
                );
            }
            assert!(cost(asymmetric.as_ref()) >= least * (1.0 - 1e-9));
        }
    }
}
