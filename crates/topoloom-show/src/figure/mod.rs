//! Figures, one file each; every one gives a [`Picture`](crate::Picture).

pub mod curve;
pub mod machine;
mod projection;
