//! What MPI does in the background, and the memory that it uses until it is done.

use std::sync::Arc;

use super::library;
use crate::error::Error;

/// The result of a call: nothing if the library does not have the function.
pub fn checked(function: &'static str, answer: Option<i32>) -> Result<(), Error> {
    match answer {
        Some(0) => Ok(()),
        Some(code) => Err(Error::Call { function, code }),
        None => Err(Error::NoFunction { function }),
    }
}

/// Something that MPI has begun.
pub struct Request {
    handle: usize,
    is_done: bool,
}

impl Request {
    /// Calls a function that begins something. It gets the address for its request.
    pub fn begun(
        function: &'static str,
        begin: impl FnOnce(usize) -> Option<i32>,
    ) -> Result<Request, Error> {
        let mut handle = 0_usize;
        checked(function, begin(&raw mut handle as usize))?;
        Ok(Request { handle, is_done: false })
    }

    /// Whether it is done.
    pub fn test(&mut self, status_ignore: usize) -> Result<bool, Error> {
        if !self.is_done {
            let mut flag = 0_i32;
            let (request, place) = (&raw mut self.handle as usize, &raw mut flag as usize);
            checked("MPI_Test", unsafe { library::test(request, place, status_ignore) })?;
            self.is_done = flag != 0;
        }
        Ok(self.is_done)
    }
}

/// Bytes that are being sent. MPI reads them until the request is done.
pub struct Sending {
    pub request: Request,
    bytes: Arc<Vec<u8>>,
    /// How many of them.
    pub length: usize,
}

impl Sending {
    pub fn new(request: Request, bytes: Arc<Vec<u8>>, length: usize) -> Sending {
        Sending { request, bytes, length }
    }
}

impl Drop for Sending {
    fn drop(&mut self) {
        if !self.request.is_done {
            // MPI may still read them.
            std::mem::forget(std::mem::take(&mut self.bytes));
        }
    }
}

/// Bytes that are being received. MPI writes to them until the request is done.
pub struct Receiving {
    pub request: Request,
    pub from: usize,
    pub tag: i32,
    bytes: Vec<u8>,
    pub length: usize,
}

impl Receiving {
    /// # Safety
    /// The request must fill this many bytes of the vector's room, and the vector must have it.
    pub unsafe fn new(
        request: Request,
        from: usize,
        tag: i32,
        bytes: Vec<u8>,
        length: usize,
    ) -> Receiving {
        Receiving { request, from, tag, bytes, length }
    }

    /// What was received; nothing if it is not complete.
    pub fn take(mut self) -> Vec<u8> {
        let mut bytes = std::mem::take(&mut self.bytes);
        if self.request.is_done {
            unsafe { bytes.set_len(self.length) };
            return bytes;
        }
        std::mem::forget(bytes);
        Vec::new()
    }
}

impl Drop for Receiving {
    fn drop(&mut self) {
        if !self.request.is_done {
            // MPI may still write to them.
            std::mem::forget(std::mem::take(&mut self.bytes));
        }
    }
}
