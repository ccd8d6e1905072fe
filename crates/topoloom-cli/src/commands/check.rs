//! `topoloom check`: is a mapping file valid, and what does it cost?

use std::path::PathBuf;

use clap::Args;
use serde::Serialize;
use topoloom::core::checker::{Claim, Verdict, check};

use crate::arguments::ProblemArguments;
use crate::files::read_mapping;
use crate::inputs::{load_machine, load_traffic};
use crate::output::numbers::{grouped, precise};
use crate::output::{print, print_json, warn};
use crate::placing::costs::warn_of_another_cost;
use crate::same_machine::{MadeFor, made_for};

#[derive(Debug, Args)]
pub struct CheckArguments {
    #[command(flatten)]
    pub problem: ProblemArguments,
    /// The mapping file
    #[arg(long, value_name = "FILE")]
    pub mapping: PathBuf,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// The verdict as JSON.
#[derive(Debug, Serialize)]
struct Record {
    valid: bool,
    violations: Vec<String>,
    hop_bytes: Option<f64>,
    max_dilation: Option<u32>,
    imbalance: Option<f64>,
    cost: Option<f64>,
}

/// The exit code for a mapping that is not valid.
const NOT_VALID: u8 = 1;

/// Violations beyond this many are counted, not shown.
const MOST_SHOWN: usize = 20;

/// Exit code 0: valid, 1: not valid.
pub fn run(arguments: &CheckArguments) -> anyhow::Result<u8> {
    let (verdict, cost) = judge(arguments)?;
    if arguments.json {
        let Verdict { violations, hop_bytes, max_dilation, imbalance } = verdict;
        let valid = violations.is_empty();
        let record = Record { valid, violations, hop_bytes, max_dilation, imbalance, cost };
        print_json(&record);
        return Ok(if valid { 0 } else { NOT_VALID });
    }
    match verdict {
        verdict if verdict.violations.is_empty() => {
            let hop_bytes = grouped(verdict.hop_bytes.unwrap_or(0.0));
            let farthest = verdict.max_dilation.unwrap_or(0);
            let imbalance = match verdict.imbalance.filter(|&imbalance| imbalance > 0.0) {
                Some(imbalance) => format!(", imbalance {}", precise(imbalance)),
                None => String::new(),
            };
            print(&match cost {
                Some(cost) => format!("valid: cost-matrix {}{imbalance}\n", precise(cost)),
                None => {
                    format!(
                        "valid: hop-bytes {hop_bytes}, maximum dilation {farthest}{imbalance}\n"
                    )
                }
            });
            Ok(0)
        }
        verdict => {
            let mut text = String::new();
            for violation in verdict.violations.iter().take(MOST_SHOWN) {
                text.push_str(&format!("not valid: {violation}\n"));
            }
            if verdict.violations.len() > MOST_SHOWN {
                let more = verdict.violations.len() - MOST_SHOWN;
                text.push_str(&format!("not valid: and {more} more\n"));
            }
            print(&text);
            Ok(NOT_VALID)
        }
    }
}

/// The verdict, and the cost by the costs that came with the traffic.
fn judge(arguments: &CheckArguments) -> anyhow::Result<(Verdict, Option<f64>)> {
    let problem = &arguments.problem;
    let machine = load_machine(&problem.machine_or_seats()?, problem.counting.routing.as_deref())?;
    let traffic =
        load_traffic(&problem.traffic, problem.counting.weight, problem.counting.collectives.mode)?;
    let file = read_mapping(&arguments.mapping)?;
    let claim = Claim {
        node_of_rank: &file.node_of_rank,
        slot_of_rank: file.slot_of_rank.as_deref(),
        imbalance: problem.counting.imbalance.or(file.imbalance),
    };
    let mut verdict = check(&traffic, &machine, problem.counting.weight, claim);
    match made_for(&file, &machine) {
        MadeFor::This => {}
        MadeFor::Another(text) => verdict.violations.insert(0, text),
        MadeFor::Unknown(text) => warn(&text),
    }
    verdict.violations.extend(file.wrong_seats(&machine));
    let of_file = file.imbalance.filter(|_| problem.counting.imbalance.is_none());
    if let (Some(allowed), Some(found)) = (of_file, verdict.imbalance)
        && verdict.violations.is_empty()
    {
        warn(&format!(
            "the imbalance is {}; the limit of {} is from the mapping itself: give --imbalance to \
             check against your own limit",
            precise(found),
            precise(allowed)
        ));
    }
    let costs = problem.costs()?.filter(|_| verdict.violations.is_empty());
    let cost = costs.map(|costs| {
        let mut cost = 0.0;
        let node = |rank: u32| file.node_of_rank[rank as usize];
        traffic.for_each_flow(problem.counting.weight, |from, to, weight| {
            cost += weight * costs.between(node(from), node(to));
        });
        cost
    });
    if let Some(cost) = cost {
        warn_of_another_cost(file.cost, &arguments.mapping.display().to_string(), cost);
    }
    Ok((verdict, cost))
}
