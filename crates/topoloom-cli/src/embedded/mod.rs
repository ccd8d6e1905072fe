//! Commands inside another program, such as an interpreter of Python.
//!
//! A command gets the same arguments as on the command line and does the same. What it would print
//! comes back, its errors have the same text, and names in its arguments may stand for objects in
//! memory ([`Given`]).
//!
//! ```
//! use std::time::Duration;
//! use topoloom_cli::embedded::{Call, Running};
//!
//! let words = ["map", "--traffic", "ring:8", "--machine", "mesh:8", "--json"];
//! let call = Call { arguments: words.map(Into::into).to_vec(), ..Call::default() };
//! let running = Running::start(call).unwrap();
//! let answer = running.wait(Duration::from_secs(60)).expect("it is quick").unwrap();
//! assert_eq!(answer.done.mapping.unwrap().ranks(), 8);
//! ```

mod facts;
mod pool;

use std::any::Any;
use std::ffi::OsString;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use clap::{CommandFactory, Parser};
pub use facts::{ArgumentFacts, CommandFacts, command_facts};
pub use topoloom::io::{Given, Origin};

pub use crate::session::{Done, IN_MEMORY, Watcher};

use crate::cli::{Cli, Command};
use crate::session::Session;
use crate::{dashes, dispatch, interrupt, output, wanted_threads};
use pool::Pool;

/// A command to be carried out.
#[derive(Default)]
pub struct Call {
    /// The arguments after the name of the program.
    pub arguments: Vec<OsString>,
    /// What names in the arguments stand for.
    pub given: Given,
    /// The listener for progress.
    pub watcher: Option<Arc<dyn Watcher>>,
}

/// The result of a command.
pub struct Answer {
    /// The exit code of the program, which is not 0 if, for example, a mapping is not valid.
    pub code: u8,
    /// What was printed and found.
    pub done: Done,
}

/// Why a command has no result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Failure {
    /// The reason as the command line says it.
    Refused(String),
    /// A fault of this program.
    Internal(String),
}

/// A command that its own threads carry out.
pub struct Running {
    session: Arc<Session>,
    result: Mutex<Receiver<Result<Answer, Failure>>>,
}

impl Running {
    /// Starts a command. Wrong arguments are refused before anything is done.
    pub fn start(call: Call) -> Result<Running, Failure> {
        let name = std::iter::once(OsString::from("topoloom"));
        let words = call.arguments.clone();
        let named = dashes::named(name.chain(call.arguments), Cli::command());
        let arguments = named.map_err(Failure::Refused)?.arguments;
        let command = Cli::try_parse_from(arguments).map_err(|error| refused(&error))?.command;
        topoloom::core::budget::check_environment()
            .map_err(|error| Failure::Refused(error.to_string()))?;
        let loader = topoloom::io::Loader::with_given(call.given);
        let session = Arc::new(Session::new(loader, words, call.watcher));
        let pool = Pool::taken(&wanted_threads::of(&command)).map_err(Failure::Refused)?;
        let (sender, result) = channel();
        let of_work = Arc::clone(&session);
        let work = move || {
            let result = carried_out(command, &of_work);
            // The caller may no longer wait.
            let _ = sender.send(result);
        };
        pool.run(Arc::clone(&session), work).map_err(Failure::Refused)?;
        Ok(Running { session, result: Mutex::new(result) })
    }

    /// Waits for the result up to a limit; `None` if it is not there yet.
    pub fn wait(&self, limit: Duration) -> Option<Result<Answer, Failure>> {
        let result = self.result.lock().unwrap_or_else(PoisonError::into_inner);
        match result.recv_timeout(limit) {
            Ok(result) => Some(result),
            Err(RecvTimeoutError::Timeout) => None,
            Err(RecvTimeoutError::Disconnected) => {
                Some(Err(Failure::Internal("a thread ended without a result".to_string())))
            }
        }
    }

    /// Asks it to end with the best so far; `false` if what it does now has no such thing.
    pub fn stop(&self) -> bool {
        self.session.stop.store(true, Ordering::Relaxed);
        interrupt::can_be_cut_short(&self.session)
    }
}

fn carried_out(command: Command, session: &Session) -> Result<Answer, Failure> {
    match catch_unwind(AssertUnwindSafe(|| dispatch::run(command))) {
        Ok(Ok(code)) => Ok(Answer { code, done: session.take() }),
        Ok(Err(error)) => Err(Failure::Refused(output::in_words(&error))),
        Err(panic) => Err(Failure::Internal(panic_in_words(&*panic))),
    }
}

fn panic_in_words(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(ToString::to_string);
    text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_default()
}

/// What is wrong with the arguments, without the line that leads to a help text.
fn refused(error: &clap::Error) -> Failure {
    let text = error.render().to_string();
    let text = text.strip_prefix("error: ").unwrap_or(&text);
    let end = text.find("\n\nUsage:").or(text.find("\n\nFor more information"));
    Failure::Refused(text[..end.unwrap_or(text.len())].trim_end().to_string())
}
