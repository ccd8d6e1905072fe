//! Files that hold a whole assignment problem: what ranks send, and what it costs between nodes.

use topoloom_core::objective::CostMatrix;

use super::loader::Loader;
use crate::machines::cost_matrix::parse_cost_matrix;
use crate::text::error::ReadError;
use crate::text::source::Source;
use crate::traffic::registry::is_qaplib;

impl Loader {
    /// The costs between nodes that the traffic file `text` holds beside its traffic. Files of
    /// QAPLIB do, and no others.
    pub fn costs_beside_traffic(&self, text: &str) -> Result<Option<CostMatrix>, ReadError> {
        let Some(input) = self.named(text).filter(|input| !input.is_folder()) else {
            return Ok(None);
        };
        let bytes = input.bytes()?;
        match is_qaplib(&Source::new(input.name(), &bytes)) {
            true => parse_cost_matrix(input.name(), &bytes).map(Some),
            false => Ok(None),
        }
    }
}

/// A machine of nodes that are all equally far from each other and have no links. Separate costs
/// say everything else.
pub fn machine_without_structure(nodes: usize) -> String {
    format!("tree:{nodes},distances=1")
}
