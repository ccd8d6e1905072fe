//! Logical axes on the axes of a torus, as JAX assigns them.

/// The axes of a torus that make up each axis of a mesh: for each axis of `mesh`, from the last one
/// on, the largest number of free axes of `torus` whose product is its length, and of those the
/// first. None if an axis is not made of whole axes.
///
/// ```
/// use topoloom_model::training::physical_axes;
/// assert_eq!(physical_axes(&[4, 4, 8], &[1, 8, 16]), Some(vec![vec![], vec![2], vec![0, 1]]));
/// assert_eq!(physical_axes(&[4, 4, 8], &[2, 8, 8]), None);
/// ```
pub fn physical_axes(torus: &[u32], mesh: &[u32]) -> Option<Vec<Vec<usize>>> {
    /// Tori have few axes. All sets of axes are tried.
    const MOST_AXES: usize = 8;
    if torus.len() > MOST_AXES {
        return None;
    }
    let mut free: u32 = (1 << torus.len()) - 1;
    let mut assigned = vec![Vec::new(); mesh.len()];
    for (axis, &length) in mesh.iter().enumerate().rev().filter(|(_, length)| **length > 1) {
        let axes = |set: u32| (0..torus.len()).filter(move |&at| set & (1 << at) != 0);
        let fits = |set: &u32| {
            let product: u64 = axes(*set).map(|at| u64::from(torus[at])).product();
            *set & !free == 0 && product == u64::from(length)
        };
        // More axes first, then the set whose axes come first.
        let key =
            |set: &u32| (torus.len() - set.count_ones() as usize, axes(*set).collect::<Vec<_>>());
        let best = (1..1u32 << torus.len()).filter(fits).min_by_key(key)?;
        free &= !best;
        assigned[axis] = axes(best).collect();
    }
    let left: u64 = (0..torus.len())
        .filter(|&at| free & (1 << at) != 0)
        .map(|at| u64::from(torus[at]))
        .product();
    (left == 1).then_some(assigned)
}
