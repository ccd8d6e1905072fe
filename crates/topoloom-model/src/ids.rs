//! The numbers that name things: ranks, slots, vertices and links.
//!
//! What users of the library hold (traffic, machines, mappings, their errors) takes and gives these
//! types, so a rank is never taken for a slot. Flat arrays of searches hold their plain `u32`.
//! Counts are `usize`.

use std::fmt;

macro_rules! identifier {
    ($(#[$doc:meta])* $name:ident($inner:ty)) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
        pub struct $name(pub $inner);

        impl $name {
            /// The number as an index into a flat array.
            #[inline]
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }
    };
}

identifier!(
    /// A process of the application, numbered from 0.
    Rank(u32)
);
identifier!(
    /// A place where one rank can run; the slots of node `v` are `v*s .. v*s+s`.
    Slot(u32)
);
identifier!(
    /// A node or a switch of the machine; nodes come first.
    Vertex(u32)
);
identifier!(
    /// A directed link of the machine.
    LinkId(u64)
);
