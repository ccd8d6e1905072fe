//! The command line of Topoloom, for the program and for other languages.
//!
//! [`run`] is the program. [`embedded`] runs its commands inside another program: what they would
//! print comes back, and what is in memory takes the place of files.

mod arguments;
mod cli;
mod commands;
mod dispatch;
pub mod embedded;
mod examples;
mod files;
mod hints;
mod inputs;
mod interrupt;
mod jobs;
mod output;
mod outputs;
mod placing;
mod progress;
mod same_machine;
mod session;
mod shell_words;
mod simulation;
mod spec_list;
mod standard_input;
mod thread_pool;
mod threads;
mod wanted_threads;

use std::ffi::OsString;

use clap::Parser;

use cli::Cli;

/// Runs the program with these arguments, of which the first is its own name. The result is the exit
/// code.
pub fn run(arguments: impl Iterator<Item = OsString>) -> u8 {
    let arguments = standard_input::named(arguments);
    let command = match Cli::try_parse_from(arguments) {
        Ok(cli) => cli.command,
        Err(error) => output::refuse_arguments(&error),
    };
    if let Err(error) = topoloom::core::budget::check_environment() {
        return output::fail(&error.into());
    }
    thread_pool::start(&wanted_threads::of(&command));
    // Unfinished files are removed when the program ends. Commands that need this check it again.
    let _ = interrupt::Interrupt::catch();
    match dispatch::run(command) {
        Ok(code) => code,
        Err(error) => output::fail(&error),
    }
}
