//! The ranks of a trace: which rank waits for what, and which message belongs to which rank.

mod compile;
mod dealer;
mod message;
mod stuck;

use topoloom_model::Trace;
use topoloom_model::trace::Cursor;

use crate::error::SimulationError;
use crate::send_queues::SendQueues;
use crate::source::{Outbox, Source, Transfer};
use crate::watch::Watch;
use compile::{Channel, Compiled, Op};
use dealer::Dealer;
use message::{BLOCKED, Message, NOBODY};

pub(crate) use stuck::Unreceived;

/// When messages may leave before the receiver is ready, and how long computing takes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Rules {
    /// The largest message that leaves at once and that its sender need not wait for.
    pub eager_bytes: u64,
    /// Which messages of a rank are sent one after the other.
    pub queues: SendQueues,
    /// How many messages may be under way or awaited at once.
    pub most_messages: usize,
    /// Ticks per nanosecond.
    pub ticks_per_nanosecond: f64,
}

/// The most messages that are sent or awaited at once, however much memory there is.
pub(crate) const MOST_MESSAGES: usize = 1 << 25;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Request {
    Free,
    Open,
    Done,
}

/// What a rank is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Running,
    /// Until a timer rings.
    Computing,
    /// Until a message that it sends or receives has arrived.
    Blocked,
    Waiting {
        request: u32,
    },
    WaitingForAll,
    Finished,
    /// Its program makes no sense.
    Failed,
}

#[derive(Debug)]
struct Process {
    state: State,
    cursor: Cursor,
    /// Computing time that was less than a tick.
    owed: f64,
    requests: Vec<Request>,
    /// Requests that are not free.
    held: Vec<u32>,
    /// Requests that are open.
    open: u32,
    waiting_since: u64,
    waited: u64,
    finished_at: u64,
}

/// All ranks of a trace on their nodes.
#[derive(Debug)]
pub(crate) struct Processes<'a> {
    compiled: Compiled,
    node_of: &'a [u32],
    rules: Rules,
    processes: Vec<Process>,
    channels: Vec<Channel>,
    messages: Vec<Message>,
    free: Vec<u32>,
    /// Ranks that may go on.
    ready: Vec<u32>,
    watch: &'a Watch<'a>,
}

impl<'a> Processes<'a> {
    pub fn new(trace: &Trace, node_of: &'a [u32], rules: Rules, watch: &'a Watch<'a>) -> Self {
        let dealer = Dealer::new(rules.queues, node_of);
        let (compiled, channels) = compile::compile(trace, dealer, watch);
        let process = |&requests: &u32| Process {
            state: State::Running,
            cursor: Cursor::default(),
            owed: 0.0,
            requests: vec![Request::Free; requests as usize],
            held: Vec::new(),
            open: 0,
            waiting_since: 0,
            waited: 0,
            finished_at: 0,
        };
        let processes = compiled.requests.iter().map(process).collect();
        let (messages, free, ready) = (Vec::new(), Vec::new(), Vec::new());
        Processes { compiled, node_of, rules, processes, channels, messages, free, ready, watch }
    }

    /// Ticks that each rank spent waiting, and the tick at which it was done.
    pub fn waited_and_finished(&self) -> (Vec<u64>, Vec<u64>) {
        self.processes.iter().map(|process| (process.waited, process.finished_at)).unzip()
    }

    /// How many ranks are done.
    pub fn finished(&self) -> usize {
        self.processes.iter().filter(|process| process.state == State::Finished).count()
    }

    fn run_ready(&mut self, now: u64, outbox: &mut Outbox) {
        while !self.watch.is_over()
            && let Some(rank) = self.ready.pop()
        {
            self.run(rank, now, outbox);
        }
    }

    /// Runs a rank until it must wait.
    fn run(&mut self, rank: u32, now: u64, outbox: &mut Outbox) {
        let process = &mut self.processes[rank as usize];
        if process.state != State::Running {
            process.waited += now - process.waiting_since;
            process.state = State::Running;
        }
        while let Some(op) = self.processes[rank as usize].cursor.next(self.compiled.program(rank))
        {
            if self.is_flooded() {
                outbox.flood = Some(SimulationError::TooManyMessages(self.rules.most_messages));
                return;
            }
            // A program may do a lot that takes no simulated time.
            if self.watch.ends_after(1) {
                return;
            }
            let state = self.execute(rank, op, now, outbox);
            if state != State::Running {
                let process = &mut self.processes[rank as usize];
                process.state = state;
                // Computing is not waiting: a wait that begins when it ends takes no time.
                process.waiting_since = now;
                return;
            }
        }
        let process = &mut self.processes[rank as usize];
        process.state = State::Finished;
        process.finished_at = now;
    }

    fn execute(&mut self, rank: u32, op: Op, now: u64, outbox: &mut Outbox) -> State {
        match op {
            Op::Compute { nanoseconds } => {
                let process = &mut self.processes[rank as usize];
                // A fraction of a tick is kept: many short ones add up.
                let ticks = nanoseconds as f64 * self.rules.ticks_per_nanosecond + process.owed;
                process.owed = ticks.fract();
                outbox.timers.push((now.saturating_add(ticks as u64), rank));
                State::Computing
            }
            Op::Send { channel, bytes, request } => {
                if request != BLOCKED && !self.open_request(rank, request) {
                    return State::Failed;
                }
                let done = self.send(channel, bytes, request, outbox);
                self.after(rank, request, done)
            }
            Op::Receive { channel, request } => {
                if request != BLOCKED && !self.open_request(rank, request) {
                    return State::Failed;
                }
                let done = self.receive(channel, request, outbox);
                self.after(rank, request, done)
            }
            Op::Wait { request } => {
                let process = &mut self.processes[rank as usize];
                match process.requests[request as usize] {
                    Request::Free => State::Failed,
                    Request::Open => State::Waiting { request },
                    Request::Done => {
                        process.release(request);
                        State::Running
                    }
                }
            }
            Op::WaitAll => {
                let process = &mut self.processes[rank as usize];
                if process.open > 0 {
                    return State::WaitingForAll;
                }
                process.release_all();
                State::Running
            }
            Op::Repeat { .. } | Op::End => unreachable!("the cursor follows repetitions"),
        }
    }

    /// What a rank does after a send or receive that is `done` or not.
    fn after(&mut self, rank: u32, request: u32, done: bool) -> State {
        match (request, done) {
            (BLOCKED, false) => State::Blocked,
            (BLOCKED, true) | (_, false) => State::Running,
            (request, true) => {
                self.processes[rank as usize].complete(request);
                State::Running
            }
        }
    }

    fn open_request(&mut self, rank: u32, request: u32) -> bool {
        let process = &mut self.processes[rank as usize];
        let slot = &mut process.requests[request as usize];
        let free = *slot == Request::Free;
        if free {
            *slot = Request::Open;
            process.held.push(request);
            process.open += 1;
        }
        free
    }

    /// Takes a message from its sender. Returns whether the sender is done with it.
    fn send(&mut self, channel: u32, bytes: u64, request: u32, outbox: &mut Outbox) -> bool {
        let eager = bytes <= self.rules.eager_bytes;
        let message = match self.channels[channel as usize].take_awaited(&self.messages) {
            Some(message) => message,
            None => {
                let message = self.new_message(channel);
                self.channels[channel as usize].add_sent(message, &mut self.messages);
                message
            }
        };
        let record = &mut self.messages[message as usize];
        (record.sent, record.bytes) = (true, bytes);
        record.sender_request = if eager { NOBODY } else { request };
        if eager || record.awaited {
            self.depart(message, outbox);
        }
        eager
    }

    /// A rank is ready for a message. Returns whether the message has arrived.
    fn receive(&mut self, channel: u32, request: u32, outbox: &mut Outbox) -> bool {
        let Some(message) = self.channels[channel as usize].take_sent(&self.messages) else {
            let message = self.new_message(channel);
            self.channels[channel as usize].add_awaited(message, &mut self.messages);
            self.messages[message as usize].receiver_request = request;
            return false;
        };
        let record = &mut self.messages[message as usize];
        if record.arrived {
            self.free.push(message);
            return true;
        }
        (record.awaited, record.receiver_request) = (true, request);
        // A message that is not eager has waited for this.
        if record.bytes > self.rules.eager_bytes {
            self.depart(message, outbox);
        }
        false
    }

    fn new_message(&mut self, channel: u32) -> u32 {
        let message = Message {
            bytes: 0,
            channel,
            sent: false,
            awaited: false,
            arrived: false,
            sender_request: NOBODY,
            receiver_request: NOBODY,
            next: NOBODY,
        };
        match self.free.pop() {
            Some(place) => {
                self.messages[place as usize] = message;
                place
            }
            None => {
                self.messages.push(message);
                self.messages.len() as u32 - 1
            }
        }
    }

    /// Whether there are more messages than fit in memory.
    fn is_flooded(&self) -> bool {
        self.messages.len() > self.rules.most_messages
    }

    fn depart(&self, message: u32, outbox: &mut Outbox) {
        let Message { bytes, channel, .. } = self.messages[message as usize];
        let Channel { from, to, queue, .. } = self.channels[channel as usize];
        let (from, to) = (self.node_of[from as usize], self.node_of[to as usize]);
        outbox.transfers.push(Transfer { message, from, to, bytes, queue });
    }

    /// Tells a rank that what it started or is blocked on has arrived.
    fn tell(&mut self, rank: u32, request: u32) {
        let process = &mut self.processes[rank as usize];
        match request {
            NOBODY => {}
            BLOCKED => self.ready.push(rank),
            request => {
                process.complete(request);
                match process.state {
                    State::Waiting { request: awaited } if awaited == request => {
                        process.release(request);
                        self.ready.push(rank);
                    }
                    State::WaitingForAll if process.open == 0 => {
                        process.release_all();
                        self.ready.push(rank);
                    }
                    _ => {}
                }
            }
        }
    }
}

impl Process {
    fn complete(&mut self, request: u32) {
        self.requests[request as usize] = Request::Done;
        self.open -= 1;
    }

    fn release(&mut self, request: u32) {
        self.requests[request as usize] = Request::Free;
        let place = self.held.iter().position(|&held| held == request);
        self.held.swap_remove(place.expect("what is not free is held"));
    }

    fn release_all(&mut self) {
        for request in self.held.drain(..) {
            self.requests[request as usize] = Request::Free;
        }
    }
}

impl Source for Processes<'_> {
    fn begin(&mut self, outbox: &mut Outbox) {
        self.ready.extend((0..self.processes.len() as u32).rev());
        self.run_ready(0, outbox);
    }

    fn wake(&mut self, rank: u32, now: u64, outbox: &mut Outbox) {
        self.processes[rank as usize].waiting_since = now;
        self.ready.push(rank);
        self.run_ready(now, outbox);
    }

    fn arrived(&mut self, message: u32, now: u64, outbox: &mut Outbox) {
        let record = &mut self.messages[message as usize];
        record.arrived = true;
        self.watch.arrived();
        let Message { channel, awaited, sender_request, receiver_request, .. } = *record;
        let Channel { from, to, .. } = self.channels[channel as usize];
        self.tell(from, sender_request);
        if awaited {
            self.free.push(message);
            self.tell(to, receiver_request);
        }
        self.run_ready(now, outbox);
    }
}

#[cfg(test)]
mod tests;
