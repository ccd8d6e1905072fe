//! Ranks that reach each other over pairs that matter.

use super::view::View;

/// The part of each rank, numbered in the order of their lowest ranks; ranks without partners have
/// no part.
pub(super) fn part_of_each(view: &View<'_>) -> (Vec<Option<u32>>, usize) {
    let mut part: Vec<Option<u32>> = vec![None; view.ranks() as usize];
    let mut parts = 0;
    let mut to_visit = Vec::new();
    for start in 0..view.ranks() {
        if part[start as usize].is_some() || view.partners(start).next().is_none() {
            continue;
        }
        part[start as usize] = Some(parts);
        to_visit.push(start);
        while let Some(rank) = to_visit.pop() {
            for partner in view.partners(rank) {
                if part[partner as usize].is_none() {
                    part[partner as usize] = Some(parts);
                    to_visit.push(partner);
                }
            }
        }
        parts += 1;
    }
    (part, parts as usize)
}
