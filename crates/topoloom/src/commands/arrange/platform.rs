//! `topoloom arrange platform`.

use clap::Args;

#[derive(Debug, Args)]
pub struct PlatformArguments {}

pub fn run(_: &PlatformArguments) -> anyhow::Result<()> {
    anyhow::bail!("not there yet")
}
