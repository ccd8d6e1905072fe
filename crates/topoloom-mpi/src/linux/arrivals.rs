//! Messages on their way to this process.

use std::collections::VecDeque;

use super::mpi::Mpi;
use super::request::Receiving;
use crate::delivery::Message;
use crate::envelope::{Kind, Opened, open};
use crate::error::Error;

/// How many messages are received at once.
const MOST_UNDER_WAY: usize = 64;

/// A message of which something is being received.
struct Arrival {
    from: usize,
    receiving: Receiving,
    /// What it is for; nothing while its envelope is not here.
    kind: Option<Kind>,
}

/// Messages that are being received, in the order in which they arrived.
#[derive(Default)]
pub struct Arrivals {
    under_way: VecDeque<Arrival>,
}

impl Arrivals {
    /// How many bytes are being received; nothing if no message is.
    pub fn bytes_under_way(&self) -> Option<usize> {
        let messages = self.under_way.iter().map(|arrival| arrival.receiving.length);
        (!self.under_way.is_empty()).then(|| messages.sum())
    }

    /// Begins to receive what has arrived, and hands over what is complete; says whether there was
    /// any of it.
    pub fn advance(
        &mut self,
        mpi: &Mpi,
        mut deliver: impl FnMut(Kind, Message),
    ) -> Result<bool, Error> {
        let mut has_moved = false;
        while self.under_way.len() < MOST_UNDER_WAY
            && let Some(from) = mpi.sender_of_envelope()?
        {
            let receiving = mpi.receive_envelope(from)?;
            self.under_way.push_back(Arrival { from, receiving, kind: None });
            has_moved = true;
        }
        // A short message can be complete before a long one that the same process sent earlier.
        let mut late_senders = Vec::new();
        let mut index = 0;
        while let Some(arrival) = self.under_way.get_mut(index) {
            let from = arrival.from;
            if late_senders.contains(&from) || !mpi.has_received(&mut arrival.receiving)? {
                late_senders.push(from);
                index += 1;
                continue;
            }
            has_moved = true;
            let bytes = arrival.receiving.take();
            let (kind, bytes) = match (arrival.kind, open(&bytes)) {
                (Some(kind), _) => (kind, bytes),
                (None, Some(Opened::Whole(kind, bytes))) => (kind, bytes),
                (None, Some(Opened::Follows(kind, length))) => {
                    arrival.receiving = mpi.receive_pieces(from, length)?;
                    arrival.kind = Some(kind);
                    continue;
                }
                (None, None) => return Err(Error::NotOurs { from }),
            };
            self.under_way.remove(index);
            deliver(kind, Message { from, bytes });
        }
        Ok(has_moved)
    }
}
