//! A random graph with a given average degree.

use std::num::NonZeroU32;

use super::entry::{PatternBuilder, PatternEntry};
use super::stencil::{BYTES, check_size, message_bytes};
use crate::random::{Stream, below, stream};
use crate::registry::{Entry, Parameter};
use crate::spec::{Spec, SpecError};
use crate::traffic::{Traffic, TrafficBuilder};

/// The pattern `random`.
pub static ENTRY: PatternEntry = Entry {
    name: "random",
    summary: "a random undirected graph with ranks x degree / 2 edges, both ways",
    example: "random:ranks=1000,degree=8,seed=1",
    parameters: &[
        Parameter { name: "ranks", default: "required", summary: "number of ranks" },
        Parameter { name: "degree", default: "8", summary: "average number of partners" },
        Parameter { name: "seed", default: "1", summary: "random seed" },
        BYTES,
    ],
    build: PatternBuilder { traffic: build, trace: None },
};

fn build(spec: &Spec) -> Result<Traffic, SpecError> {
    spec.no_shape()?;
    let ranks: Option<NonZeroU32> = spec.get("ranks", "a whole number of at least 1")?;
    let degree: u32 = spec.get("degree", "a whole number")?.unwrap_or(8);
    let seed: u64 = spec.get("seed", "a whole number")?.unwrap_or(1);
    let bytes = message_bytes(spec)?;
    let Some(ranks) = ranks.map(NonZeroU32::get) else {
        return Err(SpecError::new(format!(
            "{}: ranks= is missing, as in random:ranks=1000,degree=8",
            spec.name
        )));
    };
    if degree > ranks - 1 {
        return Err(SpecError::new(format!(
            "{}: degree {degree} is too large for ranks={ranks}; the largest is {}",
            spec.name,
            ranks - 1
        )));
    }
    let edges = u64::from(ranks) * u64::from(degree) / 2;
    check_size(spec, u64::from(ranks), 2 * edges)?;

    let mut builder = TrafficBuilder::with_capacity(ranks, 2 * edges as usize);
    for (a, b) in random_edges(&mut stream(seed, &[]), ranks, edges) {
        builder.add_both_ways(a, b, 1.0, bytes);
    }
    Ok(builder.build())
}

/// `edges` distinct pairs (lower, higher), in rising order. All sets of that size are equally
/// likely.
fn random_edges(rng: &mut Stream, ranks: u32, edges: u64) -> Vec<(u32, u32)> {
    let all = u64::from(ranks) * u64::from(ranks - 1) / 2;
    if edges <= all / 2 {
        return draw_distinct(rng, ranks, edges as usize);
    }
    // In a dense graph nearly every draw would hit an existing edge, so the missing edges are
    // drawn.
    let missing = draw_distinct(rng, ranks, (all - edges) as usize);
    let mut missing = missing.into_iter().peekable();
    let pairs = (0..ranks).flat_map(|a| (a + 1..ranks).map(move |b| (a, b)));
    pairs.filter(|pair| missing.next_if_eq(pair).is_none()).collect()
}

/// Draws until there are `edges` different ones, which may be at most half of all. No round can
/// draw too many, so the result is as if each draw had been checked at once. Sorting is faster than
/// a hash table.
fn draw_distinct(rng: &mut Stream, ranks: u32, edges: usize) -> Vec<(u32, u32)> {
    let mut found = Vec::with_capacity(edges);
    while found.len() < edges {
        for _ in found.len()..edges {
            let a = below(rng, ranks);
            let other = below(rng, ranks - 1);
            let b = if other < a { other } else { other + 1 };
            found.push((a.min(b), a.max(b)));
        }
        // This sort is made for sorted runs. All entries except the newest form one.
        found.sort_by_key(|&(a, b)| u64::from(a) << 32 | u64::from(b));
        found.dedup();
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Rank, parse_pattern};

    #[test]
    fn the_graph_has_exactly_the_edges_asked_for_both_ways() {
        // From empty through sparse and dense to complete; 7 x 3 / 2 is rounded down.
        for (ranks, degree, edges) in
            [(1, 0, 0), (7, 3, 10), (100, 8, 400), (100, 90, 4500), (100, 99, 4950)]
        {
            let traffic = parse_pattern(&format!("random:ranks={ranks},degree={degree}")).unwrap();
            assert_eq!(traffic.num_flows(), 2 * edges, "{ranks} ranks, degree {degree}");
            for flow in traffic.flows() {
                assert_ne!(flow.from, flow.to);
                assert_eq!((flow.messages, flow.bytes), (1.0, 1.0));
                assert!(traffic.flows_from(flow.to).any(|back| back.to == flow.from));
            }
        }
    }

    #[test]
    fn the_seed_alone_decides() {
        let graph = |seed| parse_pattern(&format!("random:ranks=50,degree=4,seed={seed}")).unwrap();
        assert_eq!(graph(1), graph(1));
        assert_ne!(graph(1), graph(2));
    }

    #[test]
    fn every_edge_is_about_equally_likely() {
        // 3 of 10 possible edges in each of 2000 graphs: each edge is expected 600 times, with a
        // standard deviation of sqrt(2000 x 0.3 x 0.7) = 20.5.
        let mut times = [0u32; 25];
        for seed in 0..2000 {
            for (a, b) in random_edges(&mut stream(seed, &[]), 5, 3) {
                times[(a * 5 + b) as usize] += 1;
            }
        }
        let drawn: Vec<u32> = times.into_iter().filter(|&count| count > 0).collect();
        assert_eq!(drawn.len(), 10);
        assert!(drawn.iter().all(|&count| count.abs_diff(600) < 100), "{drawn:?}");
    }

    #[test]
    fn a_million_ranks_are_no_trouble() {
        let traffic = parse_pattern("random:ranks=1048576,degree=8,seed=1").unwrap();
        assert_eq!(traffic.num_flows(), 8 << 20);
        assert!(traffic.flows_from(Rank(1_048_575)).count() < 40);
    }

    #[test]
    fn a_degree_without_enough_partners_is_refused() {
        let error = |text| parse_pattern(text).unwrap_err().to_string();
        assert_eq!(
            error("random:ranks=8,degree=8"),
            "random: degree 8 is too large for ranks=8; the largest is 7"
        );
        assert_eq!(
            error("random:degree=8"),
            "random: ranks= is missing, as in random:ranks=1000,degree=8"
        );
        assert!(error("random:ranks=4294967295,degree=0").contains("at most 268435456 ranks"));
    }
}
