//! Other ranks for a process topology: asked for by the first rank of its communicator.

use crate::layout::run::{CALL, END, FIRST_LINE, RANKS};
use crate::library::{self, Family, Library, asked};
use crate::order::{STOP, answered, as_bytes, has_strangers, seat, stop};
use crate::settings::{Settings, settings};
use crate::world::library;

/// A communicator whose ranks are about to become those of a process topology.
pub struct Asking {
    settings: &'static Settings,
    pub library: &'static Library,
    comm: usize,
    pub rank: i32,
    size: usize,
}

/// The same processes in another order.
pub struct Reordered {
    pub library: &'static Library,
    /// To be freed by [`Reordered::free`].
    pub comm: usize,
    /// The new rank of each old one.
    pub new_rank: Vec<i32>,
    /// The old rank of this process.
    pub rank: i32,
}

impl Asking {
    /// A communicator whose topology may be reordered. The program asks for it by an argument.
    pub fn new(comm: usize, reorder: usize) -> Option<Asking> {
        let settings = settings().filter(|settings| settings.reorder && reorder as i32 != 0)?;
        let library = library()?;
        let comm = library.handle(comm);
        if comm == library.comm_null || has_strangers() {
            return None;
        }
        let is_inter = asked(|flag| unsafe { library::comm_test_inter(comm, flag) })?;
        let rank = asked(|rank| unsafe { library::comm_rank(comm, rank) })?;
        let size = asked(|size| unsafe { library::comm_size(comm, size) })? as usize;
        if is_inter != 0 || size < 2 || !is_of_one_job(library, comm, size) {
            return None;
        }
        Some(Asking { settings, library, comm, rank, size })
    }

    /// Asks with what this rank knows about neighbours, and makes the new communicator. Nothing if
    /// the order stays as it is.
    pub fn ask(&self, call: &str, neighbours: &str) -> Option<Reordered> {
        let own = seat(self.library, self.rank) + neighbours;
        let all = self.gathered(own.as_bytes())?;
        let mut answer = match self.rank {
            0 => {
                let lines = String::from_utf8_lossy(&all);
                let size = self.size;
                let question =
                    format!("{FIRST_LINE}\n{CALL} {call}\n{RANKS} {size}\n{lines}{END}\n");
                answered(self.settings, &question, size)
            }
            _ => vec![0; self.size],
        };
        let bytes = as_bytes(&mut answer);
        let (data, length) = (bytes.as_mut_ptr() as usize, bytes.len());
        unsafe { library::bcast(data, length, self.library.byte, 0, self.comm) };
        match answer.first() {
            Some(&STOP) => stop(self.comm),
            Some(&first) if first >= 0 => {}
            _ => return None,
        }
        let mut comm = 0_usize;
        let key = answer[self.rank as usize] as usize;
        let made = unsafe { library::comm_split(self.comm, 0, key, &raw mut comm as usize) };
        let comm = self.library.handle(comm);
        (made == Some(0) && comm != self.library.comm_null).then_some(Reordered {
            library: self.library,
            comm,
            new_rank: answer,
            rank: self.rank,
        })
    }

    /// What all ranks know, in their order, on the first rank. Nothing on all ranks if it is too much.
    fn gathered(&self, own: &[u8]) -> Option<Vec<u8>> {
        let library = self.library;
        let (length, bytes) = (own.len() as i32, size_of::<i32>());
        let mut counts = vec![0_i32; self.size];
        let (sent, counted) = (&raw const length as usize, counts.as_mut_ptr() as usize);
        let byte = library.byte;
        unsafe { library::gather(sent, bytes, byte, counted, bytes, byte, 0, self.comm)? };
        let total: i64 = counts.iter().map(|&count| i64::from(count)).sum();
        // All must know whether so much can be gathered at once.
        let mut fits = u8::from(i32::try_from(total).is_ok());
        unsafe { library::bcast(&raw mut fits as usize, 1, byte, 0, self.comm)? };
        if fits == 0 {
            return None;
        }
        let mut displacements = Vec::with_capacity(self.size);
        let mut next = 0_i32;
        for &count in &counts {
            displacements.push(next);
            next += count;
        }
        let total = if self.rank == 0 { total } else { 0 };
        let mut all = vec![0_u8; total as usize];
        let (counted, placed) = (counts.as_ptr() as usize, displacements.as_ptr() as usize);
        let (sent, received) = (own.as_ptr() as usize, all.as_mut_ptr() as usize);
        unsafe {
            library::gatherv(sent, own.len(), byte, received, counted, placed, byte, 0, self.comm)?
        };
        Some(all)
    }
}

/// Whether all members are processes of this job. Each member finds the same: in a communicator
/// with processes that were spawned, or of another job, every member sees strangers.
fn is_of_one_job(library: &Library, comm: usize, size: usize) -> bool {
    if library.family == Family::SimGrid {
        return true;
    }
    // Without MPI_Init there is no world to compare with.
    if asked(|flag| unsafe { library::initialized(flag) }) != Some(1) {
        return false;
    }
    let (mut group, mut all) = (0_usize, 0_usize);
    let (to_group, to_all) = (&raw mut group as usize, &raw mut all as usize);
    let ranks: Vec<i32> = (0..size as i32).collect();
    let mut found = vec![-1_i32; size];
    unsafe {
        library::comm_group(comm, to_group);
        library::comm_group(library.world, to_all);
        let (own, others) = (ranks.as_ptr() as usize, found.as_mut_ptr() as usize);
        library::group_translate(group, size, own, all, others);
        library::group_free(to_group);
        library::group_free(to_all);
    }
    found.iter().all(|&rank| rank >= 0)
}

impl Reordered {
    /// The new rank of this process.
    pub fn own_new_rank(&self) -> i32 {
        self.new_rank[self.rank as usize]
    }

    pub fn free(mut self) {
        unsafe { library::comm_free(&raw mut self.comm as usize) };
    }
}
