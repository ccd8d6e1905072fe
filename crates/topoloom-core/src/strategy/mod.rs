//! How placements are found.
//!
//! A strategy is a struct with its options, or a text that [`parse_strategy`] reads:
//!
//! ```
//! use topoloom_core::strategy::{Genetic, RandomSampling};
//! use topoloom_core::{Machine, Problem, Run, Strategy, Weight, parse_pattern, parse_strategy};
//!
//! let traffic = parse_pattern("stencil:4x4").unwrap();
//! let machine = Machine::parse("torus:4x4").unwrap();
//! let problem = Problem::new(traffic, machine, Weight::Bytes).unwrap();
//! let mapping = |strategy: &dyn Strategy| strategy.map(&problem, None, &mut Run::new(1)).unwrap();
//!
//! let typed = Genetic { population: 20, generations: 5, ..Genetic::default() };
//! let text = parse_strategy("genetic:population=20,generations=5").unwrap();
//! assert_eq!(mapping(&typed), mapping(&*text));
//! let typed = RandomSampling { samples: 50 };
//! assert_eq!(mapping(&typed), mapping(&*parse_strategy("random-sampling:samples=50").unwrap()));
//! ```

mod a_star;
mod auto;
mod best_attempt;
mod bipartition;
mod bisection;
mod bits;
mod bokhari;
mod consecutive;
mod curves;
mod definition;
mod dimensions;
mod entry;
mod exhaustive;
mod filling;
mod folding;
mod genetic;
pub(crate) mod gilmore_lawler;
mod grasp;
mod greedy;
mod hosts_first;
mod in_order;
mod launchers;
mod matching;
mod minmd;
mod multilevel;
mod node_order;
mod permute;
mod pipeline;
mod place_tree;
pub mod rahtm;
mod random;
mod random_sampling;
mod rcm;
mod registry;
mod tiles;
mod unfinished;

pub use a_star::AStar;
pub use auto::Auto;
pub use bipartition::Bipartition;
pub use bisection::Bisection;
pub use bits::Bits;
pub use bokhari::Bokhari;
pub use curves::{CURVES, Curve};
pub use definition::{NotApplicable, Strategy};
pub use entry::{StrategyBuilder, StrategyEntry};
pub use exhaustive::Exhaustive;
pub use folding::Folding;
pub use genetic::Genetic;
pub use grasp::Grasp;
pub use greedy::Greedy;
pub use hosts_first::HostsFirst;
pub use in_order::InOrder;
pub use launchers::{Block, RoundRobin};
pub use matching::Matching;
pub use minmd::MinMd;
pub use multilevel::Multilevel;
pub use node_order::{NodeOrder, Together};
pub use permute::Permute;
pub use pipeline::parse_strategy;
pub use rahtm::Rahtm;
pub use random::Random;
pub use random_sampling::RandomSampling;
pub use rcm::Rcm;
pub use registry::STRATEGIES;
pub use tiles::Tiles;
