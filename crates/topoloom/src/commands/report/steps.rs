//! The commands that repeat a report, and the placement as a file.

use topoloom::core::cluster::Seating;
use topoloom::core::{CollectiveMode, Effort, Weight};
use topoloom::io::MappingFile;
use topoloom::show::report::{Placed, Step};

use super::super::record::{quoted, shown};
use super::Told;

/// The commands, in the order in which one would type them.
pub fn steps(told: &Told<'_>, chosen: &Placed) -> Vec<Step> {
    let this: Vec<_> = std::env::args_os().skip(1).collect();
    let mut steps = vec![Step {
        what: "This page:".to_string(),
        command: format!("topoloom {}", shown(&this)),
    }];
    let problem = problem_words(told);
    let words = |more: &[String]| -> String {
        let all: Vec<String> = problem.iter().chain(more).map(|word| quoted(word)).collect();
        all.join(" ")
    };
    let search = search_words(told);
    let mapping = match chosen.seconds {
        Some(_) => {
            let mut more = vec!["--strategy".to_string(), chosen.name.clone()];
            more.extend(search.iter().cloned());
            more.extend(["--output".to_string(), "mapping.json".to_string()]);
            steps.push(Step {
                what: format!(
                    "The chosen placement alone (the seed is {}; the same seed gives the same placement on any number of threads):",
                    told.searches.seed()
                ),
                command: format!("topoloom map {}", words(&more)),
            });
            "mapping.json".to_string()
        }
        None => chosen.name.clone(),
    };
    let of_mapping = ["--mapping".to_string(), mapping];
    steps.push(Step {
        what: "Its numbers, and whether it is valid:".to_string(),
        command: format!("topoloom score {0}\ntopoloom check {0}", words(&of_mapping)),
    });
    steps
}

/// The options that name the problem, those that are usual left out.
fn problem_words(told: &Told<'_>) -> Vec<String> {
    let arguments = told.arguments;
    let mut words = Vec::new();
    let mut option = |name: &str, value: String| words.extend([format!("--{name}"), value]);
    option("traffic", arguments.traffic.clone());
    option("machine", arguments.machine.clone());
    if arguments.weight != Weight::Bytes {
        option("weight", arguments.weight.to_string());
    }
    if arguments.collectives != CollectiveMode::None {
        option("collectives", arguments.collectives.to_string());
    }
    if let Some(routing) = &arguments.routing {
        option("routing", routing.clone());
    }
    if let Some(imbalance) = arguments.imbalance {
        option("imbalance", imbalance.to_string());
    }
    words
}

fn search_words(told: &Told<'_>) -> Vec<String> {
    let (search, work) = (told.search, &told.search.work);
    let mut words = Vec::new();
    let mut option = |name: &str, value: String| words.extend([format!("--{name}"), value]);
    if let Some(objective) = &search.objective {
        option("objective", objective.clone());
    }
    if work.effort != Effort::default() {
        option("effort", work.effort.to_string());
    }
    option("seed", work.seed.to_string());
    if let Some(limit) = work.time_limit {
        option("time-limit", format!("{}ms", limit.as_millis()));
    }
    words
}

/// The chosen placement as a file.
pub fn mapping_file(told: &Told<'_>, chosen: &Placed) -> MappingFile {
    let searched = chosen.seconds.is_some();
    let machine = told.problem.machine();
    MappingFile {
        machine: Some(machine.spec().to_string()),
        node_of_rank: chosen.mapping.nodes(),
        slot_of_rank: Some(chosen.mapping.slots().to_vec()),
        strategy: searched.then(|| chosen.name.clone()),
        objective: told.search.objective.clone().filter(|_| searched),
        seed: searched.then(|| told.searches.seed()),
        imbalance: told.problem.imbalance(),
        seating: machine.topology().cluster().map(|cluster| Seating::of(&chosen.mapping, cluster)),
    }
}
