//! Machines in layers, each node wired to each node of the next layer: a step from layer to layer
//! costs one hop wherever it lands, so one axis runs through the layers, and the others determine
//! the place in the layer.

use super::digits::Axis;
use super::fold::{Fold, cheapest_folds};
use super::shape::{Dimension, Shape};
use crate::grid_detection::LogicalGrid;
use crate::run::Run;

/// A fold of all axes except one in each layer; the remaining axis goes through the layers.
#[derive(Debug, Clone)]
pub(super) struct LayerFold {
    through: usize,
    /// For each position along the axis, its layer and the number of the visit to it.
    walk: Vec<(u32, u32)>,
    layers: Dimension,
    in_layer: Fold,
}

impl LayerFold {
    /// The slot of a cell.
    pub(super) fn slot(&self, cell: &[u32]) -> u32 {
        let (layer, visit) = self.walk[cell[self.through] as usize];
        let mut rest: Vec<u32> = cell.to_vec();
        rest[self.through] = visit;
        layer * self.layers.stride + self.in_layer.slot(&rest)
    }
}

/// The folds that send one axis through the layers, a few for each axis.
pub(super) fn layer_folds(
    grid: &LogicalGrid,
    axes: &[Axis],
    shape: &Shape,
    most: usize,
    run: &mut Run,
) -> Vec<LayerFold> {
    let Some(layer_dimension) = shape.layers else { return Vec::new() };
    let layers = shape.dimensions[layer_dimension];
    let mut dimensions = shape.dimensions.clone();
    dimensions.remove(layer_dimension);
    let mut folds = Vec::new();
    for through in 0..grid.axes() {
        let visits = axes[through].length.div_ceil(layers.length);
        let mut inside = axes.to_vec();
        // Visits are spread over the layer as suits the other axes; the few consecutive ones in one
        // layer are negligible.
        let weight = axes[through].weight * 1e-6;
        inside[through] = Axis { length: visits, periodic: false, weight };
        for in_layer in cheapest_folds(&inside, &dimensions, most, run) {
            let walk = walk(axes[through].length, layers.length);
            folds.push(LayerFold { through, walk, layers, in_layer });
        }
    }
    folds
}

/// A walk of `length` steps through the layers that visits each equally often: back and forth
/// between two layers until both are full, then on to the next two. No step stays in a layer,
/// except if an odd number of layers leaves three for the end.
fn walk(length: u32, layers: u32) -> Vec<(u32, u32)> {
    let visits = length.div_ceil(layers);
    let odd_end = if layers % 2 == 1 && layers > 1 { 3 } else { layers % 2 };
    let paired = layers - odd_end;
    (0..length)
        .map(|position| {
            let (pair, within) = (position / (2 * visits), position % (2 * visits));
            if 2 * pair < paired {
                return (2 * pair + within % 2, within / 2);
            }
            // Up and down the last layers in turn.
            let within = position - paired * visits;
            let (sweep, layer) = (within / odd_end, within % odd_end);
            let layer = if sweep % 2 == 0 { layer } else { odd_end - 1 - layer };
            (paired + layer, sweep)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_walk_visits_each_layer_equally_often_in_steps_of_at_most_one() {
        for layers in 1..8u32 {
            for visits in 1..5 {
                let walk = walk(layers * visits, layers);
                let mut seen = walk.clone();
                seen.sort_unstable();
                let all =
                    (0..layers).flat_map(|layer| (0..visits).map(move |visit| (layer, visit)));
                assert!(seen.into_iter().eq(all), "{layers} {visits}");
                assert!(walk.windows(2).all(|step| step[0].0.abs_diff(step[1].0) <= 1));
                if layers % 2 == 0 {
                    assert!(walk.windows(2).all(|step| step[0].0 != step[1].0));
                }
            }
        }
    }
}
