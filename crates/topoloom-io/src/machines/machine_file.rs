//! What a file says about a machine.

use topoloom_core::cluster::{Hardware, Network, Parts, SwitchTables};

use super::device_names::DeviceNames;
use super::scotch_target::ScotchTarget;
use crate::text::error::ReadError;
use crate::text::host_list::ListedHost;
use crate::text::warnings::Warnings;

/// What a file says about a machine.
#[derive(Debug, Clone)]
pub enum MachineFile {
    /// What is inside a node.
    Hardware(Hardware),
    /// How nodes are connected.
    Network(Network),
    /// How its switches forward.
    Tables(SwitchTables),
    /// What the adapters and switches of a network are called.
    Names(DeviceNames),
    /// Which nodes may be used.
    Hosts(Vec<ListedHost>),
    /// Hosts with the NVLink domains that they are in.
    Domains(Vec<(String, String)>),
    /// Nodes, what is inside them, and how they are connected.
    Whole(Box<Parts>),
    /// A whole machine without names.
    Target(ScotchTarget),
}

/// What a reader of any kind of file gives: what the file says and what had to be assumed, or why it
/// cannot be used.
pub(crate) type MachineFileAnswer = Result<(MachineFile, Warnings), ReadError>;
