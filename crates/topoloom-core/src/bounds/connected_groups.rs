//! Connected groups: connected ranks that do not fit on one node need several, and the pairs between
//! nodes are at least one fewer than these nodes; at best the lightest.

use super::entry::{BoundEntry, Work};
use super::meter::Meter;
use super::view::View;

/// The registry's entry.
pub(super) static ENTRY: BoundEntry = BoundEntry {
    name: "connected groups",
    summary: "connected ranks that need several nodes; the lightest pairs between them",
    work: Work::Quick,
    compute: connected_groups,
};

fn connected_groups(view: &View<'_>, meter: &mut Meter<'_>) -> Option<f64> {
    let machine = view.problem.machine();
    let nearest = machine.topology().pairs_at_distance().first().map_or(0, |&(d, _)| d);
    let slot = view.problem.sharing().map_or(1.0, |sharing| sharing.slot_capacity);
    let node = f64::from(machine.slots_per_node()) * slot;
    if nearest == 0 || node <= 0.0 {
        return Some(0.0);
    }
    let mut sum = 0.0;
    let mut seen = vec![false; view.graph.num_ranks()];
    let mut group = Vec::new();
    let mut weights = Vec::new();
    for first in 0..view.graph.num_ranks() as u32 {
        if std::mem::replace(&mut seen[first as usize], true) {
            continue;
        }
        group.clear();
        weights.clear();
        group.push(first);
        let mut next = 0;
        while let Some(&rank) = group.get(next) {
            next += 1;
            meter.spend(1 + view.graph.partners(rank).len() as u64)?;
            for &partner in view.graph.partners(rank) {
                if !std::mem::replace(&mut seen[partner as usize], true) {
                    group.push(partner);
                }
            }
            if view.common_weight.is_none() {
                let pairs = view.graph.edges(rank).filter(|&(partner, _)| rank < partner);
                weights.extend(pairs.map(|(_, weight)| weight));
            }
        }
        // Weights that are not whole numbers may add up to slightly more than their true sum.
        let load: f64 = group.iter().map(|&rank| view.size(rank)).sum();
        let leaving = (load / node * (1.0 - 1e-9)).ceil() as usize;
        let leaving = leaving.saturating_sub(1);
        sum += match view.common_weight {
            Some(weight) => weight * leaving.min(group.len() - 1) as f64,
            None => sum_of_lightest(&mut weights, leaving),
        };
    }
    Some(sum * f64::from(nearest))
}

fn sum_of_lightest(weights: &mut [f64], count: usize) -> f64 {
    let count = count.min(weights.len());
    if count == 0 {
        return 0.0;
    }
    weights.select_nth_unstable_by(count - 1, f64::total_cmp);
    weights[..count].iter().sum()
}
