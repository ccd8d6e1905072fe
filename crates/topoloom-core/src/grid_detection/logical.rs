//! The grid that an application computes on, as far as it is visible in the traffic.

use crate::traffic::CommunicationGraph;

/// Grids of more axes are not looked for.
pub(crate) const MOST_AXES: usize = 4;

/// A box whose neighbours exchange most of the bytes, and the cell of each rank.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct LogicalGrid {
    /// The length of each axis.
    pub(crate) lengths: Vec<u32>,
    /// Whether the ends of an axis exchange too.
    pub(crate) periodic: Vec<bool>,
    /// What a pair of neighbours along each axis exchanges on average.
    pub(crate) weights: Vec<f64>,
    /// The share of all bytes that neighbours, diagonal ones included, exchange.
    pub(crate) explained: f64,
    /// The share of all bytes that neighbours along axes exchange.
    pub(crate) explained_along_axes: f64,
    /// The share of the neighbour pairs along axes that exchange anything.
    pub(crate) present: f64,
    coordinates: Vec<u32>,
}

impl LogicalGrid {
    /// Judges whether `coordinates`, rank by rank, make a grid of these lengths. Each rank must
    /// have its own cell. Takes O(edges).
    pub(crate) fn measure(
        graph: &CommunicationGraph,
        lengths: Vec<u32>,
        coordinates: Vec<u32>,
    ) -> LogicalGrid {
        let axes = lengths.len();
        let mut tally = Tally::default();
        for (a, b, weight) in graph.pairs() {
            tally.total += weight;
            let cell = |rank: u32| &coordinates[rank as usize * axes..][..axes];
            tally.add(&lengths, cell(a), cell(b), weight);
        }
        let ranks = graph.num_ranks() as f64;
        let mut periodic = vec![false; axes];
        let (mut expected, mut found, mut along_axes) = (0.0, 0.0, 0.0);
        let mut weights = vec![0.0; axes];
        for axis in 0..axes {
            let lines = ranks / f64::from(lengths[axis]);
            // Light edges between all ranks do not make a ring; the bytes decide.
            let usual = tally.straight[axis].1 / tally.straight[axis].0.max(1.0);
            let enough = 0.4 * lines * usual;
            periodic[axis] = lengths[axis] > 2 && usual > 0.0 && tally.round[axis].1 >= enough;
            let round = if periodic[axis] { tally.round[axis] } else { (0.0, 0.0) };
            let (pairs, bytes) =
                (tally.straight[axis].0 + round.0, tally.straight[axis].1 + round.1);
            weights[axis] = if pairs > 0.0 { bytes / pairs } else { 0.0 };
            found += pairs;
            along_axes += bytes;
            expected += ranks - if periodic[axis] { 0.0 } else { lines };
        }
        let open: usize = (0..axes).filter(|&axis| !periodic[axis]).map(|axis| 1 << axis).sum();
        let explained: f64 = (0..tally.explained_by_wraps.len())
            .filter(|wraps| wraps & open == 0)
            .map(|wraps| tally.explained_by_wraps[wraps])
            .sum();
        let share = |part: f64, whole: f64| if whole > 0.0 { part / whole } else { 0.0 };
        LogicalGrid {
            lengths,
            periodic,
            weights,
            explained: share(explained, tally.total),
            explained_along_axes: share(along_axes, tally.total),
            present: share(found, expected).min(1.0),
            coordinates,
        }
    }

    /// The number of axes.
    pub(crate) fn axes(&self) -> usize {
        self.lengths.len()
    }

    /// The number of ranks.
    pub(crate) fn ranks(&self) -> usize {
        self.coordinates.len() / self.axes()
    }

    /// The cell of a rank.
    pub(crate) fn cell(&self, rank: usize) -> &[u32] {
        &self.coordinates[rank * self.axes()..][..self.axes()]
    }

    /// Whether enough of the bytes and of the neighbour pairs are present to call it a grid, and
    /// clearly more than if every rank sent to every other.
    pub(super) fn is_convincing(&self) -> bool {
        let others = (self.ranks() as f64 - 1.0).max(1.0);
        let beside = |length: u32| f64::from(length.min(3));
        let along_axes: f64 = self.lengths.iter().map(|&length| beside(length) - 1.0).sum();
        let around = self.lengths.iter().map(|&length| beside(length)).product::<f64>() - 1.0;
        let is_surprising = |explained: f64, neighbours: f64| {
            let by_chance = (neighbours / others).min(1.0);
            by_chance < 1.0 && explained - by_chance >= 0.5 * (1.0 - by_chance)
        };
        self.explained >= 0.6
            && self.present >= 0.75
            && (is_surprising(self.explained, around)
                || is_surprising(self.explained_along_axes, along_axes))
    }

    /// How convincing it is, for choosing between readings of the same traffic.
    pub(super) fn quality(&self) -> f64 {
        self.explained * self.present
    }
}

impl std::fmt::Display for LogicalGrid {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for (axis, (length, &periodic)) in self.lengths.iter().zip(&self.periodic).enumerate() {
            let separator = if axis > 0 { " x " } else { "" };
            write!(f, "{separator}{length}{}", if periodic { " (ring)" } else { "" })?;
        }
        Ok(())
    }
}

/// Pairs sorted by the relative position of their cells.
#[derive(Debug, Default)]
struct Tally {
    total: f64,
    /// Number and bytes of pairs one step apart along an axis.
    straight: [(f64, f64); MOST_AXES],
    /// The same for pairs at the two ends of an axis.
    round: [(f64, f64); MOST_AXES],
    /// Bytes of neighbours, diagonal ones too, by the set of axes whose ends they join.
    explained_by_wraps: [f64; 1 << MOST_AXES],
}

impl Tally {
    fn add(&mut self, lengths: &[u32], a: &[u32], b: &[u32], weight: f64) {
        let (mut moved, mut last, mut wraps) = (0, 0, 0);
        for (axis, &length) in lengths.iter().enumerate() {
            match a[axis].abs_diff(b[axis]) {
                0 => continue,
                1 => {}
                apart if apart + 1 == length => wraps |= 1usize << axis,
                _ => return,
            }
            moved += 1;
            last = axis;
        }
        self.explained_by_wraps[wraps] += weight;
        if moved == 1 {
            let kind = if wraps == 0 { &mut self.straight } else { &mut self.round };
            kind[last].0 += 1.0;
            kind[last].1 += weight;
        }
    }
}
