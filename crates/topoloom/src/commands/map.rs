//! `topoloom map`: find a placement and write it to a file.

use anyhow::bail;
use topoloom::core::score;
use topoloom::io::{MappingFile, write_mapping};

use super::score::show;
use super::search::Searches;
use crate::cli::MapArguments;
use crate::inputs::load_problem;
use crate::output::record::{record, search_record};
use crate::output::{print, print_json, warn};

pub fn run(arguments: MapArguments) -> anyhow::Result<()> {
    let searches = Searches::new(arguments.search)?;
    let problem = load_problem(&arguments.problem)?;
    let found = match searches.run(&arguments.strategy, &problem)? {
        Ok(found) => found,
        Err(reason) => bail!("{} is not applicable: {reason}", arguments.strategy),
    };
    if found.run.was_cut_short() {
        warn("a limit cut the search short: this is the best so far");
    }
    if let Some(path) = &arguments.output {
        let file = MappingFile {
            machine: Some(problem.machine().spec().to_string()),
            node_of_rank: found.mapping.nodes(),
            slot_of_rank: Some(found.mapping.slots().to_vec()),
            strategy: Some(arguments.strategy.clone()),
            objective: Some(searches.objective_name().unwrap_or("hop-bytes").to_string()),
            seed: Some(searches.seed()),
            imbalance: None,
        };
        write_mapping(path, &file)?;
    }
    let score = score(&problem, &found.mapping);
    let mut record = record(&problem, &arguments.problem.traffic, &score);
    let search =
        search_record(&arguments.strategy, searches.objective_name(), found.seconds, &found.run);
    record.search = Some(search);
    if arguments.json {
        print_json(&record);
        return Ok(());
    }
    let mut text = show(&record);
    match &arguments.output {
        Some(path) => text.push_str(&format!("\nwritten to {}\n", path.display())),
        None => text.push_str("\nnot written: give --output mapping.json to keep it\n"),
    }
    print(&text);
    Ok(())
}
