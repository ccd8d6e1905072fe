//! Every algorithm, simulated. Afterwards each member has what the operation promises, and the
//! number of bytes is that of the literature.

use super::known::{Algorithm, KNOWN, Kind};
use super::transfer::Transfer;

const MEMBERS: std::ops::RangeInclusive<u32> = 1..=17;

/// One message: round, sender, receiver, and which units of the data it carries.
type Message = (u32, u32, u32, Vec<usize>);

/// Blocks are cut in different ways. Every cut is a multiple of units.
fn units(members: u32) -> usize {
    let power = 1 << members.ilog2();
    (2 * members * power) as usize
}

fn units_of_block(number: u32, of: u32, members: u32) -> impl Iterator<Item = usize> {
    assert_eq!(units(members) % of as usize, 0, "{of} blocks");
    let size = units(members) / of as usize;
    let first = (number % of) as usize * size;
    first..first + size
}

/// The messages by rounds.
fn play(algorithm: &Algorithm, members: u32) -> Vec<Vec<Message>> {
    let mut messages: Vec<Message> = Vec::new();
    (algorithm.messages)(members, &mut |transfer| {
        let Transfer { round, from, to, blocks, messages: count } = transfer;
        let of_block = |step: u32| units_of_block(blocks.first + step, blocks.of, members);
        if count == 1 {
            messages.push((round, from, to, (0..blocks.count).flat_map(of_block).collect()));
        } else {
            assert_eq!(count, blocks.count, "one block a message");
            let each = (0..count).map(|step| (step, of_block(count - 1 - step).collect()));
            messages.extend(each.map(|(step, units)| (round + step, from, to, units)));
        }
    });
    messages.sort();
    messages.chunk_by(|a, b| a.0 == b.0).map(<[Message]>::to_vec).collect()
}

/// Simulates an algorithm on `state`, which has, by member and unit, the set of members whose
/// contribution it holds. Data that are `complete` replace what was there. Sums must not count any
/// member twice.
fn move_data(algorithm: &Algorithm, members: u32, complete: u32, state: &mut [Vec<u32>]) {
    for round in play(algorithm, members) {
        // Messages of one round do not depend on each other.
        let before = state.to_vec();
        for (_, from, to, units) in round {
            for unit in units {
                let (sent, held) = (before[from as usize][unit], &mut state[to as usize][unit]);
                assert_ne!(sent, 0, "{from} has nothing of unit {unit} to send to {to}");
                if sent == complete {
                    *held = complete;
                } else {
                    assert_eq!(sent & *held, 0, "{from} to {to} counts someone twice");
                    *held |= sent;
                }
            }
        }
    }
}

/// What every member holds before: 1 for its data, or its own bit if data are summed up.
fn before(kind: Kind, members: u32) -> Vec<Vec<u32>> {
    let mut state = vec![vec![0; units(members)]; members as usize];
    for member in 0..members {
        let own = &mut state[member as usize];
        match kind {
            Kind::Broadcast | Kind::Scatter if member > 0 => {}
            Kind::Broadcast | Kind::Scatter => own.fill(1),
            Kind::Reduce | Kind::Allreduce | Kind::ReduceScatter => own.fill(1 << member),
            Kind::Allgather | Kind::Gather => {
                units_of_block(member, members, members).for_each(|unit| own[unit] = 1);
            }
            Kind::Barrier | Kind::AllToAll => unreachable!("played by tests of their own"),
        }
    }
    state
}

/// The units that a member must have afterwards.
fn promised(kind: Kind, member: u32, members: u32) -> Vec<usize> {
    match kind {
        Kind::Broadcast | Kind::Allreduce | Kind::Allgather => (0..units(members)).collect(),
        Kind::Reduce | Kind::Gather if member > 0 => Vec::new(),
        Kind::Reduce | Kind::Gather => (0..units(members)).collect(),
        Kind::Scatter | Kind::ReduceScatter => units_of_block(member, members, members).collect(),
        Kind::Barrier | Kind::AllToAll => unreachable!("played by tests of their own"),
    }
}

#[test]
fn everyone_gets_what_the_operation_promises() {
    for kind in Kind::ALL {
        if matches!(kind, Kind::Barrier | Kind::AllToAll) {
            continue;
        }
        for algorithm in kind.known().algorithms {
            for members in MEMBERS {
                let sums = matches!(kind, Kind::Reduce | Kind::Allreduce | Kind::ReduceScatter);
                let complete = if sums { (1 << members) - 1 } else { 1 };
                let mut state = before(kind, members);
                move_data(algorithm, members, complete, &mut state);
                for member in 0..members {
                    for unit in promised(kind, member, members) {
                        let held = state[member as usize][unit];
                        let name = algorithm.name;
                        assert_eq!(held, complete, "{kind:?} {name}: {member} of {members}");
                    }
                }
            }
        }
    }
}

#[test]
fn after_a_barrier_everyone_has_heard_of_everyone() {
    for algorithm in Kind::Barrier.known().algorithms {
        for members in MEMBERS {
            let mut heard: Vec<u32> = (0..members).map(|member| 1 << member).collect();
            for round in play(algorithm, members) {
                let before = heard.clone();
                for (_, from, to, _) in round {
                    heard[to as usize] |= before[from as usize];
                }
            }
            let everyone = (1 << members) - 1;
            assert!(heard.iter().all(|&heard| heard == everyone), "{} {members}", algorithm.name);
        }
    }
}

#[test]
fn an_all_to_all_brings_every_block_to_its_member() {
    for algorithm in Kind::AllToAll.known().algorithms {
        for members in MEMBERS {
            // Where the block of each ordered pair is.
            let mut place: Vec<Vec<u32>> =
                (0..members).map(|from| vec![from; members as usize]).collect();
            for round in play(algorithm, members) {
                let before = place.clone();
                for (_, from, to, units) in round {
                    let step = (to + members - from) % members;
                    let mut carried = 0;
                    for first in 0..members {
                        for last in 0..members {
                            let way = (last + members - first) % members;
                            // Bruck: blocks whose whole way includes this power of two.
                            let goes = match algorithm.name {
                                "bruck" => way & step != 0,
                                _ => way == step,
                            };
                            if before[first as usize][last as usize] == from && goes {
                                place[first as usize][last as usize] = to;
                                carried += 1;
                            }
                        }
                    }
                    assert_eq!(units.len(), carried * units_of_block(0, members, members).count());
                }
            }
            for of_sender in place {
                assert!(of_sender.into_iter().eq(0..members), "{} {members}", algorithm.name);
            }
        }
    }
}

/// All bytes of one call of `n` bytes among `p` members.
fn bytes_of_literature(operation: &str, algorithm: &str, p: u64, n: u64) -> u64 {
    let log = u64::from(p.ilog2());
    let power = 1 << log;
    let folded = p - power;
    // In a binomial tree, block b passes over as many edges as b has one bits.
    let edges_passed = |blocks: u64| (0..blocks).map(|b| u64::from(b.count_ones())).sum::<u64>();
    match (operation, algorithm) {
        ("barrier", _) => 0,
        ("broadcast", "scatter-ring" | "scatter-recursive-doubling") => {
            edges_passed(p) * n / p + (p - 1) * n
        }
        ("broadcast", _) => (p - 1) * n,
        // Each of the others hands in its data once. Then sums go up a binomial tree in 2^k blocks.
        ("reduce", "rabenseifner") => (p - 1) * n + edges_passed(power) * n / power,
        ("reduce", _) => (p - 1) * n,
        ("allreduce", "recursive-doubling") => power * log * n + 2 * folded * n,
        // Rabenseifner and ring: 2 (p - 1) / p * n for each member, the same total as linear and
        // binomial.
        ("allreduce", _) => 2 * (p - 1) * n,
        ("alltoall", "bruck") => p * edges_passed(p) * n,
        // A member that folds hands in all its data, including its own block, which comes back.
        ("reduce-scatter", "recursive-halving") => p * (p - 1) * n + folded * n,
        ("alltoall" | "allgather" | "reduce-scatter", _) => p * (p - 1) * n,
        ("gather" | "scatter", "binomial") => edges_passed(p) * n,
        ("gather" | "scatter", _) => (p - 1) * n,
        _ => panic!("{operation}: no formula"),
    }
}

#[test]
fn all_bytes_are_those_of_the_literature() {
    for (kind, known) in Kind::ALL.into_iter().zip(&KNOWN) {
        for algorithm in known.algorithms {
            for members in MEMBERS {
                // Every cut is at whole bytes.
                let bytes = 3 * units(members) as u64;
                let total = kind.total_bytes(members, bytes);
                let mut sum = 0;
                (algorithm.messages)(members, &mut |send| sum += send.blocks.bytes(total));
                let expected =
                    bytes_of_literature(known.name, algorithm.name, u64::from(members), bytes);
                let name = format!("{} {} {members}", known.name, algorithm.name);
                assert_eq!(sum, u128::from(expected), "{name}");
            }
        }
    }
}

#[test]
fn a_ring_has_each_member_send_two_shares_less_than_twice_the_data() {
    // 2 (p - 1) / p * n with p = 5, n = 100: 160.
    let ring = Kind::Allreduce.known().position("ring").unwrap();
    let mut sent = [0; 5];
    (Kind::Allreduce.known().algorithms[ring].messages)(5, &mut |send| {
        sent[send.from as usize] += send.blocks.bytes(100);
    });
    assert_eq!(sent, [160; 5]);
}
