//! Which seats a job gets on a described machine, when a user says how ranks are to be spread.

use std::collections::HashMap;
use std::ops::RangeInclusive;

use thiserror::Error;

use super::chunks::{SharedPart, share_out};
use super::{Description, Level, ObjectKind, Seat};
use crate::words::counted;

/// What a user asks for in the seats of a job.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SeatRules {
    /// How many places each rank gets, which are cores unless the machine says otherwise.
    pub cpus_per_rank: Option<u32>,
    /// How many ranks a host runs, if it runs any.
    pub ranks_per_node: Option<RangeInclusive<u32>>,
    /// The levels at which ranks are spread out evenly.
    pub spread: Vec<Level>,
    /// The levels at which one part is filled before the next is used.
    pub pack: Vec<Level>,
}

/// Why there are no such seats.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum SeatError {
    /// Too many ranks.
    #[error(
        "not enough seats for {}: under these rules the machine has only {}",
        counted(*ranks, "rank"), counted(*room, "seat")
    )]
    TooMany {
        /// How many there are.
        ranks: usize,
        /// How many fit.
        room: usize,
    },
    /// Ranks that cannot be divided in this way.
    #[error(
        "{} cannot be divided so that every host has {wanted}; {} would have {fewest} to {most}: \
         give a range such as {fewest}-{most}",
        counted(*ranks, "rank"), counted(*hosts, "host")
    )]
    Uneven {
        /// How many there are.
        ranks: usize,
        /// What was asked for.
        wanted: String,
        /// How many hosts there would be.
        hosts: usize,
        /// The fewest ranks on one of them.
        fewest: usize,
        /// The most ranks on one of them.
        most: usize,
    },
    /// A level with two rules.
    #[error("ranks cannot both be spread out and packed by {0}")]
    Both(Level),
    /// CPUs without numbers.
    #[error("host {0}: the numbers of its CPUs are not known")]
    UnknownCpus(String),
}

impl SeatRules {
    /// Whether nothing is asked for.
    pub fn is_empty(&self) -> bool {
        *self == SeatRules::default()
    }

    /// A seat for every share of every host.
    pub fn all_seats(&self, description: &Description) -> Result<Vec<Seat>, SeatError> {
        let mut seats = Vec::new();
        for (host, part) in (0..).zip(self.shared_hosts(description)) {
            seats.extend(as_seats(description, host, part.all())?);
        }
        Ok(seats)
    }

    /// The seats of a job of this many ranks. It uses hosts that follow each other in the network
    /// and are close to each other, as few as possible unless ranks are spread by node. Each host
    /// runs as many ranks as the others. Inside a host, ranks are spread out unless the user says
    /// otherwise.
    pub fn choose(&self, description: &Description, ranks: usize) -> Result<Vec<Seat>, SeatError> {
        if let Some(&both) = self.spread.iter().find(|level| self.pack.contains(level)) {
            return Err(SeatError::Both(both));
        }
        let parts = self.shared_hosts(description);
        let most = self.ranks_per_node.as_ref().map_or(u32::MAX, |range| *range.end()) as usize;
        let rooms: Vec<usize> = parts.iter().map(|part| part.count().min(most)).collect();
        let counts = self.ranks_of_hosts(description, &rooms, ranks)?;
        let mut seats = Vec::with_capacity(ranks);
        for (host, (part, &count)) in (0..).zip(parts.iter().zip(&counts)) {
            let mut shares = Vec::with_capacity(count);
            self.take(part, count, &mut shares);
            seats.extend(as_seats(description, host, shares)?);
        }
        Ok(seats)
    }

    /// What each host has to share out.
    fn shared_hosts(&self, description: &Description) -> Vec<SharedPart> {
        let size = self.cpus_per_rank.unwrap_or(1) as usize;
        let share = |host: &super::Host| {
            let room = host.slots.map_or(usize::MAX, |slots| slots as usize);
            let node = &description.kinds[host.kind as usize].node;
            share_out(node, description.place, size, room)
        };
        description.hosts.iter().map(share).collect()
    }

    /// How many ranks each host gets.
    fn ranks_of_hosts(
        &self,
        description: &Description,
        rooms: &[usize],
        ranks: usize,
    ) -> Result<Vec<usize>, SeatError> {
        let least = self.ranks_per_node.as_ref().map_or(1, |range| *range.start()) as usize;
        let order = self.order_of_hosts(description, rooms, least);
        let room: usize = order.iter().map(|&host| rooms[host]).sum();
        if ranks > room {
            return Err(SeatError::TooMany { ranks, room });
        }
        let line = HostLine::new(description, rooms, order);
        let fewest = line.fewest_hosts(ranks);
        let hosts = match self.spread.contains(&Level::Part(ObjectKind::Node)) {
            true => (ranks / least.max(1)).clamp(fewest, line.order.len()),
            false => fewest,
        };
        let chosen = match self.spread.iter().any(|level| matches!(level, Level::Switch(_))) {
            // The order already deals out the switches.
            true => &line.order[..hosts],
            false => line.closest(hosts, ranks),
        };
        let is_even =
            self.ranks_per_node.is_some() || self.spread.contains(&Level::Part(ObjectKind::Node));
        let counts = match is_even {
            true => filled_evenly(chosen, rooms, ranks),
            false => filled_in_order(chosen, rooms, ranks),
        };
        let used = || chosen.iter().map(|&host| counts[host]);
        let (low, high) = (used().min().unwrap_or(0), used().max().unwrap_or(0));
        match &self.ranks_per_node {
            Some(range) if low < *range.start() as usize => Err(SeatError::Uneven {
                ranks,
                wanted: shown_range(range),
                hosts,
                fewest: low,
                most: high,
            }),
            _ if counts.iter().sum::<usize>() < ranks => Err(SeatError::TooMany { ranks, room }),
            _ => Ok(counts),
        }
    }

    /// The hosts that may run enough ranks, in the order of the network, or dealt out over the
    /// switches of a level if ranks are spread by it.
    fn order_of_hosts(
        &self,
        description: &Description,
        rooms: &[usize],
        least: usize,
    ) -> Vec<usize> {
        let mut order: Vec<usize> =
            (0..rooms.len()).filter(|&host| rooms[host] >= least.max(1)).collect();
        order.sort_by_key(|&host| (path_of(description, host), host));
        for level in &self.spread {
            let Level::Switch(level) = *level else { continue };
            // The first host of every switch, then the second of every switch, and so on.
            let mut met: HashMap<Option<u32>, usize> = HashMap::new();
            order.sort_by_cached_key(|&host| {
                let turn = met.entry(switch_of(description, host, level)).or_default();
                *turn += 1;
                *turn
            });
        }
        order
    }

    /// Takes `count` shares out of a part.
    fn take(&self, part: &SharedPart, count: usize, shares: &mut Vec<Vec<u32>>) {
        let rooms: Vec<usize> =
            part.parts.iter().map(SharedPart::count).chain([part.own.len()]).collect();
        let packed = part.parts.iter().any(|inner| self.pack.contains(&Level::Part(inner.kind)));
        let all: Vec<usize> = (0..rooms.len()).collect();
        let counts = match packed {
            true => filled_in_order(&all, &rooms, count),
            false => filled_evenly(&all, &rooms, count),
        };
        for (inner, &count) in part.parts.iter().zip(&counts) {
            if count > 0 {
                self.take(inner, count, shares);
            }
        }
        shares.extend(part.own.iter().take(counts[part.parts.len()]).cloned());
    }
}

/// `4`, `2-8`.
fn shown_range(range: &RangeInclusive<u32>) -> String {
    match range.start() == range.end() {
        true => range.start().to_string(),
        false => format!("{}-{}", range.start(), range.end()),
    }
}

fn as_seats(
    description: &Description,
    host: u32,
    shares: Vec<Vec<u32>>,
) -> Result<Vec<Seat>, SeatError> {
    let seat = |cpus: Vec<u32>| match cpus.is_empty() {
        true => Err(SeatError::UnknownCpus(description.hosts[host as usize].name.clone())),
        false => Ok(Seat { host, cpus, gpu: None }),
    };
    shares.into_iter().map(seat).collect()
}

/// The groups of switches around a host, outermost first.
fn path_of(description: &Description, host: usize) -> Vec<u32> {
    let groups = &description.network.groups;
    let first = description.hosts[host].group;
    let path = std::iter::successors(first, |&group| groups[group as usize].parent);
    let mut path: Vec<u32> = path.collect();
    path.reverse();
    path
}

/// The group of a level of switches that a host is in.
fn switch_of(description: &Description, host: usize, level: u32) -> Option<u32> {
    let groups = &description.network.groups;
    path_of(description, host).into_iter().find(|&group| groups[group as usize].level == level)
}

/// Hosts in a row, with sums of the room they have and of the distances of neighbours.
struct HostLine {
    order: Vec<usize>,
    rooms_before: Vec<usize>,
    steps_before: Vec<u64>,
}

impl HostLine {
    fn new(description: &Description, rooms: &[usize], order: Vec<usize>) -> HostLine {
        let groups = &description.network.groups;
        let top = groups.iter().map(|group| group.level).max().unwrap_or(0) + 1;
        let paths: Vec<Vec<u32>> = order.iter().map(|&host| path_of(description, host)).collect();
        let apart = |pair: &[Vec<u32>]| {
            let common = pair[0].iter().zip(&pair[1]).take_while(|(a, b)| a == b).last();
            let level = common.map_or(top, |(&group, _)| groups[group as usize].level);
            u64::from(description.costs.switch(level))
        };
        let (mut rooms_before, mut steps_before) = (vec![0], vec![0]);
        for &host in &order {
            rooms_before.push(rooms_before[rooms_before.len() - 1] + rooms[host]);
        }
        for pair in paths.windows(2) {
            steps_before.push(steps_before[steps_before.len() - 1] + apart(pair));
        }
        HostLine { order, rooms_before, steps_before }
    }

    /// Whether this many hosts from `start` on have enough room.
    fn fits(&self, start: usize, hosts: usize, ranks: usize) -> bool {
        self.rooms_before[start + hosts] - self.rooms_before[start] >= ranks
    }

    /// The fewest hosts in a row that have enough room, over all such rows.
    fn fewest_hosts(&self, ranks: usize) -> usize {
        let all = self.order.len();
        let enough = |hosts: usize| (0..=all - hosts).any(|start| self.fits(start, hosts, ranks));
        // Ranks that fit into some hosts also fit into more.
        let (mut low, mut high) = (1, all);
        while low < high {
            let middle = low + (high - low) / 2;
            if enough(middle) { high = middle } else { low = middle + 1 }
        }
        high
    }

    /// This many hosts in a row that have enough room and are closest to each other; the first of
    /// several such rows.
    fn closest(&self, hosts: usize, ranks: usize) -> &[usize] {
        let starts = (0..=self.order.len() - hosts).filter(|&start| self.fits(start, hosts, ranks));
        let steps =
            |start: &usize| self.steps_before[start + hosts - 1] - self.steps_before[*start];
        let start = starts.min_by_key(steps).unwrap_or(0);
        &self.order[start..start + hosts]
    }
}

/// One host after the other, each to its last place.
fn filled_in_order(order: &[usize], rooms: &[usize], count: usize) -> Vec<usize> {
    let mut counts = vec![0; rooms.len()];
    let mut left = count;
    for &place in order {
        counts[place] = rooms[place].min(left);
        left -= counts[place];
    }
    counts
}

/// One at a time to the host that has the fewest, the first of several such hosts.
fn filled_evenly(order: &[usize], rooms: &[usize], count: usize) -> Vec<usize> {
    let mut counts = vec![0; rooms.len()];
    // The same number each, as long as all have room. Then those that have room go on.
    let mut left = count;
    loop {
        let open: Vec<usize> =
            order.iter().copied().filter(|&place| counts[place] < rooms[place]).collect();
        if left == 0 || open.is_empty() {
            return counts;
        }
        let each = (left / open.len()).max(1);
        for &place in open.iter().take(left) {
            let more = each.min(rooms[place] - counts[place]);
            counts[place] += more;
            left -= more;
        }
    }
}

#[cfg(test)]
mod tests;
