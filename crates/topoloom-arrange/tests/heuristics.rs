//! The published heuristics and the search against what is published and against every order there is.

use topoloom_arrange::{
    Arrangement, Bandwidths, Cluster, Column, Form, Grids, Measure, Node, Platform, Rectangle,
    Speed, Task, parse_arranger,
};
use topoloom_core::Run;

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
fn the_asymmetric_heuristic_reaches_the_published_cost_from_any_order_of_clusters() {
    let line: Vec<u32> = (0..12).collect();
    for order in ORDERS {
        let platform = mpdata(order);
        let measure = Measure::asymmetric(&platform, 1.0, false);
        for (grids, published) in [(grids(2, 2), 2_143_978.5), (grids(1, 1), 2_143_978.5)] {
            let task = Task { platform: &platform, measure: &measure, form: Form::Grids(grids) };
            let cost = cost_of("asymmetric", &task, &two_rows(&grids, &line));
            println!("{order:?} {} {cost:.0}", grids.min_rows);
            assert!(cost < published, "{order:?}: {cost}");
        }
    }
}
