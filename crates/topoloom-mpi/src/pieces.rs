//! Messages longer than MPI's counts allow: cut into pieces, and joined again.

use std::collections::HashMap;
use std::ops::Range;

use crate::kind::Kind;

/// The longest piece. MPI counts with 32 bits.
pub const LONGEST: usize = 1 << 30;

/// The pieces of a message in order, and whether more follow. An empty message is one empty piece.
pub fn pieces(length: usize, longest: usize) -> impl Iterator<Item = (Range<usize>, bool)> {
    let number = length.div_ceil(longest).max(1);
    (0..number).map(move |piece| {
        let begin = piece * longest;
        (begin..(begin + longest).min(length), piece + 1 < number)
    })
}

/// Pieces of messages that are not complete yet. Pieces of one sender come in order, and those of
/// one message follow each other.
#[derive(Default)]
pub struct Joining {
    begun: HashMap<usize, Vec<u8>>,
}

impl Joining {
    /// Adds a piece; gives the message back if that was the last one.
    pub fn add(
        &mut self,
        from: usize,
        kind: Kind,
        more: bool,
        piece: Vec<u8>,
    ) -> Option<(Kind, Vec<u8>)> {
        let bytes = match self.begun.remove(&from) {
            Some(mut begun) => {
                begun.extend_from_slice(&piece);
                begun
            }
            None => piece,
        };
        if more {
            self.begun.insert(from, bytes);
            return None;
        }
        Some((kind, bytes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_cover_a_message_in_order() {
        let cut = |length| pieces(length, 4).collect::<Vec<_>>();
        assert_eq!(cut(0), [(0..0, false)]);
        assert_eq!(cut(4), [(0..4, false)]);
        assert_eq!(cut(5), [(0..4, true), (4..5, false)]);
        assert_eq!(cut(12), [(0..4, true), (4..8, true), (8..12, false)]);
    }

    #[test]
    fn pieces_of_two_senders_do_not_mix() {
        let mut joining = Joining::default();
        assert_eq!(joining.add(0, Kind::Message, true, vec![1, 2]), None);
        assert_eq!(joining.add(1, Kind::Collective, true, vec![7]), None);
        let whole = joining.add(0, Kind::Message, false, vec![3]);
        assert_eq!(whole, Some((Kind::Message, vec![1, 2, 3])));
        let whole = joining.add(1, Kind::Collective, false, vec![8]);
        assert_eq!(whole, Some((Kind::Collective, vec![7, 8])));
        let whole = joining.add(0, Kind::Message, false, vec![]);
        assert_eq!(whole, Some((Kind::Message, vec![])));
    }
}
