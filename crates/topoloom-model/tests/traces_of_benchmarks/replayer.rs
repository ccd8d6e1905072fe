//! Runs a trace without a network: which rank waits for which, and nothing else.

use std::collections::{HashMap, VecDeque};

use topoloom_model::Event;
use topoloom_model::trace::{Cursor, Trace};

/// When a send is over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sends {
    /// When the receive is posted.
    Meet,
    /// At once.
    Return,
}

/// Half of a message that waits for the other half.
#[derive(Debug, Clone, Copy)]
struct Half {
    rank: usize,
    operation: usize,
    is_send: bool,
    /// When a send began; receives do not use it.
    time: u64,
}

/// Operations that are over, and when.
#[derive(Debug, Default)]
struct Operations(Vec<Option<u64>>);

impl Operations {
    fn begin(&mut self) -> usize {
        self.0.push(None);
        self.0.len() - 1
    }
}

#[derive(Debug, Default, Clone)]
struct RankState {
    cursor: Cursor,
    /// Everything that must be over before the next event.
    awaited: Vec<usize>,
    requests: HashMap<u32, usize>,
    time: u64,
    is_done: bool,
}

/// Runs all programs to their end and returns the time at which each rank is done. Messages take no
/// time. An error says which rank hangs, or what is left over.
pub fn replay(trace: &Trace, sends: Sends) -> Result<Vec<u64>, String> {
    let mut replayer = Replayer {
        trace,
        sends,
        ranks: vec![RankState::default(); trace.num_ranks()],
        operations: Operations::default(),
        channels: HashMap::new(),
        runnable: (0..trace.num_ranks()).collect(),
    };
    while let Some(rank) = replayer.runnable.pop_front() {
        replayer.run(rank)?;
    }
    replayer.result()
}

struct Replayer<'a> {
    trace: &'a Trace,
    sends: Sends,
    ranks: Vec<RankState>,
    operations: Operations,
    /// By sender, receiver and tag: halves of one kind that came before their counterparts.
    channels: HashMap<(usize, usize, u32), VecDeque<Half>>,
    runnable: VecDeque<usize>,
}

impl Replayer<'_> {
    /// Runs a rank until it must wait.
    fn run(&mut self, rank: usize) -> Result<(), String> {
        while !self.ranks[rank].is_done && self.is_ready(rank) {
            let program = &self.trace.programs()[rank];
            match self.ranks[rank].cursor.next(program) {
                Some(event) => self.act(rank, event)?,
                None => self.ranks[rank].is_done = true,
            }
        }
        Ok(())
    }

    fn is_ready(&mut self, rank: usize) -> bool {
        let state = &mut self.ranks[rank];
        if !state.awaited.iter().all(|&operation| self.operations.0[operation].is_some()) {
            return false;
        }
        let ends = state.awaited.drain(..).filter_map(|operation| self.operations.0[operation]);
        state.time = ends.fold(state.time, u64::max);
        true
    }

    fn act(&mut self, rank: usize, event: Event) -> Result<(), String> {
        match event {
            Event::Compute { nanoseconds } => self.ranks[rank].time += nanoseconds,
            Event::Send { to, tag, .. } => {
                let operation = self.send(rank, to as usize, tag);
                self.ranks[rank].awaited.push(operation);
            }
            Event::Receive { from, tag } => {
                let operation = self.receive(rank, from as usize, tag);
                self.ranks[rank].awaited.push(operation);
            }
            Event::StartSend { to, tag, request, .. } => {
                let operation = self.send(rank, to as usize, tag);
                return self.name(rank, request, operation);
            }
            Event::StartReceive { from, tag, request } => {
                let operation = self.receive(rank, from as usize, tag);
                return self.name(rank, request, operation);
            }
            Event::Wait { request } => {
                let operation = self.ranks[rank].requests.remove(&request);
                let unknown = || format!("rank {rank} waits for {request}, which is not open");
                self.ranks[rank].awaited.push(operation.ok_or_else(unknown)?);
            }
            Event::WaitAll => {
                let state = &mut self.ranks[rank];
                state.awaited.extend(state.requests.drain().map(|(_, operation)| operation));
            }
            Event::Collective { .. } | Event::Repeat { .. } | Event::End => {
                return Err(format!("rank {rank}: {event:?} is not to be replayed"));
            }
        }
        Ok(())
    }

    fn name(&mut self, rank: usize, request: u32, operation: usize) -> Result<(), String> {
        match self.ranks[rank].requests.insert(request, operation) {
            None => Ok(()),
            Some(_) => Err(format!("rank {rank} starts {request}, which is open")),
        }
    }

    fn send(&mut self, rank: usize, to: usize, tag: u32) -> usize {
        let operation = self.operations.begin();
        let time = self.ranks[rank].time;
        if self.sends == Sends::Return {
            self.operations.0[operation] = Some(time);
        }
        self.meet((rank, to, tag), Half { rank, operation, is_send: true, time });
        operation
    }

    fn receive(&mut self, rank: usize, from: usize, tag: u32) -> usize {
        let operation = self.operations.begin();
        let time = self.ranks[rank].time;
        self.meet((from, rank, tag), Half { rank, operation, is_send: false, time });
        operation
    }

    /// Joins a half with the first half of the other kind, or lets it wait for one.
    fn meet(&mut self, channel: (usize, usize, u32), half: Half) {
        let waiting = self.channels.entry(channel).or_default();
        if waiting.front().is_none_or(|other| other.is_send == half.is_send) {
            waiting.push_back(half);
            return;
        }
        let other = waiting.pop_front().expect("there is a front");
        let (send, receive) = if half.is_send { (half, other) } else { (other, half) };
        let met = send.time.max(receive.time);
        self.operations.0[receive.operation] = Some(met);
        self.operations.0[send.operation].get_or_insert(met);
        self.runnable.push_back(other.rank);
    }

    fn result(self) -> Result<Vec<u64>, String> {
        for (rank, state) in self.ranks.iter().enumerate() {
            if !state.is_done {
                let position = state.cursor.position();
                return Err(format!("rank {rank} hangs before event {position}"));
            }
            if !state.requests.is_empty() {
                return Err(format!("rank {rank} never waits for {:?}", state.requests));
            }
        }
        match self.channels.iter().find(|(_, waiting)| !waiting.is_empty()) {
            Some((channel, waiting)) => Err(format!("{} left over at {channel:?}", waiting.len())),
            None => Ok(self.ranks.into_iter().map(|state| state.time).collect()),
        }
    }
}

/// Tests of the replayer itself: it must detect errors.
mod tests {
    use super::*;

    fn both(programs: &[&[Event]]) -> [bool; 2] {
        let programs = programs.iter().map(|program| program.to_vec()).collect();
        let trace = Trace::new(programs, Vec::new()).unwrap();
        [Sends::Meet, Sends::Return].map(|sends| replay(&trace, sends).is_ok())
    }

    const fn send(to: u32) -> Event {
        Event::Send { to, bytes: 1, tag: 0 }
    }

    const fn receive(from: u32) -> Event {
        Event::Receive { from, tag: 0 }
    }

    #[test]
    fn two_who_send_first_hang_only_if_sends_meet_receives() {
        assert_eq!(both(&[&[send(1), receive(1)], &[send(0), receive(0)]]), [false, true]);
        assert_eq!(both(&[&[send(1), receive(1)], &[receive(0), send(0)]]), [true, true]);
        assert_eq!(both(&[&[receive(1), send(1)], &[receive(0), send(0)]]), [false, false]);
    }

    #[test]
    fn what_is_left_over_is_seen() {
        assert_eq!(both(&[&[send(1)], &[]]), [false, false]);
        let post = Event::StartReceive { from: 0, tag: 0, request: 0 };
        assert_eq!(both(&[&[send(0)]]), [false, false]);
        assert_eq!(both(&[&[post, send(0), Event::WaitAll]]), [true, true]);
        assert_eq!(both(&[&[post, send(0)]]), [false, false]);
        assert_eq!(both(&[&[post, post, send(0), send(0), Event::WaitAll]]), [false, false]);
    }
}
