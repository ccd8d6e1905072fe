//! The command line of Topoloom.

mod arguments;
mod cli;
mod commands;
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
mod shell_words;
mod simulation;
mod spec_list;
mod standard_input;
mod thread_pool;
mod threads;
mod wanted_threads;

use std::process::ExitCode;

use clap::Parser;

use cli::{Cli, Command};

fn main() -> ExitCode {
    let arguments = standard_input::named(std::env::args_os());
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
    let result = match command {
        Command::Map(arguments) => commands::map::run(arguments),
        Command::Score(arguments) => commands::score::run(arguments),
        Command::Compare(arguments) => commands::compare::run(arguments),
        Command::Report(arguments) => commands::report::run(arguments),
        Command::Plot(arguments) => commands::plot::run(arguments),
        Command::Simulate(arguments) => commands::simulate::run(arguments),
        Command::Advise(arguments) => commands::advise::run(arguments),
        Command::Apply(arguments) => commands::apply::run(arguments),
        Command::Record(arguments) => return commands::record::run(arguments),
        Command::Verify(arguments) => return commands::verify::run(arguments),
        Command::Probe => Ok(()),
        Command::Tune(arguments) => return commands::tune::run(arguments),
        Command::Check(arguments) => return commands::check::run(arguments),
        Command::Generate(arguments) => commands::generate::run(arguments),
        Command::Traffic(arguments) => commands::traffic::run(arguments),
        Command::Machine(arguments) => commands::machine::run(arguments),
        Command::Arrange(arguments) => commands::arrange::run(arguments),
        Command::Schedule(arguments) => commands::schedule::run(arguments),
        Command::List(arguments) => commands::list::run(arguments),
        Command::Reproduce(arguments) => commands::reproduce::run(arguments),
        Command::Completions { shell } => commands::documents::completions(shell),
        Command::Man { directory } => commands::documents::man(directory),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => output::fail(&error),
    }
}
