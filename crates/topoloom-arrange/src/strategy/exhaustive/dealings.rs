//! Every way to assign equal rectangles to columns that makes a difference.

use std::collections::BTreeMap;

use crate::arrangement::Column;
use crate::measure::Measure;

/// The rectangles of one size, in any column.
struct Size {
    /// (column, position) of each, column by column.
    places: Vec<(usize, usize)>,
    /// The processors that may be there, by cluster.
    processors: Vec<Vec<u32>>,
}

struct Dealing<'a, See> {
    measure: &'a Measure,
    sizes: Vec<Size>,
    /// For each column an earlier one that differs from it only by its processors.
    twins: Vec<Option<usize>>,
    columns: Vec<Column>,
    see: See,
}

/// Calls `see` with every way to give processors to columns: a processor may be wherever a
/// rectangle has its size. Ways that differ only by the order inside a column, by processors of one
/// cluster, or by an exchange of equal columns are seen once. Ends as soon as `see` returns
/// false, and then returns false.
pub(super) fn for_each_dealing(
    measure: &Measure,
    columns: &[Column],
    see: impl FnMut(&[Column]) -> bool,
) -> bool {
    let mut places: BTreeMap<(u32, u32), Vec<(usize, usize)>> = BTreeMap::new();
    for (number, column) in columns.iter().enumerate() {
        for (at, rectangle) in column.rectangles.iter().enumerate() {
            places.entry((column.width, rectangle.height)).or_default().push((number, at));
        }
    }
    let size = |places: Vec<(usize, usize)>| {
        let mut processors = vec![Vec::new(); measure.num_clusters()];
        for &(column, at) in &places {
            let processor = columns[column].rectangles[at].processor;
            processors[measure.cluster_of()[processor as usize] as usize].push(processor);
        }
        processors.retain(|processors| !processors.is_empty());
        Size { places, processors }
    };
    let sizes: Vec<Size> = places
        .into_values()
        .map(size)
        .filter(|size| {
            let is_in_one = size.places.windows(2).all(|pair| pair[0].0 == pair[1].0);
            size.processors.len() > 1 && !is_in_one
        })
        .collect();
    let heights: Vec<(u32, Vec<u32>)> = columns
        .iter()
        .map(|column| {
            let mut heights: Vec<u32> = column.rectangles.iter().map(|r| r.height).collect();
            heights.sort_unstable();
            (column.width, heights)
        })
        .collect();
    let twins = (0..columns.len())
        .map(|number| (0..number).rev().find(|&other| heights[other] == heights[number]))
        .collect();
    let mut dealing = Dealing { measure, sizes, twins, columns: columns.to_vec(), see };
    dealing.deal(0, 0, 0)
}

impl<See: FnMut(&[Column]) -> bool> Dealing<'_, See> {
    /// Deals the size number `size` from its place number `at` on. Inside one column, clusters are
    /// dealt in order, so nothing is dealt twice; clusters before `first` are done.
    fn deal(&mut self, size: usize, at: usize, first: usize) -> bool {
        if size == self.sizes.len() {
            return !self.is_the_first_of_its_twins() || (self.see)(&self.columns);
        }
        let places = &self.sizes[size].places;
        if at == places.len() {
            return self.deal(size + 1, 0, 0);
        }
        let (column, position) = places[at];
        let is_new = at == 0 || places[at - 1].0 != column;
        for cluster in if is_new { 0 } else { first }..self.sizes[size].processors.len() {
            let Some(processor) = self.sizes[size].processors[cluster].pop() else { continue };
            self.columns[column].rectangles[position].processor = processor;
            let goes_on = self.deal(size, at + 1, cluster);
            self.sizes[size].processors[cluster].push(processor);
            if !goes_on {
                return false;
            }
        }
        true
    }

    /// Among columns that could be exchanged, only one order counts.
    fn is_the_first_of_its_twins(&self) -> bool {
        let signature = |column: &Column| {
            let cluster = |processor: u32| self.measure.cluster_of()[processor as usize];
            let rectangles = column.rectangles.iter().map(|r| (r.height, cluster(r.processor)));
            let mut signature: Vec<(u32, u32)> = rectangles.collect();
            signature.sort_unstable();
            signature
        };
        self.twins.iter().enumerate().all(|(number, twin)| {
            twin.is_none_or(|twin| {
                signature(&self.columns[twin]) <= signature(&self.columns[number])
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use topoloom_core::random::stream;

    use super::*;
    use crate::arrangement::Rectangle;
    use crate::strategy::cases::{for_each_order, platform};

    /// The columns as a measure sees them, if their order does not matter.
    fn signature(measure: &Measure, columns: &[Column]) -> Vec<(u32, Vec<(u32, u32)>)> {
        let mut all: Vec<(u32, Vec<(u32, u32)>)> = columns
            .iter()
            .map(|column| {
                let mut rectangles: Vec<(u32, u32)> = column
                    .rectangles
                    .iter()
                    .map(|r| (r.height, measure.cluster_of()[r.processor as usize]))
                    .collect();
                rectangles.sort_unstable();
                (column.width, rectangles)
            })
            .collect();
        all.sort();
        all
    }

    #[test]
    fn every_dealing_is_seen_once() {
        let platform = platform(&mut stream(5, &[]), &[3, 2, 2], 0);
        let measure = Measure::bandwidth(&platform, 1.0);
        // (width, heights) of columns: equal ones, some equal rectangles, none.
        let cases: [&[(u32, &[u32])]; 4] = [
            &[(5, &[3, 3]), (5, &[3, 3]), (5, &[2, 2, 2])],
            &[(5, &[3, 3]), (5, &[3, 2, 1]), (5, &[1, 5])],
            &[(5, &[3, 3]), (4, &[3, 3]), (5, &[2, 2, 2])],
            &[(5, &[6]), (5, &[6]), (5, &[6]), (5, &[6]), (4, &[2, 2, 2])],
        ];
        for case in cases {
            let mut processors = 0..;
            let columns: Vec<Column> = case
                .iter()
                .map(|&(width, heights)| Column {
                    width,
                    rectangles: heights
                        .iter()
                        .zip(&mut processors)
                        .map(|(&height, processor)| Rectangle { processor, height })
                        .collect(),
                })
                .collect();
            let places: Vec<(usize, usize)> = (0..columns.len())
                .flat_map(|c| (0..columns[c].rectangles.len()).map(move |at| (c, at)))
                .collect();
            let size =
                |&(c, at): &(usize, usize)| (columns[c].width, columns[c].rectangles[at].height);
            let mut expected = BTreeSet::new();
            let mut order: Vec<usize> = (0..places.len()).collect();
            for_each_order(&mut order, 0, &mut |order| {
                if order.iter().zip(&places).all(|(&from, to)| size(&places[from]) == size(to)) {
                    let mut dealt = columns.clone();
                    for (&from, &(c, at)) in order.iter().zip(&places) {
                        dealt[c].rectangles[at].processor = from as u32;
                    }
                    expected.insert(signature(&measure, &dealt));
                }
            });
            let mut found = BTreeSet::new();
            for_each_dealing(&measure, &columns, |dealt| {
                assert!(found.insert(signature(&measure, dealt)), "twice: {dealt:?}");
                true
            });
            assert_eq!(found, expected);
        }
    }
}
