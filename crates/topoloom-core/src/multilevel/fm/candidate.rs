//! Vertices that wait for their move.

/// A vertex that may move; the greatest gain comes first.
#[derive(PartialEq)]
pub(super) struct Candidate {
    pub(super) gain: f32,
    pub(super) tie: u32,
    pub(super) vertex: u32,
    pub(super) version: u32,
}

impl Eq for Candidate {}

impl PartialOrd for Candidate {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Candidate {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.gain
            .total_cmp(&other.gain)
            .then(self.tie.cmp(&other.tie))
            .then(self.vertex.cmp(&other.vertex))
    }
}
