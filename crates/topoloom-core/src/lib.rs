//! The core of Topoloom: what an application sends, what a machine looks like, what a
//! placement costs, and how to find a good one.
//!
//! Nothing here touches files, the environment, standard output or global state, and nothing except
//! [`Run`] checks a clock.
//!
//! ```
//! use topoloom_core::{Machine, Problem, Run, Weight, parse_pattern, parse_strategy, score};
//!
//! let traffic = parse_pattern("stencil:8x8").unwrap();
//! let machine = Machine::parse("torus:4x4x4").unwrap();
//! let problem = Problem::new(traffic, machine, Weight::Bytes).unwrap();
//! let mapping = parse_strategy("hilbert").unwrap().map(&problem, None, &mut Run::new(1)).unwrap();
//! let score = score(&problem, &mapping);
//! assert!(score.hop_bytes >= score.lower_bound.unwrap());
//! ```

mod bisection;
pub mod bounds;
pub mod checker;
mod clock;
pub mod crew;
pub mod effort;
mod evolution;
pub mod fabric_survey;
mod grid_detection;
mod group_survey;
pub mod insight;
pub mod levels;
mod multilevel;
mod node_pairs;
pub mod objective;
mod pace;
mod parallel;
pub mod problem;
pub mod refiner;
pub mod route_survey;
pub mod run;
pub mod seats;
pub mod sharing;
pub mod significance;
pub mod statistics;
pub mod strategy;

pub use topoloom_model::{
    budget, cluster, ids, list, machine, mapping, random, registry, routing, spec, topology, trace,
    traffic, training, with_metric, words,
};

#[doc(hidden)]
pub use topoloom_model::{side_by_side::side_by_side, tally};

pub use crew::{Checkpoint, Crew};
pub use effort::Effort;
pub use group_survey::{KindLevel, KindSurvey, survey_groups};
pub use ids::{LinkId, Rank, Slot, Vertex};
pub use levels::{LevelWeight, weight_by_level};
pub use list::{CommonMemory, List};
pub use machine::Machine;
pub use mapping::{InvalidMapping, Mapping, Placement};
pub use objective::{OBJECTIVES, Objective, parse_objective};
pub use problem::{Problem, ProblemError};
pub use refiner::{REFINERS, Refiner};
pub use registry::{Entry, Parameter, Registry};
pub use routing::{ROUTINGS, Routing};
pub use run::{ProgressListener, Run};
pub use sharing::Sharing;
pub use spec::{Spec, SpecError};
pub use statistics::{Score, Summary, score, score_within};
pub use strategy::{NotApplicable, STRATEGIES, Strategy, parse_strategy};
pub use topology::{TOPOLOGIES, Topology};
pub use trace::{Event, InvalidTrace, Replay, Trace};
pub use traffic::patterns::{PATTERNS, parse_pattern, parse_trace};
pub use traffic::{
    COLLECTIVE_MODES, CollectiveMode, CommunicationGraph, Flow, Traffic, TrafficBuilder, Weight,
};
