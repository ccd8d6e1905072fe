//! The machine, with links coloured by what they carry.

use anyhow::bail;
use topoloom::core::{Machine, Mapping};
use topoloom::show::Picture;
use topoloom::show::figure::host::{HostOptions, host};
use topoloom::show::figure::machine::{MachineOptions, machine};
use topoloom::show::layout::{DrawnHost, DrawnMachine};

use super::arguments::PlotArguments;
use super::placements;
use crate::placing::search::Searches;

/// The most placements of one picture: more would be too small.
const MOST_PANELS: usize = 6;

/// The machine by itself, or under placements side by side.
pub fn picture(arguments: &PlotArguments, searches: &Searches) -> anyhow::Result<Picture> {
    arguments.refuse_width("machine")?;
    let wired = placements::one_machine(arguments, "machine")?;
    let title = wired.spec().to_string();
    let weight = arguments.counting.weight;
    let inside = host_to_draw(arguments, &wired)?;
    if arguments.traffic.is_none() {
        if !arguments.strategy.is_empty() {
            bail!("the load of links under a placement needs traffic: give --traffic");
        }
        if let Some(inside) = inside.and_then(|number| DrawnHost::of(&wired, number)) {
            return Ok(host(&inside, HostOptions { title: &title, placements: &[], weight }));
        }
        let options = MachineOptions { title: &title, placements: &[], weight };
        return Ok(machine(&DrawnMachine::of(&wired), options));
    }
    let traffic = placements::traffic(arguments, "machine")?;
    let sources = placements::sources(arguments, "in-order,auto")?;
    if sources.len() > MOST_PANELS {
        bail!("machine shows at most {MOST_PANELS} placements, found {}", sources.len());
    }
    let problem = placements::problem(arguments, traffic, wired, &sources)?;
    let placed = placements::placements(&sources, &problem, searches)?;
    let mappings: Vec<&Mapping> = placed.iter().map(|placed| &placed.mapping).collect();
    let names: Vec<&str> = placed.iter().map(|placed| placed.name.as_str()).collect();
    if let Some(inside) = inside.and_then(|number| DrawnHost::under(&problem, &mappings, number)) {
        return Ok(host(&inside, HostOptions { title: &title, placements: &names, weight }));
    }
    let options = MachineOptions { title: &title, placements: &names, weight };
    Ok(machine(&DrawnMachine::under(&problem, &mappings), options))
}

/// The host whose inside is drawn: the one that is named, or the only one of a cluster.
fn host_to_draw(arguments: &PlotArguments, machine: &Machine) -> anyhow::Result<Option<u32>> {
    let hosts = machine.topology().cluster().map(|cluster| &cluster.description().hosts);
    match (&arguments.host, hosts) {
        (None, Some(hosts)) if hosts.len() == 1 => Ok(Some(0)),
        (None, _) => Ok(None),
        (Some(_), None) => bail!(
            "{} has no hosts that are described, so there is nothing to see inside one; --host needs a cluster",
            machine.spec()
        ),
        (Some(name), Some(hosts)) => match DrawnHost::number(machine, name) {
            Some(number) => Ok(Some(number)),
            None => bail!(
                "{} has no host {name}; its hosts are {}",
                machine.spec(),
                some_of(hosts.iter().map(|host| &host.name[..]))
            ),
        },
    }
}

/// The first few names of a list.
fn some_of<'a>(mut names: impl ExactSizeIterator<Item = &'a str>) -> String {
    let count = names.len();
    let first: Vec<&str> = names.by_ref().take(4).collect();
    match count - first.len() {
        0 => first.join(", "),
        more => format!("{} and {more} more", first.join(", ")),
    }
}
