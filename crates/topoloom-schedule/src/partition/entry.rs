//! What the registry knows about a partition policy.

use topoloom_core::{Entry, Machine, Spec};

use super::interface::PartitionPolicy;
use crate::error::ScheduleError;

/// Makes a policy for a machine, or says why the machine does not suit it.
pub type PartitionBuilder = fn(&Spec, &Machine) -> Result<Box<dyn PartitionPolicy>, ScheduleError>;

/// An entry of [`PARTITIONS`](super::PARTITIONS).
pub type PartitionEntry = Entry<PartitionBuilder>;
