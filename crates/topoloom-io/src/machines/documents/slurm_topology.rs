//! `topology.yaml` of Slurm.

use super::format::DocumentFormat;
use crate::machines::slurm::{is_topology_yaml, read_topology_yaml};

pub const ENTRY: DocumentFormat = DocumentFormat { is: is_topology_yaml, read: read_topology_yaml };
