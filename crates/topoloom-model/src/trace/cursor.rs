//! Where a rank is in its program.

use super::{Event, MOST_NESTED};

/// What an event says about repetition.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Repetition {
    /// A block begins that is done this many times.
    Begins(u32),
    /// It ends.
    Ends,
}

/// An event in whatever form a program is kept.
pub trait Step: Copy {
    /// What it says about repetition, if it is not an action.
    fn repetition(self) -> Option<Repetition>;
}

impl Step for Event {
    #[inline]
    fn repetition(self) -> Option<Repetition> {
        match self {
            Event::Repeat { times } => Some(Repetition::Begins(times)),
            Event::End => Some(Repetition::Ends),
            _ => None,
        }
    }
}

/// A walk through a program that repeats blocks as often as they say.
#[derive(Debug, Clone, Default)]
pub struct Cursor {
    next: u32,
    depth: u8,
    /// For each open repetition, where its first event is and how many passes are left.
    open: [(u32, u32); MOST_NESTED],
}

impl Cursor {
    /// The next event that is not a repetition, or `None` at the end of the program.
    #[inline]
    pub fn next<S: Step>(&mut self, program: &[S]) -> Option<S> {
        loop {
            let event = *program.get(self.next as usize)?;
            self.next += 1;
            match event.repetition() {
                Some(Repetition::Begins(times)) => {
                    self.open[self.depth as usize] = (self.next, times - 1);
                    self.depth += 1;
                }
                Some(Repetition::Ends) => {
                    let (first, left) = &mut self.open[self.depth as usize - 1];
                    if *left > 0 {
                        *left -= 1;
                        self.next = *first;
                    } else {
                        self.depth -= 1;
                    }
                }
                None => return Some(event),
            }
        }
    }

    /// The number of the event that comes next, with repetitions counted once.
    pub fn position(&self) -> usize {
        self.next as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nested_repetitions_multiply() {
        let compute = |nanoseconds| Event::Compute { nanoseconds };
        let program = [
            Event::Repeat { times: 2 },
            compute(1),
            Event::Repeat { times: 3 },
            compute(10),
            Event::End,
            Event::End,
            compute(100),
        ];
        let mut cursor = Cursor::default();
        let mut found = Vec::new();
        while let Some(Event::Compute { nanoseconds }) = cursor.next(&program) {
            found.push(nanoseconds);
        }
        assert_eq!(found, [1, 10, 10, 10, 1, 10, 10, 10, 100]);
    }
}
