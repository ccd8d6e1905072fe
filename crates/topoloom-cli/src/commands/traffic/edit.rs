//! `topoloom traffic merge|scale|filter|symmetrize|coarsen`: transform traffic.

use std::path::Path;

use anyhow::{Context, bail};
use topoloom::core::Traffic;
use topoloom::core::traffic::{BothWays, Filter, Scaling};
use topoloom::io::{FlowKind, write_traffic};

use super::super::generate::totals_in_words;
use super::arguments::{
    CoarsenArguments, EditArguments, FilterArguments, Kind, MergeArguments, RankList,
    ScaleArguments, Scaled, SymmetrizeArguments,
};
use crate::files::{read_mapping, read_recording};
use crate::inputs::{load_traffic_as_it_is, names_a_recording};
use crate::output::numbers::plural;
use crate::output::{inform, warn};
use crate::session;

pub fn merge(arguments: &MergeArguments) -> anyhow::Result<()> {
    let load = |text: &String| load(text, &arguments.edit);
    let all: Vec<Traffic> = arguments.traffic.iter().map(load).collect::<Result<_, _>>()?;
    let has_weights = |traffic: &&Traffic| traffic.rank_weights().is_some();
    let weighted = all.iter().filter(has_weights).count();
    if weighted > 0 && weighted < all.len() {
        let what = if arguments.side_by_side { "count as 1" } else { "are not added" };
        warn(&format!("only {weighted} of {} files have rank weights: others {what}", all.len()));
    }
    let merged = if arguments.side_by_side {
        Traffic::side_by_side(&all)?
    } else {
        let names = || arguments.traffic.join(", ");
        Traffic::sum(&all).with_context(|| format!("{} (or give --side-by-side)", names()))?
    };
    save(&merged, &arguments.edit)
}

pub fn scale(arguments: &ScaleArguments) -> anyhow::Result<()> {
    let factor = arguments.factor;
    let scaling = match arguments.what {
        Scaled::Bytes => Scaling { bytes: factor, messages: 1.0 },
        Scaled::Messages => Scaling { bytes: 1.0, messages: factor },
        Scaled::Both => Scaling { bytes: factor, messages: factor },
    };
    let traffic = load(&arguments.traffic, &arguments.edit)?;
    let scaled = traffic.scaled(scaling).with_context(|| format!("--factor {factor}"))?;
    if scaled.rounded > 0 {
        let number = plural(scaled.rounded, "collective");
        warn(&format!("{number} rounded to whole calls and bytes"));
    }
    save(&scaled.traffic, &arguments.edit)
}

pub fn filter(arguments: &FilterArguments) -> anyhow::Result<()> {
    let traffic = if arguments.kind.is_empty() {
        load(&arguments.traffic, &arguments.edit)?
    } else {
        of_kinds(&arguments.traffic, &arguments.kind, &arguments.edit)?
    };
    let ranks = arguments.ranks.as_ref().map(|list| kept(list, traffic.num_ranks()));
    let filtered = traffic.filtered(&Filter {
        ranks: ranks.transpose()?,
        keep_numbers: arguments.keep_numbers,
        min_bytes: arguments.min_bytes,
        min_messages: arguments.min_messages,
        top_partners: arguments.top,
        weight: arguments.edit.weight,
    });
    if filtered.dropped_collectives > 0 {
        let number = plural(filtered.dropped_collectives, "collective");
        warn(&format!("{number} left out, because the root or all other members are left out"));
    }
    if filtered.reduced_collectives > 0 {
        let number = plural(filtered.reduced_collectives, "collective");
        warn(&format!("{number} reduced to the members that are kept"));
    }
    save(&filtered.traffic, &arguments.edit)
}

pub fn symmetrize(arguments: &SymmetrizeArguments) -> anyhow::Result<()> {
    let both_ways = match (arguments.sum, arguments.max) {
        (true, _) => BothWays::Sum,
        (_, true) => BothWays::Largest,
        _ => BothWays::Mean,
    };
    let traffic = load(&arguments.traffic, &arguments.edit)?;
    save(&traffic.symmetrized(both_ways), &arguments.edit)
}

pub fn coarsen(arguments: &CoarsenArguments) -> anyhow::Result<()> {
    let traffic = load(&arguments.traffic, &arguments.edit)?;
    let ranks = traffic.num_ranks();
    let (group_of, groups) = match (&arguments.groups, arguments.by) {
        (Some(path), _) => groups_of_file(path, ranks)?,
        (None, by) => {
            let by = by.unwrap_or(1);
            let group_of: Vec<u32> = (0..ranks as u32).map(|rank| rank / by).collect();
            (group_of, (ranks as u32).div_ceil(by))
        }
    };
    save(&traffic.coarsened(&group_of, groups, arguments.drop_inside), &arguments.edit)
}

/// The group of each rank, numbered without gaps, and how many there are.
fn groups_of_file(path: &Path, ranks: usize) -> anyhow::Result<(Vec<u32>, u32)> {
    let mut group_of = read_mapping(path)?.node_of_rank;
    if group_of.len() != ranks {
        let numbers = plural(group_of.len(), "group number");
        bail!("{}: {numbers} for {}", path.display(), plural(ranks, "rank"));
    }
    let mut known = group_of.clone();
    known.sort_unstable();
    known.dedup();
    if known.last().is_some_and(|&last| last as usize + 1 != known.len()) {
        warn(&format!(
            "{}: group numbers have gaps; {} renumbered in order",
            path.display(),
            plural(known.len(), "group")
        ));
    }
    for group in &mut group_of {
        *group = known.partition_point(|number| number < group) as u32;
    }
    Ok((group_of, known.len() as u32))
}

/// Whether each rank is in the list.
fn kept(list: &RankList, ranks: usize) -> anyhow::Result<Vec<bool>> {
    let mut kept = vec![false; ranks];
    for &(first, last) in &list.0 {
        if last as usize >= ranks {
            bail!("--ranks: there is no rank {last}, only 0 to {}", ranks - 1);
        }
        kept[first as usize..=last as usize].fill(true);
    }
    Ok(kept)
}

/// The traffic. Collectives are kept as they are, unless an option says how to treat them.
fn load(text: &str, edit: &EditArguments) -> anyhow::Result<Traffic> {
    with_collectives(load_traffic_as_it_is(text, edit.weight)?, edit)
}

fn with_collectives(traffic: Traffic, edit: &EditArguments) -> anyhow::Result<Traffic> {
    match edit.collectives {
        Some(mode) => Ok(traffic.with_collectives(mode)?),
        None => Ok(traffic),
    }
}

/// The flows of some kinds of a recording, and its collectives.
fn of_kinds(text: &str, kinds: &[Kind], edit: &EditArguments) -> anyhow::Result<Traffic> {
    if !names_a_recording(text) {
        bail!("{text}: --kind needs a recording; other traffic does not show how it was sent");
    }
    let mut recording = read_recording(Path::new(text))?;
    let wanted = |kind: FlowKind| {
        kinds.contains(&match kind {
            FlowKind::PointToPoint => Kind::P2p,
            FlowKind::OneSided => Kind::OneSided,
            FlowKind::Neighbourhood => Kind::Neighbourhood,
        })
    };
    recording.flows.iter_mut().for_each(|row| row.retain(|flow| wanted(flow.kind)));
    with_collectives(recording.traffic(), edit)
}

fn save(traffic: &Traffic, edit: &EditArguments) -> anyhow::Result<()> {
    if session::is_in_memory(&edit.output) {
        session::keep(|done| done.traffic = Some(traffic.clone()));
        return Ok(());
    }
    for warning in write_traffic(&edit.output, traffic, edit.weight)? {
        warn(&warning);
    }
    inform(&totals_in_words(&edit.output, traffic));
    Ok(())
}
