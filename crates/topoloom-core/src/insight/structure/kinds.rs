//! The structures that have a name.

use std::fmt;

/// Which ranks exchange with which.
#[derive(Debug, Clone, PartialEq)]
pub enum Structure {
    /// Neighbours on a box; with one axis, a chain or a ring.
    Grid(Grid),
    /// Every rank exchanges with every other.
    AllToAll,
    /// One rank with all others.
    Star {
        /// That rank.
        master: u32,
    },
    /// Partners whose numbers differ in one of these bits; if they are not all bits, there is a
    /// cube in each group.
    Hypercube {
        /// The bits, in ascending order.
        bits: Vec<u32>,
    },
    /// Partners 1, 2, 4, ... ranks further on, with wrap-around.
    Steps,
    /// Parents and children.
    Tree {
        /// Its shape.
        kind: TreeKind,
        /// The rank with most children, or the one that the numbering starts from.
        root: u32,
    },
    /// Rank (i, j) with rank (j, i).
    Transpose {
        /// Rows of ranks.
        rows: u32,
        /// Ranks in a row.
        columns: u32,
    },
    /// All-to-all in each row, or each column, or both, of a plane of ranks.
    Lines {
        /// Rows of ranks.
        rows: u32,
        /// Ranks in a row.
        columns: u32,
        /// Whether rows exchange among themselves.
        in_rows: bool,
        /// Whether columns do.
        in_columns: bool,
    },
    /// Parts that exchange nothing with each other.
    Parts(Vec<Part>),
}

impl Structure {
    /// The structure with its named ranks renumbered by `number`, which is indexed by rank.
    pub(super) fn renumbered(self, number: &[u32]) -> Structure {
        match self {
            Structure::Star { master } => Structure::Star { master: number[master as usize] },
            Structure::Tree { kind, root } => Structure::Tree { kind, root: number[root as usize] },
            Structure::Parts(parts) => {
                let renumbered = parts.into_iter().map(|part| Part {
                    structure: part.structure.map(|structure| structure.renumbered(number)),
                    ..part
                });
                Structure::Parts(renumbered.collect())
            }
            other => other,
        }
    }

    /// Whether it says something about the numbers of ranks.
    pub(super) fn is_of_numbers(&self) -> bool {
        let of_numbers = matches!(
            self,
            Structure::Hypercube { .. } | Structure::Steps | Structure::Transpose { .. }
        );
        of_numbers || matches!(self, Structure::Lines { .. } | Structure::Tree { .. })
    }
}

/// How ranks are numbered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RankOrder {
    /// In the structure's own numbering; in grids the last axis is fastest.
    Natural,
    /// In some other order.
    Other,
}

/// Whether diagonal neighbours exchange.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Diagonals {
    /// Only neighbours along axes do (von Neumann).
    None,
    /// Neighbours along some of the diagonals do: how many, and how many diagonals there are.
    Some(usize, usize),
    /// All neighbours around do (Moore).
    All,
}

/// A box of ranks whose neighbours exchange.
#[derive(Debug, Clone, PartialEq)]
pub struct Grid {
    /// The length of each axis; in natural order the last one is fastest.
    pub lengths: Vec<u32>,
    /// Whether the ends of an axis exchange.
    pub periodic: Vec<bool>,
    /// Which diagonal neighbours exchange.
    pub diagonals: Diagonals,
    /// Whether messages go along each axis one way only, as wavefronts do.
    pub one_way: bool,
    /// The share of all bytes along each axis.
    pub axis_shares: Vec<f64>,
}

/// The shape of a tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TreeKind {
    /// The root of 2^k ranks has as children the roots of 2^(k-1), ..., 2, 1 ranks.
    Binomial,
    /// No rank has more than two children, and levels are full.
    Binary,
    /// Any other.
    Other,
}

impl fmt::Display for TreeKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            TreeKind::Binomial => "binomial tree",
            TreeKind::Binary => "binary tree",
            TreeKind::Other => "tree",
        })
    }
}

/// Parts of the same size and structure.
#[derive(Debug, Clone, PartialEq)]
pub struct Part {
    /// How many of them there are.
    pub count: usize,
    /// The ranks of each.
    pub ranks: usize,
    /// What each looks like, if anything; masters, roots and shares are those of the first.
    pub structure: Option<Structure>,
}
