//! The loads of the links between clusters, kept up to date under changes of the order.

use crate::arrangement::{Arrangement, Column};
use crate::measure::{Measure, Ring};

/// A change of the order that can be undone.
#[derive(Debug, Clone, Copy)]
pub enum Change {
    /// Two rectangles of a column change places.
    Swap { column: usize, one: usize, other: usize },
    /// A rectangle moves to another position in its column.
    Move { column: usize, from: usize, to: usize },
    /// The processors of two rectangles of one size, (column, position), change places.
    Exchange { a: (usize, usize), b: (usize, usize) },
    /// A column moves to another position.
    MoveColumn { from: usize, to: usize },
}

impl Change {
    /// The change that undoes it.
    pub fn undone(self) -> Change {
        match self {
            Change::Move { column, from, to } => Change::Move { column, from: to, to: from },
            Change::MoveColumn { from, to } => Change::MoveColumn { from: to, to: from },
            same => same,
        }
    }
}

/// Columns and their loads on the links between clusters, as [`Measure::link_loads`] counts them.
#[derive(Debug, Clone)]
pub struct Loads<'a> {
    measure: &'a Measure,
    columns: Vec<Column>,
    width: f64,
    height: f64,
    /// From cluster to cluster, row by row.
    loads: Vec<f64>,
    /// Sum of the 8th powers of the loads, in units of `unit`.
    powers: f64,
    /// The busiest link at the beginning, which keeps powers within range.
    unit: f64,
}

impl<'a> Loads<'a> {
    pub fn new(measure: &'a Measure, arrangement: &Arrangement) -> Self {
        let clusters = measure.num_clusters();
        let mut loads = Loads {
            measure,
            columns: arrangement.columns().to_vec(),
            width: f64::from(arrangement.width()),
            height: f64::from(arrangement.height()),
            loads: vec![0.0; clusters * clusters],
            powers: 0.0,
            unit: 1.0,
        };
        loads.count();
        let busiest = loads.busiest();
        loads.unit = if busiest > 0.0 { busiest } else { 1.0 };
        loads.count();
        loads
    }

    /// Counts everything again.
    pub fn count(&mut self) {
        self.loads.fill(0.0);
        self.powers = 0.0;
        for column in 0..self.columns.len() {
            self.add_between(column, 1.0);
            self.add_inside(column, 1.0);
        }
    }

    /// The 8th root of the sum of 8th powers: the largest load, plus a little for others that are
    /// as large.
    pub fn mean(&self) -> f64 {
        self.unit * self.powers.max(0.0).powf(0.125)
    }

    /// How many times the load of the busiest link the mean is at most: that many, if all links are
    /// equally busy.
    pub fn largest_ratio(&self) -> f64 {
        (self.loads.len() as f64).powf(0.125)
    }

    pub fn busiest(&self) -> f64 {
        self.loads.iter().copied().fold(0.0, f64::max)
    }

    pub fn num_columns(&self) -> usize {
        self.columns.len()
    }

    pub fn length(&self, column: usize) -> usize {
        self.columns[column].rectangles.len()
    }

    /// Whether two rectangles, (column, position), have the same size.
    pub fn are_alike(&self, a: (usize, usize), b: (usize, usize)) -> bool {
        let size = |(column, position): (usize, usize)| {
            let column = &self.columns[column];
            (column.width, column.rectangles[position].height)
        };
        size(a) == size(b)
    }

    pub fn arrangement(&self) -> Option<Arrangement> {
        Arrangement::new(self.columns.clone()).ok()
    }

    pub fn apply(&mut self, change: Change) {
        match change {
            Change::Swap { column, one, other } => self.around(&[column], |columns| {
                columns[column].rectangles.swap(one, other);
            }),
            Change::Move { column, from, to } => self.around(&[column], |columns| {
                let rectangle = columns[column].rectangles.remove(from);
                columns[column].rectangles.insert(to, rectangle);
            }),
            Change::Exchange { a, b } => self.around(&[a.0, b.0], |columns| {
                let (one, other) = (
                    columns[a.0].rectangles[a.1].processor,
                    columns[b.0].rectangles[b.1].processor,
                );
                columns[a.0].rectangles[a.1].processor = other;
                columns[b.0].rectangles[b.1].processor = one;
            }),
            Change::MoveColumn { from, to } => {
                let column = self.columns.remove(from);
                self.columns.insert(to, column);
                self.count();
            }
        }
    }

    /// Changes some columns, with their loads subtracted before and added after.
    fn around(&mut self, changed: &[usize], change: impl FnOnce(&mut [Column])) {
        let count = self.columns.len();
        // Between columns: each pair is known by its left column, and counted once.
        let mut pairs = [usize::MAX; 4];
        for (number, &column) in changed.iter().enumerate() {
            for (half, left) in [(column + count - 1) % count, column].into_iter().enumerate() {
                if !pairs.contains(&left) {
                    pairs[2 * number + half] = left;
                }
            }
        }
        self.add_all(&pairs, changed, -1.0);
        change(&mut self.columns);
        self.add_all(&pairs, changed, 1.0);
    }

    fn add_all(&mut self, pairs: &[usize], columns: &[usize], sign: f64) {
        for &left in pairs.iter().filter(|&&left| left != usize::MAX) {
            self.add_between(left, sign);
        }
        for &column in columns {
            self.add_inside(column, sign);
        }
    }

    /// What the column `left` sends to the next one.
    fn add_between(&mut self, left: usize, sign: f64) {
        let count = self.columns.len();
        let right = (left + 1) % count;
        if count == 1 || (right == 0 && self.measure.ring == Ring::Open) {
            return;
        }
        let share = sign * self.share(f64::from(self.columns[right].width) / self.width);
        let (mut a, mut b) = (0, 0);
        let height_at = |columns: &[Column], column: usize, position: usize| {
            columns[column].rectangles[position].height
        };
        let mut left_over = height_at(&self.columns, left, 0);
        let mut right_over = height_at(&self.columns, right, 0);
        loop {
            let blocks = left_over.min(right_over);
            let from = self.cluster(left, a);
            let to = self.cluster(right, b);
            let link = self.measure.horizontal_link(from, to);
            self.add(from, to, share * f64::from(blocks) * link);
            left_over -= blocks;
            right_over -= blocks;
            if left_over == 0 {
                a += 1;
                if a == self.columns[left].rectangles.len() {
                    return;
                }
                left_over = height_at(&self.columns, left, a);
            }
            if right_over == 0 {
                b += 1;
                if b == self.columns[right].rectangles.len() {
                    return;
                }
                right_over = height_at(&self.columns, right, b);
            }
        }
    }

    /// What the rectangles of a column send each other.
    fn add_inside(&mut self, column: usize, sign: f64) {
        let length = self.length(column);
        let links = if self.measure.ring == Ring::Open { length - 1 } else { length };
        if length == 1 {
            return;
        }
        let width = f64::from(self.columns[column].width);
        for position in 0..links {
            let next = (position + 1) % length;
            let (from, to) = (self.cluster(column, position), self.cluster(column, next));
            let height = f64::from(self.columns[column].rectangles[next].height);
            let link = self.measure.vertical_link(from, to);
            self.add(from, to, sign * self.share(height / self.height) * width * link);
        }
    }

    /// The fraction of all data that crosses a link to a processor that holds this share of it
    /// itself.
    fn share(&self, held: f64) -> f64 {
        if self.measure.ring == Ring::Open { 1.0 } else { 1.0 - held }
    }

    fn cluster(&self, column: usize, position: usize) -> u32 {
        let processor = self.columns[column].rectangles[position].processor;
        self.measure.cluster_of()[processor as usize]
    }

    #[inline]
    fn add(&mut self, from: u32, to: u32, load: f64) {
        if from == to {
            return;
        }
        let at = from as usize * self.measure.num_clusters() + to as usize;
        let before = self.loads[at] / self.unit;
        self.loads[at] += load;
        let after = self.loads[at] / self.unit;
        self.powers += after.powi(8) - before.powi(8);
    }
}

#[cfg(test)]
mod tests {
    use topoloom_core::random::{Stream, stream};

    use super::super::random_change;
    use super::*;
    use crate::platform::Platform;
    use crate::strategy::cases;

    fn case(rng: &mut Stream) -> (Platform, Arrangement) {
        let platform = cases::platform(rng, &[3, 2, 4], 0);
        (platform, Arrangement::new(cases::columns(rng, &[2, 3, 4])).unwrap())
    }

    /// Loads that were kept up to date are equal to those of the definition.
    #[test]
    fn changes_keep_the_loads_of_the_definition() {
        for seed in 0..60 {
            let mut rng = stream(seed, &[]);
            let (platform, start) = case(&mut rng);
            let measure = match seed % 2 {
                0 => Measure::bandwidth(&platform, 512.0),
                _ => Measure::asymmetric(&platform, 1.0, false),
            };
            let mut loads = Loads::new(&measure, &start);
            for _ in 0..100 {
                if let Some(change) = random_change(&loads, &mut rng) {
                    loads.apply(change);
                }
                let arrangement = loads.arrangement().expect("changes keep it valid");
                let defined = measure.link_loads(&arrangement);
                for (kept, defined) in loads.loads.iter().zip(&defined) {
                    assert!((kept - defined).abs() < 1e-6 * (1.0 + defined), "{kept} {defined}");
                }
                let busiest = loads.busiest();
                assert!(loads.mean() <= loads.largest_ratio() * busiest * (1.0 + 1e-6));
                assert!(busiest <= loads.mean() * (1.0 + 1e-6));
            }
        }
    }

    #[test]
    fn what_is_undone_is_as_before() {
        let mut rng = stream(3, &[]);
        let (platform, start) = case(&mut rng);
        let measure = Measure::bandwidth(&platform, 512.0);
        let mut loads = Loads::new(&measure, &start);
        for _ in 0..200 {
            if let Some(change) = random_change(&loads, &mut rng) {
                let before = loads.arrangement();
                loads.apply(change);
                loads.apply(change.undone());
                assert_eq!(loads.arrangement(), before);
            }
        }
    }
}
