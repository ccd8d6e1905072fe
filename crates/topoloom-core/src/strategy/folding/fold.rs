//! A fold: digits of all axes, and a layout of the digits that share a dimension.

use super::digits::{Axis, Digits, Factors, factorisations};
use super::layout::{Layout, SmallGrid};
use super::shape::Dimension;
use crate::run::Run;

/// A placement of a box of cells in the slots of a machine.
#[derive(Debug, Clone)]
pub(super) struct Fold {
    dimensions: Vec<Dimension>,
    /// The digits that share each dimension, and their layout.
    grids: Vec<SmallGrid>,
    layouts: Vec<Layout>,
    /// For each axis and position, what it adds to the number of the cell in each dimension.
    parts: Vec<Vec<Vec<u32>>>,
}

impl Fold {
    /// The fold with these factors, in regular layouts.
    fn new(axes: &[Axis], dimensions: &[Dimension], factors: &Factors) -> Fold {
        let cells: f64 = axes.iter().map(|axis| f64::from(axis.length)).product();
        let owners: Vec<Vec<usize>> = (0..dimensions.len())
            .map(|dimension| (0..axes.len()).filter(|&axis| factors[axis][dimension] > 1).collect())
            .collect();
        let mut grids: Vec<SmallGrid> = owners
            .iter()
            .enumerate()
            .map(|(dimension, owners)| {
                SmallGrid::new(owners.iter().map(|&axis| factors[axis][dimension]).collect())
            })
            .collect();
        let mut parts = Vec::with_capacity(axes.len());
        let mut of_position = Vec::new();
        for (axis, properties) in axes.iter().enumerate() {
            let digits = Digits::new(axis, properties.length, factors, dimensions);
            let lines = cells / f64::from(properties.length);
            digits.steps(properties.periodic, &mut |dimension, from, to| {
                let place = owners[dimension].iter().position(|&owner| owner == axis);
                let place = place.expect("an axis owns the dimensions of its digits");
                grids[dimension].add_step(place, from, to, lines * properties.weight);
            });
            let stride = |dimension: usize| -> u32 {
                let faster = owners[dimension].iter().take_while(|&&owner| owner != axis);
                faster.map(|&owner| factors[owner][dimension]).product()
            };
            let strides: Vec<u32> = digits.dimensions.iter().map(|&d| stride(d)).collect();
            parts.push(
                (0..properties.length)
                    .map(|position| {
                        digits.of(position, &mut of_position);
                        let mut part = vec![0; dimensions.len()];
                        for (place, &dimension) in digits.dimensions.iter().enumerate() {
                            part[dimension] = of_position[place] * strides[place];
                        }
                        part
                    })
                    .collect(),
            );
        }
        let layouts = grids
            .iter()
            .zip(dimensions)
            .map(|(grid, dimension)| grid.regular_layout(dimension))
            .collect();
        Fold { dimensions: dimensions.to_vec(), grids, layouts, parts }
    }

    /// The cost of the steps along all axes, in hops times weight; diagonals do not count.
    pub(super) fn cost(&self) -> f64 {
        self.layouts.iter().map(|layout| layout.cost).sum()
    }

    /// Searches for better layouts.
    pub(super) fn search_layouts(&mut self, run: &mut Run) {
        for ((grid, layout), dimension) in
            self.grids.iter().zip(&mut self.layouts).zip(&self.dimensions)
        {
            *layout = grid.search(layout.clone(), dimension, run);
        }
    }

    /// The slot of a cell.
    pub(super) fn slot(&self, cell: &[u32]) -> u32 {
        let mut slot = 0;
        for (dimension, properties) in self.dimensions.iter().enumerate() {
            let parts = self.parts.iter().zip(cell);
            let index: u32 = parts.map(|(part, &at)| part[at as usize][dimension]).sum();
            slot += self.layouts[dimension].position[index as usize] * properties.stride;
        }
        slot
    }
}

/// The `most` cheapest folds of a box, cheapest first, with their layouts searched.
pub(super) fn cheapest_folds(
    axes: &[Axis],
    dimensions: &[Dimension],
    most: usize,
    run: &mut Run,
) -> Vec<Fold> {
    let factorisations = factorisations(axes, dimensions);
    let mut costs: Vec<(f64, usize)> = Vec::with_capacity(factorisations.len());
    for (number, factors) in factorisations.iter().enumerate() {
        costs.push((Fold::new(axes, dimensions, factors).cost(), number));
        if !run.spend(1) {
            break;
        }
    }
    costs.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    costs.truncate(most);
    let mut folds: Vec<Fold> = costs
        .iter()
        .map(|&(_, number)| {
            let mut fold = Fold::new(axes, dimensions, &factorisations[number]);
            fold.search_layouts(run);
            fold
        })
        .collect();
    folds.sort_by(|a, b| a.cost().total_cmp(&b.cost()));
    folds
}
