//! Costs on boxes that depend only on the hops along each dimension.

use super::pair_cost::PairCost;

/// What a unit costs by the hops along each of `D` dimensions. It takes memory per node, not per
/// pair of nodes.
pub(crate) struct OffsetCosts<const D: usize> {
    coordinates: Vec<[u32; D]>,
    /// The length of a dimension that wraps around; for other dimensions, a number so large that
    /// the way round is never shorter.
    round_trip: [u32; D],
    strides: [u32; D],
    /// Indexed by hops times strides.
    cost: Vec<f64>,
    exact: bool,
}

impl<const D: usize> OffsetCosts<D> {
    /// Asks for the cost of every offset on a box of these lengths; `wraps` says which dimensions
    /// are rings.
    pub(crate) fn new(lengths: &[u32], wraps: &[bool], cost_of: impl Fn(&[u32]) -> f64) -> Self {
        let nodes: usize = lengths.iter().map(|&length| length as usize).product();
        let (mut strides, mut round_trip) = ([1; D], [u32::MAX; D]);
        for dimension in 0..D {
            if dimension > 0 {
                strides[dimension] = strides[dimension - 1] * lengths[dimension - 1];
            }
            if wraps[dimension] {
                round_trip[dimension] = lengths[dimension];
            }
        }
        let coordinates: Vec<[u32; D]> = (0..nodes as u32)
            .map(|node| std::array::from_fn(|d| node / strides[d] % lengths[d]))
            .collect();
        let mut costs =
            OffsetCosts { coordinates, round_trip, strides, cost: Vec::new(), exact: true };
        // Offsets longer than half a ring do not occur; they count as hops the other way round.
        costs.cost = (0..nodes as u32).map(|node| cost_of(&costs.hops(0, node))).collect();
        costs.exact = costs.cost.iter().all(|cost| cost.fract() == 0.0);
        costs
    }

    #[inline(always)]
    fn hops(&self, a: u32, b: u32) -> [u32; D] {
        let (from, to) = (&self.coordinates[a as usize], &self.coordinates[b as usize]);
        std::array::from_fn(|dimension| {
            let straight = from[dimension].abs_diff(to[dimension]);
            straight.min(self.round_trip[dimension] - straight)
        })
    }
}

impl<const D: usize> PairCost for OffsetCosts<D> {
    #[inline(always)]
    fn between(&self, from: u32, to: u32) -> f64 {
        let hops = self.hops(from, to);
        let offset: u32 = hops.iter().zip(&self.strides).map(|(hops, stride)| hops * stride).sum();
        self.cost[offset as usize]
    }

    fn is_exact(&self) -> bool {
        self.exact
    }
}

/// The hops along each dimension between two nodes of a box; the slow reference version.
pub(crate) fn hops_by_dimension(
    lengths: &[u32],
    wraps: &[bool],
    mut from: u32,
    mut to: u32,
) -> Vec<u32> {
    let mut hops = Vec::with_capacity(lengths.len());
    for (&length, &wraps) in lengths.iter().zip(wraps) {
        let straight = (from % length).abs_diff(to % length);
        hops.push(if wraps { straight.min(length - straight) } else { straight });
        (from, to) = (from / length, to / length);
    }
    hops
}

/// Runs `body` with `costs` bound to the costs by offset on a box of 1 to 6 dimensions, specialised
/// for their number.
macro_rules! with_offset_costs {
    ($lengths:expr, $wraps:expr, $cost_of:expr, $costs:ident => $body:expr) => {
        with_offset_costs!(@ $lengths, $wraps, $cost_of, $costs => $body; 1 2 3 4 5 6)
    };
    (@ $lengths:expr, $wraps:expr, $cost_of:expr, $costs:ident => $body:expr; $($d:literal)*) => {
        match $lengths.len() {
            $($d => {
                let $costs = $crate::objective::pair_sum::OffsetCosts::<$d>::new(
                    $lengths, $wraps, $cost_of,
                );
                $body
            })*
            dimensions => unreachable!("boxes have 1 to 6 dimensions, not {dimensions}"),
        }
    };
}
pub(crate) use with_offset_costs;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn costs_by_offset_are_those_of_the_hops_along_each_dimension() {
        let (lengths, wraps) = ([5, 4, 1, 2], [true, false, true, true]);
        let value = |hops: &[u32]| hops.iter().fold(0.5, |sum, &hops| sum * 7.0 + f64::from(hops));
        let quick = OffsetCosts::<4>::new(&lengths, &wraps, value);
        for from in 0..40 {
            for to in 0..40 {
                let expected = value(&hops_by_dimension(&lengths, &wraps, from, to));
                assert_eq!(quick.between(from, to), expected, "{from} {to}");
            }
        }
    }
}
