//! The collective calls that events name: which are the same, and how sizes differ.
//!
//! There may be as many calls as events. Only the different ones are kept, with 4 bytes for each
//! call of a communicator, and about 24 more for a call whose members give different sizes.

use std::collections::{BTreeMap, HashMap};

use topoloom_core::traffic::{Collective, Group};

use super::groups::Identity;
use crate::traces::mpi_call::MpiCall;
use crate::traffic::recording::{RecordedCollective, nearest_collectives};

/// What all members know about a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Call {
    pub identity: Identity,
    pub call: MpiCall,
    pub root: Option<u32>,
    pub bytes: u64,
}

impl Call {
    /// Whether such a call is possible.
    pub fn is_possible(&self) -> bool {
        let root = match self.root {
            Some(root) => self.call.is_rooted() && root < self.identity.1,
            None => !self.call.is_rooted(),
        };
        root && (self.bytes == 0 || !self.call.is_irregular())
    }
}

/// Numbers of turns that are kept together: turns increase by one, except in damaged files.
const PAGE: u32 = 64;
const NOBODY: u32 = u32::MAX;

/// All calls, by communicator and turn. Calls that all members make alike share one entry; calls
/// whose sizes differ have one entry each.
#[derive(Default)]
pub struct Calls {
    pages: HashMap<(u32, u32), Box<[u32; PAGE as usize]>>,
    /// The calls that differ in what all members know.
    kinds: Vec<Call>,
    number_of_kind: HashMap<Call, u32>,
    entry_of_kind: HashMap<u32, u32>,
    entries: Vec<Entry>,
}

struct Entry {
    /// The place in `kinds`.
    kind: u32,
    /// A sum over all sizes, which does not depend on their order. It has 128 bits, so two
    /// different calls practically never have the same sum.
    sizes: (u64, u64),
}

impl Calls {
    /// The entry of a turn of a communicator in which a member makes this call. The error has the
    /// call that another member makes.
    pub fn entry(&mut self, communicator: u32, turn: u32, call: Call) -> Result<u32, Call> {
        let page = self.pages.entry((communicator, turn / PAGE));
        let place =
            &mut page.or_insert_with(|| Box::new([NOBODY; PAGE as usize]))[(turn % PAGE) as usize];
        if *place != NOBODY {
            let found = self.kinds[self.entries[*place as usize].kind as usize];
            return if found == call { Ok(*place) } else { Err(found) };
        }
        let next_kind = self.kinds.len() as u32;
        let kind = *self.number_of_kind.entry(call).or_insert(next_kind);
        if kind == next_kind {
            self.kinds.push(call);
        }
        let next = self.entries.len() as u32;
        let entry = match call.call.is_irregular() {
            true => next,
            false => *self.entry_of_kind.entry(kind).or_insert(next),
        };
        if entry == next {
            self.entries.push(Entry { kind, sizes: (0, 0) });
        }
        *place = entry;
        Ok(entry)
    }

    /// Records what one member gives to another.
    pub fn add_size(&mut self, entry: u32, size: (u32, u32, u64)) {
        let sizes = &mut self.entries[entry as usize].sizes;
        let (first, second) = mixed(size);
        *sizes = (sizes.0.wrapping_add(first), sizes.1.wrapping_add(second));
    }

    /// Finds which entries are the same.
    pub fn distinct(&self) -> Distinct {
        let mut known: HashMap<(u32, (u64, u64)), u32> = HashMap::new();
        let mut distinct = Distinct::default();
        for (number, entry) in (0..).zip(&self.entries) {
            let next = distinct.first_entry.len() as u32;
            let found = *known.entry((entry.kind, entry.sizes)).or_insert(next);
            if found == next {
                distinct.first_entry.push(number);
            }
            distinct.of_entry.push(found);
        }
        distinct.sizes.resize(distinct.first_entry.len(), Vec::new());
        distinct
    }

    /// The collectives as a trace has them.
    pub fn collectives(
        &self,
        distinct: &mut Distinct,
        groups: &BTreeMap<Identity, Group>,
    ) -> Vec<Collective> {
        let mut all = Vec::with_capacity(distinct.first_entry.len());
        for (&entry, sizes) in distinct.first_entry.iter().zip(&mut distinct.sizes) {
            let call = self.kinds[self.entries[entry as usize].kind as usize];
            sizes.sort_unstable();
            let sizes = std::mem::take(sizes).into_iter();
            all.push(RecordedCollective {
                call: call.call,
                group: groups[&call.identity].clone(),
                root: call.root,
                calls: 1,
                bytes: call.bytes,
                sizes: sizes.map(|(from, to, bytes)| (from, to, bytes as f64)).collect(),
            });
        }
        nearest_collectives(&all)
    }
}

/// Which entries are the same collective.
#[derive(Default)]
pub struct Distinct {
    /// The collective of each entry.
    of_entry: Vec<u32>,
    /// The entry that a collective was first seen as.
    first_entry: Vec<u32>,
    /// From member, to member, bytes, for collectives that have sizes.
    sizes: Vec<Vec<(u32, u32, u64)>>,
}

impl Distinct {
    /// The number of an entry's collective.
    pub fn number(&self, entry: u32) -> u32 {
        self.of_entry[entry as usize]
    }

    /// Whether any collective has sizes that must still be read.
    pub fn needs_sizes(&self, calls: &Calls) -> bool {
        let is_irregular = |&entry: &u32| {
            calls.kinds[calls.entries[entry as usize].kind as usize].call.is_irregular()
        };
        self.first_entry.iter().any(is_irregular)
    }

    /// Keeps a size, if it belongs to the entry that stands for all equal ones.
    pub fn keep_size(&mut self, entry: u32, size: (u32, u32, u64)) {
        let number = self.number(entry) as usize;
        if self.first_entry[number] == entry {
            self.sizes[number].push(size);
        }
    }
}

/// Two numbers for a size, mixed to share no pattern with those of other sizes.
fn mixed((from, to, bytes): (u32, u32, u64)) -> (u64, u64) {
    let pair = u64::from(from) << 32 | u64::from(to);
    let turn = |number: u64| {
        // The finaliser of SplitMix64.
        let number = (number ^ number >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let number = (number ^ number >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        number ^ number >> 31
    };
    let first = turn(turn(pair.wrapping_add(0x9e37_79b9_7f4a_7c15)) ^ bytes);
    let second = turn(turn(bytes.wrapping_add(0xd1b5_4a32_d192_ed03)) ^ pair);
    (first, second)
}
