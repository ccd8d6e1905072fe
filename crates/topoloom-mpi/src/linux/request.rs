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

/// Bytes that are being received, in one or several pieces. MPI writes to them until all requests
/// are done.
pub struct Receiving {
    requests: Vec<Request>,
    bytes: Vec<u8>,
    /// How many bytes there will be.
    pub length: usize,
}

impl Receiving {
    /// # Safety
    /// The vector must have room for this many bytes. Those that no request writes must have a value.
    pub unsafe fn new(bytes: Vec<u8>, length: usize) -> Receiving {
        Receiving { requests: Vec::new(), bytes, length }
    }

    /// Where MPI may write.
    pub fn address(&mut self) -> usize {
        self.bytes.as_mut_ptr() as usize
    }

    /// Adds a request that writes to a part of the bytes.
    pub fn add(&mut self, request: Request) {
        self.requests.push(request);
    }

    /// Whether all of it is here.
    pub fn test(&mut self, status_ignore: usize) -> Result<bool, Error> {
        for request in &mut self.requests {
            if !request.test(status_ignore)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// What was received; nothing if it is not complete, or was taken before.
    pub fn take(&mut self) -> Vec<u8> {
        if !self.is_done() || self.bytes.capacity() < self.length {
            return Vec::new();
        }
        let mut bytes = std::mem::take(&mut self.bytes);
        unsafe { bytes.set_len(self.length) };
        bytes
    }

    fn is_done(&self) -> bool {
        self.requests.iter().all(|request| request.is_done)
    }
}

impl Drop for Receiving {
    fn drop(&mut self) {
        if !self.is_done() {
            // MPI may still write to them.
            std::mem::forget(std::mem::take(&mut self.bytes));
        }
    }
}
