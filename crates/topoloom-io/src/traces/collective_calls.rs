//! Collectives assembled from what each member says about its call.

use std::collections::HashMap;
use std::sync::Arc;

use crate::text::fault::Fault;
use topoloom_core::traffic::{Collective, Group, Operation};
use topoloom_core::words::counted;

/// A collective operation of MPI.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Kind {
    Barrier,
    Bcast,
    Reduce,
    Allreduce,
    Scan,
    Exscan,
    Alltoall,
    Alltoallv,
    Gather,
    Gatherv,
    Scatter,
    Scatterv,
    Allgather,
    Allgatherv,
    ReduceScatter,
    ReduceScatterBlock,
}

impl Kind {
    fn operation(self) -> Operation {
        match self {
            Kind::Barrier => Operation::Barrier,
            Kind::Bcast => Operation::Broadcast,
            Kind::Reduce => Operation::Reduce,
            Kind::Allreduce | Kind::Scan | Kind::Exscan => Operation::Allreduce,
            Kind::Alltoall | Kind::Alltoallv => Operation::AllToAll,
            Kind::Gather | Kind::Gatherv => Operation::Gather,
            Kind::Scatter | Kind::Scatterv => Operation::Scatter,
            Kind::Allgather | Kind::Allgatherv => Operation::Allgather,
            Kind::ReduceScatter | Kind::ReduceScatterBlock => Operation::ReduceScatter,
        }
    }

    /// Whether members may have their own sizes. Their mean counts.
    fn varies(self) -> bool {
        matches!(self, Kind::Gatherv | Kind::Scatterv | Kind::Allgatherv | Kind::ReduceScatter)
    }
}

/// What a member says about its call.
#[derive(Debug, Clone)]
pub(crate) struct Joining {
    pub kind: Kind,
    /// The place of the root among the members; 0 if there is none.
    pub root: u32,
    /// Bytes as [`Collective::bytes`] counts them, of this member.
    pub bytes: u64,
    /// For an all-to-all with its own sizes, the bytes for each member.
    pub row: Vec<u64>,
}

struct Call {
    communicator: u32,
    kind: Kind,
    root: u32,
    most: u64,
    sum: u64,
    joined: u32,
    /// By place.
    rows: Vec<(u32, Vec<u64>)>,
}

/// What makes two calls the same collective: communicator, operation, root, bytes and the rows of
/// an all-to-all with its own sizes.
type Key = (u32, Kind, u32, u64, Vec<Vec<u64>>);

/// All calls. Members of a communicator call its collectives in the same order, so the n-th call of
/// one member is the n-th of the others.
#[derive(Default)]
pub(crate) struct CollectiveCalls {
    calls: Vec<Call>,
    /// By communicator, its calls in order.
    of: HashMap<u32, Vec<u32>>,
    /// How many collectives of a communicator a rank has called.
    joined: HashMap<(u32, u32), usize>,
}

impl CollectiveCalls {
    /// A rank, which is the member at `place`, takes part in its next call of a communicator: the
    /// number of the call, or none if it is alone.
    pub fn join(
        &mut self,
        communicator: u32,
        members: &[u32],
        place: u32,
        joining: Joining,
    ) -> Result<Option<u32>, Fault> {
        let Joining { kind, root, bytes, row } = joining;
        let size = members.len();
        if root as usize >= size {
            return Err(Fault::OutOfRange(format!(
                "there is no root {root}, only 0 to {}",
                size - 1
            )));
        }
        if kind == Kind::Alltoallv && row.len() != size {
            return Err(Fault::expected(
                format!("sizes for {size}", size = counted(size, "member")),
                row.len(),
            ));
        }
        if size == 1 {
            return Ok(None);
        }
        let so_far = self.joined.entry((members[place as usize], communicator)).or_default();
        let of = self.of.entry(communicator).or_default();
        if *so_far == of.len() {
            of.push(
                u32::try_from(self.calls.len())
                    .map_err(|_| Fault::TooLarge("too many collectives".into()))?,
            );
            let rows = Vec::new();
            self.calls.push(Call { communicator, kind, root, most: 0, sum: 0, joined: 0, rows });
        }
        let number = of[*so_far];
        let call = &mut self.calls[number as usize];
        if (call.kind, call.root) != (kind, root) {
            return Err(Fault::Contradiction(format!(
                "collective {so_far} is {kind:?} of root {root} here and {:?} of root {} on another \
                 rank",
                call.kind, call.root
            )));
        }
        *so_far += 1;
        call.joined += 1;
        call.most = call.most.max(bytes);
        call.sum = call.sum.saturating_add(bytes);
        if kind == Kind::Alltoallv {
            call.rows.push((place, row));
        }
        Ok(Some(number))
    }

    /// How many members each call has, by number.
    pub fn sizes(&self, members_of: impl Fn(u32) -> usize) -> Vec<usize> {
        self.calls.iter().map(|call| members_of(call.communicator)).collect()
    }

    /// The collectives, equal ones once, and for each call the number of its collective.
    pub fn finish(
        self,
        members_of: impl Fn(u32) -> Arc<[u32]>,
    ) -> Result<(Vec<Collective>, Vec<u32>), Fault> {
        let mut collectives = Vec::new();
        let mut known: HashMap<Key, u32> = HashMap::new();
        let mut numbers = Vec::with_capacity(self.calls.len());
        for mut call in self.calls {
            let members = members_of(call.communicator);
            let size = members.len();
            if call.joined as usize != size {
                return Err(Fault::Contradiction(format!(
                    "only {} of {size} take part in a {:?}",
                    call.joined,
                    call.kind,
                    size = counted(size, "member")
                )));
            }
            call.rows.sort_unstable_by_key(|&(place, _)| place);
            let rows: Vec<Vec<u64>> = call.rows.into_iter().map(|(_, row)| row).collect();
            let bytes = match call.kind {
                Kind::Alltoallv => 0,
                kind if kind.varies() => rounded_mean(call.sum, size as u64),
                _ => call.most,
            };
            let key = (call.communicator, call.kind, call.root, bytes, rows);
            if let Some(&number) = known.get(&key) {
                numbers.push(number);
                continue;
            }
            let operation = match call.kind {
                Kind::Alltoallv => {
                    let sizes = key.4.iter().flatten().map(|&bytes| bytes as f64);
                    Operation::all_to_all_of(sizes.collect::<Vec<f64>>())
                }
                kind => kind.operation(),
            };
            let group = Group::of_members(members.clone()).from_root(call.root);
            let number = collectives.len() as u32;
            collectives.push(Collective { operation, group, calls: 1, bytes });
            known.insert(key, number);
            numbers.push(number);
        }
        Ok((collectives, numbers))
    }
}

fn rounded_mean(sum: u64, members: u64) -> u64 {
    ((u128::from(sum) + u128::from(members / 2)) / u128::from(members)) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_calls_are_one_collective_and_sizes_that_differ_their_mean() {
        let mut calls = CollectiveCalls::default();
        let joining = |kind, bytes| Joining { kind, root: 1, bytes, row: Vec::new() };
        for _ in 0..2 {
            for (place, bytes) in [(0, 4), (1, 8)] {
                calls.join(0, &[5, 7], place, joining(Kind::Gatherv, bytes)).unwrap();
                calls.join(0, &[5, 7], place, joining(Kind::Gather, 8)).unwrap();
            }
        }
        let (collectives, numbers) = calls.finish(|_| Arc::from([5, 7])).unwrap();
        assert_eq!(numbers, [0, 1, 0, 1]);
        let bytes: Vec<u64> = collectives.iter().map(|collective| collective.bytes).collect();
        assert_eq!(bytes, [6, 8]);
        assert_eq!(collectives[0].group, Group::List(Arc::from([7, 5])));
    }
}
