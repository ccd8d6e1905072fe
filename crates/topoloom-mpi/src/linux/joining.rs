//! How a process becomes a part of the job.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::Duration;

use super::between::{Standing, standing};
use super::clerk::{Channels, Clerk};
use super::launch::{Launch, launch};
use super::mpi::Mpi;
use super::search;
use crate::error::{Error, processes};
use crate::node::Node;
use crate::office::{Counter, Facts, Office};

/// As large as the first thread's usually is: MPI expects that.
const STACK_BYTES: usize = 8 << 20;
/// When to say that other processes are missing.
const PATIENCE: Duration = Duration::from_secs(20);
const PANICKED: i32 = 101;
const FAILED: i32 = 1;

static HAS_JOINED: AtomicBool = AtomicBool::new(false);

/// Takes part in the job that this process was started in, if there is one.
pub fn join() -> Result<Option<Office>, Error> {
    let Some(launch) = launch(|name| std::env::var(name).ok())? else { return Ok(None) };
    if !launch.is_certain {
        match standing(&launch.rank) {
            Standing::Rank => {}
            Standing::InsideRank => return Ok(None),
            Standing::Unclear(between) => {
                let (launcher, processes) = (launch.launcher(), processes(launch.size));
                return Err(Error::Unclear { launcher, processes, between });
            }
        }
    }
    if HAS_JOINED.swap(true, Ordering::Relaxed) {
        return Err(Error::JoinedBefore);
    }
    let (said, hears) = channel();
    let (orders, taken) = channel();
    let (messages, message_box) = channel();
    let (collectives, collective_box) = channel();
    let (ended, outcome) = channel();
    let channels = Channels { orders: taken, messages, collectives };
    let size = processes(launch.size);
    let work = move || run(&launch, channels, said, ended);
    thread::Builder::new().name("mpi".to_string()).stack_size(STACK_BYTES).spawn(work)?;
    let Some(facts) = wait_for(&hears, &size)? else { return Ok(None) };
    let counter = Counter { orders, messages: message_box, collectives: collective_box, outcome };
    Ok(Some(Office::new(facts, counter)))
}

/// What the office says after its start. Says on standard error if that takes long.
fn wait_for(
    hears: &Receiver<Result<Option<Facts>, Error>>,
    processes: &str,
) -> Result<Option<Facts>, Error> {
    match hears.recv_timeout(PATIENCE) {
        Ok(answer) => answer,
        Err(RecvTimeoutError::Disconnected) => Err(Error::Stopped),
        Err(RecvTimeoutError::Timeout) => {
            eprintln!(
                "topoloom: waiting for the MPI job of {processes}: all of them have to run this command \
                 (TOPOLOOM_MPI=off takes no part)"
            );
            hears.recv().map_err(|_| Error::Stopped)?
        }
    }
}

/// What the thread does that calls MPI.
fn run(
    launch: &Launch,
    channels: Channels,
    said: Sender<Result<Option<Facts>, Error>>,
    ended: Sender<Result<(), Error>>,
) {
    let (mpi, facts) = match start(launch) {
        Ok(Some(both)) => both,
        Ok(None) => {
            let _ = said.send(Ok(None));
            return;
        }
        Err(error) => {
            let _ = said.send(Err(error));
            return;
        }
    };
    let _ = said.send(Ok(Some(facts)));
    let mut clerk = Clerk::new(mpi, channels);
    match catch_unwind(AssertUnwindSafe(|| clerk.work())) {
        Ok(Ok(())) => {
            let outcome = clerk.left().map_or(Ok(()), |rank| Err(Error::Left { rank }));
            let _ = ended.send(outcome);
        }
        // Nobody may be listening, and the other processes would wait for ever.
        Ok(Err(error)) => {
            eprintln!("topoloom: the MPI job ends: {error}");
            clerk.abort(FAILED);
        }
        Err(_) => {
            eprintln!("topoloom: the MPI job ends because the thread that calls MPI panicked");
            clerk.abort(PANICKED);
        }
    }
}

/// Loads and starts MPI; nothing if this process is alone.
fn start(launch: &Launch) -> Result<Option<(Mpi, Facts)>, Error> {
    let file = search::load(launch)?;
    let mpi = Mpi::start(&file)?;
    let (rank, size) = (mpi.rank, mpi.size);
    if launch.size.is_some_and(|expected| expected != size) {
        // Each process may be a job with one process now: it has to end that.
        let _ = mpi.finalize();
        let (found, expected) = (processes(Some(size)), processes(launch.size));
        return Err(Error::OtherLibrary { file, found, expected });
    }
    if size == 1 {
        mpi.finalize()?;
        return Ok(None);
    }
    let node = Node::new(rank, &mpi.first_of_nodes()?);
    let host = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    Ok(Some((mpi, Facts { rank, size, host: host.trim().to_string(), node })))
}
