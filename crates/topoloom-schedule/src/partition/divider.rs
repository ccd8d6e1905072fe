//! A partition policy for one machine.

use topoloom_core::{Machine, Spec};

use super::interface::PartitionPolicy;
use super::registry::PARTITIONS;
use crate::error::ScheduleError;

/// A partition policy that is known to suit a machine; every simulation makes its own copy.
#[derive(Debug, Clone)]
pub struct Divider {
    spec: Spec,
    machine: Machine,
}

impl Divider {
    /// The policy that `text` names, if the machine suits it.
    pub fn parse(text: &str, machine: &Machine) -> Result<Divider, ScheduleError> {
        let spec = Spec::parse(text)?;
        (PARTITIONS.find(&spec)?.build)(&spec, machine)?;
        Ok(Divider { spec, machine: machine.clone() })
    }

    /// The name as given.
    pub fn name(&self) -> String {
        self.spec.to_string()
    }

    /// A policy at the beginning of a run.
    pub fn policy(&self) -> Box<dyn PartitionPolicy> {
        let entry = PARTITIONS.find(&self.spec).expect("was found before");
        (entry.build)(&self.spec, &self.machine).expect("was built before")
    }
}
