//! Columns improved one by one, exchanged and shaken.

use std::collections::BTreeMap;

use rayon::prelude::*;
use topoloom_core::Run;
use topoloom_core::random::{Stream, below, shuffle, stream};

use super::amount::Amount;
use crate::arrangement::{Arrangement, Column, Rectangle};
use crate::measure::{Measure, Ring};
use crate::strategy::row_costs::{RowCosts, cost_beside, total_cost, vertical_cost};
use crate::strategy::unit_order::Sequence;
use crate::strategy::{column_order, gains};

/// How much work the order of one column may take.
#[derive(Debug, Clone, Copy)]
struct Care {
    /// The most steps.
    max_work: u64,
    /// The largest distance of units that are exchanged, if the best order takes too many steps.
    max_distance: usize,
}

/// As good as possible: exact for 11 rectangles.
const THOROUGH: Care = Care { max_work: 180_000, max_distance: usize::MAX - 1 };

/// Between random changes: exact for 8 rectangles.
const MIDDLING: Care = Care { max_work: 20_000, max_distance: 16 };

/// After a random change: exact for 6 rectangles.
const QUICK: Care = Care { max_work: 1_500, max_distance: 5 };

/// Steps for the order of all columns.
const COLUMN_ORDER: u64 = 1_000_000;

/// Exchanges of equal rectangles that are tried at once.
const MAX_EXCHANGES: usize = 60_000;

/// How much worse than the last one a new arrangement may be at the beginning, as a fraction of the
/// average cost of a column.
const TOLERANCE: f64 = 0.036;

/// Up to this many processors, every start is shaken. With more, only the best one is, because
/// steps are limited.
const MAX_SHAKEN_APART: usize = 300;

/// Improves `starts`, each with its share of the work, and returns the results.
pub(super) fn improve(
    measure: &Measure,
    starts: &[Arrangement],
    amount: Amount,
    run: &mut Run,
) -> Vec<Arrangement> {
    if starts.first().is_none_or(|start| start.num_processors() <= MAX_SHAKEN_APART) {
        return improve_each(measure, starts, amount, run);
    }
    let settled = improve_each(measure, starts, Amount { rounds: Some(0), steps: 0 }, run);
    if run.must_stop() {
        return settled;
    }
    let cost = |arrangement: &&Arrangement| total_cost(measure, arrangement.columns());
    let best = settled.iter().min_by(|a, b| cost(a).total_cmp(&cost(b)));
    improve_each(measure, best.map_or(&[], std::slice::from_ref), amount, run)
}

fn improve_each(
    measure: &Measure,
    starts: &[Arrangement],
    amount: Amount,
    run: &mut Run,
) -> Vec<Arrangement> {
    let number = starts.len().max(1) as u64;
    let share = (run.evaluations_left() / number).max(1);
    let found: Vec<(Arrangement, Run)> = starts
        .par_iter()
        .enumerate()
        .map(|(position, start)| {
            let mut part = run.part_with_evaluations(share);
            let mut rng = stream(run.seed(), &[0x636f_6c75, position as u64]);
            let mut search = Search::new(measure, start.columns().to_vec());
            search.run(amount.rounds, amount.steps / number, &mut rng, &mut part);
            let columns = search.best;
            (Arrangement::new(columns).expect("columns in another order tile as before"), part)
        })
        .collect();
    let mut arrangements = Vec::new();
    for (arrangement, part) in found {
        if part.was_cut_short() {
            run.cut_short();
        }
        run.absorb(part);
        arrangements.push(arrangement);
    }
    arrangements
}

/// Improves one arrangement without random changes.
pub(super) fn polish(measure: &Measure, start: &Arrangement, run: &mut Run) -> Arrangement {
    let mut search = Search::new(measure, start.columns().to_vec());
    search.run(Some(0), 0, &mut stream(run.seed(), &[0x706f_6c69]), run);
    Arrangement::new(search.best).expect("columns in another order tile as before")
}

struct Search<'a> {
    measure: &'a Measure,
    columns: Vec<Column>,
    prices: Prices,
    /// Which columns have changed since the cost was computed.
    changed: Vec<bool>,
    cost: f64,
    best: Vec<Column>,
    least: f64,
}

/// The costs of single columns; empty if the cheapest link of a row is left out, because it may be
/// anywhere.
#[derive(Debug, Clone, Default)]
struct Prices {
    /// The cost of the ring of each column.
    rings: Vec<f64>,
    /// The cost of rows from each column to the next.
    rows: Vec<f64>,
}

impl<'a> Search<'a> {
    fn new(measure: &'a Measure, columns: Vec<Column>) -> Self {
        let number = columns.len();
        let mut search = Search {
            measure,
            best: columns.clone(),
            least: f64::INFINITY,
            prices: Prices { rings: vec![0.0; number], rows: vec![0.0; number] },
            changed: vec![true; number],
            columns,
            cost: f64::INFINITY,
        };
        search.count();
        search.least = search.cost;
        search
    }

    /// Updates the cost after changes. Returns how many steps that took.
    fn count(&mut self) -> u64 {
        let number = self.columns.len();
        let mut work = 0;
        if self.measure.ring == Ring::AllButCheapest {
            self.cost = total_cost(self.measure, &self.columns);
            work = self.total_work();
        } else {
            let last_is_linked = self.measure.ring == Ring::Closed && number > 1;
            for at in 0..number {
                let next = (at + 1) % number;
                let column = &self.columns[at];
                if self.changed[at] {
                    self.prices.rings[at] = vertical_cost(self.measure, column);
                }
                if (self.changed[at] || self.changed[next]) && (next > 0 || last_is_linked) {
                    self.prices.rows[at] = cost_beside(self.measure, column, &self.columns[next]);
                    work += 2 * column.rectangles.len() as u64;
                }
            }
            self.cost = self.prices.rings.iter().chain(&self.prices.rows).sum();
        }
        self.changed.fill(false);
        work
    }

    /// Goes back to the best arrangement.
    fn return_to_best(&mut self) {
        self.columns.clone_from(&self.best);
        self.changed.fill(true);
        self.count();
    }

    /// Makes random changes, each followed by improvements: for a number of rounds, or as many as
    /// the steps allow.
    fn run(&mut self, rounds: Option<u64>, steps: u64, rng: &mut Stream, run: &mut Run) {
        self.settle(MIDDLING, rng, run);
        let begin = run.evaluations();
        let number = self.columns.len() as u64;
        let mut since_best = 0;
        for round in 0.. {
            let done = match rounds {
                Some(rounds) => round as f64 / rounds as f64,
                None => (run.evaluations() - begin) as f64 / steps as f64,
            };
            // Not a number if there is nothing to do.
            if done.is_nan() || done >= 1.0 || run.must_stop() {
                break;
            }
            let (columns, prices, cost) = (self.columns.clone(), self.prices.clone(), self.cost);
            let changed = self.shake(rng);
            self.reorder_around(changed, run);
            let work = self.count();
            run.spend(work);
            let tolerance = TOLERANCE * (1.0 - done) / number as f64;
            if gains(self.cost, self.least) {
                (self.best, self.least) = (self.columns.clone(), self.cost);
                since_best = 0;
            } else {
                since_best += 1;
            }
            if self.cost > cost * (1.0 + tolerance) {
                (self.columns, self.prices, self.cost) = (columns, prices, cost);
            }
            // From time to time, improve everything, and go back to the best if there is no
            // progress.
            if (round + 1) % (12 * number) == 0 {
                if since_best > 36 * number {
                    self.return_to_best();
                    since_best = 0;
                }
                self.settle(MIDDLING, rng, run);
            }
        }
        self.return_to_best();
        self.settle(THOROUGH, rng, run);
    }

    /// Improves everything until nothing helps, with this much work for the order of one column.
    fn settle(&mut self, care: Care, rng: &mut Stream, run: &mut Run) {
        loop {
            let before = self.cost;
            for at in 0..self.columns.len() {
                self.reorder(at, care, run);
            }
            self.reorder_columns(run);
            self.exchange_equals(rng, run);
            self.count();
            if gains(self.cost, self.least) {
                (self.best, self.least) = (self.columns.clone(), self.cost);
            }
            if run.must_stop() || !gains(self.cost, before) {
                return;
            }
        }
    }

    /// Puts the rectangles of a column in a better order, if there is one.
    fn reorder(&mut self, at: usize, care: Care, run: &mut Run) -> bool {
        if self.columns[at].rectangles.len() < 2 || run.was_cut_short() {
            return false;
        }
        let rows = RowCosts::through(self.measure, &self.columns, at);
        let mut improved = false;
        let singles = Sequence::of_rectangles(self.measure, &self.columns[at], Some(&rows));
        let found = singles.best_or_better_order(care.max_distance, care.max_work);
        if found.gains {
            self.take(at, &singles, &found.units);
            improved = true;
        }
        run.spend(found.work + self.rows_work());
        if !found.exact {
            let runs = Sequence::of_runs(self.measure, &self.columns[at], Some(&rows));
            let found = runs.best_or_better_order(care.max_distance, care.max_work);
            if found.gains {
                self.take(at, &runs, &found.units);
                improved = true;
            }
            run.spend(found.work);
        }
        improved
    }

    /// About how many steps it takes to visit all rows.
    fn total_work(&self) -> u64 {
        let columns = self.columns.len() as u64;
        let rectangles: usize = self.columns.iter().map(|column| column.rectangles.len()).sum();
        columns * rectangles as u64 / 4
    }

    /// About how many steps it takes to compute the cost of the rows through a column.
    fn rows_work(&self) -> u64 {
        let height: u32 = self.columns[0].rectangles.iter().map(|r| r.height).sum();
        let links =
            if self.measure.ring == Ring::AllButCheapest { 2 * self.total_work() } else { 0 };
        links + u64::from(height)
    }

    /// Puts the units of a column in this order.
    fn take(&mut self, at: usize, sequence: &Sequence, order: &[usize]) {
        let mut ends = vec![0];
        for unit in &sequence.units {
            ends.push(ends[ends.len() - 1] + unit.len());
        }
        let old = &self.columns[at].rectangles;
        let new = order.iter().flat_map(|&unit| &old[ends[unit]..ends[unit + 1]]).copied();
        self.columns[at].rectangles = new.collect();
        self.changed[at] = true;
    }

    fn reorder_columns(&mut self, run: &mut Run) {
        if run.was_cut_short() {
            return;
        }
        let order = column_order::best_order(self.measure, &self.columns, COLUMN_ORDER);
        run.spend(order.work);
        self.columns = order.columns.iter().map(|&c| self.columns[c].clone()).collect();
        self.changed.fill(true);
    }

    /// After a change of some columns: puts them and their neighbours in order until that no longer
    /// helps.
    fn reorder_around(&mut self, changed: Vec<usize>, run: &mut Run) {
        let number = self.columns.len();
        let mut waiting = vec![false; number];
        let wake = |waiting: &mut [bool], at: usize| {
            waiting[(at + 1) % number] = true;
            waiting[(at + number - 1) % number] = true;
        };
        for at in changed {
            self.changed[at] = true;
            waiting[at] = true;
            wake(&mut waiting, at);
        }
        // Every improvement lowers the cost, so this ends; the limit keeps rounds short.
        for _ in 0..4 * number {
            let Some(at) = waiting.iter().position(|&waits| waits) else { return };
            waiting[at] = false;
            if self.reorder(at, QUICK, run) {
                wake(&mut waiting, at);
            }
        }
    }

    /// A random change; returns the columns that it touched.
    fn shake(&mut self, rng: &mut Stream) -> Vec<usize> {
        let number = self.columns.len();
        let at = below(rng, number as u32) as usize;
        match below(rng, 9) {
            0 if number > 1 => {
                let other = below(rng, number as u32) as usize;
                self.columns.swap(at, other);
                vec![at, other]
            }
            1 => {
                let cluster_of = self.measure.cluster_of();
                let same = |a: u32, b: u32| cluster_of[a as usize] == cluster_of[b as usize];
                let mut runs: Vec<Vec<_>> = self.columns[at]
                    .rectangles
                    .chunk_by(|one, next| same(one.processor, next.processor))
                    .map(<[_]>::to_vec)
                    .collect();
                shuffle(rng, &mut runs);
                self.columns[at].rectangles = runs.concat();
                vec![at]
            }
            2 => {
                self.columns[at].rectangles.reverse();
                vec![at]
            }
            3 | 4 if number > 1 => {
                // The same range of two neighbours at once, because a change of one alone may not
                // gain.
                let next = (at + 1) % number;
                for column in [at, next] {
                    let length = self.columns[column].rectangles.len();
                    let by = below(rng, length as u32) as usize;
                    self.columns[column].rectangles.rotate_left(by);
                }
                vec![at, next]
            }
            5 if number > 1 => {
                // A processor may be in the wrong column: no order inside columns corrects that.
                let other = below(rng, number as u32) as usize;
                match self.random_equals(at, other, rng) {
                    Some((one, second)) => {
                        let first = self.columns[at].rectangles[one].processor;
                        let place = &mut self.columns[other].rectangles[second].processor;
                        self.columns[at].rectangles[one].processor =
                            std::mem::replace(place, first);
                        vec![at, other]
                    }
                    None => Vec::new(),
                }
            }
            _ => {
                let length = self.columns[at].rectangles.len() as u32;
                for _ in 0..1 + below(rng, 3) {
                    let (one, other) = (below(rng, length), below(rng, length));
                    self.columns[at].rectangles.swap(one as usize, other as usize);
                }
                vec![at]
            }
        }
    }

    /// Positions of two equal rectangles in two columns, if there are any that belong to different
    /// clusters.
    fn random_equals(&self, at: usize, other: usize, rng: &mut Stream) -> Option<(usize, usize)> {
        let (left, right) = (&self.columns[at], &self.columns[other]);
        if at == other || left.width != right.width {
            return None;
        }
        let cluster = |r: &Rectangle| self.measure.cluster_of()[r.processor as usize];
        let one = below(rng, left.rectangles.len() as u32) as usize;
        let first = &left.rectangles[one];
        let fits = |r: &Rectangle| r.height == first.height && cluster(r) != cluster(first);
        let number = right.rectangles.iter().filter(|r| fits(r)).count() as u32;
        if number == 0 {
            return None;
        }
        let chosen = below(rng, number) as usize;
        let mut fitting =
            (0..right.rectangles.len()).filter(|&place| fits(&right.rectangles[place]));
        fitting.nth(chosen).map(|second| (one, second))
    }

    /// Exchanges processors of different clusters whose rectangles are equal, in any columns, as
    /// long as that helps.
    fn exchange_equals(&mut self, rng: &mut Stream, run: &mut Run) {
        let mut of_size: BTreeMap<(u32, u32), Vec<(usize, usize)>> = BTreeMap::new();
        for (number, column) in self.columns.iter().enumerate() {
            for (at, rectangle) in column.rectangles.iter().enumerate() {
                of_size.entry((column.width, rectangle.height)).or_default().push((number, at));
            }
        }
        let tops: Vec<Vec<u32>> = self.columns.iter().map(tops).collect();
        for places in of_size.into_values() {
            let pairs = places.len() * (places.len() - 1) / 2;
            if pairs > MAX_EXCHANGES {
                let number = places.len() as u32;
                for _ in 0..MAX_EXCHANGES {
                    let (one, other) = (below(rng, number), below(rng, number));
                    self.try_exchange(places[one as usize], places[other as usize], &tops);
                }
                run.spend(20 * MAX_EXCHANGES as u64);
            } else {
                for (number, &one) in places.iter().enumerate() {
                    for &other in &places[..number] {
                        self.try_exchange(one, other, &tops);
                    }
                }
                run.spend(20 * pairs as u64);
            }
            if run.was_cut_short() {
                return;
            }
        }
    }

    /// Exchanges the processors of two equal rectangles, and undoes that if it does not help.
    fn try_exchange(&mut self, one: (usize, usize), other: (usize, usize), tops: &[Vec<u32>]) {
        let processor = |columns: &[Column], (column, at): (usize, usize)| {
            columns[column].rectangles[at].processor
        };
        let (first, second) = (processor(&self.columns, one), processor(&self.columns, other));
        let cluster_of = self.measure.cluster_of();
        if one.0 == other.0 || cluster_of[first as usize] == cluster_of[second as usize] {
            return;
        }
        let before = self.cost_around(one, other, tops);
        self.columns[one.0].rectangles[one.1].processor = second;
        self.columns[other.0].rectangles[other.1].processor = first;
        self.changed[one.0] = true;
        self.changed[other.0] = true;
        if !gains(self.cost_around(one, other, tops), before) {
            self.columns[one.0].rectangles[one.1].processor = first;
            self.columns[other.0].rectangles[other.1].processor = second;
        }
    }

    /// The cost of messages through the rows and columns of two rectangles.
    fn cost_around(&self, one: (usize, usize), other: (usize, usize), tops: &[Vec<u32>]) -> f64 {
        let range = |(column, at): (usize, usize)| {
            let top = tops[column][at];
            (top, top + self.columns[column].rectangles[at].height)
        };
        let (upper, lower) = (range(one).min(range(other)), range(one).max(range(other)));
        let rings = vertical_cost(self.measure, &self.columns[one.0])
            + vertical_cost(self.measure, &self.columns[other.0]);
        let columns = [one.0, other.0];
        let rows = self.rows_between(columns, upper, tops);
        let below = (lower.0.max(upper.1), lower.1);
        rings + rows + if below.0 < below.1 { self.rows_between(columns, below, tops) } else { 0.0 }
    }

    /// The cost of rows between two heights, as far as two columns affect it.
    fn rows_between(
        &self,
        touched: [usize; 2],
        (top, bottom): (u32, u32),
        tops: &[Vec<u32>],
    ) -> f64 {
        let number = self.columns.len();
        let cluster_of = self.measure.cluster_of();
        let mut looked_at = vec![self.measure.ring == Ring::AllButCheapest; number];
        for at in touched {
            for near in [at, (at + 1) % number, (at + number - 1) % number] {
                looked_at[near] = true;
            }
        }
        let mut at: Vec<usize> = tops
            .iter()
            .zip(&looked_at)
            .map(|(tops, &looked)| if looked { tops.partition_point(|&t| t <= top) - 1 } else { 0 })
            .collect();
        let mut row = vec![0; number];
        let (mut y, mut cost) = (top, 0.0);
        while y < bottom {
            let mut next = bottom;
            for column in (0..number).filter(|&column| looked_at[column]) {
                let rectangle = self.columns[column].rectangles[at[column]];
                row[column] = cluster_of[rectangle.processor as usize];
                next = next.min(tops[column][at[column]] + rectangle.height);
            }
            cost += f64::from(next - y) * self.ring_between(&row, &looked_at);
            for column in (0..number).filter(|&column| looked_at[column]) {
                let rectangle = self.columns[column].rectangles[at[column]];
                at[column] += usize::from(tops[column][at[column]] + rectangle.height == next);
            }
            y = next;
        }
        cost
    }

    /// The cost of a row; if all links count, only of those at the columns in question.
    fn ring_between(&self, row: &[u32], looked_at: &[bool]) -> f64 {
        let link = |from: u32, to: u32| self.measure.horizontal_link(from, to);
        if self.measure.ring == Ring::AllButCheapest {
            return self.measure.ring.cost(row, link);
        }
        let closing = self.measure.ring == Ring::Closed && row.len() > 1;
        (0..row.len())
            .map(|from| (from, (from + 1) % row.len()))
            .filter(|&(from, to)| looked_at[from] && looked_at[to] && (closing || from < to))
            .map(|(from, to)| link(row[from], row[to]))
            .sum()
    }
}

/// Where the rectangles of a column begin.
fn tops(column: &Column) -> Vec<u32> {
    let mut y = 0;
    let begin = |height: u32| {
        y += height;
        y - height
    };
    column.rectangles.iter().map(|rectangle| rectangle.height).map(begin).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::strategy::cases::{columns, measures, platform};
    use crate::strategy::{Form, Task, exhaustive};

    #[test]
    fn the_search_alone_finds_the_best_of_almost_all_small_columns() {
        let (mut cases, mut missed) = (0, 0);
        for case in 0..60 {
            let mut rng = stream(41, &[case]);
            let sizes: Vec<usize> = (0..3).map(|_| 2 + below(&mut rng, 3) as usize).collect();
            let total: usize = sizes.iter().sum();
            let parts = [total - total / 3 - total / 4, total / 3, total / 4];
            let platform = platform(&mut rng, &parts, case as usize % 3);
            let mut columns = columns(&mut rng, &sizes);
            // The widths differ, so there are no equal rectangles that could change columns.
            for (number, column) in columns.iter_mut().enumerate() {
                column.width = 3 * column.width + number as u32;
            }
            let start = Arrangement::new(columns).unwrap();
            for measure in measures(&platform) {
                let task = Task { platform: &platform, measure: &measure, form: Form::Columns };
                let best = exhaustive::search(&task, &start, 1e9, &mut Run::new(1)).unwrap();
                let amount = Amount { rounds: Some(60), steps: 0 };
                let starts = std::slice::from_ref(&start);
                let found = &improve(&measure, starts, amount, &mut Run::new(1))[0];
                let (found, best) = (measure.cost(found).total(), measure.cost(&best).total());
                assert!(found >= best * (1.0 - 1e-9), "case {case} {measure:?}: {found} < {best}");
                cases += 1;
                missed += usize::from(gains(best, found));
            }
        }
        assert!(20 * missed <= cases, "{missed} of {cases}");
    }

    #[test]
    fn kept_costs_are_those_of_the_definition_after_random_changes() {
        let mut rng = stream(42, &[]);
        let platform = platform(&mut rng, &[5, 4, 4], 2);
        for sizes in [&[4, 3, 6][..], &[6, 7], &[13]] {
            let columns = columns(&mut rng, sizes);
            for measure in measures(&platform) {
                let mut search = Search::new(&measure, columns.clone());
                for _ in 0..50 {
                    let changed = search.shake(&mut rng);
                    search.reorder_around(changed, &mut Run::new(1));
                    search.count();
                    let cost = total_cost(&measure, &search.columns);
                    assert!((search.cost - cost).abs() <= 1e-9 * cost, "{measure:?} {sizes:?}");
                }
            }
        }
    }
}
