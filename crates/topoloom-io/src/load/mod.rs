//! What a user's text means: a pattern or a traffic file, a machine specification or a machine
//! file, a mapping and the placement that it stands for.
//!
//! ```
//! use topoloom_core::Weight;
//! use topoloom_io::Loader;
//!
//! let loader = Loader::new();
//! let (traffic, warnings) = loader.traffic("stencil:4x4", Weight::Bytes).unwrap();
//! let (machine, _) = loader.machine("torus:4x4").unwrap();
//! assert_eq!((traffic.num_ranks(), machine.num_nodes()), (16, 16));
//! assert!(warnings.is_empty());
//! ```

mod assignment;
mod error;
mod given;
mod loader;
mod machine;
mod traffic;

pub use assignment::machine_without_structure;
pub use error::LoadError;
pub use given::{Given, Origin};
pub use loader::{Files, Loader, is_readable};
pub use traffic::{read_traffic, read_traffic_with_warnings};
