//! What a message is for, as MPI's tag carries it.

/// What a message is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// For whoever asks for messages.
    Message,
    /// A part of an operation of all processes.
    Collective,
    /// Its sender leaves the job before its end.
    Leaving,
}

const KINDS: [Kind; 3] = [Kind::Message, Kind::Collective, Kind::Leaving];

/// The tag of a piece: what for, and whether more of the same message follows.
pub fn tag(kind: Kind, more: bool) -> i32 {
    kind as i32 * 2 + i32::from(more)
}

/// What a tag says; nothing if nobody here sent it.
pub fn from_tag(tag: i32) -> Option<(Kind, bool)> {
    let kind = *KINDS.get(usize::try_from(tag).ok()? / 2)?;
    Some((kind, tag % 2 == 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tag_says_what_was_put_into_it() {
        for kind in KINDS {
            for more in [false, true] {
                assert_eq!(from_tag(tag(kind, more)), Some((kind, more)));
            }
        }
        assert_eq!((from_tag(-1), from_tag(6)), (None, None));
    }
}
