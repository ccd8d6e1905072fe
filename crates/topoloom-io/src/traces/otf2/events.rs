//! The events of one rank, turned into its program.

use std::collections::HashMap;

use topoloom_core::Event;

use super::bytes::Bytes;
use super::calls::{Calls, Joined, Joining, unknown};
use super::clock::Clock;
use super::definitions::{Communicator, Definitions};
use super::local_numbers::LocalNumbers;
use super::records::{File, Record, for_each};
use crate::text::error::ReadError;
use crate::text::fault::Fault;
use crate::text::tags::Tags;

// Kinds of records; others are left out.
const BUFFER_FLUSH: u8 = 10;
const MEASUREMENT_ON_OFF: u8 = 11;
const ENTER: u8 = 12;
const LEAVE: u8 = 13;
const SEND: u8 = 14;
const START_SEND: u8 = 15;
const SEND_COMPLETE: u8 = 16;
const START_RECEIVE: u8 = 17;
const RECEIVE: u8 = 18;
const RECEIVE_COMPLETE: u8 = 19;
const REQUEST_CANCELLED: u8 = 21;
const COLLECTIVE_BEGIN: u8 = 22;
const COLLECTIVE_END: u8 = 23;
const STARTED_COLLECTIVE_COMPLETE: u8 = 86;

/// Data shared by the events of all ranks.
pub struct Shared<'a> {
    pub definitions: &'a Definitions,
    pub tags: Tags,
    pub calls: Calls,
}

/// The program of a rank. Collectives in it have the numbers of their calls.
pub fn read(
    shared: &mut Shared<'_>,
    rank: u32,
    local: &LocalNumbers,
    bytes: Bytes<'_>,
    chunk_size: u64,
) -> Result<Vec<Event>, ReadError> {
    let clock = Clock::new(shared.definitions.ticks_per_second);
    let mut walk = Walk {
        shared,
        rank,
        local,
        clock,
        last_time: 0,
        program: Vec::new(),
        dropped: Vec::new(),
        open: HashMap::new(),
        free_names: Vec::new(),
        num_names: 0,
        sent_in_call: None,
        in_collective: false,
        joined: Joined::new(),
    };
    for_each(bytes, File::Events, chunk_size, |record| walk.event(record))?;
    Ok(walk.finish())
}

/// A request that was not waited for yet.
struct Open {
    /// Where it was started in the program.
    place: usize,
    name: u32,
    /// Whether it receives: the sender is then known only at its end.
    receives: bool,
}

struct Walk<'a, 'b> {
    shared: &'a mut Shared<'b>,
    rank: u32,
    local: &'a LocalNumbers,
    clock: Clock,
    last_time: u64,
    program: Vec<Event>,
    /// Places of receives that were never completed, and of cancelled requests.
    dropped: Vec<usize>,
    open: HashMap<u64, Open>,
    free_names: Vec<u32>,
    num_names: u32,
    /// Where the current call of MPI has sent.
    sent_in_call: Option<usize>,
    in_collective: bool,
    joined: Joined,
}

impl Walk<'_, '_> {
    fn event(&mut self, record: Record<'_>) -> Result<(), ReadError> {
        let Record { kind, time, mut content } = record;
        self.last_time = time;
        match kind {
            ENTER | LEAVE => {
                let region = self.local.regions.global(content.number_32()?);
                if self.shared.definitions.mpi_regions.contains(&region) {
                    self.sent_in_call = None;
                    match kind {
                        ENTER => self.clock.enter(time),
                        _ => self.clock.leave(time),
                    }
                } else {
                    self.clock.moment(time);
                }
            }
            BUFFER_FLUSH => self.clock.flushed(time, &mut content)?,
            MEASUREMENT_ON_OFF => match content.byte()? {
                2 => self.clock.enter(time),
                _ => self.clock.leave(time),
            },
            SEND | START_SEND | RECEIVE | RECEIVE_COMPLETE => self.message(kind, time, content)?,
            SEND_COMPLETE => {
                let request = content.number_64()?;
                self.clock.moment(time);
                if let Some(open) = self.open.remove(&request) {
                    self.wait(open.name);
                }
            }
            START_RECEIVE => {
                let request = content.number_64()?;
                self.clock.moment(time);
                let name = self.new_name();
                // The sender and the tag are filled in when it completes.
                let from = self.rank;
                let place = self.push(Event::StartReceive { from, tag: 0, request: name });
                self.start(request, Open { place, name, receives: true });
            }
            REQUEST_CANCELLED => {
                if let Some(open) = self.open.remove(&content.number_64()?) {
                    self.dropped.push(open.place);
                    self.free_names.push(open.name);
                }
            }
            COLLECTIVE_BEGIN => {
                self.in_collective = true;
                self.clock.enter(time);
            }
            COLLECTIVE_END => {
                let begun = std::mem::take(&mut self.in_collective);
                if !begun {
                    self.clock.moment(time);
                }
                self.collective(content)?;
                if begun {
                    self.clock.leave(time);
                }
            }
            STARTED_COLLECTIVE_COMPLETE => {
                self.clock.moment(time);
                self.collective(content)?;
            }
            _ => self.clock.moment(time),
        }
        Ok(())
    }

    /// A message that is sent or has arrived.
    fn message(&mut self, kind: u8, time: u64, mut content: Bytes<'_>) -> Result<(), ReadError> {
        let position = content.position();
        let partner = content.number_32()?;
        let communicator = self.local.communicators.global(content.number_32()?);
        let tag = content.number_32()?;
        let bytes = content.number_64()?;
        let partner = self
            .world_rank(partner, communicator)
            .map_err(|message| content.error_at(position, message))?;
        let tag = self.shared.tags.number(communicator, tag);
        self.clock.moment(time);
        match kind {
            SEND => {
                let place = self.push(Event::Send { to: partner, bytes, tag });
                self.sent_in_call = self.clock.in_call().then_some(place);
            }
            START_SEND => {
                let request = content.number_64()?;
                let name = self.new_name();
                let place = self.push(Event::StartSend { to: partner, bytes, tag, request: name });
                self.start(request, Open { place, name, receives: false });
            }
            RECEIVE => self.receive(partner, tag),
            _ => match self.open.remove(&content.number_64()?) {
                Some(Open { place, name, receives: true }) => {
                    self.program[place] = Event::StartReceive { from: partner, tag, request: name };
                    self.wait(name);
                }
                _ => self.receive(partner, tag),
            },
        }
        Ok(())
    }

    /// Receives. If the call has already sent, it does both at once: otherwise partners that each
    /// wait for the other to receive would never proceed.
    fn receive(&mut self, from: u32, tag: u32) {
        let sent = self.sent_in_call.take().map(|place| (place, self.program[place]));
        let Some((place, Event::Send { to, bytes, tag: sent_tag })) = sent else {
            self.push(Event::Receive { from, tag });
            return;
        };
        let request = self.new_name();
        self.program[place] = Event::StartSend { to, bytes, tag: sent_tag, request };
        self.push(Event::Receive { from, tag });
        self.wait(request);
    }

    fn collective(&mut self, mut content: Bytes<'_>) -> Result<(), ReadError> {
        let position = content.position();
        let operation = content.byte()?;
        let communicator = self.local.communicators.global(content.number_32()?);
        let root = content.number_32()?;
        let (sent, received) = (content.number_64()?, content.number_64()?);
        let joining = Joining { operation, communicator, root, sent, received };
        let Shared { definitions, calls, .. } = &mut *self.shared;
        let call = calls
            .join(definitions, &mut self.joined, self.rank, joining)
            .map_err(|message| content.error_at(position, message))?;
        if let Some(number) = call {
            self.push(Event::Collective { number });
        }
        Ok(())
    }

    fn world_rank(&self, partner: u32, communicator: u32) -> Result<u32, Fault> {
        match self.shared.definitions.communicators.get(&communicator) {
            None => Err(unknown(communicator)),
            Some(Communicator::OnlySelf) => Ok(self.rank),
            Some(Communicator::Ranks(ranks)) => {
                let missing = || {
                    Fault::OutOfRange(format!(
                        "communicator {communicator} has no member {partner}"
                    ))
                };
                ranks.rank_named(partner).ok_or_else(missing)
            }
        }
    }

    /// Adds an event after the computing before it; returns its place.
    fn push(&mut self, event: Event) -> usize {
        self.compute();
        self.program.push(event);
        self.program.len() - 1
    }

    fn compute(&mut self) {
        match self.clock.take() {
            0 => {}
            nanoseconds => self.program.push(Event::Compute { nanoseconds }),
        }
    }

    fn wait(&mut self, name: u32) {
        self.push(Event::Wait { request: name });
        self.free_names.push(name);
    }

    fn start(&mut self, request: u64, open: Open) {
        // A request that was never completed and whose number is used again.
        if let Some(old) = self.open.insert(request, open)
            && old.receives
        {
            self.dropped.push(old.place);
        }
    }

    fn new_name(&mut self) -> u32 {
        self.free_names.pop().unwrap_or_else(|| {
            self.num_names += 1;
            self.num_names - 1
        })
    }

    fn finish(mut self) -> Vec<Event> {
        self.clock.moment(self.last_time);
        self.compute();
        self.dropped.extend(self.open.values().filter(|open| open.receives).map(|open| open.place));
        if self.dropped.is_empty() {
            return self.program;
        }
        self.dropped.sort_unstable();
        let mut dropped = self.dropped.into_iter().peekable();
        let mut place = 0;
        self.program.retain(|_| {
            let keep = dropped.next_if_eq(&place).is_none();
            place += 1;
            keep
        });
        self.program
    }
}
