//! What a placement is compared with: where the ranks are now, or where launchers put them.

use topoloom::core::{Mapping, Objective, Problem, Run, parse_strategy};
use topoloom::io::GainRecord;

use crate::arguments::Worth;
use crate::output::numbers::fine_percent;

/// The name of the present placement of a job.
pub const PRESENT: &str = "present";

/// What launchers do if nothing is known about the job.
const LAUNCHERS: [&str; 2] = ["in-order", "block"];

/// A gain below this counts as none: tables show shares with one decimal, and it would be 0.0 %.
pub const ROUNDING: f64 = 5e-4;

/// A placement that another one would replace.
#[derive(Debug, Clone)]
pub struct Baseline {
    /// `present`, or the strategy: `in-order`, `block`.
    pub name: String,
    pub mapping: Mapping,
    /// Its cost under the objective of the search.
    pub cost: f64,
}

/// The placements to compare with: the present one if it is known, and what launchers do. A second
/// one that puts every rank where the first does is left out, and so is one that the problem does
/// not allow.
pub fn baselines(
    problem: &Problem,
    objective: &dyn Objective,
    present: Option<Mapping>,
) -> Vec<Baseline> {
    let launched = |name: &&str| {
        let strategy = parse_strategy(name).expect("launchers' placements are known strategies");
        let mapping = strategy.map(problem, None, &mut Run::new(1)).ok()?;
        Some((name.to_string(), mapping))
    };
    let present = present.map(|mapping| (PRESENT.to_string(), mapping));
    let mut baselines: Vec<Baseline> = Vec::new();
    for (name, mapping) in present.into_iter().chain(LAUNCHERS.iter().filter_map(launched)) {
        if baselines.iter().all(|known| known.mapping.slots() != mapping.slots()) {
            let cost = objective.cost(problem, &mapping);
            baselines.push(Baseline { name, mapping, cost });
        }
    }
    baselines
}

/// The one of them that decides: the present placement, or the best of the others; among equals,
/// the first.
pub fn reference(baselines: &[Baseline]) -> Option<&Baseline> {
    let present = baselines.iter().find(|baseline| baseline.name == PRESENT);
    present.or_else(|| baselines.iter().min_by(|a, b| a.cost.total_cmp(&b.cost)))
}

impl Baseline {
    /// The share of this baseline's cost by which `cost` is less. It is negative if `cost` is more,
    /// and `None` if the baseline costs nothing.
    pub fn gain(&self, cost: f64) -> Option<f64> {
        (self.cost > 0.0).then(|| 1.0 - cost / self.cost)
    }

    /// Whether `cost` is less by at least this share of the baseline's. Equal costs never count as
    /// less.
    pub fn is_beaten(&self, cost: f64, share: f64) -> bool {
        cost < self.cost && self.cost - cost >= share * self.cost.abs()
    }

    /// The placement as part of a sentence.
    pub fn in_words(&self) -> &str {
        if self.name == PRESENT { "the present placement" } else { &self.name }
    }

    /// An explanation of the placement.
    pub fn explanation(&self) -> &'static str {
        match self.name.as_str() {
            PRESENT => "where the ranks were when they were recorded",
            "block" => {
                "hosts are filled one after another in the order of their list, as launchers do it"
            }
            _ => "rank 0 in the first place, rank 1 in the next, as launchers do it",
        }
    }

    /// The gain of a placement of this cost, for programs.
    pub fn record(&self, cost: f64, kept: Option<bool>) -> GainRecord {
        GainRecord {
            baseline: self.name.clone(),
            baseline_cost: self.cost,
            gain: self.gain(cost),
            kept,
            simulated_gain: None,
        }
    }

    /// How a placement of this cost compares with this one: `gains 3.1 % over in-order`.
    pub fn against(&self, cost: f64) -> String {
        let name = self.in_words();
        match self.gain(cost) {
            _ if cost == self.cost => format!("costs as much as {name}"),
            Some(gain) if gain > 0.0 => format!("gains {} over {name}", fine_percent(gain)),
            Some(gain) => format!("costs {} more than {name}", fine_percent(-gain)),
            None => format!("costs more than {name}, which costs nothing"),
        }
    }
}

/// How a placement of this cost compares with each of them, in one sentence.
pub fn comparison(strategy: &str, cost: f64, objective: &str, baselines: &[Baseline]) -> String {
    let parts: Vec<String> = baselines.iter().map(|baseline| baseline.against(cost)).collect();
    format!("{strategy} {} ({objective}).", parts.join(" and "))
}

/// Why the baseline is kept, in two sentences.
pub fn kept_in_words(strategy: &str, cost: f64, worth: Worth, baseline: &Baseline) -> String {
    let limit = match baseline.is_beaten(cost, 0.0) {
        true => format!(", less than {worth} (--worth)"),
        false => String::new(),
    };
    let kept = match baseline.name.as_str() {
        PRESENT => "The present placement",
        "block" => "The placement that fills host after host",
        _ => "The placement in order",
    };
    let against = baseline.against(cost);
    format!("No better placement was found: {strategy} {against}{limit}. {kept} is kept.")
}

#[cfg(test)]
mod tests {
    use topoloom::core::objective::HopBytes;
    use topoloom::core::{Machine, Weight, parse_pattern};

    use super::*;

    fn problem() -> Problem {
        let machine = Machine::parse("mesh:4").unwrap();
        Problem::new(parse_pattern("ring:4").unwrap(), machine, Weight::Bytes).unwrap()
    }

    #[test]
    fn the_present_placement_decides_even_where_launchers_do_better() {
        let problem = problem();
        let present = problem.mapping(vec![0, 2, 1, 3]).unwrap();
        let all = baselines(&problem, &HopBytes, Some(present));
        // Without hosts, block is in-order, and is counted once.
        let names: Vec<&str> = all.iter().map(|baseline| &baseline.name[..]).collect();
        assert_eq!(names, [PRESENT, "in-order"]);
        // A ring 0 1 2 3 on a line: 3 pairs at 1, one at 3, 2 bytes each.
        assert_eq!(all[1].cost, 12.0);
        // On slots 0 2 1 3: pairs 0-1 at 2, 1-2 at 1, 2-3 at 2, 3-0 at 3.
        assert_eq!(reference(&all).unwrap().cost, 16.0);
        let launched = baselines(&problem, &HopBytes, None);
        assert_eq!(reference(&launched).unwrap().name, "in-order");
    }

    #[test]
    fn equal_costs_and_gains_below_the_limit_do_not_beat_a_baseline() {
        let mapping = problem().mapping(vec![0, 1, 2, 3]).unwrap();
        let of = |cost| Baseline { name: "in-order".to_string(), mapping: mapping.clone(), cost };
        assert!(!of(100.0).is_beaten(100.0, 0.0));
        assert!(of(100.0).is_beaten(99.999, 0.0));
        assert!(of(100.0).is_beaten(99.0, 0.01));
        assert!(!of(100.0).is_beaten(99.001, 0.01));
        assert!(!of(0.0).is_beaten(0.0, 0.01));
        assert_eq!(of(0.0).gain(3.0), None);
    }

    #[test]
    fn a_gain_is_told_with_its_first_digit_however_small() {
        let mapping = problem().mapping(vec![0, 1, 2, 3]).unwrap();
        let in_order = Baseline { name: "in-order".to_string(), mapping, cost: 1e8 };
        assert_eq!(
            kept_in_words("auto", 1e8 - 50.0, Worth::default(), &in_order),
            "No better placement was found: auto gains 0.00005 % over in-order, less than 1 % \
             (--worth). The placement in order is kept."
        );
        assert_eq!(
            kept_in_words("auto", 1e8, Worth::default(), &in_order),
            "No better placement was found: auto costs as much as in-order. The placement in order \
             is kept."
        );
        assert_eq!(
            comparison("greedy", 1.5e8, "hop-bytes", &[in_order]),
            "greedy costs 50.0 % more than in-order (hop-bytes)."
        );
    }
}
