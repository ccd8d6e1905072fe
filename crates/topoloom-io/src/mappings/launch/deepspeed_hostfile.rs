//! Host files of DeepSpeed.

use std::fmt::Write;

use super::error::LaunchError;
use super::even::needs_even;
use super::format::{HostNames, Launch, LaunchEntry, LaunchFiles, LaunchFormat, LaunchNames};
use super::shell::quoted;

/// Host files of DeepSpeed.
pub(super) static ENTRY: LaunchEntry = LaunchEntry {
    name: "deepspeed-hostfile",
    summary: "host file of DeepSpeed: hosts in the order of their ranks, with their slots",
    example: "hosts.deepspeed",
    parameters: &[],
    build: LaunchFormat { hosts: HostNames::Known, binds: false, write, command },
};

fn write(launch: &Launch) -> Result<LaunchFiles, LaunchError> {
    let even = needs_even(launch, ENTRY.name)?;
    let mut main = String::new();
    for host in &even.hosts {
        let _ = writeln!(main, "{host} slots={}", even.each);
    }
    let mut warnings = Vec::new();
    if !even.devices().is_empty() {
        warnings.push(format!(
            "DeepSpeed uses GPUs in rising order; set {}on every host",
            even.devices()
        ));
    }
    Ok(LaunchFiles { main, bind: None, warnings })
}

fn command(launch: &Launch, names: &LaunchNames<'_>) -> Result<String, LaunchError> {
    let even = needs_even(launch, ENTRY.name)?;
    // Its launcher for Slurm ignores the order of hosts.
    Ok(format!(
        "deepspeed --launcher pdsh --hostfile {} --master_addr {} {}",
        quoted(names.main),
        even.master(),
        names.program
    ))
}
