//! What the groups of a job send in a step.

use std::fmt;

use super::call::Call;
use crate::traffic::Group;

/// The usual kinds of groups.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum GroupName {
    /// Tensor parallelism: ranks that share each layer.
    Tp,
    /// Context parallelism: ranks that share each sequence.
    Cp,
    /// Data parallelism: ranks with the same part of the model.
    Dp,
    /// The stages of a pipeline.
    Pp,
    /// Ranks that share the experts of a layer.
    Ep,
    /// Ranks that add up their gradients: data and context parallelism together.
    DpCp,
    /// Ranks with the same experts.
    ExpertDp,
}

impl GroupName {
    /// All of them, in the order in which they are shown.
    pub const ALL: [GroupName; 7] = [
        GroupName::Tp,
        GroupName::Cp,
        GroupName::Dp,
        GroupName::Pp,
        GroupName::Ep,
        GroupName::DpCp,
        GroupName::ExpertDp,
    ];

    /// The word for it.
    pub fn name(self) -> &'static str {
        match self {
            GroupName::Tp => "tp",
            GroupName::Cp => "cp",
            GroupName::Dp => "dp",
            GroupName::Pp => "pp",
            GroupName::Ep => "ep",
            GroupName::DpCp => "dp-cp",
            GroupName::ExpertDp => "expert-dp",
        }
    }

    /// What a byte of it counts unless told otherwise. A step waits for tensors, sequences, experts
    /// and stages. Gradients are half hidden behind the backward pass.
    pub fn usual_weight(self) -> f64 {
        match self {
            GroupName::Dp | GroupName::DpCp | GroupName::ExpertDp => 0.5,
            GroupName::Tp | GroupName::Cp | GroupName::Pp | GroupName::Ep => 1.0,
        }
    }
}

impl fmt::Display for GroupName {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

/// All groups of a kind.
#[derive(Debug, Clone, PartialEq)]
pub struct GroupKind {
    /// What it is called, such as `tp`.
    pub name: String,
    /// What each of its bytes counts, relative to others.
    pub weight: f64,
    /// The groups. Members are in the order of their communicator.
    pub groups: Vec<Group>,
    /// For each group, which of the lists of calls it does.
    pub list_of_group: Vec<u32>,
    /// Lists of calls. Stages of a pipeline may differ.
    pub lists: Vec<Vec<Call>>,
}

impl GroupKind {
    /// The calls of a group.
    pub fn calls(&self, group: usize) -> &[Call] {
        &self.lists[self.list_of_group[group] as usize]
    }

    /// The size of its groups: of the largest, if they differ.
    pub fn size(&self) -> u32 {
        self.groups.iter().map(Group::size).max().unwrap_or(0)
    }

    /// The bytes that all its members send in a step.
    pub fn bytes(&self) -> f64 {
        let of_group = |(number, group): (usize, &Group)| -> f64 {
            let members = group.size();
            self.calls(number)
                .iter()
                .map(|call| call.sent(members) * f64::from(call.operation.senders(members)))
                .sum()
        };
        self.groups.iter().enumerate().map(of_group).sum()
    }

    /// Whether its members send anything to each other.
    pub fn sends(&self) -> bool {
        self.bytes() > 0.0
    }
}

/// What the groups of a job send in a step.
#[derive(Debug, Clone, PartialEq)]
pub struct StepTraffic {
    /// How many ranks there are.
    pub ranks: u32,
    /// How many ranks a node has, as far as the job knows.
    pub ranks_per_node: u32,
    /// The kinds of groups, also those that send nothing.
    pub kinds: Vec<GroupKind>,
    /// How collectives are carried.
    pub carry: super::Carry,
}

impl StepTraffic {
    /// The kind with this name.
    pub fn kind(&self, name: &str) -> Option<&GroupKind> {
        self.kinds.iter().find(|kind| kind.name == name)
    }
}
