//! Files that are no machines, which are refused by name. Without this, some would be read as lists of
//! hosts.

use super::machine_file::MachineFile;
use crate::text::error::ReadError;
use crate::text::fault::Fault;
use crate::text::source::Source;
use crate::text::warnings::Warnings;

/// How much of a file is looked at.
const FIRST_BYTES: usize = 4096;

/// What a file is, if all of these words are near its beginning.
const KNOWN: &[(&[&str], &str)] = &[
    (
        &["Nodes ", "Tiers ", "Podsize "],
        "a network of ASTRA-sim's htsim: it has no hosts; name the network instead, such as fat-tree:k=4",
    ),
    (
        &["model_parallel_NPU_group:"],
        "a workload of SimAI or ASTRA-sim: it says what is sent, and nothing about a machine",
    ),
    (
        &["ClusterUUID", "CliqueId"],
        "output of nvidia-smi -q, which names no host; expected lines of nvidia-smi \
         --query-gpu=fabric.clusterUuid,fabric.cliqueId --format=csv,noheader, with the host before each",
    ),
];

fn reason(bytes: &[u8]) -> Option<&'static str> {
    let bytes = Source::new("", bytes).bytes();
    let text = String::from_utf8_lossy(&bytes[..bytes.len().min(FIRST_BYTES)]);
    let is = |words: &[&str]| words.iter().all(|word| text.contains(word));
    KNOWN.iter().find(|(words, _)| is(words)).map(|(_, reason)| *reason)
}

/// Whether content is a known file that is no machine.
pub fn is_foreign(bytes: &[u8]) -> bool {
    reason(bytes).is_some()
}

/// The reason why such a file is refused.
pub fn refuse_foreign(name: &str, bytes: &[u8]) -> Result<(MachineFile, Warnings), ReadError> {
    let source = Source::new(name, bytes);
    let reason = reason(bytes).unwrap_or("not a machine");
    Err(source.error_in_line(1, Fault::WrongInput(reason.to_string())))
}
