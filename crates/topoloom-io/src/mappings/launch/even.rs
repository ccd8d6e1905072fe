//! Jobs whose ranks are numbered host by host, with the same number on each, as launchers of
//! training jobs do it.

use topoloom_core::topology::Place;

use super::error::LaunchError;
use super::format::Launch;

/// The port at which the processes of PyTorch meet.
pub(super) const PORT: u32 = 29500;

/// The same number of ranks on each host, one host after another.
pub(super) struct Even<'a> {
    /// The hosts in the order of their ranks.
    pub hosts: Vec<&'a str>,
    /// How many ranks each has.
    pub each: usize,
    /// The GPUs of each host's ranks, if they are known.
    gpus: Option<Vec<u32>>,
}

/// What such launchers need to know, if they can start the ranks at all.
pub(super) fn even(launch: &Launch) -> Result<Option<Even<'_>>, LaunchError> {
    let seating = launch.seating()?;
    let runs: Vec<&[Place]> = seating.seats.chunk_by(|a, b| a.host == b.host).collect();
    let each = runs.first().map_or(0, |run| run.len());
    if runs.len() != launch.used_hosts()?.len() || runs.iter().any(|run| run.len() != each) {
        return Ok(None);
    }
    let gpus = |run: &[Place]| run.iter().map(|seat| seat.gpu).collect::<Option<Vec<u32>>>();
    let first = runs.first().and_then(|run| gpus(run));
    if runs.iter().any(|run| gpus(run) != first) {
        return Ok(None);
    }
    let name = |run: &&[Place]| &seating.hosts[run[0].host as usize][..];
    Ok(Some(Even { hosts: runs.iter().map(name).collect(), each, gpus: first }))
}

/// The same, or why a format cannot express it.
pub(super) fn needs_even<'a>(
    launch: &'a Launch,
    format: &'static str,
) -> Result<Even<'a>, LaunchError> {
    even(launch)?.ok_or_else(|| LaunchError::NotPossible {
        format,
        reason:
            "it numbers ranks host by host, with the same number of ranks and the same GPUs on \
                 each host, and this mapping does not"
                .to_string(),
    })
}

impl Even<'_> {
    /// Sets the GPUs that ranks see, with a space after it; nothing if they are all, in order.
    pub fn devices(&self) -> String {
        let Some(gpus) = &self.gpus else { return String::new() };
        if gpus.iter().copied().eq(0..gpus.len() as u32) {
            return String::new();
        }
        let gpus: Vec<String> = gpus.iter().map(u32::to_string).collect();
        format!("CUDA_VISIBLE_DEVICES={} ", gpus.join(","))
    }

    /// The first host, at which all processes meet.
    pub fn master(&self) -> &str {
        self.hosts.first().copied().unwrap_or_default()
    }

    /// How torchrun is started on a host whose number in the order is `rank`.
    ///
    /// Without `--rdzv-backend` it takes the number of the node as given. Under c10d it would sort
    /// hosts by their names.
    pub fn torchrun(&self, rank: &str, program: &str) -> String {
        format!(
            "{}torchrun --nnodes {} --nproc-per-node {} --node-rank {rank} --master-addr {} \
             --master-port {PORT} {program}",
            self.devices(),
            self.hosts.len(),
            self.each,
            self.master()
        )
    }
}
