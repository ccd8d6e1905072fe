//! The result of tuning: a command, and what is known about it.

use std::ffi::OsString;

use serde::Serialize;
use topoloom::core::cluster::{Costs, ObjectKind};
use topoloom::core::{LevelWeight, Score, Weight};

use super::arguments::{Seats, TuneArguments};
use super::clock::{Measured, median};
use super::command::as_words;
use super::placing::{Placed, Placing};
use super::proposal::Proposal;
use crate::arguments::Worth;
use crate::output::numbers::{bytes, duration, fine_percent, grouped, percent, plural_amount};
use crate::output::table::{numbers_table, wrapped};
use crate::shell_words::shown;

/// What is known about the old and the new command.
pub struct Outcome {
    old: Vec<OsString>,
    weight: Weight,
    worth: Worth,
    /// Whether the clock decides.
    by_clock: bool,
    chooses_seats: bool,
    has_cores_for_all: bool,
    mapping: String,
    machine: String,
    seats_in_words: String,
    same_seats: bool,
    by_hosts: bool,
    moves: bool,
    objective: &'static str,
    gain: f64,
    before: Score,
    after: Score,
    proposal: Option<Proposal>,
    measured: Option<Measured>,
}

#[derive(Serialize)]
pub struct OutcomeRecord {
    old_command: Vec<String>,
    new_command: Vec<String>,
    /// The new command for a shell.
    command: String,
    /// `same` or `changed`.
    seats: &'static str,
    estimated_gain: f64,
    measured: Option<MeasuredRecord>,
    /// Whether the old command is kept.
    kept: bool,
    /// The words of the verdict.
    verdict: String,
    mapping: String,
    machine: String,
    objective: &'static str,
    /// Whether the new command was tried, and every rank was found in its seat.
    verified: Option<bool>,
    format: Option<&'static str>,
    cost_before: f64,
    cost: f64,
    levels: Vec<LevelRecord>,
}

#[derive(Serialize)]
struct MeasuredRecord {
    before_seconds: Vec<f64>,
    after_seconds: Vec<f64>,
    faster: bool,
    p_value: Option<f64>,
    mpi_share_before: Option<f64>,
    mpi_share_after: Option<f64>,
    /// Why the new command cannot be used.
    failed: Option<String>,
}

#[derive(Serialize)]
struct LevelRecord {
    level: String,
    part: &'static str,
    cost: u32,
    before: f64,
    after: f64,
}

impl Outcome {
    /// The outcome before anything was tried.
    pub fn new(arguments: &TuneArguments, placing: &Placing<'_>, placed: &Placed) -> Outcome {
        let name = |ending: &str| arguments.file(ending).display().to_string();
        Outcome {
            old: arguments.command.clone(),
            weight: arguments.weight,
            worth: arguments.worth,
            by_clock: arguments.measure.is_some(),
            chooses_seats: arguments.seats == Seats::Any,
            has_cores_for_all: placing.has_cores_for_all(),
            mapping: name(".mapping.json"),
            machine: name(".machine.json"),
            seats_in_words: placing.present.in_words(),
            same_seats: placed.same_seats,
            by_hosts: placed.by_hosts,
            moves: placed.moves(),
            objective: placed.objective,
            gain: placed.gain,
            before: placed.before.clone(),
            after: placed.after.clone(),
            proposal: None,
            measured: None,
        }
    }

    fn has_gain(&self) -> bool {
        self.gain > 0.0 && self.gain >= self.worth.share()
    }

    /// Whether the new placement deserves a launch file: it gains enough by the estimate, or other
    /// seats may be chosen and the clock decides.
    pub fn is_worth_trying(&self) -> bool {
        self.moves && (self.has_gain() || (self.chooses_seats && self.by_clock))
    }

    pub fn propose(&mut self, proposal: Proposal) {
        self.proposal = Some(proposal);
    }

    pub fn measured(&mut self, measured: Measured) {
        self.measured = Some(measured);
    }

    /// Whether no launch file brings the ranks to their seats.
    pub fn cannot_be_launched(&self) -> bool {
        self.proposal.as_ref().is_some_and(|proposal| !proposal.is_right())
    }

    /// Whether there is nothing better than the user's command.
    pub fn keeps_the_old_command(&self) -> bool {
        let found = matches!(&self.proposal, Some(Proposal::Right { .. }));
        let is_slower = self.measured.as_ref().is_some_and(|measured| !measured.faster);
        !found || is_slower
    }

    /// The command that was tried, as words.
    pub fn new_words(&self) -> Vec<OsString> {
        match &self.proposal {
            Some(Proposal::Right { command, .. }) => as_words(command),
            _ => self.old.clone(),
        }
    }

    /// The command to use, for a shell.
    fn command(&self) -> String {
        match &self.proposal {
            Some(Proposal::Right { command, .. }) if !self.keeps_the_old_command() => {
                command.clone()
            }
            _ => shown(&self.old),
        }
    }

    fn levels(&self) -> impl Iterator<Item = (String, u32, f64, f64)> {
        let mut rows: Vec<(String, u32, f64, f64)> = Vec::new();
        let mut add = |levels: &Option<Vec<LevelWeight>>, is_after: bool| {
            for level in levels.iter().flatten() {
                let known =
                    rows.iter_mut().find(|row| row.0 == level.name && row.1 == level.distance);
                let (before, after) =
                    if is_after { (0.0, level.weight) } else { (level.weight, 0.0) };
                match known {
                    Some(row) => {
                        row.2 += before;
                        row.3 += after;
                    }
                    None => rows.push((level.name.clone(), level.distance, before, after)),
                }
            }
        };
        add(&self.before.levels, false);
        add(&self.after.levels, true);
        rows.sort_by_key(|row| row.1);
        rows.into_iter()
    }

    pub fn record(&self) -> OutcomeRecord {
        let text = |words: &[OsString]| -> Vec<String> {
            words.iter().map(|word| word.to_string_lossy().into_owned()).collect()
        };
        let kept = self.keeps_the_old_command();
        let new = if kept { self.old.clone() } else { self.new_words() };
        let (verified, format) = match &self.proposal {
            None => (None, None),
            Some(Proposal::Right { format, .. }) => (Some(true), Some(*format)),
            Some(Proposal::Wrong { .. }) => (Some(false), None),
        };
        OutcomeRecord {
            old_command: text(&self.old),
            new_command: text(&new),
            command: self.command(),
            seats: if self.same_seats || kept { "same" } else { "changed" },
            estimated_gain: self.gain.max(0.0),
            measured: self.measured.as_ref().map(|measured| MeasuredRecord {
                before_seconds: measured.before.clone(),
                after_seconds: measured.after.clone(),
                faster: measured.faster,
                p_value: measured.p_value,
                mpi_share_before: measured.shares.map(|shares| shares.0),
                mpi_share_after: measured.shares.map(|shares| shares.1),
                failed: measured.failed.clone(),
            }),
            kept,
            verdict: self.verdict(),
            mapping: self.mapping.clone(),
            machine: self.machine.clone(),
            objective: self.objective,
            verified,
            format,
            cost_before: self.before.hop_bytes,
            cost: self.after.hop_bytes,
            levels: self
                .levels()
                .map(|(level, cost, before, after)| LevelRecord {
                    part: part(&level),
                    level,
                    cost,
                    before,
                    after,
                })
                .collect(),
        }
    }

    pub fn text(&self) -> String {
        let mut text = format!("\nseats: {}\n", self.seats_in_words);
        text += "\nWhat travels through which level:\n\n";
        text += &self.levels_table();
        if let Some(measured) = &self.measured {
            text += "\nMeasured times:\n\n";
            text += &measured_table(measured);
        }
        if let Some(Proposal::Wrong { reasons }) = &self.proposal {
            for reason in reasons {
                text += &format!("\n{reason}\n");
            }
        }
        text += &format!("\n{}\n", wrapped(&self.verdict(), ""));
        for note in self.notes() {
            text += &format!("{}\n", wrapped(&note, ""));
        }
        text + &format!("\n{}\n", self.command())
    }

    /// The verdict, in a sentence or two.
    fn verdict(&self) -> String {
        let what = if self.by_hosts { "communication between hosts" } else { "communication" };
        let gain = fine_percent(self.gain);
        let estimate = format!("Estimated: {what} costs {gain} less ({})", self.objective);
        match (&self.proposal, &self.measured) {
            (None, _) if !self.moves => {
                "No better placement was found. The old command stays.".to_string()
            }
            (None, _) if self.gain <= 0.0 => {
                "No better placement was found. The old command stays.".to_string()
            }
            (None, _) => format!(
                "{estimate}, which is below {} (--worth). The old command stays.",
                self.worth
            ),
            (Some(Proposal::Wrong { .. }), _) => {
                "No new command puts every rank on its seat (see above). The old command stays."
                    .to_string()
            }
            (Some(Proposal::Right { verdict, .. }), None) => format!(
                "{estimate}. How much time that saves is not known; give --measure 5 to find out. {}.",
                capitalised(&verdict.sentence)
            ),
            (Some(Proposal::Right { .. }), Some(measured)) => measured_in_words(measured),
        }
    }

    /// What else the user should know.
    fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        if self.by_hosts {
            let inside = |level: &(String, u32, f64, f64)| {
                level.1 > 0 && Costs::switch_level(&level.0).is_none()
            };
            let all: f64 = self.levels().map(|level| level.2).sum();
            let inside: f64 = self.levels().filter(inside).map(|level| level.2).sum();
            let share = if all > 0.0 { inside / all } else { 0.0 };
            let hint = match (self.chooses_seats, self.has_cores_for_all) {
                (true, _) => {
                    "The effect of binding inside hosts is not estimated: it has to be measured."
                }
                (false, true) => {
                    "Binding them to cores may make that faster: `--seats any --measure 5` tries it."
                }
                (false, false) => "There are fewer cores than ranks: binding would not help.",
            };
            notes.push(format!(
                "The ranks are not bound to CPUs, so only what crosses hosts is compared. {} ({}) stay \
                 inside hosts. {hint}",
                self.amount(inside),
                percent(share)
            ));
        }
        notes
    }

    fn amount(&self, weight: f64) -> String {
        match self.weight {
            Weight::Bytes => bytes(weight),
            Weight::Messages => plural_amount(weight, "message"),
        }
    }

    fn levels_table(&self) -> String {
        let change = |before: f64, after: f64| match before {
            before if before == after => "-".to_string(),
            0.0 => "new".to_string(),
            _ => format!("{:+.1} %", (after / before - 1.0) * 100.0),
        };
        let amount = |weight: f64| match self.weight {
            Weight::Bytes => bytes(weight),
            Weight::Messages => grouped(weight),
        };
        let mut rows: Vec<Vec<String>> = self
            .levels()
            .map(|(level, cost, before, after)| {
                let part = part(&level).to_string();
                let change = change(before, after);
                vec![level, part, cost.to_string(), amount(before), amount(after), change]
            })
            .collect();
        if !self.by_hosts || self.same_seats {
            let (before, after) = (self.before.hop_bytes, self.after.hop_bytes);
            rows.push(vec![
                "cost".to_string(),
                String::new(),
                String::new(),
                grouped(before),
                grouped(after),
                change(before, after),
            ]);
        }
        numbers_table(&["level", "part", "cost", "now", "found", "change"], &rows)
    }
}

fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
}

fn measured_table(measured: &Measured) -> String {
    let row = |name: &str, seconds: &[f64], share: Option<f64>| {
        let least = seconds.iter().copied().fold(f64::INFINITY, f64::min);
        let most = seconds.iter().copied().fold(0.0, f64::max);
        let time = |value: f64| if value.is_finite() { duration(value) } else { "-".to_string() };
        let most = if seconds.is_empty() { "-".to_string() } else { time(most) };
        vec![
            name.to_string(),
            seconds.len().to_string(),
            time(median(seconds)),
            time(least),
            most,
            share.map_or("-".to_string(), percent),
        ]
    };
    let shares = measured.shares;
    let rows = [
        row("old command", &measured.before, shares.map(|shares| shares.0)),
        row("new command", &measured.after, shares.map(|shares| shares.1)),
    ];
    numbers_table(&["", "runs", "median", "least", "most", "in MPI"], &rows)
}

fn measured_in_words(measured: &Measured) -> String {
    if let Some(failure) = &measured.failed {
        return format!("The new command failed: {failure}. The old command stays.");
    }
    let (before, after) = (median(&measured.before), median(&measured.after));
    let p = measured.p_value.unwrap_or(1.0);
    let change = match after < before {
        true => format!("{} less time", fine_percent(1.0 - after / before)),
        false => format!("{} more time", fine_percent(after / before - 1.0)),
    };
    match measured.faster {
        true => format!("Measured: the new command takes {change} (p = {p:.3}, a rank test)."),
        false if measured.before.len() < 3 => format!(
            "Measured: the new command takes {change}, but fewer than 3 runs are not enough to \
             decide. The old command stays."
        ),
        false => format!(
            "Measured: the new command takes {change}, which may be due to chance (p = {p:.3}, a \
             rank test). It is not faster. The old command stays."
        ),
    }
}

/// The usual word for a level.
fn part(level: &str) -> &'static str {
    if Costs::switch_level(level).is_some() {
        return "network";
    }
    match level.parse::<ObjectKind>() {
        Ok(ObjectKind::Core | ObjectKind::Thread) => "core",
        Ok(ObjectKind::L1 | ObjectKind::L2 | ObjectKind::L3 | ObjectKind::L4) => "cache",
        Ok(ObjectKind::Die | ObjectKind::Numa | ObjectKind::Package) => "socket",
        Ok(ObjectKind::Group | ObjectKind::Node) => "host",
        Ok(ObjectKind::Gpu) | Err(_) => "",
    }
}
