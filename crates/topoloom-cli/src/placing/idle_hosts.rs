//! Hosts that a placement leaves idle while it packs others.

use topoloom::core::{Mapping, Problem};

use crate::output::numbers::{grouped, plural};

/// A sentence if ranks could be spread over more hosts than the mapping uses; `None` if every host
/// has a rank, if every rank has its own host, or if the machine has no hosts.
pub fn note(problem: &Problem, mapping: &Mapping) -> Option<String> {
    let cluster = problem.machine().topology().cluster()?;
    let mut used = vec![false; cluster.description().hosts.len()];
    for node in mapping.nodes() {
        used[cluster.places()[node as usize].host as usize] = true;
    }
    let (hosts, ranks) = (used.len(), problem.num_ranks());
    let busy = used.into_iter().filter(|&used| used).count();
    let idle = plural(hosts - busy, "host");
    let stay = if hosts - busy == 1 { "stays" } else { "stay" };
    (busy < hosts.min(ranks)).then(|| {
        format!(
            "{} on {} of {} hosts; {idle} {stay} idle (--ranks-per-node or --spread node uses more)",
            plural(ranks, "rank"),
            grouped(busy as f64),
            grouped(hosts as f64)
        )
    })
}
