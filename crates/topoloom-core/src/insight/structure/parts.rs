//! Parts that exchange nothing with each other: jobs side by side, or groups of ranks.

use super::candidate::Candidate;
use super::components::part_of_each;
use super::connected::recognise_connected;
use super::kinds::{Grid, Part, RankOrder, Structure};
use super::view::View;
use crate::traffic::{Traffic, TrafficBuilder};

/// Parts that are examined one by one; if there are more, only this many are.
const MOST_LOOKED_AT: usize = 64;

/// Kinds of parts that are distinguished.
const MOST_KINDS: usize = 3;

/// Parts of different kinds must have at least this many ranks.
const LEAST_OF_A_KIND: usize = 8;

pub(super) fn recognise(view: &View<'_>) -> Option<Candidate> {
    let (part, parts) = part_of_each(view);
    if parts < 2 {
        return None;
    }
    let mut sizes = vec![0usize; parts];
    part.iter().flatten().for_each(|&part| sizes[part as usize] += 1);
    let all_the_same = sizes.iter().all(|&size| size == sizes[0]);
    // Tiny parts of all shapes are leftovers of any traffic.
    let crumbs = sizes.iter().any(|&size| size < LEAST_OF_A_KIND);
    if !all_the_same && (parts > MOST_LOOKED_AT || crumbs) {
        return None;
    }
    let every = parts.div_ceil(MOST_LOOKED_AT);
    let looked_at: Vec<usize> = (0..parts).step_by(every).collect();
    let traffics = split(view, &part, &sizes, &looked_at);
    let mut order = RankOrder::Natural;
    let mut kinds: Vec<Part> = Vec::new();
    let (mut explained, mut within, mut present) = (0.0, 0.0, 0.0);
    for (&number, (traffic, members)) in looked_at.iter().zip(&traffics) {
        let graph = traffic.graph(view.weight);
        let inner = View::new(traffic, &graph, view.weight);
        let found = recognise_connected(&inner);
        within += inner.total;
        if let Some(found) = &found {
            explained += found.share * inner.total;
            present += found.present * inner.total;
            if found.order == RankOrder::Other {
                order = RankOrder::Other;
            }
        }
        let structure = found.map(|found| found.structure.renumbered(members));
        let same = |kind: &&mut Part| {
            kind.ranks == sizes[number] && alike(kind.structure.as_ref(), structure.as_ref())
        };
        match kinds.iter_mut().find(same) {
            Some(kind) => kind.count += 1,
            None => kinds.push(Part { count: 1, ranks: sizes[number], structure }),
        }
    }
    if kinds.len() > MOST_KINDS || within <= 0.0 || explained < 0.6 * within {
        return None;
    }
    if kinds.len() > 1 && kinds.iter().any(|kind| kind.ranks < LEAST_OF_A_KIND) {
        return None;
    }
    if every > 1 {
        let [kind] = &mut kinds[..] else { return None };
        kind.count = parts;
    }
    kinds.sort_by_key(|kind| std::cmp::Reverse(kind.count * kind.ranks));
    let mut inside = 0.0;
    view.graph.for_each_pair(|a, b, weight| {
        let same = part[a as usize].is_some() && part[a as usize] == part[b as usize];
        inside += if same { weight } else { 0.0 };
    });
    Some(Candidate {
        structure: Structure::Parts(kinds),
        order,
        ranks: sizes.iter().sum(),
        share: inside / view.total * explained / within,
        present: (present / explained).min(1.0),
        talkers_only: false,
        joins: Box::new(move |a, b| {
            part[a as usize].is_some() && part[a as usize] == part[b as usize]
        }),
    })
}

/// Whether two parts have the same structure. Their masters and the shares of their axes may
/// differ.
fn alike(one: Option<&Structure>, other: Option<&Structure>) -> bool {
    match (one, other) {
        (Some(Structure::Star { .. }), Some(Structure::Star { .. })) => true,
        (Some(Structure::Tree { kind: one, .. }), Some(Structure::Tree { kind: other, .. })) => {
            one == other
        }
        (Some(Structure::Grid(one)), Some(Structure::Grid(other))) => {
            // If ranks are in another order, long axes come first.
            let axes = |grid: &Grid| {
                let lengths = grid.lengths.iter().copied();
                let mut axes: Vec<_> = lengths.zip(grid.periodic.iter().copied()).collect();
                axes.sort_unstable();
                axes
            };
            axes(one) == axes(other) && one.diagonals == other.diagonals
        }
        _ => one == other,
    }
}

/// The traffic inside each of the parts that are examined, with ranks in their order, and the
/// ranks.
fn split(
    view: &View<'_>,
    part: &[Option<u32>],
    sizes: &[usize],
    looked_at: &[usize],
) -> Vec<(Traffic, Vec<u32>)> {
    let mut place = vec![None; sizes.len()];
    (0..).zip(looked_at).for_each(|(number, &wanted)| place[wanted] = Some(number));
    let place_of = |rank: usize| part[rank].and_then(|part| place[part as usize]);
    let mut members: Vec<Vec<u32>> = vec![Vec::new(); looked_at.len()];
    let mut number = vec![0; part.len()];
    for (rank, number) in number.iter_mut().enumerate() {
        if let Some(place) = place_of(rank) {
            let members = &mut members[place as usize];
            *number = members.len() as u32;
            members.push(rank as u32);
        }
    }
    let mut builders: Vec<TrafficBuilder> =
        members.iter().map(|members| TrafficBuilder::new(members.len() as u32)).collect();
    for flow in view.traffic.flows() {
        let (from, to): (Option<u32>, _) = (place_of(flow.from.index()), place_of(flow.to.index()));
        if let Some(place) = from.filter(|_| from == to) {
            let (from, to) = (number[flow.from.index()], number[flow.to.index()]);
            builders[place as usize].add(from, to, flow.messages, flow.bytes);
        }
    }
    builders.into_iter().map(TrafficBuilder::build).zip(members).collect()
}
