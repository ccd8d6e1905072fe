//! Ranks as points of a box, and the groups along some of its axes.

/// Ranks as points of a box. The first axis varies fastest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Axes {
    /// The length of each axis.
    pub sizes: Vec<u32>,
}

impl Axes {
    /// The points that differ along the chosen axes alone. Members and groups are listed with the
    /// first axis varying fastest.
    pub fn groups(&self, chosen: &[bool]) -> Vec<Vec<u32>> {
        let inside = self.offsets(|axis| chosen[axis]);
        let starts = self.offsets(|axis| !chosen[axis]);
        starts.iter().map(|start| inside.iter().map(|offset| start + offset).collect()).collect()
    }

    /// The points whose coordinates are 0 on all axes except some.
    fn offsets(&self, is_free: impl Fn(usize) -> bool) -> Vec<u32> {
        let mut offsets = vec![0];
        let mut stride = 1;
        for (axis, &size) in self.sizes.iter().enumerate() {
            if is_free(axis) {
                let step = |by: u32| offsets.iter().map(move |offset| offset + by * stride);
                offsets = (0..size).flat_map(step).collect();
            }
            stride *= size;
        }
        offsets
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_along_an_axis_are_numbered_by_the_others() {
        let axes = Axes { sizes: vec![2, 3] };
        assert_eq!(axes.groups(&[true, false]), [[0, 1], [2, 3], [4, 5]]);
        assert_eq!(axes.groups(&[false, true]), [[0, 2, 4], [1, 3, 5]]);
        assert_eq!(axes.groups(&[true, true]), [[0, 1, 2, 3, 4, 5]]);
        assert_eq!(axes.groups(&[false, false]).len(), 6);
    }
}
