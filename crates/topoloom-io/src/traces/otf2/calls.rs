//! Collectives, assembled from what each member recorded.

use std::collections::HashMap;

use topoloom_core::traffic::{Collective, Group, Operation};

use super::definitions::{Communicator, Definitions, Ranks};
use super::operation::{Nearest, Sizes, known};
use crate::text::fault::Fault;

/// The most pairs of members whose sizes are kept: 8 bytes per pair, while a file has only a few
/// bytes per member.
const MOST_PAIRS: usize = 1 << 24;

/// One call of a collective.
struct Call {
    operation: u8,
    communicator: u32,
    root: u32,
    sizes: Sizes,
    joined: u32,
    /// For variable operations: place, sent and received bytes of each member.
    each: Vec<(u32, u64, u64)>,
}

/// What a member records about a call.
#[derive(Clone, Copy)]
pub struct Joining {
    pub operation: u8,
    pub communicator: u32,
    pub root: u32,
    pub sent: u64,
    pub received: u64,
}

/// All calls. Members of a communicator call its collectives in the same order, so the n-th call of
/// one member is the n-th of the others.
#[derive(Default)]
pub struct Calls {
    calls: Vec<Call>,
    /// By communicator, its calls in order.
    of: HashMap<u32, Vec<u32>>,
}

/// How many collectives of each communicator a rank has called.
pub type Joined = HashMap<u32, usize>;

impl Calls {
    /// A rank takes part in its next call of a communicator: the number of the call, or none if no
    /// member sends anything to another.
    pub fn join(
        &mut self,
        definitions: &Definitions,
        joined: &mut Joined,
        rank: u32,
        joining: Joining,
    ) -> Result<Option<u32>, Fault> {
        let Joining { operation: number, communicator, root, sent, received } = joining;
        let operation = known(number).ok_or_else(|| {
            Fault::OutOfRange(format!("collective operation {number} is not known"))
        })?;
        if matches!(operation.nearest, Nearest::Nothing) {
            return Ok(None);
        }
        let ranks = match definitions.communicators.get(&communicator) {
            None => return Err(unknown(communicator)),
            Some(Communicator::OnlySelf) => return Ok(None),
            Some(Communicator::Ranks(ranks)) => ranks,
        };
        let members = ranks.in_order.len();
        let place = ranks.place_of(rank).ok_or_else(|| {
            Fault::Contradiction(format!("rank {rank} is not in communicator {communicator}"))
        })?;
        if members == 1 {
            return Ok(None);
        }
        let root = match operation.rooted {
            true => ranks.place_named(root).ok_or_else(|| {
                Fault::OutOfRange(format!("communicator {communicator} has no member {root}"))
            })?,
            false => 0,
        };
        let so_far = joined.entry(communicator).or_default();
        let of = self.of.entry(communicator).or_default();
        if *so_far == of.len() {
            let sizes = Sizes { members: members as u64, ..Sizes::default() };
            let each = Vec::new();
            let call = Call { operation: number, communicator, root, sizes, joined: 0, each };
            of.push(
                u32::try_from(self.calls.len())
                    .map_err(|_| Fault::TooLarge("too many collectives".into()))?,
            );
            self.calls.push(call);
        }
        let index = of[*so_far];
        let call = &mut self.calls[index as usize];
        if (call.operation, call.root) != (number, root) {
            let other = known(call.operation).map_or("", |known| known.name);
            return Err(Fault::Contradiction(format!(
                "call {so_far} of communicator {communicator} is {} of root {root} here and {other} \
                 of root {} on another rank",
                operation.name, call.root
            )));
        }
        *so_far += 1;
        let times = match definitions.counts_once && operation.counts_for_each() {
            true => members as u64,
            false => 1,
        };
        let (sent, received) = (sent.saturating_mul(times), received.saturating_mul(times));
        call.add(place, sent, received, matches!(operation.nearest, Nearest::Variable));
        Ok(Some(index))
    }

    /// The collectives, equal ones once, and for each call the number of its collective.
    pub fn collectives(
        self,
        definitions: &Definitions,
    ) -> Result<(Vec<Collective>, Vec<u32>), Fault> {
        let mut found = Found::default();
        let mut numbers = Vec::with_capacity(self.calls.len());
        for mut call in self.calls {
            let name = known(call.operation).map_or("", |known| known.name);
            if u64::from(call.joined) != call.sizes.members {
                return Err(Fault::Contradiction(format!(
                    "only {} of {} members of communicator {} take part in a {name}",
                    call.joined, call.sizes.members, call.communicator
                )));
            }
            let Some(Communicator::Ranks(ranks)) =
                definitions.communicators.get(&call.communicator)
            else {
                return Err(unknown(call.communicator));
            };
            call.each.sort_unstable();
            numbers.push(found.number(call, ranks));
        }
        Ok((found.collectives, numbers))
    }
}

/// Why an event cannot be used.
pub fn unknown(communicator: u32) -> Fault {
    Fault::OutOfRange(format!(
        "communicator {communicator} is not defined as a group of MPI's ranks"
    ))
}

impl Call {
    fn add(&mut self, place: u32, sent: u64, received: u64, variable: bool) {
        let sizes = &mut self.sizes;
        sizes.all_sent = sizes.all_sent.saturating_add(sent);
        sizes.all_received = sizes.all_received.saturating_add(received);
        sizes.most_sent = sizes.most_sent.max(sent);
        sizes.most_received = sizes.most_received.max(received);
        self.joined += 1;
        if variable {
            self.each.push((place, sent, received));
        }
    }
}

/// What makes two calls the same collective: operation, communicator, root, bytes and what each
/// member of a variable one sends and receives.
type Key = (u8, u32, u32, u64, Vec<(u32, u64, u64)>);

#[derive(Default)]
struct Found {
    collectives: Vec<Collective>,
    numbers: HashMap<Key, u32>,
    groups: HashMap<(u32, u32), Group>,
    pairs: usize,
}

impl Found {
    fn number(&mut self, call: Call, ranks: &Ranks) -> u32 {
        let bytes = match known(call.operation).map(|known| &known.nearest) {
            Some(Nearest::Plain(_, bytes)) => bytes(call.sizes),
            _ => call.sizes.all_sent / (call.sizes.members * call.sizes.members),
        };
        let key = (call.operation, call.communicator, call.root, bytes, call.each);
        if let Some(&number) = self.numbers.get(&key) {
            return number;
        }
        let (members, each) = (ranks.in_order.len(), &key.4);
        let (operation, bytes) = match known(call.operation).map(|known| &known.nearest) {
            Some(Nearest::Plain(operation, _)) => (operation.clone(), bytes),
            _ if members * members <= MOST_PAIRS - self.pairs => {
                self.pairs += members * members;
                (Operation::all_to_all_of(sizes_of_pairs(each)), 0)
            }
            // Tables for all calls would not fit: every member sends the mean to every other.
            _ => (Operation::AllToAll, bytes),
        };
        let group = self.groups.entry((call.communicator, call.root));
        let group = group
            .or_insert_with(|| Group::of_members(ranks.in_order.clone()).from_root(call.root))
            .clone();
        let number = self.collectives.len() as u32;
        self.collectives.push(Collective { operation, group, calls: 1, bytes });
        self.numbers.insert(key, number);
        number
    }
}

/// What every pair exchanges, assuming that each member sends to the others in proportion to what
/// they receive, because only the sums of a member are recorded. The sizes are whole bytes and add
/// up to what the member sends.
fn sizes_of_pairs(each: &[(u32, u64, u64)]) -> Vec<f64> {
    let all_received: u128 = each.iter().map(|&(_, _, received)| u128::from(received)).sum();
    let mut sizes = Vec::with_capacity(each.len() * each.len());
    for &(_, sent, _) in each {
        let (mut received_so_far, mut sent_so_far) = (0u128, 0u128);
        for &(_, _, received) in each {
            received_so_far += u128::from(received);
            let sent_then = u128::from(sent)
                .checked_mul(received_so_far)
                .and_then(|product| product.checked_div(all_received))
                .unwrap_or(0);
            sizes.push(sent_then.saturating_sub(sent_so_far) as f64);
            sent_so_far = sent_then;
        }
    }
    sizes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_share_what_a_member_sends_by_what_the_others_receive() {
        // 10 bytes to members that receive 5, 5 and 10 of 20; then 7 bytes, of which 1.75, 1.75
        // and 3.5 become 1, 2 and 4.
        let each = [(0, 10, 5), (1, 7, 5), (2, 3, 10)];
        let expected = [2.0, 3.0, 5.0, 1.0, 2.0, 4.0, 0.0, 1.0, 2.0];
        assert_eq!(sizes_of_pairs(&each), expected);
        assert_eq!(sizes_of_pairs(&[(0, 4, 0), (1, 0, 0)]), [0.0; 4]);
    }
}
