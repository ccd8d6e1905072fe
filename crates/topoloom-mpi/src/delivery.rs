//! What passes between the office and the rest of the program.

use std::sync::Arc;

use crate::envelope::Kind;

/// Bytes that another process sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    /// The rank of the process that sent them.
    pub from: usize,
    /// What it sent.
    pub bytes: Vec<u8>,
}

/// What the office gives to the program.
pub enum Delivery {
    /// A message.
    Message(Message),
    /// This process has left the job before its end. Nobody can wait for it.
    Left(usize),
}

/// What the program wants of the office.
pub enum Order {
    /// Send something.
    Send(Parcel),
    /// Wait for all other processes, and end.
    Finish,
    /// Tell all other processes, and end without waiting for them.
    Leave,
    /// End the whole job with this exit code.
    Abort(i32),
}

/// Bytes on their way to another process. Several parcels can have the same bytes.
pub struct Parcel {
    pub to: usize,
    pub kind: Kind,
    pub bytes: Arc<Vec<u8>>,
}
