//! Messages on their way to other processes.

use std::collections::VecDeque;
use std::sync::Arc;

use super::mpi::{Mpi, Tag};
use super::request::Sending;
use crate::delivery::Parcel;
use crate::envelope::{envelope, pieces};
use crate::error::Error;

/// How many pieces MPI gets at once. Each of them is asked for in every round.
const MOST_UNDER_WAY: usize = 256;

/// Messages that wait, and pieces that MPI is sending.
#[derive(Default)]
pub struct Outbox {
    waiting: VecDeque<Parcel>,
    /// How many pieces of the first message that waits are under way already, with its envelope.
    begun: usize,
    under_way: Vec<Sending>,
}

impl Outbox {
    pub fn add(&mut self, parcel: Parcel) {
        self.waiting.push_back(parcel);
    }

    pub fn is_empty(&self) -> bool {
        self.waiting.is_empty() && self.under_way.is_empty()
    }

    /// How many bytes are being sent; nothing if no message is.
    pub fn bytes_under_way(&self) -> Option<usize> {
        let pieces = self.under_way.iter().map(|piece| piece.length);
        (!self.under_way.is_empty()).then(|| pieces.sum())
    }

    /// Forgets what is complete and begins what can be; says whether there was any of it.
    pub fn advance(&mut self, mpi: &Mpi) -> Result<bool, Error> {
        let before = self.under_way.len();
        let mut index = 0;
        while index < self.under_way.len() {
            match mpi.test(&mut self.under_way[index].request)? {
                true => drop(self.under_way.swap_remove(index)),
                false => index += 1,
            }
        }
        let mut has_moved = self.under_way.len() < before;
        while self.under_way.len() < MOST_UNDER_WAY
            && let Some(parcel) = self.waiting.front()
        {
            match begin(mpi, parcel, self.begun)? {
                Some(sending) => {
                    self.under_way.push(sending);
                    self.begun += 1;
                    has_moved = true;
                }
                None => {
                    self.waiting.pop_front();
                    self.begun = 0;
                }
            }
        }
        Ok(has_moved)
    }
}

/// Begins to send the piece with this number, where the envelope is the first; nothing if there are
/// no more.
fn begin(mpi: &Mpi, parcel: &Parcel, number: usize) -> Result<Option<Sending>, Error> {
    let Parcel { to, kind, bytes } = parcel;
    if number == 0 {
        let envelope = Arc::new(envelope(*kind, bytes));
        let all = 0..envelope.len();
        return mpi.send(*to, Tag::Envelope, envelope, all).map(Some);
    }
    let piece = pieces(bytes.len()).nth(number - 1);
    piece.map(|piece| mpi.send(*to, Tag::Piece, Arc::clone(bytes), piece)).transpose()
}
