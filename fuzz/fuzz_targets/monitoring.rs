//! Reads anything as Open MPI's monitoring.

#![no_main]

use libfuzzer_sys::fuzz_target;
use topoloom_core::Weight;
use topoloom_io::{Source, parse_monitoring};

const BETWEEN: &[u8] = b"\n====\n";

fuzz_target!(|data: &[u8]| {
    let files: Vec<Source<'_>> = files(data).into_iter().map(|file| Source::new("a", file)).collect();
    let Ok((traffic, warnings)) = parse_monitoring(&files) else { return };
    assert_eq!(traffic.num_ranks(), files.len());
    assert!(traffic.total(Weight::Bytes).is_finite() && traffic.total(Weight::Messages).is_finite());
    assert!(!warnings.is_empty());
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
