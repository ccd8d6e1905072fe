//! Vertices in numbered blocks, by what they have in common.

/// Vertices in numbered blocks, by what they have in common.
pub struct Common<T> {
    /// What the vertices of each block have in common, in rising order.
    pub of_block: Vec<T>,
    pub block_of: Vec<u32>,
}

impl<T: Ord + Copy> Common<T> {
    pub fn of(common: &[T]) -> Self {
        let mut of_block = common.to_vec();
        of_block.sort_unstable();
        of_block.dedup();
        let number = |one| of_block.binary_search(one).expect("everything is listed") as u32;
        let block_of = common.iter().map(number).collect();
        Common { of_block, block_of }
    }
}
