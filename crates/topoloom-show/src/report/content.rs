//! What a report tells.

use serde::Serialize;
use topoloom_core::{Mapping, Problem, Score, score};

/// Everything that a report tells.
pub struct Report<'a> {
    /// What is placed where.
    pub problem: &'a Problem,
    /// The traffic as it was named.
    pub traffic: String,
    /// What became of collective operations, in a sentence, if there is something to say.
    pub collectives: Option<String>,
    /// What the traffic was recognised as, a sentence each.
    pub structure: Vec<String>,
    /// How long ranks were in MPI, where the traffic was recorded with times.
    pub times: Option<TimeInMpi>,
    /// What was compared, best first.
    pub placements: Vec<Placed>,
    /// The place of the default one among them.
    pub default: usize,
    /// What the default one is, after its name and a colon.
    pub default_how: &'static str,
    /// The place of the chosen one among them.
    pub chosen: usize,
    /// What was looked for to be better and is not, in words such as `auto costs as much as
    /// in-order`; then the default placement is the chosen one.
    pub no_better_by: Option<String>,
    /// What `placements` are sorted by.
    pub sorted_by: String,
    /// Whether that is hop-bytes, which every table has.
    pub sorted_by_hop_bytes: bool,
    /// Strategies that do not fit, and why.
    pub not_applicable: Vec<(String, String)>,
    /// What simulations of the default and of the chosen one found.
    pub simulation: Option<Simulation>,
    /// Why there is no simulation, where one could be expected.
    pub not_simulated: Option<String>,
    /// How to repeat and apply it.
    pub steps: Vec<Step>,
    /// What can be taken from the page.
    pub files: Vec<File>,
    /// Files for launchers.
    pub launches: Vec<Launch>,
    /// Why there are no more of them, such as that hosts are not known.
    pub launch_note: Option<String>,
    /// Of the program.
    pub version: String,
    /// What the user should know, such as limits that cut a search short.
    pub remarks: Vec<String>,
}

/// A placement and what is known of it.
pub struct Placed {
    /// What it is called: a strategy, or the name of a file.
    pub name: String,
    /// Where ranks are.
    pub mapping: Mapping,
    /// How good that is.
    pub score: Score,
    /// The cost that placements are sorted by.
    pub cost: f64,
    /// The energy of what is sent, where links are known and bytes count.
    pub joules: Option<f64>,
    /// What the busiest link takes for what it carries, where links are known and bytes count.
    pub busiest_seconds: Option<f64>,
    /// How long it took to find; none for a mapping that was given.
    pub seconds: Option<f64>,
    /// The seed of the search.
    pub seed: Option<u64>,
    /// What the search optimised.
    pub objective: Option<&'static str>,
    /// Whether nothing cut the search short.
    pub complete: bool,
}

/// What simulations found.
pub struct Simulation {
    /// What was replayed and how, in a sentence.
    pub how: String,
    /// What its time is called, in a few words.
    pub time_name: &'static str,
    /// Of the default placement, where it is not the chosen one.
    pub default: Option<SimulatedRun>,
    /// Of the chosen placement.
    pub chosen: SimulatedRun,
}

/// One simulated run.
#[derive(Debug, Clone, PartialEq)]
pub struct SimulatedRun {
    /// How long it took.
    pub seconds: f64,
    /// The energy of the links.
    pub joules: f64,
    /// The share of the time that ranks waited, on average.
    pub waiting_share: f64,
    /// How long each rank waited.
    pub waiting_seconds: Vec<f64>,
    /// The length of a bin of the next two.
    pub bin_seconds: f64,
    /// How busy links were, on average.
    pub mean_utilisation: Vec<f64>,
    /// How busy the busiest was.
    pub most_utilisation: Vec<f64>,
}

/// A command of those that repeat or apply what is shown.
pub struct Step {
    /// What it does.
    pub what: String,
    /// As it stands in a shell.
    pub command: String,
}

/// A file that can be taken from the page.
#[derive(Debug, Clone, Serialize)]
pub struct File {
    /// Its name.
    pub name: String,
    /// Its media type.
    #[serde(rename = "type")]
    pub media_type: &'static str,
    /// What is in it.
    pub content: String,
}

/// What a launcher needs.
pub struct Launch {
    /// The name of the format.
    pub format: String,
    /// What it is for.
    pub summary: String,
    /// Which of the report's files it has.
    pub files: Vec<usize>,
    /// The command that starts the job with them.
    pub command: String,
}

/// How long ranks were in MPI.
pub struct TimeInMpi {
    /// Seconds in all and in MPI of each rank; none where it is not known.
    pub ranks: Vec<Option<(f64, f64)>>,
    /// What all ranks spent in which calls, in any order.
    pub calls: Vec<CallTime>,
}

/// What all ranks spent in one call with one class of partners.
pub struct CallTime {
    /// Its name.
    pub call: String,
    /// Whom it had to do with.
    pub partner: &'static str,
    /// How often it was called.
    pub calls: u64,
    /// How long all calls took together.
    pub seconds: f64,
}

impl Placed {
    /// A placement that was found or given elsewhere, judged by hop-bytes.
    pub fn new(name: impl Into<String>, problem: &Problem, mapping: Mapping) -> Placed {
        let score = score(problem, &mapping);
        Placed {
            name: name.into(),
            cost: score.hop_bytes,
            mapping,
            score,
            joules: None,
            busiest_seconds: None,
            seconds: None,
            seed: None,
            objective: None,
            complete: true,
        }
    }
}

impl<'a> Report<'a> {
    /// A report that compares a placement with the one that a job has today. All other fields may be
    /// filled in later.
    pub fn new(
        problem: &'a Problem,
        traffic: impl Into<String>,
        today: Placed,
        chosen: Placed,
    ) -> Report<'a> {
        Report {
            problem,
            traffic: traffic.into(),
            collectives: None,
            structure: Vec::new(),
            times: None,
            placements: vec![chosen, today],
            default: 1,
            default_how: "the placement of today",
            chosen: 0,
            no_better_by: None,
            sorted_by: "hop-bytes".to_string(),
            sorted_by_hop_bytes: true,
            not_applicable: Vec::new(),
            simulation: None,
            not_simulated: None,
            steps: Vec::new(),
            files: Vec::new(),
            launches: Vec::new(),
            launch_note: None,
            version: env!("CARGO_PKG_VERSION").to_string(),
            remarks: Vec::new(),
        }
    }
}

impl Report<'_> {
    /// The default placement.
    pub fn default(&self) -> &Placed {
        &self.placements[self.default]
    }

    /// The chosen placement.
    pub fn chosen(&self) -> &Placed {
        &self.placements[self.chosen]
    }

    /// Whether the chosen placement is the default one.
    pub(super) fn keeps_default(&self) -> bool {
        self.default == self.chosen
    }

    /// The placements that the machine is drawn under: two, unless they are the same.
    pub(super) fn drawn(&self) -> Vec<&Placed> {
        let (default, chosen) = (self.default(), self.chosen());
        match default.mapping.slots() == chosen.mapping.slots() {
            true => vec![chosen],
            false => vec![default, chosen],
        }
    }
}
