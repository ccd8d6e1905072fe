//! Files that do not describe a machine. They are refused by name. Without this, some would be read as lists of
//! hosts.

use super::machine_file::MachineFileAnswer;
use crate::text::fault::Fault;
use crate::text::json_tree::is_json;
use crate::text::source::Source;

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
        "output of nvidia-smi -q, which names no host; expected what nvidia-smi \
         --query-gpu=fabric.clusterUuid,fabric.cliqueId prints as CSV, with the host before each line",
    ),
    (&["LOCAL_RANK ", "GROUP_RANK "], "ranks of a job as torchrun numbers them, not a machine"),
];

/// Whether it is a table: lines with as many fields, some of which are numbers and some are not. A
/// line of hosts has names of one kind.
fn is_table(text: &str) -> bool {
    const LEAST_FIELDS: usize = 4;
    let mut lines = text.lines().filter(|line| !line.trim().is_empty() && !line.starts_with('#'));
    let fields = |line: &str| -> Vec<bool> {
        line.split(',').map(|field| field.trim().parse::<f64>().is_ok()).collect()
    };
    let (Some(heading), Some(row)) = (lines.next(), lines.next()) else { return false };
    let (heading, row) = (fields(heading), fields(row));
    let mixed = row.contains(&true) && row.contains(&false);
    row.len() >= LEAST_FIELDS && row.len() == heading.len() && mixed && !text.contains('[')
}

const TABLE: &str = "a table of values between commas; expected a description of a cluster, or hosts, one \
                     per line";

fn reason(bytes: &[u8]) -> Option<&'static str> {
    let bytes = Source::new("", bytes).bytes();
    let text = String::from_utf8_lossy(&bytes[..bytes.len().min(FIRST_BYTES)]);
    let is = |words: &[&str]| words.iter().all(|word| text.contains(word));
    let known = KNOWN.iter().find(|(words, _)| is(words)).map(|(_, reason)| *reason);
    match is_json(bytes) {
        true => None,
        false => known.or_else(|| is_table(&text).then_some(TABLE)),
    }
}

/// Whether content is a known file that does not describe a machine.
pub fn is_foreign(bytes: &[u8]) -> bool {
    reason(bytes).is_some()
}

/// The reason why such a file is refused.
pub fn refuse_foreign(name: &str, bytes: &[u8]) -> MachineFileAnswer {
    let source = Source::new(name, bytes);
    let reason = reason(bytes).unwrap_or("not a machine");
    Err(source.error_in_line(1, Fault::WrongInput(reason.to_string())))
}
