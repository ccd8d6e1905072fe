//! Which sizes to measure, and with which rectangles.

/// A rectangle of blocks that is nearly square.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Shape {
    down: u32,
    across: u32,
}

impl Shape {
    /// The rectangle whose size is nearest to `size` blocks, of those with sides in a ratio of at
    /// most about 2; among equally near ones, the squarest.
    fn near(size: u32) -> Shape {
        let root = size.isqrt().max(1);
        let half = size.div_ceil(2);
        let least = half.isqrt() + u32::from(half.isqrt().pow(2) < half);
        let least = least.clamp(1, root);
        let shape = |down: u32| {
            let across = (f64::from(size) / f64::from(down)).round() as u32;
            Shape { down, across: across.max(1) }
        };
        let shapes = (least..=root).rev().map(shape);
        let nearest = shapes.min_by_key(|shape| shape.size().abs_diff(size));
        nearest.unwrap_or(Shape { down: 1, across: size })
    }

    /// In blocks.
    pub fn size(&self) -> u32 {
        self.down.saturating_mul(self.across)
    }

    /// Blocks per column and per row.
    pub fn sides(&self) -> (u32, u32) {
        (self.down, self.across)
    }
}

/// Sizes from `from` to `to` that grow by the same factor.
pub fn geometric(from: u32, to: u32, points: u32) -> Vec<u32> {
    let (from, to) = (f64::from(from), f64::from(to));
    let steps = f64::from(points.max(2) - 1);
    (0..points)
        .map(|step| (from * (to / from).powf(f64::from(step) / steps)).round() as u32)
        .collect()
}

/// A rectangle for each size, each size once, in order.
pub fn shapes(sizes: &[u32]) -> Vec<Shape> {
    let mut shapes: Vec<Shape> = sizes.iter().map(|&size| Shape::near(size)).collect();
    shapes.sort_by_key(|shape| (shape.size(), shape.across));
    shapes.dedup_by_key(|shape| shape.size());
    shapes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rectangles_are_nearly_square_and_nearly_as_large_as_asked() {
        let sides = |size: u32| Shape::near(size).sides();
        assert_eq!(sides(1), (1, 1));
        assert_eq!(sides(2), (1, 2));
        assert_eq!(sides(64), (8, 8));
        assert_eq!(sides(128), (8, 16));
        // A prime: 4 x 4 is one block less.
        assert_eq!(sides(17), (4, 4));
        for size in (1..3000).chain([1_000_003, u32::MAX]) {
            let shape = Shape::near(size);
            let (down, across) = shape.sides();
            assert!(shape.size().abs_diff(size) <= down.div_ceil(2), "{size} {shape:?}");
            assert!(down <= across + 1 && across <= 3 * down, "{size} {shape:?}");
        }
    }

    #[test]
    fn sizes_grow_by_the_same_factor_and_come_once() {
        assert_eq!(geometric(16, 256, 3), [16, 64, 256]);
        assert_eq!(geometric(5, 5, 4), [5; 4]);
        let found: Vec<u32> = shapes(&[256, 16, 17, 1, 16]).iter().map(Shape::size).collect();
        assert_eq!(found, [1, 16, 256]);
    }
}
