//! `topoloom tune`: from a job to a better placed one, in one command.

mod command;
mod gain;
mod present;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, bail};
use clap::Args;
use topoloom::core::cluster::{Description, Seating};
use topoloom::core::topology::Cluster;
use topoloom::core::{CollectiveMode, Machine, Problem, Score, Weight, parse_strategy, score};
use topoloom::io::launch::{self, Launch, LaunchEntry};
use topoloom::io::{MappingFile, Probe, write_machine_description, write_mapping};

use super::machine::join;
use super::preload::Scratch;
use super::probe::probe;
use super::record;
use super::search::Searches;
use super::verify;
use crate::cli::{RecordArguments, SearchArguments};
use crate::inputs::{load_machine, load_traffic};
use crate::output::{inform, print, print_json, warn};
use command::Job;

/// What to tune, and how.
#[derive(Debug, Args)]
pub struct TuneArguments {
    /// Traffic that is known already, instead of a recording of the job
    #[arg(long, value_name = "TRAFFIC")]
    pub traffic: Option<String>,
    /// The machine, instead of what the hosts of the job say of themselves
    #[arg(long, value_name = "MACHINE")]
    pub machine: Option<String>,
    /// A file that describes the network between the hosts (Slurm's topology.conf, ibnetdiscover)
    #[arg(long, value_name = "FILE", conflicts_with = "machine")]
    pub network: Option<PathBuf>,
    /// What counts: bytes or messages
    #[arg(long, default_value = "bytes")]
    pub weight: Weight,
    /// What becomes of collectives: none, direct or algorithm
    #[arg(long, default_value = "algorithm", value_name = "MODE")]
    pub collectives: CollectiveMode,
    /// The strategy, and refiners after it
    #[arg(long, default_value = "auto")]
    pub strategy: String,
    #[command(flatten)]
    pub search: SearchArguments,
    /// The format of the launch file [default: what the launcher takes, see `topoloom list launch`]
    #[arg(long, value_name = "NAME")]
    pub format: Option<String>,
    /// How the names of the files begin that are written: NAME.rec, NAME.machine.json,
    /// NAME.mapping.json, NAME.launch
    #[arg(long, value_name = "NAME", default_value = "tuned")]
    pub prefix: PathBuf,
    /// Where ranks write; every host must reach it [default: beside the files]
    #[arg(long, value_name = "FOLDER")]
    pub scratch: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
    /// The job, after `--`, such as: mpirun -n 16 ./app
    #[arg(required = true, trailing_var_arg = true, value_name = "COMMAND")]
    pub command: Vec<OsString>,
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
}

pub fn run(arguments: TuneArguments) -> anyhow::Result<()> {
    let strategy = parse_strategy(&arguments.strategy)?;
    let format = launch_format(&arguments)?;
    for file in [".rec", ".launch"] {
        record::check_output(&arguments.file(file))?;
    }
    for name in command::variables_that_place_ranks() {
        warn(&format!("{name} is set in the environment and may override the launch file"));
    }
    // Where the ranks are now, before anything that takes long.
    inform("looking where the ranks are ...");
    let probed = probe(&arguments.command, &arguments.scratch("probe")?)?;
    verify::refuse_several_jobs(&probed.probe)?;
    let job = Job::of(&arguments.command, &probed.probe)?;
    let machine = machine(&arguments, &probed.probe)?;
    let cluster = machine.topology().cluster().context(
        "expected a machine whose hosts are known: a described one (see `topoloom machine`)",
    )?;
    // Before the job runs for long in vain.
    let present = present::placement(&probed.probe, cluster)?;
    let description = cluster.description().clone();
    write_machine_description(&arguments.file(".machine.json"), &description)?;
    let traffic = recorded(&arguments)?;

    let traffic = load_traffic(&traffic, arguments.weight, arguments.collectives)?;
    if traffic.num_ranks() != probed.probe.ranks.len() {
        bail!(
            "{} ranks in the traffic, but {} were started",
            traffic.num_ranks(),
            probed.probe.ranks.len()
        );
    }
    let crowded = traffic.num_ranks() > machine.num_slots();
    let problem = Problem::with_imbalance(
        traffic,
        machine.clone(),
        arguments.weight,
        crowded.then_some(0.0),
    )?;
    let searches = Searches::new(arguments.search.clone())?;
    let found = searches
        .run_strategy(&arguments.strategy, strategy.as_ref(), &problem)
        .map_err(|reason| anyhow::anyhow!("{} is not applicable: {reason}", arguments.strategy))?;
    if found.run.was_cut_short() {
        warn("a limit cut the search short: this is the best so far");
    }
    searches.interrupt.forget();
    // Whoever has a better one already keeps it, unless ranks crowd where they need not.
    let objective = searches.objective.as_deref().unwrap_or(strategy.usual_objective());
    let present_mapping = problem.mapping(present.slots.clone()).ok();
    let kept =
        present_mapping.as_ref().filter(|mapping| objective.cost(&problem, mapping) <= found.cost);
    let mapping = kept.unwrap_or(&found.mapping);
    let kept = kept.is_some();

    let mapping_path = arguments.file(".mapping.json");
    let seating = Seating::of(mapping, cluster);
    let file = MappingFile {
        machine: Some(format!("{}:{}", Cluster::NAME, arguments.file(".machine.json").display())),
        node_of_rank: mapping.nodes(),
        slot_of_rank: Some(mapping.slots().to_vec()),
        strategy: Some(arguments.strategy.clone()),
        objective: Some(found.objective.to_string()),
        seed: Some(searches.seed()),
        imbalance: problem.imbalance(),
        seating: Some(seating),
    };
    write_mapping(&mapping_path, &file)?;
    let launch = Launch::new(&file, None, format)?;
    // Ranks may run in another folder.
    let output = std::path::absolute(arguments.file(".launch")).context("no current folder")?;
    let prepared = launch::prepare(format, &launch, Some(&output), &job.program())?;
    launch::write_files(&prepared)?;
    prepared.warnings.iter().for_each(|warning| warn(warning));
    let command = job.relaunched(&prepared.command);

    let gain = gain::Gain {
        present: match &present_mapping {
            Some(mapping) => score(&problem, mapping),
            None => crowded_score(&problem, &present)?,
        },
        tuned: score(&problem, mapping),
        weight: arguments.weight,
        how_present: present.how,
        was_crowded: present_mapping.is_none(),
    };
    let verified = verify_command(&arguments, &file, &command)?;
    let record = gain.record(&command, &mapping_path, &verified, kept);
    match arguments.json {
        true => print_json(&record),
        false => print(&gain.text(&command, &verified, kept)),
    }
    if !verified.is_right {
        inform(&verified.report);
    }
    if !verified.is_right {
        bail!("the new command does not put every rank where the mapping says");
    }
    Ok(())
}

/// The format that the launcher takes, or the one that was given if the launcher can take it.
fn launch_format(arguments: &TuneArguments) -> anyhow::Result<&'static LaunchEntry> {
    let launcher = &arguments.command[0];
    let option = if Path::new(launcher).ends_with("flux") { "version" } else { "--version" };
    let asked = Command::new(launcher).arg(option).stdin(Stdio::null()).output();
    let answer = asked.with_context(|| format!("cannot run {}", launcher.display()))?;
    let usual = launch::format_for(&String::from_utf8_lossy(&answer.stdout));
    let name = arguments.format.as_deref().or(usual).with_context(|| {
        format!(
            "{}: not a launcher that is known by its version; give --format",
            launcher.display()
        )
    })?;
    let format = launch::find(name)?;
    if !format.build.needs_hosts {
        bail!("--format {name} names no hosts, so that it cannot be tuned for");
    }
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

/// What a placement costs that puts more ranks in a place than the problem allows.
fn crowded_score(problem: &Problem, present: &present::Present) -> anyhow::Result<Score> {
    let (ranks, slots) = (problem.num_ranks(), problem.num_slots());
    let imbalance = present.crowd as f64 / ranks.div_ceil(slots) as f64 - 1.0;
    // A little more, for the number of ranks is rounded down.
    let allowed = Problem::with_imbalance(
        problem.traffic().clone(),
        problem.machine().clone(),
        problem.weight(),
        Some(imbalance + 1e-9),
    )?;
    Ok(score(&allowed, &allowed.mapping(present.slots.clone())?))
}

/// The machine that is meant: one that was given, or what the hosts say of themselves.
fn machine(arguments: &TuneArguments, probe: &Probe) -> anyhow::Result<Machine> {
    if let Some(machine) = &arguments.machine {
        return load_machine(machine, None);
    }
    let joined = join::probed(probe, arguments.network.as_deref())?;
    joined.warnings.iter().for_each(|warning| warn(warning));
    described(joined.description, &arguments.file(".machine.json"))
}

fn described(description: Description, path: &Path) -> anyhow::Result<Machine> {
    let cluster = std::sync::Arc::new(Cluster::new(description)?);
    Ok(Machine::with_topology(&format!("{}:{}", Cluster::NAME, path.display()), cluster)?)
}

/// Runs the job under the recorder, unless its traffic is known.
fn recorded(arguments: &TuneArguments) -> anyhow::Result<String> {
    if let Some(traffic) = &arguments.traffic {
        return Ok(traffic.clone());
    }
    let output = arguments.file(".rec");
    inform(&format!("recording {} ...", record::shown(&arguments.command)));
    let wanted = RecordArguments {
        trace: false,
        times: false,
        output,
        scratch: arguments.scratch.clone(),
        command: arguments.command.clone(),
    };
    // What the job prints is not what this command says.
    let record::Recorded { ended, paths } =
        record::record(&wanted, Stdio::from(std::io::stderr()))?;
    let [output] = &paths[..] else {
        let paths: Vec<String> = paths.iter().map(|path| path.display().to_string()).collect();
        bail!("expected one job, found {}: {}", paths.len(), paths.join(", "));
    };
    if ended.interrupted {
        bail!("interrupted; what was recorded is in {}", output.display());
    }
    if !ended.status.success() {
        warn("the job has failed: what it sent until then is what counts");
    }
    Ok(output.display().to_string())
}

/// Whether the ranks of the new command sit where they should.
fn verify_command(
    arguments: &TuneArguments,
    file: &MappingFile,
    command: &str,
) -> anyhow::Result<verify::Verdict> {
    inform("verifying the new command ...");
    let words = command::words(command);
    // Launchers have to be seen to be told what other hosts need.
    let words = words.unwrap_or_else(|| ["sh", "-c", command].map(String::from).to_vec());
    let words: Vec<OsString> = words.into_iter().map(OsString::from).collect();
    verify::verdict(file, &words, &arguments.scratch("verify")?)
}
