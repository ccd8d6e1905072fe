//! `topoloom score`: how good a placement is.

use clap::Args;

use crate::arguments::{ProblemArguments, SearchArguments};
use crate::inputs::load_problem;
use crate::output::{print, print_json};
use crate::placing::placement::{Placed, place};
use crate::placing::record::record;
use crate::placing::score_text::show;
use crate::placing::search::Searches;
use crate::placing::{costs, groups};

#[derive(Debug, Args)]
pub struct ScoreArguments {
    #[command(flatten)]
    pub problem: ProblemArguments,
    /// A mapping file, or a strategy whose placement is scored
    #[arg(long, visible_alias = "strategy", value_name = "FILE-OR-STRATEGY")]
    pub mapping: String,
    #[command(flatten)]
    pub search: SearchArguments,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

pub fn run(mut arguments: ScoreArguments) -> anyhow::Result<()> {
    let costs = arguments.problem.costs()?;
    let searches = Searches::new(arguments.search)?.suit_costs(costs.as_ref());
    let imbalance = arguments.problem.counting.imbalance;
    let mut collectives = None;
    let make_problem = |imbalance| {
        arguments.problem.counting.imbalance = imbalance;
        let counted = load_problem(&arguments.problem)?;
        collectives = counted.collectives;
        Ok(counted.problem)
    };
    let Placed { problem, mapping, search, started, said_cost } =
        place(&arguments.mapping, imbalance, make_problem, &searches)?;
    let score = searches.score(&problem, &mapping, started);
    let mut record = record(&problem, &arguments.problem.traffic, collectives.as_ref(), &score);
    record.search = search;
    groups::add(&mut record, &problem, &mapping);
    costs::add(&mut record, &problem, &mapping, searches.objective.as_deref(), &costs)?;
    if let Some(cost) = record.cost_matrix {
        costs::warn_of_another_cost(said_cost, &arguments.mapping, cost);
    }
    if arguments.json {
        print_json(&record);
    } else {
        print(&show(&record));
    }
    Ok(())
}
