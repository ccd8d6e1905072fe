//! Everyone sends one message to everyone else.

use super::entry::{PatternBuilder, PatternEntry};
use super::stencil::{BYTES, check_size, message_bytes};
use crate::registry::Entry;
use crate::spec::{Spec, SpecError};
use crate::traffic::{Traffic, TrafficBuilder};

/// The pattern `all-to-all`.
pub static ENTRY: PatternEntry = Entry {
    name: "all-to-all",
    summary: "one message for each ordered pair of ranks",
    example: "all-to-all:64",
    parameters: &[BYTES],
    build: PatternBuilder { traffic: build, trace: None },
};

fn build(spec: &Spec) -> Result<Traffic, SpecError> {
    let ranks = spec.count("64")?;
    let bytes = message_bytes(spec)?;
    let flows = u64::from(ranks) * u64::from(ranks - 1);
    check_size(spec, u64::from(ranks), flows)?;
    let mut builder = TrafficBuilder::with_capacity(ranks, flows as usize);
    for from in 0..ranks {
        for to in (0..ranks).filter(|&to| to != from) {
            builder.add(from, to, 1.0, bytes);
        }
    }
    Ok(builder.build())
}

#[cfg(test)]
mod tests {
    use crate::{Weight, parse_pattern};

    #[test]
    fn everyone_sends_to_everyone_else_once() {
        // 5 x 4 ordered pairs.
        let traffic = parse_pattern("all-to-all:5,bytes=3").unwrap();
        assert_eq!(traffic.num_flows(), 20);
        assert_eq!(traffic.total(Weight::Messages), 20.0);
        assert_eq!(traffic.total(Weight::Bytes), 60.0);
        assert!(traffic.flows().all(|flow| flow.from != flow.to));
    }

    #[test]
    fn too_many_pairs_are_refused() {
        let error = parse_pattern("all-to-all:100000").unwrap_err();
        assert_eq!(
            error.to_string(),
            "all-to-all: expected at most 536870912 pairs that exchange, found 9999900000"
        );
        assert!(parse_pattern("all-to-all:4294967295").is_err());
        assert_eq!(parse_pattern("all-to-all:1").unwrap().num_flows(), 0);
    }
}
