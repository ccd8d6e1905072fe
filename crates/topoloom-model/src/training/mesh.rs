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

/// A mesh whose axes are made of axes of a torus. Ranks are numbered as the nodes of the torus.
pub struct OnTorus {
    /// For each axis of the mesh: its name, and the length and stride of each axis of the torus in
    /// it, fastest first.
    axes: Vec<(&'static str, Vec<(u32, u32)>)>,
}

impl OnTorus {
    /// The mesh on the torus; none if an axis is not made of whole axes.
    pub fn new(torus: &[u32], mesh: &[(&'static str, u32)]) -> Option<OnTorus> {
        let lengths: Vec<u32> = mesh.iter().map(|(_, length)| *length).collect();
        let stride = |axis: usize| torus[..axis].iter().product::<u32>();
        // Row-major: the last axis of the torus varies fastest.
        let strides =
            |axes: &Vec<usize>| axes.iter().rev().map(|&at| (torus[at], stride(at))).collect();
        let found = physical_axes(torus, &lengths)?;
        Some(OnTorus {
            axes: mesh.iter().zip(&found).map(|((name, _), axes)| (*name, strides(axes))).collect(),
        })
    }

    /// The ranks that differ along the axes with these names alone.
    pub fn groups(&self, names: &[&str]) -> Vec<Vec<u32>> {
        let inside = self.offsets(|name| names.contains(&name));
        let starts = self.offsets(|name| !names.contains(&name));
        starts.iter().map(|start| inside.iter().map(|at| start + at).collect()).collect()
    }

    fn offsets(&self, is_wanted: impl Fn(&str) -> bool) -> Vec<u32> {
        let mut offsets = vec![0];
        for (_, parts) in self.axes.iter().filter(|(name, _)| is_wanted(name)) {
            for &(size, stride) in parts {
                let step = |by: u32| offsets.iter().map(move |at: &u32| at + by * stride);
                offsets = (0..size).flat_map(step).collect();
            }
        }
        offsets
    }
}
