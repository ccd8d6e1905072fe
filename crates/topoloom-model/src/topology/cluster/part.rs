//! Parts of a node.

use super::place::Place;
use crate::cluster::ObjectKind;

/// A part of a node that holds places; other parts are left out.
pub(super) struct Part {
    pub kind: ObjectKind,
    pub parts: Vec<Part>,
    /// For a place: what a rank gets.
    pub place: Option<Place>,
    /// The number of the seat, if the place is one.
    pub seat: Option<u32>,
}
