//! The reflected Gray code, and arcs between places of a line in its order.

/// The highest arc, where rows are 1 apart.
const HIGHEST: f32 = 0.44;

/// The place of a number in the reflected Gray code.
pub fn place_of_code(code: u32) -> u32 {
    let (mut place, mut rest) = (code, code >> 1);
    while rest > 0 {
        place ^= rest;
        rest >>= 1;
    }
    place
}

/// How far the middle of a link between two places of a line is aside. Links of one dimension are
/// arcs around one middle, and dimensions alternate between both sides.
pub fn bend(a: f32, b: f32) -> f32 {
    let (a, b) = (a.round().max(0.0) as u32, b.round().max(0.0) as u32);
    let changed = (a ^ (a >> 1)) ^ (b ^ (b >> 1));
    let dimension = 31 - changed.max(1).leading_zeros();
    let widest = (1u64 << (dimension + 1)) as f32;
    let height = HIGHEST * (a.abs_diff(b) + 1) as f32 / widest;
    if dimension.is_multiple_of(2) { height } else { -height }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_on_a_line_differ_in_one_bit() {
        let mut codes: Vec<u32> = (0..16).collect();
        codes.sort_by_key(|&code| place_of_code(code));
        assert!(codes.windows(2).all(|two| (two[0] ^ two[1]).count_ones() == 1));
    }

    #[test]
    fn arcs_of_a_dimension_are_inside_each_other_and_below_the_next_row() {
        // Places 0 to 7 of a line: dimension 2 joins mirror images in all eight.
        let heights = [bend(0.0, 7.0), bend(1.0, 6.0), bend(2.0, 5.0)];
        assert!(heights[0] > heights[1] && heights[1] > heights[2] && heights[2] > 0.0);
        assert!(heights[0] < 0.5);
        // Dimension 1 is on the other side.
        assert!(bend(0.0, 3.0) < 0.0 && bend(4.0, 7.0) < 0.0);
    }
}
