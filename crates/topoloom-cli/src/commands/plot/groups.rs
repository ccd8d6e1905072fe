//! The groups of a training job on racks and hosts, before and after.

use anyhow::{Context, bail};
use topoloom::core::topology::Cluster;
use topoloom::core::training::GroupKind;
use topoloom::core::{KindSurvey, Mapping, Problem, survey_groups};
use topoloom::show::Picture;
use topoloom::show::figure::racks::{Rack, RackPanel, Racks, racks};

use super::arguments::PlotArguments;
use super::placements;
use crate::output::numbers::{bytes, plural};
use crate::placing::search::Searches;

/// One panel per placement.
pub fn picture(arguments: &PlotArguments, searches: &Searches) -> anyhow::Result<Picture> {
    let traffic = placements::traffic(arguments, "groups")?;
    let machine = placements::one_machine(arguments, "groups")?;
    let sources = placements::sources(arguments, "block,auto")?;
    let problem = placements::problem(arguments, traffic, machine, &sources)?;
    let step = problem.traffic().step().cloned().context(
        "the traffic has no groups; training jobs have some, such as \
         llm:model=llama3-70b,tp=4,pp=8,dp=2",
    )?;
    let cluster = problem.machine().topology().cluster();
    let cluster = cluster.context("groups need a machine that knows its hosts")?;
    let placed = placements::placements(&sources, &problem, searches)?;
    let kind = match &arguments.groups {
        Some(name) => step.kind(name).with_context(|| {
            let known: Vec<&str> = step.kinds.iter().map(|kind| &kind.name[..]).collect();
            format!("unknown groups \"{name}\"; known: {}", known.join(", "))
        })?,
        None => widest(&problem, &placed[0].mapping, &step.kinds)?,
    };
    if kind.groups.len() as u64 > u64::from(u32::MAX) {
        bail!("too many groups to draw");
    }
    let (all_racks, order) = racks_of(cluster);
    let panels = placed
        .iter()
        .map(|placed| RackPanel {
            name: placed.name.clone(),
            caption: caption(&problem, &placed.mapping, kind),
            groups: groups_of_hosts(cluster, &placed.mapping, kind, &order),
        })
        .collect();
    let hosts = plural(cluster.description().hosts.len(), "host");
    let title = format!("{} groups on {hosts}", kind.name);
    // Lines break at blanks.
    let about = arguments.traffic.as_deref().unwrap_or_default().replace(',', ", ");
    let input = Racks {
        title,
        about,
        kind: kind.name.clone(),
        num_groups: kind.groups.len() as u32,
        racks: all_racks,
        panels,
    };
    Ok(racks(arguments.frame(), &input))
}

/// The kind that sends most between hosts.
fn widest<'a>(
    problem: &Problem,
    mapping: &Mapping,
    kinds: &'a [GroupKind],
) -> anyhow::Result<&'a GroupKind> {
    let found = survey_groups(problem, mapping).unwrap_or_default();
    let outside = |kind: &KindSurvey| -> f64 {
        let outside = kind.levels.iter().skip_while(|level| level.name != "node").skip(1);
        kind.weight * outside.map(|level| level.bytes).sum::<f64>()
    };
    let most = found.iter().max_by(|a, b| outside(a).total_cmp(&outside(b)));
    let most = most.context("no group sends anything")?;
    kinds.iter().find(|kind| kind.name == most.name).context("kinds have one name each")
}

/// Racks in the order of the machine, and the hosts in that order.
fn racks_of(cluster: &Cluster) -> (Vec<Rack>, Vec<u32>) {
    let description = cluster.description();
    let groups = &description.network.groups;
    let mut order: Vec<u32> = cluster.places().iter().map(|place| place.host).collect();
    order.dedup();
    let mut racks: Vec<(Option<u32>, Rack)> = Vec::new();
    for &host in &order {
        let host = &description.hosts[host as usize];
        if racks.last().is_none_or(|(group, _)| *group != host.group) {
            let own = host.group.map(|group| &groups[group as usize]);
            let around = own.and_then(|own| own.parent).map(|parent| &groups[parent as usize].name);
            racks.push((
                host.group,
                Rack {
                    name: own.map_or_else(String::new, |own| own.name.clone()),
                    part: around.cloned().unwrap_or_default(),
                    hosts: Vec::new(),
                },
            ));
        }
        if let Some((_, rack)) = racks.last_mut() {
            rack.hosts.push(host.name.clone());
        }
    }
    (racks.into_iter().map(|(_, rack)| rack).collect(), order)
}

fn groups_of_hosts(
    cluster: &Cluster,
    mapping: &Mapping,
    kind: &GroupKind,
    order: &[u32],
) -> Vec<Vec<u32>> {
    let nodes = mapping.nodes();
    let mut of_host = vec![Vec::new(); cluster.description().hosts.len()];
    for (number, group) in (0u32..).zip(&kind.groups) {
        for member in 0..group.size() {
            let node = nodes[group.member(member) as usize];
            of_host[cluster.places()[node as usize].host as usize].push(number);
        }
    }
    for groups in &mut of_host {
        groups.sort_unstable();
        groups.dedup();
    }
    order.iter().map(|&host| std::mem::take(&mut of_host[host as usize])).collect()
}

/// How many groups are cut, and what crosses the outermost level.
fn caption(problem: &Problem, mapping: &Mapping, kind: &GroupKind) -> String {
    let found = survey_groups(problem, mapping).unwrap_or_default();
    let Some(found) = found.into_iter().find(|found| found.name == kind.name) else {
        return "these groups send nothing".to_string();
    };
    let hosts = found.levels.iter().position(|level| level.name == "node").unwrap_or(0);
    let levels: Vec<String> = found
        .levels
        .iter()
        .skip(hosts + 1)
        .filter(|level| level.bytes > 0.0)
        .map(|level| format!("{} at {}", bytes(level.bytes), level.name))
        .collect();
    let outermost = found.levels.last();
    let cut = outermost.map_or_else(String::new, |level| match level.cut {
        0 => format!("; no group crosses {}", level.name),
        cut => format!("; {cut} cross {}", level.name),
    });
    let levels = if levels.is_empty() { "all inside hosts".to_string() } else { levels.join(", ") };
    format!("{} of {}: {levels}{cut}", plural(found.groups, "group"), found.size)
}
