//! Points, their levels, and the links between them.

/// What a layered picture is made of.
pub struct Layered {
    /// The level of each point: 0 for those that hold nodes, and only for them.
    pub level_of: Vec<u16>,
    /// How many of the points hold nodes: the first ones.
    pub holding: usize,
    /// Pairs of points that are linked, the lower number first.
    pub links: Vec<[u32; 2]>,
    /// The place of each host if they are read from left to right.
    pub reading: Vec<u32>,
}

impl Layered {
    /// The points that each point is linked to, in ascending order.
    pub fn neighbours(&self) -> Vec<Vec<u32>> {
        let mut neighbours = vec![Vec::new(); self.level_of.len()];
        for &[a, b] in &self.links {
            neighbours[a as usize].push(b);
            neighbours[b as usize].push(a);
        }
        for list in &mut neighbours {
            list.sort_unstable();
            list.dedup();
        }
        neighbours
    }
}
