//! What a kind of file in JSON or YAML promises.

use crate::machines::machine_file::MachineFileAnswer;
use crate::text::source::Source;
use crate::text::tree::Tree;

/// A kind of file in JSON or YAML.
pub struct DocumentFormat {
    /// Whether documents are of this kind.
    pub is: fn(&[Tree]) -> bool,
    /// What they say, or why they cannot be used.
    pub read: fn(&Source<'_>, &[Tree]) -> MachineFileAnswer,
}
