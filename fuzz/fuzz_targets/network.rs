//! Reads anything as a network; what can be read has links that lead everywhere.

#![no_main]

use libfuzzer_sys::fuzz_target;
use topoloom_core::{Topology, Vertex};
use topoloom_io::parse_network;

fuzz_target!(|data: &[u8]| {
    // A large valid number of nodes takes gigabytes. The reader refuses only numbers above its
    // limit.
    if data.split(|byte| !byte.is_ascii_digit()).any(|digits| (5..=9).contains(&digits.len())) {
        return;
    }
    let Ok(network) = parse_network("a", data) else { return };
    let last = Vertex(network.num_nodes() as u32 - 1);
    let mut next = Vec::new();
    network.next_links(Vertex(0), last, &mut next);
    assert_eq!(next.is_empty(), last == Vertex(0));
    for id in next {
        let link = network.link(id).expect("a next link exists");
        assert_eq!(network.distance(link.to, last) + 1, network.distance(Vertex(0), last));
    }
    let pairs: u64 = network.pairs_at_distance().iter().map(|&(_, count)| count).sum();
    assert_eq!(pairs, u64::from(last.0) * (u64::from(last.0) + 1) / 2);
    assert!(network.largest_ball().last().is_none_or(|&(_, all)| all == u64::from(last.0)));
});
