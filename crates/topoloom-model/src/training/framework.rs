//! Frameworks, which number ranks in different ways.

use std::fmt;
use std::str::FromStr;

use crate::spec::UnknownName;

/// The framework that forms the groups.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Framework {
    /// Megatron-LM: experts are folded into the data, context and tensor axes.
    Megatron,
    /// DeepSpeed: groups of experts are inside groups of data parallelism.
    DeepSpeed,
    /// torchtitan, and any DeviceMesh of PyTorch: groups of experts are consecutive ranks.
    Torchtitan,
    /// JAX with the axes of MaxText: experts vary fastest.
    Jax,
}

impl Framework {
    /// All of them with their names.
    pub const ALL: [(Framework, &'static str); 4] = [
        (Framework::Megatron, "megatron"),
        (Framework::DeepSpeed, "deepspeed"),
        (Framework::Torchtitan, "torchtitan"),
        (Framework::Jax, "jax"),
    ];

    /// The order of axes that it uses unless told otherwise; the first varies fastest.
    pub fn usual_order(self) -> &'static str {
        match self {
            Framework::Megatron => "tp-cp-ep-dp-pp",
            Framework::DeepSpeed => "tp-dp-pp",
            Framework::Torchtitan => "tp-cp-dp-pp",
            Framework::Jax => "ep-tp-cp-dp-pp",
        }
    }
}

impl fmt::Display for Framework {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = Framework::ALL.iter().find(|(framework, _)| framework == self);
        formatter.write_str(name.map_or("", |(_, name)| name))
    }
}

impl FromStr for Framework {
    type Err = UnknownName;

    fn from_str(text: &str) -> Result<Self, UnknownName> {
        let found = Framework::ALL.iter().find(|(_, name)| *name == text);
        found.map(|(framework, _)| *framework).ok_or_else(|| {
            let known = Framework::ALL.map(|(_, name)| name).join(", ");
            UnknownName::new("framework", text, known)
        })
    }
}
