//! From a parsed command to the code that carries it out.

use crate::cli::Command;
use crate::commands;

/// Whether a command is carried out by all processes of an MPI job together. Others belong to single
/// processes: some of them even run inside the ranks of a job.
pub fn is_shared(command: &Command) -> bool {
    matches!(
        command,
        Command::Map(_)
            | Command::Compare(_)
            | Command::Advise(_)
            | Command::Simulate(_)
            | Command::Reproduce(_)
    )
}

/// Carries out a command. The result is the exit code of the program; an error has its own.
pub fn run(command: Command) -> anyhow::Result<u8> {
    match command {
        Command::Map(arguments) => commands::map::run(arguments),
        Command::Score(arguments) => commands::score::run(arguments),
        Command::Compare(arguments) => commands::compare::run(arguments),
        Command::Report(arguments) => commands::report::run(arguments),
        Command::Plot(arguments) => commands::plot::run(arguments),
        Command::Simulate(arguments) => commands::simulate::run(arguments),
        Command::Advise(arguments) => commands::advise::run(arguments),
        Command::Apply(arguments) => commands::apply::run(arguments),
        Command::Record(arguments) => return commands::record::run(arguments),
        Command::Run(arguments) => return commands::run::run(&arguments),
        Command::Verify(arguments) => return commands::verify::run(&arguments),
        Command::Probe => Ok(()),
        Command::Tune(arguments) => return commands::tune::run(&arguments),
        Command::Check(arguments) => return commands::check::run(&arguments),
        Command::Generate(arguments) => commands::generate::run(arguments),
        Command::Traffic(arguments) => commands::traffic::run(arguments),
        Command::Machine(arguments) => commands::machine::run(arguments),
        Command::Arrange(arguments) => commands::arrange::run(arguments),
        Command::Schedule(arguments) => commands::schedule::run(arguments),
        Command::List(arguments) => commands::list::run(arguments),
        Command::Reproduce(arguments) => commands::reproduce::run(arguments),
        Command::Docs(arguments) => commands::docs::run(&arguments),
        Command::Completions { shell } => commands::documents::completions(shell),
        Command::Man { directory } => commands::documents::man(directory),
    }?;
    Ok(0)
}
