//! Which processes take part in a crew, and how they begin and end.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use anyhow::anyhow;
use topoloom::core::crew::Packed;
use topoloom::core::{Crew, Problem, Run};
use topoloom::io::{Files, Loader, write_nothing};
use topoloom_mpi::Office;

use super::files::SharedFiles;
use super::helper::Helper;
use super::leader::Leader;
use super::message::Message;
use super::post::{NodeMemory, Post, expect_the_end};
use crate::leave::{self, leave};
use crate::session::{self, Session};
use crate::{files, interrupt, output};

/// How often a process looks whether it was asked to end.
const PATIENCE: Duration = Duration::from_millis(50);

/// After a helper has failed, the leader should fail within this time, or begin to search.
const LONGEST_ALONE: Duration = Duration::from_secs(5);

static OFFICE: OnceLock<Arc<Office>> = OnceLock::new();
static CREW: OnceLock<Arc<dyn Crew>> = OnceLock::new();

/// The thread of the leader that hears what helpers say, and whether it should end.
static EAR: OnceLock<Mutex<Option<JoinHandle<()>>>> = OnceLock::new();
static IS_ENDING: AtomicBool = AtomicBool::new(false);

/// The place of this process.
pub enum Joined {
    /// It works alone.
    Alone,
    /// It reads, prints and writes.
    Leader { processes_here: usize },
    /// It works for the leader.
    Helper { processes_here: usize },
}

impl Joined {
    /// Whether it works for another process.
    pub fn is_helper(&self) -> bool {
        matches!(self, Joined::Helper { .. })
    }

    /// The processes of the job on this node, which share its cores.
    pub fn processes_here(&self) -> usize {
        match self {
            Joined::Alone => 1,
            Joined::Leader { processes_here } | Joined::Helper { processes_here } => {
                *processes_here
            }
        }
    }
}

/// Those who share the work of this command, if there are any. A piece of work cannot be shared out
/// again: pieces are done by the threads of the pool.
pub fn current() -> Option<Arc<dyn Crew>> {
    CREW.get().filter(|_| rayon::current_thread_index().is_none()).cloned()
}

/// A run that shares out work to all processes of the job, if there are several.
pub fn shared(run: Run) -> Run {
    match current() {
        Some(crew) => run.with_crew(crew),
        None => run,
    }
}

/// A problem smaller than this is not worth memory in common.
const LARGE: usize = 100_000;

/// Keeps one copy of a large problem for all processes of a node. All processes have to come here with
/// the same problem, before anything that a time limit can cut short.
pub fn in_common(mut problem: Problem) -> Problem {
    if let Some(office) = OFFICE.get().filter(|_| current().is_some())
        && problem.graph().num_pairs() >= LARGE
    {
        problem.move_to(&NodeMemory(office));
    }
    problem
}

/// Whether a launcher's variables say that this process is not the first of a job. Only for messages
/// that would come from every process.
pub fn is_not_first() -> bool {
    ["OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK"]
        .iter()
        .find_map(|variable| std::env::var(variable).ok())
        .is_some_and(|rank| rank != "0")
}

/// Joins the job that this process was started in, if there is one.
pub fn join() -> anyhow::Result<Joined> {
    let Some(office) = topoloom_mpi::join()? else { return Ok(Joined::Alone) };
    let processes_here = office.node().size();
    let is_leader = office.rank() == 0;
    let _ = OFFICE.set(Arc::new(office));
    leave::through(|code| {
        if let Some(office) = OFFICE.get() {
            office.abort(code);
        }
    });
    Ok(match is_leader {
        true => Joined::Leader { processes_here },
        false => Joined::Helper { processes_here },
    })
}

impl Joined {
    /// Begins to work with the others. The threads have been started.
    pub fn begin(&self) -> anyhow::Result<()> {
        let Some(office) = OFFICE.get() else { return Ok(()) };
        let post: Arc<dyn Post> = office.clone();
        check_command(&*post);
        let files = Arc::new(SharedFiles::new(post.clone()));
        let lanes = rayon::current_num_threads();
        match self {
            Joined::Alone => {}
            Joined::Leader { .. } => lead(post, files, lanes)?,
            Joined::Helper { .. } => help(office.clone(), files, lanes)?,
        }
        Ok(())
    }
}

/// Refuses processes that run another command or another program: their results would not fit.
fn check_command(post: &dyn Post) {
    let words = std::env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned());
    let mine: Vec<String> =
        [env!("CARGO_PKG_VERSION").to_string()].into_iter().chain(words).collect();
    let mine = mine.packed();
    let told = post.broadcast((post.rank() == 0).then(|| mine.clone()));
    if *told != mine {
        // The leader's command has no error, so this process has to say it.
        let error =
            anyhow!("all processes of a job must run the same command of the same topoloom");
        leave(i32::from(output::fail(&error)));
    }
}

fn lead(post: Arc<dyn Post>, files: Arc<dyn Files>, lanes: usize) -> anyhow::Result<()> {
    files::loader().read_through(files);
    let leader = Arc::new(Leader::new(post.clone(), lanes));
    let _ = CREW.set(leader.clone());
    let mut told = false;
    let mut failed: Option<(Instant, usize, String)> = None;
    let ear = thread::Builder::new().spawn(move || {
        while !IS_ENDING.load(Ordering::Relaxed) {
            match post.receive(PATIENCE) {
                Some((_, Message::StopWanted)) => interrupt::request(),
                Some((from, Message::Failed { reason })) => {
                    failed.get_or_insert((Instant::now(), from, reason));
                }
                Some((from, message)) => leader.hear(from, message),
                None => {}
            }
            if interrupt::happened() && !told {
                told = true;
                post.pass_on(&Message::Stop);
            }
            if let Some((since, from, reason)) = &failed
                && since.elapsed() > LONGEST_ALONE
                && !leader.has_begun()
            {
                give_up(*from, reason);
            }
        }
    })?;
    let _ = EAR.set(Mutex::new(Some(ear)));
    Ok(())
}

/// Ends the job: all processes load the same inputs, and they would wait for one that cannot.
fn give_up(process: usize, reason: &str) {
    let error = anyhow!("process {process} of the job cannot do what the first one does: {reason}");
    let code = output::fail(&error);
    if let Some(office) = OFFICE.get() {
        office.abort(i32::from(code));
    }
}

/// Tells the leader that this process cannot carry out the command. Mostly, the leader cannot either.
pub fn tell_failure(error: &anyhow::Error) {
    if let Some(office) = OFFICE.get() {
        let reason = format!("{error:#}");
        Post::send(&**office, 0, &Message::Failed { reason });
    }
}

fn help(office: Arc<Office>, files: Arc<dyn Files>, lanes: usize) -> anyhow::Result<()> {
    write_nothing();
    session::keep_everything();
    interrupt::leave_to_leader();
    let loader = Loader::new();
    loader.read_through(files);
    let arguments = std::env::args_os().skip(1).collect();
    let session = Arc::new(Session::new(loader, arguments, None));
    session::enter(Some(session.clone()));
    let helper = Arc::new(Helper::new(office.clone(), lanes));
    let _ = CREW.set(helper.clone());
    let mut told = false;
    thread::Builder::new().spawn(move || {
        loop {
            let message = Post::receive(&*office, PATIENCE).map(|(_, message)| message);
            if let Some(message) = message.as_ref().filter(|message| message.is_for_everybody()) {
                office.pass_on(message);
            }
            match message {
                Some(Message::Over) => {
                    // The leader has the result. Whatever this process still computes is not needed.
                    expect_the_end();
                    let _ = office.finish();
                    std::process::exit(0);
                }
                Some(Message::Stop) => {
                    session.stop.store(true, Ordering::Relaxed);
                    // Threads that do pieces of work have no session.
                    interrupt::note();
                    told = true;
                }
                Some(message) => helper.hear(message),
                None => {}
            }
            if interrupt::was_signalled() && !told {
                told = true;
                session.stop.store(true, Ordering::Relaxed);
                Post::send(&*office, 0, &Message::StopWanted);
            }
        }
    })?;
    Ok(())
}

/// Ends the work with the others, after the command. A helper waits here until the leader has ended.
pub fn end(joined: &Joined) {
    match (joined, OFFICE.get()) {
        (Joined::Leader { .. }, Some(office)) => {
            office.pass_on(&Message::Over);
            IS_ENDING.store(true, Ordering::Relaxed);
            let ear = EAR.get().and_then(|ear| ear.lock().ok()?.take());
            let _ = ear.map(JoinHandle::join);
            expect_the_end();
            // The result is there, whatever MPI says.
            let _ = office.finish();
        }
        (Joined::Helper { .. }, Some(_)) => loop {
            thread::park();
        },
        _ => {}
    }
}
