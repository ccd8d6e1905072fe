//! How processes reach each other: by MPI, or inside one process for tests.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use topoloom::core::CommonMemory;
use topoloom::core::crew::Packed;
use topoloom_mpi::Office;

use super::message::Message;
use crate::output;

/// Carries messages between the processes of a crew.
pub trait Post: Send + Sync {
    fn rank(&self) -> usize;

    fn size(&self) -> usize;

    fn send(&self, to: usize, message: &Message);

    /// Sends a message for all processes to those that this process has to tell.
    fn pass_on(&self, message: &Message);

    /// The next message and its sender, if one comes in time.
    fn receive(&self, limit: Duration) -> Option<(usize, Message)>;

    /// Gives bytes of the leader to all processes. All have to come here in the same order.
    fn broadcast(&self, bytes: Option<Vec<u8>>) -> Arc<Vec<u8>>;

    /// As [`broadcast`](Self::broadcast), with one copy for all processes of a node.
    fn shared_bytes(&self, bytes: Option<Vec<u8>>) -> &'static [u8];
}

impl Post for Office {
    fn rank(&self) -> usize {
        Office::rank(self)
    }

    fn size(&self) -> usize {
        Office::size(self)
    }

    fn send(&self, to: usize, message: &Message) {
        or_abort(self, Office::send(self, to, message.packed()));
    }

    fn pass_on(&self, message: &Message) {
        let bytes = Arc::new(message.packed());
        for to in self.below() {
            or_abort(self, self.send_shared(to, Arc::clone(&bytes)));
        }
    }

    fn receive(&self, limit: Duration) -> Option<(usize, Message)> {
        let message = or_abort(self, self.receive_timeout(limit))?;
        // The same program has sent it.
        Some((message.from, Message::unpacked(&message.bytes)?))
    }

    fn broadcast(&self, bytes: Option<Vec<u8>>) -> Arc<Vec<u8>> {
        or_abort(self, Office::broadcast(self, bytes))
    }

    fn shared_bytes(&self, bytes: Option<Vec<u8>>) -> &'static [u8] {
        or_abort(self, Office::shared_bytes(self, bytes)).bytes()
    }
}

/// The memory that the processes of a node have in common.
pub struct NodeMemory<'a>(pub &'a Office);

impl CommonMemory for NodeMemory<'_> {
    fn u32s(&self, list: &[u32]) -> Option<&'static [u32]> {
        or_abort(self.0, self.0.common_u32s(list))
    }

    fn usizes(&self, list: &[usize]) -> Option<&'static [usize]> {
        or_abort(self.0, self.0.common_usizes(list))
    }

    fn f64s(&self, list: &[f64]) -> Option<&'static [f64]> {
        or_abort(self.0, self.0.common_f64s(list))
    }
}

/// Whether this process ends its part in the job. A thread that still waits for a message then
/// waits for the end of the process.
static IS_ENDING: AtomicBool = AtomicBool::new(false);

/// From now on no process expects messages.
pub fn expect_the_end() {
    IS_ENDING.store(true, Ordering::SeqCst);
}

/// Without messages, the processes would wait for each other for ever.
fn or_abort<T>(office: &Office, result: Result<T, topoloom_mpi::Error>) -> T {
    result.unwrap_or_else(|error| {
        while IS_ENDING.load(Ordering::SeqCst) {
            std::thread::park();
        }
        let code = output::fail(&error.into());
        office.abort(i32::from(code))
    })
}
