//! How long arrangements take: 90 processors on 8 clusters, and 1,000 on 64.

use divan::Bencher;
use topoloom_arrange::{
    Arrangement, Bandwidths, Cluster, Column, Form, Grids, Measure, Node, Platform, Rectangle,
    Speed, Task, parse_arranger,
};
use topoloom_core::Run;
use topoloom_core::random::{Stream, below, shuffle, stream};

fn main() {
    divan::main();
}

fn platform(rng: &mut Stream, processors: usize, clusters: usize) -> Platform {
    let nodes = |cluster: usize| {
        let count = processors * (cluster + 1) / clusters - processors * cluster / clusters;
        (0..count)
            .map(|node| Node { name: format!("{cluster}-{node}"), speed: Speed::Constant(1.0) })
            .collect()
    };
    let list = (0..clusters)
        .map(|number| Cluster {
            name: number.to_string(),
            groups: Vec::new(),
            nodes: nodes(number),
        })
        .collect();
    let mut values = vec![0.0; clusters * clusters];
    for from in 0..clusters {
        for to in 0..=from {
            let value = f64::from(if from == to { 890 } else { 30 + below(rng, 300) });
            values[from * clusters + to] = value;
            values[to * clusters + from] = value;
        }
    }
    let bandwidths = Bandwidths::new(clusters, values).unwrap();
    Platform::new("bench", list, 1e6, bandwidths, None).unwrap()
}

/// As many columns as rectangles in each, of random heights, in `blocks` x `blocks`.
fn columns(rng: &mut Stream, processors: usize, blocks: u32) -> Arrangement {
    let number = (processors as f64).sqrt().round() as usize;
    let mut line: Vec<u32> = (0..processors as u32).collect();
    shuffle(rng, &mut line);
    let column = |column: usize| {
        let part = &line[processors * column / number..processors * (column + 1) / number];
        let mut heights = vec![1; part.len()];
        for _ in 0..blocks - part.len() as u32 {
            heights[below(rng, part.len() as u32) as usize] += 1;
        }
        let rectangles = part
            .iter()
            .zip(heights)
            .map(|(&processor, height)| Rectangle { processor, height })
            .collect();
        Column { width: blocks / number as u32, rectangles }
    };
    Arrangement::new((0..number).map(column).collect()).unwrap()
}

const ARRANGERS: [&str; 3] = ["hop-count", "bandwidth", "auto"];

fn arrange(bencher: Bencher, arranger: &str, measure: &str, size: (usize, usize, u32)) {
    let mut rng = stream(1, &[]);
    let (processors, clusters, blocks) = size;
    let platform = platform(&mut rng, processors, clusters);
    let start = columns(&mut rng, processors, blocks);
    let measure = topoloom_arrange::parse_measure(measure, &platform).unwrap();
    let task = Task { platform: &platform, measure: &measure, form: Form::Columns };
    let strategy = parse_arranger(arranger).unwrap();
    let found = strategy.arrange(&task, &start, &mut Run::new(1)).unwrap();
    eprintln!(
        "{arranger}: {:.1} of {:.1} {}",
        measure.cost(&found).total(),
        measure.cost(&start).total(),
        measure.name
    );
    bencher.bench_local(|| strategy.arrange(&task, &start, &mut Run::new(1)).unwrap());
}

#[divan::bench(args = ARRANGERS, sample_count = 3)]
fn ninety_by_bandwidth(bencher: Bencher, arranger: &str) {
    arrange(bencher, arranger, "bandwidth", (90, 8, 300));
}

#[divan::bench(args = ARRANGERS, sample_count = 3)]
fn ninety_by_hops(bencher: Bencher, arranger: &str) {
    arrange(bencher, arranger, "hops", (90, 8, 300));
}

#[divan::bench(args = ARRANGERS, sample_count = 1)]
fn thousand_by_bandwidth(bencher: Bencher, arranger: &str) {
    arrange(bencher, arranger, "bandwidth", (1000, 64, 1500));
}

#[divan::bench(args = ARRANGERS, sample_count = 1)]
fn thousand_by_hops(bencher: Bencher, arranger: &str) {
    arrange(bencher, arranger, "hops", (1000, 64, 1500));
}

#[divan::bench(args = ["asymmetric", "auto"], sample_count = 1)]
fn grids_of_a_thousand(bencher: Bencher, arranger: &str) {
    let mut rng = stream(2, &[]);
    let platform = platform(&mut rng, 1000, 64);
    let measure = Measure::asymmetric(&platform, 1.0, false);
    let grids = Grids { domain: (2000, 2000), min_rows: 1, min_columns: 1 };
    let line: Vec<u32> = (0..1000).collect();
    let start = Arrangement::grid(25, 40, grids.cell((25, 40)), &line).unwrap();
    let task = Task { platform: &platform, measure: &measure, form: Form::Grids(grids) };
    let strategy = parse_arranger(arranger).unwrap();
    let found = strategy.arrange(&task, &start, &mut Run::new(1)).unwrap();
    eprintln!(
        "{arranger}: {:.1} of {:.1}, {} x {}",
        measure.cost(&found).total(),
        measure.cost(&start).total(),
        found.columns()[0].rectangles.len(),
        found.columns().len()
    );
    bencher.bench_local(|| strategy.arrange(&task, &start, &mut Run::new(1)).unwrap());
}
