//! The NAS Parallel Benchmarks 3.4 (MPI): what each rank sends to each other, without running them.
//!
//! The formulas were read from the NPB 3.4 sources and agree with recorded runs. All counts are
//! those of the whole run, including the untimed warm-up step. The file `trace.rs` of each
//! benchmark has the order of its events.

mod bt_sp;
mod cg;
mod ep;
mod ft;
mod is;
mod keys;
mod lu;
mod mg;
mod multipartition;
mod pace;
mod traces;

pub use bt_sp::{BT, SP};
pub use cg::ENTRY as CG;
pub use ep::ENTRY as EP;
pub use ft::ENTRY as FT;
pub use is::ENTRY as IS;
pub use keys::KeyExchange;
pub use lu::ENTRY as LU;
pub use mg::ENTRY as MG;

use std::num::NonZeroU32;
use std::str::FromStr;

use self::pace::{GFLOPS, Pace};
use crate::budget;
use crate::registry::Parameter;
use crate::spec::{Spec, SpecError};
use crate::traffic::{Collective, Group, Operation, TrafficBuilder};
use crate::words::counted;

const CLASS: Parameter = Parameter {
    name: "class",
    default: "required",
    summary: "problem size: S, W, A, B, C, D or E",
};
const RANKS: Parameter =
    Parameter { name: "ranks", default: "required", summary: "number of MPI ranks" };
const ITERATIONS: Parameter = Parameter {
    name: "iterations",
    default: "set by the class",
    summary: "timed iterations; all counts scale with them",
};

/// A problem size. The tables have its numbers in this order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Class {
    S,
    W,
    A,
    B,
    C,
    D,
    E,
}

impl Class {
    /// The entry for this class in a table by class.
    fn of<T: Copy>(self, table: &[T; 7]) -> T {
        table[self as usize]
    }
}

impl FromStr for Class {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        match text {
            "S" => Ok(Class::S),
            "W" => Ok(Class::W),
            "A" => Ok(Class::A),
            "B" => Ok(Class::B),
            "C" => Ok(Class::C),
            "D" => Ok(Class::D),
            "E" => Ok(Class::E),
            _ => Err(()),
        }
    }
}

/// The memory of the traffic of a rank while it is made: a dozen partners, the most that most ranks
/// have.
const BYTES_OF_RANK: u64 = 600;

/// What a specification of a benchmark asks for.
#[derive(Debug)]
struct Case<'a> {
    name: &'a str,
    class: Class,
    /// At least 1.
    ranks: u32,
    /// At least 1 if given.
    iterations: Option<u32>,
    /// How fast a rank computes. Traffic does not use it.
    pace: Pace,
}

impl<'a> Case<'a> {
    fn read(spec: &'a Spec) -> Result<Self, SpecError> {
        spec.no_shape()?;
        let missing = |key: &str| {
            let name = &spec.name;
            SpecError::new(format!("{name}: {key}= is missing, as in {name}:class=C,ranks=64"))
        };
        let class = spec.get("class", "one of S, W, A, B, C, D, E")?;
        let at_least_one = "a whole number of at least 1";
        let ranks: Option<NonZeroU32> = spec.get("ranks", at_least_one)?;
        let iterations: Option<NonZeroU32> = spec.get("iterations", at_least_one)?;
        Ok(Case {
            name: &spec.name,
            class: class.ok_or_else(|| missing("class"))?,
            ranks: ranks.ok_or_else(|| missing("ranks"))?.get(),
            iterations: iterations.map(NonZeroU32::get),
            pace: Pace::read(spec)?,
        })
    }

    /// The timed iterations; `usual` unless the specification says otherwise.
    fn iterations_or(&self, usual: u32) -> u32 {
        self.iterations.unwrap_or(usual)
    }

    /// An error that names the nearest legal counts, unless the number of ranks is `legal` and at
    /// most `most`. `legal` is only called with numbers from 1 to `most`.
    fn check_ranks(
        &self,
        most: u32,
        rule: &str,
        legal: impl Fn(u32) -> bool,
    ) -> Result<(), SpecError> {
        let ranks = self.ranks;
        if ranks <= most && legal(ranks) {
            let what = format!("{} on {}", self.name, counted(ranks, "rank"));
            return Ok(budget::memory().check_items(&what, ranks.into(), BYTES_OF_RANK)?);
        }
        let below = (1..=most.min(ranks - 1)).rev().find(|&count| legal(count));
        let above = (ranks.saturating_add(1)..=most).find(|&count| legal(count));
        let nearby: Vec<String> = below.into_iter().chain(above).map(|n| n.to_string()).collect();
        let are = if ranks == 1 { "is" } else { "are" };
        let subject = format!("{} {are}", counted(ranks, "rank"));
        Err(SpecError::illegal_ranks(format!(
            "{}: {subject} not legal for class {:?} ({rule}); nearby: {}",
            self.name,
            self.class,
            nearby.join(", ")
        )))
    }
}

/// The size of part `part` when `points` are cut into `parts`, larger parts first.
fn bal(points: u64, parts: u64, part: u64) -> u64 {
    points / parts + u64::from(part < points % parts)
}

/// Adds `times` messages of `bytes` each. The product is exact below 2^53 and cannot overflow.
fn send(builder: &mut TrafficBuilder, from: u32, to: u32, times: u64, bytes: u64) {
    builder.add(from, to, times as f64, times as f64 * bytes as f64);
}

/// Adds an operation on `group` once for each (calls, bytes of a call) in `sizes`.
fn collective(
    builder: &mut TrafficBuilder,
    operation: Operation,
    group: &Group,
    sizes: &[(u64, u64)],
) {
    for &(calls, bytes) in sizes {
        let (operation, group) = (operation.clone(), group.clone());
        builder.add_collective(Collective { operation, group, calls, bytes });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse_pattern;

    fn error(text: &str) -> String {
        parse_pattern(text).expect_err(text).to_string()
    }

    #[test]
    fn the_larger_parts_come_first() {
        // 10 points in 4 parts: 3, 3, 2, 2.
        let parts: Vec<u64> = (0..4).map(|part| bal(10, 4, part)).collect();
        assert_eq!(parts, [3, 3, 2, 2]);
    }

    #[test]
    fn a_missing_or_wrong_option_is_named() {
        assert_eq!(error("lu:class=C"), "lu: ranks= is missing, as in lu:class=C,ranks=64");
        assert_eq!(error("cg:ranks=4"), "cg: class= is missing, as in cg:class=C,ranks=64");
        assert_eq!(
            error("mg:class=Z,ranks=4"),
            "mg: expected one of S, W, A, B, C, D, E for \"class\", found \"Z\""
        );
        assert_eq!(
            error("mg:class=S,ranks=0"),
            "mg: expected a whole number of at least 1 for \"ranks\", found \"0\""
        );
        assert_eq!(error("ft:64"), "ft: expected options of the form key=value, found \"64\"");
    }

    #[test]
    fn illegal_counts_are_refused_with_the_legal_ones_nearby() {
        assert_eq!(
            error("lu:class=C,ranks=7"),
            "lu: 7 ranks are not legal for class C (the process grid X x Y needs X <= 2Y and at \
             least 3 points per rank); nearby: 6, 8"
        );
        assert_eq!(
            error("is:class=D,ranks=1"),
            "is: 1 rank is not legal for class D (a power of two from 4 to 1024); nearby: 4"
        );
        assert_eq!(
            error("cg:class=A,ranks=100"),
            "cg: 100 ranks are not legal for class A (a power of two, here up to 16777216); \
             nearby: 64, 128"
        );
        // 3 points per rank: 12 / 3 = 4 ranks in a direction, so from 5 x 5 on there are too many.
        for name in ["bt", "sp"] {
            let text = error(&format!("{name}:class=S,ranks=64"));
            assert!(text.ends_with("nearby: 24"), "{text}");
        }
        for (text, nearby) in [
            ("lu:class=S,ranks=64", "nearby: 16"),
            ("mg:class=S,ranks=65536", "nearby: 65535"),
            ("mg:class=E,ranks=262144", "nearby: 262143"),
            ("ft:class=S,ranks=6", "nearby: 4, 8"),
            ("ft:class=W,ranks=2048", "nearby: 1024"),
            ("is:class=S,ranks=256", "nearby: 128"),
            ("ep:class=S,ranks=257", "nearby: 256"),
        ] {
            assert!(error(text).ends_with(nearby), "{}", error(text));
        }
    }

    #[test]
    fn a_huge_number_of_ranks_is_refused_not_tried() {
        for name in ["lu", "bt", "sp", "cg", "mg", "ft", "is", "ep"] {
            for ranks in [u32::MAX, u32::MAX - 1, 1 << 31] {
                let text = error(&format!("{name}:class=E,ranks={ranks}"));
                assert!(text.contains("are not legal for class E"), "{text}");
            }
        }
    }

    #[test]
    fn one_rank_sends_nothing_point_to_point() {
        for name in ["lu", "bt", "sp", "cg", "mg", "ft", "is", "ep"] {
            let traffic = parse_pattern(&format!("{name}:class=S,ranks=1")).unwrap();
            assert_eq!(traffic.num_flows(), 0, "{name}");
        }
    }

    #[test]
    fn the_largest_number_of_iterations_does_not_overflow() {
        for name in ["lu", "bt", "sp", "cg", "mg", "ft"] {
            let text = format!("{name}:class=E,ranks=16,iterations={}", u32::MAX);
            let traffic = parse_pattern(&text).unwrap();
            assert!(traffic.flows().all(|flow| flow.bytes.is_finite()), "{name}");
        }
    }
}
