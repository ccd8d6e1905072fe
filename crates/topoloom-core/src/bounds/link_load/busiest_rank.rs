//! Busiest rank: what a rank exchanges with ranks that do not fit on its node crosses the links of this
//! node.

use super::entry::{LinkBoundEntry, Sight, all_links};
use crate::bounds::entry::Work;
use crate::bounds::meter::Meter;

/// The registry's entry.
pub(super) static ENTRY: LinkBoundEntry =
    LinkBoundEntry { name: "busiest rank", work: Work::Quick, compute: busiest_rank };

fn busiest_rank(sight: &Sight<'_>, _meter: &mut Meter<'_>) -> Option<f64> {
    let problem = sight.view.problem;
    let topology = problem.machine().topology();
    let nodes = topology.num_nodes();
    let (mut out, mut into) = (vec![0.0; nodes], vec![0.0; nodes]);
    for link in all_links(topology) {
        let relative = sight.links.relative(&link);
        if let Some(sum) = out.get_mut(link.from.index()) {
            *sum += relative;
        }
        if let Some(sum) = into.get_mut(link.to.index()) {
            *sum += relative;
        }
    }
    let together = sight.view.ranks_on_node as usize - 1;
    let mut sent = vec![Vec::new(); problem.num_ranks()];
    let mut received = sent.clone();
    problem.traffic().for_each_flow(problem.weight(), |from, to, weight| {
        if from != to {
            sent[from as usize].push(weight);
            received[to as usize].push(weight);
        }
    });
    let most_leaving = |flows: Vec<Vec<f64>>| {
        let leaving = flows.into_iter().map(|mut weights| {
            weights.sort_unstable_by(|a, b| b.total_cmp(a));
            weights.iter().skip(together).sum::<f64>()
        });
        leaving.fold(0.0, f64::max)
    };
    let most = |sums: Vec<f64>| sums.into_iter().fold(0.0, f64::max);
    let by = |leaving: f64, room: f64| if room > 0.0 { leaving / room } else { 0.0 };
    Some(by(most_leaving(sent), most(out)).max(by(most_leaving(received), most(into))))
}
