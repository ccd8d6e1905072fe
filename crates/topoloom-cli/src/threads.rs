//! The threads that everything shares.

use std::io::IsTerminal;
use std::num::NonZero;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

use rayon::{ThreadBuilder, ThreadPoolBuilder};

use crate::cli::Command;
use crate::commands::arrange::arguments::ArrangeAction;
use crate::output::numbers::plural;
use crate::output::warn;

/// Starts the threads of a command, as many as it was told or as there are cores. Where there may not
/// be so many, the rest of the work is shared by fewer, with a warning; where there may be none, all is
/// done by the thread that asks. The result does not depend on it.
pub fn start(command: &Command) {
    let asked = match command {
        // What does not compute needs none.
        Command::List(_)
        | Command::Completions { .. }
        | Command::Man { .. }
        | Command::Probe
        | Command::Apply(_)
        | Command::Record(_)
        | Command::Verify(_) => return,
        Command::Map(arguments) => arguments.search.work.threads,
        Command::Score(arguments) => arguments.search.work.threads,
        Command::Compare(arguments) => arguments.search.work.threads,
        Command::Report(arguments) => arguments.search.work.threads,
        Command::Plot(arguments) => arguments.search.work.threads,
        Command::Simulate(arguments) => arguments.search.work.threads,
        Command::Advise(arguments) => arguments.search.work.threads,
        Command::Tune(arguments) => arguments.search.work.threads,
        Command::Schedule(arguments) => arguments.threads,
        Command::Reproduce(arguments) => arguments.threads,
        Command::Arrange(arguments) => match &arguments.action {
            Some(ArrangeAction::Measure(arguments)) => Some(arguments.threads),
            Some(ArrangeAction::Platform(_)) => return,
            None => arguments.work.threads,
        },
        Command::Check(_) | Command::Generate(_) | Command::Traffic(_) | Command::Machine(_) => {
            None
        }
    };
    start_up_to(asked.map_or_else(usual, usize::from));
}

/// What rayon would take.
fn usual() -> usize {
    let told = std::env::var("RAYON_NUM_THREADS").ok().and_then(|text| text.parse().ok());
    let cores = || thread::available_parallelism().map_or(1, NonZero::get);
    told.filter(|&threads| threads > 0).unwrap_or_else(cores)
}

/// A global pool can be built only once. So the threads are started first, and the pool gets those
/// that could be started.
fn start_up_to(wanted: usize) {
    let waiting: Vec<Sender<ThreadBuilder>> = (0..wanted).map_while(|_| waiting_thread()).collect();
    let started = waiting.len();
    let pool = ThreadPoolBuilder::new().num_threads(started.max(1));
    let built = match started {
        0 => pool.use_current_thread().build_global(),
        _ => pool
            .spawn_handler(|thread| {
                let gone = || std::io::Error::other("a thread has ended");
                waiting[thread.index()].send(thread).map_err(|_| gone())
            })
            .build_global(),
    };
    if let Err(error) = built {
        warn(&format!("the threads cannot be started: {error}"));
    } else if started < wanted {
        let had = match started {
            0 => "no further thread".to_string(),
            started => format!("only {}", plural(started, "thread")),
        };
        warn(&format!(
            "{had} could be started, not {wanted}: the limit on processes or memory is reached, so \
             the work takes longer"
        ));
    }
}

/// A thread that waits for what it is to do; none where no further one can be started.
fn waiting_thread() -> Option<Sender<ThreadBuilder>> {
    let (sender, receiver): (Sender<ThreadBuilder>, Receiver<ThreadBuilder>) = channel();
    let work = move || {
        if let Ok(thread) = receiver.recv() {
            thread.run();
        }
    };
    thread::Builder::new().spawn(work).ok().map(|_| sender)
}

/// Whether a thread can be started now; others do not ask and panic.
pub fn can_start() -> bool {
    thread::Builder::new().spawn(|| {}).is_ok_and(|thread| thread.join().is_ok())
}

/// Whether somebody watches, and a thread can be had that shows how far things are.
pub fn can_show_progress() -> bool {
    std::io::stderr().is_terminal() && can_start()
}
