//! `auto` compared with every other strategy.

use topoloom_arrange::{
    ARRANGERS, Arrangement, Bandwidths, Cluster, Cutter, Form, Grids, Measure, Node, Parts,
    Platform, Speed, Task, parse_arranger, partition,
};
use topoloom_core::random::{Stream, below, stream};
use topoloom_core::{Effort, Run};

/// Clusters of 1 to 3 nodes with few different speeds, so some rectangles are equal.
fn platform(rng: &mut Stream) -> Platform {
    let number = 1 + below(rng, 4) as usize;
    let mut clusters = Vec::new();
    for cluster in 0..number {
        let nodes = 1 + below(rng, 3);
        let node = |node: u32, rng: &mut Stream| Node {
            name: format!("c{cluster}-{node}"),
            speed: Speed::Constant(f64::from(1 + below(rng, 3))),
        };
        clusters.push(Cluster {
            name: format!("c{cluster}"),
            groups: vec![format!("site{}", below(rng, 2))],
            nodes: (0..nodes).map(|number| node(number, rng)).collect(),
        });
    }
    let mut table =
        || (0..number * number).map(|_| f64::from(1 + below(rng, 100))).collect::<Vec<f64>>();
    let horizontal = Bandwidths::new(number, table()).unwrap();
    let vertical = Bandwidths::new(number, table()).unwrap();
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

/// Everything that can be arranged on a platform, with its start.
fn forms(platform: &Platform) -> Vec<(Form, Arrangement)> {
    let speeds = platform.nodes().map(|node| node.speed.speed(1.0));
    let columns = partition(&speeds.collect::<Vec<f64>>(), 40).unwrap();
    let processors = platform.num_processors();
    let line: Vec<u32> = (0..processors as u32).collect();
    let grids = Grids { domain: (48, 36), min_rows: 1, min_columns: 1 };
    let shape = *grids.shapes(processors).last().unwrap();
    let grid = Arrangement::grid(shape.0, shape.1, grids.cell(shape), &line).unwrap();
    let parts = Parts { domain: (48, 36), min_rows: 1, min_columns: 1 };
    let cutter = Cutter::new(platform, parts.domain).unwrap();
    let cut = cutter.cut(&parts.dealt(&line, processors.div_ceil(4))).unwrap();
    vec![(Form::Columns, columns), (Form::Grids(grids), grid), (Form::Parts(parts), cut)]
}

#[test]
fn auto_is_never_above_any_other_strategy() {
    let mut compared = 0;
    for seed in 0..4 {
        let platform = platform(&mut stream(seed, &[0x6175]));
        for (number, (form, start)) in forms(&platform).into_iter().enumerate() {
            // Every form is tried with every measure.
            let measure = measures(&platform)[(seed as usize + number) % 4].clone();
            let task = Task { platform: &platform, measure: &measure, form };
            let cost = |name: &str| {
                let mut run = Run::new(seed).with_effort(Effort::Fast);
                let found = parse_arranger(name).unwrap().arrange(&task, &start, &mut run);
                found.ok().map(|found| measure.cost(&found).total())
            };
            let auto = cost("auto").expect("auto always has an answer");
            for entry in ARRANGERS.entries.iter().filter(|entry| entry.name != "auto") {
                let Some(other) = cost(entry.name) else { continue };
                compared += 1;
                assert!(
                    auto <= other * (1.0 + 1e-9),
                    "{} on {form:?}, {measure:?}, seed {seed}: {other}, auto {auto}",
                    entry.name
                );
            }
        }
    }
    assert!(compared > 40, "only {compared} comparisons");
}
