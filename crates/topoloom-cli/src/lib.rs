//! The command line of Topoloom, for the program and for other languages.
//!
//! [`run`] is the program. [`embedded`] runs its commands inside another program: what they would
//! print comes back, and what is in memory takes the place of files.

mod arguments;
mod cli;
mod commands;
mod crew;
mod dashes;
mod dispatch;
pub mod embedded;
mod examples;
mod files;
mod hints;
mod inputs;
mod interrupt;
mod jobs;
mod leave;
mod output;
mod outputs;
mod placing;
mod progress;
mod same_machine;
mod session;
mod shell_words;
mod simulation;
mod spec_list;
mod thread_pool;
mod threads;
mod wanted_threads;

use std::ffi::OsString;

use clap::{CommandFactory, Parser};

use cli::Cli;

/// Runs the program with these arguments, of which the first is its own name. The result is the exit
/// code.
pub fn run(arguments: impl Iterator<Item = OsString>) -> u8 {
    let is_command = |name: &str| Cli::command().find_subcommand(name).is_some();
    let named = match dashes::named(arguments, Cli::command()) {
        Ok(named) => named,
        Err(error) => return output::fail(&anyhow::anyhow!(error)),
    };
    if named.take_standard_output {
        output::print_on_standard_error();
    }
    let arguments = commands::docs::asked_as_help(named.arguments, is_command);
    let command = match Cli::try_parse_from(arguments) {
        Ok(cli) => cli.command,
        // One process of a job says it for all.
        Err(error) if crew::is_not_first() => return u8::try_from(error.exit_code()).unwrap_or(2),
        Err(error) => output::refuse_arguments(&error),
    };
    if let Err(error) = topoloom::core::budget::check_environment() {
        return output::fail(&error.into());
    }
    let joined = match dispatch::is_shared(&command) {
        true => crew::join(),
        false => Ok(crew::Joined::Alone),
    };
    let joined = match joined {
        Ok(joined) => joined,
        Err(error) => return output::fail(&error),
    };
    let _guard = leave::AtPanic;
    thread_pool::start(&wanted_threads::of(&command), joined.processes_here());
    // Unfinished files are removed when the program ends. Commands that need this check it again.
    let _ = interrupt::Interrupt::catch();
    let code = match joined.begin().and_then(|()| dispatch::run(command)) {
        Ok(code) => code,
        // The leader has the same error and prints it.
        Err(error) if joined.is_helper() => {
            crew::tell_failure(&error);
            0
        }
        Err(error) => output::fail(&error),
    };
    crew::end(&joined);
    code
}
