//! The commands that repeat a report.

use topoloom::core::{CollectiveMode, Effort, Weight};
use topoloom::show::report::{MAPPING, Placed, Step};

use super::told::Told;
use crate::placing::strategy_list::AUTO;
use crate::session;
use crate::shell_words::{quoted, shown};

/// The commands, in the order in which a user would type them.
pub fn steps(told: &Told<'_>, chosen: &Placed, simulated: bool) -> Vec<Step> {
    let this = session::arguments();
    let mut steps = vec![Step {
        what: "This page:".to_string(),
        command: format!("topoloom {}", shown(&this)),
    }];
    let problem = problem_words(told);
    let words = |more: &[String]| -> String {
        let all: Vec<String> = problem.iter().chain(more).map(|word| quoted(word)).collect();
        all.join(" ")
    };
    let mapping = match chosen.seed {
        Some(seed) => {
            let search = search_words(told, seed);
            let mut more = vec!["--strategy".to_string(), chosen.name.clone()];
            more.extend(search);
            // The placement of the page, even if it gains little.
            if chosen.name == AUTO {
                more.extend(["--worth".to_string(), "0".to_string()]);
            }
            more.extend(["--output".to_string(), MAPPING.to_string()]);
            let same = match chosen.complete && told.search.work.time_limit.is_none() {
                true => "; the same seed gives the same placement on any number of threads",
                // The result depended on the clock or on the user.
                false => "",
            };
            steps.push(Step {
                what: format!("The chosen placement alone (the seed is {seed}{same}):"),
                command: format!("topoloom map {}", words(&more)),
            });
            MAPPING.to_string()
        }
        None => chosen.name.clone(),
    };
    let of_mapping = ["--mapping".to_string(), mapping];
    steps.push(Step {
        what: "Its numbers, and whether it is valid:".to_string(),
        command: format!("topoloom score {0}\ntopoloom check {0}", words(&of_mapping)),
    });
    if let Some(mut options) = told.replay.options().filter(|_| simulated) {
        options.extend(of_mapping);
        steps.push(Step {
            what: "The simulated run:".to_string(),
            command: format!("topoloom simulate {}", words(&options)),
        });
    }
    steps
}

/// The options that name the problem, without those that have their default.
fn problem_words(told: &Told<'_>) -> Vec<String> {
    let (arguments, counting) = (told.arguments, &told.arguments.counting);
    let mut words = Vec::new();
    let mut option = |name: &str, value: String| words.extend([format!("--{name}"), value]);
    option("traffic", arguments.traffic.clone());
    option("machine", arguments.machine.clone());
    if counting.weight != Weight::Bytes {
        option("weight", counting.weight.to_string());
    }
    if counting.collectives.mode != CollectiveMode::default() {
        option("collectives", counting.collectives.mode.to_string());
    }
    if let Some(routing) = &counting.routing {
        option("routing", routing.clone());
    }
    if let Some(imbalance) = counting.imbalance {
        option("imbalance", imbalance.to_string());
    }
    words
}

fn search_words(told: &Told<'_>, seed: u64) -> Vec<String> {
    let (search, work) = (told.search, &told.search.work);
    let mut words = Vec::new();
    let mut option = |name: &str, value: String| words.extend([format!("--{name}"), value]);
    if let Some(objective) = &search.objective {
        option("objective", objective.clone());
    }
    if work.effort != Effort::default() {
        option("effort", work.effort.to_string());
    }
    option("seed", seed.to_string());
    if let Some(limit) = work.time_limit {
        option("time-limit", format!("{}ms", limit.as_secs_f64() * 1e3));
    }
    words
}
