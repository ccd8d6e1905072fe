//! What every rank of an application does, event by event.

mod cursor;
mod expand;
mod replay;
mod totals;
mod writer;

pub use cursor::{Cursor, Repetition, Step};
pub use expand::{MOST_EVENTS, TooManyEvents, most_events};
pub use replay::{Replay, UnknownReplay};
pub use writer::ProgramWriter;

use thiserror::Error;

use crate::traffic::{Collective, Group};

/// One thing that a rank does. Messages are matched by sender, receiver and tag, first in, first
/// out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Event {
    /// Computes for this time.
    Compute {
        /// How long.
        nanoseconds: u64,
    },
    /// Sends, and goes on when the message no longer needs the rank.
    Send {
        /// The receiver.
        to: u32,
        /// How much.
        bytes: u64,
        /// What sort of message.
        tag: u32,
    },
    /// Waits for a message.
    Receive {
        /// The sender.
        from: u32,
        /// What sort of message.
        tag: u32,
    },
    /// Begins to send and goes on at once.
    StartSend {
        /// The receiver.
        to: u32,
        /// How much.
        bytes: u64,
        /// What sort of message.
        tag: u32,
        /// The name under which the rank waits for it; free again after that.
        request: u32,
    },
    /// Is ready for a message and goes on at once.
    StartReceive {
        /// The sender.
        from: u32,
        /// What sort of message.
        tag: u32,
        /// The name under which the rank waits for it; free again after that.
        request: u32,
    },
    /// Waits for the operation that was started under this name.
    Wait {
        /// The name.
        request: u32,
    },
    /// Waits for everything that was started and not yet waited for.
    WaitAll,
    /// Takes part in a collective operation.
    Collective {
        /// Its position in [`Trace::collectives`].
        number: u32,
    },
    /// Does everything up to the matching [`Event::End`] this many times.
    Repeat {
        /// How often; at least 1.
        times: u32,
    },
    /// The end of a block that is repeated.
    End,
}

impl Event {
    /// The tag and the request that it names.
    fn names(self) -> (Option<u32>, Option<u32>) {
        match self {
            Event::Send { tag, .. } | Event::Receive { tag, .. } => (Some(tag), None),
            Event::StartSend { tag, request, .. } | Event::StartReceive { tag, request, .. } => {
                (Some(tag), Some(request))
            }
            Event::Wait { request } => (None, Some(request)),
            _ => (None, None),
        }
    }
}

/// Tags and requests are below this, so there are more for collectives.
pub const NAMES_END: u32 = 1 << 31;

/// How deep repetitions may nest.
pub const MOST_NESTED: usize = 8;

/// Why events are not a trace.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum InvalidTrace {
    /// A partner that does not exist.
    #[error("rank {rank}, event {event}: there is no rank {partner}, only 0 to {last}")]
    NoSuchRank {
        /// The rank of the event.
        rank: usize,
        /// Its number.
        event: usize,
        /// The partner.
        partner: u32,
        /// The highest rank.
        last: u32,
    },
    /// A tag or a request that is too high.
    #[error("rank {rank}, event {event}: tags and requests go up to {}", NAMES_END - 1)]
    NameTooHigh {
        /// The rank of the event.
        rank: usize,
        /// Its number.
        event: usize,
    },
    /// A collective that does not exist, or that the rank is not a member of.
    #[error("rank {rank}, event {event}: the rank is not a member of collective {number}")]
    NoSuchCollective {
        /// The rank of the event.
        rank: usize,
        /// Its number.
        event: usize,
        /// The number of the collective.
        number: u32,
    },
    /// A repetition that does not end, an end without a repetition, or a repetition of 0 times.
    #[error("rank {rank}, event {event}: {what}")]
    WrongRepetition {
        /// The rank of the event.
        rank: usize,
        /// Its number.
        event: usize,
        /// What is wrong.
        what: &'static str,
    },
}

/// What every rank does. Partners exist and repetitions are closed. A simulation shows whether
/// every awaited message is also sent.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Trace {
    programs: Vec<Vec<Event>>,
    collectives: Vec<Collective>,
}

impl Trace {
    /// The trace of these programs, one per rank, with the collectives they name, each of one call.
    pub fn new(
        programs: Vec<Vec<Event>>,
        collectives: Vec<Collective>,
    ) -> Result<Trace, InvalidTrace> {
        let mut trace = Trace { programs, collectives };
        trace.check()?;
        trace.programs.iter_mut().for_each(drop_empty_repetitions);
        Ok(trace)
    }

    fn check(&self) -> Result<(), InvalidTrace> {
        let members: Vec<Members> = self.collectives.iter().map(Members::of).collect();
        for (rank, program) in self.programs.iter().enumerate() {
            self.check_program(rank, program, &members)?;
        }
        Ok(())
    }

    fn check_program(
        &self,
        rank: usize,
        program: &[Event],
        members: &[Members],
    ) -> Result<(), InvalidTrace> {
        let mut open = Vec::new();
        for (number, event) in program.iter().enumerate() {
            let wrong = |what| InvalidTrace::WrongRepetition { rank, event: number, what };
            let (tag, request) = event.names();
            if tag.max(request).is_some_and(|name| name >= NAMES_END) {
                return Err(InvalidTrace::NameTooHigh { rank, event: number });
            }
            match *event {
                Event::Send { to: partner, .. }
                | Event::StartSend { to: partner, .. }
                | Event::Receive { from: partner, .. }
                | Event::StartReceive { from: partner, .. } => {
                    if partner as usize >= self.programs.len() {
                        let last = self.programs.len() as u32 - 1;
                        return Err(InvalidTrace::NoSuchRank {
                            rank,
                            event: number,
                            partner,
                            last,
                        });
                    }
                }
                Event::Collective { number: collective } => {
                    let of = members.get(collective as usize);
                    if of.is_none_or(|of| !of.contains(rank as u32)) {
                        return Err(InvalidTrace::NoSuchCollective {
                            rank,
                            event: number,
                            number: collective,
                        });
                    }
                }
                Event::Repeat { times: 0 } => return Err(wrong("expected at least 1 repetition")),
                Event::Repeat { .. } if open.len() == MOST_NESTED => {
                    return Err(wrong("repetitions are nested more than 8 deep"));
                }
                Event::Repeat { .. } => open.push(number),
                Event::End if open.pop().is_none() => {
                    return Err(wrong("the end of a repetition that did not begin"));
                }
                Event::Compute { .. } | Event::Wait { .. } | Event::WaitAll | Event::End => {}
            }
        }
        let unclosed = "a repetition that does not end";
        open.pop().map_or(Ok(()), |event| {
            Err(InvalidTrace::WrongRepetition { rank, event, what: unclosed })
        })
    }

    /// The number of ranks.
    pub fn num_ranks(&self) -> usize {
        self.programs.len()
    }

    /// What each rank does.
    pub fn programs(&self) -> &[Vec<Event>] {
        &self.programs
    }

    /// The collective operations, each of one call.
    pub fn collectives(&self) -> &[Collective] {
        &self.collectives
    }

    /// The events that are kept. Repetitions count once.
    pub fn num_events(&self) -> usize {
        self.programs.iter().map(Vec::len).sum()
    }
}

/// The members of a collective, in a form that needs no walk through the group for a lookup. Groups
/// that are three numbers stay so.
enum Members {
    Strided { first: u32, stride: u32, size: u32 },
    Sorted(Vec<u32>),
}

impl Members {
    fn of(collective: &Collective) -> Members {
        match collective.group {
            Group::Strided { first, stride, size } => Members::Strided { first, stride, size },
            Group::List(ref ranks) => {
                let mut sorted = ranks.to_vec();
                sorted.sort_unstable();
                Members::Sorted(sorted)
            }
        }
    }

    fn contains(&self, rank: u32) -> bool {
        match *self {
            Members::Strided { first, stride, size } => match rank.checked_sub(first) {
                Some(0) => size > 0,
                Some(offset) => stride > 0 && offset % stride == 0 && offset / stride < size,
                None => false,
            },
            Members::Sorted(ref ranks) => ranks.binary_search(&rank).is_ok(),
        }
    }
}

/// Removes repetitions that do nothing.
fn drop_empty_repetitions(program: &mut Vec<Event>) {
    let mut kept = 0;
    for place in 0..program.len() {
        let event = program[place];
        let nothing = kept > 0 && matches!(program[kept - 1], Event::Repeat { .. });
        if event == Event::End && nothing {
            kept -= 1;
        } else {
            program[kept] = event;
            kept += 1;
        }
    }
    program.truncate(kept);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(program: &[Event]) -> String {
        Trace::new(vec![program.to_vec(), Vec::new()], Vec::new()).unwrap_err().to_string()
    }

    #[test]
    fn repetitions_of_nothing_are_left_out() {
        let (open, wait) = (Event::Repeat { times: u32::MAX }, Event::WaitAll);
        let program = vec![open, open, Event::End, Event::End, open, wait, Event::End];
        let trace = Trace::new(vec![program], Vec::new()).unwrap();
        assert_eq!(trace.programs()[0], [open, wait, Event::End]);
    }

    #[test]
    fn partners_collectives_and_repetitions_are_checked() {
        let send = Event::Send { to: 2, bytes: 1, tag: 0 };
        assert_eq!(
            error(&[Event::WaitAll, send]),
            "rank 0, event 1: there is no rank 2, only 0 to 1"
        );
        let join = Event::Collective { number: 0 };
        assert_eq!(error(&[join]), "rank 0, event 0: the rank is not a member of collective 0");
        let open = Event::Repeat { times: 2 };
        assert_eq!(error(&[open]), "rank 0, event 0: a repetition that does not end");
        assert_eq!(
            error(&[Event::End]),
            "rank 0, event 0: the end of a repetition that did not begin"
        );
        assert_eq!(
            error(&[Event::Repeat { times: 0 }, Event::End]),
            "rank 0, event 0: expected at least 1 repetition"
        );
        let wait = Event::Wait { request: 1 << 31 };
        assert_eq!(error(&[wait]), "rank 0, event 0: tags and requests go up to 2147483647");
        assert_eq!(error(&[open; 9]), "rank 0, event 8: repetitions are nested more than 8 deep");
    }

    #[test]
    fn members_are_found_without_a_walk_as_with_one() {
        let strided = |first, stride, size| Group::Strided { first, stride, size };
        let list = Group::List([5, 0, 3].into());
        for group in [strided(1, 2, 3), strided(4, 0, 1), strided(0, 1, 8), strided(2, 3, 0), list]
        {
            let walked: Vec<u32> = (0..group.size()).map(|number| group.member(number)).collect();
            let operation = crate::traffic::Operation::Barrier;
            let members = Members::of(&Collective { operation, group, calls: 1, bytes: 0 });
            for rank in 0..10 {
                assert_eq!(members.contains(rank), walked.contains(&rank), "{walked:?} {rank}");
            }
        }
    }
}
