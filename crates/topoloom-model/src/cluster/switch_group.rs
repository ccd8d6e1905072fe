//! Groups of switches.

/// The level of NVLink domains among groups of switches.
pub const NVLINK_LEVEL: u32 = 0;

/// A switch, or several that do the same job. Everything below it is as close as its level allows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SwitchGroup {
    /// What it is called.
    pub name: String,
    /// The group around it; none for an outermost one.
    pub parent: Option<u32>,
    /// 1 for switches that nodes are plugged into, 2 for the next, and so on; 0 for nodes that NVLink
    /// joins without the network. It is always less than the level of the group around it.
    pub level: u32,
}
