//! The order of the ranks of the world: asked for once, by the first rank, and the same for all.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::asking::{Answer, ask};
use crate::host::{allowed_cpus, host_name, list, say, write_whole};
use crate::layout::run::{CALL, END, FIRST_LINE, MISSING_ENDING, ORDER, RANKS, SEAT};
use crate::library::{self, Family, Library, asked};
use crate::patience::{pass_on, receive, send};
use crate::report::random_number;
use crate::settings::Settings;

/// Tags that programs are unlikely to use. No other message with them is ever sent.
const REPORT: usize = 32_749;
const GO_ON: usize = 32_750;
const ANSWER: usize = 32_752;

/// How much longer other ranks wait than the first one.
const LONGER: Duration = Duration::from_secs(10);

/// Stands in the place of the first new rank: the order stays, or the job ends.
const KEEP: i32 = -1;
pub const STOP: i32 = -2;

/// Whether a rank runs without this library. Then nothing may be done together.
static HAS_STRANGERS: AtomicBool = AtomicBool::new(false);

/// The launcher's rank of each new rank; nothing if the order stays.
static PROCESSES: OnceLock<Option<Vec<i32>>> = OnceLock::new();

/// The exit code of a job that ends because it cannot have the order that is wanted.
const EXIT_CODE: usize = 2;

/// The launcher's rank of each new rank, if it is decided and not the same.
pub fn decided() -> Option<&'static [i32]> {
    PROCESSES.get()?.as_deref()
}

/// Whether a rank of the job runs without this library. All ranks that have it agree on that.
pub fn has_strangers() -> bool {
    HAS_STRANGERS.load(Ordering::Relaxed)
}

/// Whether it is decided.
pub fn is_decided() -> bool {
    PROCESSES.get().is_some()
}

/// Decides about the order of a communicator of all processes, unless that has been done.
pub fn decide(settings: &Settings, library: &Library, comm: usize) -> Option<&'static [i32]> {
    PROCESSES.get_or_init(|| find(settings, library, comm)).as_deref()
}

fn find(settings: &Settings, library: &Library, comm: usize) -> Option<Vec<i32>> {
    let rank = asked(|rank| unsafe { library::comm_rank(comm, rank) })?;
    let size = asked(|size| unsafe { library::comm_size(comm, size) })? as usize;
    let mut answer =
        match rank {
            0 => first(settings, library, comm, size)?,
            rank => {
                let seat = seat(library, rank);
                send(library, comm, 0, REPORT, seat.as_bytes());
                let limit = settings.for_ranks + LONGER;
                match receive(library, comm, 0, GO_ON, limit).as_deref() {
                    Some([b'a']) => vec![0; size],
                    Some([b'k']) => {
                        HAS_STRANGERS.store(true, Ordering::Relaxed);
                        return None;
                    }
                    Some(_) => stop(comm),
                    // Its message to the first rank is still under way, and the program could receive
                    // it.
                    None => {
                        // Some of many are enough.
                        let speaks = rank <= 2;
                        speaks.then(|| say(&format!(
                        "rank {rank} has heard nothing from rank 0, which seems to run without \
                         this library: the job ends. {WHY}"
                    )));
                        stop(comm)
                    }
                }
            }
        };
    pass_on(library, comm, (rank as usize, size), ANSWER, as_bytes(&mut answer));
    let is_identity = (0..).zip(&answer).all(|(process, &rank)| process == rank);
    match answer.first() {
        Some(&STOP) => stop(comm),
        Some(&KEEP) | None => None,
        _ if is_identity => None,
        _ => Some(inverse(&answer)),
    }
}

/// Which place each number of a permutation has.
fn inverse(permutation: &[i32]) -> Vec<i32> {
    let mut places = vec![0; permutation.len()];
    for (place, &number) in (0..).zip(permutation) {
        places[number as usize] = place;
    }
    places
}

const WHY: &str = "The library reaches every rank that is linked dynamically and whose launcher \
                   passes LD_PRELOAD on";

/// What the first rank does: it collects the seats and asks. Returns what all ranks get, or nothing
/// if the order stays since a rank is missing.
fn first(settings: &Settings, library: &Library, comm: usize, size: usize) -> Option<Vec<i32>> {
    let begin = Instant::now();
    let mut seats = seat(library, 0);
    let mut missing = Vec::new();
    let mut reported = Vec::new();
    for rank in 1..size {
        let limit = settings.for_ranks.saturating_sub(begin.elapsed());
        match receive(library, comm, rank, REPORT, limit) {
            Some(seat) => {
                seats += &String::from_utf8_lossy(&seat);
                reported.push(rank);
            }
            None => missing.push(rank as u32),
        }
    }
    // Ask, keep the order, or stop.
    let go_on = match (missing.is_empty(), settings.strict) {
        (true, _) => b'a',
        (false, false) => b'k',
        (false, true) => b's',
    };
    reported.iter().for_each(|&rank| send(library, comm, rank, GO_ON, &[go_on]));
    if !missing.is_empty() {
        HAS_STRANGERS.store(true, Ordering::Relaxed);
        let stops = settings.strict;
        let then = if stops { "the job ends" } else { "ranks keep the launcher's order" };
        say(&format!(
            "no report within {} s from rank {}, which runs without this library: {then}. {WHY}",
            settings.for_ranks.as_secs(),
            list(&missing)
        ));
        // This tells the command that started the job why nobody asks.
        let name = format!("{:016x}.{MISSING_ENDING}", random_number());
        let _ = write_whole(&settings.folder, &name, b"");
        if stops {
            stop(comm);
        }
        return None;
    }
    if !settings.order {
        return Some(in_first_place(KEEP, size));
    }
    let question = format!("{FIRST_LINE}\n{CALL} {ORDER}\n{RANKS} {size}\n{seats}{END}\n");
    Some(answered(settings, &question, size))
}

/// What all ranks of a communicator get: their new ranks, or a negative number.
pub fn answered(settings: &Settings, question: &str, size: usize) -> Vec<i32> {
    match ask(settings, question, size) {
        Ok(Answer::Order(order)) => order,
        Ok(Answer::Keep) => in_first_place(KEEP, size),
        Ok(Answer::Stop) => in_first_place(STOP, size),
        Err(error) => {
            let then = if settings.strict { "the job ends" } else { "the order stays as it is" };
            say(&format!("{error}: {then}"));
            in_first_place(if settings.strict { STOP } else { KEEP }, size)
        }
    }
}

fn in_first_place(code: i32, size: usize) -> Vec<i32> {
    let mut answer = vec![0; size];
    answer[0] = code;
    answer
}

/// A list of ranks as bytes.
pub fn as_bytes(answer: &mut [i32]) -> &mut [u8] {
    let length = size_of_val(answer);
    unsafe { std::slice::from_raw_parts_mut(answer.as_mut_ptr().cast::<u8>(), length) }
}

/// Ends the job.
pub fn stop(comm: usize) -> ! {
    unsafe { library::abort(comm, EXIT_CODE) };
    std::process::exit(EXIT_CODE as i32)
}

/// The seat of this process, as a line of a question.
pub fn seat(library: &Library, rank: i32) -> String {
    let host = match library.family {
        Family::SimGrid => processor_name(),
        _ => host_name(),
    };
    let host = host.replace(char::is_whitespace, "-");
    let cpus = match library.family {
        Family::SimGrid => String::new(),
        _ => allowed_cpus().map(|cpus| list(&cpus)).unwrap_or_default(),
    };
    let cpus = if cpus.is_empty() { "-" } else { &cpus };
    format!("{SEAT} {rank} {host} {cpus}\n")
}

/// What the MPI library calls this host.
fn processor_name() -> String {
    let mut name = [0_u8; 1024];
    asked(|length| unsafe { library::processor_name(name.as_mut_ptr() as usize, length) });
    let name = name.split(|&byte| byte == 0).next().unwrap_or_default();
    String::from_utf8_lossy(name).into_owned()
}
