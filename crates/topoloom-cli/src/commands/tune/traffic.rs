//! What the ranks of the job send: from a recording, or as the user gives it.

use std::process::Stdio;

use anyhow::bail;
use topoloom::core::Traffic;
use topoloom::io::{Recording, read_recording};

use super::arguments::TuneArguments;
use crate::inputs::load_traffic;
use crate::jobs::recording::{Wanted, record};
use crate::output::inform;
use crate::output::numbers::plural;
use crate::shell_words::shown;

/// Runs the job under the recorder, unless its traffic is known.
pub fn recorded(arguments: &TuneArguments) -> anyhow::Result<Option<Recording>> {
    if arguments.traffic.is_some() {
        return Ok(None);
    }
    let output = arguments.file(".rec");
    inform(&format!("recording {} ...", shown(&arguments.command)));
    let wanted = Wanted {
        trace: false,
        // The timed runs are compared by their time in MPI.
        times: arguments.measure.is_some(),
        output: output.clone(),
        scratch: arguments.scratch.clone(),
        command: arguments.command.clone(),
    };
    // The output of the job is not the output of this command.
    let recorded = record(&wanted, Stdio::from(std::io::stderr()))?;
    if recorded.ended.interrupted {
        bail!("interrupted; what was recorded is in {}", output.display());
    }
    if !recorded.ended.status.success() {
        bail!(
            "the job failed ({}). If it always ends like this, record it separately and give \
             --traffic {}",
            recorded.ended.status,
            output.display()
        );
    }
    match &recorded.paths[..] {
        [path] => Ok(Some(read_recording(path)?)),
        several => {
            let names: Vec<String> =
                several.iter().map(|path| path.display().to_string()).collect();
            bail!("the command started several jobs: {}; tune one of them", names.join(", "))
        }
    }
}

/// What the ranks send.
pub fn traffic(arguments: &TuneArguments, started: usize) -> anyhow::Result<Traffic> {
    let traffic =
        load_traffic(&arguments.traffic_name(), arguments.weight, arguments.collectives.mode)?;
    match traffic.num_ranks() {
        ranks if ranks == started => Ok(traffic),
        ranks => {
            let started = plural(started, "rank");
            bail!("{} in the traffic, but {started} started", plural(ranks, "rank"))
        }
    }
}
