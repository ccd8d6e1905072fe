//! A lower bound on the load of the most loaded link of a cube, however flows are split: link
//! prices.
//!
//! Every directed link gets a price. The prices of all links, each times its width, add up to 1. A
//! flow pays at least its cheapest shortest route. The total that all flows pay is then a mean of
//! the loads of the links, and no split has a lower maximum: this is the dual of the split's linear
//! program. Prices that make the bound large are found by subgradient steps towards a load that
//! should be ruled out (B. T. Polyak, "Minimization of unsmooth functionals", 1969): links that
//! many cheapest routes use become more expensive, others cheaper, down to a price of zero.

/// Routes whose prices differ by less count as equally cheap, and share the flow.
const TIE: f64 = 1e-12;

/// Rounds without a better bound after which steps become shorter.
const PATIENCE: u64 = 10;

/// Steps shorter than this share of the full ones have no further gain.
const SHORTEST_STEP: f64 = 1e-3;

/// What the corners of a cube exchange.
#[derive(Debug, Clone, Default)]
pub struct Demand {
    /// The capacity of the links of each dimension.
    pub widths: Vec<f64>,
    /// Indexed by source, then destination.
    pub amounts: Vec<f64>,
}

impl Demand {
    fn corners(&self) -> usize {
        1 << self.widths.len()
    }
}

/// What the prices prove.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Shown {
    /// No split has a load below this.
    pub lower: f64,
    /// The number of rounds used.
    pub rounds: u64,
}

/// Finds prices; keeps its memory from one cube to the next.
#[derive(Debug, Default)]
pub struct Prices {
    /// The price of the link that leaves a corner across a dimension.
    price: Vec<f64>,
    /// The price of its whole width: its share in the mean of all loads.
    share: Vec<f64>,
    /// What the links carry in this round.
    carried: Vec<f64>,
    sorted: Vec<f64>,
    distance: Vec<f64>,
    /// The dimensions that the cheapest routes to a corner cross last, one bit each.
    last: Vec<u32>,
    passing: Vec<f64>,
}

impl Prices {
    /// A lower bound on the load of the best split: rounds continue until it reaches `bar`, stops
    /// improving, or there were `most_rounds`.
    pub fn lower_bound(&mut self, demand: &Demand, bar: f64, most_rounds: u64) -> Shown {
        let (corners, dimensions) = (demand.corners(), demand.widths.len());
        let links = corners * dimensions;
        self.carried.resize(links, 0.0);
        self.price.resize(links, 0.0);
        self.distance.resize(corners, 0.0);
        self.last.resize(corners, 0);
        self.passing.resize(corners, 0.0);
        self.share.clear();
        let all_widths: f64 = demand.widths.iter().sum::<f64>() * corners as f64;
        self.share.extend((0..links).map(|link| demand.widths[link % dimensions] / all_widths));
        let mut shown = Shown { lower: 0.0, rounds: 0 };
        let (mut step, mut in_vain) = (1.0, 0);
        while shown.rounds < most_rounds {
            for link in 0..links {
                self.price[link] = self.share[link] / demand.widths[link % dimensions];
            }
            let paid = self.route(demand);
            shown.rounds += 1;
            if paid > shown.lower {
                (shown.lower, in_vain) = (paid, 0);
            } else {
                in_vain += 1;
            }
            if in_vain == PATIENCE {
                (step, in_vain) = (step / 2.0, 0);
            }
            if shown.lower >= bar || step < SHORTEST_STEP {
                break;
            }
            // The gradient of the total paid, without the part that prices cannot follow: shares
            // add up to 1.
            let mut mean = 0.0;
            for link in 0..links {
                self.carried[link] /= demand.widths[link % dimensions];
                mean += self.carried[link] / links as f64;
            }
            let squares: f64 = self.carried.iter().map(|load| (load - mean).powi(2)).sum();
            if squares <= f64::MIN_POSITIVE {
                break;
            }
            let length = step * (bar - paid).max(0.0) / squares;
            for link in 0..links {
                self.share[link] += length * (self.carried[link] - mean);
            }
            self.project();
        }
        shown
    }

    /// The nearest shares that are not below 0 and add up to 1.
    fn project(&mut self) {
        self.sorted.clear();
        self.sorted.extend_from_slice(&self.share);
        self.sorted.sort_unstable_by(|a, b| b.total_cmp(a));
        let (mut sum, mut excess) = (0.0, 0.0);
        for (number, &share) in self.sorted.iter().enumerate() {
            sum += share;
            let here = (sum - 1.0) / (number + 1) as f64;
            if share <= here {
                break;
            }
            excess = here;
        }
        self.share.iter_mut().for_each(|share| *share = (*share - excess).max(0.0));
    }

    /// Sends every flow over its cheapest shortest routes; returns the total that all flows pay.
    fn route(&mut self, demand: &Demand) -> f64 {
        let (corners, dimensions) = (demand.corners(), demand.widths.len());
        let mut paid = 0.0;
        self.carried.fill(0.0);
        for source in 0..corners {
            let sent = &demand.amounts[source * corners..][..corners];
            if sent.iter().all(|&amount| amount == 0.0) {
                continue;
            }
            // Indexed by the bits that differ from the source: subsets of a number's bits are
            // smaller than it.
            self.distance[0] = 0.0;
            for offset in 1..corners {
                let (mut least, mut last) = (f64::INFINITY, 0);
                for dimension in (0..dimensions).filter(|dimension| offset >> dimension & 1 == 1) {
                    let before = offset ^ (1 << dimension);
                    let link = (source ^ before) * dimensions + dimension;
                    let price = self.distance[before] + self.price[link];
                    if price < least - TIE {
                        (least, last) = (price, 1 << dimension);
                    } else if price <= least + TIE {
                        last |= 1 << dimension;
                    }
                }
                self.distance[offset] = least;
                self.last[offset] = last;
                self.passing[offset] = 0.0;
            }
            for offset in (1..corners).rev() {
                let own = sent[source ^ offset];
                paid += own * self.distance[offset];
                let amount = own + self.passing[offset];
                if amount == 0.0 {
                    continue;
                }
                let last = self.last[offset];
                let share = amount / f64::from(last.count_ones());
                for dimension in (0..dimensions).filter(|dimension| last >> dimension & 1 == 1) {
                    let before = offset ^ (1 << dimension);
                    self.carried[(source ^ before) * dimensions + dimension] += share;
                    self.passing[before] += share;
                }
            }
        }
        paid
    }
}

#[cfg(test)]
mod tests {
    use super::super::cube::Cube;
    use super::*;
    use crate::random;
    use crate::run::Run;

    #[test]
    fn a_flow_across_the_diagonal_takes_half_of_it_on_each_way() {
        let mut amounts = vec![0.0; 16];
        amounts[3] = 8.0;
        let demand = Demand { widths: vec![1.0, 1.0], amounts };
        let shown = Prices::default().lower_bound(&demand, 4.0, 100);
        assert!((shown.lower - 4.0).abs() < 1e-9, "{shown:?}");
        let shown = Prices::default().lower_bound(&demand, 5.0, 100);
        assert!(shown.lower <= 4.0 + 1e-9, "{shown:?}");
    }

    #[test]
    fn no_split_is_below_the_bound_and_the_bound_comes_close() {
        let (mut rng, run) = (random::stream(1, &[3]), Run::new(1));
        for dimensions in [2, 3] {
            for number in 0..10 {
                let corners = 1 << dimensions;
                let mut amounts = vec![0.0; corners * corners];
                let mut flows = Vec::new();
                for from in 0..corners {
                    for to in (0..corners).filter(|&to| to != from) {
                        if random::below(&mut rng, 3) == 0 {
                            let weight = f64::from(1 + random::below(&mut rng, 20));
                            amounts[from * corners + to] = weight;
                            flows.push((from as u32, to as u32, weight));
                        }
                    }
                }
                let widths: Vec<f64> =
                    (0..dimensions).map(|at| if at == number % 4 { 2.0 } else { 1.0 }).collect();
                let cube = Cube { widths: widths.clone(), clusters: corners, flows };
                let in_order: Vec<u32> = (0..corners as u32).collect();
                let split = cube.free_split(&in_order, &run).unwrap();
                let demand = Demand { widths, amounts };
                for bar in [0.5 * split, 0.99 * split, split, 1.5 * split] {
                    let shown = Prices::default().lower_bound(&demand, bar, 1000);
                    assert!(shown.lower <= split * (1.0 + 1e-6), "{shown:?} and {split}");
                    // Soundness is exact. How close a bound gets in 1000 rounds is not: over 210
                    // random cubes it was 1.000, 0.990 and 0.987 of the split in the median (2, 3
                    // and 4 dimensions), and 0.917 at worst.
                    let reached = shown.lower >= bar.min(0.9 * split);
                    assert!(reached || bar > split, "{shown:?}, {bar} and {split}");
                }
            }
        }
    }
}
