//! Lists that are made when they are first needed, and kept while there is room.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The most items that are kept, of all lists together (about 400 MB). Lists that are needed later
/// are made each time.
const MOST_ITEMS: usize = 1 << 24;

/// If there are more lists than this, none are kept.
const MOST_LISTS: usize = 1 << 21;

/// Lists by number.
#[derive(Debug)]
pub struct Kept<T> {
    lists: Vec<OnceLock<Box<[T]>>>,
    items: AtomicUsize,
}

impl<T> Kept<T> {
    /// Room for this many lists; `None` if there are too many.
    pub fn new(lists: usize) -> Option<Kept<T>> {
        let lists = (lists <= MOST_LISTS)
            .then(|| std::iter::repeat_with(OnceLock::new).take(lists).collect())?;
        Some(Kept { lists, items: AtomicUsize::new(0) })
    }

    /// Hands list `number` to `visit`, made by `make` if it does not exist.
    #[inline]
    pub fn with(&self, number: usize, make: impl FnOnce() -> Vec<T>, visit: impl FnOnce(&[T])) {
        let list = &self.lists[number];
        if let Some(items) = list.get() {
            return visit(items);
        }
        let items = make();
        if self.items.fetch_add(items.len() + 1, Ordering::Relaxed) < MOST_ITEMS {
            visit(list.get_or_init(|| items.into_boxed_slice()));
        } else {
            visit(&items);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_is_made_once() {
        let kept = Kept::new(2).unwrap();
        let mut made = 0;
        for _ in 0..3 {
            kept.with(
                1,
                || {
                    made += 1;
                    vec![7]
                },
                |items| assert_eq!(items, [7]),
            );
        }
        assert_eq!(made, 1);
        assert!(Kept::<u8>::new(MOST_LISTS + 1).is_none());
    }
}
