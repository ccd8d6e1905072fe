//! Topoloom puts the processes of a parallel program where their messages are short.
//!
//! This crate is the library: it hands on its parts. The command line is `topoloom-cli`.
//!
//! ```
//! use topoloom::core::{Machine, Problem, Run, Weight, parse_pattern, parse_strategy, score};
//!
//! let traffic = parse_pattern("lu:class=C,ranks=64").unwrap();
//! let machine = Machine::parse("haec:4x4x4").unwrap();
//! let problem = Problem::new(traffic, machine, Weight::Messages).unwrap();
//! let strategy = parse_strategy("bokhari").unwrap();
//! let mapping = strategy.map(&problem, None, &mut Run::new(1)).unwrap();
//! // Every neighbour is one hop away.
//! assert_eq!(score(&problem, &mapping).average_dilation(), 1.0);
//! ```

pub use topoloom_arrange as arrange;
pub use topoloom_core as core;
pub use topoloom_io as io;
pub use topoloom_schedule as schedule;
pub use topoloom_show as show;
pub use topoloom_sim as sim;
