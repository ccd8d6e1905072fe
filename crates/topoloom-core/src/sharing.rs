//! Several ranks in one slot, as far as an imbalance allows.

/// How much of the ranks' weight a slot may take if several share one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sharing {
    /// How much the load of a slot may exceed the average, as a share of the average.
    pub imbalance: f64,
    /// The maximum weight of ranks on a slot.
    pub slot_capacity: f64,
}

impl Sharing {
    /// A slot takes floor((1 + imbalance) * ceil(total / slots)).
    pub(crate) fn new(imbalance: f64, total_weight: f64, slots: usize) -> Self {
        let slot_capacity = ((1.0 + imbalance) * share(total_weight, slots)).floor();
        Sharing { imbalance, slot_capacity: slot_capacity.min(f64::MAX) }
    }
}

/// ceil(total / slots), exact for whole numbers.
fn share(total_weight: f64, slots: usize) -> f64 {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    if total_weight.fract() == 0.0 && total_weight < EXACT {
        (total_weight as u64).div_ceil(slots as u64) as f64
    } else {
        (total_weight / slots as f64).ceil()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slot_takes_a_little_more_than_its_share() {
        let capacity =
            |imbalance, total, slots| Sharing::new(imbalance, total, slots).slot_capacity;
        // 128 x 1.03 = 131.84
        assert_eq!(capacity(0.03, 32_768.0, 256), 131.0);
        assert_eq!(capacity(0.0, 10.0, 4), 3.0);
        assert_eq!(capacity(0.5, 10.0, 4), 4.0);
        assert_eq!(capacity(0.03, 0.0, 4), 0.0);
        assert_eq!(capacity(0.1, 2.5, 2), 2.0);
        assert!(capacity(1e308, 1e300, 1).is_finite());
    }
}
