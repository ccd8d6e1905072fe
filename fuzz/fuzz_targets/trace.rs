//! Reads anything as a trace; what can be read must survive being written and read again.

#![no_main]

use libfuzzer_sys::fuzz_target;
use topoloom_io::{TRACE_FORMATS, parse_trace_file};

fuzz_target!(|data: &[u8]| {
    // An honest large number of ranks takes gigabytes; the reader refuses only what is beyond.
    if data.split(|byte| !byte.is_ascii_digit()).any(|digits| (5..=9).contains(&digits.len())) {
        return;
    }
    let Ok(trace) = parse_trace_file("a.trace", data) else { return };
    for write in TRACE_FORMATS.entries.iter().filter_map(|entry| entry.build.write) {
        let mut bytes = Vec::new();
        write(&trace, &mut bytes).expect("a Vec takes everything");
        let again = parse_trace_file("a.trace", &bytes).expect("what we write can be read");
        assert_eq!(again, trace);
    }
});
