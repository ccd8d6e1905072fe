//! Rectangles of a column in groups: by site, by cluster, or by any levels of a platform.

use crate::arrangement::{Column, Rectangle};
use crate::measure::{Measure, Ring};
use crate::platform::Platform;
use crate::strategy::row_costs::RowCosts;
use crate::strategy::unit_order::{Chain, Sequence};

/// The groups around every cluster.
#[derive(Debug)]
pub(crate) struct Levels {
    /// For each cluster, the first cluster of its group, level by level: outermost group first, the
    /// cluster itself last.
    groups: Vec<Vec<u32>>,
}

impl Levels {
    pub(crate) fn new(platform: &Platform) -> Self {
        let clusters = platform.clusters();
        let group = |cluster: usize, level: usize| {
            let path = &clusters[cluster].groups[..=level];
            clusters.iter().position(|other| other.groups.starts_with(path)).unwrap_or(cluster)
        };
        let path = |cluster: usize| {
            let levels = 0..clusters[cluster].groups.len();
            levels.map(|level| group(cluster, level) as u32).chain([cluster as u32]).collect()
        };
        Levels { groups: (0..clusters.len()).map(path).collect() }
    }

    fn depth(&self) -> usize {
        self.groups[0].len()
    }

    fn group(&self, cluster: u32, level: usize) -> u32 {
        self.groups[cluster as usize][level]
    }

    /// Moves items of the same group together, on every level, to the position of the first of
    /// them.
    pub(crate) fn gather<T>(&self, items: &mut [T], cluster: impl Fn(&T) -> u32) {
        for level in (0..self.depth()).rev() {
            let mut place = vec![usize::MAX; self.groups.len()];
            for (position, item) in items.iter().enumerate() {
                let group = self.group(cluster(item), level) as usize;
                place[group] = place[group].min(position);
            }
            // Stable: innermost groups first; outer groups then move them as a whole.
            items.sort_by_key(|item| place[self.group(cluster(item), level) as usize]);
        }
    }
}

/// How much work was done, and whether the results are proven.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Tally {
    /// Steps.
    pub work: u64,
    /// How many orders were found but not proven.
    pub unproven: usize,
}

/// What counts when the groups of a column are put in order.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Aim<'a> {
    pub measure: &'a Measure,
    pub levels: &'a Levels,
    /// The cost of rows, if it counts.
    pub rows: Option<&'a RowCosts>,
    /// Whether the column's own ring counts.
    pub ring: bool,
    /// How many steps an exact search may take.
    pub max_work: u64,
}

impl Aim<'_> {
    /// Puts the gathered groups of `column` in the best order: outermost groups first, as a whole,
    /// then those inside each group with everything else unchanged.
    pub(crate) fn order_groups(&self, column: &mut Column) -> Tally {
        let mut tally = Tally::default();
        let number = column.rectangles.len();
        self.order_level(column, 0..number, 0, &mut tally);
        tally
    }

    fn order_level(
        &self,
        column: &mut Column,
        range: std::ops::Range<usize>,
        level: usize,
        tally: &mut Tally,
    ) {
        if level == self.levels.depth() {
            return;
        }
        let cluster_of = self.measure.cluster_of();
        let cluster = |rectangle: &Rectangle| cluster_of[rectangle.processor as usize];
        let group = |rectangle: &Rectangle| self.levels.group(cluster(rectangle), level);
        let units: Vec<Vec<Rectangle>> = column.rectangles[range.clone()]
            .chunk_by(|one, next| group(one) == group(next))
            .map(<[Rectangle]>::to_vec)
            .collect();
        let top = column.rectangles[..range.start].iter().map(|r| r.height).sum();
        let sequence = Sequence {
            units: units
                .iter()
                .map(|unit| unit.iter().map(|r| (cluster(r), r.height)).collect())
                .collect(),
            top,
            rows: self.rows,
            chain: self.ring.then(|| self.chain(column, &range)),
        };
        let order = sequence.best_order(self.max_work);
        tally.work += order.work;
        tally.unproven += usize::from(!order.exact);
        let placed: Vec<Rectangle> = order.units.iter().flat_map(|&u| units[u].clone()).collect();
        column.rectangles[range.clone()].copy_from_slice(&placed);
        let mut at = range.start;
        for unit in order.units {
            let end = at + units[unit].len();
            self.order_level(column, at..end, level + 1, tally);
            at = end;
        }
    }

    /// The column's ring around the rectangles of `range`.
    fn chain(&self, column: &Column, range: &std::ops::Range<usize>) -> Chain<'_> {
        let cluster_of = self.measure.cluster_of();
        let number = column.rectangles.len();
        let cluster = |at: usize| cluster_of[column.rectangles[at % number].processor as usize];
        let whole = range.len() == number;
        let closed = self.measure.ring != Ring::Open;
        let others = range.end..range.end + number - range.len();
        let between_others = others.clone().zip(others.skip(1));
        Chain {
            measure: self.measure,
            width: column.width,
            before: (!whole && (closed || range.start > 0))
                .then(|| cluster(range.start + number - 1)),
            after: (!whole && (closed || range.end < number)).then(|| cluster(range.end)),
            whole,
            cheapest_elsewhere: between_others
                .map(|(from, to)| self.measure.vertical_link(cluster(from), cluster(to)))
                .fold(f64::INFINITY, f64::min),
        }
    }
}
