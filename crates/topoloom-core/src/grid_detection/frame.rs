//! The axes at one rank: which of its neighbours lie opposite each other.

use super::logical::MOST_AXES;
use super::neighbours::{
    MOST_PARTNERS, Neighbours, common, few_partners, heavy_partners, is_along_axis,
};
use crate::traffic::CommunicationGraph;

/// Ranks examined before the whole traffic is.
const SAMPLES: usize = 48;

/// The share of them that must have axes. Missing edges spoil some, and more of them in more
/// dimensions.
const LEAST_SHARE: f64 = 0.2;

/// The same with diagonals: those across the corners of the box spoil more.
const LEAST_SHARE_WITH_DIAGONALS: f64 = 0.06;

/// Ranks examined to find one to grow the grid from.
const MOST_TRIED: usize = 512;

/// A rank and its neighbours, axis by axis: one per axis, or two opposite each other.
#[derive(Debug, Clone)]
pub(super) struct Frame {
    pub(super) rank: u32,
    pub(super) along: Vec<(u32, Option<u32>)>,
}

impl Frame {
    /// The frame of a rank whose neighbours' neighbours `of` gives. Two neighbours at a right angle
    /// have another neighbour in common besides the rank; two opposite ones do not.
    fn new<R: AsRef<[u32]>>(rank: u32, own: &[u32], of: impl Fn(u32) -> R) -> Option<Frame> {
        if own.len() < 2 || own.len() > 2 * MOST_AXES {
            return None;
        }
        let rows: Vec<R> = own.iter().map(|&neighbour| of(neighbour)).collect();
        let mut opposite: Vec<Option<usize>> = vec![None; own.len()];
        let mut angles = 0;
        for a in 0..own.len() {
            for b in a + 1..own.len() {
                if rows[a].as_ref().binary_search(&own[b]).is_ok() {
                    return None; // a triangle
                }
                if common(rows[a].as_ref(), rows[b].as_ref()) > 1 {
                    angles += 1;
                } else if opposite[a].is_none() && opposite[b].is_none() {
                    (opposite[a], opposite[b]) = (Some(b), Some(a));
                } else {
                    return None;
                }
            }
        }
        let axes = (0..own.len()).filter(|&a| opposite[a].is_none_or(|b| a < b));
        let along: Vec<_> = axes.map(|a| (own[a], opposite[a].map(|b| own[b]))).collect();
        (angles > 0 && along.len() <= MOST_AXES).then_some(Frame { rank, along })
    }

    /// The number of axes.
    pub(super) fn axes(&self) -> usize {
        self.along.len()
    }

    fn neighbours(&self) -> usize {
        self.along.iter().map(|axis| 1 + usize::from(axis.1.is_some())).sum()
    }
}

/// Whether a few ranks look as if they were on a grid: `Some(false)` without diagonals,
/// `Some(true)` with them. The time does not grow with the traffic.
pub(super) fn sample(graph: &CommunicationGraph, least: f64) -> Option<bool> {
    let ranks = graph.num_ranks();
    let samples = SAMPLES.min(ranks / 2 + 1);
    let chosen = || (0..samples).map(|sample| (sample * ranks / samples) as u32);
    let heavy = |rank: u32| heavy_partners(graph, rank, least);
    let enough = |found: usize, share: f64| found as f64 >= (share * samples as f64).max(1.0);

    let straight = chosen()
        .filter(|&rank| few_partners(graph, rank, 2 * MOST_AXES, least))
        .filter(|&rank| Frame::new(rank, &heavy(rank), heavy).is_some());
    if enough(straight.count(), LEAST_SHARE) {
        return Some(false);
    }
    let along_axes = |rank: u32| -> Vec<u32> {
        if !few_partners(graph, rank, MOST_PARTNERS, least) {
            return Vec::new();
        }
        let own = heavy(rank);
        let mut along = own.clone();
        along.retain(|&partner| {
            few_partners(graph, partner, MOST_PARTNERS, least)
                && is_along_axis(&own, &heavy(partner))
        });
        along
    };
    let with_diagonals =
        chosen().filter(|&rank| Frame::new(rank, &along_axes(rank), along_axes).is_some());
    enough(with_diagonals.count(), LEAST_SHARE_WITH_DIAGONALS).then_some(true)
}

/// The best frames to grow a grid from: most axes, then most neighbours.
pub(super) fn seeds(neighbours: &Neighbours, most: usize) -> Vec<Frame> {
    let ranks = neighbours.ranks();
    let tried = MOST_TRIED.min(ranks);
    let chosen = (0..tried).map(|number| (number * ranks / tried) as u32);
    let mut frames: Vec<Frame> = chosen
        .filter_map(|rank| Frame::new(rank, neighbours.of(rank), |other| neighbours.of(other)))
        .collect();
    frames.sort_by_key(|frame| {
        (std::cmp::Reverse(frame.axes()), std::cmp::Reverse(frame.neighbours()), frame.rank)
    });
    frames.truncate(most);
    frames
}
