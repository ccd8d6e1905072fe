//! Tables of hosts and their numbers, which a start script looks up: for Kubernetes, ssh and others.

use std::fmt::Write;

use super::error::LaunchError;
use super::even::needs_even;
use super::format::{HostNames, Launch, LaunchEntry, LaunchFiles, LaunchFormat, LaunchNames};
use super::shell::quoted;

/// Tables of hosts and node ranks.
pub(super) static ENTRY: LaunchEntry = LaunchEntry {
    name: "node-rank-table",
    summary: "table of hosts and node ranks, which the same command looks up on every host",
    example: "node-ranks.txt",
    parameters: &[],
    build: LaunchFormat { hosts: HostNames::Known, binds: false, write, command },
};

fn write(launch: &Launch) -> Result<LaunchFiles, LaunchError> {
    let even = needs_even(launch, ENTRY.name)?;
    let mut main = String::new();
    for (rank, host) in even.hosts.iter().enumerate() {
        let _ = writeln!(main, "{host} {rank}");
    }
    Ok(LaunchFiles { main, bind: None, warnings: Vec::new() })
}

/// The command to run on every host. In Kubernetes a pod finds its host in `NODE_NAME`.
fn command(launch: &Launch, names: &LaunchNames<'_>) -> Result<String, LaunchError> {
    let even = needs_even(launch, ENTRY.name)?;
    let table = quoted(names.main);
    let look_up = format!(
        r#"$(awk -v h="${{NODE_NAME:-$(uname -n)}}" '$1 == h || index(h, $1 ".") == 1 {{ print $2; exit }}' {table})"#
    );
    Ok(even.torchrun(&format!("\"{look_up}\""), names.program))
}
