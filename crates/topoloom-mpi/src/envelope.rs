//! How a message travels: an envelope of limited size, and behind it what does not fit into it.
//!
//! The receiver never needs to know how long a message is before it has an envelope. Probes could
//! tell, but libfabric's "sockets" shows the second of two messages while the first is still coming
//! in, and then receives the first.

use std::ops::Range;

/// The size of an envelope at most.
pub const LONGEST_ENVELOPE: usize = 4096;
/// The longest piece of what does not fit. MPI counts with 32 bits.
const LONGEST_PIECE: usize = 1 << 30;

const WORD: usize = size_of::<u64>();
const LONGEST_INSIDE: usize = LONGEST_ENVELOPE - 2 * WORD;

/// What a message is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// For the part of the program that asks for messages.
    Message,
    /// A part of an operation of all processes.
    Collective,
    /// Its sender leaves the job before its end. It says which process was the first to leave.
    Leaving,
}

const KINDS: [Kind; 3] = [Kind::Message, Kind::Collective, Kind::Leaving];

/// The envelope of a message: what it is for, how long it is, and all of it if it is short.
pub fn envelope(kind: Kind, bytes: &[u8]) -> Vec<u8> {
    let inside = if bytes.len() > LONGEST_INSIDE { &[] } else { bytes };
    [&(kind as u64).to_ne_bytes(), &(bytes.len() as u64).to_ne_bytes(), inside].concat()
}

/// What an envelope says.
#[derive(Debug, PartialEq, Eq)]
pub enum Opened {
    /// A whole message.
    Whole(Kind, Vec<u8>),
    /// A message of this many bytes, which follow.
    Follows(Kind, usize),
}

/// Opens an envelope. It may have anything behind its end. Nothing if nobody here has sent it.
pub fn open(envelope: &[u8]) -> Option<Opened> {
    let (kind, rest) = envelope.split_first_chunk::<WORD>()?;
    let (length, inside) = rest.split_first_chunk::<WORD>()?;
    let number = |word: &[u8; WORD]| usize::try_from(u64::from_ne_bytes(*word)).ok();
    let (kind, length) = (*KINDS.get(number(kind)?)?, number(length)?);
    match length > LONGEST_INSIDE {
        true => Some(Opened::Follows(kind, length)),
        false => Some(Opened::Whole(kind, inside.get(..length)?.to_vec())),
    }
}

/// The pieces that follow the envelope of a message of this length, in order.
pub fn pieces(length: usize) -> impl Iterator<Item = Range<usize>> {
    cut(if length > LONGEST_INSIDE { length } else { 0 }, LONGEST_PIECE)
}

fn cut(length: usize, longest: usize) -> impl Iterator<Item = Range<usize>> {
    (0..length).step_by(longest).map(move |begin| begin..length.min(begin + longest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_message_is_in_its_envelope() {
        for (kind, bytes) in [(Kind::Message, vec![]), (Kind::Collective, vec![7; LONGEST_INSIDE])]
        {
            let mut envelope = envelope(kind, &bytes);
            assert!(envelope.len() <= LONGEST_ENVELOPE);
            envelope.resize(LONGEST_ENVELOPE, 99);
            assert_eq!(pieces(bytes.len()).count(), 0);
            assert_eq!(open(&envelope), Some(Opened::Whole(kind, bytes)));
        }
    }

    #[test]
    fn a_long_message_follows_its_envelope() {
        let length = LONGEST_INSIDE + 1;
        let envelope = envelope(Kind::Leaving, &vec![7; length]);
        assert_eq!(envelope.len(), 16);
        assert_eq!(open(&envelope), Some(Opened::Follows(Kind::Leaving, length)));
        assert_eq!((pieces(length).next(), pieces(length).count()), (Some(0..length), 1));
    }

    #[test]
    fn pieces_cover_a_message_in_order() {
        let cut = |length| cut(length, 4).collect::<Vec<_>>();
        assert_eq!(cut(8), [0..4, 4..8]);
        assert_eq!(cut(5), [0..4, 4..5]);
        assert_eq!(cut(12), [0..4, 4..8, 8..12]);
        assert_eq!(pieces((2 << 30) + 5).last(), Some(2 << 30..(2 << 30) + 5));
    }

    #[test]
    fn what_is_not_an_envelope_is_nothing() {
        assert_eq!(open(&[1; 15]), None);
        assert_eq!(open(&[1; 16]), None);
        let mut broken = envelope(Kind::Message, &[1, 2, 3]);
        broken.pop();
        assert_eq!(open(&broken), None);
    }
}
