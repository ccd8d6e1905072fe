//! Orders of the machine's dimensions: ranks run through one dimension, then the next, as with the
//! launchers of Blue Gene (`ABCDET`) and Cray.

use std::sync::Arc;

use rayon::prelude::*;

use super::definition::{NotApplicable, Strategy};
use super::dimensions::Dimensions;
use super::entry::StrategyEntry;
use crate::clock::Clock;
use crate::ids::Vertex;
use crate::mapping::Mapping;
use crate::objective::{HopBytes, Objective};
use crate::problem::Problem;
use crate::registry::Parameter;
use crate::run::Run;
use crate::spec::{Spec, SpecError};

/// The registry's entry.
pub static ENTRY: StrategyEntry = StrategyEntry {
    name: "permute",
    summary: "runs through the dimensions in the given order, last letter fastest, or in the best",
    example: "permute:ABCDET",
    parameters: &[Parameter {
        name: "snake",
        default: "off: every row from its start; both are tried if no order is given",
        summary: "rows alternately forwards and backwards",
    }],
    build: |spec| Ok(Arc::new(Permute::from_spec(spec)?)),
};

/// With more dimensions only some orders are tried: 7! = 5040.
const MOST_DIMENSIONS: usize = 7;

/// Pairs examined, or links crossed, for all orders together. Beyond this, only some orders are
/// tried.
const MOST_WORK: u64 = 200_000_000;

/// Pairs whose routes are sampled for the average number of links per pair.
const SAMPLED_PAIRS: usize = 256;

/// Orders between two checks of the clock.
const BATCH: usize = 16;

/// Ranks run through the dimensions of the machine in some order.
#[derive(Debug, Clone)]
pub struct Permute {
    /// Letters, the slowest dimension first; `None` to use the best order under the objective.
    pub order: Option<String>,
    /// Whether every second line is walked backwards.
    pub snake: bool,
}

impl Permute {
    /// The best order under the objective.
    pub(crate) fn best() -> Permute {
        Permute { order: None, snake: false }
    }

    fn from_spec(spec: &Spec) -> Result<Permute, SpecError> {
        // Without letters, the word itself stands in their place.
        if spec.shape.as_deref() == Some("snake") {
            return Ok(Permute { order: None, snake: true });
        }
        let snake = spec.flag("snake")?;
        if let Some(shape) = &spec.shape {
            let mut letters: Vec<char> = shape.to_lowercase().chars().collect();
            letters.sort_unstable();
            let repeated = letters.windows(2).any(|pair| pair[0] == pair[1]);
            if repeated || !letters.iter().all(char::is_ascii_lowercase) {
                return Err(SpecError::new(format!(
                    "permute: expected each letter once, such as zyxt or ABCDET, found \"{shape}\""
                )));
            }
        }
        Ok(Permute { order: spec.shape.as_ref().map(|shape| shape.to_lowercase()), snake })
    }
}

impl Strategy for Permute {
    fn map(
        &self,
        problem: &Problem,
        objective: Option<&dyn Objective>,
        run: &mut Run,
    ) -> Result<Mapping, NotApplicable> {
        let (mapping, found) = self.map_and_name(problem, objective, run)?;
        if self.order.is_none() {
            run.note(found);
        }
        Ok(mapping)
    }
}

impl Permute {
    /// The mapping, and the specification of this strategy with the order that was used.
    pub(crate) fn map_and_name(
        &self,
        problem: &Problem,
        objective: Option<&dyn Objective>,
        run: &mut Run,
    ) -> Result<(Mapping, String), NotApplicable> {
        let dimensions = Dimensions::of(problem.machine())?;
        let named = |order: &[usize], snake: bool| {
            let slots = dimensions.walk(order, snake).take(problem.num_ranks()).collect();
            let mapping =
                Mapping::new(slots, problem.machine()).expect("a walk visits each slot once");
            let snaking = if snake { ",snake" } else { "" };
            (mapping, format!("permute:{}{snaking}", dimensions.name(order)))
        };
        if let Some(letters) = &self.order {
            return Ok(named(&dimensions.order(letters)?, self.snake));
        }
        let objective = objective.unwrap_or(&HopBytes);
        let ways: &[bool] = if self.snake { &[true] } else { &[false, true] };
        let most = MOST_WORK / work_of_a_look(problem, objective) / ways.len() as u64;
        let orders = orders(&dimensions.lengths, usize::try_from(most).unwrap_or(usize::MAX));
        let candidates: Vec<(&[usize], bool)> = orders
            .iter()
            .flat_map(|order| ways.iter().map(move |&snake| (order.as_slice(), snake)))
            .collect();
        let best = best_of(problem, objective, &dimensions, &candidates, run);
        let (order, snake) = candidates[best];
        Ok(named(order, snake))
    }
}

/// The position of the cheapest candidate, among equals, the first.
fn best_of(
    problem: &Problem,
    objective: &dyn Objective,
    dimensions: &Dimensions,
    candidates: &[(&[usize], bool)],
    run: &mut Run,
) -> usize {
    let in_order: Vec<u32> = (0..problem.num_ranks() as u32).collect();
    let start = Mapping::new(in_order, problem.machine()).expect("there are slots for all ranks");
    let affordable = usize::try_from(run.evaluations_left()).unwrap_or(usize::MAX).max(1);
    let candidates = &candidates[..candidates.len().min(affordable)];
    let mut best = (f64::INFINITY, 0);
    if run.out_of_time() {
        return best.1;
    }
    for (number, batch) in candidates.chunks(BATCH).enumerate() {
        if number > 0 && run.must_stop() {
            break;
        }
        let clock = Clock::new(run);
        let costs: Vec<f64> = batch
            .par_iter()
            .map_init(
                || None,
                |tracker, (order, snake)| {
                    if clock.is_over() {
                        return f64::INFINITY;
                    }
                    let tracker = tracker.get_or_insert_with(|| objective.track(problem, &start));
                    tracker.reset(&dimensions.walk(order, *snake).collect::<Vec<u32>>())
                },
            )
            .collect();
        let was_cut_short = clock.rang();
        run.spend(batch.len() as u64);
        if was_cut_short {
            run.cut_short();
        }
        for (at, cost) in costs.into_iter().enumerate() {
            if cost < best.0 {
                best = (cost, number * BATCH + at);
            }
        }
        let done = candidates.len().min((number + 1) * BATCH);
        run.progress("orders of dimensions", done as u64, candidates.len() as u64);
        run.found(best.0);
    }
    best.1
}

/// The approximate number of pairs and, if the objective needs routes, links that one evaluation
/// visits.
fn work_of_a_look(problem: &Problem, objective: &dyn Objective) -> u64 {
    let pairs = problem.graph().num_pairs();
    if !objective.needs_links() || pairs == 0 {
        return pairs.max(1) as u64;
    }
    let machine = problem.machine();
    let slots = machine.slots_per_node();
    let (mut sampled, mut crossed) = (0u64, 0u64);
    for (a, b, _) in problem.graph().pairs().step_by(pairs.div_ceil(SAMPLED_PAIRS)) {
        let (from, to) = (Vertex(a / slots), Vertex(b / slots));
        machine.routing().route(machine.topology(), from, to, &mut |_, _| crossed += 1);
        sampled += 1;
    }
    // Both directions.
    pairs as u64 * (1 + 2 * crossed / sampled)
}

/// Every order of the dimensions longer than 1, or some of them if there are more than `most`.
fn orders(lengths: &[u32], most: usize) -> Vec<Vec<usize>> {
    let long: Vec<usize> = (0..lengths.len()).filter(|&dimension| lengths[dimension] > 1).collect();
    let mut some = Vec::new();
    // The walk forwards and backwards starting with each dimension.
    for first in 0..long.len().max(1) {
        let mut order = long.clone();
        order.rotate_left(first);
        some.push(order.clone());
        order.reverse();
        some.push(order);
    }
    if long.len() > MOST_DIMENSIONS || most <= some.len() {
        return some;
    }
    let mut all = Vec::new();
    all_orders(&mut long.clone(), 0, &mut all);
    if all.len() <= most {
        return all;
    }
    // The rest are spread over the list: neighbours in it differ only in the fastest dimensions.
    let step = all.len().div_ceil(most - some.len());
    let rest: Vec<_> = all.into_iter().step_by(step).filter(|o| !some.contains(o)).collect();
    some.extend(rest);
    some
}

fn all_orders(order: &mut Vec<usize>, settled: usize, orders: &mut Vec<Vec<usize>>) {
    if settled + 1 >= order.len() {
        return orders.push(order.clone());
    }
    for next in settled..order.len() {
        order.swap(settled, next);
        all_orders(order, settled + 1, orders);
        order.swap(settled, next);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Machine, Weight, parse_objective, parse_pattern, parse_strategy};

    fn slots(strategy: &str, traffic: &str, machine: &str) -> Result<Vec<u32>, NotApplicable> {
        let machine = Machine::parse(machine).unwrap();
        let problem =
            Problem::new(parse_pattern(traffic).unwrap(), machine, Weight::Bytes).unwrap();
        let strategy = parse_strategy(strategy).unwrap();
        Ok(strategy.map(&problem, None, &mut Run::new(1))?.slots().to_vec())
    }

    #[test]
    fn the_last_letter_is_the_fastest() {
        // Node x + 2y, two slots per node: slot t + 2x + 4y.
        let slots = |strategy| slots(strategy, "ring:12", "mesh:2x3,slots=2").unwrap();
        assert_eq!(slots("permute:yxt"), (0..12).collect::<Vec<_>>());
        assert_eq!(slots("permute:xyt"), [0, 1, 4, 5, 8, 9, 2, 3, 6, 7, 10, 11]);
        assert_eq!(slots("permute:tyx"), [0, 2, 4, 6, 8, 10, 1, 3, 5, 7, 9, 11]);
        assert_eq!(slots("permute:TYX"), slots("permute:tba"));
        // Slots that are not named are fastest.
        assert_eq!(slots("permute:xy"), slots("permute:xyt"));
        // Back and forth in y and t.
        assert_eq!(slots("permute:xyt,snake"), [0, 1, 5, 4, 8, 9, 11, 10, 6, 7, 3, 2]);
    }

    #[test]
    fn blue_gene_letters_name_five_dimensions() {
        let found = slots("permute:TEDCBA", "ring:64", "torus:2x2x2x2x2,slots=2").unwrap();
        // A is fastest: every second slot, all nodes before any second slot.
        assert_eq!(found, (0..64).map(|rank| rank % 32 * 2 + rank / 32).collect::<Vec<u32>>());
    }

    #[test]
    fn letters_that_are_not_dimensions_are_refused() {
        let error = slots("permute:xyw", "ring:4", "mesh:2x2").unwrap_err();
        assert_eq!(error.0, "xyw does not name each dimension of the machine once: xyt");
        assert!(slots("permute:x", "ring:4", "mesh:2x2").is_err());
        assert!(parse_strategy("permute:xx").is_err());
    }

    #[test]
    fn without_an_order_the_best_is_taken() {
        // 2 x 4 cells on 2 x 4 nodes: if the machine's y is fastest, which is as long as a row,
        // every pair is one hop apart; 2 * 10 directed pairs.
        let machine = Machine::parse("mesh:2x4").unwrap();
        let traffic = parse_pattern("stencil:2x4").unwrap();
        let problem = Problem::new(traffic, machine, Weight::Bytes).unwrap();
        let strategy = parse_strategy("permute").unwrap();
        let mapping = strategy.map(&problem, None, &mut Run::new(1)).unwrap();
        assert_eq!(HopBytes.cost(&problem, &mapping), 20.0);
    }

    #[test]
    fn the_best_order_is_the_best_of_all_under_any_objective() {
        let machine = Machine::parse("torus:4x2x3,slots=2").unwrap();
        let traffic = parse_pattern("random:ranks=48,degree=5,seed=7").unwrap();
        let problem = Problem::new(traffic, machine, Weight::Bytes).unwrap();
        for objective in ["hop-bytes", "max-link-load"] {
            let objective = parse_objective(objective).unwrap();
            let cost = |strategy: &str| {
                let strategy = parse_strategy(strategy).unwrap();
                let mapping = strategy.map(&problem, Some(objective.as_ref()), &mut Run::new(1));
                objective.cost(&problem, &mapping.unwrap())
            };
            let mut all = Vec::new();
            all_orders(&mut vec![0, 1, 2, 3], 0, &mut all);
            let letters = |order: &Vec<usize>| -> String {
                order.iter().map(|&dimension| ['x', 'y', 'z', 't'][dimension]).collect()
            };
            let costs = all.iter().map(letters).flat_map(|letters| {
                [cost(&format!("permute:{letters}")), cost(&format!("permute:{letters},snake"))]
            });
            let least = costs.fold(f64::INFINITY, f64::min);
            assert!((cost("permute") - least).abs() < 1e-9 * least);
            assert!(cost("permute:snake") >= least);
        }
    }

    #[test]
    fn where_all_orders_take_too_long_some_are_tried() {
        let lengths = [4, 4, 4, 4, 2, 32];
        assert_eq!(orders(&lengths, 720).len(), 720);
        // Forwards and backwards starting with each of six dimensions, and as many more as allowed.
        assert_eq!(orders(&lengths, 0).len(), 12);
        let some = orders(&lengths, 100);
        assert!((80..=100).contains(&some.len()), "{}", some.len());
        let mut distinct = some.clone();
        distinct.sort_unstable();
        distinct.dedup();
        assert_eq!(distinct.len(), some.len());
        // Dimensions of length 1 do not count; without any, the walk has one slot.
        assert_eq!(orders(&[1, 5, 1, 2], 100), [[1, 3], [3, 1]]);
        assert_eq!(orders(&[1, 1], 100), [[] as [usize; 0]]);
    }

    #[test]
    fn an_evaluation_of_link_loads_counts_the_links_it_crosses() {
        // Two neighbours on a mesh: a pair, and a link each way.
        let machine = Machine::parse("mesh:2").unwrap();
        let traffic = parse_pattern("stencil:2").unwrap();
        let problem = Problem::new(traffic, machine, Weight::Bytes).unwrap();
        let work = |name: &str| work_of_a_look(&problem, parse_objective(name).unwrap().as_ref());
        assert_eq!(work("hop-bytes"), 1);
        assert_eq!(work("max-link-load"), 3);
    }
}
