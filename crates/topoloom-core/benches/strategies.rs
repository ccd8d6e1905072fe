//! How long the strategies take on LU.D.4096 and a 16x16x16 torus, on one thread:
//! `cargo bench -p topoloom-core`.

use topoloom_core::{Machine, Problem, Run, Weight, parse_pattern, parse_strategy, score};

fn main() {
    rayon::ThreadPoolBuilder::new().num_threads(1).build_global().expect("the first pool");
    divan::main();
}

fn problem(machine: &str) -> Problem {
    let traffic = parse_pattern("lu:class=D,ranks=4096").expect("a legal number of ranks");
    Problem::new(traffic, Machine::parse(machine).expect("a machine"), Weight::Messages)
        .expect("as many slots as ranks")
}

fn map(bencher: divan::Bencher, machine: &str, strategy: &str) {
    let problem = problem(machine);
    let strategy = parse_strategy(strategy).expect("a known strategy");
    bencher.bench_local(|| strategy.map(&problem, None, &mut Run::new(1)));
}

#[divan::bench(args = ["sweep", "scan", "peano", "gray", "hilbert", "minmd"], sample_count = 50)]
fn quick(bencher: divan::Bencher, strategy: &str) {
    map(bencher, "torus:16x16x16", strategy);
}

#[divan::bench(
    args = ["random-sampling", "genetic", "bokhari:runs=1", "bokhari", "auto"],
    sample_count = 3,
    sample_size = 1
)]
fn search(bencher: divan::Bencher, strategy: &str) {
    map(bencher, "torus:16x16x16", strategy);
}

#[divan::bench(args = ["torus:16x16x16", "haec:16x16x16"], sample_count = 20)]
fn scoring(bencher: divan::Bencher, machine: &str) {
    let problem = problem(machine);
    let strategy = parse_strategy("hilbert").expect("a known strategy");
    let mapping = strategy.map(&problem, None, &mut Run::new(1)).expect("a box");
    bencher.bench_local(|| score(&problem, &mapping));
}
