//! Parts of a node.

use super::place::Place;
use crate::cluster::ObjectKind;

/// A part of a node that holds places, the rest left out.
pub(super) struct Part {
    pub kind: ObjectKind,
    pub parts: Vec<Part>,
    /// Of a place, what a rank gets.
    pub place: Option<Place>,
    /// The number of the seat that the place is, if it is one.
    pub seat: Option<u32>,
}
