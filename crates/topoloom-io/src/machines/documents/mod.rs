//! Files about machines in JSON or YAML, told apart by their fields.

mod astra;
mod format;
mod hyper_nodes;
mod instance_topology;
mod kubernetes_nodes;
mod kubernetes_objects;
mod labels;
mod netq;
mod registry;
mod slurm_topology;
mod topograph_graph;
mod topograph_model;

pub use registry::{is_document, is_known_document, parse_document};
