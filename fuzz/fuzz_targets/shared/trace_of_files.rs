//! What targets for traces of several files share.

use topoloom_core::{CollectiveMode, Event, Trace};
use topoloom_io::Source;

const BETWEEN: &[u8] = b"\n====\n";

/// The files of all ranks, with a line of equals signs between them.
pub fn sources(data: &[u8]) -> Vec<Source<'_>> {
    let mut files = Vec::new();
    let mut rest = data;
    while let Some(end) = rest.windows(BETWEEN.len()).position(|part| part == BETWEEN) {
        files.push(Source::new("a", &rest[..end]));
        rest = &rest[end + BETWEEN.len()..];
    }
    files.push(Source::new("a", rest));
    files
}

/// Every partner is known, and every collective has all its members.
pub fn check(trace: &Trace) {
    assert!(trace.num_ranks() > 0);
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
}
