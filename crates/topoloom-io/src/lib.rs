//! The file formats of Topoloom, in and out.
//!
//! ```
//! use topoloom_core::Weight;
//! let traffic = topoloom_io::parse_traffic("ring.csv", b"0,1,5\n1,0,7\n", Weight::Bytes).unwrap();
//! assert_eq!(traffic.total(Weight::Bytes), 12.0);
//! ```

mod arrangement_file;
mod atomic_write;
mod collective_calls;
mod cost_matrix;
pub mod cpu_list;
mod cursor;
mod described;
mod dumpi;
mod error;
pub mod formats;
pub mod host_list;
mod input;
mod input_limit;
mod json;
pub mod launch;
mod machine_file;
pub mod machines;
pub mod mapping_file;
mod matching;
mod mpi_call;
mod network;
mod number;
mod otf2;
mod parts;
pub mod platforms;
mod probe;
mod rank_files;
mod recorded_machine;
mod recording;
mod score_record;
mod simulation_record;
mod source;
mod speed_file;
mod tags;
mod target;
mod temporary;
mod time_independent;
mod trace_file;
mod traces;
mod xml;

pub use arrangement_file::{
    ArrangementFile, arrangement_content, is_arrangement, parse_arrangement, read_arrangement,
    write_arrangement,
};
pub use atomic_write::{FilesTogether, atomic_write};
pub use cost_matrix::{
    ObjectiveError, parse_cost_matrix, read_cost_matrix, read_objective, read_objective_with,
};
pub use described::{describes_machine, host_of_file, parse_description};
pub use dumpi::parse_dumpi;
pub use error::{ReadError, WriteError};
pub use formats::{
    FORMATS, Format, RunReader, Warnings, check_traffic_name, keeps_collectives, parse_monitoring,
    parse_traffic, read_traffic, read_traffic_with_warnings, traffic_of, write_traffic,
};
pub use input::{Input, Opener, open};
pub use input_limit::MAX_INPUT_VARIABLE;
pub use machine_file::{
    is_machine_file, machine_content, parse_machine_description, write_machine_description,
};
pub use mapping_file::{
    MappingFile, mapping_content, mapping_json, parse_mapping, read_mapping, write_mapping,
};
pub use mpi_call::MpiCall;
pub use network::{
    MachineError, parse_network, read_machine, read_machine_with, read_machine_with_warnings,
    read_network,
};
pub use otf2::parse_otf2;
pub use parts::{JoinedRecording, recordings_in};
pub use platforms::{
    describes_platform, parse_platform, read_platform, read_platform_with, write_platform,
};
pub use probe::{Probe, ProbedRank, read_probe};
pub use recording::{
    CallTime, FlowKind, PartnerClass, RankState, RankTime, RecordedCollective, RecordedFlow,
    RecordedSeat, Recording, SizeClass, Times, is_recording, parse_recording,
    parse_recording_without_events, read_recording, read_recording_without_events,
    recording_has_events, write_recording,
};
pub use score_record::{
    CollectivesRecord, ComparisonRecord, GainRecord, LevelRecord, LinkRecord, NotApplicableRecord,
    RepeatRecord, ScoreRecord, SearchRecord, SummaryRecord, ThesisRecord, comparison_csv,
};
pub use simulation_record::{
    LinkKindRecord, LinkUseRecord, PlacementRecord, SimulationRecord, StoppedRecord, TimelineRecord,
};
pub use source::Source;
pub use speed_file::{
    SpeedPoint, parse_speed_points, read_speed_function, read_speed_points, speed_points_text,
    write_speed_points,
};
pub use target::check_writable;
pub use temporary::remove_temporaries_and;
pub use time_independent::parse_time_independent;
pub use traces::{
    TRACE_FORMATS, TraceEntry, TraceFormat, TraceReader, TraceWriter, is_trace, is_trace_name,
    parse_trace_file, read_trace, read_trace_with_warnings, trace_of, write_trace,
};
