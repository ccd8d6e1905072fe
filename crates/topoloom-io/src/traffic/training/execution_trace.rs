//! Execution traces of PyTorch: what its `ExecutionTraceObserver` writes, the operations of one rank
//! as JSON.

use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, Error, SeqAccess, Visitor};
use topoloom_core::{Entry, Traffic, Weight};

use super::group_list::{self, ListedGroup};
use super::join::traffic_of;
use super::rank_trace::{Counted, RankTrace};
use super::recorded_call::{self, RecordedCall};
use super::run;
use super::scalar::Scalar;
use crate::text::error::ReadError;
use crate::text::fault::Fault;
use crate::text::json::json_error;
use crate::text::json_tree::is_json;
use crate::text::source::Source;
use crate::text::warnings::Warnings;
use crate::traffic::format::{Format, FormatEntry, RunReader};
use crate::traffic::ranks::ranks;

pub(crate) static ENTRY: FormatEntry = Entry {
    name: "pytorch-et",
    summary: "execution trace of PyTorch (ExecutionTraceObserver) of a job with NCCL; give the file \
              of a rank, or a folder with those of several",
    example: "et.rank0.json",
    parameters: &[],
    build: Format {
        endings: &["json"],
        looks_like,
        read: Some(read),
        read_run: Some(RunReader {
            has_any: |folder| run::has_any(folder, looks_like),
            read: |path, warnings| run::read(path, looks_like, rank_trace, warnings),
        }),
        write: None,
        keeps_collectives: false,
    },
};

/// The operation that lists the groups of the rank.
const GROUPS: &str = "## process_group:init ##";

/// The operation that stands for a call.
const CALL: &str = "record_param_comms";

fn looks_like(bytes: &[u8]) -> bool {
    let has = |word: &[u8]| bytes.windows(word.len()).any(|part| part == word);
    is_json(bytes) && has(b"\"schema\"") && (has(b"chakra") || has(b"\"nodes\""))
}

fn read(source: &Source<'_>, _: Weight, warnings: &mut Warnings) -> Result<Traffic, ReadError> {
    let trace = rank_trace(source)?;
    traffic_of(source.name(), &[trace], warnings)
}

#[derive(Deserialize)]
struct Content {
    nodes: Nodes,
}

/// What the operations say.
#[derive(Default)]
struct Nodes {
    groups: Vec<ListedGroup>,
    calls: Counted<RecordedCall>,
    /// Whether there are calls without sizes, as gloo leaves them.
    bare_calls: bool,
}

fn rank_trace(source: &Source<'_>) -> Result<RankTrace, ReadError> {
    let content: Content =
        serde_json::from_slice(source.bytes()).map_err(|error| json_error(source, &error))?;
    let nodes = content.nodes;
    if nodes.calls.is_empty() {
        return Err(source.error(without_calls(&nodes)));
    }
    let world = group_list::world(&nodes.groups);
    if let Some(world) = world {
        ranks(world).map_err(|fault| source.error(fault))?;
    }
    let groups = group_list::own_groups(&nodes.groups).map_err(|fault| source.error(fault))?;
    let file = source.name().to_string();
    let mut trace = RankTrace { file, world, groups, ..RankTrace::default() };
    recorded_call::add_all(&mut trace, &nodes.calls).map_err(|fault| source.error(fault))?;
    Ok(trace)
}

/// Why a trace without calls cannot be used.
fn without_calls(nodes: &Nodes) -> Fault {
    if nodes.bare_calls {
        let backend = nodes.groups.iter().find_map(|group| group.backend_config.text());
        let backend = match backend {
            Some(backend) if backend.contains("gloo") => " (backend gloo)",
            _ => "",
        };
        return Fault::WrongInput(format!(
            "the trace has no sizes and no groups of its collectives{backend}; they are only \
             written with NCCL: trace a run with the backend nccl"
        ));
    }
    Fault::Missing(format!(
        "the trace has no collectives; expected nodes \"{CALL}\" with the attribute \
         collective_name: trace a job of several ranks with NCCL"
    ))
}

impl<'de> Deserialize<'de> for Nodes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Nodes, D::Error> {
        deserializer.deserialize_seq(NodesVisitor)
    }
}

struct NodesVisitor;

impl<'de> Visitor<'de> for NodesVisitor {
    type Value = Nodes;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a list of nodes")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Nodes, A::Error> {
        let mut nodes = Nodes::default();
        while let Some(node) = list.next_element::<Node>()? {
            match node.name.text().unwrap_or_default() {
                GROUPS => {
                    let texts = node.inputs.values.iter().filter_map(Scalar::text);
                    for text in texts.filter(|text| text.contains("[{")) {
                        nodes.groups.extend(group_list::parse(text).map_err(A::Error::custom)?);
                    }
                }
                CALL => {
                    if let Some(call) = node.call() {
                        call.check().map_err(A::Error::custom)?;
                        nodes.calls.add(call, 1);
                    }
                }
                name => {
                    nodes.bare_calls |= name.starts_with("gloo:") || name.starts_with("c10d::");
                }
            }
        }
        Ok(nodes)
    }
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Node {
    name: Scalar,
    inputs: Inputs,
    attrs: Vec<Attribute>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Inputs {
    values: Vec<Scalar>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Attribute {
    name: Scalar,
    value: Scalar,
}

impl Node {
    /// The call that it stands for.
    fn call(&self) -> Option<RecordedCall> {
        let value = |name: &str| {
            let mut attributes = self.attrs.iter();
            let attribute = attributes.find(|attribute| attribute.name.text() == Some(name));
            attribute.map(|attribute| attribute.value.clone()).unwrap_or_default()
        };
        let name = value("collective_name").text()?.to_string();
        // The inputs have the number of the partner, the root or the rank before the call's name.
        let inputs = &self.inputs.values;
        let at = inputs.iter().position(|input| input.text() == Some(&name));
        let number = at.and_then(|at| inputs.get(at.checked_sub(1)?)).cloned().unwrap_or_default();
        Some(RecordedCall {
            element: value("dtype"),
            input: value("in_msg_nelems"),
            output: value("out_msg_nelems"),
            group_name: value("pg_name"),
            group_description: value("pg_desc"),
            group_size: value("pg_size"),
            group_ranks: Scalar::Other,
            first: value("global_rank_start"),
            stride: value("global_rank_stride"),
            number,
            source: value("src_rank"),
            destination: value("dst_rank"),
            split: value("in_split_size"),
            name,
        })
    }
}
