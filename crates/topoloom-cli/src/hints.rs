//! What to do about an error, in terms of the command line. The libraries state facts in typed
//! errors and know no options.

use std::error::Error;

use topoloom::core::ProblemError;
use topoloom::core::cluster::JoinError;
use topoloom::core::seats::NotAPlace;
use topoloom::core::topology::ClusterError;
use topoloom::io::launch::LaunchError;
use topoloom::io::machines::export::ExportError;
use topoloom::schedule::ScheduleError;
use topoloom::sim::SimulationError;

/// The option that helps with an error, as the end of its message.
pub fn of(error: &anyhow::Error) -> Option<&'static str> {
    error.chain().find_map(of_one)
}

fn of_one(error: &(dyn Error + 'static)) -> Option<&'static str> {
    let problem = error.downcast_ref().or_else(|| match error.downcast_ref() {
        Some(ScheduleError::Problem(problem)) => Some(problem),
        _ => None,
    });
    let problem = problem.or_else(|| match error.downcast_ref() {
        Some(NotAPlace::Problem(problem)) => Some(problem),
        _ => None,
    });
    if let Some(ProblemError::TooManyRanks { .. }) = problem {
        return Some("; give --imbalance to put several in one slot");
    }
    if let Some(LaunchError::NoHosts { .. }) = error.downcast_ref() {
        return Some(": give --hosts");
    }
    if let Some(ClusterError::TooManySlots { .. }) = error.downcast_ref() {
        return Some(" (--place thread)");
    }
    if let Some(SimulationError::FatPipes(_)) = error.downcast_ref() {
        return Some(": use --model flow");
    }
    if let Some(error) = error.downcast_ref() {
        return match error {
            ExportError::TooManyRoutes { .. } => {
                Some("; machine import FILE --hosts LIST keeps some hosts of a described machine")
            }
            _ => None,
        };
    }
    match error.downcast_ref()? {
        JoinError::NoHosts => Some("; give --hosts, or a file that names some"),
        JoinError::WhichKind(_) => Some("; give --node HOSTS=FILE"),
        JoinError::KindOfNobody(_) => Some("; see --node"),
        JoinError::NotInNetwork(_)
        | JoinError::WrongSlots { .. }
        | JoinError::TablesWithoutCables
        | JoinError::TablesOfOthers(_)
        | JoinError::TooLarge(_) => None,
    }
}
