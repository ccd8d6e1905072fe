//! What the paper simulates, and what is recorded about it.

/// The benchmarks in the order of the figures.
pub const BENCHMARKS: [&str; 7] = ["bt", "cg", "ft", "is", "lu", "mg", "sp"];

/// The meshes of figures 2 and 3, by their shapes.
pub const MESHES: [&str; 2] = ["8x8", "4x4x4"];

/// Links with a latency of one cycle, as in simulators of routers. With the latency of real cables,
/// distance would count for more than in the paper.
pub const LINKS: &str = "bandwidth=10e9,latency=1.6e-9";

/// The four criteria of the figures, in their order.
pub const CRITERIA: [Criterion; 4] = [
    Criterion { name: "consecutive", strategy: "consecutive", objective: None, repeats: false },
    Criterion { name: "random", strategy: "random", objective: None, repeats: true },
    Criterion {
        name: "distance",
        strategy: "grasp:iterations=50,tabu=0",
        objective: Some("distance"),
        repeats: true,
    },
    Criterion {
        name: "TD",
        strategy: "grasp:iterations=50,tabu=0",
        objective: Some("traffic-distribution"),
        repeats: true,
    },
];

pub const CONSECUTIVE: usize = 0;

pub const RANDOM: usize = 1;

pub const DISTANCE: usize = 2;

pub const TD: usize = 3;

/// The simulated steps besides the warm-up: they repeat, and so do the times.
pub const ITERATIONS: u32 = 1;

/// A way to find mappings.
pub struct Criterion {
    pub name: &'static str,
    pub strategy: &'static str,
    pub objective: Option<&'static str>,
    /// Whether every seed gives a different mapping.
    pub repeats: bool,
}

/// Simulated seconds of a benchmark on a mesh, one per mapping for each criterion.
pub struct Times {
    pub benchmark: &'static str,
    pub mesh: usize,
    pub seconds: [Vec<f64>; 4],
}

/// How benchmarks are simulated.
pub struct Plan<'a> {
    pub model: &'a str,
    /// One routing instead of both.
    pub routing: Option<&'a str>,
    /// Mappings of each kind.
    pub mappings: u64,
    pub seed: u64,
}
