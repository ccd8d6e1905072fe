//! The cost of an arrangement.
//!
//! Every row of blocks is sent around a ring of the columns, every column of blocks around a ring
//! of the rectangles in it. A measure defines the cost of a link between two clusters, and which
//! links of a ring count.

use std::fmt;

use topoloom_core::{Entry, Parameter, Registry, Spec, SpecError};

use crate::arrangement::{Arrangement, Rectangle};
use crate::platform::{Bandwidths, Platform};

/// Which links of a ring count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ring {
    /// All of them (equations 3.4 and 3.5, and 4.1 and 4.2 as printed).
    Closed,
    /// All except the cheapest: wherever a message starts, it does not return there, and the most
    /// that it can cross is an upper bound for any start (equations 3.1 and 3.2).
    AllButCheapest,
    /// All except the one that closes it (equations 4.1 and 4.2 as computed in the thesis).
    Open,
}

/// The cost of an arrangement in each direction.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cost {
    /// The cost of messages along the rows: `cost_A` or `cost_H`.
    pub horizontal: f64,
    /// The cost of messages along the columns: `cost_B` or `cost_V`.
    pub vertical: f64,
}

impl Cost {
    /// Both together: the value to minimise.
    pub fn total(&self) -> f64 {
        self.horizontal + self.vertical
    }
}

/// The cost of a link between two clusters, and which links count.
#[derive(Clone, PartialEq)]
pub struct Measure {
    /// As specified.
    pub name: String,
    /// Which links of a ring count.
    pub ring: Ring,
    /// The names of both directions.
    pub names: (&'static str, &'static str),
    clusters: usize,
    /// Per block of height, from cluster to cluster, row by row.
    horizontal: Vec<f64>,
    /// Per block of width, from cluster to cluster, row by row.
    vertical: Vec<f64>,
    cluster_of: Vec<u32>,
}

impl fmt::Debug for Measure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Measure").field("name", &self.name).finish_non_exhaustive()
    }
}

impl Measure {
    /// Levels crossed between clusters (equations 3.1 to 3.3).
    pub fn hops(platform: &Platform) -> Self {
        let table = |from: usize, to: usize| f64::from(platform.levels_between(from, to));
        let table = square(platform.clusters().len(), table);
        Measure::of(
            "hops",
            Ring::AllButCheapest,
            ("cost_A", "cost_B"),
            platform,
            table.clone(),
            table,
        )
    }

    /// Time at the bandwidths between clusters, with `bytes` per block of height or width
    /// (equations 3.4 to 3.6).
    pub fn bandwidth(platform: &Platform, bytes: f64) -> Self {
        let table = times(platform.bandwidth(), bytes);
        let name = format!("bandwidth:bytes={bytes}");
        Measure::of(&name, Ring::Closed, ("cost_A", "cost_B"), platform, table.clone(), table)
    }

    /// Time at the bandwidths of horizontal and of vertical messages (equations 4.1 to 4.3), with
    /// or without a way back from the last to the first.
    pub fn asymmetric(platform: &Platform, bytes: f64, wrap: bool) -> Self {
        let horizontal = times(platform.bandwidth(), bytes);
        let vertical = times(platform.vertical().unwrap_or(platform.bandwidth()), bytes);
        let mut name = format!("asymmetric:bytes={bytes}");
        if wrap {
            name += ",wrap";
        }
        let ring = if wrap { Ring::Closed } else { Ring::Open };
        Measure::of(&name, ring, ("cost_H", "cost_V"), platform, horizontal, vertical)
    }

    fn of(
        name: &str,
        ring: Ring,
        names: (&'static str, &'static str),
        platform: &Platform,
        horizontal: Vec<f64>,
        vertical: Vec<f64>,
    ) -> Self {
        Measure {
            name: name.to_string(),
            ring,
            names,
            clusters: platform.clusters().len(),
            horizontal,
            vertical,
            cluster_of: platform.cluster_of().to_vec(),
        }
    }

    /// Its name without options.
    pub fn kind(&self) -> &str {
        self.name.split(':').next().unwrap_or_default()
    }

    /// The number of clusters.
    pub fn num_clusters(&self) -> usize {
        self.clusters
    }

    /// The cluster of every processor.
    pub fn cluster_of(&self) -> &[u32] {
        &self.cluster_of
    }

    /// The cost of a block of height between two columns, from cluster to cluster.
    #[inline]
    pub fn horizontal_link(&self, from: u32, to: u32) -> f64 {
        self.horizontal[from as usize * self.clusters + to as usize]
    }

    /// The cost of a block of width between two rectangles of a column, from cluster to cluster.
    #[inline]
    pub fn vertical_link(&self, from: u32, to: u32) -> f64 {
        self.vertical[from as usize * self.clusters + to as usize]
    }

    /// The load of all rings together on the link from each cluster to each other, row by row,
    /// averaged over all starts: a pivot in a ring does not return to its holder. The diagonal is
    /// 0.
    pub fn link_loads(&self, arrangement: &Arrangement) -> Vec<f64> {
        let mut loads = vec![0.0; self.clusters * self.clusters];
        let (width, height) = (f64::from(arrangement.width()), f64::from(arrangement.height()));
        let mut add = |ring: &[(u32, f64)], blocks: u32, link: &dyn Fn(u32, u32) -> f64| {
            let open = self.ring == Ring::Open || ring.len() == 1;
            for position in 0..ring.len() - usize::from(open) {
                let (from, (to, held)) = (ring[position].0, ring[(position + 1) % ring.len()]);
                if from != to {
                    let share = if self.ring == Ring::Open { 1.0 } else { 1.0 - held };
                    loads[from as usize * self.clusters + to as usize] +=
                        share * f64::from(blocks) * link(from, to);
                }
            }
        };
        let cluster = |processor: u32| self.cluster_of[processor as usize];
        let widths = arrangement.columns().iter().map(|column| f64::from(column.width) / width);
        let widths: Vec<f64> = widths.collect();
        for pair in arrangement.cuts().windows(2) {
            let row = arrangement.row(pair[0]).into_iter().map(cluster);
            let row: Vec<(u32, f64)> = row.zip(widths.iter().copied()).collect();
            add(&row, pair[1] - pair[0], &|from, to| self.horizontal_link(from, to));
        }
        for column in arrangement.columns() {
            let held = |rectangle: &Rectangle| f64::from(rectangle.height) / height;
            let ring: Vec<(u32, f64)> = column
                .rectangles
                .iter()
                .map(|rectangle| (cluster(rectangle.processor), held(rectangle)))
                .collect();
            add(&ring, column.width, &|from, to| self.vertical_link(from, to));
        }
        loads
    }

    /// The load of the busiest link between two clusters.
    pub fn busiest(&self, arrangement: &Arrangement) -> f64 {
        self.link_loads(arrangement).into_iter().fold(0.0, f64::max)
    }

    /// The definition: the cost of `arrangement`, counted from scratch.
    pub fn cost(&self, arrangement: &Arrangement) -> Cost {
        let cluster = |processor: u32| self.cluster_of[processor as usize];
        let mut horizontal = 0.0;
        for pair in arrangement.cuts().windows(2) {
            let row: Vec<u32> = arrangement.row(pair[0]).into_iter().map(cluster).collect();
            let height = f64::from(pair[1] - pair[0]);
            horizontal += height * self.ring.cost(&row, |from, to| self.horizontal_link(from, to));
        }
        let mut vertical = 0.0;
        for column in arrangement.columns() {
            let ring: Vec<u32> =
                column.rectangles.iter().map(|rectangle| cluster(rectangle.processor)).collect();
            let width = f64::from(column.width);
            vertical += width * self.ring.cost(&ring, |from, to| self.vertical_link(from, to));
        }
        Cost { horizontal, vertical }
    }
}

impl Ring {
    /// The cost of a message around the ring of `clusters`. A ring of one sends nothing.
    pub fn cost(self, clusters: &[u32], link: impl Fn(u32, u32) -> f64) -> f64 {
        let (Some(&first), Some(&last)) = (clusters.first(), clusters.last()) else { return 0.0 };
        if clusters.len() == 1 {
            return 0.0;
        }
        let inner = || clusters.windows(2).map(|pair| link(pair[0], pair[1]));
        let closing = link(last, first);
        match self {
            Ring::Open => inner().sum(),
            Ring::Closed => inner().sum::<f64>() + closing,
            Ring::AllButCheapest => {
                inner().sum::<f64>() + closing - inner().fold(closing, f64::min)
            }
        }
    }
}

fn square(clusters: usize, value: impl Fn(usize, usize) -> f64) -> Vec<f64> {
    (0..clusters)
        .flat_map(|from| (0..clusters).map(move |to| (from, to)))
        .map(|(from, to)| value(from, to))
        .collect()
}

fn times(bandwidths: &Bandwidths, bytes: f64) -> Vec<f64> {
    square(bandwidths.num_clusters(), |from, to| bytes / bandwidths.between(from, to))
}

/// Makes a measure for a platform.
pub type MeasureBuilder = fn(&Spec, &Platform) -> Result<Measure, SpecError>;

/// Bytes per block of height or width: a row of 64 numbers of 8 bytes.
const BYTES: f64 = 512.0;

const BYTES_PARAMETER: Parameter = Parameter {
    name: "bytes",
    default: "512",
    summary: "bytes sent for each block of height or width",
};

static HOPS: Entry<MeasureBuilder> = Entry {
    name: "hops",
    summary: "levels crossed between clusters, an upper bound over all starts (3.1 to 3.3)",
    example: "hops",
    parameters: &[],
    build: |spec, platform| {
        spec.no_shape()?;
        Ok(Measure::hops(platform))
    },
};

static BANDWIDTH: Entry<MeasureBuilder> = Entry {
    name: "bandwidth",
    summary: "time at the bandwidths between clusters (3.4 to 3.6)",
    example: "bandwidth",
    parameters: &[BYTES_PARAMETER],
    build: |spec, platform| {
        spec.no_shape()?;
        Ok(Measure::bandwidth(platform, bytes(spec, BYTES)?))
    },
};

static ASYMMETRIC: Entry<MeasureBuilder> = Entry {
    name: "asymmetric",
    summary: "time at separate bandwidths of horizontal and vertical messages (4.1 to 4.3)",
    example: "asymmetric:wrap",
    parameters: &[
        Parameter { name: "bytes", default: "1", ..BYTES_PARAMETER },
        Parameter {
            name: "wrap",
            default: "no",
            summary: "count the way back from the last to the first, as in the printed equations",
        },
    ],
    build: |spec, platform| {
        // The specification reads a first word as a shape.
        let wrap = match spec.shape.as_deref() {
            None => spec.flag("wrap")?,
            Some("wrap") => true,
            Some(other) => {
                let text = format!("asymmetric: expected wrap or an option, found \"{other}\"");
                return Err(SpecError::new(text));
            }
        };
        Ok(Measure::asymmetric(platform, bytes(spec, 1.0)?, wrap))
    },
};

fn bytes(spec: &Spec, default: f64) -> Result<f64, SpecError> {
    match spec.get::<f64>("bytes", "a number of bytes")? {
        Some(bytes) if !(bytes.is_finite() && bytes > 0.0) => {
            Err(SpecError::new(format!("{}: bytes must be positive", spec.name)))
        }
        bytes => Ok(bytes.unwrap_or(default)),
    }
}

/// Every measure of arrangements.
pub static MEASURES: Registry<MeasureBuilder> =
    Registry { kind: "measure", entries: &[&HOPS, &BANDWIDTH, &ASYMMETRIC], common: &[] };

/// The measure that `text` describes, such as `bandwidth`.
pub fn parse_measure(text: &str, platform: &Platform) -> Result<Measure, SpecError> {
    let spec = Spec::parse(text)?;
    (MEASURES.find(&spec)?.build)(&spec, platform)
}
