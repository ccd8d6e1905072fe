//! Platforms as files: clusters of processors of different speed, and how fast they communicate.
//!
//! `docs/platforms.md` says what the formats hold and which parts are read.

mod bandwidth_unit;
mod examples;
mod file;
mod limits;
pub(crate) mod machine;
mod read_platform;
mod simgrid;
pub(crate) mod speed_file;
mod speed_source;
mod toml_read;
mod toml_write;

pub use bandwidth_unit::name as bandwidth_unit_name;
pub use examples::{EXAMPLE_PREFIX, ExamplePlatform, examples};
pub use file::{
    describes_platform, parse_platform, read_platform, read_platform_with, write_platform,
};
pub use machine::{PlatformMachine, machine_of_platform};
pub use simgrid::{parse_simgrid_platform, write_simgrid_platform};
pub use speed_source::{SpeedReader, SpeedSource};
pub use toml_read::parse_toml_platform;
pub use toml_write::write_toml_platform;
