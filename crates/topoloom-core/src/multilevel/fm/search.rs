//! Searches that also accept losses and return to their best state, from one place of the boundary
//! or from all of it.

use super::candidate::Candidate;
use super::division::Division;
use super::trend::Trend;
use crate::clock::Clock;
use crate::multilevel::blocks::BlockDistance;
use crate::multilevel::work::Patience;
use crate::random::{self, Stream};

/// Searches between two checks of the clock.
const BETWEEN_LOOKS: usize = 256;

impl<D: BlockDistance> Division<'_, D> {
    /// Improves the division; never increases the overload, or the cost at equal overload. Returns
    /// the gain.
    pub fn improve(&mut self, patience: Patience, clock: &Clock<'_>, rng: &mut Stream) -> f64 {
        let mut total = 0.0;
        for _ in 0..patience.rounds {
            let mut seeds: Vec<u32> =
                (0..self.graph.len() as u32).filter(|&v| self.is_at_boundary(v)).collect();
            random::shuffle(rng, &mut seeds);
            self.scratch.moved.fill(0);
            let mut gain = 0.0;
            for some in seeds.chunks(BETWEEN_LOOKS) {
                if clock.is_over() {
                    return total + gain;
                }
                for &seed in some {
                    if self.scratch.moved[seed as usize] == 0 {
                        gain += self.search_from(&[seed], patience, clock, rng);
                    }
                }
            }
            total += gain;
            if gain <= 0.0 {
                break;
            }
        }
        total
    }

    /// One search that starts at the whole boundary at once.
    pub fn improve_at_once(&mut self, patience: Patience, clock: &Clock<'_>, rng: &mut Stream) {
        for _ in 0..patience.rounds {
            let seeds: Vec<u32> =
                (0..self.graph.len() as u32).filter(|&v| self.is_at_boundary(v)).collect();
            self.scratch.moved.fill(0);
            if self.search_from(&seeds, patience, clock, rng) <= 0.0 || clock.rang() {
                return;
            }
        }
    }

    fn enqueue(&mut self, vertex: u32, rng: &mut Stream) {
        let version = &mut self.scratch.version[vertex as usize];
        *version = version.wrapping_add(1);
        let version = *version;
        if let Some((gain, _)) = self.best_move(vertex) {
            let tie = random::below(rng, u32::MAX);
            self.scratch.queue.push(Candidate { gain, tie, vertex, version });
        }
    }

    fn search_from(
        &mut self,
        seeds: &[u32],
        patience: Patience,
        clock: &Clock<'_>,
        rng: &mut Stream,
    ) -> f64 {
        self.scratch.queue.clear();
        self.scratch.trail.clear();
        for &seed in seeds {
            self.enqueue(seed, rng);
            if clock.is_over_after(self.graph.degree(seed), &mut self.scratch.pace) {
                return 0.0;
            }
        }
        let mut trend = Trend::new(self.graph, seeds);
        let mut overload = 0.0;
        let mut gain = 0.0;
        let (mut best_overload, mut best_gain, mut best_length) = (0.0, 0.0, 0);
        while let Some(candidate) = self.scratch.queue.pop() {
            let vertex = candidate.vertex;
            if self.scratch.version[vertex as usize] != candidate.version {
                continue;
            }
            if clock.is_over_after(self.graph.degree(vertex), &mut self.scratch.pace) {
                break;
            }
            // Blocks may have filled up since it was queued.
            let Some((now, block)) = self.best_move(vertex) else { continue };
            if now < candidate.gain {
                self.enqueue(vertex, rng);
                continue;
            }
            let home = self.block_of[vertex as usize];
            let over = |division: &Self| {
                division.overload_of(home, division.load[home as usize])
                    + division.overload_of(block, division.load[block as usize])
            };
            let before = over(self);
            self.shift(vertex, block);
            overload += over(self) - before;
            gain += f64::from(now);
            self.scratch.moved[vertex as usize] = 1;
            self.scratch.trail.push((vertex, home));
            if overload < best_overload || overload <= best_overload && gain > best_gain {
                (best_overload, best_gain) = (overload, gain);
                best_length = self.scratch.trail.len();
                trend.forget();
            } else if self.scratch.trail.len() - best_length > patience.moves
                || trend.is_hopeless_after(now)
            {
                break;
            }
            let graph = self.graph;
            for edge in graph.edges(vertex) {
                // A hub moves only in its own search. In the searches of all its partners, the time
                // of each would grow with the number of those partners.
                let is_hub = graph.degree(edge.to) >= self.hub_degree;
                if self.scratch.moved[edge.to as usize] == 0 && !is_hub {
                    self.enqueue(edge.to, rng);
                }
            }
        }
        while self.scratch.trail.len() > best_length {
            let (vertex, home) = self.scratch.trail.pop().expect("longer than the best");
            self.shift(vertex, home);
        }
        best_gain
    }
}
