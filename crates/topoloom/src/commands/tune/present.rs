//! Where the ranks of a job are now, in terms of a machine.

use anyhow::bail;
use topoloom::core::cluster::same_host;
use topoloom::core::topology::Cluster;
use topoloom::io::{Probe, ProbedRank};

/// The placement that a job has.
pub struct Present {
    /// The place of each rank.
    pub slots: Vec<u32>,
    /// The most ranks in one place.
    pub crowd: usize,
    /// In words, how it is known.
    pub how: String,
}

/// The placement that a probe found. Ranks that are not bound to one place are taken to be in the
/// first free one of their host.
pub fn placement(probe: &Probe, cluster: &Cluster) -> anyhow::Result<Present> {
    let mut held = vec![0usize; cluster.places().len()];
    let mut slots = vec![u32::MAX; probe.ranks.len()];
    let mut unbound = Vec::new();
    let mut hosts = Vec::with_capacity(probe.ranks.len());
    for (number, rank) in probe.ranks.iter().enumerate() {
        let host = host_of(rank, cluster)?;
        hosts.push(host);
        match bound_to(rank, host, cluster) {
            Some(place) => {
                held[place as usize] += 1;
                slots[number] = place;
            }
            None => unbound.push(number),
        }
    }
    for &number in &unbound {
        let on_host = |&place: &u32| cluster.places()[place as usize].host == hosts[number];
        let places = (0..cluster.places().len() as u32).filter(on_host);
        let Some(place) = places.min_by_key(|&place| held[place as usize]) else {
            bail!("no place for ranks on host {}", probe.ranks[number].host);
        };
        held[place as usize] += 1;
        slots[number] = place;
    }
    let how = match unbound.len() {
        0 => "every rank is bound".to_string(),
        some if some == slots.len() => {
            "ranks are not bound to cores: taken in order on each host".to_string()
        }
        1 => "1 rank is not bound to a core: taken to be on a free one".to_string(),
        some => format!("{some} ranks are not bound to cores: taken in order"),
    };
    Ok(Present { slots, crowd: held.into_iter().max().unwrap_or(1), how })
}

fn host_of(rank: &ProbedRank, cluster: &Cluster) -> anyhow::Result<u32> {
    let hosts = &cluster.description().hosts;
    match hosts.iter().position(|host| same_host(&host.name, &rank.host)) {
        Some(host) => Ok(host as u32),
        None => bail!("rank {} is on {}, which the machine does not have", rank.rank, rank.host),
    }
}

/// The one place that holds all CPUs of a rank.
fn bound_to(rank: &ProbedRank, host: u32, cluster: &Cluster) -> Option<u32> {
    let holds = |(_, place): &(u32, &topoloom::core::topology::Place)| {
        place.host == host
            && !rank.cpus.is_empty()
            && rank.cpus.iter().all(|cpu| place.cpus.contains(cpu))
    };
    (0u32..).zip(cluster.places()).find(holds).map(|(place, _)| place)
}
