//! What is free over time: a number of nodes, or a set of them.

use crate::job::Ticks;
use crate::node_set::NodeSet;
use crate::partition::Partition;
use crate::room::Room;

/// What is free at a time, in as much detail as needed.
pub(super) trait Level: Clone {
    /// The share that a job takes.
    type Share: Clone + std::fmt::Debug + Send;

    /// How many nodes are free.
    fn len(&self) -> u32;
    /// What is free now.
    fn now(room: &Room<'_>) -> Self;
    /// The share that a running job gives back.
    fn share_of(partition: &Partition) -> Self::Share;
    /// The share that a waiting job would take.
    fn find(&self, room: &mut Room<'_>, job: usize) -> Option<Self::Share>;
    /// The partition on which a job with its share starts now.
    fn partition(share: &Self::Share, room: &mut Room<'_>, job: usize) -> Option<Partition>;
    fn give(&mut self, share: &Self::Share);
    fn take(&mut self, share: &Self::Share);
    /// Keeps what is also free in `other`.
    fn meet(&mut self, other: &Self);
}

/// Any nodes will do: their number counts.
impl Level for u32 {
    type Share = u32;

    fn len(&self) -> u32 {
        *self
    }

    fn now(room: &Room<'_>) -> u32 {
        room.free.len()
    }

    fn share_of(partition: &Partition) -> u32 {
        partition.nodes.len() as u32
    }

    fn find(&self, room: &mut Room<'_>, job: usize) -> Option<u32> {
        let nodes = room.nodes_of(job);
        (nodes <= *self).then_some(nodes)
    }

    fn partition(_: &u32, room: &mut Room<'_>, job: usize) -> Option<Partition> {
        room.find(job)
    }

    fn give(&mut self, share: &u32) {
        *self += share;
    }

    fn take(&mut self, share: &u32) {
        *self -= share;
    }

    fn meet(&mut self, other: &u32) {
        *self = (*self).min(*other);
    }
}

/// It matters which nodes.
impl Level for NodeSet {
    type Share = Partition;

    fn len(&self) -> u32 {
        NodeSet::len(self)
    }

    fn now(room: &Room<'_>) -> NodeSet {
        room.free.clone()
    }

    fn share_of(partition: &Partition) -> Partition {
        partition.clone()
    }

    fn find(&self, room: &mut Room<'_>, job: usize) -> Option<Partition> {
        room.find_in(job, self)
    }

    fn partition(share: &Partition, room: &mut Room<'_>, _: usize) -> Option<Partition> {
        share.nodes.iter().all(|&node| room.free.contains(node)).then(|| share.clone())
    }

    fn give(&mut self, share: &Partition) {
        self.insert_all(&share.nodes);
    }

    fn take(&mut self, share: &Partition) {
        self.remove_all(&share.nodes);
    }

    fn meet(&mut self, other: &NodeSet) {
        self.intersect(other);
    }
}

/// What is free over time, from now on without an end.
#[derive(Debug)]
pub(super) struct Profile<L> {
    /// Each level holds until the next begins, the last one forever.
    steps: Vec<(Ticks, L)>,
}

impl<L: Level> Profile<L> {
    /// The profile that the running jobs leave.
    pub(super) fn new(room: &Room<'_>) -> Profile<L> {
        let mut ends: Vec<(Ticks, usize)> =
            room.running.iter().enumerate().map(|(at, job)| (job.expected_end, at)).collect();
        ends.sort_unstable();
        let mut level = L::now(room);
        let mut steps = vec![(room.now, level.clone())];
        for same_time in ends.chunk_by(|a, b| a.0 == b.0) {
            for &(_, at) in same_time {
                level.give(&L::share_of(&room.running[at].partition));
            }
            steps.push((same_time[0].0, level.clone()));
        }
        Profile { steps }
    }

    /// The earliest time at which a job finds its share for `duration`.
    pub(super) fn earliest(
        &self,
        room: &mut Room<'_>,
        job: usize,
        duration: Ticks,
    ) -> Option<(Ticks, L::Share)> {
        'starts: for (at, (start, level)) in self.steps.iter().enumerate() {
            if level.len() < room.nodes_of(job) {
                continue;
            }
            let mut throughout = level.clone();
            let end = start + duration;
            for (_, later) in self.steps[at + 1..].iter().take_while(|(begin, _)| *begin < end) {
                throughout.meet(later);
                if throughout.len() < room.nodes_of(job) {
                    continue 'starts;
                }
            }
            if let Some(share) = throughout.find(room, job) {
                return Some((*start, share));
            }
        }
        None
    }

    /// Takes a share from `start` to `end`.
    pub(super) fn take(&mut self, start: Ticks, end: Ticks, share: &L::Share) {
        self.between(start, end).for_each(|level| level.take(share));
    }

    /// Gives back what was taken.
    pub(super) fn give(&mut self, start: Ticks, end: Ticks, share: &L::Share) {
        self.between(start, end).for_each(|level| level.give(share));
    }

    /// The levels from `start` to `end`, with steps made at both.
    fn between(&mut self, start: Ticks, end: Ticks) -> impl Iterator<Item = &mut L> {
        let (first, last) = match start < end {
            true => (self.split(start), self.split(end)),
            false => (0, 0),
        };
        self.steps[first..last].iter_mut().map(|(_, level)| level)
    }

    fn split(&mut self, time: Ticks) -> usize {
        match self.steps.binary_search_by_key(&time, |(begin, _)| *begin) {
            Ok(at) => at,
            Err(at) => {
                debug_assert!(at > 0, "nothing is planned for the past");
                let level = self.steps[at - 1].1.clone();
                self.steps.insert(at, (time, level));
                at
            }
        }
    }
}
