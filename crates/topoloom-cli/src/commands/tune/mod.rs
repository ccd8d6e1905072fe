//! `topoloom tune`: one command that turns a job into a better placed one, and never into a worse
//! one.

pub mod arguments;
mod clock;
mod command;
mod launch_format;
mod launchable;
mod outcome;
mod placing;
mod proposal;
mod traffic;

use anyhow::Context;
use topoloom::core::cluster::Description;
use topoloom::core::parse_strategy;
use topoloom::io::Probe;

use super::machine::join;
use super::verify;
use crate::inputs::load_machine;
use crate::jobs::probe::probe;
use crate::output::{inform, print, print_json, warn};
use crate::outputs;
use crate::placing::present::{self, Present};
use arguments::TuneArguments;
use clock::Clock;
use launch_format::usable_format;
use launchable::Launchable;
use outcome::Outcome;
use placing::Placing;
use proposal::Proposal;
use traffic::{recorded, traffic};

/// Exit code 0, or 1 if no launch file brings the ranks to their seats.
pub fn run(arguments: &TuneArguments) -> anyhow::Result<u8> {
    let outcome = tune(arguments)?;
    match arguments.json {
        true => print_json(&outcome.record()),
        false => print(&outcome.text()),
    }
    Ok(u8::from(outcome.cannot_be_launched()))
}

fn tune(arguments: &TuneArguments) -> anyhow::Result<Outcome> {
    arguments.check()?;
    let strategy = parse_strategy(&arguments.strategy)?;
    check_before_start(arguments)?;
    // Find out where the ranks are now, before anything that takes long.
    let JobAsItIs { launch, description, present } = JobAsItIs::find_out(arguments)?;
    let recorded = recorded(arguments)?;
    let traffic = traffic(arguments, present.seats.len())?;
    let placing = Placing::new(arguments, strategy.as_ref(), &description, present)?;
    let placed = placing.place(traffic, recorded.as_ref())?;
    let mut outcome = Outcome::new(arguments, &placing, &placed);
    // Even a placement that is not worth it by the estimate may be timed, if seats change.
    if !outcome.is_worth_trying() {
        placed.write_present(arguments)?;
        return Ok(outcome);
    }
    let proposal = Proposal::new(arguments, &launch, &placed)?;
    let is_right = proposal.is_right();
    outcome.propose(proposal);
    if let Some(times) = arguments.measure.filter(|_| is_right) {
        let clock = Clock::new(arguments, arguments.launch.launch_timeout, recorded.as_ref());
        outcome.measured(clock.measure(times, &outcome.new_words())?);
    }
    if outcome.keeps_the_old_command() {
        placed.write_present(arguments)?;
        proposal::remove_files(arguments);
    }
    Ok(outcome)
}

/// Refuses what is wrong with any launcher, before anything is started.
fn check_before_start(arguments: &TuneArguments) -> anyhow::Result<()> {
    let launched = arguments.format.as_deref().filter(|_| !arguments.runs_only());
    launched.map(usable_format).transpose()?;
    for file in [".rec", ".launch", ".launch.bind", ".machine.json", ".mapping.json"] {
        let inputs = [&arguments.traffic, &arguments.machine].into_iter().flatten();
        outputs::check(&arguments.file(file), inputs.map(String::as_str))?;
    }
    let of_launch_files = command::variables_that_place_ranks();
    for name in of_launch_files.iter().filter(|_| !arguments.may_run()) {
        warn(&format!("{name} is set in the environment and may override the launch file"));
    }
    Ok(())
}

/// What a probe reports about the job.
struct JobAsItIs {
    launch: anyhow::Result<Launchable>,
    description: Description,
    present: Present,
}

impl JobAsItIs {
    fn find_out(arguments: &TuneArguments) -> anyhow::Result<JobAsItIs> {
        inform("locating the ranks ...");
        let limit = arguments.launch.launch_timeout;
        let probed = probe(&arguments.command, &arguments.scratch("probe")?, limit)?.probe;
        verify::refuse_several_jobs(&probed)?;
        let launch = Launchable::of(arguments, &probed);
        // Other ways that do not need it may remain.
        let launch = if arguments.may_run() { launch } else { Ok(launch?) };
        let description = described(arguments, &probed)?;
        let present = present::seats(&probed, &description)?;
        Ok(JobAsItIs { launch, description, present })
    }
}

/// The machine: the given one, or the one that the hosts report.
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
