//! `topoloom apply`: files that tell a launcher where to put the ranks, and the command to start
//! the job.

use std::path::{Path, PathBuf};

use clap::Args;
use serde::Serialize;
use topoloom::io::STANDARD_OUTPUT;
use topoloom::io::launch::{self, Launch};

use crate::files;
use crate::output::{inform, print, print_file, print_json, warn};
use crate::outputs;

#[derive(Debug, Args)]
pub struct ApplyArguments {
    /// The mapping file
    #[arg(long, value_name = "FILE")]
    pub mapping: PathBuf,
    /// The format of the launch file, such as openmpi5-rankfile (see `topoloom list launch`)
    #[arg(long, value_name = "NAME")]
    pub format: String,
    /// The hosts of the allocation, such as n[01-16]:4,login, or a file with one host per line
    /// [default: the hosts of the mapping, if it names any]
    #[arg(long, value_name = "LIST")]
    pub hosts: Option<String>,
    /// Write the launch file to FILE, and a second one, FILE.bind, if binding needs it [default:
    /// standard output]
    #[arg(long, short, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// The program that the job runs, with its arguments
    #[arg(long, value_name = "COMMAND", default_value = "./app")]
    pub command: String,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// The launch files and the command, as JSON.
#[derive(Debug, Serialize)]
struct Record<'a> {
    command: &'a str,
    files: Vec<FileRecord<'a>>,
}

#[derive(Debug, Serialize)]
struct FileRecord<'a> {
    path: Option<String>,
    content: &'a str,
}

pub fn run(mut arguments: ApplyArguments) -> anyhow::Result<()> {
    // A launcher cannot be told to read what goes to standard output.
    let is_standard_output = |output: &PathBuf| output == Path::new(STANDARD_OUTPUT);
    let takes_standard_output = arguments.output.as_ref().is_some_and(is_standard_output);
    arguments.output = arguments.output.filter(|output| !is_standard_output(output));
    let format = launch::find(&arguments.format)?;
    if let Some(output) = &arguments.output {
        outputs::check(output, [])?;
    }
    let hosts = arguments.hosts.as_deref().map(files::read_hosts).transpose()?;
    let mapping = files::read_mapping(&arguments.mapping)?;
    let launch = Launch::new(&mapping, hosts.as_deref(), format)?;
    let output = arguments.output.as_deref();
    let prepared = launch::prepare(format, &launch, output, &arguments.command)?;
    let mut warnings = prepared.warnings.clone();
    if prepared.lacks_second_file {
        let unbound = "the command does not bind ranks to cores, because that needs a second file";
        warnings.push(format!("{unbound}: give --output"));
    }
    let mapping = arguments.mapping.to_string_lossy();
    let inputs = [Some(&*mapping), arguments.hosts.as_deref()];
    for file in prepared.files.iter().filter(|_| output.is_some()) {
        outputs::check(&file.path, inputs.into_iter().flatten())?;
    }
    if arguments.json {
        if output.is_some() {
            launch::write_files(&prepared)?;
        }
        if takes_standard_output {
            print_file(&prepared.files[0].content);
        }
        warnings.iter().for_each(|warning| warn(warning));
        let path = |file: &launch::LaunchFile| output.map(|_| file.path.display().to_string());
        let files = prepared.files.iter();
        let files =
            files.map(|file| FileRecord { path: path(file), content: &file.content }).collect();
        print_json(&Record { command: &prepared.command, files });
        return Ok(());
    }
    if output.is_some() {
        launch::write_files(&prepared)?;
        warnings.iter().for_each(|warning| warn(warning));
        print(&format!("{}\n", prepared.command));
    } else {
        match takes_standard_output {
            true => print_file(&prepared.files[0].content),
            false => print(&prepared.files[0].content),
        }
        warnings.iter().for_each(|warning| warn(warning));
        inform(&prepared.command);
    }
    Ok(())
}
