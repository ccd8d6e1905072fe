//! How a placement is improved.

mod anneal;
mod better;
mod definition;
mod entry;
pub(crate) mod hubs;
mod mapper;
mod memetic;
mod registry;
mod relieve;
pub(crate) mod surroundings;
mod swap;
pub(crate) mod tabu;
mod trail;

pub use anneal::Anneal;
pub use definition::Refiner;
pub use entry::{RefinerBuilder, RefinerEntry};
pub use mapper::Mapper;
pub use memetic::Memetic;
pub use registry::REFINERS;
pub use relieve::Relieve;
pub(crate) use surroundings::Surroundings;
pub use swap::Swap;
pub use tabu::Tabu;
