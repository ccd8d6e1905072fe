//! How long link loads take at 16,384 ranks on Blue Gene/Q's 512 nodes, on one thread:
//! `cargo bench -p topoloom-core --bench link_loads`.

use topoloom_core::{Machine, Mapping, Problem, Run, Weight, parse_objective};
use topoloom_core::{parse_pattern, parse_strategy, score};

fn main() {
    rayon::ThreadPoolBuilder::new().num_threads(1).build_global().expect("the first pool");
    divan::main();
}

const BENCHMARKS: [&str; 3] = ["bt", "sp", "cg"];

fn problem(benchmark: &str) -> (Problem, Mapping) {
    let traffic = parse_pattern(&format!("{benchmark}:class=D,ranks=16384")).expect("a pattern");
    let machine = Machine::parse("torus:4x4x4x4x2,slots=32,double-links").expect("a machine");
    let machine = machine.with_routing("minimal-adaptive").expect("a routing");
    let problem = Problem::new(traffic, machine, Weight::Bytes).expect("as many slots as ranks");
    let strategy = parse_strategy("hilbert").expect("a known strategy");
    let mapping = strategy.map(&problem, None, &mut Run::new(1)).expect("a box");
    (problem, mapping)
}

/// The loads of all links and everything else in a score.
#[divan::bench(args = BENCHMARKS, sample_count = 20)]
fn full_score(bencher: divan::Bencher, benchmark: &str) {
    let (problem, mapping) = problem(benchmark);
    bencher.bench_local(|| score(&problem, &mapping));
}

/// The loads of all links counted again.
#[divan::bench(args = BENCHMARKS, sample_count = 20)]
fn recount(bencher: divan::Bencher, benchmark: &str) {
    let (problem, mapping) = problem(benchmark);
    let objective = parse_objective("max-link-load").expect("an objective");
    let mut tracker = objective.track(&problem, &mapping);
    bencher.bench_local(|| tracker.reset(mapping.slots()));
}

/// A thousand exchanges of ranks, examined.
#[divan::bench(args = BENCHMARKS, sample_count = 20)]
fn a_thousand_deltas(bencher: divan::Bencher, benchmark: &str) {
    let (problem, mapping) = problem(benchmark);
    let objective = parse_objective("max-link-load").expect("an objective");
    let mut tracker = objective.track(&problem, &mapping);
    bencher.bench_local(|| {
        let pair = |number: u32| (number * 7919 % 16384, number * 104_729 % 16384);
        (1..=1000).map(pair).map(|(a, b)| tracker.swap_delta(a, b)).sum::<f64>()
    });
}
