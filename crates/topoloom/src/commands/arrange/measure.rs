//! `topoloom arrange measure`.

use clap::Args;

#[derive(Debug, Args)]
pub struct MeasureArguments {}

pub fn run(_: &MeasureArguments) -> anyhow::Result<()> {
    anyhow::bail!("not there yet")
}
