//! The arguments of `topoloom reproduce`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

#[derive(Debug, Args)]
pub struct ReproduceArguments {
    /// The paper
    pub paper: Paper,
    /// How messages travel in the simulations of td [default: packets like those of the paper's
    /// simulator]
    #[arg(long)]
    pub model: Option<String>,
    /// The routing of td's meshes [default: both dimension-order and minimal-adaptive]
    #[arg(long)]
    pub routing: Option<String>,
    /// How many mappings of each kind td simulates [default: 50]
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..=10_000))]
    pub mappings: Option<u16>,
    /// The seed of every random choice
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// How many threads to use; the result does not depend on it [default: one per core]
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: Option<u16>,
    /// Also draw the paper's figures, and write them to this folder as SVG and PNG
    #[arg(long, value_name = "DIR")]
    pub figures: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Paper {
    /// Besmer, Process-to-Node Mapping Strategies for the HAEC Box: tables A.1 to A.3 and 4.1,
    /// simulated times and energies
    Haec,
    /// Pascual, Miguel-Alonso, Lozano, mapping over meshes by Traffic Distribution: figures 2 to 4
    Td,
    /// Ferreira, Cruz, Navaux, static mapping in multi-core clusters: table 1
    Multicore,
    /// Abdel-Gawad, Thottethodi, Bhatele, RAHTM: figures 8 to 10 in words
    Rahtm,
    /// Malik, optimization of communication in heterogeneous systems: tables 3.2 to 3.12, 4.2, 4.3
    Heterogeneous,
}
