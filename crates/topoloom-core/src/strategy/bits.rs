//! Bits of the rank become bits of the place.
//!
//! Collectives, transposes and many solvers send between ranks whose numbers differ in few bits. If
//! each bit of a rank adds a fixed pattern of bits to its place (a linear map over the field of two
//! elements), then all pairs of ranks that differ alike have patterns that differ alike. There are
//! few such maps: a local search over them sees structure that a search rank by rank cannot. Along a side of a box,
//! patterns are numbers of the reflected Gray code (F. Gray, 1953), so one bit is one hop where the
//! code has its steps.

use std::sync::Arc;

use super::definition::{NotApplicable, Strategy};
use super::entry::StrategyEntry;
use crate::effort::Effort;
use crate::machine::Machine;
use crate::mapping::Mapping;
use crate::objective::{HopBytes, Objective};
use crate::problem::Problem;
use crate::random::{self, Stream};
use crate::run::Run;

/// The registry's entry.
pub static ENTRY: StrategyEntry = StrategyEntry {
    name: "bits",
    summary: "each bit of the rank adds bits to its place, for collectives and transposes",
    example: "bits",
    parameters: &[],
    build: |spec| {
        spec.no_shape()?;
        Ok(Arc::new(Bits))
    },
};

/// Bits of the rank become bits of the place.
#[derive(Debug, Clone, Copy)]
pub struct Bits;

/// With more slots, one cost takes too long to try hundreds.
const MOST_SLOTS: usize = 1 << 16;

/// With fewer maps to judge, almost no step of the search is examined.
const LEAST_MAPS: u64 = 64;

/// Starts in a row without a better map before the search gives up.
const PATIENCE: u64 = 6;

/// How many times longer one cost takes than hop-bytes: if it is another one, and if it needs the
/// loads of links.
const OTHER_COST: u64 = 8;
const COST_OF_LINKS: u64 = 64;

/// The number of the random stream of first maps.
const STARTS: u64 = 0x6269_7473;

/// How many first maps an effort tries, and how many pairs, ranks and slots it may look at for all.
fn budget(effort: Effort) -> (u64, u64) {
    match effort {
        Effort::Fast => (4, 2_000_000),
        Effort::Eco => (24, 10_000_000),
        Effort::Strong | Effort::Extreme => (100, 200_000_000),
    }
}

/// How many maps an effort may judge.
fn maps(problem: &Problem, objective: &dyn Objective, effort: Effort) -> u64 {
    let of_one = problem.graph().num_pairs() + problem.num_ranks() + problem.num_slots();
    let of_one = of_one as u64
        * match () {
            () if objective.is_hop_bytes() => 1,
            () if objective.needs_links() => COST_OF_LINKS,
            () => OTHER_COST,
        };
    budget(effort).1 / of_one
}

impl Bits {
    /// Whether a search for hop-bytes is possible, and an effort can afford it.
    pub(crate) fn is_worthwhile(
        problem: &Problem,
        objective: &dyn Objective,
        effort: Effort,
    ) -> bool {
        let affordable = || maps(problem, objective, effort) >= LEAST_MAPS;
        objective.is_hop_bytes() && Bits::suits(problem) && affordable()
    }

    /// Whether numbers of ranks and slots are made of bits.
    fn suits(problem: &Problem) -> bool {
        let (ranks, slots) = (problem.num_ranks(), problem.num_slots());
        let in_bits = ranks.is_power_of_two() && slots.is_power_of_two();
        in_bits && ranks > 2 && ranks <= slots && slots <= MOST_SLOTS
    }
}

impl Strategy for Bits {
    fn map(
        &self,
        problem: &Problem,
        objective: Option<&dyn Objective>,
        run: &mut Run,
    ) -> Result<Mapping, NotApplicable> {
        if !Bits::suits(problem) {
            return Err(NotApplicable(format!(
                "the numbers of ranks and of slots must be powers of two, more than two ranks on \
                 at most {MOST_SLOTS} slots; there are {} and {}",
                problem.num_ranks(),
                problem.num_slots()
            )));
        }
        let objective = objective.unwrap_or(&HopBytes);
        let place_of = places(problem.machine());
        let left = maps(problem, objective, run.effort()).max(1);
        let mut search = Search { problem, objective, place_of: &place_of, left };
        let bits_of_rank = problem.num_ranks().ilog2();
        let bits_of_place = problem.num_slots().ilog2();
        let in_order = in_order(bits_of_rank, &place_of);
        let mut best = (search.cost(&in_order, run), in_order);
        let mut stale = 0;
        for start in 0..budget(run.effort()).0 {
            if search.left == 0 || stale == PATIENCE || run.must_stop() {
                break;
            }
            run.progress("bits", start, budget(run.effort()).0);
            run.found(best.0);
            let patterns = match start {
                0 => best.1.clone(),
                1 => (0..bits_of_rank).map(|bit| 1 << bit).collect(),
                _ => {
                    let mut rng = random::stream(run.seed(), &[STARTS, start]);
                    independent(bits_of_rank, bits_of_place, &mut rng)
                }
            };
            let cost = search.cost(&patterns, run);
            let found = search.descend(patterns, cost, bits_of_place, run);
            stale += 1;
            if found.0 < best.0 {
                (best, stale) = (found, 0);
            }
        }
        Ok(search.mapping(&best.1))
    }
}

/// The slot of each pattern of bits. On a box, neighbours along a side have patterns that differ in
/// one bit; elsewhere, patterns are the numbers of slots. This changes where a search starts and
/// which maps are one step apart, not which maps there are.
fn places(machine: &Machine) -> Vec<u32> {
    let slots = machine.num_slots() as u32;
    let per_node = machine.slots_per_node();
    let Some(lengths) = machine.topology().grid_lengths() else { return (0..slots).collect() };
    let slot = |pattern: u32| {
        let (mut rest, mut node, mut stride) = (pattern / per_node, 0, 1);
        for &length in lengths {
            node += stride * gray_position(rest % length);
            rest /= length;
            stride *= length;
        }
        node * per_node + pattern % per_node
    };
    (0..slots).map(slot).collect()
}

/// The patterns that put each rank into the slot of its number.
fn in_order(bits_of_rank: u32, place_of: &[u32]) -> Vec<u32> {
    let mut pattern_of = vec![0; place_of.len()];
    for (pattern, &place) in (0..).zip(place_of) {
        pattern_of[place as usize] = pattern;
    }
    (0..bits_of_rank).map(|bit| pattern_of[1 << bit]).collect()
}

/// Where a pattern stands in the reflected Gray code.
fn gray_position(pattern: u32) -> u32 {
    let (mut position, mut rest) = (0, pattern);
    while rest > 0 {
        position ^= rest;
        rest >>= 1;
    }
    position
}

/// Random patterns, none of which is a sum of others.
fn independent(count: u32, places: u32, rng: &mut Stream) -> Vec<u32> {
    let mut patterns = Vec::new();
    // Sums of those that came before, no two with the same highest bit.
    let mut reduced: Vec<u32> = Vec::new();
    while patterns.len() < count as usize {
        let pattern = random::below(rng, 1 << places);
        let rest = reduced.iter().fold(pattern, |rest, &other| rest.min(rest ^ other));
        if rest > 0 {
            patterns.push(pattern);
            reduced.push(rest);
            reduced.sort_unstable_by(|a, b| b.cmp(a));
        }
    }
    patterns
}

/// A change of a map that keeps different ranks at different places.
#[derive(Clone, Copy)]
enum Step {
    /// The first bit of the rank also adds what the second one adds.
    Add(usize, usize),
    /// Two bits of the rank change roles.
    Exchange(usize, usize),
    /// Places with the first bit also get the second one changed.
    Slant(u32, u32),
    /// Two bits of the place change roles.
    Turn(u32, u32),
}

impl Step {
    /// All steps for maps of this many bits to that many.
    fn all(ranks: u32, places: u32) -> Vec<Step> {
        let mut steps = Vec::new();
        for a in 0..ranks as usize {
            for b in (0..ranks as usize).filter(|&b| b != a) {
                steps.push(Step::Add(a, b));
                if a < b {
                    steps.push(Step::Exchange(a, b));
                }
            }
        }
        for a in 0..places {
            for b in (0..places).filter(|&b| b != a) {
                steps.push(Step::Slant(a, b));
                if a < b {
                    steps.push(Step::Turn(a, b));
                }
            }
        }
        steps
    }

    fn taken(self, patterns: &[u32]) -> Vec<u32> {
        let mut patterns = patterns.to_vec();
        match self {
            Step::Add(a, b) => patterns[a] ^= patterns[b],
            Step::Exchange(a, b) => patterns.swap(a, b),
            Step::Slant(a, b) => {
                patterns.iter_mut().for_each(|pattern| *pattern ^= (*pattern >> a & 1) << b);
            }
            Step::Turn(a, b) => patterns.iter_mut().for_each(|pattern| {
                let differ = (*pattern >> a ^ *pattern >> b) & 1;
                *pattern ^= differ << a | differ << b;
            }),
        }
        patterns
    }
}

struct Search<'a> {
    problem: &'a Problem,
    objective: &'a dyn Objective,
    place_of: &'a [u32],
    /// Maps that may still be judged.
    left: u64,
}

impl Search<'_> {
    /// Takes the steps that gain, until none does or the work is done.
    fn descend(
        &mut self,
        mut patterns: Vec<u32>,
        mut cost: f64,
        places: u32,
        run: &mut Run,
    ) -> (f64, Vec<u32>) {
        let steps = Step::all(patterns.len() as u32, places);
        // Around all steps again and again, from the one after the last gain.
        let mut without_gain = 0;
        for &step in steps.iter().cycle() {
            if without_gain == steps.len() || self.left == 0 || run.must_stop() {
                break;
            }
            without_gain += 1;
            let changed = step.taken(&patterns);
            let now = self.cost(&changed, run);
            if now < cost {
                (patterns, cost) = (changed, now);
                without_gain = 0;
            }
        }
        (cost, patterns)
    }

    fn cost(&mut self, patterns: &[u32], run: &mut Run) -> f64 {
        self.left = self.left.saturating_sub(1);
        run.count(1);
        self.objective.cost(self.problem, &self.mapping(patterns))
    }

    fn mapping(&self, patterns: &[u32]) -> Mapping {
        let mut sum = vec![0u32; self.problem.num_ranks()];
        for rank in 1..sum.len() {
            // All bits but the lowest, and the lowest.
            sum[rank] = sum[rank & (rank - 1)] ^ patterns[rank.trailing_zeros() as usize];
        }
        let slots = sum.into_iter().map(|place| self.place_of[place as usize]).collect();
        self.problem.mapping(slots).expect("patterns are independent: each place is taken once")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Traffic, TrafficBuilder, Weight, parse_pattern};

    fn problem(traffic: Traffic, machine: &str) -> Problem {
        Problem::new(traffic, Machine::parse(machine).unwrap(), Weight::Bytes).unwrap()
    }

    fn cost(problem: &Problem) -> f64 {
        let mapping = Bits.map(problem, None, &mut Run::new(1)).unwrap();
        HopBytes.cost(problem, &mapping)
    }

    /// Each rank sends a byte to those whose number differs in one bit.
    fn one_bit(ranks: u32) -> Traffic {
        let mut builder = TrafficBuilder::new(ranks);
        for rank in 0..ranks {
            (0..ranks.ilog2()).for_each(|bit| builder.add(rank, rank ^ 1 << bit, 1.0, 1.0));
        }
        builder.build()
    }

    #[test]
    fn ranks_that_differ_in_a_bit_are_neighbours_on_tori_of_four() {
        // A ring of four is a square: two bits of a side are two neighbours in the Gray code.
        assert_eq!(cost(&problem(one_bit(64), "torus:4x4x4")), 64.0 * 6.0);
        assert_eq!(cost(&problem(one_bit(16), "hypercube:4")), 16.0 * 4.0);
    }

    #[test]
    fn both_ends_of_a_transpose_come_close() {
        // Rank (i, j) sends to (j, i), and i + j (as bits) says in which bits of the place the two
        // differ. Of its three values, two can be one hop, and the third is their sum, two hops. Four
        // ranks have each value.
        let mut builder = TrafficBuilder::new(16);
        (0..16).for_each(|rank| builder.add(rank, rank % 4 * 4 + rank / 4, 1.0, 1.0));
        assert_eq!(cost(&problem(builder.build(), "torus:4x4")), 4.0 * (1.0 + 1.0 + 2.0));
    }

    #[test]
    fn fewer_ranks_than_slots_are_spread_over_a_part() {
        // Sixteen ranks of a hypercube on half of the torus.
        let found = cost(&problem(one_bit(16), "torus:4x4x2"));
        assert_eq!(found, 16.0 * 4.0);
    }

    #[test]
    fn ranks_in_order_are_a_map_of_bits() {
        for machine in
            ["torus:4x4x2", "mesh:8x4,slots=2", "tree:2:4:4,distances=1:2:3", "hypercube:6"]
        {
            let problem = problem(parse_pattern("ring:16").unwrap(), machine);
            let place_of = places(problem.machine());
            let patterns = in_order(4, &place_of);
            let search =
                Search { problem: &problem, objective: &HopBytes, place_of: &place_of, left: 0 };
            let slots: Vec<u32> = (0..16).collect();
            assert_eq!(search.mapping(&patterns).slots(), slots, "{machine}");
        }
    }

    #[test]
    fn steps_keep_ranks_apart() {
        let mut rng = random::stream(1, &[]);
        for seed in 0..20 {
            let mut patterns = independent(4, 6, &mut rng);
            for &step in Step::all(4, 6).iter().skip(seed) {
                patterns = step.taken(&patterns);
                let problem = problem(parse_pattern("ring:16").unwrap(), "mesh:4x4x4");
                let place_of = places(problem.machine());
                let search = Search {
                    problem: &problem,
                    objective: &HopBytes,
                    place_of: &place_of,
                    left: 0,
                };
                // It would panic if two ranks met.
                assert_eq!(search.mapping(&patterns).slots().len(), 16);
            }
        }
    }

    #[test]
    fn the_code_visits_every_place_once_in_steps_of_one_bit() {
        let position: Vec<u32> = (0..16).map(gray_position).collect();
        let mut pattern = [0u32; 16];
        (0..16).for_each(|at| pattern[position[at as usize] as usize] = at);
        assert!(pattern.windows(2).all(|two| (two[0] ^ two[1]).count_ones() == 1));
    }

    #[test]
    fn other_numbers_are_refused() {
        let refused = |ranks: &str, machine: &str| {
            let problem = problem(parse_pattern(ranks).unwrap(), machine);
            Bits.map(&problem, None, &mut Run::new(1)).unwrap_err().to_string()
        };
        let message = refused("ring:12", "torus:4x4");
        assert!(message.contains("powers of two") && message.contains("12 and 16"), "{message}");
        assert!(refused("ring:8", "torus:3x3").contains("8 and 9"));
    }
}
