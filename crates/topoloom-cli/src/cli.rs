//! The definition of the command line.

use std::path::PathBuf;

use clap::{Parser, Subcommand};

use crate::commands::advise::AdviseArguments;
use crate::commands::apply::ApplyArguments;
use crate::commands::arrange::arguments::ArrangeArguments;
use crate::commands::check::CheckArguments;
use crate::commands::compare::arguments::CompareArguments;
use crate::commands::docs::DocsArguments;
use crate::commands::generate::GenerateArguments;
use crate::commands::list::ListArguments;
use crate::commands::machine::arguments::MachineArguments;
use crate::commands::map::MapArguments;
use crate::commands::plot::arguments::PlotArguments;
use crate::commands::record::RecordArguments;
use crate::commands::report::arguments::ReportArguments;
use crate::commands::reproduce::arguments::ReproduceArguments;
use crate::commands::run::arguments::RunArguments;
use crate::commands::schedule::arguments::ScheduleArguments;
use crate::commands::score::ScoreArguments;
use crate::commands::simulate::SimulateArguments;
use crate::commands::traffic::arguments::TrafficArguments;
use crate::commands::tune::arguments::TuneArguments;
use crate::commands::verify::VerifyArguments;
use crate::examples;
use crate::jobs::probe::PROGRAM;

/// Place the processes of a parallel program so that their messages travel short distances
#[derive(Debug, Parser)]
#[command(name = "topoloom", version, max_term_width = 100, after_help = examples::ALL)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Find a placement and write it to a file
    #[command(after_help = examples::MAP)]
    Map(MapArguments),
    /// Show how good a placement is
    #[command(after_help = examples::SCORE)]
    Score(ScoreArguments),
    /// Run several strategies and show them best first
    #[command(after_help = examples::COMPARE)]
    Compare(CompareArguments),
    /// Write one page that shows why a placement is better
    #[command(after_help = examples::REPORT)]
    Report(ReportArguments),
    /// Draw a picture, as SVG or PNG
    #[command(after_help = examples::PLOT)]
    Plot(PlotArguments),
    /// Simulate how fast a placement would run: replay what the ranks do on a simulated network
    #[command(after_help = examples::SIMULATE)]
    Simulate(SimulateArguments),
    /// Recommend a shape of partition to ask for: place and simulate the job on each shape
    #[command(after_help = examples::ADVISE)]
    Advise(AdviseArguments),
    /// Write a mapping in the format of a launcher, and print the command that starts the job
    #[command(after_help = examples::APPLY)]
    Apply(ApplyArguments),
    /// Run an MPI job and record what it sends
    #[command(after_help = examples::RECORD)]
    Record(RecordArguments),
    /// Run an MPI job with the ranks of a placement: processes get new rank numbers, but none moves
    #[command(after_help = examples::RUN)]
    Run(RunArguments),
    /// Start a job as a probe and check whether every rank is where a mapping put it
    #[command(after_help = examples::VERIFY)]
    Verify(VerifyArguments),
    /// Record a job, describe its machine, find a better placement, verify it, and print the new
    /// command
    #[command(after_help = examples::TUNE)]
    Tune(TuneArguments),
    /// The program that a launcher starts as a probe
    #[command(name = PROGRAM, hide = true)]
    Probe,
    /// Check a mapping file (exit code 0: valid, 1: not valid, 2: unreadable)
    #[command(after_help = examples::CHECK)]
    Check(CheckArguments),
    /// Write a traffic pattern to a file, or convert a traffic file
    #[command(after_help = examples::GENERATE)]
    Generate(GenerateArguments),
    /// Inspect or transform traffic
    #[command(after_help = examples::TRAFFIC)]
    Traffic(TrafficArguments),
    /// Show a machine, or describe one from this node or from files
    #[command(after_help = examples::MACHINE)]
    Machine(MachineArguments),
    /// Divide a matrix among processors of different speeds, and arrange the parts for the network
    #[command(after_help = examples::ARRANGE)]
    Arrange(ArrangeArguments),
    /// Simulate a stream of jobs on a machine: which jobs wait, which nodes they get, how long they
    /// take
    #[command(after_help = examples::SCHEDULE)]
    Schedule(ScheduleArguments),
    /// List available topologies, traffic patterns, collective modes, strategies, refiners,
    /// objectives, routings, simulation models, formats of traffic, traces and launch files,
    /// strategies and measures of `arrange`, and policies and workloads of `schedule`
    #[command(after_help = examples::LIST)]
    List(ListArguments),
    /// Compute a paper's tables and show them beside the published ones
    #[command(after_help = examples::REPRODUCE)]
    Reproduce(ReproduceArguments),
    /// Print a page of the documentation, or list all pages
    #[command(after_help = examples::DOCS)]
    Docs(DocsArguments),
    /// Print shell completions
    #[command(after_help = examples::COMPLETIONS)]
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// Print the manual page, or write all pages to a directory
    #[command(after_help = examples::MAN)]
    Man {
        /// Write topoloom.1, topoloom-map.1 and so on to this directory
        #[arg(long, value_name = "DIRECTORY")]
        directory: Option<PathBuf>,
    },
}
