//! How many ranks a file may name, and what one number for each pair of ranks means.

use topoloom_core::words::counted;
use topoloom_core::{Traffic, Weight, budget};

use crate::text::fault::Fault;
use crate::text::warnings::Warnings;

/// The most ranks a file may have: memory is allocated for each rank, and a typing error must not
/// use up all memory.
pub const MAX_RANKS: u64 = 1 << 28;

/// The least memory of a rank while traffic is read and shown: its place in the rows of both
/// directions, and its sums.
const BYTES_PER_RANK: u64 = 64;

/// `count` as a number of ranks, unless it is 0, beyond [`MAX_RANKS`] or beyond the memory budget.
/// A file of a few bytes may name any number, so this is checked before memory is allocated.
pub(crate) fn ranks(count: u64) -> Result<u32, Fault> {
    match u32::try_from(count) {
        Ok(0) => Err(Fault::expected("at least 1 rank", "0")),
        Ok(ranks) if count <= MAX_RANKS => {
            let budget = budget::memory();
            let what = format!("a file of {ranks}", ranks = counted(ranks, "rank"));
            budget.check_items(&what, count, BYTES_PER_RANK)?;
            Ok(ranks)
        }
        _ => Err(Fault::TooLarge(format!(
            "{count} ranks are too many; at most {MAX_RANKS} are supported"
        ))),
    }
}

/// The messages and bytes that a file with one number per pair means: one message of `value` bytes,
/// or `value` messages of unknown size, which count as one byte each. A value of 0 is not a flow.
pub(super) fn messages_and_bytes(value: f64, weight: Weight) -> (f64, f64) {
    match weight {
        Weight::Bytes if value > 0.0 => (1.0, value),
        _ => (value, value),
    }
}

/// A warning if `traffic` has rank weights, for formats without a place for them.
pub(super) fn warn_about_rank_weights(traffic: &Traffic, format: &str) -> Warnings {
    let lost = traffic.rank_weights().is_some();
    lost.then(|| format!("{format} has no place for rank weights: they were left out"))
        .into_iter()
        .collect()
}
