//! probe
use std::time::Instant;
use topoloom_core::*;
fn main() {
    let a: Vec<String> = std::env::args().collect();
    let machine = Machine::parse(&a[2]).unwrap();
    let p = Problem::new(parse_pattern(&a[1]).unwrap(), machine, Weight::Messages).unwrap();
    let s = parse_strategy(&a[3]).unwrap();
    let o = a.get(5).map(|o| parse_objective(o).unwrap());
    for seed in 1..=a[4].parse::<u64>().unwrap() {
        let t = Instant::now();
        let mut run = Run::new(seed);
        match s.map(&p, o.as_deref(), &mut run) {
            Ok(m) => {
                let e = t.elapsed();
                let sc = score(&p, &m);
                println!(
                    "{} card {} of {} in {:?} evals {} {:?}",
                    sc.hop_bytes / 2.0,
                    sc.cardinality,
                    p.graph().num_pairs(),
                    e,
                    run.evaluations(),
                    run.notes()
                );
            }
            Err(e) => println!("{e}"),
        }
    }
}
