//! The adapters inside a kind of node, as a machine file has them.

use serde::{Deserialize, Serialize};
use topoloom_core::cluster::NodeAdapter;

use super::guid::guid;
use crate::text::cpu_list::{self, CpuLists};
use crate::text::fault::Fault;

/// An adapter inside a node.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KindAdapter {
    name: String,
    /// That of the host that the node was read from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    guid: Option<String>,
    /// The CPUs of the part that it is attached to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    cpus: Option<String>,
    /// The GPUs on its own PCI bridge, counted among those of the node.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    gpus: Vec<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    megabits_per_second: Option<u32>,
}

impl KindAdapter {
    /// What a machine file says about an adapter.
    pub fn of(adapter: &NodeAdapter) -> KindAdapter {
        KindAdapter {
            name: adapter.name.clone(),
            guid: adapter.guid.map(|guid| format!("{guid:016x}")),
            cpus: (!adapter.cpus.is_empty()).then(|| cpu_list::write(&adapter.cpus)),
            gpus: adapter.gpus.clone(),
            megabits_per_second: adapter.megabits_per_second,
        }
    }

    /// The adapter.
    pub fn into_adapter(self, lists: &mut CpuLists) -> Result<NodeAdapter, Fault> {
        let cpus = match &self.cpus {
            Some(list) => lists.parse(list).map_err(|fault| fault.within(&self.name))?,
            None => Vec::new(),
        };
        let guid = guid(self.guid.as_deref())?;
        let KindAdapter { name, gpus, megabits_per_second, .. } = self;
        Ok(NodeAdapter { name, guid, cpus, gpus, megabits_per_second })
    }
}
