//! Programs, written event by event.

use super::Event;

/// Collects what one rank does.
#[derive(Debug, Default)]
pub struct ProgramWriter {
    events: Vec<Event>,
    requests: u32,
}

impl ProgramWriter {
    /// Sends and goes on when the message no longer needs the rank.
    pub fn send(&mut self, to: u32, bytes: u64, tag: u32) {
        self.events.push(Event::Send { to, bytes, tag });
    }

    /// Waits for a message.
    pub fn receive(&mut self, from: u32, tag: u32) {
        self.events.push(Event::Receive { from, tag });
    }

    /// Begins to send. Returns the request to wait for.
    pub fn start_send(&mut self, to: u32, bytes: u64, tag: u32) -> u32 {
        let request = self.new_request();
        self.events.push(Event::StartSend { to, bytes, tag, request });
        request
    }

    /// Is ready to receive. Returns the request to wait for.
    pub fn start_receive(&mut self, from: u32, tag: u32) -> u32 {
        let request = self.new_request();
        self.events.push(Event::StartReceive { from, tag, request });
        request
    }

    /// Waits for one request.
    pub fn wait(&mut self, request: u32) {
        self.events.push(Event::Wait { request });
    }

    /// Waits for everything that was started.
    pub fn wait_all(&mut self) {
        self.events.push(Event::WaitAll);
        self.requests = 0;
    }

    /// Computes.
    pub fn compute(&mut self, nanoseconds: u64) {
        if nanoseconds > 0 {
            self.events.push(Event::Compute { nanoseconds });
        }
    }

    /// Takes part in a collective.
    pub fn collective(&mut self, number: u32) {
        self.events.push(Event::Collective { number });
    }

    /// Does what `body` writes this many times; nothing for 0.
    pub fn repeat(&mut self, times: u32, body: impl FnOnce(&mut Self)) {
        if times == 0 {
            return;
        }
        let begin = self.events.len();
        self.events.push(Event::Repeat { times });
        body(self);
        if self.events.len() == begin + 1 {
            self.events.pop();
        } else {
            self.events.push(Event::End);
        }
    }

    /// The program.
    pub fn finish(self) -> Vec<Event> {
        self.events
    }

    /// Requests within a repetition have the same names in every pass, so the repetition must wait
    /// for them.
    fn new_request(&mut self) -> u32 {
        self.requests += 1;
        self.requests - 1
    }
}
