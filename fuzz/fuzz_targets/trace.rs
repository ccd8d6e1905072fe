//! Reads anything as a trace; what can be read must survive being written and read again.

#![no_main]

use libfuzzer_sys::fuzz_target;
use topoloom_io::{TRACE_FORMATS, parse_recording, parse_trace_file};

fuzz_target!(|data: &[u8]| {
    let Ok(trace) = parse_trace_file("a.trace", data) else { return };
    for entry in TRACE_FORMATS.entries {
        let Some(write) = entry.build.write else { continue };
        let mut bytes = Vec::new();
        let written = write(&trace, &mut bytes);
        let again = match entry.name {
            "topoloom" => parse_trace_file("a.trace", &bytes),
            // Sizes of pairs may add up to more than the totals of a recording can hold.
            "recording" if written.is_err() => continue,
            "recording" => {
                let recording =
                    parse_recording("a.rec", &bytes).expect("what we write can be read");
                let again = recording.trace.expect("it was written with events");
                assert_eq!(again.programs(), trace.programs());
                continue;
            }
            other => panic!("how is a trace of the format {other} read?"),
        };
        assert_eq!(again.expect("what we write can be read"), trace);
    }
});
