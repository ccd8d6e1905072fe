//! Coordinates of ranks from their distances in the traffic to a few landmarks.
//!
//! U. Brandes and C. Pich, "Eigensolver methods for progressive multidimensional scaling of
//! large data" (2006): pivot MDS.

use rayon::prelude::*;

use crate::clock::Clock;
use crate::pace::Pace;
use crate::traffic::CommunicationGraph;

/// The dimensions of the coordinates.
pub(super) const DIMENSIONS: usize = 4;

/// Where a rank lies.
pub(super) type Point = [f32; DIMENSIONS];

/// Landmarks, each as far as possible from the previous ones.
const LANDMARKS: usize = 12;

/// A pair lighter than this share of the heaviest pair of both its ranks says nothing about where
/// they lie, for example in an occasional broadcast.
const LIGHT: f64 = 0.1;

/// Finds a point for each rank. The distances between points resemble those in the traffic. Takes
/// O(landmarks * pairs); `None` if the time runs out first.
pub(super) fn coordinates_of_ranks(
    graph: &CommunicationGraph,
    clock: &Clock<'_>,
) -> Option<Vec<Point>> {
    let hops = hops_to_landmarks(graph, clock)?;
    let centred = centre(&hops);
    let directions = main_directions(&centred);
    let project = |row: &[f32; LANDMARKS]| {
        directions.map(|direction| {
            row.iter().zip(&direction).map(|(&x, &d)| f64::from(x) * d).sum::<f64>() as f32
        })
    };
    Some(centred.par_iter().map(project).collect())
}

/// For each rank, the steps to each landmark.
fn hops_to_landmarks(
    graph: &CommunicationGraph,
    clock: &Clock<'_>,
) -> Option<Vec<[f32; LANDMARKS]>> {
    let ranks = graph.num_ranks();
    let heaviest: Vec<f64> = (0..ranks as u32)
        .map(|rank| graph.weights(rank).iter().copied().fold(0.0, f64::max))
        .collect();
    let (level, front, next) = (vec![0; ranks], Vec::new(), Vec::new());
    let mut search = Search { graph, heaviest, level, front, next, clock, pace: Pace::default() };
    let mut hops = vec![[0.0; LANDMARKS]; ranks];
    let first = (0..ranks as u32).find(|&rank| !graph.partners(rank).is_empty()).unwrap_or(0);
    let mut landmark = search.run(first);
    let mut nearest = vec![u32::MAX; ranks];
    for number in 0..LANDMARKS {
        search.run(landmark);
        if clock.rang() {
            return None;
        }
        let mut farthest = 0;
        let reached = hops.iter_mut().zip(&search.level);
        for ((row, &level), (rank, nearest)) in reached.zip((0..).zip(&mut nearest)) {
            row[number] = level as f32;
            *nearest = level.min(*nearest);
            if *nearest > farthest {
                farthest = *nearest;
                landmark = rank;
            }
        }
    }
    Some(hops)
}

/// Ranks of one step that one thread looks at before it takes more.
const CHUNK: usize = 1024;

const UNSEEN: u32 = u32::MAX;

struct Search<'a> {
    graph: &'a CommunicationGraph,
    heaviest: Vec<f64>,
    level: Vec<u32>,
    /// The ranks of the present step and of the next one.
    front: Vec<u32>,
    next: Vec<u32>,
    clock: &'a Clock<'a>,
    pace: Pace,
}

impl Search<'_> {
    /// Counts the steps from `start` and returns the last rank reached. Parts without a connection
    /// count as if they were connected in a row; ranks without partners stay at 0.
    fn run(&mut self, start: u32) -> u32 {
        let ranks = self.graph.num_ranks() as u32;
        self.level.fill(UNSEEN);
        let (mut level, mut seed, mut last) = (0, start, start);
        let mut seeds = 0..ranks;
        loop {
            self.level[seed as usize] = level;
            self.front.clear();
            self.front.push(seed);
            while let Some(&reached) = self.front.last() {
                (level, last) = (level + 1, reached);
                self.step(level);
                if self.clock.rang() {
                    return start;
                }
            }
            let unseen = seeds.find(|&rank| {
                self.level[rank as usize] == UNSEEN && self.graph.num_partners(rank) > 0
            });
            match unseen {
                Some(rank) => seed = rank,
                None => break,
            }
        }
        self.level.iter_mut().filter(|level| **level == UNSEEN).for_each(|level| *level = 0);
        last
    }

    /// Goes from the ranks of one step to those of the next.
    fn step(&mut self, level: u32) {
        self.next.clear();
        if self.front.len() <= CHUNK {
            for &rank in &self.front {
                for (other, weight) in self.graph.edges(rank) {
                    if self.level[other as usize] == UNSEEN && self.counts(rank, other, weight) {
                        self.level[other as usize] = level;
                        self.next.push(other);
                    }
                }
                if self.clock.is_over_after(1 + self.graph.num_partners(rank), &mut self.pace) {
                    return;
                }
            }
        } else {
            // All threads look for new ranks. Then each new rank is counted once, in order.
            let (search, mut candidates) = (&*self, Vec::new());
            let new = |ranks: &[u32]| search.unseen_partners(ranks);
            search.front.par_chunks(CHUNK).map(new).collect_into_vec(&mut candidates);
            for other in candidates.into_iter().flatten() {
                if self.level[other as usize] == UNSEEN {
                    self.level[other as usize] = level;
                    self.next.push(other);
                }
            }
        }
        std::mem::swap(&mut self.front, &mut self.next);
    }

    fn unseen_partners(&self, ranks: &[u32]) -> Vec<u32> {
        let mut unseen = Vec::new();
        let mut pace = Pace::default();
        for &rank in ranks {
            if self.clock.is_over_after(1 + self.graph.num_partners(rank), &mut pace) {
                break;
            }
            for (other, weight) in self.graph.edges(rank) {
                if self.level[other as usize] == UNSEEN && self.counts(rank, other, weight) {
                    unseen.push(other);
                }
            }
        }
        unseen
    }

    /// Whether a pair says anything about where its ranks lie.
    #[inline]
    fn counts(&self, a: u32, b: u32, weight: f64) -> bool {
        weight >= LIGHT * self.heaviest[a as usize].min(self.heaviest[b as usize])
    }
}

/// Squares the distances and subtracts the means of rows and columns.
fn centre(hops: &[[f32; LANDMARKS]]) -> Vec<[f32; LANDMARKS]> {
    let square = |&x: &f32| f64::from(x) * f64::from(x);
    let mut column_mean = [0.0; LANDMARKS];
    for row in hops {
        for (sum, x) in column_mean.iter_mut().zip(row) {
            *sum += square(x);
        }
    }
    column_mean.iter_mut().for_each(|sum| *sum /= hops.len().max(1) as f64);
    let mean = column_mean.iter().sum::<f64>() / LANDMARKS as f64;
    let centre_row = |row: &[f32; LANDMARKS]| {
        let row_mean = row.iter().map(square).sum::<f64>() / LANDMARKS as f64;
        let mut centred = [0.0; LANDMARKS];
        for ((out, x), column) in centred.iter_mut().zip(row).zip(&column_mean) {
            *out = (-0.5 * (square(x) - row_mean - column + mean)) as f32;
        }
        centred
    };
    hops.iter().map(centre_row).collect()
}

/// The directions in which the rows spread most, each at right angles to the previous ones.
fn main_directions(rows: &[[f32; LANDMARKS]]) -> [[f64; LANDMARKS]; DIMENSIONS] {
    let mut spread = [[0.0f64; LANDMARKS]; LANDMARKS];
    for row in rows {
        for (line, &x) in spread.iter_mut().zip(row) {
            for (entry, &y) in line.iter_mut().zip(row) {
                *entry += f64::from(x) * f64::from(y);
            }
        }
    }
    let mut directions = [[0.0; LANDMARKS]; DIMENSIONS];
    for number in 0..DIMENSIONS {
        // Any start that is at right angles to nothing will do.
        let mut direction: [f64; LANDMARKS] =
            std::array::from_fn(|place| 1.0 + ((place * 7 + number * 3) % 5) as f64);
        let mut value = 0.0;
        for _ in 0..100 {
            let product: [f64; LANDMARKS] = std::array::from_fn(|place| {
                spread[place].iter().zip(&direction).map(|(s, x)| s * x).sum()
            });
            value = product.iter().map(|x| x * x).sum::<f64>().sqrt();
            if !(value > 0.0 && value.is_finite()) {
                return directions;
            }
            direction = product.map(|x| x / value);
        }
        for (line, &x) in spread.iter_mut().zip(&direction) {
            for (entry, &y) in line.iter_mut().zip(&direction) {
                *entry -= value * x * y;
            }
        }
        directions[number] = direction;
    }
    directions
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Run, TrafficBuilder, Weight, parse_pattern};

    fn coordinates(graph: &CommunicationGraph) -> Vec<Point> {
        coordinates_of_ranks(graph, &Clock::new(&Run::new(1))).unwrap()
    }

    #[test]
    fn the_first_coordinate_of_a_path_runs_along_it() {
        let graph = parse_pattern("stencil:50").unwrap().graph(Weight::Bytes);
        let points = coordinates(&graph);
        let rises = points.windows(2).filter(|pair| pair[0][0] < pair[1][0]).count();
        assert!(rises == 49 || rises == 0, "{rises}");
    }

    #[test]
    fn light_pairs_do_not_hide_a_path() {
        let mut builder = TrafficBuilder::new(50);
        for rank in 1..50 {
            builder.add(rank - 1, rank, 1.0, 1000.0);
            builder.add(0, rank, 1.0, 1.0);
        }
        let graph = builder.build().graph(Weight::Bytes);
        let hops = hops_to_landmarks(&graph, &Clock::new(&Run::new(1))).unwrap();
        assert_eq!((hops[0][0] - hops[49][0]).abs(), 49.0);
    }

    #[test]
    fn every_rank_has_a_finite_point_whatever_the_traffic() {
        for traffic in ["random:ranks=40,degree=1", "all-to-all:9", "ring:1", "ep:class=S,ranks=4"]
        {
            let graph = parse_pattern(traffic).unwrap().graph(Weight::Bytes);
            assert!(coordinates(&graph).iter().flatten().all(|x| x.is_finite()));
        }
    }
}
