//! How many threads each command wants.

use crate::cli::Command;
use crate::commands::arrange::arguments::ArrangeAction;
use crate::thread_pool::Wanted;

/// The number that the user gave, or the default of the command.
pub fn of(command: &Command) -> Wanted {
    let asked = match command {
        // Commands that compute nothing need none.
        Command::List(_)
        | Command::Completions { .. }
        | Command::Docs(_)
        | Command::Man { .. }
        | Command::Probe
        | Command::Apply(_)
        | Command::Record(_)
        | Command::Verify(_) => return Wanted::None,
        Command::Map(arguments) => arguments.search.work.threads,
        Command::Score(arguments) => arguments.search.work.threads,
        Command::Compare(arguments) => arguments.search.work.threads,
        Command::Report(arguments) => arguments.search.work.threads,
        Command::Plot(arguments) => arguments.search.work.threads,
        Command::Simulate(arguments) => arguments.search.work.threads,
        Command::Advise(arguments) => arguments.search.work.threads,
        Command::Run(arguments) => arguments.search.work.threads,
        Command::Tune(arguments) => arguments.search.work.threads,
        Command::Schedule(arguments) => arguments.threads,
        Command::Reproduce(arguments) => arguments.threads,
        Command::Arrange(arguments) => match &arguments.action {
            Some(ArrangeAction::Measure(arguments)) => Some(arguments.threads),
            Some(ArrangeAction::Platform(_)) => return Wanted::None,
            None => arguments.work.threads,
        },
        Command::Check(_) | Command::Generate(_) | Command::Traffic(_) | Command::Machine(_) => {
            None
        }
    };
    asked.map_or(Wanted::Usual, Wanted::Exactly)
}
