//! The structures of traffic, one after the other.

use super::candidate::{Candidate, ENOUGH, better};
use super::components::part_of_each;
use super::connected::recognise_connected;
use super::kinds::{RankOrder, Structure};
use super::parts;
use super::view::{View, among};
use crate::traffic::{CommunicationGraph, Traffic, TrafficBuilder, Weight};

/// Structures that are named one after the other, each in what the previous ones leave.
const MOST_FINDINGS: usize = 3;

/// The remaining traffic is examined if it has at least this share of all bytes.
const LEAST_LEFT: f64 = 0.05;

/// A structure and how much of the traffic it is.
#[derive(Debug, Clone, PartialEq)]
pub struct Finding {
    /// The structure.
    pub structure: Structure,
    /// How ranks are numbered in it.
    pub order: RankOrder,
    /// The ranks that take part; others are silent.
    pub ranks: usize,
    /// The share of all bytes between different ranks that its pairs carry.
    pub share: f64,
    /// The share of its pairs that exchange what matters.
    pub present: f64,
    /// Whether ranks are counted without the silent ones before or between them. If so, what the
    /// structure says about numbers does not hold for the real rank numbers. Masters and roots are
    /// always given by their real numbers.
    pub talkers_only: bool,
}

/// What was recognised.
#[derive(Debug, Clone, PartialEq)]
pub struct Recognition {
    /// The structure, and others in the remaining traffic; if there are none, the traffic is
    /// irregular or silent.
    pub findings: Vec<Finding>,
    /// The number of ranks.
    pub ranks: usize,
    /// Groups of ranks that exchange nothing that matters with each other; ranks without partners
    /// are not counted.
    pub parts: usize,
    /// The share of the bytes that no structure explains; 0 if nothing is sent.
    pub outside: f64,
    /// Whether anything is sent between different ranks.
    pub is_silent: bool,
}

impl Recognition {
    /// Looks for structures in `traffic`, whose graph under `weight` is `graph`. Deterministic;
    /// takes about O(flows).
    pub fn of(traffic: &Traffic, graph: &CommunicationGraph, weight: Weight) -> Recognition {
        let ranks = graph.num_ranks();
        let whole = View::new(traffic, graph, weight);
        let mut recognition = Recognition {
            findings: Vec::new(),
            ranks,
            parts: part_of_each(&whole).1,
            outside: if whole.total > 0.0 { 1.0 } else { 0.0 },
            is_silent: whole.total <= 0.0,
        };
        if recognition.is_silent {
            return recognition;
        }
        let Some(first) = recognise(&whole) else { return recognition };
        let mut left = recognition.take(first, 1.0, traffic);
        while recognition.outside >= LEAST_LEFT && recognition.findings.len() < MOST_FINDINGS {
            let graph = left.graph(weight);
            let view = View::new(&left, &graph, weight);
            let part = view.total / whole.total;
            let Some(next) = recognise(&view).filter(|next| next.share * part >= LEAST_LEFT) else {
                break;
            };
            left = recognition.take(next, part, &left);
        }
        recognition
    }

    /// Notes a structure in `part` of the bytes and returns the traffic without it.
    fn take(&mut self, found: Candidate, part: f64, traffic: &Traffic) -> Traffic {
        let share = found.share * part;
        self.outside = (self.outside - share).max(0.0);
        self.findings.push(Finding {
            structure: found.structure,
            order: found.order,
            ranks: found.ranks,
            share,
            present: found.present,
            talkers_only: found.talkers_only,
        });
        if self.outside < LEAST_LEFT || self.findings.len() == MOST_FINDINGS {
            return TrafficBuilder::new(self.ranks as u32).build();
        }
        let mut builder = TrafficBuilder::new(self.ranks as u32);
        for flow in traffic.flows() {
            let (low, high) = (flow.from.0.min(flow.to.0), flow.from.0.max(flow.to.0));
            if low != high && !(found.joins)(low, high) {
                builder.add(flow.from.0, flow.to.0, flow.messages, flow.bytes);
            }
        }
        builder.build()
    }
}

/// The best structure of all ranks, or of those that are not silent.
fn recognise(view: &View<'_>) -> Option<Candidate> {
    let whole = recognise_any(view);
    if whole.as_ref().is_some_and(|whole| whole.quality() >= ENOUGH) {
        return whole;
    }
    among_talkers(view)
        .into_iter()
        .chain(whole)
        .reduce(|talkers, whole| if talkers.quality() > whole.quality() { talkers } else { whole })
}

/// The best structure among the ranks that exchange something, if others do not.
fn among_talkers(view: &View<'_>) -> Option<Candidate> {
    let talks = |&rank: &u32| view.partners(rank).next().is_some();
    let talkers: Vec<u32> = (0..view.ranks()).filter(talks).collect();
    if talkers.len() == view.ranks() as usize || talkers.len() < 2 {
        return None;
    }
    let mut number = vec![None; view.ranks() as usize];
    (0..).zip(&talkers).for_each(|(place, &rank)| number[rank as usize] = Some(place));
    let traffic = among(view.traffic, &number, talkers.len() as u32);
    let graph = traffic.graph(view.weight);
    let inner = View::new(&traffic, &graph, view.weight);
    let part = inner.total / view.total;
    let found = recognise_any(&inner)?;
    let joins = found.joins;
    Some(Candidate {
        structure: found.structure.renumbered(&talkers),
        order: found.order,
        ranks: found.ranks,
        share: found.share * part,
        present: found.present,
        talkers_only: (0..).zip(&talkers).any(|(place, &rank)| place != rank),
        joins: Box::new(move |a, b| match (number[a as usize], number[b as usize]) {
            (Some(a), Some(b)) => joins(a, b),
            _ => false,
        }),
    })
}

/// The best structure, parts that exchange nothing with each other included.
fn recognise_any(view: &View<'_>) -> Option<Candidate> {
    better(recognise_connected(view), || parts::recognise(view))
}
