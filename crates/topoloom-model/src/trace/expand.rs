//! Collective operations of a trace, turned into the messages they consist of.

use std::sync::Arc;

use thiserror::Error;

use super::{Event, Trace};
use crate::budget::{self, MEMORY_VARIABLE};
use crate::traffic::{Collective, CollectiveMode, Operation, Transfers};

/// The most events of a trace, however much memory there is.
pub const MOST_EVENTS: u64 = 1 << 27;

/// The most events that a trace of this process may keep: 24 bytes each, and the same again while
/// they are written.
pub fn most_events() -> u64 {
    MOST_EVENTS.min(budget::memory().limit() / 48)
}

/// Collectives that would need more events than fit in memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error(
    "the collectives make at least {0} events, and at most {most} fit (set {MEMORY_VARIABLE} to \
     raise this limit, up to {MOST_EVENTS})", most = most_events()
)]
pub struct TooManyEvents(pub u64);

impl Trace {
    /// The same trace with its collectives turned into messages, or dropped. A member sends and
    /// receives what a round of the algorithm has for it, and then goes on to the next. Each
    /// collective has its own tag, so the messages of different collectives never meet, even if
    /// members call them in different orders.
    pub fn expanded(&self, mode: CollectiveMode) -> Result<Trace, TooManyEvents> {
        let mut events: u64 = 0;
        let most_events = most_events();
        let mut members: Vec<Members> = Vec::new();
        let (first_tag, first_request) = self.first_free_names();
        for (tag, collective) in (first_tag..).zip(&self.collectives) {
            if mode == CollectiveMode::None {
                members.push(Members::default());
                continue;
            }
            let transfers = Transfers::of(collective, mode);
            events = events.saturating_add(4 * transfers.most());
            if events > most_events {
                return Err(TooManyEvents(events));
            }
            members.push(Members::new(collective, transfers, tag, first_request));
        }
        let mut programs = Vec::with_capacity(self.programs.len());
        let mut all: u64 = 0;
        for (rank, program) in self.programs.iter().enumerate() {
            let mut expanded = Vec::with_capacity(program.len());
            for &event in program {
                match event {
                    Event::Collective { number } => {
                        expanded.extend_from_slice(members[number as usize].events(rank as u32));
                    }
                    event => expanded.push(event),
                }
                if all + expanded.len() as u64 > most_events {
                    return Err(TooManyEvents(all + expanded.len() as u64));
                }
            }
            all += expanded.len() as u64;
            programs.push(expanded);
        }
        Ok(Trace { programs, collectives: Vec::new() })
    }
}

/// What each member of a collective does.
#[derive(Default)]
struct Members {
    /// (world rank, where its events begin), by rank; they end where those of the next one begin.
    begins: Vec<(u32, u32)>,
    events: Vec<Event>,
}

/// What a member does in a round: whether it sends, to or from which rank, and how much.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Step {
    rank: u32,
    round: u32,
    sends: bool,
    partner: u32,
    bytes: u64,
}

impl Members {
    fn new(collective: &Collective, transfers: Transfers, tag: u32, first_request: u32) -> Members {
        let member = |number| collective.group.member(number);
        let mut steps = Vec::new();
        transfers.for_each(&mut |round, from, to, bytes| {
            let (from, to) = (member(from), member(to));
            steps.push(Step { rank: from, round, sends: true, partner: to, bytes });
            steps.push(Step { rank: to, round, sends: false, partner: from, bytes });
        });
        // Receives first: false comes before true.
        steps.sort_unstable();
        let mut members = Members::default();
        for of_rank in steps.chunk_by(|a, b| a.rank == b.rank) {
            members.begins.push((of_rank[0].rank, members.events.len() as u32));
            for round in of_rank.chunk_by(|a, b| a.round == b.round) {
                add_round(round, tag, first_request, &mut members.events);
            }
        }
        members
    }

    fn events(&self, rank: u32) -> &[Event] {
        let Ok(place) = self.begins.binary_search_by_key(&rank, |&(rank, _)| rank) else {
            return &[];
        };
        let end =
            self.begins.get(place + 1).map_or(self.events.len(), |&(_, begin)| begin as usize);
        &self.events[self.begins[place].1 as usize..end]
    }
}

fn add_round(steps: &[Step], tag: u32, first_request: u32, events: &mut Vec<Event>) {
    // Requests have their own names, because others may be open meanwhile.
    let request = |number: usize| first_request + number as u32;
    match *steps {
        [Step { sends: true, partner, bytes, .. }] => {
            events.push(Event::Send { to: partner, bytes, tag });
        }
        [Step { sends: false, partner, .. }] => {
            events.push(Event::Receive { from: partner, tag });
        }
        _ => {
            for (number, step) in steps.iter().enumerate() {
                let (partner, bytes, request) = (step.partner, step.bytes, request(number));
                events.push(match step.sends {
                    true => Event::StartSend { to: partner, bytes, tag, request },
                    false => Event::StartReceive { from: partner, tag, request },
                });
            }
            let waits = (0..steps.len()).map(|number| Event::Wait { request: request(number) });
            events.extend(waits);
        }
    }
}

impl Trace {
    /// The lowest tag and request above all those in use.
    fn first_free_names(&self) -> (u32, u32) {
        let (mut tags, mut requests) = (0, 0);
        for event in self.programs.iter().flatten() {
            let (tag, request) = event.names();
            tags = tags.max(tag.map_or(0, |tag| tag + 1));
            requests = requests.max(request.map_or(0, |request| request + 1));
        }
        (tags, requests)
    }

    /// A trace in which all ranks only do this collective, once.
    pub fn of_collective(ranks: u32, collective: Collective) -> Trace {
        let mut programs = vec![Vec::new(); ranks as usize];
        for number in 0..collective.group.size() {
            programs[collective.group.member(number) as usize]
                .push(Event::Collective { number: 0 });
        }
        Trace { programs, collectives: vec![collective] }
    }
}

/// The sizes of one call if every pair has its own.
impl Operation {
    /// A variable all-to-all of one call: bytes by sender, then by receiver.
    pub fn all_to_all_of(bytes: impl Into<Arc<[f64]>>) -> Operation {
        Operation::AllToAllVariable(crate::traffic::VariableSizes::Table(bytes.into()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::traffic::{Group, Weight};

    #[test]
    fn expanded_collectives_carry_what_the_traffic_says() {
        let table: Vec<f64> = (0..36).map(f64::from).collect();
        let operations = [
            Operation::Barrier,
            Operation::Broadcast,
            Operation::Reduce,
            Operation::Allreduce,
            Operation::AllToAll,
            Operation::Allgather,
            Operation::ReduceScatter,
            Operation::Gather,
            Operation::Scatter,
            Operation::all_to_all_of(table),
        ];
        for mode in ["direct", "algorithm", "algorithm:allreduce=ring,allgather=ring"] {
            let mode: CollectiveMode = mode.parse().unwrap();
            for operation in operations.clone() {
                let group = Group::List(Arc::from([7, 2, 5, 0, 1, 3]));
                let collective = Collective { operation, group, calls: 1, bytes: 60_000 };
                let trace = Trace::of_collective(8, collective);
                let expected = trace.traffic().with_collectives(mode).unwrap();
                let found = trace.expanded(mode).unwrap().traffic();
                let name = trace.collectives()[0].operation.mpi_name();
                for weight in [Weight::Bytes, Weight::Messages] {
                    assert_eq!(found.total(weight), expected.total(weight), "{name} {mode}");
                }
                assert_eq!(found, expected, "{name} {mode}");
            }
        }
    }

    #[test]
    fn a_round_with_one_message_each_way_is_posted_before_it_is_sent() {
        let group = Group::first(2);
        let operation = Operation::AllToAll;
        let trace = Trace::of_collective(2, Collective { operation, group, calls: 1, bytes: 10 });
        let expanded = trace.expanded(CollectiveMode::Direct).unwrap();
        let (tag, request) = (0, 0);
        assert_eq!(
            expanded.programs()[0],
            [
                Event::StartReceive { from: 1, tag, request },
                Event::StartSend { to: 1, bytes: 10, tag, request: request + 1 },
                Event::Wait { request },
                Event::Wait { request: request + 1 },
            ]
        );
    }
}
