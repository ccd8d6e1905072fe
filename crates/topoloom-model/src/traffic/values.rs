//! One number per flow, kept once if all flows have the same.

use crate::list::List;

/// One number per flow. In most files and patterns all flows have the same number of messages, and
/// often of bytes. Then it is kept once.
#[derive(Debug, Clone, PartialEq)]
pub enum Values {
    /// The number of every flow.
    Same(f64),
    /// The number of each flow; copies share them.
    Each(List<f64>),
}

impl Values {
    /// The numbers of the flows, kept once if they are all the same.
    pub fn new(values: Vec<f64>) -> Self {
        let first = values.first().copied().unwrap_or(0.0);
        if values.iter().all(|&value| value == first) {
            Values::Same(first)
        } else {
            Values::Each(values.into())
        }
    }

    /// The number of one flow.
    #[inline]
    pub fn get(&self, flow: usize) -> f64 {
        match self {
            Values::Same(value) => *value,
            Values::Each(values) => values[flow],
        }
    }

    /// The sum over `flows` flows.
    pub(super) fn total(&self, flows: usize) -> f64 {
        match self {
            Values::Same(value) => value * flows as f64,
            Values::Each(values) => values.iter().sum(),
        }
    }
}
