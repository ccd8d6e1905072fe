//! Orders of the machine's dimensions: ranks run through one dimension, then the next, as the
//! launchers of Blue Gene (`ABCDET`) and Cray do it.

use std::sync::Arc;

use super::{NotApplicable, Strategy, StrategyEntry};
use crate::machine::Machine;
use crate::mapping::Mapping;
use crate::objective::{HopBytes, Objective};
use crate::problem::Problem;
use crate::registry::Parameter;
use crate::run::Run;
use crate::spec::{Spec, SpecError};

/// The registry's entry.
pub static ENTRY: StrategyEntry = StrategyEntry {
    name: "permutation",
    summary: "ranks through the dimensions in some order, the last letter fastest; or the best",
    example: "permutation:zyxt",
    parameters: &[Parameter {
        name: "snake",
        default: "every row from its start; without an order both are tried",
        summary: "rows forwards and backwards in turn",
    }],
    build: |spec| Ok(Arc::new(Permutation::from_spec(spec)?)),
};

/// With more dimensions only some orders are tried: 7! = 5040.
const MOST_DIMENSIONS: usize = 7;

/// Pairs looked at for all orders together, beyond which only some orders are tried.
const MOST_PAIRS: usize = 20_000_000;

/// Ranks through the dimensions of the machine in some order.
#[derive(Debug, Clone)]
pub struct Permutation {
    /// Letters, the slowest first; `None` to take the best order under the objective.
    order: Option<String>,
    snake: bool,
}

impl Permutation {
    /// The best order under the objective.
    pub(crate) fn best() -> Permutation {
        Permutation { order: None, snake: false }
    }

    fn from_spec(spec: &Spec) -> Result<Permutation, SpecError> {
        let snake = spec.flag("snake")?;
        if let Some(shape) = &spec.shape {
            let mut letters: Vec<char> = shape.to_lowercase().chars().collect();
            letters.sort_unstable();
            let repeated = letters.windows(2).any(|pair| pair[0] == pair[1]);
            if repeated || !letters.iter().all(char::is_ascii_lowercase) {
                return Err(SpecError::new(format!(
                    "permutation: expected each letter once, such as zyxt or ABCDET, found \"{shape}\""
                )));
            }
        }
        Ok(Permutation { order: spec.shape.as_ref().map(|shape| shape.to_lowercase()), snake })
    }
}

impl Strategy for Permutation {
    fn map(
        &self,
        problem: &Problem,
        objective: Option<&dyn Objective>,
        run: &mut Run,
    ) -> Result<Mapping, NotApplicable> {
        let dimensions = Dimensions::of(problem.machine()).ok_or_else(|| {
            NotApplicable("permutation needs a machine whose nodes fill a box".into())
        })?;
        let ranks = problem.num_ranks();
        let mapping = |order: &[usize], snake: bool| {
            let slots = dimensions.walk(order, snake).take(ranks).collect();
            Mapping::new(slots, problem.machine()).expect("a walk visits each slot once")
        };
        if let Some(letters) = &self.order {
            return Ok(mapping(&dimensions.order(letters)?, self.snake));
        }
        let objective = objective.unwrap_or(&HopBytes);
        let mut best: Option<(f64, Mapping, String)> = None;
        for order in dimensions.orders(MOST_PAIRS / problem.graph().num_pairs().max(1)) {
            for snake in [false, true] {
                if self.snake && !snake || best.is_some() && !run.spend_long(1) {
                    continue;
                }
                let mapping = mapping(&order, snake);
                let cost = objective.cost(problem, &mapping);
                if best.as_ref().is_none_or(|(least, _, _)| cost < *least) {
                    let name = dimensions.name(&order) + if snake { ",snake" } else { "" };
                    best = Some((cost, mapping, name));
                }
            }
        }
        let (_, mapping, name) = best.expect("there is at least one order");
        run.note(format!("permutation:{name}"));
        Ok(mapping)
    }
}

/// The dimensions of a machine, each with its letter; the slots of a node come last.
struct Dimensions {
    lengths: Vec<u32>,
    strides: Vec<u32>,
    letters: Vec<char>,
}

impl Dimensions {
    fn of(machine: &Machine) -> Option<Dimensions> {
        let nodes = machine.topology().grid_lengths()?;
        let slots = machine.slots_per_node();
        let mut strides = Vec::with_capacity(nodes.len() + 1);
        let mut stride = slots;
        for &length in nodes {
            strides.push(stride);
            stride *= length;
        }
        strides.push(1);
        let lengths: Vec<u32> = nodes.iter().copied().chain([slots]).collect();
        // Up to three dimensions have the names of space, more those of Blue Gene; t is the slot.
        let names = if nodes.len() <= 3 { "xyz" } else { "abcdefghijklmnopqrsuvwxyz" };
        let letters = names.chars().take(nodes.len()).chain(['t']).collect();
        Some(Dimensions { lengths, strides, letters })
    }

    /// The dimensions that letters name, slowest first. Letters from a on will do on any
    /// machine; dimensions of length 1, and slots, may be left out: slots are fastest then.
    fn order(&self, letters: &str) -> Result<Vec<usize>, NotApplicable> {
        let nodes = self.letters.len() - 1;
        let by_alphabet: Vec<char> =
            ('a'..='z').filter(|&c| c != 't').take(nodes).chain(['t']).collect();
        let find = |names: &[char]| -> Option<Vec<usize>> {
            letters.chars().map(|letter| names.iter().position(|&name| name == letter)).collect()
        };
        let named: String = self.letters.iter().collect();
        let unknown = || {
            NotApplicable(format!(
                "permutation:{letters} does not name each dimension of the machine once: {named}"
            ))
        };
        let mut order = find(&self.letters).or_else(|| find(&by_alphabet)).ok_or_else(unknown)?;
        for dimension in 0..self.lengths.len() {
            if order.contains(&dimension) {
                continue;
            }
            if self.lengths[dimension] > 1 && dimension != nodes {
                return Err(unknown());
            }
            order.push(dimension);
        }
        Ok(order)
    }

    /// Every order of the dimensions longer than 1, or some where there are more than `most`.
    fn orders(&self, most: usize) -> Vec<Vec<usize>> {
        let long: Vec<usize> =
            (0..self.lengths.len()).filter(|&dimension| self.lengths[dimension] > 1).collect();
        let mut orders = Vec::new();
        if long.len() <= MOST_DIMENSIONS && (1..=long.len()).product::<usize>() <= most.max(6) {
            all_orders(&mut long.clone(), 0, &mut orders);
        } else {
            // The walk forwards and backwards from each dimension on.
            for first in 0..long.len() {
                let mut order = long.clone();
                order.rotate_left(first);
                orders.push(order.clone());
                order.reverse();
                orders.push(order);
            }
        }
        orders
    }

    fn name(&self, order: &[usize]) -> String {
        order.iter().map(|&dimension| self.letters[dimension]).collect()
    }

    /// The slots in order, the last dimension fastest.
    fn walk<'a>(&'a self, order: &'a [usize], snake: bool) -> impl Iterator<Item = u32> + 'a {
        let volume: u32 = order.iter().map(|&dimension| self.lengths[dimension]).product();
        (0..volume).map(move |number| {
            let mut rest = number;
            let mut slot = 0;
            for &dimension in order.iter().rev() {
                let length = self.lengths[dimension];
                let digit = rest % length;
                rest /= length;
                let back = snake && rest % 2 == 1;
                slot += self.strides[dimension] * if back { length - 1 - digit } else { digit };
            }
            slot
        })
    }
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
    use crate::{Weight, parse_pattern, parse_strategy};

    fn slots(strategy: &str, traffic: &str, machine: &str) -> Result<Vec<u32>, NotApplicable> {
        let machine = Machine::parse(machine).unwrap();
        let problem =
            Problem::new(parse_pattern(traffic).unwrap(), machine, Weight::Bytes).unwrap();
        let strategy = parse_strategy(strategy).unwrap();
        Ok(strategy.map(&problem, None, &mut Run::new(1))?.slots().to_vec())
    }

    #[test]
    fn the_last_letter_is_the_fastest() {
        // Node x + 2y, two slots a node: slot t + 2x + 4y.
        let slots = |strategy| slots(strategy, "ring:12", "mesh:2x3,slots=2").unwrap();
        assert_eq!(slots("permutation:yxt"), (0..12).collect::<Vec<_>>());
        assert_eq!(slots("permutation:xyt"), [0, 1, 4, 5, 8, 9, 2, 3, 6, 7, 10, 11]);
        assert_eq!(slots("permutation:tyx"), [0, 2, 4, 6, 8, 10, 1, 3, 5, 7, 9, 11]);
        assert_eq!(slots("permutation:TYX"), slots("permutation:tba"));
        // Slots that are not named are fastest.
        assert_eq!(slots("permutation:xy"), slots("permutation:xyt"));
        // Back and forth in y and t.
        assert_eq!(slots("permutation:xyt,snake"), [0, 1, 5, 4, 8, 9, 11, 10, 6, 7, 3, 2]);
    }

    #[test]
    fn blue_gene_letters_name_five_dimensions() {
        let found = slots("permutation:TEDCBA", "ring:64", "torus:2x2x2x2x2,slots=2").unwrap();
        // A fastest: every second slot, all nodes before any second slot.
        assert_eq!(found, (0..64).map(|rank| rank % 32 * 2 + rank / 32).collect::<Vec<u32>>());
    }

    #[test]
    fn letters_that_are_not_dimensions_are_refused() {
        let error = slots("permutation:xyw", "ring:4", "mesh:2x2").unwrap_err();
        assert_eq!(
            error.0,
            "permutation:xyw does not name each dimension of the machine once: xyt"
        );
        assert!(slots("permutation:x", "ring:4", "mesh:2x2").is_err());
        assert!(parse_strategy("permutation:xx").is_err());
    }

    #[test]
    fn without_an_order_the_best_is_taken() {
        // 2 x 4 cells on 2 x 4 nodes: with the machine's y, which is as long as a row, fastest
        // every pair is one hop apart; 2 * 10 directed pairs.
        let machine = Machine::parse("mesh:2x4").unwrap();
        let traffic = parse_pattern("stencil:2x4").unwrap();
        let problem = Problem::new(traffic, machine, Weight::Bytes).unwrap();
        let strategy = parse_strategy("permutation").unwrap();
        let mapping = strategy.map(&problem, None, &mut Run::new(1)).unwrap();
        assert_eq!(HopBytes.cost(&problem, &mapping), 20.0);
    }
}
