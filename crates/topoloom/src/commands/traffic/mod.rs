//! `topoloom traffic`: what traffic is, and traffic made of traffic.

pub mod arguments;
mod edit;
mod json;
mod recording;
mod seats;
mod show;
mod times;

pub use show::recognised;

use arguments::{TrafficAction, TrafficArguments};

pub fn run(arguments: TrafficArguments) -> anyhow::Result<()> {
    match &arguments.action {
        TrafficAction::Show(arguments) => show::run(arguments),
        TrafficAction::Merge(arguments) => edit::merge(arguments),
        TrafficAction::Scale(arguments) => edit::scale(arguments),
        TrafficAction::Filter(arguments) => edit::filter(arguments),
        TrafficAction::Symmetrize(arguments) => edit::symmetrize(arguments),
        TrafficAction::Coarsen(arguments) => edit::coarsen(arguments),
    }
}
