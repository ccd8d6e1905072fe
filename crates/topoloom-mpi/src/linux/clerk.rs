//! The work of the office: the only thread that calls MPI.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, TryRecvError};
use std::time::{Duration, Instant};

use super::arrivals::Arrivals;
use super::mpi::Mpi;
use super::outbox::Outbox;
use super::pause::Pause;
use super::request::Request;
use crate::delivery::{Delivery, Message, Order, Parcel};
use crate::envelope::Kind;
use crate::error::Error;

/// How long a process that leaves tries to tell the others.
const FAREWELL: Duration = Duration::from_secs(1);

/// The ends of the channels that the office has.
pub struct Channels {
    pub orders: Receiver<Order>,
    pub messages: Sender<Delivery>,
    pub collectives: Sender<Delivery>,
}

/// What the office has in hand.
pub struct Clerk {
    mpi: Mpi,
    channels: Channels,
    outbox: Outbox,
    arrivals: Arrivals,
    pause: Pause,
    ending: Ending,
    /// The process that left the job before its end.
    left: Option<usize>,
}

/// How far the end is.
enum Ending {
    /// It is not wanted.
    No,
    /// When everything is sent.
    Wanted,
    /// When all processes are so far.
    Waiting(Request),
    /// Now: the others are being told until this moment.
    Leaving(Instant),
}

impl Clerk {
    pub fn new(mpi: Mpi, channels: Channels) -> Clerk {
        let (outbox, arrivals, pause) = (Outbox::default(), Arrivals::default(), Pause::default());
        Clerk { mpi, channels, outbox, arrivals, pause, ending: Ending::No, left: None }
    }

    /// Ends the whole job.
    pub fn abort(&self, code: i32) {
        self.mpi.abort(code);
    }

    /// Sends and receives until the program wants the end.
    pub fn work(&mut self) -> Result<(), Error> {
        loop {
            let mut has_moved = self.take_orders();
            has_moved |= self.outbox.advance(&self.mpi)?;
            has_moved |= self.receive()?;
            if self.has_ended()? {
                return Ok(());
            }
            match has_moved {
                true => self.pause.end(),
                false => self.wait(),
            }
        }
    }

    /// The process that left before the end, if any.
    pub fn left(&self) -> Option<usize> {
        self.left
    }

    fn take_orders(&mut self) -> bool {
        let mut has_some = false;
        loop {
            match self.channels.orders.try_recv() {
                Ok(order) => self.carry_out(order),
                Err(TryRecvError::Empty) => return has_some,
                Err(TryRecvError::Disconnected) => {
                    // The program can no longer say anything. If it has not said how to end, it
                    // leaves.
                    if matches!(self.ending, Ending::No) {
                        self.leave();
                    }
                    return has_some;
                }
            }
            has_some = true;
        }
    }

    fn carry_out(&mut self, order: Order) {
        match order {
            Order::Send(parcel) if matches!(self.ending, Ending::No) => self.outbox.add(parcel),
            // Another thread of the program did not know of the end. The other side may have ended
            // already. Then the message would stay in the library.
            Order::Send(_) => {}
            Order::Finish if self.left.is_some() => self.leave(),
            Order::Finish => self.ending = Ending::Wanted,
            Order::Leave => self.leave(),
            Order::Abort(code) => self.abort(code),
        }
    }

    fn receive(&mut self) -> Result<bool, Error> {
        let Clerk { mpi, channels, arrivals, left, .. } = self;
        let size = mpi.size;
        let mut deliver = |kind, message: Message| {
            // If no thread listens, the message is lost.
            let _ = match kind {
                Kind::Message => channels.messages.send(Delivery::Message(message)),
                Kind::Collective => channels.collectives.send(Delivery::Message(message)),
                Kind::Leaving => {
                    let first = first_to_leave(&message, size);
                    left.get_or_insert(first);
                    let _ = channels.messages.send(Delivery::Left(first));
                    channels.collectives.send(Delivery::Left(first))
                }
            };
        };
        let has_moved = arrivals.advance(mpi, &mut deliver)?;
        // The end that all wait for will not come.
        if self.left.is_some() && matches!(self.ending, Ending::Wanted | Ending::Waiting(_)) {
            self.leave();
        }
        Ok(has_moved)
    }

    /// Tells the others which process was the first to leave. A process may hear of this one before
    /// it hears of that one, and should name the right one.
    fn leave(&mut self) {
        let first = self.left.unwrap_or(self.mpi.rank);
        let bytes = Arc::new((first as u64).to_ne_bytes().to_vec());
        for to in (0..self.mpi.size).filter(|&to| to != self.mpi.rank) {
            self.outbox.add(Parcel { to, kind: Kind::Leaving, bytes: Arc::clone(&bytes) });
        }
        self.ending = Ending::Leaving(Instant::now() + FAREWELL);
    }

    fn has_ended(&mut self) -> Result<bool, Error> {
        match &mut self.ending {
            Ending::No => {}
            Ending::Wanted => {
                if self.outbox.is_empty() {
                    self.ending = Ending::Waiting(self.mpi.barrier()?);
                }
            }
            Ending::Waiting(barrier) => {
                // It does not wait for messages that have begun to arrive: over libfabric's sockets,
                // MPICH shows an envelope twice now and then, and the second one never comes.
                if self.mpi.test(barrier)? {
                    self.mpi.finalize()?;
                    return Ok(true);
                }
            }
            Ending::Leaving(until) => return Ok(self.outbox.is_empty() || Instant::now() > *until),
        }
        Ok(false)
    }

    fn wait(&mut self) {
        let (sent, received) = (self.outbox.bytes_under_way(), self.arrivals.bytes_under_way());
        // Whichever is more.
        let Some(limit) = self.pause.next(sent.max(received)) else {
            return std::thread::yield_now();
        };
        match self.channels.orders.recv_timeout(limit) {
            Ok(order) => {
                self.pause.end();
                self.carry_out(order);
            }
            Err(RecvTimeoutError::Timeout) => {}
            // Without the program's end there is nothing to be woken by.
            Err(RecvTimeoutError::Disconnected) => std::thread::sleep(limit),
        }
    }
}

/// The first process that left, as the message says.
fn first_to_leave(message: &Message, size: usize) -> usize {
    let first = message.bytes.as_slice().try_into().map(u64::from_ne_bytes);
    let first = first.ok().and_then(|first| usize::try_from(first).ok());
    first.filter(|&first| first < size).unwrap_or(message.from)
}
