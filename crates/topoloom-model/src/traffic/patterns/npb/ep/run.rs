//! A run of EP and its batches of work.

use super::super::Case;
use crate::spec::{Spec, SpecError};

/// Binary logarithm of the number of pairs of random numbers, by class.
const LOG2_PAIRS: [u32; 7] = [24, 25, 28, 30, 32, 36, 40];

/// Binary logarithm of the number of pairs that are made in one batch.
pub(super) const LOG2_BATCH: u32 = 16;

/// A legal run, and its batches of work.
pub(super) fn read(spec: &Spec) -> Result<(Case<'_>, u32), SpecError> {
    let case = Case::read(spec)?;
    let batches = 1 << (case.class.of(&LOG2_PAIRS) - LOG2_BATCH);
    case.check_ranks(batches, &format!("at most {batches}, with one batch each"), |_| true)?;
    Ok((case, batches))
}
