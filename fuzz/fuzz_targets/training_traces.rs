//! Reads anything as traces of training jobs: of PyTorch, Chakra or GOAL.
//!
//! The first byte picks the name's ending, the rest is the file. Chakra's files may be several, with a
//! line of equals signs between them.

#![no_main]

use libfuzzer_sys::fuzz_target;
use topoloom_core::{Traffic, Weight};
use topoloom_io::{Source, parse_chakra, parse_traffic};

const BETWEEN: &[u8] = b"\n====\n";

fuzz_target!(|data: &[u8]| {
    let Some((&choice, file)) = data.split_first() else { return };
    match choice % 3 {
        0 => check(parse_traffic("a.0.json", file, Weight::Bytes).ok()),
        1 => check(parse_traffic("a.goal", file, Weight::Bytes).ok()),
        _ => {
            let files = files(file);
            let files: Vec<Source<'_>> =
                files.into_iter().map(|file| Source::new("a", file)).collect();
            check(parse_chakra(&files).ok().map(|(traffic, _)| traffic));
        }
    }
});

/// Groups have members that exist, and numbers are finite.
fn check(traffic: Option<Traffic>) {
    let Some(traffic) = traffic else { return };
    assert!(traffic.total(Weight::Bytes).is_finite() && traffic.total(Weight::Messages).is_finite());
    let Some(step) = traffic.step() else { return };
    assert_eq!(step.ranks as usize, traffic.num_ranks());
    assert!(step.ranks_per_node > 0);
    for kind in &step.kinds {
        assert_eq!(kind.groups.len(), kind.list_of_group.len());
        assert!(kind.bytes().is_finite());
        for (number, group) in kind.groups.iter().enumerate() {
            assert!((0..group.size()).all(|member| group.member(member) < step.ranks));
            assert!(kind.calls(number).iter().all(|call| call.times >= 0.0 && call.bytes >= 0.0));
        }
    }
}

/// The files of all ranks.
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
