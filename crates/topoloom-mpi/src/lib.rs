//! Takes part in the MPI job that this process was started in, without linking to MPI.
//!
//! The library is loaded while the program runs: the one that belongs to the launcher. One thread,
//! the office, makes all calls of MPI. The rest of the program speaks with it through [`Office`]:
//! messages of bytes between processes, bytes for everybody, and memory that the processes of a
//! node share. A process that has nothing to send or receive uses nearly no CPU time.
//!
//! ```no_run
//! # fn main() -> Result<(), topoloom_mpi::Error> {
//! if let Some(office) = topoloom_mpi::join()? {
//!     let next = (office.rank() + 1) % office.size();
//!     office.send(next, b"hello".to_vec())?;
//!     let message = office.receive()?;
//!     println!("{} bytes from process {}", message.bytes.len(), message.from);
//!     office.finish()?;
//! }
//! # Ok(())
//! # }
//! ```
//!
//! # Who takes part
//!
//! | variable | meaning |
//! | --- | --- |
//! | `TOPOLOOM_MPI=off` | this process takes no part |
//! | `TOPOLOOM_MPI=on` | it takes part, whatever started it inside the job; with the next variable, also under launchers whose variables are unknown |
//! | `TOPOLOOM_MPI_LIBRARY` | the MPI library to load: a path, or a name that the loader knows |
//!
//! Without the first, the variables of the launcher decide, and the processes between the launcher
//! and this one. Every process inside a rank inherits these variables. If an MPI program started
//! this process, it takes no part, because that program is the rank. If a script started it, it is
//! unknown whether all ranks come here and come only once, and [`join`] asks for
//! `TOPOLOOM_MPI`.

// On other systems, `join` returns nothing. Most of this code is unused there.
#![cfg_attr(not(all(target_os = "linux", target_pointer_width = "64")), allow(dead_code))]

mod delivery;
mod envelope;
mod error;
mod inbox;
mod node;
mod office;
mod shared;
mod shared_file;
mod tree;
mod views;

#[cfg(all(target_os = "linux", target_pointer_width = "64"))]
mod linux;
// The shared table of constants asks for this name.
#[cfg(all(target_os = "linux", target_pointer_width = "64"))]
use linux::symbols;

pub use delivery::Message;
pub use error::Error;
pub use node::Node;
pub use office::Office;
pub use views::SharedBytes;

/// Takes part in the MPI job that this process was started in. Nothing if there is no such job, or
/// only one process in it.
///
/// All processes of the job have to call this: it waits for them. After 20 seconds it says on
/// standard error that it is waiting.
///
/// # Errors
/// The launcher's variables speak of several processes, but no MPI library can be loaded, or it is
/// not the launcher's; a script stands between the launcher and this process, and `TOPOLOOM_MPI` is
/// not set; this process has joined before.
pub fn join() -> Result<Option<Office>, Error> {
    #[cfg(all(target_os = "linux", target_pointer_width = "64"))]
    return linux::join();
    #[cfg(not(all(target_os = "linux", target_pointer_width = "64")))]
    Ok(None)
}
