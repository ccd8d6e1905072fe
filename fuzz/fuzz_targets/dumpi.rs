//! Reads anything as what dumpi2ascii prints.

#![no_main]

use libfuzzer_sys::fuzz_target;
use topoloom_io::parse_dumpi;

#[path = "shared/trace_of_files.rs"]
mod trace_of_files;

fuzz_target!(|data: &[u8]| {
    let Ok((trace, _)) = parse_dumpi("a", &trace_of_files::sources(data)) else { return };
    trace_of_files::check(&trace);
});
