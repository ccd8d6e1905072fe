//! Stops a search from outside and keeps the best placement so far:
//! `cargo run -p topoloom --example cancel`.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use topoloom::core::{
    Effort, Machine, Problem, ProgressListener, Run, Weight, parse_pattern, parse_strategy, score,
};

struct Printer;

impl ProgressListener for Printer {
    fn progress(&self, task: &str, done: u64, total: u64) {
        eprintln!("{task}: {done} of {total}");
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let traffic = parse_pattern("random:ranks=4096,degree=8,seed=1")?;
    let problem = Problem::new(traffic, Machine::parse("torus:16x16x16")?, Weight::Bytes)?;
    let cancel = Arc::new(AtomicBool::new(false));
    let flag = cancel.clone();
    thread::spawn(move || {
        thread::sleep(Duration::from_millis(500));
        flag.store(true, Ordering::Relaxed);
    });
    let mut run = Run::new(1)
        .with_effort(Effort::Strong)
        .with_cancel(cancel)
        .with_listener(Arc::new(Printer));
    let mapping = parse_strategy("auto")?.map(&problem, None, &mut run)?;
    let how = if run.was_cut_short() { "stopped early" } else { "complete" };
    println!("{how}: {} hop-bytes", score(&problem, &mapping).hop_bytes);
    Ok(())
}
