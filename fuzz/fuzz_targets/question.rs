//! Takes anything for a question of ranks that run.

#![no_main]

use libfuzzer_sys::fuzz_target;
use topoloom_io::{OrderAnswer, parse_question};

fuzz_target!(|data: &[u8]| {
    let Ok(question) = parse_question("a", data) else { return };
    let ranks = question.seats.len();
    assert!(ranks > 0 && question.seats.iter().all(|seat| !seat.host.is_empty()));
    let traffic = question.neighbours.traffic(ranks as u32);
    assert_eq!(traffic.num_ranks(), ranks);
    let order = (0..ranks as u32).rev().collect();
    assert!(OrderAnswer::Order(order).content().ends_with("\nend\n"));
});
