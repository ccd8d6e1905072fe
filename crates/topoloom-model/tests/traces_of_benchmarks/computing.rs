//! With a speed, ranks compute as many operations as the benchmarks report.

use topoloom_model::Event;
use topoloom_model::trace::{Cursor, Trace};
use topoloom_model::traffic::Operation;

use crate::runs::trace;

/// Nanoseconds that all ranks compute after this many barriers, and in how many events.
fn computed(trace: &Trace, barriers: usize) -> (u64, u64) {
    let (mut sum, mut events) = (0, 0);
    for program in trace.programs() {
        let (mut cursor, mut passed) = (Cursor::default(), 0);
        while let Some(event) = cursor.next(program) {
            match event {
                Event::Collective { number } => {
                    let operation = &trace.collectives()[number as usize].operation;
                    passed += usize::from(*operation == Operation::Barrier);
                }
                Event::Compute { nanoseconds } if passed >= barriers => {
                    sum += nanoseconds;
                    events += 1;
                }
                _ => {}
            }
        }
    }
    (sum, events)
}

/// Times are rounded event by event, so half a nanosecond per event may be missing.
fn check(text: &str, barriers: usize, operations: f64) {
    // 1000 nanoseconds per operation.
    let (found, events) = computed(&trace(&format!("{text},gflops=0.001")), barriers);
    let expected = 1000.0 * operations;
    assert!(events > 0, "{text}");
    assert!(
        (found as f64 - expected).abs() <= 0.5 * events as f64 + 1e-9 * expected,
        "{text}: {found}, expected {expected}"
    );
}

#[test]
fn the_timed_part_computes_what_the_benchmark_counts() {
    // The class says n; the formulas are those by which NPB reports its operations.
    let cube = |n: f64, [c3, c2, c1, c0]: [f64; 4]| c3 * n * n * n + c2 * n * n + c1 * n + c0;
    for ranks in [1, 9, 16] {
        let lu = cube(12.0, [1984.77, -10923.3, 27770.9, -144_010.0]);
        check(&format!("lu:class=S,ranks={ranks},iterations=2"), 2, 2.0 * lu);
    }
    for ranks in [1, 4, 10, 25] {
        let bt = cube(24.0, [3478.8, -17655.7, 28023.7, 0.0]);
        check(&format!("bt:class=W,ranks={ranks},iterations=3"), 1, 3.0 * bt);
        let sp = cube(36.0, [881.174, -4683.91, 11484.5, -19272.4]);
        check(&format!("sp:class=W,ranks={ranks},iterations=3"), 1, 3.0 * sp);
    }
    for ranks in [1, 2, 16, 32] {
        // Class S: nonzer = 7, z = 7 x 8.
        let cg = 2.0 * 15.0 * 1400.0 * (6.0 + 56.0 + 25.0 * (5.0 + 56.0));
        check(&format!("cg:class=S,ranks={ranks}"), 1, cg);
    }
    for ranks in [1, 12, 64, 128] {
        check(&format!("mg:class=S,ranks={ranks}"), 6, 58.0 * 4.0 * 32f64.powi(3));
    }
    for ranks in [1, 16, 128] {
        let n = 64f64.powi(3);
        let ft = n * (14.8157 + 7.19641 * n.ln() + (5.23518 + 7.21113 * n.ln()) * 6.0);
        check(&format!("ft:class=S,ranks={ranks}"), 1, ft);
    }
}

#[test]
fn keys_and_random_numbers_count_as_operations() {
    // 11 rankings of 2^16 keys, including the warm-up; 2^25 random numbers.
    check("is:class=S,ranks=16", 0, 11.0 * 65536.0);
    check("ep:class=S,ranks=12", 1, 33_554_432.0);
}

#[test]
fn without_a_speed_nobody_computes() {
    for name in crate::runs::NAMES {
        let trace = trace(&format!("{name}:class=S,ranks=16"));
        let mut events = trace.programs().iter().flatten();
        assert!(!events.any(|event| matches!(event, Event::Compute { .. })), "{name}");
    }
}
