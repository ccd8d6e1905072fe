//! The results under one routing.

use super::findings::Finding;
use super::settings::Times;

/// All times under one routing.
pub struct Setting {
    pub routing: String,
    pub all: Vec<Times>,
    pub findings: Vec<Finding>,
}
