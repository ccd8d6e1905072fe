//! Writes every figure with made-up numbers to a folder, wide and narrow, as SVG and PNG:
//! `cargo run -p topoloom-show --example gallery -- FOLDER`.

use std::path::Path;

use topoloom_core::insight::Matrix;
use topoloom_core::{Weight, parse_pattern};
use topoloom_show::Picture;
use topoloom_show::figure::{
    Frame, Unit, bars, groups, levels, loads, matrix, scatter, speeds, timeline, waiting,
};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = std::env::args().nth(1).ok_or("expected a folder")?;
    std::fs::create_dir_all(&folder)?;
    for (width, frame) in [("wide", Frame::WIDE), ("narrow", Frame::NARROW)] {
        for (name, picture) in pictures(frame)? {
            let path = Path::new(&folder).join(format!("{name}-{width}"));
            std::fs::write(path.with_extension("svg"), picture.standalone())?;
            std::fs::write(path.with_extension("png"), picture.png(1.5)?)?;
        }
    }
    Ok(())
}

type Named = Vec<(&'static str, Picture)>;

fn pictures(frame: Frame) -> Result<Named, Box<dyn std::error::Error>> {
    let traffic = parse_pattern("stencil:8x8x8")?;
    let other = parse_pattern("ring:512")?;
    let cells = Matrix::of(&traffic, Weight::Bytes, 128);
    let after = Matrix::of(&other, Weight::Bytes, 128);
    let labels =
        matrix::Labels { name: "stencil:8x8x8", ranks: 512, weight: Weight::Bytes, axis: "rank" };
    let captions = ["as the program numbers ranks", "as auto places them"];
    Ok(vec![
        ("matrix", matrix::matrix(frame, &cells, &labels)),
        (
            "two-matrices",
            matrix::two_matrices(frame, (&cells, &after), captions, ["rank", "place"], &labels),
        ),
        ("bars", bars::bars(frame, &made_up_bars())),
        ("groups", groups::groups(frame, &made_up_groups())),
        ("speeds", speeds::speeds(frame, &made_up_speeds())),
        ("loads", loads::loads(frame, &made_up_loads(6.0))),
        ("loads-log", loads::loads(frame, &made_up_loads(30.0))),
        ("scatter", scatter::scatter(frame, &made_up_scatter())),
        ("timeline", timeline::timeline(frame, &made_up_runs())),
        ("waiting", waiting::waiting(frame, &made_up_waiting(64))),
        ("waiting-many", waiting::waiting(frame, &made_up_waiting(4096))),
        ("levels", levels::levels(frame, &made_up_levels())),
        (
            "nothing",
            levels::levels(frame, &levels::Levels { placements: Vec::new(), ..made_up_levels() }),
        ),
    ])
}

/// Numbers between 0 and 1 that look random and are always the same.
fn jitter(number: usize) -> f64 {
    let mixed = (number as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    ((mixed ^ (mixed >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 40) as f64 / (1u64 << 24) as f64
}

const STRATEGIES: [(&str, f64, f64); 12] = [
    ("in-order", 20e9, 2e-6),
    ("random", 41e9, 1e-4),
    ("greedy", 17.5e9, 0.004),
    ("recursive-bisection", 14.2e9, 0.05),
    ("space-filling-curve", 16.8e9, 0.001),
    ("topo-lb", 15.1e9, 0.3),
    ("rahtm", 13.4e9, 42.0),
    ("multilevel", 12.9e9, 0.21),
    ("annealing", 13.1e9, 9.0),
    ("greedy-all-c", 17.4e9, 0.006),
    ("tabu", 13.0e9, 9.5),
    ("auto", 12.2e9, 1.9),
];

fn made_up_bars() -> bars::Bars {
    let machine = |name: &str, factor: f64, bound| bars::MachineBars {
        name: name.to_string(),
        bound: Some(bound),
        rows: STRATEGIES
            .iter()
            .take(8)
            .chain(STRATEGIES.last())
            .enumerate()
            .map(|(number, &(name, total, _))| bars::BarRow {
                name: name.to_string(),
                total: total * factor,
                average: Some(total * factor / 192.0),
                minimum: Some(total * factor / 192.0 * 0.4 * jitter(number)),
                maximum: Some(total * factor / 192.0 * (1.5 + 2.0 * jitter(number + 50))),
                highlighted: name == "auto",
                published: [None; 4],
            })
            .collect(),
    };
    bars::Bars {
        unit: Unit::Bytes,
        machines: vec![machine("torus:4x4x4", 1.0, 11e9), machine("haec:4x4x4", 0.75, 8e9)],
    }
}

fn made_up_groups() -> groups::Groups {
    let group = |(number, name): (usize, &&str)| groups::Group {
        name: name.to_string(),
        bars: (0..4)
            .map(|bar| groups::Bar {
                ours: Some(1.0 + jitter(4 * number + bar)),
                deviation: (bar > 0).then(|| 0.2 * jitter(number + 70 * bar)),
                published: (bar % 2 == 0).then(|| 1.0 + jitter(9 * number + bar)),
            })
            .collect(),
    };
    let names = ["BT", "CG", "FT", "IS", "LU", "MG", "SP"];
    groups::Groups {
        title: "Times of mappings".to_string(),
        explanation: "Relative to the best of a benchmark".to_string(),
        what: "time relative to the best".to_string(),
        unit: Unit::Plain,
        series: ["consecutive", "random", "distance", "TD"].map(str::to_string).to_vec(),
        groups: names.iter().enumerate().map(group).collect(),
        reference: Some((1.0, "best".to_string())),
    }
}

fn made_up_speeds() -> speeds::Speeds {
    let processor = |number: usize| {
        let speed =
            move |size: f64| (10.0 + number as f64) * (1.0 - 0.1 * (size / 20.0).ln().tanh());
        let points = (0..40).map(|step| 1.3f64.powi(step)).map(|size| (size, speed(size)));
        let size = 300.0 + 2000.0 * jitter(number);
        speeds::Processor {
            name: format!("node-{number}"),
            points: points.collect(),
            given: Some((size, speed(size))),
        }
    };
    let cluster = |(number, name): (usize, &&str)| speeds::Cluster {
        name: name.to_string(),
        processors: (3 * number..3 * number + 3).map(processor).collect(),
    };
    speeds::Speeds {
        title: "Speeds".to_string(),
        explanation: "How fast processors are by the number of blocks that they have".to_string(),
        unit: "blocks/s".to_string(),
        clusters: ["Edel", "Graphene", "Suno"].iter().enumerate().map(cluster).collect(),
    }
}

fn made_up_loads(spread: f64) -> loads::Loads {
    let series = |(place, name): (usize, &&str)| loads::Series {
        name: name.to_string(),
        loads: (0..1500 - 150 * place)
            .map(|number| {
                1e7 * 2f64.powf(spread * jitter(number + 7000 * place))
                    * (1.0 + place as f64 * 0.35)
            })
            .collect(),
        all_links: 1536,
    };
    let names = ["auto", "greedy", "in-order", "random"];
    loads::Loads { unit: Unit::Bytes, series: names.iter().enumerate().map(series).collect() }
}

fn made_up_scatter() -> scatter::Scatter {
    scatter::Scatter {
        cost: "hop-bytes".to_string(),
        unit: Unit::Bytes,
        bound: Some(11e9),
        strategies: STRATEGIES
            .iter()
            .map(|&(name, cost, seconds)| scatter::Strategy {
                name: name.to_string(),
                seconds,
                cost,
                highlighted: name == "auto",
            })
            .collect(),
    }
}

fn made_up_runs() -> Vec<timeline::Run> {
    let run = |name: &str, seconds: f64, level: f64| timeline::Run {
        name: name.to_string(),
        seconds,
        bin_seconds: 0.0002,
        bins: (0..(seconds / 0.0002) as usize)
            .map(|number| {
                let wave = 0.6 + 0.4 * (number as f64 / 9.0).sin();
                let mean = level * wave * (0.8 + 0.2 * jitter(number));
                (mean, (mean * 2.2 + 0.2 * jitter(number + 900)).min(1.0))
            })
            .collect(),
    };
    vec![run("in-order", 0.0421, 0.5), run("auto", 0.0297, 0.3)]
}

fn made_up_waiting(ranks: usize) -> Vec<waiting::Waiting> {
    let run = |name: &str, level: f64| waiting::Waiting {
        name: name.to_string(),
        seconds: (0..ranks)
            .map(|rank| {
                level * (1.0 + 0.5 * (rank as f64 * 12.0 / ranks as f64).sin() + jitter(rank))
            })
            .collect(),
    };
    vec![run("in-order", 0.004), run("auto", 0.0022)]
}

fn made_up_levels() -> levels::Levels {
    let placement = |name: &str, shares: [f64; 5]| levels::Placement {
        name: name.to_string(),
        amounts: shares.iter().map(|share| share * 12e9).collect(),
    };
    let names = ["one cache", "one socket", "one node", "one switch", "the whole machine"];
    levels::Levels {
        unit: Unit::Bytes,
        levels: names.iter().map(|name| name.to_string()).collect(),
        placements: vec![
            placement("in-order", [0.05, 0.1, 0.2, 0.02, 0.63]),
            placement("recursive-bisection", [0.21, 0.2, 0.3, 0.14, 0.15]),
            placement("auto", [0.31, 0.25, 0.27, 0.12, 0.05]),
        ],
    }
}
