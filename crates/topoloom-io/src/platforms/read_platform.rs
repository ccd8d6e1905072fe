//! A platform as read from a file.

use topoloom_arrange::Platform;

use super::simgrid::Star;
use crate::text::warnings::Warnings;

/// A platform and what its file says in addition.
pub(super) struct ReadPlatform {
    pub platform: Platform,
    /// How links are shared, if routes between clusters show it.
    pub star: Option<Star>,
    /// Whether routes between clusters share links in a way that only the file knows.
    pub shares_links: bool,
    /// Whether some links between clusters are fat pipes and some are shared.
    pub has_some_fat_pipes: bool,
    pub warnings: Warnings,
}
