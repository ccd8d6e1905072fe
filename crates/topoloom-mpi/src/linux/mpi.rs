//! The functions of MPI that are needed here, for the one thread that calls them.

use std::marker::PhantomData;
use std::ops::Range;
use std::sync::Arc;

use super::library::{self, Family, Library, asked};
use super::request::{Receiving, Request, Sending, checked};
use crate::envelope::{LONGEST_ENVELOPE, pieces};
use crate::error::Error;

/// MPI after it was started. It stays in the thread that started it.
pub struct Mpi {
    library: Library,
    pub rank: usize,
    pub size: usize,
    stays_here: PhantomData<*const ()>,
}

/// What a piece of a message is.
#[derive(Clone, Copy)]
pub enum Tag {
    Envelope = 1,
    Piece = 2,
}

impl Mpi {
    /// Starts MPI, and waits for the other processes. `file` is the library that was loaded.
    pub fn start(file: &str) -> Result<Mpi, Error> {
        let library = Library::loaded().filter(|library| library.family != Family::SimGrid);
        let library = library.ok_or_else(|| Error::NotMpi { file: file.to_string() })?;
        let mut provided = 0_i32;
        let (required, place) = (library.thread_funneled as usize, &raw mut provided as usize);
        checked("MPI_Init_thread", unsafe { library::init_thread(0, 0, required, place) })?;
        if provided < library.thread_funneled {
            unsafe { library::finalize() };
            return Err(Error::NoThreads { file: file.to_string() });
        }
        let number = |function, answer: Option<i32>| {
            let number = answer.ok_or(Error::NoFunction { function })?;
            Ok::<usize, Error>(usize::try_from(number).unwrap_or(0))
        };
        let rank = asked(|rank| unsafe { library::comm_rank(library.world, rank) });
        let size = asked(|size| unsafe { library::comm_size(library.world, size) });
        let (rank, size) = (number("MPI_Comm_rank", rank)?, number("MPI_Comm_size", size)?);
        Ok(Mpi { library, rank, size, stays_here: PhantomData })
    }

    /// The lowest rank on the node of each process. All processes have to call this.
    pub fn first_of_nodes(&self) -> Result<Vec<usize>, Error> {
        let library = &self.library;
        let (kind, key) = (library.comm_type_shared as usize, self.rank);
        let mut node = 0_usize;
        let place = &raw mut node as usize;
        checked("MPI_Comm_split_type", unsafe {
            library::comm_split_type(library.world, kind, key, library.info_null, place)
        })?;
        let comm = library.handle(node);
        let size = asked(|size| unsafe { library::comm_size(comm, size) });
        let size = size.ok_or(Error::NoFunction { function: "MPI_Comm_size" })?;
        let members = self.all_gather(comm, size.max(1) as usize, self.rank)?;
        checked("MPI_Comm_free", unsafe { library::comm_free(place) })?;
        let first = members.into_iter().min().unwrap_or(self.rank);
        self.all_gather(library.world, self.size, first)
    }

    /// One number of each process of a communicator of this size.
    fn all_gather(&self, comm: usize, size: usize, number: usize) -> Result<Vec<usize>, Error> {
        const WIDTH: usize = size_of::<u64>();
        let own = number as u64;
        let mut all = vec![0_u64; size];
        let (sent, received, byte) = (&raw const own, all.as_mut_ptr(), self.library.byte);
        checked("MPI_Allgather", unsafe {
            library::allgather(sent as usize, WIDTH, byte, received as usize, WIDTH, byte, comm)
        })?;
        Ok(all.into_iter().map(|number| number as usize).collect())
    }

    /// Begins to send a part of some bytes. It is complete when the other side has begun to receive
    /// it: after that and a barrier, nothing is on its way any more.
    pub fn send(
        &self,
        to: usize,
        tag: Tag,
        bytes: Arc<Vec<u8>>,
        part: Range<usize>,
    ) -> Result<Sending, Error> {
        let (data, length) = (bytes[part.clone()].as_ptr() as usize, part.len());
        let Library { byte, world, .. } = self.library;
        let request = Request::begun("MPI_Issend", |request| unsafe {
            library::issend(data, length, byte, to, tag as usize, world, request)
        })?;
        Ok(Sending::new(request, bytes, length))
    }

    /// The sender of an envelope that can be received, if there is one.
    pub fn sender_of_envelope(&self) -> Result<Option<usize>, Error> {
        let Library { world, any_source, .. } = self.library;
        // Longer than the status of any library, and aligned for all of them.
        let mut status = [0_u64; 16];
        let (mut flag, status) = (0_i32, status.as_mut_ptr() as usize);
        let (tag, place) = (Tag::Envelope as usize, &raw mut flag as usize);
        checked("MPI_Iprobe", unsafe {
            library::iprobe(any_source as usize, tag, world, place, status)
        })?;
        let (from, _) = unsafe { self.library.source_and_tag(status, 0) };
        Ok((flag != 0).then_some(usize::try_from(from).unwrap_or(0)))
    }

    /// Begins to receive an envelope.
    pub fn receive_envelope(&self, from: usize) -> Result<Receiving, Error> {
        // All bytes have a value: most envelopes are shorter.
        let bytes = vec![0_u8; LONGEST_ENVELOPE];
        let mut receiving = unsafe { Receiving::new(bytes, LONGEST_ENVELOPE) };
        self.receive(from, Tag::Envelope, &mut receiving, 0..LONGEST_ENVELOPE)?;
        Ok(receiving)
    }

    /// Begins to receive the pieces of a message of this length.
    pub fn receive_pieces(&self, from: usize, length: usize) -> Result<Receiving, Error> {
        // The pieces cover all of it, and the sender cuts it in the same way.
        let mut receiving = unsafe { Receiving::new(Vec::with_capacity(length), length) };
        for piece in pieces(length) {
            self.receive(from, Tag::Piece, &mut receiving, piece)?;
        }
        Ok(receiving)
    }

    fn receive(
        &self,
        from: usize,
        tag: Tag,
        receiving: &mut Receiving,
        part: Range<usize>,
    ) -> Result<(), Error> {
        let Library { byte, world, .. } = self.library;
        let (data, length) = (receiving.address() + part.start, part.len());
        receiving.add(Request::begun("MPI_Irecv", |request| unsafe {
            library::irecv(data, length, byte, from, tag as usize, world, request)
        })?);
        Ok(())
    }

    /// Begins to wait until all processes have begun to.
    pub fn barrier(&self) -> Result<Request, Error> {
        Request::begun("MPI_Ibarrier", |request| unsafe {
            library::ibarrier(self.library.world, request)
        })
    }

    /// Whether something that was begun is complete.
    pub fn test(&self, request: &mut Request) -> Result<bool, Error> {
        request.test(self.library.status_ignore)
    }

    /// Whether everything was received.
    pub fn has_received(&self, receiving: &mut Receiving) -> Result<bool, Error> {
        receiving.test(self.library.status_ignore)
    }

    /// Ends MPI in this process. All processes have to call this.
    pub fn finalize(&self) -> Result<(), Error> {
        checked("MPI_Finalize", unsafe { library::finalize() })
    }

    /// Ends all processes of the job.
    pub fn abort(&self, code: i32) {
        unsafe { library::abort(self.library.world, code as usize) };
    }
}
