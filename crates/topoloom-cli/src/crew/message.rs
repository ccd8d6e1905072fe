//! What processes tell each other.

use topoloom::core::crew::{Packed, Reader};

/// A message. Pieces of work belong to a section: one call that shares out work, counted from 0.
#[derive(Debug, Clone, PartialEq)]
pub enum Message {
    /// A helper has come to a section and asks for a piece.
    Ask { section: u64, mark: u64 },
    /// A helper has done a piece and asks for another.
    Done { section: u64, mark: u64, piece: u64, result: Vec<u8> },
    /// A helper was asked to end, for example by a scheduler.
    StopWanted,
    /// A helper cannot carry out the command, for this reason.
    Failed { reason: String },
    /// The leader hands out a piece.
    Piece { section: u64, piece: u64 },
    /// The results of a section, for all processes.
    Joined { section: u64, mark: u64, results: Vec<u8> },
    /// End soon, with the best so far. For everybody.
    Stop,
    /// The leader has ended. For everybody.
    Over,
}

impl Message {
    /// Whether it travels in a tree: each process that gets it passes it on.
    pub fn is_for_everybody(&self) -> bool {
        matches!(self, Message::Joined { .. } | Message::Stop | Message::Over)
    }
}

impl Packed for Message {
    fn pack(&self, bytes: &mut Vec<u8>) {
        match self {
            Message::Ask { section, mark } => (0u8, *section, *mark).pack(bytes),
            Message::Done { section, mark, piece, result } => {
                (1u8, *section, *mark, *piece).pack(bytes);
                bytes.extend(result);
            }
            Message::StopWanted => 2u8.pack(bytes),
            Message::Piece { section, piece } => (3u8, *section, *piece).pack(bytes),
            Message::Joined { section, mark, results } => {
                (4u8, *section, *mark).pack(bytes);
                bytes.extend(results);
            }
            Message::Stop => 5u8.pack(bytes),
            Message::Over => 6u8.pack(bytes),
            Message::Failed { reason } => {
                7u8.pack(bytes);
                reason.pack(bytes);
            }
        }
    }

    fn unpack(from: &mut Reader<'_>) -> Option<Self> {
        Some(match u8::unpack(from)? {
            0 => Message::Ask { section: u64::unpack(from)?, mark: u64::unpack(from)? },
            1 => {
                let (section, mark, piece) = <(u64, u64, u64)>::unpack(from)?;
                Message::Done { section, mark, piece, result: from.take_all().to_vec() }
            }
            2 => Message::StopWanted,
            3 => Message::Piece { section: u64::unpack(from)?, piece: u64::unpack(from)? },
            4 => {
                let (section, mark) = <(u64, u64)>::unpack(from)?;
                Message::Joined { section, mark, results: from.take_all().to_vec() }
            }
            5 => Message::Stop,
            6 => Message::Over,
            7 => Message::Failed { reason: String::unpack(from)? },
            _ => return None,
        })
    }
}

/// The results of a section as bytes; missing ones were not begun in time.
pub fn packed_results(results: &[Option<Vec<u8>>]) -> Vec<u8> {
    let mut bytes = Vec::new();
    (results.len() as u64).pack(&mut bytes);
    for result in results {
        // Byte by byte would take long.
        result.as_ref().map(|result| result.len() as u64).pack(&mut bytes);
        bytes.extend(result.iter().flatten());
    }
    bytes
}

/// Reads back what [`packed_results`] made.
pub fn unpacked_results(bytes: &[u8]) -> Option<Vec<Option<Vec<u8>>>> {
    let mut from = Reader::new(bytes);
    let count = u64::unpack(&mut from)?;
    let mut results = Vec::new();
    for _ in 0..count {
        let length = Option::<u64>::unpack(&mut from)?;
        results.push(match length {
            Some(length) => Some(from.take(usize::try_from(length).ok()?)?.to_vec()),
            None => None,
        });
    }
    Some(results)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_and_results_come_back_as_they_were_sent() {
        let messages = [
            Message::Ask { section: 3, mark: u64::MAX },
            Message::Done { section: 1, mark: 2, piece: 9, result: vec![1, 2, 3] },
            Message::StopWanted,
            Message::Piece { section: 0, piece: 7 },
            Message::Joined { section: 5, mark: 4, results: vec![0; 9] },
            Message::Stop,
            Message::Over,
            Message::Failed { reason: "no memory".to_string() },
        ];
        for message in messages {
            assert_eq!(Message::unpacked(&message.packed()), Some(message));
        }
        assert_eq!(Message::unpacked(&[8]), None);
        let results = vec![Some(vec![1, 2]), None, Some(Vec::new())];
        assert_eq!(unpacked_results(&packed_results(&results)), Some(results));
    }
}
