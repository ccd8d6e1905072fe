//! Simulations as JSON: the field names that other programs rely on.

use serde::Serialize;

use crate::results::score_record::{SearchRecord, number};

/// A link and its use.
#[derive(Debug, Clone, Serialize)]
pub struct LinkUseRecord {
    /// Where it starts.
    pub from: u32,
    /// Where it leads.
    pub to: u32,
    /// What it carried.
    #[serde(serialize_with = "number")]
    pub bytes: f64,
    /// The share of the whole time that it was busy.
    #[serde(serialize_with = "number")]
    pub utilisation: f64,
}

/// How a run went over time, bin by bin.
#[derive(Debug, Clone, Serialize)]
pub struct TimelineRecord {
    /// The length of a bin of link use.
    pub bin_seconds: f64,
    /// The mean utilisation of all links.
    pub mean_link_utilisation: Vec<f64>,
    /// The highest utilisation of any link.
    pub max_link_utilisation: Vec<f64>,
    /// The length of a bin of messages.
    pub in_flight_bin_seconds: f64,
    /// Messages in flight.
    pub messages_in_flight: Vec<f64>,
}

/// Links of one kind and their energy.
#[derive(Debug, Clone, Serialize)]
pub struct LinkKindRecord {
    /// The bandwidth of one link.
    #[serde(serialize_with = "number")]
    pub bytes_per_second: f64,
    /// How long a byte takes.
    pub latency_seconds: f64,
    /// The energy of one byte.
    pub joules_per_byte: f64,
    /// The power that one link always draws.
    pub idle_watts: f64,
    /// How many there are.
    pub links: u64,
    /// What they carried.
    #[serde(serialize_with = "number")]
    pub bytes: f64,
    /// The energy of what they carried.
    pub transfer_joules: f64,
    /// The idle energy.
    pub idle_joules: f64,
}

/// A simulation that was stopped early. It has no time of the run, and nothing that depends on it.
#[derive(Debug, Clone, Serialize)]
pub struct StoppedRecord {
    /// The traffic or trace as given.
    pub traffic: String,
    /// What was replayed: `trace`, `burst` or `rounds=N`.
    pub replay: String,
    /// How collectives were treated.
    pub collectives: String,
    /// The machine as given.
    pub machine: String,
    /// The number of ranks.
    pub ranks: usize,
    /// The number of nodes.
    pub nodes: usize,
    /// The routing.
    pub routing: String,
    /// The mapping as given.
    pub mapping: String,
    /// The model with its options.
    pub model: String,
    /// False.
    pub complete: bool,
    /// Null, because it is not known.
    pub seconds: Option<f64>,
    /// The simulated time at which it was stopped.
    pub stopped_after_seconds: f64,
    /// Messages that had arrived.
    pub messages: u64,
    /// Messages that are sent in the whole run.
    pub messages_in_all: u64,
    /// What the messages that had arrived carried.
    #[serde(serialize_with = "number")]
    pub bytes: f64,
    /// Ranks that had finished.
    pub ranks_finished: usize,
    /// How the placement was found, if it was.
    #[serde(flatten)]
    pub search: Option<PlacementRecord>,
}

/// A simulated run with everything it depends on.
#[derive(Debug, Clone, Serialize)]
pub struct SimulationRecord {
    /// The traffic or trace as given.
    pub traffic: String,
    /// What was replayed: `trace`, `burst` or `rounds=N`.
    pub replay: String,
    /// How collectives were treated.
    pub collectives: String,
    /// Their share of all bytes, from 0 to 1, if there are any; with `none`, the share that is left
    /// out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub collectives_bytes_share: Option<f64>,
    /// Their share of all messages, the same way.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub collectives_messages_share: Option<f64>,
    /// The machine as given.
    pub machine: String,
    /// The number of ranks.
    pub ranks: usize,
    /// The number of nodes.
    pub nodes: usize,
    /// The routing.
    pub routing: String,
    /// The mapping as given.
    pub mapping: String,
    /// The model with its options.
    pub model: String,
    /// True: a run that was stopped early is a [`StoppedRecord`].
    pub complete: bool,
    /// From the beginning to the end of the last rank.
    pub seconds: f64,
    /// The same in cycles of the packet model.
    pub cycles: Option<u64>,
    /// The length of a cycle.
    pub seconds_per_cycle: Option<f64>,
    /// The share of the whole time that ranks waited, on average.
    pub waiting_share: f64,
    /// How long each rank waited.
    pub waiting_seconds: Vec<f64>,
    /// When each rank finished.
    pub finished_seconds: Vec<f64>,
    /// Messages that arrived.
    pub messages: u64,
    /// What they carried.
    #[serde(serialize_with = "number")]
    pub bytes: f64,
    /// Messages that no rank received.
    pub unreceived: u64,
    /// The largest number of messages in flight at once.
    pub peak_in_flight: u64,
    /// How long messages were in flight, on average.
    pub mean_message_seconds: f64,
    /// And at most.
    pub longest_message_seconds: f64,
    /// How long packets waited at a router, or how much longer messages took than they would alone,
    /// on average.
    pub mean_queueing_seconds: f64,
    /// And at most.
    pub longest_queueing_seconds: f64,
    /// Hops of packets.
    pub packet_hops: Option<u64>,
    /// How many links there are.
    pub num_links: u64,
    /// How many of them carried anything.
    pub links_used: usize,
    /// The mean utilisation of all links.
    pub mean_link_utilisation: f64,
    /// The highest utilisation of any link.
    pub max_link_utilisation: f64,
    /// The energy of all links.
    pub joules: f64,
    /// Links by kind.
    pub link_kinds: Vec<LinkKindRecord>,
    /// How it went over time.
    pub timeline: TimelineRecord,
    /// The links that carried anything, in the order of their numbers.
    pub links: Vec<LinkUseRecord>,
    /// How the placement was found, if it was.
    #[serde(flatten)]
    pub search: Option<PlacementRecord>,
}

/// How the placement of a simulated run was found.
#[derive(Debug, Clone, Serialize)]
pub struct PlacementRecord {
    /// The search that found it.
    pub search: SearchRecord,
}
