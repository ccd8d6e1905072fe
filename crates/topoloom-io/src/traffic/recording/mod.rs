//! The recorder's own file: what an application sent in total, and in which order if that was asked
//! for.
//!
//! A binary file of sections, each with a checksum. `docs/formats.md` describes every byte.

mod check;
mod collectives;
mod content;
mod crc32;
mod encoding;
mod events;
mod file;
mod groups;
mod launcher_ranks;
mod members;
mod nodes;
mod read;
mod seats;
mod sections;
mod times;
mod traffic;
mod warnings;
mod write;

pub(crate) use check::{check_calls, leave_out_damage};
pub(crate) use collectives::of_recorded as nearest_collectives;
pub use content::{FlowKind, RankState, RecordedCollective, RecordedFlow, Recording, SizeClass};
pub(crate) use events::Programs;
pub(crate) use file::{FORMAT_ENTRY, TRACE_ENTRY, write_with_programs};
pub use file::{
    parse_recording, parse_recording_without_events, read_recording, read_recording_without_events,
    write_recording,
};
pub(crate) use nodes::MOST_BYTES as MOST_BYTES_OF_NODES;
pub(crate) use seats::MOST_CPUS_OF_ALL;
pub use seats::RecordedSeat;
pub use sections::{is_recording, recording_has_events};
pub use times::{CallTime, PartnerClass, RankTime, Times};
