//! How large a topology may be.

use crate::budget;
use crate::spec::{Spec, SpecError};

/// The largest number of nodes a topology may have: more than any real machine has, and the data of
/// all nodes and links fit in memory.
pub(super) const MAX_NODES: u32 = 1 << 24;

/// What a machine keeps for each node: its coordinates, at most.
const BYTES_OF_NODE: u64 = 32;

/// The product of `lengths`, or an error if it is more than a machine may have.
pub(super) fn checked_volume(spec: &Spec, lengths: &[u32]) -> Result<usize, SpecError> {
    let product =
        lengths.iter().fold(1u128, |product, &length| product.saturating_mul(u128::from(length)));
    if product > u128::from(MAX_NODES) {
        return Err(SpecError::new(format!(
            "{spec} has {product} nodes; at most {MAX_NODES} are possible"
        )));
    }
    budget::memory().check_items(&spec.to_string(), product as u64, BYTES_OF_NODE)?;
    Ok(product as usize)
}
