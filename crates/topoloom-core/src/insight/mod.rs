//! What traffic looks like, one file a question: how much, between how many, how evenly, and on
//! which structure.
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

/// How many ranks and pairs are named where the heaviest are.
const MOST_NAMED: usize = 10;

/// The answers to every question about the messages of traffic. Its collectives are not among
/// them: see [`by_operation`].
#[derive(Debug, Clone, PartialEq)]
pub struct Insight {
    /// What is counted where it says weight.
    pub weight: Weight,
    /// How much there is.
    pub totals: Totals,
    /// With how many others ranks exchange.
    pub degree: Degree,
    /// Messages by their size, as far as means of flows tell.
    pub sizes: SizeHistogram,
    /// Whether as much comes back.
    pub symmetry: Symmetry,
    /// Who carries most.
    pub balance: Balance,
    /// Who exchanges with whom.
    pub structure: Recognition,
}

impl Insight {
    /// Looks at `traffic`. Takes time about proportional to the number of its flows.
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
