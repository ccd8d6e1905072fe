//! How fast the models run: `cargo bench -p topoloom-sim`.

use topoloom_model::{CollectiveMode, Machine, Mapping, Replay, Trace, parse_pattern, parse_trace};
use topoloom_sim::{Model, Report, simulate};

fn main() {
    divan::main();
}

fn burst(pattern: &str, machine: &str, model: &str) -> Report {
    let traffic = parse_pattern(pattern).unwrap();
    run(&Trace::of_traffic(&traffic, Replay::Burst), machine, model)
}

fn run(trace: &Trace, machine: &str, model: &str) -> Report {
    let machine = Machine::parse(machine).unwrap();
    let mapping = Mapping::new((0..trace.num_ranks() as u32).collect(), &machine).unwrap();
    simulate(trace, &machine, &mapping, &Model::parse(model).unwrap()).unwrap()
}

/// Packet-hops per second: each is an item.
#[divan::bench(sample_count = 5, args = ["mesh:8x8", "torus:4x4x4", "torus:16x16x16"])]
fn packets(bencher: divan::Bencher<'_, '_>, machine: &str) {
    let ranks = Machine::parse(machine).unwrap().num_nodes();
    let pattern = format!("random:ranks={ranks},degree=8,seed=1,bytes={}", 200_000_000 / ranks / 8);
    let hops = burst(&pattern, machine, "packet").packet_hops;
    bencher
        .counter(divan::counter::ItemsCount::new(hops))
        .bench_local(|| burst(&pattern, machine, "packet"));
}

#[divan::bench(sample_count = 3, args = ["mesh:8x8", "torus:4x4x4"])]
fn lu_class_a_through_flow(machine: &str) -> u64 {
    let trace = parse_trace("lu:class=A,ranks=64").unwrap().expect("LU has an order of events");
    let trace = trace.expanded("algorithm".parse::<CollectiveMode>().unwrap()).unwrap();
    run(&trace, machine, "flow").ticks
}
