//! `topoloom tune`: from a job to a better placed one, in one command, and never to a worse one.

mod clock;
mod command;
mod outcome;
mod placing;
mod present;
mod proposal;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{ExitCode, Stdio};

use anyhow::{Context, bail};
use clap::{Args, ValueEnum};
use topoloom::core::cluster::Description;
use topoloom::core::{Traffic, Weight, parse_strategy};
use topoloom::io::launch::{self, LaunchEntry};
use topoloom::io::{Probe, Recording, read_recording};

use super::baseline::Worth;
use super::launcher::kind::Kind;
use super::machine::join;
use super::preload::Scratch;
use super::probe::probe;
use super::seats::SeatArguments;
use super::{record, verify};
use crate::cli::{CollectiveArguments, LaunchArguments, RecordArguments, SearchArguments};
use crate::inputs::{load_machine, load_traffic};
use crate::output::numbers::plural;
use crate::output::{fail, inform, print, print_json, warn};
use crate::outputs;
use clock::Clock;
use command::Job;
use outcome::Outcome;
use placing::Placing;
use proposal::Proposal;

/// What to tune, and how.
#[derive(Debug, Args)]
pub struct TuneArguments {
    /// Use this traffic instead of a recording of the job
    #[arg(long, value_name = "TRAFFIC")]
    pub traffic: Option<String>,
    /// Use this machine instead of what the hosts of the job report
    #[arg(long, value_name = "MACHINE")]
    pub machine: Option<String>,
    /// Describe the network between the hosts by a file (Slurm's topology.conf, ibnetdiscover)
    #[arg(long, value_name = "FILE", conflicts_with = "machine")]
    pub network: Option<PathBuf>,
    /// What counts: bytes or messages
    #[arg(long, default_value = "bytes")]
    pub weight: Weight,
    #[command(flatten)]
    pub collectives: CollectiveArguments,
    /// The strategy, optionally followed by refiners
    #[arg(long, default_value = "auto")]
    pub strategy: String,
    #[command(flatten)]
    pub search: SearchArguments,
    /// Keep the seats of the job and exchange ranks among them, or choose other seats on its hosts
    #[arg(long, value_name = "WHICH", default_value = "same")]
    pub seats: Seats,
    #[command(flatten)]
    pub rules: SeatArguments,
    /// Keep the present placement if the estimated gain is below this share
    #[arg(long, value_name = "SHARE", default_value = "1%")]
    pub worth: Worth,
    /// Run the old and the new command N times each, in turn, and decide by the clock
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub measure: Option<u32>,
    /// The format of the launch file [default: what the launcher takes, see `topoloom list launch`]
    #[arg(long, value_name = "NAME")]
    pub format: Option<String>,
    /// Begin the names of all files with NAME: NAME.rec, NAME.machine.json, NAME.mapping.json,
    /// NAME.launch
    #[arg(long, value_name = "NAME", default_value = "tuned")]
    pub prefix: PathBuf,
    /// Let ranks write to this folder, which every host must reach [default: beside the files]
    #[arg(long, value_name = "FOLDER")]
    pub scratch: Option<PathBuf>,
    #[command(flatten)]
    pub launch: LaunchArguments,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
    /// The job, after `--`, such as: mpirun -n 16 ./app
    #[arg(required = true, trailing_var_arg = true, value_name = "COMMAND")]
    pub command: Vec<OsString>,
}

/// Which seats a job may have after tuning.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Seats {
    /// The seats that it has now
    Same,
    /// Any seats on its hosts, by the rules for seats
    Any,
}

impl TuneArguments {
    /// A file that is written: the prefix and an ending.
    fn file(&self, ending: &str) -> PathBuf {
        let mut name = self.prefix.clone().into_os_string();
        name.push(ending);
        PathBuf::from(name)
    }

    fn scratch(&self, purpose: &str) -> anyhow::Result<Scratch> {
        let beside = self.prefix.parent().filter(|parent| !parent.as_os_str().is_empty());
        Scratch::new(self.scratch.as_deref().or(beside).unwrap_or(Path::new(".")), purpose)
    }

    /// What cannot be meant together.
    fn check(&self) -> anyhow::Result<()> {
        let rules = self.rules.restricts() || self.rules.cpus_per_rank.is_some();
        if self.seats == Seats::Same && rules {
            bail!(
                "--cpus-per-rank, --ranks-per-node, --spread and --pack choose seats that the job \
                 does not have: also give --seats any"
            );
        }
        Ok(())
    }
}

/// Exit code 0, or 1 if no launch file brings the ranks to their seats, or 2 if it failed.
pub fn run(arguments: TuneArguments) -> ExitCode {
    match tune(&arguments) {
        Ok(outcome) => {
            match arguments.json {
                true => print_json(&outcome.record()),
                false => print(&outcome.text()),
            }
            ExitCode::from(u8::from(outcome.cannot_be_launched()))
        }
        Err(error) => fail(&error),
    }
}

fn tune(arguments: &TuneArguments) -> anyhow::Result<Outcome> {
    arguments.check()?;
    let strategy = parse_strategy(&arguments.strategy)?;
    // What is wrong whatever the launcher is, before anything is started.
    arguments.format.as_deref().map(usable_format).transpose()?;
    for file in [".rec", ".launch", ".launch.bind", ".machine.json", ".mapping.json"] {
        let inputs = [&arguments.traffic, &arguments.machine].into_iter().flatten();
        outputs::check(&arguments.file(file), inputs.map(String::as_str))?;
    }
    for name in command::variables_that_place_ranks() {
        warn(&format!("{name} is set in the environment and may override the launch file"));
    }
    // Where the ranks are now, before anything that takes long.
    inform("finding out where the ranks are ...");
    let limit = arguments.launch.launch_timeout;
    let probed = probe(&arguments.command, &arguments.scratch("probe")?, limit)?.probe;
    verify::refuse_several_jobs(&probed)?;
    let format = launch_format(arguments, &probed)?;
    let job = Job::of(&arguments.command, &probed)?;
    let description = described(arguments, &probed)?;
    let present = present::seats(&probed, &description)?;

    let recorded = recorded(arguments)?;
    let traffic = traffic(arguments, recorded.as_ref(), present.seats.len())?;
    let placing = Placing::new(arguments, strategy.as_ref(), &description, present)?;
    let placed = placing.place(traffic, recorded.as_ref())?;
    let mut outcome = Outcome::new(arguments, &placing, &placed);
    // Even what is not worth its trouble by the estimate may be tried by the clock, if seats change.
    if !outcome.is_worth_trying() {
        placed.write_present(arguments)?;
        return Ok(outcome);
    }
    let proposal = Proposal::new(arguments, format, &job, &placed)?;
    let is_right = proposal.is_right();
    outcome.propose(proposal);
    if let Some(times) = arguments.measure.filter(|_| is_right) {
        let clock = Clock::new(arguments, limit, recorded.as_ref());
        outcome.measured(clock.measure(times, &outcome.new_words())?);
    }
    if outcome.keeps_the_old_command() {
        placed.write_present(arguments)?;
        proposal::remove_files(arguments);
    }
    Ok(outcome)
}

/// A launch format by its name, if jobs can be tuned with it.
fn usable_format(name: &str) -> anyhow::Result<&'static LaunchEntry> {
    let format = launch::find(name)?;
    match format.build.needs_hosts {
        true => Ok(format),
        false => bail!("--format {name} does not name hosts, so a job cannot be tuned for it"),
    }
}

/// The format that the launcher takes, or the one that was given if the launcher can take it. A
/// launcher is known by its file. If that is a script, the ranks say who has started them.
fn launch_format(arguments: &TuneArguments, probe: &Probe) -> anyhow::Result<&'static LaunchEntry> {
    let launcher = &arguments.command[0];
    let by_ranks = || Kind::of_starter(&probe.ranks.first()?.starter);
    let usual = Kind::of_program(launcher).or_else(by_ranks).map(Kind::format);
    let name = arguments.format.as_deref().or(usual).with_context(|| {
        format!(
            "{}: cannot tell which launcher this is, neither from the file nor from the ranks; \
             give --format",
            launcher.display()
        )
    })?;
    let format = usable_format(name)?;
    // `openmpi4-rankfile` and `openmpi-seq` are for one family of launchers.
    let family = |name: &str| {
        let first = name.split('-').next().unwrap_or_default();
        first.trim_end_matches(|letter: char| letter.is_ascii_digit()).to_string()
    };
    match usual.map(family) {
        Some(known) if known != family(name) => {
            bail!("--format {name}: {} takes {}", launcher.display(), usual.unwrap_or_default())
        }
        _ => Ok(format),
    }
}

/// The machine that is meant: one that was given, or what the hosts say of themselves.
fn described(arguments: &TuneArguments, probe: &Probe) -> anyhow::Result<Description> {
    if let Some(machine) = &arguments.machine {
        let machine = load_machine(machine, None)?;
        let cluster = machine.topology().cluster().context(
            "expected a machine whose hosts are known: a described one (see `topoloom machine`)",
        )?;
        return Ok(Description { seats: Vec::new(), ..cluster.description().clone() });
    }
    let joined = join::probed(probe, arguments.network.as_deref())?;
    joined.warnings.iter().for_each(|warning| warn(warning));
    Ok(joined.description)
}

/// Runs the job under the recorder, unless its traffic is known.
fn recorded(arguments: &TuneArguments) -> anyhow::Result<Option<Recording>> {
    if arguments.traffic.is_some() {
        return Ok(None);
    }
    let output = arguments.file(".rec");
    inform(&format!("recording {} ...", record::shown(&arguments.command)));
    let wanted = RecordArguments {
        trace: false,
        // What is measured is compared with the time in MPI.
        times: arguments.measure.is_some(),
        output: output.clone(),
        scratch: arguments.scratch.clone(),
        recover: None,
        command: arguments.command.clone(),
    };
    // What the job prints is not what this command says.
    let recorded = record::record(&wanted, Stdio::from(std::io::stderr()))?;
    if recorded.ended.interrupted {
        bail!("interrupted; what was recorded is in {}", output.display());
    }
    if !recorded.ended.status.success() {
        bail!(
            "the job failed ({}). If it always ends like this, record it separately and give \
             --traffic {}",
            recorded.ended.status,
            output.display()
        );
    }
    match &recorded.paths[..] {
        [path] => Ok(Some(read_recording(path)?)),
        several => {
            let names: Vec<String> =
                several.iter().map(|path| path.display().to_string()).collect();
            bail!("the command started several jobs: {}; tune one of them", names.join(", "))
        }
    }
}

/// What the ranks send.
fn traffic(
    arguments: &TuneArguments,
    recorded: Option<&Recording>,
    started: usize,
) -> anyhow::Result<Traffic> {
    let recording = arguments.file(".rec").display().to_string();
    let name = match recorded {
        Some(_) => &recording,
        None => arguments.traffic.as_ref().context("there is traffic or a recording")?,
    };
    let traffic = load_traffic(name, arguments.weight, arguments.collectives.mode)?;
    match traffic.num_ranks() {
        ranks if ranks == started => Ok(traffic),
        ranks => {
            let started = plural(started, "rank");
            bail!("{} in the traffic, but {started} started", plural(ranks, "rank"))
        }
    }
}

/// Words as the system takes them.
fn as_words(command: &str) -> Vec<OsString> {
    // Launchers have to be seen to be told what other hosts need.
    let words = command::words(command);
    let words = words.unwrap_or_else(|| ["sh", "-c", command].map(String::from).to_vec());
    words.into_iter().map(OsString::from).collect()
}
