//! `topoloom arrange`: data partitions for processors of different speed, arranged for the network.

pub mod arguments;
mod measure;
#[cfg_attr(not(test), expect(dead_code, reason = "for the command that arranges"))]
mod picture;
mod platform;

use arguments::{ArrangeAction, ArrangeArguments};

pub fn run(arguments: ArrangeArguments) -> anyhow::Result<()> {
    match arguments.action {
        ArrangeAction::Measure(arguments) => measure::run(&arguments),
        ArrangeAction::Platform(arguments) => platform::run(&arguments),
    }
}
