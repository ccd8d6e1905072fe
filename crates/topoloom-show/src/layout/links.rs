//! Networks of which only the links are known: in rows if they have levels. Otherwise vertices
//! that are close in hops are close in the picture.

use std::f64::consts::{PI, TAU};

use topoloom_core::Topology;

use super::edges::Wired;
use super::hosts::{Numbered, numbered};
use super::layered;
use super::plan::Plan;
use super::stress;

/// Up to this many points are placed by their distances; more are placed on a circle.
const PLACED_BY_DISTANCE: usize = 512;

/// How far apart rings around a switch are, and the points on a ring.
const APART: f64 = 0.7;

/// The first ring around a switch.
const FIRST_RING: f64 = 0.9;

pub fn plan(topology: &dyn Topology) -> Plan {
    let Numbered { mut plan, labels, nodes } = numbered(topology);
    let wired = Wired::walk(topology, &plan);
    if let Some(level_of) = layered::levels_of(&plan, &wired) {
        let top = level_of.iter().copied().max().unwrap_or(0);
        layered::arrange(&mut plan, &wired, level_of, layered::usual_names(nodes, top), labels);
        return plan;
    }
    let network = Network::new(&plan, &wired);
    let places = network.places();
    for (point, [x, y]) in plan.points.iter_mut().zip(places) {
        *point = [x as f32, y as f32, 0.0];
    }
    plan
}

/// Points that are placed by themselves, and those that are attached to them.
struct Network {
    /// The points that are placed by themselves.
    core: Vec<u32>,
    /// The number in `core` of each point, or of the point that it is attached to.
    core_of: Vec<u32>,
    /// The points attached to each point of the core.
    hanging: Vec<Vec<u32>>,
    /// The neighbours of each point of the core.
    neighbours: Vec<Vec<u32>>,
}

impl Network {
    fn new(plan: &Plan, wired: &Wired) -> Network {
        const ITSELF: u32 = u32::MAX;
        let holding = plan.holding as u32;
        // A node is attached to the first switch that it is linked to. Pairs have the lower end
        // first.
        let mut hangs_on = vec![ITSELF; plan.points.len()];
        for [low, high] in wired.ends() {
            if low < holding && high >= holding && hangs_on[low as usize] == ITSELF {
                hangs_on[low as usize] = high;
            }
        }
        let core: Vec<u32> = (0..plan.points.len() as u32)
            .filter(|&point| hangs_on[point as usize] == ITSELF)
            .collect();
        let mut core_of = vec![0; plan.points.len()];
        for (number, &point) in (0u32..).zip(&core) {
            core_of[point as usize] = number;
        }
        let mut hanging = vec![Vec::new(); core.len()];
        for point in 0..holding {
            let on = hangs_on[point as usize];
            if on != ITSELF {
                core_of[point as usize] = core_of[on as usize];
                hanging[core_of[on as usize] as usize].push(point);
            }
        }
        let mut neighbours = vec![Vec::new(); core.len()];
        for [a, b] in wired.ends().map(|ends| ends.map(|point| core_of[point as usize])) {
            if a != b {
                neighbours[a as usize].push(b);
                neighbours[b as usize].push(a);
            }
        }
        for neighbours in &mut neighbours {
            neighbours.sort_unstable();
            neighbours.dedup();
        }
        Network { core, core_of, hanging, neighbours }
    }

    /// The place of each point.
    fn places(&self) -> Vec<[f64; 2]> {
        let most = self.hanging.iter().map(Vec::len).max().unwrap_or(0);
        let ring = (0..most).map(|at| ring_of(at).1).fold(0.0, f64::max);
        let apart = if most > 0 { 2.0 * ring + 1.2 } else { 1.0 };
        let of_core = match self.core.len() {
            0..=PLACED_BY_DISTANCE => self.by_distance(apart),
            count => on_a_circle(count, apart),
        };
        let mut places = vec![[0.0; 2]; self.core_of.len()];
        for ((&point, hanging), &[x, y]) in self.core.iter().zip(&self.hanging).zip(&of_core) {
            places[point as usize] = [x, y];
            for (at, &held) in hanging.iter().enumerate() {
                let (first, radius) = ring_of(at);
                let on_ring = ring_size(radius).min(hanging.len() - first);
                // Turned a little, so lines to this ring pass between the points of the one inside.
                let turned = if first == 0 { 0.0 } else { 0.4 };
                let angle = TAU * ((at - first) as f64 + turned) / on_ring as f64;
                places[held as usize] = [x + radius * angle.sin(), y + radius * angle.cos()];
            }
        }
        places
    }

    fn by_distance(&self, apart: f64) -> Vec<[f64; 2]> {
        let count = self.core.len();
        let mut distance = Vec::with_capacity(count * count);
        for from in 0..count {
            distance.extend(self.hops_from(from).into_iter().map(|hops| hops * apart));
        }
        let mut places = stress::places(count, &distance);
        push_apart(&mut places, 0.5 * apart);
        places
    }

    fn hops_from(&self, from: usize) -> Vec<f64> {
        const UNKNOWN: f64 = -1.0;
        let mut hops = vec![UNKNOWN; self.core.len()];
        hops[from] = 0.0;
        let mut reached = vec![from];
        let mut next = 0;
        while let Some(&at) = reached.get(next) {
            next += 1;
            for &neighbour in &self.neighbours[at] {
                if hops[neighbour as usize] == UNKNOWN {
                    hops[neighbour as usize] = hops[at] + 1.0;
                    reached.push(neighbour as usize);
                }
            }
        }
        // Points that are not connected, as far as is known, are far apart.
        let far = hops.iter().copied().fold(0.0, f64::max) + 1.0;
        hops.into_iter().map(|hops| if hops == UNKNOWN { far } else { hops }).collect()
    }
}

/// The number of points on a ring.
fn ring_size(radius: f64) -> usize {
    (TAU * radius / APART) as usize
}

/// The number of the first point on the same ring as this one, and the radius of the ring.
fn ring_of(at: usize) -> (usize, f64) {
    let (mut first, mut radius) = (0, FIRST_RING);
    while at >= first + ring_size(radius) {
        first += ring_size(radius);
        radius += APART;
    }
    (first, radius)
}

fn on_a_circle(count: usize, apart: f64) -> Vec<[f64; 2]> {
    let radius = apart / (2.0 * (PI / count as f64).sin());
    let angle = |at: usize| TAU * at as f64 / count as f64;
    (0..count).map(|at| [radius * angle(at).sin(), radius * angle(at).cos()]).collect()
}

/// Moves points that are too close apart, a little at a time.
fn push_apart(places: &mut [[f64; 2]], least: f64) {
    for _ in 0..100 {
        let mut moved = false;
        for a in 0..places.len() {
            for b in 0..a {
                let [dx, dy] = [places[a][0] - places[b][0], places[a][1] - places[b][1]];
                let apart = (dx * dx + dy * dy).sqrt();
                if apart >= least * 0.999 {
                    continue;
                }
                moved = true;
                // Each pair at the same position is separated in its own direction.
                let angle = if apart > 1e-6 { dy.atan2(dx) } else { a as f64 * 2.4 + b as f64 };
                let step = (least - apart) / 2.0;
                for (point, sign) in [(a, 1.0), (b, -1.0)] {
                    places[point][0] += sign * step * angle.cos();
                    places[point][1] += sign * step * angle.sin();
                }
            }
        }
        if !moved {
            break;
        }
    }
}
