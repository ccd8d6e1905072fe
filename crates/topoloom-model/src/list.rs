//! Lists that do not change: of one process, or of several together.

use std::ops::Deref;
use std::sync::Arc;

/// A list that does not change. Copies share it.
#[derive(Debug)]
pub enum List<T: 'static> {
    /// This process has it.
    Own(Arc<Vec<T>>),
    /// Several processes have it together, in memory that stays until they end.
    Common(&'static [T]),
}

impl<T> List<T> {
    /// Replaces the list by its common copy, if it has one.
    pub(crate) fn move_by(&mut self, copy: impl FnOnce(&[T]) -> Option<&'static [T]>) {
        if let Some(common) = copy(self) {
            *self = List::Common(common);
        }
    }

    /// Whether two lists are in the same memory.
    pub fn is_same_as(&self, other: &List<T>) -> bool {
        std::ptr::eq(&**self, &**other)
    }
}

impl<T> Deref for List<T> {
    type Target = [T];

    #[inline]
    fn deref(&self) -> &[T] {
        match self {
            List::Own(list) => list,
            List::Common(list) => list,
        }
    }
}

impl<T> Clone for List<T> {
    fn clone(&self) -> Self {
        match self {
            List::Own(list) => List::Own(Arc::clone(list)),
            List::Common(list) => List::Common(list),
        }
    }
}

impl<T> From<Vec<T>> for List<T> {
    fn from(list: Vec<T>) -> Self {
        List::Own(Arc::new(list))
    }
}

impl<T: PartialEq> PartialEq for List<T> {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

/// Memory that several processes have in common. All of them give the same lists, in the same order.
/// Each method returns the common copy of a list; nothing if there is none.
pub trait CommonMemory {
    /// A list of numbers of 32 bits.
    fn u32s(&self, list: &[u32]) -> Option<&'static [u32]>;

    /// A list of positions.
    fn usizes(&self, list: &[usize]) -> Option<&'static [usize]>;

    /// A list of floating-point numbers.
    fn f64s(&self, list: &[f64]) -> Option<&'static [f64]>;
}
