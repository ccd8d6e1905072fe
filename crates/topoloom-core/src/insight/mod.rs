//! What traffic looks like, with one file per question: how much, between how many, how evenly, and
//! on which structure.
//!
//! ```
//! use topoloom_core::insight::Insight;
//! use topoloom_core::{Weight, parse_pattern};
//!
//! let insight = Insight::of(&parse_pattern("stencil:4x8").unwrap(), Weight::Bytes);
//! assert_eq!(insight.degree.most, 4);
//! assert!(insight.structure.to_string().starts_with("grid 4x8"));
//! ```

mod balance;
mod collective_share;
mod collectives;
mod degree;
mod matrix;
mod sizes;
mod structure;
mod symmetry;
mod totals;

pub use balance::{Balance, RankShare};
pub use collective_share::CollectiveShare;
pub use collectives::{CollectiveUse, Moved, by_operation, moved};
pub use degree::Degree;
pub use matrix::Matrix;
pub use sizes::{SizeClass, SizeHistogram};
pub use structure::{Diagonals, Finding, Grid, Part, RankOrder, Recognition, Structure, TreeKind};
pub use symmetry::Symmetry;
pub use totals::Totals;

use crate::traffic::{Traffic, Weight};

/// How many of the heaviest ranks and pairs are named.
const MOST_NAMED: usize = 10;

/// The answers to every question about the messages of traffic. Its collectives are not among
/// them: see [`by_operation`].
#[derive(Debug, Clone, PartialEq)]
pub struct Insight {
    /// What the word weight stands for.
    pub weight: Weight,
    /// How much there is.
    pub totals: Totals,
    /// How many partners ranks have.
    pub degree: Degree,
    /// Messages by their size, as far as the mean sizes of flows show.
    pub sizes: SizeHistogram,
    /// Whether ranks receive as much as they send.
    pub symmetry: Symmetry,
    /// Which ranks and pairs carry most.
    pub balance: Balance,
    /// Which ranks exchange with which.
    pub structure: Recognition,
}

impl Insight {
    /// Analyses `traffic`. The time is about proportional to the number of its flows.
    pub fn of(traffic: &Traffic, weight: Weight) -> Insight {
        let graph = traffic.graph(weight);
        Insight {
            weight,
            totals: Totals::of(traffic),
            degree: Degree::of(traffic),
            sizes: SizeHistogram::of_means(traffic),
            symmetry: Symmetry::of(traffic, &graph, weight),
            balance: Balance::of(traffic, weight, MOST_NAMED),
            structure: Recognition::of(traffic, &graph, weight),
        }
    }
}
