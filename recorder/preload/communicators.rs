//! Which process a rank of a communicator or a window stands for.

use std::sync::Arc;

use crate::layout::event::{NO_COMMUNICATOR, NO_PEER};
use crate::layout::{header, record};
use crate::library::{self, asked};
use crate::neighbours::{Neighbours, ask_for_neighbours};
use crate::recorder::{Recorder, library};

/// A communicator, or the processes of a window.
pub struct Comm {
    /// The handle, for questions to the library.
    pub handle: usize,
    pub is_alive: bool,
    pub is_inter: bool,
    pub size: u32,
    /// This process's own number in it.
    pub rank: u32,
    /// The number of the record of its members.
    pub group: u32,
    /// Its number among the communicators of events.
    pub number: u32,
    /// How many collectives of it were begun, with events.
    pub calls: u32,
    members: Members,
    neighbours: Option<Arc<Neighbours>>,
}

/// How ranks are translated to those of the world.
enum Members {
    Strided {
        first: u32,
        stride: u32,
    },
    /// By asking about this group of the library, once for each partner.
    Group(usize),
    /// The communicator was freed, and its members are no longer known.
    Gone,
}

impl Recorder {
    /// The communicator with this handle.
    #[inline]
    pub fn comm(&mut self, handle: usize) -> u32 {
        if self.last_comm.0 == handle {
            return self.last_comm.1;
        }
        let comm = match self.comm_of.get(&handle) {
            Some(&comm) => comm,
            None => self.new_comm(handle),
        };
        self.last_comm = (handle, comm);
        comm
    }

    #[cold]
    fn new_comm(&mut self, handle: usize) -> u32 {
        let inter = asked(|flag| unsafe { library::comm_test_inter(handle, flag) }) == Some(1);
        let mut group = 0_usize;
        let address = &raw mut group as usize;
        unsafe {
            if inter {
                library::comm_remote_group(handle, address)
            } else {
                library::comm_group(handle, address)
            }
        };
        let rank = asked(|rank| unsafe { library::comm_rank(handle, rank) }).unwrap_or(0);
        let comm = self.add_comm(handle, group, rank as u32, inter);
        self.comm_of.insert(handle, comm);
        comm
    }

    /// The processes of the window with this handle.
    pub fn window(&mut self, handle: usize) -> u32 {
        if let Some(&comm) = self.window_of.get(&handle) {
            return comm;
        }
        let mut group = 0_usize;
        unsafe { library::win_get_group(handle, &raw mut group as usize) };
        let comm = self.add_comm(handle, group, u32::MAX, false);
        self.window_of.insert(handle, comm);
        comm
    }

    fn add_comm(&mut self, handle: usize, group: usize, rank: u32, is_inter: bool) -> u32 {
        let mut group = library().handle(group);
        let ranks = self.world_ranks(group);
        let strided = as_stride(&ranks);
        let is_communicator = rank != u32::MAX && !is_inter;
        let (record, which) =
            if is_communicator { self.group(&ranks, strided, rank) } else { (0, 0) };
        let mut number = NO_COMMUNICATOR;
        if is_communicator && self.log.is_some() && self.numbered.len() < NO_COMMUNICATOR as usize {
            self.append([record::COMMUNICATOR, u64::from(record), u64::from(which), 0]);
            number = self.numbered.len() as u32;
            self.numbered.push(self.comms.len() as u32);
        }
        let members = match strided {
            Some((first, stride)) => {
                unsafe { library::group_free(&raw mut group as usize) };
                Members::Strided { first, stride }
            }
            None => Members::Group(group),
        };
        self.comms.push(Comm {
            handle,
            is_alive: true,
            is_inter,
            size: ranks.len() as u32,
            rank,
            group: record,
            number,
            calls: 0,
            members,
            neighbours: None,
        });
        self.comms.len() as u32 - 1
    }

    /// The members of a group of the library by their ranks in the world.
    fn world_ranks(&self, group: usize) -> Vec<u32> {
        let size = asked(|size| unsafe { library::group_size(group, size) }).unwrap_or(0);
        let ranks: Vec<i32> = (0..size).collect();
        self.translated(group, &ranks)
    }

    fn translated(&self, group: usize, ranks: &[i32]) -> Vec<u32> {
        let mut translated = vec![-1_i32; ranks.len()];
        unsafe {
            library::group_translate(
                group,
                ranks.len(),
                ranks.as_ptr() as usize,
                self.world_group,
                translated.as_mut_ptr() as usize,
            )
        };
        let known = |&rank: &i32| if rank < 0 { NO_PEER } else { rank as u32 };
        translated.iter().map(known).collect()
    }

    /// The record of these members, and how many communicators had them before. The first member
    /// writes down the other members, for all of them.
    fn group(&mut self, ranks: &[u32], strided: Option<(u32, u32)>, rank: u32) -> (u32, u32) {
        let identity = identity(ranks);
        if let Some((record, communicators)) = self.groups.get_mut(&identity) {
            *communicators += 1;
            return (*record, *communicators - 1);
        }
        let (how, where_) = match strided {
            Some((first, stride)) => (record::STRIDED, u64::from(first) | u64::from(stride) << 32),
            None if rank == 0 => (record::LISTED, 0),
            None => (0, 0),
        };
        let first = record::GROUP | how << 8 | u64::from(rank) << 32;
        let number = self.append([first, identity, ranks.len() as u64, where_]);
        if how == record::LISTED {
            for eight in ranks.chunks(8) {
                let mut words = [0_u64; 4];
                for (place, &rank) in eight.iter().enumerate() {
                    words[place / 2] |= u64::from(rank) << (32 * (place % 2));
                }
                self.append(words);
            }
        }
        self.groups.insert(identity, (number, 1));
        (number, 0)
    }

    /// The rank in the world of a rank of a communicator.
    pub fn peer(&mut self, comm: u32, rank: i32) -> u32 {
        let of = &self.comms[comm as usize];
        if rank < 0 || rank as u32 >= of.size {
            return NO_PEER;
        }
        let group = match of.members {
            Members::Strided { first, stride } => return first + stride * rank as u32,
            Members::Group(group) => group,
            Members::Gone => return NO_PEER,
        };
        let key = u64::from(comm) << 32 | u64::from(rank as u32);
        if let Some(&peer) = self.peers.get(&key) {
            return peer;
        }
        let peer = self.translated(group, &[rank])[0];
        self.peers.insert(key, peer);
        peer
    }

    /// The neighbours in the process topology of a communicator.
    pub fn neighbours(&mut self, comm: u32) -> Arc<Neighbours> {
        let of = &mut self.comms[comm as usize];
        let handle = of.handle;
        of.neighbours.get_or_insert_with(|| Arc::new(ask_for_neighbours(library(), handle))).clone()
    }

    /// Forgets a communicator: its handle may be reused for another one.
    pub fn free_comm(&mut self, handle: usize) {
        if let Some(comm) = self.comm_of.remove(&handle) {
            self.forget(comm);
        }
    }

    /// Forgets a window.
    pub fn free_window(&mut self, handle: usize) {
        if let Some(comm) = self.window_of.remove(&handle) {
            self.forget(comm);
        }
    }

    fn forget(&mut self, comm: u32) {
        self.last_comm = (usize::MAX, 0);
        self.last_pair = (usize::MAX, 0, 0);
        self.forget_partners();
        let of = &mut self.comms[comm as usize];
        of.is_alive = false;
        of.neighbours = None;
        // Operations that were begun on it may still have to say whom a message came from.
        self.retired.push_back(comm);
        if self.log.is_none() || self.retired.len() > RETIRED_KEPT {
            self.let_members_go();
        }
        // Programs that keep making communicators must not make the tables grow without end.
        self.freed += 1;
        if self.freed.is_multiple_of(256) {
            let comms = &self.comms;
            let is_alive = |comm: u64| comms.get(comm as usize).is_some_and(|of| of.is_alive);
            self.pairs.retain(|&key, _| is_alive(key >> PAIR_COMM_SHIFT));
            self.peers.retain(|&key, _| is_alive(key >> 32));
        }
    }

    /// Forgets the members of the communicator that was freed longest ago.
    fn let_members_go(&mut self) {
        let Some(comm) = self.retired.pop_front() else { return };
        let members = std::mem::replace(&mut self.comms[comm as usize].members, Members::Gone);
        if let Members::Group(mut group) = members {
            unsafe { library::group_free(&raw mut group as usize) };
        }
    }

    /// Counts something that cannot be expressed in ranks of the world.
    pub fn count_outside(&mut self) {
        *self.totals.number(header::OUTSIDE) += 1;
    }
}

/// With events, this many freed communicators are remembered.
const RETIRED_KEPT: usize = 256;

/// The position of the communicator in the keys of pairs.
pub const PAIR_COMM_SHIFT: u32 = 36;

/// The first rank and the step, if ranks rise by the same step.
fn as_stride(ranks: &[u32]) -> Option<(u32, u32)> {
    let &first = ranks.first()?;
    let stride = match ranks.get(1) {
        Some(second) => second.checked_sub(first)?,
        None => 1,
    };
    let rises = |pair: &[u32]| pair[1].checked_sub(pair[0]) == Some(stride);
    let known = first != NO_PEER && ranks.last() != Some(&NO_PEER);
    (known && stride > 0 && ranks.windows(2).all(rises)).then_some((first, stride))
}

/// A number that differs for different members, or for another order of them.
fn identity(ranks: &[u32]) -> u64 {
    let mut identity = ranks.len() as u64;
    for &rank in ranks {
        identity = (identity.rotate_left(23) ^ u64::from(rank)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        identity ^= identity >> 29;
    }
    identity
}
