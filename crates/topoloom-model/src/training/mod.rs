//! Training jobs of large models: who is in which group, what each group sends in a step, and how
//! the messages of a group depend on where its members are.
//!
//! A [`Layout`] makes groups, a [`ModelShape`] and a [`Step`] say how many bytes, and [`StepTraffic`]
//! is both together. It also comes from traces of jobs that ran. [`Carrier`] turns it into messages
//! for a placement.

mod axes;
mod call;
mod carry;
mod catalogue;
mod double_tree;
mod framework;
mod layout;
mod mesh;
mod shape;
mod specification;
mod step;
mod step_traffic;

pub use call::{Call, Operation};
pub use carry::{Carrier, Carry};
pub use catalogue::{LAYOUTS, LayoutEntry, MODELS, ModelEntry};
pub use double_tree::{TreeNode, double_tree};
pub use framework::Framework;
pub use layout::{Layout, LayoutError};
pub use mesh::physical_axes;
pub use shape::ModelShape;
pub use specification::{PARAMETERS, TrainingJob};
pub use step::{ContextParallelism, Step, Zero};
pub use step_traffic::{GroupKind, GroupName, StepTraffic};
