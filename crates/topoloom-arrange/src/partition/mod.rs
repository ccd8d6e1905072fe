//! A square of blocks cut into columns of rectangles, one rectangle per processor, with an area in
//! proportion to its speed.
//!
//! [`balance`] determines how much each processor gets. [`columns`] determines which processors
//! share a column, and keeps the rectangles as square as possible. A rounding to whole blocks lets
//! the last processor finish as early as whole blocks allow.

mod columns;
mod given;
mod round;
mod share_out;

use std::fmt;
use std::str::FromStr;

use thiserror::Error;
use topoloom_core::spec::UnknownName;

use crate::arrangement::{Arrangement, InvalidArrangement};
use crate::balance::{balance, balanced_time};
use crate::platform::Platform;
use crate::speed::Speed;

use columns::LEAST_AREA;
pub use columns::{ColumnPlan, PlannedColumn, columns};
pub use given::Cutter;
use topoloom_core::words::counted;

/// Why a square cannot be cut.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum PartitionError {
    /// There are no processors.
    #[error("the platform has no processors")]
    NoProcessor,
    /// There are no blocks, or more than can be counted.
    #[error("expected 1 to {most} blocks per side, found {0}", most = MOST_BLOCKS)]
    Blocks(u32),
    /// Fewer blocks than processors.
    #[error(
        "{} are more than the {blocks} x {blocks} blocks of the square",
        counted(*processors, "processor")
    )]
    TooManyProcessors {
        /// How many there are.
        processors: usize,
        /// Blocks per side.
        blocks: u32,
    },
    /// An area that is not positive, or not a number.
    #[error("expected a positive finite area for processor {processor}, found {area}")]
    Area {
        /// The processor.
        processor: usize,
        /// The area.
        area: f64,
    },
    /// Columns without room for one block per processor.
    #[error("these columns of processors do not fit {height} x {width} blocks")]
    NoRoom {
        /// Rows of blocks.
        height: u32,
        /// Columns of blocks.
        width: u32,
    },
    /// Columns that do not hold every processor once.
    #[error(transparent)]
    Columns(#[from] InvalidArrangement),
    /// A processor with a speed that cannot be used.
    #[error(
        "expected a speed of {processor} between 1e-100 and 1e100 blocks per second, found {speed}"
    )]
    Speed {
        /// Its name.
        processor: String,
        /// The speed.
        speed: f64,
    },
}

/// The most blocks per side: the number of all blocks is then exact in floating point.
pub const MOST_BLOCKS: u32 = 1 << 26;

/// How the square is divided.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum PartitionKind {
    /// By constant speeds (Beaumont, Boudet, Rastello and Robert 2001); see [`br`].
    Br,
    /// By speeds at the sizes that processors get; see [`fpm_br`].
    #[default]
    FpmBr,
}

impl PartitionKind {
    /// All of them.
    pub const ALL: [PartitionKind; 2] = [PartitionKind::Br, PartitionKind::FpmBr];

    /// The name in options.
    pub fn name(self) -> &'static str {
        match self {
            PartitionKind::Br => "br",
            PartitionKind::FpmBr => "fpm-br",
        }
    }

    /// Cuts a square of `blocks` x `blocks` for the processors of `platform`.
    pub fn partition(
        self,
        platform: &Platform,
        blocks: u32,
    ) -> Result<Arrangement, PartitionError> {
        match self {
            PartitionKind::Br => br(platform, blocks),
            PartitionKind::FpmBr => fpm_br(platform, blocks),
        }
    }
}

impl fmt::Display for PartitionKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for PartitionKind {
    type Err = UnknownName;

    fn from_str(text: &str) -> Result<Self, UnknownName> {
        let found = PartitionKind::ALL.into_iter().find(|kind| kind.name() == text);
        found.ok_or_else(|| UnknownName::new("partition", text, "br, fpm-br"))
    }
}

/// Cuts a square of `blocks` x `blocks` into a rectangle for each processor, in proportion to
/// `areas` as closely as whole blocks allow. With these columns, no other widths and heights have a
/// smaller largest ratio of blocks to area (then a smaller second-largest ratio, and so on).
///
/// ```
/// use topoloom_arrange::{Rectangle, partition};
/// let arrangement = partition(&[6.0, 1.0, 2.0], 9).unwrap();
/// // A third of the width for the two slow ones, two thirds for the fast one.
/// let widths: Vec<u32> = arrangement.columns().iter().map(|column| column.width).collect();
/// assert_eq!(widths, [3, 6]);
/// let slow = [Rectangle { processor: 1, height: 3 }, Rectangle { processor: 2, height: 6 }];
/// assert_eq!(arrangement.columns()[0].rectangles, slow);
/// ```
pub fn partition(areas: &[f64], blocks: u32) -> Result<Arrangement, PartitionError> {
    check_count(areas.len(), blocks)?;
    let wrong = areas.iter().position(|area| !(area.is_finite() && *area > 0.0));
    if let Some(processor) = wrong {
        return Err(PartitionError::Area { processor, area: areas[processor] });
    }
    // Loads are blocks divided by areas; only the ratios of areas count.
    let largest = areas.iter().copied().fold(0.0, f64::max);
    let relative = |area: &f64| Speed::Constant((area / largest).max(LEAST_AREA));
    let speeds: Vec<Speed> = areas.iter().map(relative).collect();
    Ok(cut(areas, &speeds.iter().collect::<Vec<_>>(), blocks))
}

/// The algorithm BR of the thesis: areas in proportion to constant speeds. A speed function is
/// replaced by its speed at an equal share of the square, as if only that had been measured.
pub fn br(platform: &Platform, blocks: u32) -> Result<Arrangement, PartitionError> {
    let speeds = speeds(platform, blocks)?;
    let share = all_blocks(blocks) / speeds.len() as f64;
    let constant: Vec<Speed> =
        speeds.iter().map(|speed| Speed::Constant(speed.speed(share))).collect();
    Ok(cut_balanced(&constant.iter().collect::<Vec<_>>(), blocks))
}

/// The algorithm FPM-BR of the thesis: areas that all processors finish at the same time at the
/// speeds that they have at these areas. If all speeds are constant, it is [`br`].
pub fn fpm_br(platform: &Platform, blocks: u32) -> Result<Arrangement, PartitionError> {
    Ok(cut_balanced(&speeds(platform, blocks)?, blocks))
}

/// Seconds that each processor takes for its rectangle of an arrangement of this platform, that is
/// for one update of it.
pub fn predicted_times(platform: &Platform, arrangement: &Arrangement) -> Vec<f64> {
    let mut blocks = vec![0.0; platform.num_processors()];
    for column in arrangement.columns() {
        for rectangle in &column.rectangles {
            if let Some(blocks) = blocks.get_mut(rectangle.processor as usize) {
                *blocks = f64::from(column.width) * f64::from(rectangle.height);
            }
        }
    }
    platform.nodes().zip(blocks).map(|(node, blocks)| node.speed.time(blocks)).collect()
}

/// How much longer the last processor takes than if all finished at the same time: 1 is perfect
/// balance, which whole blocks seldom allow; 1.05 costs 5 % of the time.
pub fn imbalance(platform: &Platform, arrangement: &Arrangement) -> f64 {
    let speeds: Vec<&Speed> = platform.nodes().map(|node| &node.speed).collect();
    let total = f64::from(arrangement.width()) * f64::from(arrangement.height());
    let last = predicted_times(platform, arrangement).into_iter().fold(0.0, f64::max);
    last / balanced_time(&speeds, total)
}

fn all_blocks(blocks: u32) -> f64 {
    f64::from(blocks) * f64::from(blocks)
}

fn check_count(processors: usize, blocks: u32) -> Result<(), PartitionError> {
    if processors == 0 {
        return Err(PartitionError::NoProcessor);
    }
    if blocks == 0 || blocks > MOST_BLOCKS {
        return Err(PartitionError::Blocks(blocks));
    }
    if processors as f64 > all_blocks(blocks) {
        return Err(PartitionError::TooManyProcessors { processors, blocks });
    }
    Ok(())
}

/// The speeds of all processors, after a check that they are positive and not too many.
fn speeds(platform: &Platform, blocks: u32) -> Result<Vec<&Speed>, PartitionError> {
    check_count(platform.num_processors(), blocks)?;
    valid_speeds(platform)
}

fn valid_speeds(platform: &Platform) -> Result<Vec<&Speed>, PartitionError> {
    if let Some(node) = platform.nodes().find(|node| !node.speed.is_valid()) {
        let speed = node.speed.speed(0.0);
        return Err(PartitionError::Speed { processor: node.name.clone(), speed });
    }
    Ok(platform.nodes().map(|node| &node.speed).collect())
}

fn cut_balanced(speeds: &[&Speed], blocks: u32) -> Arrangement {
    cut(&balance(speeds, all_blocks(blocks)), speeds, blocks)
}

/// Columns by the areas, whole blocks by the speeds.
fn cut(areas: &[f64], speeds: &[&Speed], blocks: u32) -> Arrangement {
    let plan = columns::columns_within(areas, blocks as usize);
    round::whole_blocks(&plan, speeds, (blocks, blocks))
}

#[cfg(test)]
mod tests;
