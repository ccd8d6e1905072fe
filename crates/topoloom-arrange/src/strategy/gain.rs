//! When a cost counts as less.

/// Whether a cost is less than another by more than rounding errors.
pub(crate) fn gains(cost: f64, than: f64) -> bool {
    cost < than - 1e-10 * than.abs()
}
