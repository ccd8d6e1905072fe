//! FT: transposes of a distributed 3-D array; no point-to-point messages.

mod run;
mod trace;

use run::{BYTES_OF_A_POINT, Run, slices};

use super::{CLASS, GFLOPS, ITERATIONS, RANKS, collective};
use crate::registry::Entry;
use crate::spec::{Spec, SpecError};
use crate::traffic::patterns::entry::{PatternBuilder, PatternEntry};
use crate::traffic::{Group, Operation, Traffic, TrafficBuilder};

/// The pattern `ft`.
pub static ENTRY: PatternEntry = Entry {
    name: "ft",
    summary: "NPB FT: all-to-all transposes in slices; collectives only",
    example: "ft:class=A,ranks=16",
    parameters: &[CLASS, RANKS, ITERATIONS, GFLOPS],
    build: PatternBuilder { traffic: build, trace: Some(trace::trace) },
};

fn build(spec: &Spec) -> Result<Traffic, SpecError> {
    let Run { case, sides, iterations } = Run::read(spec)?;
    let (planes, iterations) = (sides[2], u64::from(iterations));
    let points: u64 = sides.into_iter().map(u64::from).product();
    let mut builder = TrafficBuilder::new(case.ranks);
    let world = Group::first(case.ranks);
    collective(&mut builder, Operation::Broadcast, &world, &[(5, 4)]);
    for group in slices(case.ranks, planes) {
        let bytes_of_a_rank = BYTES_OF_A_POINT * points / u64::from(case.ranks);
        let bytes_of_a_pair = bytes_of_a_rank / u64::from(group.size());
        let transforms = iterations + 2;
        collective(&mut builder, Operation::AllToAll, &group, &[(transforms, bytes_of_a_pair)]);
    }
    collective(&mut builder, Operation::Barrier, &world, &[(1, 0)]);
    collective(&mut builder, Operation::Reduce, &world, &[(iterations, 16)]);
    Ok(builder.build())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse_pattern;

    fn transposes(text: &str) -> Vec<(Group, u64, u64)> {
        let traffic = parse_pattern(text).unwrap();
        assert_eq!(traffic.num_flows(), 0);
        let all = traffic.collectives().iter();
        all.filter(|collective| collective.operation == Operation::AllToAll)
            .map(|collective| (collective.group.clone(), collective.calls, collective.bytes))
            .collect()
    }

    #[test]
    fn up_to_nz_ranks_transpose_together() {
        // 64^3 points of 16 bytes on 16 ranks: 2^18 bytes per rank, 2^14 per pair; 6 + 2
        // transforms.
        assert_eq!(transposes("ft:class=S,ranks=16"), [(Group::first(16), 8, 1 << 14)]);
        assert_eq!(transposes("ft:class=S,ranks=1"), []);
    }

    #[test]
    fn more_ranks_than_planes_transpose_in_slices() {
        // 128 ranks on 64 planes: 2 groups of 64 with stride 2, then 64 pairs of neighbours. 2^15
        // bytes per rank: 2^9 to each of 64, 2^14 to each of 2.
        let found = transposes("ft:class=S,ranks=128");
        assert_eq!(found.len(), 2 + 64);
        assert_eq!(found[1], (Group::Strided { first: 1, stride: 2, size: 64 }, 8, 1 << 9));
        assert_eq!(found[65], (Group::Strided { first: 126, stride: 1, size: 2 }, 8, 1 << 14));
    }
}
