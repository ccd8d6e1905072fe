//! The groups of a training job on racks and hosts, from a problem and its placements.

use topoloom_core::topology::Cluster;
use topoloom_core::training::GroupKind;
use topoloom_core::{KindSurvey, Mapping, Problem, survey_groups};

use crate::figure::racks::{Rack, RackPanel, Racks};
use crate::numbers::{bytes, plural};

impl Racks {
    /// The groups of a kind under each placement; the kind that sends most between hosts if none is
    /// named. None if the traffic has no such groups, or the machine has no hosts.
    pub fn of(
        problem: &Problem,
        about: &str,
        kind: Option<&str>,
        placements: &[(&str, &Mapping)],
    ) -> Option<Racks> {
        let step = problem.traffic().step()?;
        let cluster = problem.machine().topology().cluster()?;
        let kind = match kind {
            Some(name) => step.kind(name)?,
            None => widest(problem, placements.first()?.1, &step.kinds)?,
        };
        let (racks, order) = racks_of(cluster);
        let panels = placements
            .iter()
            .map(|(name, mapping)| RackPanel {
                name: name.to_string(),
                caption: caption(problem, mapping, kind),
                groups: groups_of_hosts(cluster, mapping, kind, &order),
            })
            .collect();
        let hosts = plural(cluster.description().hosts.len(), "host");
        Some(Racks {
            title: format!("{} groups on {hosts}", kind.name),
            // Lines break at blanks.
            about: about.replace(',', ", "),
            kind: kind.name.clone(),
            num_groups: kind.groups.len() as u32,
            racks,
            panels,
        })
    }
}

/// The kind that sends most between hosts.
fn widest<'a>(
    problem: &Problem,
    mapping: &Mapping,
    kinds: &'a [GroupKind],
) -> Option<&'a GroupKind> {
    let found = survey_groups(problem, mapping).unwrap_or_default();
    let outside = |kind: &KindSurvey| -> f64 {
        let outside = kind.levels.iter().skip_while(|level| level.name != "node").skip(1);
        kind.weight * outside.map(|level| level.bytes).sum::<f64>()
    };
    let most = found.iter().max_by(|a, b| outside(a).total_cmp(&outside(b)))?;
    kinds.iter().find(|kind| kind.name == most.name)
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
        1 => format!("; 1 group crosses {}", level.name),
        cut => format!("; {cut} groups cross {}", level.name),
    });
    let levels = if levels.is_empty() { "all inside hosts".to_string() } else { levels.join(", ") };
    format!("{} of {}: {levels}{cut}", plural(found.groups, "group"), found.size)
}
