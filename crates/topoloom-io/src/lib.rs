//! The file formats of Topoloom, in and out.
//!
//! ```
//! use topoloom_core::Weight;
//! let traffic = topoloom_io::parse_traffic("ring.csv", b"0,1,5\n1,0,7\n", Weight::Bytes).unwrap();
//! assert_eq!(traffic.total(Weight::Bytes), 12.0);
//! ```

mod load;
pub mod machines;
mod mappings;
pub mod platforms;
mod results;
mod text;
mod traces;
mod traffic;
mod workload_file;

pub use load::{
    Files, Given, LoadError, Loader, Origin, is_readable, machine_without_structure, read_traffic,
    read_traffic_with_warnings,
};
pub use machines::cost_matrix::{
    ObjectiveError, parse_cost_matrix, read_cost_matrix, read_objective, read_objective_with,
};
pub use machines::described::{describes_machine, host_of_file, parse_description};
pub use machines::description_file::{
    is_machine_file, machine_content, parse_machine_description, write_machine_description,
};
pub use machines::error::MachineError;
pub use machines::link_list::{parse_network, read_network};
pub use machines::specification::{read_machine, read_machine_with, read_machine_with_warnings};
pub use mappings::arrangement_file::{
    ArrangementFile, arrangement_content, is_arrangement, parse_arrangement, read_arrangement,
    write_arrangement,
};
pub use mappings::launch;
pub use mappings::mapping_file::{
    self, MappingFile, is_solution_name, mapping_content, mapping_json, parse_mapping,
    read_mapping, write_mapping,
};
pub use mappings::placed::PlacementError;
pub use mappings::probe::{Probe, ProbedRank, read_probe};
pub use mappings::question::{AskedSeat, Neighbours, OrderAnswer, Question, parse_question};
pub use platforms::speed_file::{
    SpeedPoint, parse_speed_points, read_speed_function, read_speed_points, speed_points_text,
    write_speed_points,
};
pub use platforms::{
    describes_platform, parse_platform, read_platform, read_platform_with, write_platform,
};
pub use results::score_record::{
    CollectivesRecord, ComparisonRecord, GainRecord, GroupLevelRecord, GroupRecord, LevelRecord,
    LinkRecord, NotApplicableRecord, RepeatRecord, ScoreRecord, SearchRecord, SummaryRecord,
    ThesisRecord, comparison_csv,
};
pub use results::simulation_record::{
    LinkKindRecord, LinkUseRecord, PlacementRecord, SimulationRecord, StoppedRecord, TimelineRecord,
};
pub use text::atomic_write::{FilesTogether, atomic_write};
pub use text::error::{ReadError, WriteError};
pub use text::fault::Fault;
pub use text::input::{Input, Opener, open};
pub use text::input_limit::MAX_INPUT_VARIABLE;
pub use text::source::Source;
pub use text::target::{STANDARD_OUTPUT, check_writable, write_nothing, writes_nothing};
pub use text::temporary::remove_temporaries_and;
pub use text::warnings::Warnings;
pub use text::{cpu_list, host_list};
pub use traces::dumpi::parse_dumpi;
pub use traces::format::{TraceEntry, TraceFormat, TraceReader, TraceWriter};
pub use traces::mpi_call::MpiCall;
pub use traces::otf2::parse_otf2;
pub use traces::registry::{
    TRACE_FORMATS, is_trace, is_trace_name, parse_trace_file, read_trace, read_trace_with_warnings,
    trace_of, write_trace,
};
pub use traces::time_independent::parse_time_independent;
pub use traffic::format::{Format, RunReader};
pub use traffic::monitoring::parse_monitoring;
pub use traffic::parts::{JoinedRecording, recordings_in};
pub use traffic::recording::{
    CallTime, FlowKind, PartnerClass, RankState, RankTime, RecordedCollective, RecordedFlow,
    RecordedSeat, Recording, SizeClass, Times, is_recording, parse_recording,
    parse_recording_without_events, read_recording, read_recording_without_events,
    recording_has_events, write_recording,
};
pub use traffic::registry::{
    FORMATS, check_traffic_name, keeps_collectives, parse_traffic, traffic_of, write_traffic,
};
pub use traffic::training::chakra::parse_chakra;
pub use workload_file::{
    WorkloadFile, parse_workload, schedule_csv, workload_text, write_schedule,
};
