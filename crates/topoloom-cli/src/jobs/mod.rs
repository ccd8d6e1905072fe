//! Users' jobs that this program starts: by launchers, as probes, and under the recorder.

pub mod launcher;
pub mod preload;
pub mod probe;
pub mod process_tree;
pub mod recording;
