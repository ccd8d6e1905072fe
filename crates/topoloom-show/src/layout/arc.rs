//! Arcs of links that join places of a line which are not neighbours.

/// The highest arc, where rows are 1 apart.
const HIGHEST: f32 = 0.44;

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
