//! What an 8x8 mesh accepts of uniform random traffic, by what is offered.
//!
//! `cargo run --release -p topoloom-sim --example load_curve`

use topoloom_model::Machine;
use topoloom_sim::{OpenLoop, PacketOptions};

fn main() {
    let machine = Machine::parse("mesh:8x8,latency=1.6e-9").expect("a machine");
    let usual = PacketOptions::default();
    let deep = PacketOptions { buffers: Some(32), channels: 8, ..usual };
    println!("offered  accepted  latency   accepted  latency   (flits a node and cycle, cycles)");
    println!("         usual buffers       32 packets, 8 channels");
    for step in 1..=18 {
        let rate = 0.05 * f64::from(step);
        let open_loop = OpenLoop { rate, warm_up: 200_000, measured: 100_000, seed: 1 };
        let [usual, deep] = [usual, deep]
            .map(|options| open_loop.run(&machine, &options).expect("a wired machine"));
        println!(
            "{rate:7.2}  {:8.3} {:8.0}   {:8.3} {:8.0}",
            usual.accepted, usual.mean_latency, deep.accepted, deep.mean_latency
        );
    }
}
