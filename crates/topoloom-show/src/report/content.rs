//! The content of a report.

use serde::Serialize;
use topoloom_core::objective::HopBytes;
use topoloom_core::statistics;
use topoloom_core::{Mapping, Objective, Problem, Score, score};

/// The content of a report.
pub struct Report<'a> {
    /// What is placed where.
    pub problem: &'a Problem,
    /// The traffic as it was given.
    pub traffic: String,
    /// How collective operations were treated, in a sentence, if there is something to say.
    pub collectives: Option<String>,
    /// What the traffic was recognised as, one sentence per finding.
    pub structure: Vec<String>,
    /// How long ranks were in MPI, if the traffic was recorded with times.
    pub times: Option<TimeInMpi>,
    /// The compared placements, best first.
    pub placements: Vec<Placed>,
    /// The index of the default placement among them.
    pub default: usize,
    /// The explanation of the default placement, after its name and a colon.
    pub default_how: &'static str,
    /// The index of the chosen placement among them.
    pub chosen: usize,
    /// A placement that should be better and is not, in words such as `auto costs as much as
    /// in-order`; then the default placement is the chosen one.
    pub no_better_by: Option<String>,
    /// The name of the cost by which `placements` are sorted.
    pub sorted_by: String,
    /// Whether that is hop-bytes, which every table has.
    pub sorted_by_hop_bytes: bool,
    /// Strategies that do not fit, and why.
    pub not_applicable: Vec<(String, String)>,
    /// The simulated runs of the default and of the chosen placement.
    pub simulation: Option<Simulation>,
    /// Why there is no simulation, if one could be expected.
    pub not_simulated: Option<String>,
    /// How to repeat and apply it.
    pub steps: Vec<Step>,
    /// The files that can be downloaded from the page.
    pub files: Vec<File>,
    /// Files for launchers.
    pub launches: Vec<Launch>,
    /// Why there are no more of them, for example because the hosts are not known.
    pub launch_note: Option<String>,
    /// The version of the program.
    pub version: String,
    /// What the user should know, such as limits that cut a search short.
    pub remarks: Vec<String>,
}

/// A placement and what is known about it.
pub struct Placed {
    /// Its name: a strategy, or the name of a file.
    pub name: String,
    /// Where ranks are.
    pub mapping: Mapping,
    /// How good that is.
    pub score: Score,
    /// The cost that placements are sorted by.
    pub cost: f64,
    /// The energy of the messages, if links are known and bytes count.
    pub joules: Option<f64>,
    /// The time that the busiest link needs for its load, if links are known and bytes count.
    pub busiest_seconds: Option<f64>,
    /// How long it took to find; `None` for a given mapping.
    pub seconds: Option<f64>,
    /// The seed of the search.
    pub seed: Option<u64>,
    /// What the search optimised.
    pub objective: Option<&'static str>,
    /// Whether the search was not cut short.
    pub complete: bool,
}

impl Placed {
    /// Whether it shows that the bound of hop-bytes is too low to be of use.
    pub fn shows_useless_bound(&self) -> bool {
        let by_auto = self.name.starts_with("auto") && self.objective == Some(HopBytes.name());
        self.score.gap().is_some_and(|gap| statistics::shows_useless_bound(gap, by_auto))
    }
}

/// The results of simulations.
pub struct Simulation {
    /// What was replayed and how, in a sentence.
    pub how: String,
    /// The name of its time, in a few words.
    pub time_name: &'static str,
    /// The run of the default placement, if it is not the chosen one.
    pub default: Option<SimulatedRun>,
    /// The run of the chosen placement.
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
    /// The length of a bin of the next two fields.
    pub bin_seconds: f64,
    /// How busy links were, on average.
    pub mean_utilisation: Vec<f64>,
    /// How busy the busiest link was.
    pub most_utilisation: Vec<f64>,
}

/// A command that repeats the results or applies the placement.
pub struct Step {
    /// What it does.
    pub what: String,
    /// The command, as typed in a shell.
    pub command: String,
}

/// A file that can be downloaded from the page.
#[derive(Debug, Clone, Serialize)]
pub struct File {
    /// Its name.
    pub name: String,
    /// Its media type.
    #[serde(rename = "type")]
    pub media_type: &'static str,
    /// Its content.
    pub content: String,
}

/// What a launcher needs.
pub struct Launch {
    /// The name of the format.
    pub format: String,
    /// What it is for.
    pub summary: String,
    /// The indices of its files among the report's files.
    pub files: Vec<usize>,
    /// The command that starts the job with them.
    pub command: String,
}

/// How long ranks were in MPI.
pub struct TimeInMpi {
    /// Seconds in all and in MPI of each rank; `None` if it is not known.
    pub ranks: Vec<Option<(f64, f64)>>,
    /// The time of all ranks in each call, in any order.
    pub calls: Vec<CallTime>,
}

/// The time of all ranks in one call with one class of partners.
pub struct CallTime {
    /// Its name.
    pub call: String,
    /// The class of partners.
    pub partner: &'static str,
    /// How often it was called.
    pub calls: u64,
    /// How long all calls took together.
    pub seconds: f64,
}

impl Placed {
    /// A placement that was found or given elsewhere, scored by hop-bytes.
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
    /// A report that compares a placement with the present one of a job. All other fields may be
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

    /// The placements under which the machine is drawn: two, unless they are the same.
    pub(super) fn drawn(&self) -> Vec<&Placed> {
        let (default, chosen) = (self.default(), self.chosen());
        match default.mapping.slots() == chosen.mapping.slots() {
            true => vec![chosen],
            false => vec![default, chosen],
        }
    }
}
