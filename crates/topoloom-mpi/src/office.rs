//! What the program sees of the job.

use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::Duration;

use crate::delivery::{Delivery, Message, Order, Parcel};
use crate::envelope::Kind;
use crate::error::Error;
use crate::inbox::Inbox;
use crate::node::Node;
use crate::tree;

/// How long the office may take to tell the others that this process leaves.
const FAREWELL: Duration = Duration::from_secs(3);
/// How long MPI may take to end the job, before this process ends alone.
const LONGEST_ABORT: Duration = Duration::from_secs(10);
/// How long a launcher has to read what this process wrote, before the job is ended.
const TIME_TO_READ: Duration = Duration::from_millis(100);
/// What a Rust program that panics exits with.
const PANICKED: i32 = 101;

/// The place of this process in a job of several processes.
///
/// Threads may share it. An operation that all processes take part in ([`broadcast`](Self::broadcast),
/// [`gather`](Self::gather), [`shared_bytes`](Self::shared_bytes)) must come in the same order in all of them.
///
/// A fault inside MPI ends the whole job, as MPI does by default. Call [`finish`](Self::finish) at
/// the end, or [`abort`](Self::abort) after an error. If an office is dropped without either, the
/// process does not hang. The other processes get [`Error::Left`] as soon as they wait for
/// anything. MPI is not ended in an orderly way, so most launchers end the job when the process
/// exits. If it is dropped by a panic, the whole job ends at once with exit code 101.
pub struct Office {
    facts: Facts,
    orders: Sender<Order>,
    outcome: Mutex<Receiver<Result<(), Error>>>,
    messages: Mutex<Inbox>,
    collectives: Mutex<Inbox>,
    is_over: AtomicBool,
}

/// What MPI says about a process.
pub struct Facts {
    pub rank: usize,
    pub size: usize,
    pub host: String,
    pub node: Node,
}

/// The ends of the channels that the program has.
pub struct Counter {
    pub orders: Sender<Order>,
    pub messages: Receiver<Delivery>,
    pub collectives: Receiver<Delivery>,
    /// How the work ended.
    pub outcome: Receiver<Result<(), Error>>,
}

impl Office {
    pub(crate) fn new(facts: Facts, counter: Counter) -> Office {
        Office {
            facts,
            orders: counter.orders,
            outcome: Mutex::new(counter.outcome),
            messages: Mutex::new(Inbox::new(counter.messages)),
            collectives: Mutex::new(Inbox::new(counter.collectives)),
            is_over: AtomicBool::new(false),
        }
    }

    /// The number of this process, counted from 0.
    pub fn rank(&self) -> usize {
        self.facts.rank
    }

    /// How many processes the job has: at least 2.
    pub fn size(&self) -> usize {
        self.facts.size
    }

    /// The name of the host that this process runs on.
    pub fn host(&self) -> &str {
        &self.facts.host
    }

    /// Which processes run on the same node as this one.
    pub fn node(&self) -> &Node {
        &self.facts.node
    }

    /// Sends bytes to a process, which may be this one. Returns at once. Messages from one process
    /// to another arrive in the order in which they were sent. Any length is possible.
    pub fn send(&self, to: usize, bytes: Vec<u8>) -> Result<(), Error> {
        self.send_shared(to, Arc::new(bytes))
    }

    /// As [`send`](Self::send), for bytes that go to several processes.
    pub fn send_shared(&self, to: usize, bytes: Arc<Vec<u8>>) -> Result<(), Error> {
        if to >= self.size() {
            return Err(Error::NoProcess { to, size: self.size() });
        }
        self.post(to, Kind::Message, bytes)
    }

    /// The next message, from whatever process. Waits for it. If several threads wait, each message
    /// goes to one of them.
    pub fn receive(&self) -> Result<Message, Error> {
        lock(&self.messages).next()
    }

    /// The next message, if it comes within the limit.
    pub fn receive_timeout(&self, limit: Duration) -> Result<Option<Message>, Error> {
        lock(&self.messages).next_within(limit)
    }

    /// The next message, if it is there and no other thread waits for it.
    pub fn try_receive(&self) -> Result<Option<Message>, Error> {
        match self.messages.try_lock() {
            Ok(mut inbox) => inbox.next_if_there(),
            Err(TryLockError::Poisoned(inbox)) => inbox.into_inner().next_if_there(),
            Err(TryLockError::WouldBlock) => Ok(None),
        }
    }

    /// Gives the bytes of process 0 to all processes. All have to call this; what others give is
    /// ignored, and nothing from process 0 means no bytes. They travel in a tree, first between
    /// nodes, then inside them: no process sends more often than the number of processes has digits
    /// in the binary system.
    pub fn broadcast(&self, bytes: Option<Vec<u8>>) -> Result<Arc<Vec<u8>>, Error> {
        let mut inbox = self.begin_collective();
        let node = self.node();
        let mut bytes = bytes.map(Arc::new);
        if node.index == 0 {
            bytes = Some(self.pass_on(&mut inbox, &node.first_ranks, bytes)?);
        }
        self.pass_on(&mut inbox, &node.members, bytes)
    }

    /// The processes that this process has to tell what concerns all. As process 0 it begins; any
    /// other process first hears it from another one. It is the tree of
    /// [`broadcast`](Self::broadcast), for messages.
    pub fn below(&self) -> Vec<usize> {
        self.node().below()
    }

    /// Gives bytes of every process to process 0, which gets them in the order of ranks. The others get
    /// nothing. All have to call this.
    pub fn gather(&self, bytes: Vec<u8>) -> Result<Option<Vec<Vec<u8>>>, Error> {
        let mut inbox = self.begin_collective();
        if self.rank() > 0 {
            self.post(0, Kind::Collective, Arc::new(bytes))?;
            return Ok(None);
        }
        let others = (1..self.size()).map(|rank| inbox.next_from(rank));
        std::iter::once(Ok(bytes)).chain(others).collect::<Result<_, _>>().map(Some)
    }

    /// Waits until all processes have finished, and ends MPI. Messages that nobody has taken are
    /// lost. Nothing can be sent or received after it.
    pub fn finish(&self) -> Result<(), Error> {
        self.is_over.store(true, Ordering::Relaxed);
        self.orders.send(Order::Finish).map_err(|_| Error::Stopped)?;
        lock(&self.outcome).recv().map_err(|_| Error::Stopped)?
    }

    /// Ends all processes of the job, this one included, with an exit code; with 1 if it is 0.
    pub fn abort(&self, code: i32) -> ! {
        // A launcher ends the other processes only if one fails.
        let code = if code == 0 { 1 } else { code };
        let _ = std::io::stdout().flush();
        // A launcher drops what it has not read by the time it ends the job: often the reason.
        std::thread::sleep(TIME_TO_READ);
        if self.orders.send(Order::Abort(code)).is_ok() {
            // MPI ends the process while this thread waits.
            let _ = lock(&self.outcome).recv_timeout(LONGEST_ABORT);
        }
        exit(code)
    }

    /// One operation of all processes at a time.
    pub(crate) fn begin_collective(&self) -> MutexGuard<'_, Inbox> {
        lock(&self.collectives)
    }

    /// Sends something without a check of the number.
    pub(crate) fn post(&self, to: usize, kind: Kind, bytes: Arc<Vec<u8>>) -> Result<(), Error> {
        self.orders.send(Order::Send(Parcel { to, kind, bytes })).map_err(|_| Error::Stopped)
    }

    /// Gives the bytes of the first of these ranks to all of them. This process is one of them.
    pub(crate) fn pass_on(
        &self,
        inbox: &mut Inbox,
        members: &[usize],
        bytes: Option<Arc<Vec<u8>>>,
    ) -> Result<Arc<Vec<u8>>, Error> {
        let index = members.iter().position(|&member| member == self.rank()).unwrap_or(0);
        let bytes = match tree::above(index) {
            Some(above) => Arc::new(inbox.next_from(members[above])?),
            None => bytes.unwrap_or_default(),
        };
        for below in tree::below(index, members.len()) {
            self.post(members[below], Kind::Collective, Arc::clone(&bytes))?;
        }
        Ok(bytes)
    }
}

impl Drop for Office {
    fn drop(&mut self) {
        if self.is_over.load(Ordering::Relaxed) {
            return;
        }
        if std::thread::panicking() {
            self.abort(PANICKED);
        }
        if self.orders.send(Order::Leave).is_ok() {
            let _ = lock(&self.outcome).recv_timeout(FAREWELL);
        }
    }
}

#[cfg(all(target_os = "linux", target_pointer_width = "64"))]
use crate::linux::exit;
#[cfg(not(all(target_os = "linux", target_pointer_width = "64")))]
use std::process::exit;

/// A thread that panicked has left nothing half done here.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
