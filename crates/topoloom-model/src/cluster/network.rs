//! How the nodes of a cluster are joined: switches in groups.

/// A switch, or several that do the same job. Everything below it is as close as its level allows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SwitchGroup {
    /// What it is called.
    pub name: String,
    /// The group around it; none for an outermost one.
    pub parent: Option<u32>,
    /// 1 for switches that nodes are plugged into, 2 for the next, and so on. It is always less
    /// than the level of the group around it.
    pub level: u32,
}

/// The network of a cluster as groups in groups.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Network {
    /// The groups of switches; a group comes before the groups in it.
    pub groups: Vec<SwitchGroup>,
    /// The hosts with the group they are plugged into, in the order of the file.
    pub hosts: Vec<(String, u32)>,
    /// How many switches there are.
    pub switches: usize,
    /// How many cables there are, between switches and from hosts to switches; none if only groups
    /// are known.
    pub links: usize,
}
