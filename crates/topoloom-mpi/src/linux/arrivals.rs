//! Messages on their way to this process.

use std::collections::VecDeque;

use super::mpi::Mpi;
use super::request::Receiving;
use crate::delivery::Message;
use crate::error::Error;
use crate::kind::{Kind, from_tag};
use crate::pieces::Joining;

/// How many pieces are received at once.
const MOST_UNDER_WAY: usize = 64;

/// Pieces that MPI is receiving, in the order in which they arrived.
#[derive(Default)]
pub struct Arrivals {
    under_way: VecDeque<Receiving>,
    joining: Joining,
}

impl Arrivals {
    /// How many bytes are being received; nothing if no message is.
    pub fn bytes_under_way(&self) -> Option<usize> {
        let pieces = self.under_way.iter().map(|piece| piece.length);
        (!self.under_way.is_empty()).then(|| pieces.sum())
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
            && let Some(arrived) = mpi.probe()?
        {
            self.under_way.push_back(mpi.receive(arrived)?);
            has_moved = true;
        }
        // A short message can be complete before a long one that the same process sent earlier.
        let mut late_senders = Vec::new();
        let mut index = 0;
        while let Some(receiving) = self.under_way.get_mut(index) {
            let from = receiving.from;
            if late_senders.contains(&from) || !mpi.test(&mut receiving.request)? {
                late_senders.push(from);
                index += 1;
                continue;
            }
            has_moved = true;
            let Some(receiving) = self.under_way.remove(index) else { break };
            let Some((kind, more)) = from_tag(receiving.tag) else { continue };
            if let Some((kind, bytes)) = self.joining.add(from, kind, more, receiving.take()) {
                deliver(kind, Message { from, bytes });
            }
        }
        Ok(has_moved)
    }
}
