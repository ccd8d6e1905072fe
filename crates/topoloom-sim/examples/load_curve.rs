//! How much uniform random traffic an 8x8 mesh accepts, by how much is offered.
//!
//! `cargo run --release -p topoloom-sim --example load_curve [-- FILE.svg]`

use std::fmt::Write;

use topoloom_model::Machine;
use topoloom_sim::{LoadPoint, OpenLoop, PacketOptions};

/// Half a flit per node and cycle: what the middle of the mesh lets through.
const MOST: f64 = 0.5;

fn main() {
    let machine = Machine::parse("mesh:8x8,latency=1.6e-9").expect("a machine");
    let usual = PacketOptions::default();
    let deep = PacketOptions { buffers: Some(32), channels: 8, ..usual };
    println!("offered  accepted  latency   accepted  latency   (flits a node and cycle, cycles)");
    println!("         usual buffers       32 packets, 8 channels");
    let mut curves: [Vec<LoadPoint>; 2] = Default::default();
    for step in 1..=18 {
        let rate = 0.05 * f64::from(step);
        let open_loop = OpenLoop { rate, warm_up: 200_000, measured: 100_000, seed: 1 };
        let points = [usual, deep]
            .map(|options| open_loop.run(&machine, &options).expect("a wired machine"));
        println!(
            "{rate:7.2}  {:8.3} {:8.0}   {:8.3} {:8.0}",
            points[0].accepted, points[0].mean_latency, points[1].accepted, points[1].mean_latency
        );
        curves.iter_mut().zip(points).for_each(|(curve, point)| curve.push(point));
    }
    if let Some(path) = std::env::args().nth(1) {
        std::fs::write(path, picture(&curves)).expect("the picture is written");
    }
}

/// Accepted load by offered load, as SVG.
fn picture(curves: &[Vec<LoadPoint>; 2]) -> String {
    let x = |offered: f64| 60.0 + 400.0 * offered / 0.9;
    let y = |accepted: f64| 280.0 - 250.0 * accepted / 0.6;
    let mut svg = String::from(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"640\" height=\"330\" \
         font-family=\"sans-serif\" font-size=\"12\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n",
    );
    let mut text = |x: f64, y: f64, anchor: &str, words: &str| {
        let _ = writeln!(svg, "<text x=\"{x}\" y=\"{y}\" text-anchor=\"{anchor}\">{words}</text>");
    };
    for tick in 0..=9 {
        let offered = 0.1 * f64::from(tick);
        text(x(offered), 298.0, "middle", &format!("{offered:.1}"));
    }
    for tick in 0..=6 {
        let accepted = 0.1 * f64::from(tick);
        text(52.0, y(accepted) + 4.0, "end", &format!("{accepted:.1}"));
    }
    text(260.0, 320.0, "middle", "offered, flits a node and cycle");
    text(60.0, 18.0, "start", "accepted, flits a node and cycle");
    text(470.0, y(MOST) - 6.0, "start", "what the middle lets through");
    text(470.0, y(curves[1][17].accepted) + 14.0, "start", "32 packets, 8 channels");
    text(470.0, y(curves[0][17].accepted) + 14.0, "start", "usual buffers");
    let mut line = |points: &[(f64, f64)], style: &str| {
        let points: Vec<String> = points.iter().map(|(a, b)| format!("{a:.1},{b:.1}")).collect();
        let points = points.join(" ");
        let _ = writeln!(svg, "<polyline points=\"{points}\" fill=\"none\" {style}/>");
    };
    line(&[(60.0, 30.0), (60.0, 280.0), (460.0, 280.0)], "stroke=\"black\"");
    line(&[(60.0, y(MOST)), (460.0, y(MOST))], "stroke=\"grey\" stroke-dasharray=\"4 4\"");
    for (curve, colour) in curves.iter().zip(["#d55e00", "#0072b2"]) {
        let points: Vec<(f64, f64)> = std::iter::once((x(0.0), y(0.0)))
            .chain(curve.iter().map(|point| (x(point.offered), y(point.accepted))))
            .collect();
        line(&points, &format!("stroke=\"{colour}\" stroke-width=\"2\""));
    }
    svg + "</svg>\n"
}
