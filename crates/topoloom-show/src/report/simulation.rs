//! What simulated runs of the default placement and of the chosen one were like.

use super::Report;
use super::html::{Section, note, paragraph};

/// The section, where there was a simulation or one could be expected.
pub fn section(report: &Report<'_>) -> Option<Section> {
    let heading = "A simulated run".to_string();
    let section = |body| Section { id: "simulation", name: "Simulation", heading, body };
    let Some(simulation) = &report.simulation else {
        return report.not_simulated.as_ref().map(|reason| section(note(reason)));
    };
    let body = paragraph(&simulation.how);
    Some(section(body))
}
