//! `topoloom traffic`: inspect or transform traffic.

pub mod arguments;
mod edit;
mod groups;
mod json;
mod recording;
mod seats;
mod short;
mod show;
mod shown;
mod times;

use topoloom::io::check_traffic_name;

use crate::outputs;
use crate::session;
use arguments::{TrafficAction, TrafficArguments};

pub fn run(arguments: TrafficArguments) -> anyhow::Result<()> {
    let output = match &arguments.action {
        TrafficAction::Show(arguments) => arguments.plot.as_ref(),
        TrafficAction::Groups(_) => None,
        TrafficAction::Merge(arguments) => Some(&arguments.edit.output),
        TrafficAction::Scale(arguments) => Some(&arguments.edit.output),
        TrafficAction::Filter(arguments) => Some(&arguments.edit.output),
        TrafficAction::Symmetrize(arguments) => Some(&arguments.edit.output),
        TrafficAction::Coarsen(arguments) => Some(&arguments.edit.output),
    };
    if let Some(path) = output.filter(|path| !session::is_in_memory(path)) {
        if !matches!(&arguments.action, TrafficAction::Show(_)) {
            check_traffic_name(path)?;
        }
        outputs::check(path, [])?;
    }
    match &arguments.action {
        TrafficAction::Show(arguments) => show::run(arguments),
        TrafficAction::Groups(arguments) => groups::run(arguments),
        TrafficAction::Merge(arguments) => edit::merge(arguments),
        TrafficAction::Scale(arguments) => edit::scale(arguments),
        TrafficAction::Filter(arguments) => edit::filter(arguments),
        TrafficAction::Symmetrize(arguments) => edit::symmetrize(arguments),
        TrafficAction::Coarsen(arguments) => edit::coarsen(arguments),
    }
}
