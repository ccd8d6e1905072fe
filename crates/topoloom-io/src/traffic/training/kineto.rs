//! Traces of PyTorch's profiler (Kineto): the events of one rank as JSON for Chrome.
//!
//! A call is in the trace twice: as an operation of the CPU, and as a kernel of the GPU. Only one of
//! them counts.

use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
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
    name: "kineto",
    summary: "trace of PyTorch's profiler: what a training job sent with NCCL; give the file of a \
              rank, or a folder with those of several",
    example: "rank0.json",
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

fn looks_like(bytes: &[u8]) -> bool {
    let has = |word: &[u8]| bytes.windows(word.len()).any(|part| part == word);
    is_json(bytes)
        && (has(b"\"traceEvents\"") || has(b"\"distributedInfo\"") || has(b"\"deviceProperties\""))
}

fn read(source: &Source<'_>, _: Weight, warnings: &mut Warnings) -> Result<Traffic, ReadError> {
    let trace = rank_trace(source)?;
    traffic_of(source.name(), &[trace], warnings)
}

#[derive(Deserialize)]
struct Content {
    #[serde(rename = "distributedInfo")]
    about: Option<About>,
    #[serde(rename = "deviceProperties")]
    devices: Option<Vec<IgnoredAny>>,
    #[serde(rename = "traceEvents")]
    events: Events,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct About {
    backend: Scalar,
    rank: Scalar,
    world_size: Scalar,
    pg_config: Vec<ListedGroup>,
}

/// What the events say.
#[derive(Default)]
struct Events {
    of_cpu: Counted<RecordedCall>,
    of_gpu: Counted<RecordedCall>,
    /// Whether there are calls without arguments, as gloo leaves them.
    bare_calls: bool,
}

fn rank_trace(source: &Source<'_>) -> Result<RankTrace, ReadError> {
    let content: Content =
        serde_json::from_slice(source.bytes()).map_err(|error| json_error(source, &error))?;
    let about = content.about.unwrap_or_default();
    let events = content.events;
    let calls = if events.of_cpu.is_empty() { &events.of_gpu } else { &events.of_cpu };
    if calls.is_empty() {
        return Err(source.error(without_calls(&about.backend, events.bare_calls)));
    }
    let rank = about.rank.count().map(|rank| u32::try_from(rank).unwrap_or(u32::MAX));
    let mut trace = RankTrace {
        file: source.name().to_string(),
        rank,
        world: about.world_size.count().or_else(|| group_list::world(&about.pg_config)),
        devices: content.devices.map_or(0, |devices| devices.len() as u64),
        groups: group_list::own_groups(&about.pg_config).map_err(|fault| source.error(fault))?,
        ..RankTrace::default()
    };
    if let Some(world) = trace.world {
        ranks(world).map_err(|fault| source.error(fault))?;
    }
    recorded_call::add_all(&mut trace, calls).map_err(|fault| source.error(fault))?;
    Ok(trace)
}

/// Why a trace without calls cannot be used.
fn without_calls(backend: &Scalar, bare_calls: bool) -> Fault {
    let backend = backend.text().unwrap_or_default();
    if bare_calls {
        let backend = match backend {
            "" => String::new(),
            backend => format!(" (backend {backend})"),
        };
        return Fault::WrongInput(format!(
            "the trace has no sizes and no groups of its collectives{backend}; they are only \
             written with NCCL: trace a run with the backend nccl"
        ));
    }
    Fault::Missing(
        "the trace has no collectives; expected events \"record_param_comms\" with a \"Collective \
         name\": trace a job of several ranks with NCCL"
            .into(),
    )
}

impl<'de> Deserialize<'de> for Events {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Events, D::Error> {
        deserializer.deserialize_seq(EventsVisitor)
    }
}

struct EventsVisitor;

impl<'de> Visitor<'de> for EventsVisitor {
    type Value = Events;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a list of events")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Events, A::Error> {
        let mut events = Events::default();
        while let Some(event) = list.next_element::<Event>()? {
            let name = event.name.text().unwrap_or_default();
            events.bare_calls |= name.starts_with("gloo:") || name.starts_with("c10d::");
            let Some(call) = event.args.0.filter(|call| !call.name.is_empty()) else { continue };
            call.check().map_err(A::Error::custom)?;
            match event.cat.text() {
                Some("cpu_op") => events.of_cpu.add(call, 1),
                Some("kernel") => events.of_gpu.add(call, 1),
                _ => {}
            }
        }
        Ok(events)
    }
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Event {
    cat: Scalar,
    name: Scalar,
    args: Arguments,
}

/// The arguments of an event, if it has any.
#[derive(Default)]
struct Arguments(Option<RecordedCall>);

/// The arguments that are used.
#[derive(Deserialize)]
#[serde(field_identifier)]
enum Argument {
    #[serde(rename = "Collective name")]
    Name,
    #[serde(rename = "dtype")]
    Element,
    #[serde(rename = "In msg nelems")]
    Input,
    #[serde(rename = "Out msg nelems")]
    Output,
    #[serde(rename = "Process Group Name")]
    GroupName,
    #[serde(rename = "Process Group Description")]
    GroupDescription,
    #[serde(rename = "Group size")]
    GroupSize,
    #[serde(rename = "Process Group Ranks")]
    GroupRanks,
    #[serde(rename = "Global rank start")]
    First,
    #[serde(rename = "Global rank stride")]
    Stride,
    #[serde(rename = "Rank")]
    Number,
    #[serde(rename = "Src Rank")]
    Source,
    #[serde(rename = "Dst Rank")]
    Destination,
    #[serde(rename = "In split size")]
    Split,
    #[serde(other)]
    Unused,
}

impl<'de> Deserialize<'de> for Arguments {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Arguments, D::Error> {
        deserializer.deserialize_any(ArgumentsVisitor)
    }
}

struct ArgumentsVisitor;

impl<'de> Visitor<'de> for ArgumentsVisitor {
    type Value = Arguments;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("the arguments of an event")
    }

    fn visit_unit<E>(self) -> Result<Arguments, E> {
        Ok(Arguments(None))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Arguments, A::Error> {
        let mut call = RecordedCall::default();
        while let Some(argument) = map.next_key::<Argument>()? {
            let place = match argument {
                Argument::Name => {
                    call.name = map.next_value::<Scalar>()?.text().unwrap_or_default().to_string();
                    continue;
                }
                Argument::Unused => {
                    map.next_value::<IgnoredAny>()?;
                    continue;
                }
                Argument::Element => &mut call.element,
                Argument::Input => &mut call.input,
                Argument::Output => &mut call.output,
                Argument::GroupName => &mut call.group_name,
                Argument::GroupDescription => &mut call.group_description,
                Argument::GroupSize => &mut call.group_size,
                Argument::GroupRanks => &mut call.group_ranks,
                Argument::First => &mut call.first,
                Argument::Stride => &mut call.stride,
                Argument::Number => &mut call.number,
                Argument::Source => &mut call.source,
                Argument::Destination => &mut call.destination,
                Argument::Split => &mut call.split,
            };
            *place = map.next_value()?;
        }
        Ok(Arguments(Some(call)))
    }
}
