//! What the command that started the job wants.

use std::env;
use std::path::PathBuf;
use std::sync::OnceLock;
use std::time::Duration;

use crate::layout::{
    RUN_LIMITS_VARIABLE, RUN_PROBE_VARIABLE, RUN_VARIABLE, RUN_WANTED_VARIABLE, run,
};

/// What is wanted of the ranks of a job.
pub struct Settings {
    /// Where questions and answers are.
    pub folder: PathBuf,
    /// Whether the ranks of the world get another order.
    pub order: bool,
    /// Whether ranks of process topologies do.
    pub reorder: bool,
    /// Whether hosts are described.
    pub describe: bool,
    /// Whether the job ends if it cannot have the order that is wanted.
    pub strict: bool,
    /// How long the first rank waits for the others.
    pub for_ranks: Duration,
    /// How long it waits for an answer.
    pub for_answer: Duration,
    /// Where ranks report instead of running the program.
    pub probe: Option<PathBuf>,
}

const FOR_RANKS: u64 = 60;
const FOR_ANSWER: u64 = 600;

/// The settings; nothing if the job was not started for another order.
pub fn settings() -> Option<&'static Settings> {
    static SETTINGS: OnceLock<Option<Settings>> = OnceLock::new();
    SETTINGS.get_or_init(read).as_ref()
}

fn read() -> Option<Settings> {
    let path =
        |name: &str| env::var_os(name).filter(|folder| !folder.is_empty()).map(PathBuf::from);
    let wanted = env::var(RUN_WANTED_VARIABLE).unwrap_or_default();
    let wants = |word: &str| wanted.split_whitespace().any(|other| other == word);
    let limits = env::var(RUN_LIMITS_VARIABLE).unwrap_or_default();
    let mut limits = limits.split_whitespace().map(|text| text.parse().ok());
    let mut limit = |usual: u64| Duration::from_secs(limits.next().flatten().unwrap_or(usual));
    Some(Settings {
        folder: path(RUN_VARIABLE)?,
        order: wants(run::ORDER),
        reorder: wants(run::REORDER),
        describe: wants(run::DESCRIBE),
        strict: wants(run::STRICT),
        for_ranks: limit(FOR_RANKS),
        for_answer: limit(FOR_ANSWER),
        probe: path(RUN_PROBE_VARIABLE),
    })
}
