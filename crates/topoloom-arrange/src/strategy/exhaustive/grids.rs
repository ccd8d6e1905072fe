//! Every grid, and every way to put clusters into its cells.

use topoloom_core::{NotApplicable, Run};

use super::counting::{orders, too_many};
use crate::arrangement::Arrangement;
use crate::measure::{Measure, Ring};
use crate::strategy::grid::{Cells, Direction, linear_order, no_shape};
use crate::strategy::{Grids, gains};

struct Search<'a> {
    measure: &'a Measure,
    cells: Cells,
    /// How many processors of each cluster have no cell yet.
    left: Vec<usize>,
    /// A lower bound of the cost of the cells from each one to the last.
    rest: Vec<f64>,
    least: f64,
    best: Option<Cells>,
}

pub(super) fn search(
    measure: &Measure,
    grids: &Grids,
    start: &Arrangement,
    max_work: f64,
    run: &mut Run,
) -> Result<Arrangement, NotApplicable> {
    let line = linear_order(start, Direction::RowByRow);
    let shapes = grids.shapes(line.len());
    if shapes.is_empty() {
        return Err(no_shape(grids, line.len()));
    }
    let clusters: Vec<u32> =
        line.iter().map(|&processor| measure.cluster_of()[processor as usize]).collect();
    let mut left = vec![0; measure.num_clusters()];
    for &cluster in &clusters {
        left[cluster as usize] += 1;
    }
    let placements = orders(left.iter().copied()) * shapes.len() as f64;
    if placements * line.len() as f64 > max_work {
        return Err(too_many(placements));
    }
    let mut best: Option<(f64, Cells)> = None;
    for direction in [Direction::RowByRow, Direction::ColumnByColumn] {
        for &shape in &shapes {
            let cells = Cells::new(grids, shape, direction, &clusters);
            let cost = cells.cost(measure);
            if best.as_ref().is_none_or(|(least, _)| gains(cost, *least)) {
                best = Some((cost, cells));
            }
        }
    }
    let Some((mut least, mut found)) = best else { return Err(no_shape(grids, line.len())) };
    for (number, &shape) in (0..).zip(&shapes) {
        run.progress("grids", number, shapes.len() as u64);
        run.found(least);
        let cells = Cells::new(grids, shape, Direction::RowByRow, &clusters);
        let rest = rests(measure, &cells, &clusters);
        let mut search = Search { measure, cells, left: left.clone(), rest, least, best: None };
        search.fill(0, 0.0, run);
        if let Some(best) = search.best {
            (least, found) = (search.least, best);
        }
    }
    Ok(found.arrangement(measure.cluster_of(), &line))
}

/// The cost of the links of all cells from each one on, if all links were the cheapest.
fn rests(measure: &Measure, cells: &Cells, clusters: &[u32]) -> Vec<f64> {
    let (mut across, mut down) = (f64::INFINITY, f64::INFINITY);
    let mut present = clusters.to_vec();
    present.sort_unstable();
    present.dedup();
    for &from in &present {
        for &to in &present {
            across = across.min(measure.horizontal_link(from, to));
            down = down.min(measure.vertical_link(from, to));
        }
    }
    let (height, width) = (f64::from(cells.cell.0), f64::from(cells.cell.1));
    let mut rest = vec![0.0; clusters.len() + 1];
    if measure.ring == Ring::AllButCheapest {
        return rest;
    }
    let closed = measure.ring == Ring::Closed;
    for at in (0..clusters.len()).rev() {
        let links = |at: usize, length: usize| {
            usize::from(at > 0) + usize::from(closed && at + 1 == length && length > 1)
        };
        rest[at] = rest[at + 1]
            + height * across * links(at % cells.columns, cells.columns) as f64
            + width * down * links(at / cells.columns, cells.rows) as f64;
    }
    rest
}

impl Search<'_> {
    /// Fills the cells from `at` on; those before it cost `cost`.
    fn fill(&mut self, at: usize, cost: f64, run: &mut Run) {
        if at == self.cells.clusters.len() {
            if gains(cost, self.least) {
                self.least = cost;
                self.best = Some(self.cells.clone());
            }
            return;
        }
        for cluster in 0..self.left.len() {
            if self.left[cluster] == 0 {
                continue;
            }
            self.cells.clusters[at] = cluster as u32;
            let cost = cost + self.added(at);
            if !run.spend(1) {
                return;
            }
            if gains(cost + self.rest[at + 1], self.least) {
                self.left[cluster] -= 1;
                self.fill(at + 1, cost, run);
                self.left[cluster] += 1;
            }
        }
    }

    /// What the cell `at` adds to the cost of those before it.
    fn added(&self, at: usize) -> f64 {
        let cells = &self.cells;
        let (row, column) = (at / cells.columns, at % cells.columns);
        let (ends_row, ends_column) = (column + 1 == cells.columns, row + 1 == cells.rows);
        if self.measure.ring == Ring::AllButCheapest {
            let mut added = 0.0;
            if ends_row {
                added += cells.row_cost(self.measure, row);
            }
            if ends_column {
                added += cells.column_cost(self.measure, column);
            }
            return added;
        }
        let closed = self.measure.ring == Ring::Closed;
        let cluster = |at: usize| cells.clusters[at];
        let (mut across, mut down) = (0.0, 0.0);
        if column > 0 {
            across += self.measure.horizontal_link(cluster(at - 1), cluster(at));
            if closed && ends_row {
                across += self.measure.horizontal_link(cluster(at), cluster(at - column));
            }
        }
        if row > 0 {
            down += self.measure.vertical_link(cluster(at - cells.columns), cluster(at));
            if closed && ends_column {
                down += self.measure.vertical_link(cluster(at), cluster(column));
            }
        }
        f64::from(cells.cell.0) * across + f64::from(cells.cell.1) * down
    }
}
