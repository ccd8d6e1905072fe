//! `topoloom machine`: shows and describes machines.

pub mod arguments;
mod export;
mod fabric;
pub mod join;
mod record;
mod routes;
mod show;
mod tree;

use topoloom::core::topology::Cluster;
use topoloom::io::{machine_content, write_machine_description};

use arguments::{JoinedArguments, MachineAction, MachineArguments, ShowArguments};

use crate::commands::measure;
use crate::inputs::load_machine;
use crate::output::{inform, print, print_json, warn};
use crate::outputs;
use crate::session;

pub fn run(arguments: MachineArguments) -> anyhow::Result<()> {
    let joined_by = match &arguments.action {
        MachineAction::Detect(arguments) => Some(&arguments.joined),
        MachineAction::Import(arguments) => Some(&arguments.joined),
        MachineAction::Show(_)
        | MachineAction::Routes(_)
        | MachineAction::Measure(_)
        | MachineAction::Export(_) => None,
    };
    if let Some(path) = joined_by.and_then(|arguments| arguments.output.as_ref()) {
        outputs::check(path, [])?;
    }
    match arguments.action {
        MachineAction::Show(arguments) => show(&arguments),
        MachineAction::Routes(arguments) => routes::run(&arguments),
        MachineAction::Detect(arguments) => joined(join::detected(&arguments)?, &arguments.joined),
        MachineAction::Measure(arguments) => measure::run(arguments),
        MachineAction::Import(arguments) => joined(join::imported(&arguments)?, &arguments.joined),
        MachineAction::Export(arguments) => export::run(&arguments),
    }
}

fn show(arguments: &ShowArguments) -> anyhow::Result<()> {
    let machine = load_machine(&arguments.machine, None)?;
    let topology = machine.topology();
    match (topology.cluster(), arguments.json) {
        (Some(cluster), true) => print_json(&record::of_cluster(&arguments.machine, cluster)),
        (Some(cluster), false) => print(&show::cluster(&arguments.machine, cluster)),
        (None, true) => print_json(&record::of_machine(&arguments.machine, &machine)),
        (None, false) => print(&show::machine(&arguments.machine, &machine)),
    }
    Ok(())
}

/// Writes and shows a machine built from several sources.
fn joined(joined: join::Joined, arguments: &JoinedArguments) -> anyhow::Result<()> {
    joined.warnings.iter().for_each(|warning| warn(warning));
    let cluster = Cluster::new(joined.description)?;
    let levels = record::levels(&cluster);
    for level in arguments.costs.iter().filter_map(|cost| cost.split('=').next()) {
        if !levels.iter().any(|known| known.name.eq_ignore_ascii_case(level.trim())) {
            warn(&format!("--cost {level}: no two places are joined at this level"));
        }
    }
    if let Some(path) = &arguments.output {
        write_machine_description(path, cluster.description())?;
    }
    session::keep(|done| {
        let mut content = Vec::new();
        // Writing to memory does not fail.
        let written = machine_content(cluster.description())(&mut content);
        done.machine = written.ok().map(|()| content);
    });
    if arguments.json {
        print_json(&record::of_cluster(&joined.name, &cluster));
    } else {
        print(&show::cluster(&joined.name, &cluster));
    }
    match &arguments.output {
        Some(path) => inform(&format!("written to {}", path.display())),
        None if !arguments.json => inform("not written: give --output machine.json to keep it"),
        None => {}
    }
    Ok(())
}
