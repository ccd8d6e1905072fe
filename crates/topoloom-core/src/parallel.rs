//! Work on all threads. These functions are compiled once per type of result or item. A chain of
//! parallel iterators is compiled again for each closure, and in a generic function for each of its
//! types: some 6,000 lines for LLVM each time. One dynamic call per piece of work is nothing beside
//! the piece.

use rayon::prelude::*;

/// The results of `count` pieces of work, in order.
pub(crate) fn map<T: Send>(count: usize, work: &(dyn Fn(usize) -> T + Sync)) -> Vec<T> {
    (0..count).into_par_iter().map(work).collect()
}

/// Works on a list, `size` items at a time; `work` gets the number of the first item.
pub(crate) fn each_part<T: Send>(
    list: &mut [T],
    size: usize,
    work: &(dyn Fn(usize, &mut [T]) + Sync),
) {
    list.par_chunks_mut(size).enumerate().for_each(|(part, items)| work(part * size, items));
}

#[cfg(test)]
mod tests {
    #[test]
    fn results_are_in_order() {
        assert_eq!(super::map(3, &|piece| 10 * piece), [0, 10, 20]);
        let mut list = [0; 7];
        super::each_part(&mut list, 3, &|first, items| items.fill(first));
        assert_eq!(list, [0, 0, 0, 3, 3, 3, 6]);
    }
}
