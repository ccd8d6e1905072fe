//! What a simulation found.

use std::collections::HashMap;

use topoloom_model::topology::LinkProperties;
use topoloom_model::{LinkId, Trace};

use crate::network::Network;
use crate::processes::Unreceived;
use crate::timeline::Timeline;

/// How a link was used.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LinkUse {
    /// Its number on the machine.
    pub id: LinkId,
    /// The vertex that it leaves.
    pub from: u32,
    /// The vertex that it leads to.
    pub to: u32,
    /// What it carried.
    pub bytes: f64,
    /// The share of the whole time that it was busy. On a fat pipe, the mean number of messages at
    /// its full bandwidth, which may be above 1.
    pub utilisation: f64,
    /// Its row in [`Report::link_timeline`].
    pub row: usize,
}

/// Links that are alike, and what they used.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct KindOfLink {
    /// Their properties.
    pub properties: LinkProperties,
    /// How many there are.
    pub links: u64,
    /// What they carried.
    pub bytes: f64,
    /// Energy for what they carried.
    pub transfer_joules: f64,
    /// Energy for being switched on.
    pub idle_joules: f64,
}

/// What a simulation found.
#[derive(Debug, Clone)]
pub struct Report {
    /// From the beginning to the end of the last rank, or the arrival of the last message.
    pub seconds: f64,
    /// The same in ticks: cycles in the packet model, picoseconds in the flow model.
    pub ticks: u64,
    /// The length of a tick.
    pub seconds_per_tick: f64,
    /// For each rank, how long it waited for others.
    pub waiting_seconds: Vec<f64>,
    /// When each rank was done.
    pub finished_seconds: Vec<f64>,
    /// Messages that arrived.
    pub messages: u64,
    /// What they carried.
    pub bytes: f64,
    /// Messages that were sent and that no rank asked for.
    pub unreceived: u64,
    /// The most messages that were under way at once.
    pub peak_in_flight: u64,
    /// Messages under way in each bin of time, times ticks.
    pub in_flight_timeline: Timeline,
    /// The mean time that messages were under way.
    pub mean_message_seconds: f64,
    /// The longest time that a message was under way.
    pub longest_message_seconds: f64,
    /// The mean time that they waited for others on the way: a packet in queues, a message beyond
    /// the time it would take alone.
    pub mean_queueing_seconds: f64,
    /// The longest such time.
    pub longest_queueing_seconds: f64,
    /// Hops of packets; 0 in the flow model.
    pub packet_hops: u64,
    /// Links that carried anything.
    pub links: Vec<LinkUse>,
    /// The number of all links.
    pub num_links: u64,
    /// Busy ticks of each link in each bin of time.
    pub link_timeline: Timeline,
    /// Links by kind, with their energy.
    pub kinds: Vec<KindOfLink>,
}

/// How far a simulation came that was stopped. The part until then says nothing about the whole, so
/// there is no time of the run and no use of links.
#[derive(Debug, Clone, PartialEq)]
pub struct Stopped {
    /// The simulated time at which it was stopped.
    pub after_seconds: f64,
    /// Messages that had arrived.
    pub messages: u64,
    /// Messages that the whole trace sends.
    pub messages_in_all: u64,
    /// The bytes of those that had arrived.
    pub bytes: f64,
    /// Ranks that were done.
    pub ranks_finished: usize,
    /// All ranks.
    pub ranks: usize,
}

impl Stopped {
    pub(crate) fn new(after_seconds: f64, account: &Account, trace: &Trace, ranks: usize) -> Self {
        Stopped {
            after_seconds,
            messages: account.messages,
            messages_in_all: trace.num_messages(),
            bytes: account.bytes,
            ranks_finished: ranks,
            ranks: trace.num_ranks(),
        }
    }
}

impl Report {
    /// The energy of all links together.
    pub fn joules(&self) -> f64 {
        self.kinds.iter().map(|kind| kind.transfer_joules + kind.idle_joules).sum()
    }

    /// The highest utilisation of any link.
    pub fn max_utilisation(&self) -> f64 {
        self.links.iter().map(|link| link.utilisation).fold(0.0, f64::max)
    }

    /// The mean utilisation of all links, including those that carried nothing.
    pub fn mean_utilisation(&self) -> f64 {
        // From 0, because an empty sum is -0.
        let sum = self.links.iter().fold(0.0, |sum, link| sum + link.utilisation);
        sum / self.num_links.max(1) as f64
    }

    /// The length of a bin of the timelines.
    pub fn bin_seconds(&self) -> f64 {
        self.link_timeline.bin_ticks() as f64 * self.seconds_per_tick
    }

    /// The share of each bin of time that a link was busy.
    pub fn utilisation_of(&self, link: &LinkUse) -> Vec<f64> {
        let bins = self.link_timeline.row(link.row, self.ticks).iter();
        bins.zip(self.bin_widths()).map(|(&busy, width)| f64::from(busy) / width).collect()
    }

    /// The mean and the highest utilisation of all links in each bin of time.
    pub fn utilisation_over_time(&self) -> Vec<(f64, f64)> {
        let mut bins = vec![(0.0, 0.0f64); self.bin_widths().count()];
        for link in &self.links {
            for (bin, utilisation) in bins.iter_mut().zip(self.utilisation_of(link)) {
                bin.0 += utilisation / self.num_links as f64;
                bin.1 = bin.1.max(utilisation);
            }
        }
        bins
    }

    /// How many messages were under way in each bin of time, and the length of these bins.
    pub fn in_flight_over_time(&self) -> (f64, Vec<f64>) {
        let timeline = &self.in_flight_timeline;
        let row = timeline.row(0, self.ticks);
        let widths = widths(timeline.bin_ticks(), row.len(), self.ticks);
        let bins = row.iter().zip(widths).map(|(&sum, width)| f64::from(sum) / width).collect();
        (timeline.bin_ticks() as f64 * self.seconds_per_tick, bins)
    }

    fn bin_widths(&self) -> impl Iterator<Item = f64> + use<> {
        let timeline = &self.link_timeline;
        let bin = timeline.bin_ticks();
        widths(bin, timeline.num_bins(self.ticks), self.ticks)
    }

    /// The share of the whole time that ranks waited, on average.
    pub fn waiting_share(&self) -> f64 {
        let sum: f64 = self.waiting_seconds.iter().sum();
        let all = self.seconds * self.waiting_seconds.len() as f64;
        // Sums are rounded: ranks that always wait must not wait longer than the whole time.
        if all > 0.0 { (sum / all).min(1.0) } else { 0.0 }
    }
}

/// The ticks of each bin; the last one ends with the run.
fn widths(bin: u64, bins: usize, ticks: u64) -> impl Iterator<Item = f64> {
    (0..bins as u64).map(move |number| {
        let end = ((number + 1) * bin).min(ticks.max(number * bin + 1));
        (end - number * bin) as f64
    })
}

/// What a link carried, and for how many ticks it was busy.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Used {
    pub bytes: f64,
    pub ticks: f64,
}

/// Counts of messages on their way, kept by both engines.
#[derive(Debug)]
pub(crate) struct Account {
    pub messages: u64,
    pub bytes: f64,
    in_flight: u64,
    peak_in_flight: u64,
    since: u64,
    in_flight_timeline: Timeline,
    sum_ticks: f64,
    longest_ticks: u64,
    last_arrival: u64,
    /// Waits on the way: their number, their sum, and the longest.
    pub waits: u64,
    pub waited_ticks: u64,
    pub longest_wait: u64,
    pub packet_hops: u64,
    /// What each link carried, and for how many ticks it was busy.
    pub used: Vec<Used>,
    pub link_timeline: Timeline,
}

impl Account {
    pub fn new(network: &Network) -> Account {
        let links = network.links.len();
        Account {
            messages: 0,
            bytes: 0.0,
            in_flight: 0,
            peak_in_flight: 0,
            since: 0,
            in_flight_timeline: Timeline::new(1),
            sum_ticks: 0.0,
            longest_ticks: 0,
            last_arrival: 0,
            waits: 0,
            waited_ticks: 0,
            longest_wait: 0,
            packet_hops: 0,
            used: vec![Used::default(); links],
            link_timeline: Timeline::new(links),
        }
    }

    /// A message begins its way.
    pub fn departs(&mut self, now: u64) {
        self.change_in_flight(now);
        self.in_flight += 1;
        self.peak_in_flight = self.peak_in_flight.max(self.in_flight);
    }

    /// A message that began its way at `begin` has arrived.
    pub fn arrives(&mut self, begin: u64, now: u64, bytes: u64) {
        self.change_in_flight(now);
        self.in_flight -= 1;
        self.messages += 1;
        self.bytes += bytes as f64;
        self.sum_ticks += (now - begin) as f64;
        self.longest_ticks = self.longest_ticks.max(now - begin);
        self.last_arrival = now;
    }

    /// Something waited on its way.
    #[inline]
    pub fn waits(&mut self, ticks: u64) {
        self.waits += 1;
        self.waited_ticks += ticks;
        self.longest_wait = self.longest_wait.max(ticks);
    }

    /// A link is busy at `height` of its bandwidth.
    #[inline]
    pub fn link_busy(&mut self, link: u32, from: u64, to: u64, height: f64) {
        self.used[link as usize].ticks += height * (to - from) as f64;
        self.link_timeline.add(link as usize, from, to, height);
    }

    /// A packet crosses a link.
    #[inline]
    pub fn packet_crosses(&mut self, link: u32, bytes: u32, from: u64, to: u64) {
        self.packet_hops += 1;
        let used = &mut self.used[link as usize];
        used.bytes += f64::from(bytes);
        // Signed numbers are faster to convert.
        used.ticks += (to - from) as i64 as f64;
        self.link_timeline.add_ticks(link as usize, from, to);
    }

    fn change_in_flight(&mut self, now: u64) {
        self.in_flight_timeline.add(0, self.since, now, self.in_flight as f64);
        self.since = now;
    }

    /// The report of a run that took `ticks`.
    pub fn report(
        mut self,
        network: &Network,
        seconds_per_tick: f64,
        (waited, finished): (Vec<u64>, Vec<u64>),
        Unreceived(unreceived): Unreceived,
    ) -> Report {
        // A message that nobody waits for may arrive after the last rank is done.
        let ticks = finished.iter().copied().max().unwrap_or(0).max(self.last_arrival);
        self.link_timeline.cover(ticks);
        self.in_flight_timeline.cover(ticks);
        let seconds = |ticks: f64| ticks * seconds_per_tick;
        let all = |ticks: &[u64]| ticks.iter().map(|&ticks| seconds(ticks as f64)).collect();
        let mean =
            |sum: f64, count: u64| if count == 0 { 0.0 } else { seconds(sum / count as f64) };
        let used = |&row: &usize| self.used[row].ticks > 0.0;
        let link_use = |row: usize| LinkUse {
            id: network.ids[row],
            from: network.links[row].from.0,
            to: network.links[row].to.0,
            bytes: self.used[row].bytes,
            utilisation: if ticks == 0 { 0.0 } else { self.used[row].ticks / ticks as f64 },
            row,
        };
        Report {
            seconds: seconds(ticks as f64),
            ticks,
            seconds_per_tick,
            waiting_seconds: all(&waited),
            finished_seconds: all(&finished),
            messages: self.messages,
            bytes: self.bytes,
            unreceived,
            peak_in_flight: self.peak_in_flight,
            mean_message_seconds: mean(self.sum_ticks, self.messages),
            longest_message_seconds: seconds(self.longest_ticks as f64),
            mean_queueing_seconds: mean(self.waited_ticks as f64, self.waits),
            longest_queueing_seconds: seconds(self.longest_wait as f64),
            packet_hops: self.packet_hops,
            links: (0..network.links.len()).filter(used).map(link_use).collect(),
            num_links: network.links.len() as u64,
            kinds: kinds(network, &self.used, seconds(ticks as f64)),
            in_flight_timeline: self.in_flight_timeline,
            link_timeline: self.link_timeline,
        }
    }
}

/// Links by their properties, in the order in which these first appear.
fn kinds(network: &Network, used: &[Used], seconds: f64) -> Vec<KindOfLink> {
    let mut kinds: Vec<KindOfLink> = Vec::new();
    let mut places: HashMap<([u64; 4], bool), usize> = HashMap::new();
    for (link, &Used { bytes, .. }) in network.links.iter().zip(used) {
        let properties = link.properties;
        let LinkProperties {
            bytes_per_second, latency_seconds, joules_per_byte, idle_watts, ..
        } = properties;
        let numbers =
            [bytes_per_second, latency_seconds, joules_per_byte, idle_watts].map(f64::to_bits);
        let place = *places.entry((numbers, properties.is_fat_pipe)).or_insert_with(|| {
            let (bytes, transfer_joules, idle_joules) = (0.0, 0.0, 0.0);
            kinds.push(KindOfLink { properties, links: 0, bytes, transfer_joules, idle_joules });
            kinds.len() - 1
        });
        let kind = &mut kinds[place];
        kind.links += 1;
        kind.bytes += bytes;
        kind.transfer_joules += bytes * properties.joules_per_byte;
        kind.idle_joules += seconds * properties.idle_watts;
    }
    kinds
}
