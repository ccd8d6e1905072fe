//! Reads anything as a time-independent trace.

#![no_main]

use libfuzzer_sys::fuzz_target;
use topoloom_core::{CollectiveMode, Event};
use topoloom_io::{Source, parse_time_independent};

const BETWEEN: &[u8] = b"\n====\n";

fuzz_target!(|data: &[u8]| {
    let files: Vec<Source<'_>> = files(data).into_iter().map(|file| Source::new("a", file)).collect();
    let Ok((trace, _)) = parse_time_independent("a", &files) else { return };
    assert!(trace.num_ranks() > 0);
    // Every partner is known by now, and every collective has all its members.
    for (rank, program) in trace.programs().iter().enumerate() {
        for event in program {
            match *event {
                Event::Send { to: partner, .. }
                | Event::StartSend { to: partner, .. }
                | Event::Receive { from: partner, .. }
                | Event::StartReceive { from: partner, .. } => {
                    assert!((partner as usize) < trace.num_ranks(), "{rank}");
                }
                _ => {}
            }
        }
    }
    let _ = trace.expanded(CollectiveMode::Direct);
});

/// The files of all ranks, with a line of equals signs between them.
fn files(data: &[u8]) -> Vec<&[u8]> {
    let mut files = Vec::new();
    let mut rest = data;
    while let Some(end) = rest.windows(BETWEEN.len()).position(|part| part == BETWEEN) {
        files.push(&rest[..end]);
        rest = &rest[end + BETWEEN.len()..];
    }
    files.push(rest);
    files
}
