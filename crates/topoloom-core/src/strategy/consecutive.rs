//! In order, under the name used in papers on meshes.

use std::sync::Arc;

use super::entry::StrategyEntry;
use super::in_order::InOrder;

/// The registry's entry.
pub static ENTRY: StrategyEntry = StrategyEntry {
    name: "consecutive",
    summary: "ranks in the order of slots, lowest first: in-order under the name of the TD papers",
    example: "consecutive",
    parameters: &[],
    build: |spec| {
        spec.no_shape()?;
        Ok(Arc::new(InOrder))
    },
};
