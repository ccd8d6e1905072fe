//! Data partitions for processors of different speed, arranged to keep traffic off slow links
//! between clusters.
//!
//! A square of blocks is cut into columns of rectangles, one rectangle per processor, with an area
//! in proportion to its speed. The position of a rectangle in its column, and of a column among the
//! columns, changes neither load nor volume, but it changes what travels between clusters
//! ([`measure`]). [`strategy`] searches for the order with the lowest cost.

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
