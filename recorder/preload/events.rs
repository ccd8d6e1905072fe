//! What happens in which order, written down as it happens.

use crate::action::Action;
use crate::clock::ticks;
use crate::layout::event::NO_PEER;
use crate::layout::{event, header};
use crate::library;
use crate::recorder::{Recorder, library};

/// What has begun under a request and is waited for.
pub enum Pending {
    /// A message, under a number. If it is a receive from anyone, the partner is not known yet.
    Message { number: u32, record: u64, comm: u32, is_open: bool, is_cancelled: bool },
    /// Messages of a neighbourhood, under their numbers.
    Several(Vec<u32>),
    /// A collective: a rank that waits for it takes part in it.
    Later(Vec<[u64; 4]>),
}

/// A message of an event.
#[derive(Debug, Clone, Copy)]
pub struct Message {
    pub comm: u32,
    /// Its rank in the world.
    pub peer: u32,
    pub tag: i32,
    pub bytes: u64,
}

impl Message {
    fn words(self, code: u64, number: u32, request: u32) -> [u64; 4] {
        let first = code | u64::from(number) << 8 | u64::from(request) << 32;
        [first, partner(self.peer, self.tag), self.bytes, 0]
    }
}

fn partner(peer: u32, tag: i32) -> u64 {
    u64::from(peer) | u64::from(tag as u32) << 32
}

impl Recorder {
    /// A call begins, and what was computed since the last one ends.
    #[inline]
    pub fn enter(&mut self, entered: u64) {
        self.entered = entered;
        self.gap = entered.saturating_sub(self.last_exit);
    }

    /// A call ends that only began something. The time in it counts as the program's own, and the
    /// clock need not be read again.
    #[inline]
    pub fn exit_at_once(&mut self) {
        if self.gap == 0 {
            self.last_exit = self.entered;
        }
        self.gap = 0;
    }

    /// A call ends.
    #[inline]
    pub fn exit(&mut self) {
        // A call that left no event was part of what happened between events.
        if self.gap == 0 {
            self.last_exit = ticks();
        }
        self.gap = 0;
    }

    /// Writes an event down; the first one of a call carries the time before it.
    #[inline]
    pub fn push(&mut self, mut words: [u64; 4]) -> u64 {
        let Some(log) = &mut self.log else { return 0 };
        words[3] = std::mem::take(&mut self.gap);
        let record = log.len();
        log.push(words);
        let (len, is_full) = (log.len(), log.is_full());
        self.totals.publish(header::EVENTS, len);
        if is_full {
            *self.totals.number(header::CUT) |= 2;
        }
        // Now and then, in case a process does not reach its end.
        if len % 4096 == 0 {
            self.note_time();
        }
        record
    }

    fn communicator(&self, comm: u32) -> u32 {
        self.comms[comm as usize].number
    }

    /// A blocking message.
    pub fn push_message(&mut self, code: u64, message: Message) {
        let number = self.communicator(message.comm);
        self.push(message.words(code, number, 0));
    }

    /// A message that begins; returns its number.
    pub fn push_start(&mut self, code: u64, message: Message) -> (u32, u64) {
        let request = self.take_number();
        let number = self.communicator(message.comm);
        let record = self.push(message.words(code, number, request));
        (request, record)
    }

    pub fn push_wait(&mut self, request: u32) {
        self.push([event::WAIT | u64::from(request) << 32, 0, 0, 0]);
        self.free_numbers.push(request);
    }

    fn take_number(&mut self) -> u32 {
        self.free_numbers.pop().unwrap_or_else(|| {
            self.next_number += 1;
            self.next_number - 1
        })
    }

    /// Plans the beginning of a message, if there are events.
    pub fn plan_start(&self, action: &mut Action, code: u64, message: Message) {
        if self.log.is_some() {
            action.comm = message.comm;
            action.events.push(message.words(code, self.communicator(message.comm), 0));
        }
    }

    /// Does what was planned: its additions, and its events. The events follow now, or when
    /// `request` is waited for if there is one.
    pub fn perform(&mut self, action: &Action, request: Option<usize>) {
        self.add(action);
        if action.events.is_empty() {
            return;
        }
        if action.at_the_end
            && let Some(request) = request
        {
            let events = action.events.iter().map(|&words| self.in_turn(words)).collect();
            self.wait_for(request, Pending::Later(events));
            return;
        }
        let mut numbers = Vec::new();
        let mut started = None;
        for &words in &action.events {
            let starts = matches!(words[0] & 0xff, event::START_SEND | event::START_RECEIVE);
            if starts {
                let number = self.take_number();
                let record = self.push([words[0] | u64::from(number) << 32, words[1], words[2], 0]);
                numbers.push(number);
                started = Some((number, record, words));
            } else {
                let words = self.in_turn(words);
                self.push(words);
            }
        }
        match (request, started, numbers.len()) {
            (Some(request), Some((number, record, words)), 1) => {
                let receives = words[0] & 0xff == event::START_RECEIVE;
                let tag = (words[1] >> 32) as u32 as i32;
                let is_open = receives && (words[1] as u32 == NO_PEER || tag == library().any_tag);
                let comm = action.comm;
                let pending =
                    Pending::Message { number, record, comm, is_open, is_cancelled: false };
                self.wait_for(request, pending);
            }
            (Some(request), ..) => {
                self.wait_for(request, Pending::Several(numbers));
            }
            (None, ..) => numbers.into_iter().for_each(|number| self.push_wait(number)),
        }
    }

    /// A collective with its place in the order in which its communicator's collectives are begun.
    /// All members agree on that order, whenever they wait for it.
    fn in_turn(&mut self, mut words: [u64; 4]) -> [u64; 4] {
        if words[0] & 0xff == event::COLLECTIVE {
            let comm = self.comm_with_number((words[0] >> 8 & 0xff_ffff) as u32);
            let calls = &mut self.comms[comm as usize].calls;
            words[0] |= u64::from(*calls) << 32;
            *calls = calls.wrapping_add(1);
        }
        words
    }

    /// The communicator with this number among those of events.
    fn comm_with_number(&self, number: u32) -> u32 {
        self.numbered.get(number as usize).copied().unwrap_or(0)
    }

    /// The operation that a request stands for is done. `status` has the source and the tag.
    pub fn complete(&mut self, request: usize, status: Option<usize>, position: usize) {
        if let Some(pending) = self.take_pending(request) {
            self.end(pending, status, position);
        }
    }

    /// Something is waited for under this request. Libraries give the same handle to several
    /// operations that were done at once, so there may be others under it.
    pub fn wait_for(&mut self, request: usize, pending: Pending) {
        if let Some(first) = self.pending.insert(request, pending)
            && let Some(pending) = self.pending.insert(request, first)
        {
            self.pending_more.entry(request).or_default().push_back(pending);
        }
    }

    fn take_pending(&mut self, request: usize) -> Option<Pending> {
        let pending = self.pending.remove(&request)?;
        if !self.pending_more.is_empty()
            && let Some(more) = self.pending_more.get_mut(&request)
        {
            match more.pop_front() {
                Some(next) => {
                    self.pending.insert(request, next);
                }
                None => {
                    self.pending_more.remove(&request);
                }
            }
        }
        Some(pending)
    }

    /// Nobody will wait for what was begun under this request. It goes on anyway.
    pub fn let_go(&mut self, request: usize) {
        self.take_pending(request);
    }

    /// What was begun under this request may not happen.
    pub fn cancel(&mut self, request: usize) {
        if let Some(Pending::Message { is_cancelled, .. }) = self.pending.get_mut(&request) {
            *is_cancelled = true;
        }
    }

    /// What was begun is done. `status` has the source and the tag, at this position.
    pub fn end(&mut self, pending: Pending, status: Option<usize>, position: usize) {
        match pending {
            Pending::Message { number, record, comm, is_open, is_cancelled } => {
                let status_address = |status| status + 4 * library().status_words * position;
                let took_back = is_cancelled
                    && status.is_some_and(|status| was_cancelled(status_address(status)));
                if took_back {
                    self.take_back(record, number);
                    return;
                }
                if is_open && let Some(status) = status {
                    let (source, tag) = unsafe { library().source_and_tag(status, position) };
                    if source == library().proc_null {
                        self.take_back(record, number);
                        return;
                    }
                    let peer = self.peer(comm, source);
                    if let Some(log) = &mut self.log {
                        log.change(record, 1, partner(peer, tag));
                    }
                }
                self.push_wait(number);
            }
            Pending::Several(numbers) => {
                numbers.into_iter().for_each(|number| self.push_wait(number));
            }
            Pending::Later(events) => events.into_iter().for_each(|words| {
                self.push(words);
            }),
        }
    }

    /// What was begun did not happen.
    pub fn take_back(&mut self, record: u64, number: u32) {
        if let Some(log) = &mut self.log {
            log.change(record, 0, event::NOTHING);
        }
        self.free_numbers.push(number);
    }

    /// Whether the status of any of these requests will be read.
    pub fn needs_status(&self, requests: &[usize]) -> bool {
        requests.iter().any(|request| {
            matches!(
                self.pending.get(request),
                Some(Pending::Message { is_open, is_cancelled, .. }) if *is_open || *is_cancelled
            )
        })
    }
}

fn was_cancelled(status: usize) -> bool {
    library::asked(|flag| unsafe { library::test_cancelled(status, flag) }) == Some(1)
}
