//! Traffic that is known without recording it: benchmarks, stencils, rings.

mod all_to_all;
mod entry;
mod llm;
mod mpdata;
pub mod npb;
mod random;
mod registry;
mod ring;
mod stencil;

pub use entry::{PatternBuilder, PatternEntry, TraceBuilder};
pub use mpdata::{InvalidMpdata, Mpdata};
pub use registry::{PATTERNS, parse_pattern, parse_trace};
