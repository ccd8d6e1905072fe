//! Hypercubes and butterflies: partners whose numbers differ in one bit.

use super::candidate::Candidate;
use super::kinds::{RankOrder, Structure};
use super::view::View;

const NOBODY: u32 = u32::MAX;

/// In natural order, in all bits or in some of them; then with ranks in any order.
pub(super) fn recognise(view: &View<'_>) -> Option<Candidate> {
    natural(view).or_else(|| shuffled(view))
}

fn natural(view: &View<'_>) -> Option<Candidate> {
    let ranks = view.ranks();
    let highest = 32 - ranks.saturating_sub(1).leading_zeros();
    let mut found = vec![0u64; highest as usize];
    view.graph.for_each_pair(|a, b, weight| {
        if (a ^ b).is_power_of_two() && weight >= view.least {
            found[(a ^ b).trailing_zeros() as usize] += 1;
        }
    });
    let pairs_of_bit = |bit: u32| {
        let low = 1u64 << bit;
        // Whole blocks of 2^(bit + 1) ranks have 2^bit pairs, the remainder has fewer.
        let (blocks, rest) = (u64::from(ranks) / (2 * low), u64::from(ranks) % (2 * low));
        blocks * low + rest.saturating_sub(low)
    };
    let is_used = |bit: &u32| 4 * found[*bit as usize] >= 3 * pairs_of_bit(*bit);
    let bits: Vec<u32> = (0..highest).filter(is_used).collect();
    if bits.len() < 2 || ranks < 8 {
        return None;
    }
    let mask: u32 = bits.iter().map(|bit| 1 << bit).sum();
    let expected: u64 = bits.iter().map(|&bit| pairs_of_bit(bit)).sum();
    view.judge(Structure::Hypercube { bits }, expected as f64, move |a, b| {
        let differ = a ^ b;
        differ.is_power_of_two() && differ & mask != 0
    })
}

/// Labels ranks outwards from one: its partners are the bits, and a rank beside two labelled ranks
/// has the bits of both.
fn shuffled(view: &View<'_>) -> Option<Candidate> {
    let ranks = view.ranks();
    let dimensions = ranks.checked_ilog2().filter(|&bits| bits >= 3 && 1 << bits == ranks)?;
    let has_all = |&rank: &u32| view.partners(rank).count() == dimensions as usize;
    let origin = (0..ranks).find(has_all)?;
    let mut label = vec![NOBODY; ranks as usize];
    label[origin as usize] = 0;
    let mut edge: Vec<u32> = view.partners(origin).collect();
    edge.iter().enumerate().for_each(|(bit, &rank)| label[rank as usize] = 1 << bit);
    for _ in 2..=dimensions {
        let mut reached: Vec<(u32, u32)> = Vec::new();
        for &rank in &edge {
            let unlabelled = view.partners(rank).filter(|&next| label[next as usize] == NOBODY);
            reached.extend(unlabelled.map(|next| (next, label[rank as usize])));
        }
        reached.sort_unstable();
        edge.clear();
        for (rank, bits) in reached {
            if edge.last() == Some(&rank) {
                label[rank as usize] |= bits;
            } else {
                edge.push(rank);
                label[rank as usize] = bits;
            }
        }
    }
    let mut taken = vec![false; ranks as usize];
    for &own in &label {
        let is_free = taken.get_mut(own as usize).filter(|taken| !**taken)?;
        *is_free = true;
    }
    let expected = f64::from(ranks) * f64::from(dimensions) / 2.0;
    let structure = Structure::Hypercube { bits: (0..dimensions).collect() };
    let joins = move |a: u32, b: u32| (label[a as usize] ^ label[b as usize]).is_power_of_two();
    let candidate = view.judge(structure, expected, joins)?;
    Some(Candidate { order: RankOrder::Other, ..candidate })
}
