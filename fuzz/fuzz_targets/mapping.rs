//! Reads anything as a mapping, as JSON or as text.

#![no_main]

use libfuzzer_sys::fuzz_target;
use topoloom_io::parse_mapping;

fuzz_target!(|data: &[u8]| {
    let Ok(mapping) = parse_mapping("a", data) else { return };
    assert!(mapping.ranks() > 0);
    assert!(mapping.slot_of_rank.is_none_or(|slots| slots.len() == mapping.node_of_rank.len()));
});
