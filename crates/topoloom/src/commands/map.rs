//! `topoloom map`: find a placement and write it to a file.

use std::path::Path;

use anyhow::bail;
use topoloom::core::cluster::Seating;
use topoloom::core::{parse_strategy, score};
use topoloom::io::{MappingFile, write_mapping};

use super::score::show;
use super::search::Searches;
use crate::cli::MapArguments;
use crate::inputs::load_problem;
use crate::output::record::{record, search_record};
use crate::output::{print, print_json, warn};

pub fn run(arguments: MapArguments) -> anyhow::Result<()> {
    let searches = Searches::new(arguments.search)?;
    let strategy = parse_strategy(&arguments.strategy)?;
    if let Some(path) = &arguments.output {
        check_output(path, [&arguments.problem.traffic, &arguments.problem.machine])?;
    }
    let problem = load_problem(&arguments.problem)?;
    let found = match searches.run_strategy(&arguments.strategy, strategy.as_ref(), &problem) {
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
            objective: Some(found.objective.to_string()),
            seed: Some(searches.seed()),
            imbalance: problem.imbalance(),
            seating: problem
                .machine()
                .topology()
                .cluster()
                .map(|cluster| Seating::of(&found.mapping, cluster)),
        };
        write_mapping(path, &file)?;
    }
    let score = score(&problem, &found.mapping);
    let mut record = record(&problem, &arguments.problem.traffic, &score);
    let search = search_record(&arguments.strategy, &found);
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

/// Refuses, before the search, what could not be written after it, or would replace what is read.
pub fn check_output<'a>(
    path: &Path,
    inputs: impl IntoIterator<Item = &'a String>,
) -> anyhow::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    if let Some(folder) = folder.filter(|folder| !folder.is_dir()) {
        bail!("{}: there is no folder {}", path.display(), folder.display());
    }
    if path.is_dir() {
        bail!("{}: is a folder, expected a file name", path.display());
    }
    let same = |a: &Path, b: &Path| matches!((a.canonicalize(), b.canonicalize()), (Ok(a), Ok(b)) if a == b);
    // A file may be named by itself or in a specification, such as graph:net.txt,slots=4.
    let in_spec = |input: &str| {
        let file = input.split_once(':')?.1.split(',').next()?;
        Some(same(path, Path::new(file)))
    };
    let is_read = |input: &String| same(path, Path::new(input)) || in_spec(input) == Some(true);
    if inputs.into_iter().any(is_read) {
        bail!("{}: is what is read, and would be overwritten", path.display());
    }
    Ok(())
}
