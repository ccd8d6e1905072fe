//! How many arrangements there are.

use topoloom_core::NotApplicable;

/// The reason why they are not examined.
pub(super) fn too_many(arrangements: f64) -> NotApplicable {
    let number = match arrangements.is_finite() {
        true => format!("{arrangements:.3e}"),
        false => "more than 1e308".to_string(),
    };
    // Counting ends if there are too many.
    NotApplicable(format!(
        "{number} arrangements or more are too many to examine; use auto, which does not prove its \
         answer"
    ))
}

/// The number of orders of items, of which the given counts are the same.
pub(super) fn orders(counts: impl Iterator<Item = usize>) -> f64 {
    let (mut orders, mut total) = (1.0, 0.0);
    for count in counts {
        for item in 1..=count {
            total += 1.0;
            orders *= total / item as f64;
        }
    }
    orders
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn twelve_nodes_on_four_clusters_have_277200_orders() {
        // 12! / (3! 4! 2! 3!)
        assert_eq!(orders([3, 4, 2, 3].into_iter()), 277_200.0);
        assert_eq!(orders([1; 5].into_iter()), 120.0);
    }
}
