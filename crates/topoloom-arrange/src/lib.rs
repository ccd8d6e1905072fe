//! Data partitions for processors of different speed, arranged so that slow links between clusters
//! carry little.
//!
//! A square of blocks is cut into columns of rectangles, one rectangle a processor and as large as
//! the processor is fast. Where a rectangle stands in its column, and a column among
//! the columns, changes neither load nor volume, but what travels between clusters ([`measure`]).
//! [`strategy`] looks for the order that costs least.

pub mod application;
pub mod arrangement;
pub mod balance;
pub mod kernel;
pub mod measure;
pub mod partition;
pub mod platform;
pub mod speed;
pub mod strategy;

pub use application::{Application, ApplicationError, Flow, Summa};
pub use arrangement::{Arrangement, Column, InvalidArrangement, Rectangle};
pub use balance::{balance, balanced_time};
pub use kernel::{RectangleUpdate, Timings};
pub use measure::{Cost, MEASURES, Measure, Ring, parse_measure};
pub use partition::{
    ColumnPlan, Cutter, PartitionError, PartitionKind, PlannedColumn, br, columns, fpm_br,
    imbalance, partition, predicted_times,
};
pub use platform::{Bandwidths, Cluster, InvalidPlatform, Latencies, Node, Platform};
pub use speed::{Interpolation, InvalidSpeeds, Speed, SpeedFunction};
pub use strategy::{ARRANGERS, Arranger, Form, Grids, Parts, Task, parse_arranger};
