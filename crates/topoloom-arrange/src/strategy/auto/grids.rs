//! Grids of every shape, with cells exchanged by annealing.

use rand::RngExt;
use rayon::prelude::*;
use topoloom_core::Run;
use topoloom_core::random::{Stream, below, stream};

use super::amount::Amount;
use super::columns;
use crate::arrangement::Arrangement;
use crate::measure::{Measure, Ring};
use crate::strategy::grid::{Cells, Direction, linear_order};
use crate::strategy::groups::Levels;
use crate::strategy::{Grids, Task, gains};

/// An exchange takes as long as this many steps.
const STEPS_PER_EXCHANGE: u64 = 25;

/// Improves grids of every shape; starts from `known` ones and from lines of processors laid into
/// grids. Returns the best.
pub(super) fn improve(
    task: &Task,
    grids: &Grids,
    start: &Arrangement,
    known: &[Arrangement],
    amount: Amount,
    run: &mut Run,
) -> Vec<Arrangement> {
    let measure = task.measure;
    let line = linear_order(start, Direction::RowByRow);
    let starts = starts(task, grids, &line, known);
    let exchanges = amount.rounds.unwrap_or(amount.steps / STEPS_PER_EXCHANGE);
    let anneal_all = |starts: Vec<(Cells, f64)>, exchanges: u64, stage: u64, run: &mut Run| {
        let share = (run.evaluations_left() / starts.len().max(1) as u64).max(1);
        let found: Vec<(f64, Cells, Run)> = starts
            .into_par_iter()
            .enumerate()
            .map(|(position, (cells, heat))| {
                let mut part = run.part_with_evaluations(share);
                let rng = stream(run.seed(), &[0x6772_6964, stage, position as u64]);
                let mut search = Search { measure, cells, rng };
                search.anneal(exchanges, heat, &mut part);
                if stage > 0 {
                    search.descend(&mut part);
                }
                (search.cells.cost(measure), search.cells, part)
            })
            .collect();
        let mut results = Vec::new();
        for (cost, cells, part) in found {
            if part.was_cut_short() {
                run.cut_short();
            }
            run.absorb(part);
            results.push((cost, cells));
        }
        // Stable: among equals, the first stays first.
        results.sort_by(|a, b| a.0.total_cmp(&b.0));
        results
    };
    let number = starts.len().max(1) as u64;
    let first = anneal_all(starts, exchanges / number + 1, 0, run);
    let mut best = first.clone();
    if !run.must_stop() {
        // Half of the work again for the most promising ones.
        let again = first.into_iter().take(3).map(|(_, cells)| (cells, 0.2)).collect();
        best.extend(anneal_all(again, exchanges / 6 + 1, 1, run));
        best.sort_by(|a, b| a.0.total_cmp(&b.0));
    }
    let Some((_, cells)) = best.into_iter().next() else { return Vec::new() };
    let found = cells.arrangement(measure.cluster_of(), &line);
    if run.must_stop() {
        return vec![found];
    }
    let polished = columns::polish(measure, &found, run);
    vec![found, polished]
}

/// The cells to start with, and the temperature of each: a good start must not be destroyed.
fn starts(task: &Task, grids: &Grids, line: &[u32], known: &[Arrangement]) -> Vec<(Cells, f64)> {
    let cluster_of = task.measure.cluster_of();
    let clusters = |line: &[u32]| -> Vec<u32> {
        line.iter().map(|&processor| cluster_of[processor as usize]).collect()
    };
    let mut starts: Vec<(Cells, f64)> = Vec::new();
    let mut add = |cells: Cells, heat: f64| {
        if starts.iter().all(|(other, _)| *other != cells) {
            starts.push((cells, heat));
        }
    };
    for arrangement in known {
        let shape = (arrangement.columns()[0].rectangles.len(), arrangement.columns().len());
        let line = clusters(&linear_order(arrangement, Direction::RowByRow));
        add(Cells::new(grids, shape, Direction::RowByRow, &line), 0.2);
    }
    let mut gathered = line.to_vec();
    Levels::new(task.platform).gather(&mut gathered, |&processor| cluster_of[processor as usize]);
    let gathered = clusters(&gathered);
    for shape in grids.shapes(line.len()) {
        add(Cells::new(grids, shape, Direction::RowByRow, &gathered), 1.0);
        add(Cells::new(grids, shape, Direction::ColumnByColumn, &gathered), 0.2);
    }
    starts
}

struct Search<'a> {
    measure: &'a Measure,
    cells: Cells,
    rng: Stream,
}

impl Search<'_> {
    /// Exchanges of random cells, with worse ones accepted less and less often; keeps the best.
    fn anneal(&mut self, exchanges: u64, heat: f64, run: &mut Run) {
        let Some(mean) = self.mean_change(run) else { return };
        let (hot, cold) = (heat * mean, 0.002 * mean);
        let mut cost = self.cells.cost(self.measure);
        let (mut best, mut least) = (self.cells.clone(), cost);
        for step in 0..exchanges {
            if !run.spend(1) {
                break;
            }
            let temperature = hot * (cold / hot).powf(step as f64 / exchanges as f64);
            let Some((one, other)) = self.pair() else { continue };
            let change = self.exchange(one, other);
            if change > 0.0 && self.rng.random::<f64>() >= (-change / temperature).exp() {
                self.cells.clusters.swap(one, other);
                continue;
            }
            cost += change;
            if gains(cost, least) {
                least = cost;
                best.clusters.copy_from_slice(&self.cells.clusters);
            }
        }
        self.cells = best;
    }

    /// The mean change of the cost by an exchange, up or down; `None` if no exchange changes
    /// anything.
    fn mean_change(&mut self, run: &mut Run) -> Option<f64> {
        let (mut sum, mut number) = (0.0, 0);
        for _ in 0..200 {
            let Some((one, other)) = self.pair() else { continue };
            sum += self.exchange(one, other).abs();
            self.cells.clusters.swap(one, other);
            number += 1;
        }
        run.spend(200);
        (sum > 0.0).then(|| sum / f64::from(number))
    }

    /// Two random cells of different clusters.
    fn pair(&mut self) -> Option<(usize, usize)> {
        let number = self.cells.clusters.len() as u32;
        let (one, other) = (below(&mut self.rng, number), below(&mut self.rng, number));
        let (one, other) = (one as usize, other as usize);
        (self.cells.clusters[one] != self.cells.clusters[other]).then_some((one, other))
    }

    /// Exchanges as long as one helps.
    fn descend(&mut self, run: &mut Run) {
        let number = self.cells.clusters.len();
        loop {
            let mut improved = false;
            for one in 0..number {
                for other in 0..one {
                    if self.cells.clusters[one] == self.cells.clusters[other] {
                        continue;
                    }
                    let before = self.cost_around(one, other);
                    self.cells.clusters.swap(one, other);
                    if gains(self.cost_around(one, other), before) {
                        improved = true;
                    } else {
                        self.cells.clusters.swap(one, other);
                    }
                }
                if !run.spend(one as u64) {
                    return;
                }
            }
            if !improved {
                return;
            }
        }
    }

    /// Exchanges two cells and returns what that adds to the cost.
    fn exchange(&mut self, one: usize, other: usize) -> f64 {
        let before = self.cost_around(one, other);
        self.cells.clusters.swap(one, other);
        self.cost_around(one, other) - before
    }

    /// The cost of everything that an exchange of two cells may change.
    fn cost_around(&self, one: usize, other: usize) -> f64 {
        if self.measure.ring != Ring::AllButCheapest {
            return self.links_of(one, usize::MAX) + self.links_of(other, one);
        }
        let columns = self.cells.columns;
        let mut cost = self.cells.row_cost(self.measure, one / columns)
            + self.cells.column_cost(self.measure, one % columns);
        if one / columns != other / columns {
            cost += self.cells.row_cost(self.measure, other / columns);
        }
        if one % columns != other % columns {
            cost += self.cells.column_cost(self.measure, other % columns);
        }
        cost
    }

    /// The cost of the links of a cell, except for those to another cell that is already counted.
    fn links_of(&self, at: usize, counted: usize) -> f64 {
        let Cells { rows, columns, cell, clusters } = &self.cells;
        let closed = self.measure.ring == Ring::Closed;
        let (row, column) = (at / columns, at % columns);
        let line = |at: usize, length: usize| {
            let before =
                if at > 0 { Some(at - 1) } else { (closed && length > 1).then(|| length - 1) };
            let after =
                if at + 1 < length { Some(at + 1) } else { (closed && length > 1).then_some(0) };
            (before, after)
        };
        let (left, right) = line(column, *columns);
        let (up, down) = line(row, *rows);
        let counts = |place: &usize| *place != counted;
        let beside = |column: Option<usize>| column.map(|c| row * columns + c).filter(counts);
        let over = |row: Option<usize>| row.map(|r| r * columns + column).filter(counts);
        let own = clusters[at];
        let mut across =
            beside(left).map_or(0.0, |o| self.measure.horizontal_link(clusters[o], own));
        across += beside(right).map_or(0.0, |o| self.measure.horizontal_link(own, clusters[o]));
        let mut along = over(up).map_or(0.0, |o| self.measure.vertical_link(clusters[o], own));
        along += over(down).map_or(0.0, |o| self.measure.vertical_link(own, clusters[o]));
        f64::from(cell.0) * across + f64::from(cell.1) * along
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::strategy::cases::{measures, platform};

    #[test]
    fn what_an_exchange_adds_is_the_difference_of_both_costs() {
        let mut rng = stream(21, &[]);
        let platform = platform(&mut rng, &[5, 4, 3], 2);
        let grids = Grids { domain: (60, 36), min_rows: 1, min_columns: 1 };
        let line: Vec<u32> = platform.cluster_of().to_vec();
        for measure in measures(&platform) {
            for shape in grids.shapes(12) {
                let cells = Cells::new(&grids, shape, Direction::RowByRow, &line);
                let mut search = Search { measure: &measure, cells, rng: stream(22, &[]) };
                for _ in 0..100 {
                    let Some((one, other)) = search.pair() else { continue };
                    let before = search.cells.cost(&measure);
                    let change = search.exchange(one, other);
                    let after = search.cells.cost(&measure);
                    assert!((after - before - change).abs() < 1e-6, "{measure:?} {shape:?}");
                }
            }
        }
    }
}
