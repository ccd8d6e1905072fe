//! Packs columns into the traffic, as much as its weights hold.
//!
//! The weights of pairs are capacities. A *column* takes some capacity of some pairs and earns a
//! profit. Any packing that exceeds no capacity proves a bound, and a better packing a better one.
//! The method is that of Garg and Könemann (SIAM J. Comput. 37, 2007): pairs get lengths that grow
//! with their load, and a column with nearly the most profit for its length comes next.

use super::meter::Meter;

/// How much the length of a full pair grows: smaller is more exact, and slower.
const GROWTH: f64 = 0.1;
/// Ends when the packing is this near to what any packing can reach.
const NEAR: f64 = 0.995;
/// Lengths beyond this leave no room for sums.
const LONGEST: f64 = 1e200;
/// Settled vertices per rank: more gain less than a hundredth on patterns of 64 ranks.
const STEPS_PER_RANK: u64 = 1 << 13;
/// Settled vertices of one packing: about a tenth of a second.
const MOST_STEPS: u64 = 1 << 20;
/// Settled vertices between two checks of the clock: some milliseconds.
const STEPS_BETWEEN_LOOKS: u64 = 1 << 15;

/// Even rounds, in which each rank adds one column. They are all that large problems have time for.
const EVEN_ROUNDS: u32 = 8;
/// How much longer the fullest pair is than an empty one after an even round, as an exponent of e.
const EVEN_GROWTH: f64 = 3.0;

/// What a column takes of pairs, and what it earns.
#[derive(Debug, Default)]
pub(super) struct Column {
    /// Pairs, and how much it takes of each.
    pub takes: Vec<(u32, f64)>,
    /// What it earns. A column that earns nothing is left out.
    pub profit: f64,
    /// The sum of the lengths of what it takes.
    pub length: f64,
    /// How much work it was to find it.
    pub steps: u64,
}

impl Column {
    fn ratio(&self) -> f64 {
        if self.profit > 0.0 { self.profit / self.length } else { 0.0 }
    }
}

/// The profit of a good packing into pairs of these capacities. `column_of` fills in the best column
/// that starts at a rank, by the lengths of pairs.
pub(super) fn most_profit(
    capacity: &[f64],
    ranks: u32,
    meter: &Meter<'_>,
    column_of: impl FnMut(u32, &[f64], &mut Column),
) -> f64 {
    let steps = (u64::from(ranks) * STEPS_PER_RANK).min(MOST_STEPS);
    let mut source = Source { column_of, column: Column::default(), meter, steps, since_look: 0 };
    let even = Packing::new(capacity).fill_evenly(ranks, &mut source);
    even.max(Packing::new(capacity).fill(ranks, &mut source))
}

/// Finds columns until its steps or the time are used up.
struct Source<'a, F> {
    column_of: F,
    column: Column,
    meter: &'a Meter<'a>,
    steps: u64,
    since_look: u64,
}

impl<F: FnMut(u32, &[f64], &mut Column)> Source<'_, F> {
    fn next(&mut self, rank: u32, lengths: &[f64]) -> Option<&Column> {
        (self.column_of)(rank, lengths, &mut self.column);
        self.steps = self.steps.checked_sub(self.column.steps + 1)?;
        self.since_look += self.column.steps + 1;
        if self.since_look >= STEPS_BETWEEN_LOOKS {
            self.since_look = 0;
            self.meter.has_time().then_some(())?;
        }
        Some(&self.column)
    }
}

/// Pairs with capacities, and what is packed into them.
struct Packing<'a> {
    capacity: &'a [f64],
    load: Vec<f64>,
    length: Vec<f64>,
    profit: f64,
}

impl Packing<'_> {
    fn new(capacity: &[f64]) -> Packing<'_> {
        let length = capacity.iter().map(|capacity| 1.0 / capacity).collect();
        Packing { load: vec![0.0; capacity.len()], length, capacity, profit: 0.0 }
    }

    /// Adds as much of a column as its tightest pair holds.
    fn add(&mut self, column: &Column) {
        let amount = |&(pair, takes): &(u32, f64)| self.capacity[pair as usize] / takes;
        self.add_amount(column, column.takes.iter().map(amount).fold(f64::INFINITY, f64::min));
    }

    fn add_amount(&mut self, column: &Column, amount: f64) {
        for &(pair, takes) in &column.takes {
            let pair = pair as usize;
            let load = takes * amount;
            self.load[pair] += load;
            self.length[pair] *= 1.0 + GROWTH * load / self.capacity[pair];
        }
        self.profit += column.profit * amount;
    }

    /// The profit if everything is scaled to fit.
    fn scaled_profit(&self) -> f64 {
        let fullest = self.fullest();
        if fullest > 0.0 { self.profit / fullest } else { 0.0 }
    }

    /// The largest load, as a share of its capacity.
    fn fullest(&self) -> f64 {
        let fullness = self.load.iter().zip(self.capacity).map(|(load, capacity)| load / capacity);
        fullness.fold(0.0, f64::max)
    }

    /// No packing earns more, if no column earns more than `best_ratio` for its length.
    fn reachable(&self, best_ratio: f64) -> f64 {
        let volumes = self.length.iter().zip(self.capacity).map(|(length, room)| length * room);
        volumes.sum::<f64>() * best_ratio
    }

    fn is_too_long(&self) -> bool {
        self.length.iter().zip(self.capacity).any(|(length, room)| length * room > LONGEST)
    }

    /// Rounds in which each rank adds a column of the same total length. If one round would take
    /// too many steps, only one rank in several adds a column.
    fn fill_evenly<F>(mut self, ranks: u32, source: &mut Source<'_, F>) -> f64
    where
        F: FnMut(u32, &[f64], &mut Column),
    {
        let Some(first) = source.next(ranks / 2, &self.length) else { return 0.0 };
        let steps = (first.steps + 1) * u64::from(ranks);
        let stride = (2 * steps).div_ceil(source.steps.max(1)).max(1);
        let rounds = (source.steps / 2 / (steps / stride).max(1)).clamp(1, u64::from(EVEN_ROUNDS));
        let mut best = 0.0f64;
        for round in 0..rounds {
            // Each round begins elsewhere, so all ranks get their turn.
            let offset = (round * (stride / 2 + 1) % stride) as u32;
            for rank in (offset..ranks).step_by(stride as usize) {
                let Some(column) = source.next(rank, &self.length) else {
                    return best.max(self.scaled_profit());
                };
                if column.ratio() > 0.0 {
                    self.add_amount(&source.column, 1.0 / source.column.length);
                }
            }
            best = best.max(self.scaled_profit());
            self.lengthen_by_fullness();
        }
        best
    }

    fn lengthen_by_fullness(&mut self) {
        let fullest = self.fullest();
        if fullest > 0.0 {
            for (length, (load, room)) in
                self.length.iter_mut().zip(self.load.iter().zip(self.capacity))
            {
                *length = (EVEN_GROWTH * load / room / fullest).exp() / room;
            }
        }
    }

    fn fill<F>(mut self, ranks: u32, source: &mut Source<'_, F>) -> f64
    where
        F: FnMut(u32, &[f64], &mut Column),
    {
        let (mut best, mut reachable) = (0.0f64, f64::INFINITY);
        // A column is added if its ratio reaches the bar, which is slightly below the best ratio.
        let mut bar = f64::INFINITY;
        while best < NEAR * reachable && !self.is_too_long() {
            let mut best_ratio = 0.0f64;
            let mut added = false;
            for rank in 0..ranks {
                loop {
                    let Some(column) = source.next(rank, &self.length) else {
                        return best.max(self.scaled_profit());
                    };
                    let ratio = column.ratio();
                    best_ratio = best_ratio.max(ratio);
                    if ratio < bar || ratio == 0.0 {
                        break;
                    }
                    self.add(&source.column);
                    added = true;
                }
            }
            if best_ratio == 0.0 {
                return best;
            }
            best = best.max(self.scaled_profit());
            if !added {
                reachable = reachable.min(self.reachable(best_ratio));
                bar = best_ratio * (1.0 - GROWTH);
            }
        }
        best
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::Run;

    #[test]
    fn a_packing_comes_near_to_the_most_that_fits() {
        // Two columns share pair 0 of capacity 2; each has its own pair of capacity 1 and 3. At most
        // 2 of both together.
        let mut run = Run::new(1);
        let meter = Meter::new(&mut run);
        let profit = most_profit(&[2.0, 1.0, 3.0], 2, &meter, |rank, lengths, column| {
            column.takes = vec![(0, 1.0), (rank + 1, 1.0)];
            column.profit = 1.0;
            column.length = lengths[0] + lengths[rank as usize + 1];
            column.steps = 2;
        });
        assert!((1.98..=2.0 + 1e-9).contains(&profit), "{profit}");
    }

    #[test]
    fn columns_without_profit_give_nothing() {
        let mut run = Run::new(1);
        let profit = most_profit(&[1.0], 3, &Meter::new(&mut run), |_, _, column| {
            column.profit = 0.0;
        });
        assert_eq!(profit, 0.0);
    }
}
