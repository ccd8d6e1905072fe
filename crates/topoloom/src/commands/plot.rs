//! `topoloom plot`: one picture, as SVG or PNG.

use clap::Args;

#[derive(Debug, Args)]
pub struct PlotArguments {}

pub fn run(_arguments: PlotArguments) -> anyhow::Result<()> {
    Ok(())
}
