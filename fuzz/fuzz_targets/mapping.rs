//! Reads anything as a mapping, as JSON or as text.

#![no_main]

use libfuzzer_sys::fuzz_target;
use topoloom_io::{mapping_json, parse_mapping};

fuzz_target!(|data: &[u8]| {
    let Ok(mapping) = parse_mapping("a", data) else { return };
    assert!(mapping.ranks() > 0);
    let again = parse_mapping("again", mapping_json(&mapping).as_bytes());
    let again = again.expect("what we write can be read");
    assert_eq!(again.node_of_rank, mapping.node_of_rank);
    assert_eq!(again.slot_of_rank, mapping.slot_of_rank);
    assert_eq!(again.seating, mapping.seating);
    assert!(mapping.slot_of_rank.is_none_or(|slots| slots.len() == mapping.node_of_rank.len()));
});
