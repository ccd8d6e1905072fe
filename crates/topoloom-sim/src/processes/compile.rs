//! Programs with partners and requests turned into positions in flat arrays.

use std::collections::HashMap;

use topoloom_model::trace::{Repetition, Step};
use topoloom_model::{Event, Trace};

use super::dealer::Dealer;
use super::message::{BLOCKED, Message, NOBODY};
use crate::send_queues::NO_QUEUE;
use crate::watch::Watch;

/// An event as the simulator runs it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Op {
    Compute { nanoseconds: u64 },
    Send { channel: u32, bytes: u64, request: u32 },
    Receive { channel: u32, request: u32 },
    Wait { request: u32 },
    WaitAll,
    Repeat { times: u32 },
    End,
}

impl Step for Op {
    #[inline]
    fn repetition(self) -> Option<Repetition> {
        match self {
            Op::Repeat { times } => Some(Repetition::Begins(times)),
            Op::End => Some(Repetition::Ends),
            _ => None,
        }
    }
}

/// The programs of all ranks, one after the other.
#[derive(Debug)]
pub(super) struct Compiled {
    begins: Vec<usize>,
    ops: Vec<Op>,
    /// How many requests each rank names.
    pub requests: Vec<u32>,
}

impl Compiled {
    pub fn program(&self, rank: u32) -> &[Op] {
        &self.ops[self.begins[rank as usize]..self.begins[rank as usize + 1]]
    }
}

/// Messages of one tag from one rank to another. Sent and awaited messages meet in order, so only
/// one of the two kinds is left over at a time.
#[derive(Debug, Clone, Copy)]
pub(super) struct Channel {
    pub from: u32,
    pub to: u32,
    pub tag: u32,
    /// The send queue of its messages.
    pub queue: u32,
    first: u32,
    last: u32,
    /// Whether the messages left over were sent; otherwise they are awaited.
    holds_sent: bool,
}

impl Channel {
    /// The first message that was sent and that no rank has asked for.
    pub fn take_sent(&mut self, messages: &[Message]) -> Option<u32> {
        self.holds_sent.then(|| self.take(messages)).flatten()
    }

    /// The first message that a rank has asked for and that was not sent.
    pub fn take_awaited(&mut self, messages: &[Message]) -> Option<u32> {
        (!self.holds_sent).then(|| self.take(messages)).flatten()
    }

    pub fn add_sent(&mut self, message: u32, messages: &mut [Message]) {
        self.holds_sent = true;
        self.add(message, messages);
    }

    pub fn add_awaited(&mut self, message: u32, messages: &mut [Message]) {
        self.holds_sent = false;
        messages[message as usize].awaited = true;
        self.add(message, messages);
    }

    /// The messages that were sent and that no rank has asked for.
    pub fn left_over(&self, messages: &[Message]) -> usize {
        let mut count = 0;
        let mut message = if self.holds_sent { self.first } else { NOBODY };
        while message != NOBODY {
            count += 1;
            message = messages[message as usize].next;
        }
        count
    }

    fn take(&mut self, messages: &[Message]) -> Option<u32> {
        let taken = (self.first != NOBODY).then_some(self.first)?;
        self.first = messages[taken as usize].next;
        Some(taken)
    }

    fn add(&mut self, message: u32, messages: &mut [Message]) {
        match self.first {
            NOBODY => self.first = message,
            _ => messages[self.last as usize].next = message,
        }
        self.last = message;
    }
}

/// Channels with the numbers that they have by sender, receiver and tag.
#[derive(Debug, Default)]
struct Channels {
    numbers: HashMap<(u32, u32, u32), u32>,
    all: Vec<Channel>,
}

impl Channels {
    fn number(&mut self, from: u32, to: u32, tag: u32) -> u32 {
        let Channels { numbers, all } = self;
        *numbers.entry((from, to, tag)).or_insert_with(|| {
            let (first, last, queue) = (NOBODY, NOBODY, NO_QUEUE);
            all.push(Channel { from, to, tag, queue, first, last, holds_sent: false });
            all.len() as u32 - 1
        })
    }

    /// The same for a send. Its channel needs a queue, and the programs of the senders give the
    /// order.
    fn number_of_send(&mut self, from: u32, to: u32, tag: u32, dealer: &mut Dealer<'_>) -> u32 {
        let number = self.number(from, to, tag);
        let channel = &mut self.all[number as usize];
        if channel.queue == NO_QUEUE {
            channel.queue = dealer.queue_to(to);
        }
        number
    }
}

/// Numbers channels, queues and requests. If it must stop, only those of the first ranks.
pub(super) fn compile(
    trace: &Trace,
    mut dealer: Dealer<'_>,
    watch: &Watch<'_>,
) -> (Compiled, Vec<Channel>) {
    let mut channels = Channels::default();
    let mut compiled = Compiled {
        begins: vec![0],
        ops: Vec::with_capacity(trace.num_events()),
        requests: Vec::with_capacity(trace.num_ranks()),
    };
    for (rank, program) in (0..).zip(trace.programs()) {
        if watch.ends_after(program.len()) {
            break;
        }
        dealer.begin(rank);
        let mut names: HashMap<u32, u32> = HashMap::new();
        let mut number = |name: u32| {
            let next = names.len() as u32;
            *names.entry(name).or_insert(next)
        };
        compiled.ops.extend(program.iter().map(|&event| match event {
            Event::Compute { nanoseconds } => Op::Compute { nanoseconds },
            Event::Send { to, bytes, tag } => {
                let channel = channels.number_of_send(rank, to, tag, &mut dealer);
                Op::Send { channel, bytes, request: BLOCKED }
            }
            Event::StartSend { to, bytes, tag, request } => {
                let channel = channels.number_of_send(rank, to, tag, &mut dealer);
                Op::Send { channel, bytes, request: number(request) }
            }
            Event::Receive { from, tag } => {
                Op::Receive { channel: channels.number(from, rank, tag), request: BLOCKED }
            }
            Event::StartReceive { from, tag, request } => {
                let channel = channels.number(from, rank, tag);
                Op::Receive { channel, request: number(request) }
            }
            Event::Wait { request } => Op::Wait { request: number(request) },
            Event::WaitAll => Op::WaitAll,
            Event::Repeat { times } => Op::Repeat { times },
            Event::End => Op::End,
            Event::Collective { .. } => unreachable!("collectives were refused before"),
        }));
        compiled.begins.push(compiled.ops.len());
        compiled.requests.push(names.len() as u32);
    }
    (compiled, channels.all)
}
