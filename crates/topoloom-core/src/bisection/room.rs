//! Room for numbers about the members of parts, which is used again for every size of parts.

use std::ops::Range;

/// Members that one thread looks at before it takes more.
pub(super) const CHUNK: usize = 4096;

/// Room for numbers about every place; parts use their own places of it.
pub(super) struct Room {
    in_second: Vec<bool>,
    pulls: Vec<f32>,
    keys: Vec<(f32, u32)>,
    numbers: Vec<u32>,
}

/// The room of one part.
pub(super) struct RoomOfPart<'a> {
    /// Whether each member is in the second half.
    pub(super) in_second: &'a mut [bool],
    /// How much nearer each member is to those outside if it is in the second half.
    pub(super) pulls: &'a mut [f32],
    pub(super) keys: &'a mut [(f32, u32)],
    pub(super) numbers: &'a mut [u32],
}

impl Room {
    pub(super) fn new(places: usize) -> Self {
        Room {
            in_second: vec![false; places],
            pulls: vec![0.0; places],
            keys: vec![(0.0, 0); places],
            numbers: vec![0; places],
        }
    }

    /// The room of each part; the parts have to rise.
    pub(super) fn of_parts(
        &mut self,
        parts: impl Iterator<Item = Range<usize>>,
    ) -> Vec<RoomOfPart<'_>> {
        let (mut in_second, mut pulls) = (&mut self.in_second[..], &mut self.pulls[..]);
        let (mut keys, mut numbers) = (&mut self.keys[..], &mut self.numbers[..]);
        let mut at = 0;
        let mut rooms = Vec::new();
        for part in parts {
            let (skip, take) = (part.start - at, part.len());
            rooms.push(RoomOfPart {
                in_second: cut_out(&mut in_second, skip, take),
                pulls: cut_out(&mut pulls, skip, take),
                keys: cut_out(&mut keys, skip, take),
                numbers: cut_out(&mut numbers, skip, take),
            });
            at = part.end;
        }
        rooms
    }
}

fn cut_out<'a, T>(rest: &mut &'a mut [T], skip: usize, take: usize) -> &'a mut [T] {
    let (taken, after) = std::mem::take(rest)[skip..].split_at_mut(take);
    *rest = after;
    taken
}
