//! Counters: of messages by peer, and of collective calls.

use crate::action::Action;
use crate::communicators::PAIR_COMM_SHIFT;
use crate::layout::event::NO_PEER;
use crate::layout::{CLASSES, HEADER_BYTES, RECORD_BYTES, event, header, record, size_class};
use crate::library;
use crate::recorder::{Recorder, TYPES_KEPT};

/// The kind of call that sent a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    PointToPoint = 0,
    OneSided = 1,
    Neighbourhood = 2,
}

/// Who sends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    ToPeer = 0,
    FromPeer = 1,
}

/// A collective call, as one member sees it.
#[derive(Debug, Clone, Copy)]
pub struct Call {
    /// Its number in [`crate::layout::call`].
    pub call: u64,
    pub comm: u32,
    /// The root's number.
    pub root: Option<i32>,
    /// Bytes, if all members have the same.
    pub bytes: u64,
}

/// Stands for no record, because there is no room.
pub const NO_RECORD: u32 = u32::MAX;

/// Stands for no record: the peer is not in the world.
const OUTSIDE: u32 = u32::MAX - 1;

/// The position of a number of a record in the file of totals.
#[inline]
fn place(record: u32, number: usize) -> usize {
    HEADER_BYTES / 8 + record as usize * (RECORD_BYTES / 8) + number
}

impl Recorder {
    /// Appends a record. The file says that it is there once it is complete.
    pub fn append(&mut self, words: [u64; 4]) -> u32 {
        let record = self.records as u32;
        let end = HEADER_BYTES + (self.records + 1) * RECORD_BYTES;
        if record >= OUTSIDE || !self.totals.reach(end) {
            *self.totals.number(header::CUT) |= 1;
            return NO_RECORD;
        }
        for (number, word) in words.into_iter().enumerate() {
            *self.totals.number(place(record, number)) = word;
        }
        self.records += 1;
        self.totals.publish(header::RECORDS, self.records as u64);
        record
    }

    /// Bytes of `count` elements.
    #[inline]
    pub fn bytes(&mut self, count: i64, datatype: usize) -> u64 {
        // There are no elements: then there need not even be a type.
        if count <= 0 {
            return 0;
        }
        let kept = self.type_sizes[(datatype >> 4 ^ datatype) % TYPES_KEPT];
        let size = if kept.0 == datatype { kept.1 } else { self.ask_for_size(datatype) };
        (count as u64).saturating_mul(size)
    }

    #[cold]
    fn ask_for_size(&mut self, datatype: usize) -> u64 {
        let small = library::asked(|size| unsafe { library::type_size(datatype, size) });
        let size = match small {
            Some(size) if size >= 0 => size as u64,
            _ => {
                let mut size = 0_i64;
                unsafe { library::type_size_x(datatype, &raw mut size as usize) };
                size.max(0) as u64
            }
        };
        self.type_sizes[(datatype >> 4 ^ datatype) % TYPES_KEPT] = (datatype, size);
        size
    }

    /// Types were freed: their handles may be reused for others.
    pub fn forget_types(&mut self) {
        self.type_sizes = [(usize::MAX, 0); TYPES_KEPT];
    }

    /// Counts a message that is sent point to point.
    #[inline]
    pub fn count_message(&mut self, comm: usize, rank: i32, bytes: u64) {
        let record = if self.last_pair.0 == comm && self.last_pair.1 == rank {
            self.last_pair.2
        } else {
            let number = self.comm(comm);
            let record = self.flow(Kind::PointToPoint, Direction::ToPeer, number, rank);
            self.last_pair = (comm, rank, record);
            record
        };
        self.count(record, Kind::PointToPoint, bytes);
    }

    /// Counts a message in a record of a flow.
    #[inline]
    pub fn count(&mut self, record: u32, kind: Kind, bytes: u64) {
        if record >= OUTSIDE {
            if record == OUTSIDE {
                self.count_outside();
            }
            return;
        }
        *self.totals.number(place(record, 1)) += 1;
        *self.totals.number(place(record, 2)) += bytes;
        let size = Self::size_place(kind, bytes);
        *self.totals.number(size) += 1;
        *self.totals.number(size + 1) += bytes;
    }

    #[inline]
    fn size_place(kind: Kind, bytes: u64) -> usize {
        header::SIZES + 2 * (kind as usize * CLASSES + size_class(bytes))
    }

    /// The same, as a plan for later.
    pub fn plan_message(&self, action: &mut Action, record: u32, kind: Kind, bytes: u64) {
        if record == OUTSIDE {
            action.additions.push((header::OUTSIDE, 1));
        }
        if record >= OUTSIDE {
            return;
        }
        let size = Self::size_place(kind, bytes);
        let additions =
            [(place(record, 1), 1), (place(record, 2), bytes), (size, 1), (size + 1, bytes)];
        action.additions.extend(additions);
    }

    /// The record of what is exchanged with a rank of a communicator.
    pub fn flow(&mut self, kind: Kind, direction: Direction, comm: u32, rank: i32) -> u32 {
        let way = (kind as u64) << 1 | direction as u64;
        let key = u64::from(comm) << PAIR_COMM_SHIFT | way << 32 | u64::from(rank as u32);
        if let Some(&record) = self.pairs.get(&key) {
            return record;
        }
        let peer = self.peer(comm, rank);
        let record = if peer == NO_PEER { OUTSIDE } else { self.flow_with(way, peer) };
        self.pairs.insert(key, record);
        record
    }

    fn flow_with(&mut self, way: u64, peer: u32) -> u32 {
        let key = way << 32 | u64::from(peer);
        if let Some(&record) = self.flows.get(&key) {
            return record;
        }
        let first = record::FLOW | (way >> 1) << 8 | (way & 1) << 16 | u64::from(peer) << 32;
        let record = self.append([first, 0, 0, 0]);
        self.flows.insert(key, record);
        record
    }

    /// Plans a collective call, with what this member gives to or takes from others if sizes
    /// differ.
    pub fn plan_call(
        &mut self,
        action: &mut Action,
        call: Call,
        parts: impl Iterator<Item = (u32, Direction, u64)>,
    ) {
        let of = &self.comms[call.comm as usize];
        if of.is_inter {
            return action.additions.push((header::INTERCOMMUNICATOR, 1));
        }
        let (group, number) = (of.group, of.number);
        let root = call.root.map_or(0, |root| root as u32 as u64 + 1);
        let key = (call.call << 59 | u64::from(group) << 32 | root, call.bytes);
        let record = match self.collectives.get(&key) {
            Some(&record) => record,
            None => {
                let first = record::COLLECTIVE | call.call << 8 | root << 32;
                let record = self.append([first, u64::from(group), call.bytes, 0]);
                self.collectives.insert(key, record);
                record
            }
        };
        if record == NO_RECORD {
            return;
        }
        action.additions.push((place(record, 3), 1));
        // A rank that waits for a collective takes part in it: others may have to come first.
        action.at_the_end = true;
        let has_events = self.log.is_some();
        if has_events {
            let first = event::COLLECTIVE | u64::from(number) << 8;
            action.events.push([first, call.call | root << 32, call.bytes, 0]);
        }
        for (other, direction, bytes) in parts.filter(|&(.., bytes)| bytes > 0) {
            let part = self.part(record, other, direction);
            if part != NO_RECORD {
                action.additions.push((place(part, 2), bytes));
            }
            if has_events {
                let who = u64::from(other) | (direction as u64) << 32;
                action.events.push([event::PART, who, bytes, 0]);
            }
        }
    }

    fn part(&mut self, collective: u32, other: u32, direction: Direction) -> u32 {
        let key = u64::from(collective) << 32 | u64::from(other);
        if let Some(&record) = self.parts.get(&key) {
            return record;
        }
        let first = record::PART | u64::from(other) << 32;
        let record = self.append([first, u64::from(collective), 0, direction as u64]);
        self.parts.insert(key, record);
        record
    }

    /// Adds to the totals what was planned.
    pub fn add(&mut self, action: &Action) {
        for &(place, amount) in &action.additions {
            *self.totals.number(place) += amount;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mapped_file::tests::Temporary;
    use crate::mapped_file::{WholeFile, create};

    fn recorder(path: &Temporary) -> Recorder {
        let totals = WholeFile::new(create(&path.0).unwrap(), 4 * HEADER_BYTES).unwrap();
        Recorder::new(totals, None, 0)
    }

    fn record(recorder: &mut Recorder, number: u32) -> [u64; 4] {
        [0, 1, 2, 3].map(|word| *recorder.totals.number(place(number, word)))
    }

    #[test]
    fn messages_are_counted_by_peer_and_by_size() {
        let path = Temporary::new();
        let mut recorder = recorder(&path);
        let way = (Kind::OneSided as u64) << 1 | Direction::FromPeer as u64;
        let flow = recorder.flow_with(way, 5);
        assert_eq!(recorder.flow_with(way, 5), flow);
        let other = recorder.flow_with(way, 6);
        recorder.count(flow, Kind::OneSided, 0);
        recorder.count(flow, Kind::OneSided, 1000);
        recorder.count(OUTSIDE, Kind::OneSided, 9);
        recorder.count(NO_RECORD, Kind::OneSided, 9);
        let first = record::FLOW | 1 << 8 | 1 << 16 | 5 << 32;
        assert_eq!(record(&mut recorder, flow), [first, 2, 1000, 0]);
        assert_eq!(record(&mut recorder, other)[1..], [0, 0, 0]);
        // 1,000 bytes are in class 10: 512 to 1,023.
        let class = header::SIZES + 2 * (CLASSES + 10);
        assert_eq!((*recorder.totals.number(class), *recorder.totals.number(class + 1)), (1, 1000));
        assert_eq!(*recorder.totals.number(header::RECORDS), 2);
        assert_eq!(*recorder.totals.number(header::OUTSIDE), 1);
    }

    #[test]
    fn what_is_planned_is_counted_when_it_is_done() {
        let path = Temporary::new();
        let mut recorder = recorder(&path);
        let flow = recorder.flow_with(0, 1);
        let mut action = Action::default();
        recorder.plan_message(&mut action, flow, Kind::PointToPoint, 8);
        assert_eq!(record(&mut recorder, flow)[1..], [0, 0, 0]);
        recorder.add(&action);
        recorder.add(&action);
        assert_eq!(record(&mut recorder, flow)[1..], [2, 16, 0]);
    }

    #[test]
    fn records_go_on_where_the_file_has_to_grow() {
        let path = Temporary::new();
        let mut recorder = recorder(&path);
        let records = 2 * 4 * HEADER_BYTES / RECORD_BYTES;
        for number in 0..records as u64 {
            assert_eq!(recorder.append([number, 1, 2, 3]), number as u32);
        }
        assert_eq!(*recorder.totals.number(header::RECORDS), records as u64);
        for number in [0, 1, records as u32 - 1] {
            assert_eq!(record(&mut recorder, number), [u64::from(number), 1, 2, 3]);
        }
    }

    #[test]
    fn classes_of_sizes_fit_between_the_numbers_and_the_text_of_the_header() {
        assert_eq!((size_class(0), size_class(1), size_class(u64::MAX)), (0, 1, CLASSES - 1));
        let last = Recorder::size_place(Kind::Neighbourhood, u64::MAX) + 1;
        assert!(8 * (last + 1) <= header::HOST_BYTES.start);
        const { assert!(header::STARTER < header::SIZES) };
    }
}
