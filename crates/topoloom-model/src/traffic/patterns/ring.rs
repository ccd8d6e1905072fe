//! Ranks in a ring. Each exchanges messages with the previous and the next one.

use super::entry::{PatternBuilder, PatternEntry};
use super::stencil::{BYTES, Stencil};
use crate::registry::Entry;

/// The pattern `ring`.
pub static ENTRY: PatternEntry = Entry {
    name: "ring",
    summary: "neighbours in a ring, both ways",
    example: "ring:64",
    parameters: &[BYTES],
    build: PatternBuilder {
        traffic: |spec| {
            let lengths = vec![spec.count("64")?];
            Stencil { lengths, periodic: true, moore: false }.build(spec)
        },
        trace: None,
    },
};

#[cfg(test)]
mod tests {
    use crate::parse_pattern;

    #[test]
    fn each_rank_sends_to_the_one_before_and_the_one_after() {
        let traffic = parse_pattern("ring:4,bytes=10").unwrap();
        let flows: Vec<_> =
            traffic.flows().map(|f| (f.from.0, f.to.0, f.messages, f.bytes)).collect();
        let pairs = [(0, 1), (0, 3), (1, 0), (1, 2), (2, 1), (2, 3), (3, 0), (3, 2)];
        assert_eq!(flows, pairs.map(|(from, to)| (from, to, 1.0, 10.0)));
    }

    #[test]
    fn a_ring_has_one_length() {
        let error = parse_pattern("ring:4x4").unwrap_err();
        assert_eq!(error.to_string(), "ring: expected one number such as 64, found 2 of them");
        assert_eq!(parse_pattern("ring:1").unwrap().num_flows(), 0);
        assert_eq!(parse_pattern("ring:2").unwrap().num_flows(), 2);
    }
}
