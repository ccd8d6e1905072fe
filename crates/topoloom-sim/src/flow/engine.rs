//! The run of the flow model: what happens at which time.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use topoloom_model::Machine;

use super::options::{FlowOptions, Sharing};
use super::shares::{Hop, Shares};
use crate::error::SimulationError;
use crate::network::Network;
use crate::report::Account;
use crate::routes::{Kept, links_of_route};
use crate::send_queues::{Copies, Lines};
use crate::source::{Outbox, Source, Transfer};
use crate::watch::Watch;

/// Time is counted in picoseconds.
pub(super) const TICKS_PER_SECOND: f64 = 1e12;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Happening {
    /// A timer of the source.
    Wake(u32),
    /// A message between ranks of one node has arrived.
    Copied(u32),
    /// The latency of a message's hops has passed, and it is its turn.
    Begins(u32),
    /// The last byte of a message has left, if nothing changed since: (message, version).
    Ends(u32, u32),
}

/// A message on its way.
#[derive(Debug, Clone, Copy, Default)]
struct Moving {
    bytes: u64,
    from: u32,
    to: u32,
    departed: u64,
    latency: u64,
    /// Bytes that had not left at `since`.
    left: f64,
    since: u64,
    version: u32,
}

struct Engine<'a> {
    machine: &'a Machine,
    network: &'a Network,
    options: &'a FlowOptions,
    routes: Kept<Hop>,
    shares: Shares,
    moving: Vec<Moving>,
    lines: Lines,
    copies: Copies,
    /// (tick, number, what).
    happenings: BinaryHeap<Reverse<(u64, u64, Happening)>>,
    added: u64,
    account: Account,
}

/// What finding a route counts as, if steps are counted.
const STEPS_OF_A_ROUTE: usize = 16;

/// Ticks beyond which counting ends: about fifty days.
const LAST_TICK: u64 = 1 << 62;

/// Runs until nothing is left to happen, or until it must stop. Returns the tick of the last
/// happening.
pub(super) fn run(
    source: &mut impl Source,
    machine: &Machine,
    network: &Network,
    options: &FlowOptions,
    watch: &Watch<'_>,
) -> Result<(Account, u64), SimulationError> {
    let mut engine = Engine::new(machine, network, options);
    let mut outbox = Outbox::default();
    source.begin(&mut outbox);
    engine.take(&mut outbox, 0, watch)?;
    engine.settle(0, watch);
    let mut last = 0;
    while !watch.is_over()
        && let Some(Reverse((now, ..))) = engine.happenings.peek().copied()
    {
        last = now;
        if now >= LAST_TICK {
            return Err(SimulationError::TooLong);
        }
        while let Some(Reverse((tick, _, what))) = engine.happenings.peek().copied()
            && tick == now
        {
            if watch.ends_after(1) {
                return Ok((engine.account, now));
            }
            engine.happenings.pop();
            match what {
                Happening::Wake(number) => source.wake(number, now, &mut outbox),
                Happening::Begins(message) => {
                    if engine.begins(message, now) {
                        engine.arrived(message, now);
                        engine.begin_next(message, now);
                        source.arrived(message, now, &mut outbox);
                    }
                }
                Happening::Copied(message) => {
                    engine.arrived(message, now);
                    source.arrived(message, now, &mut outbox);
                }
                Happening::Ends(message, version) => {
                    if engine.moving[message as usize].version == version {
                        engine.ends(message, now);
                        source.arrived(message, now, &mut outbox);
                    }
                }
            }
            engine.take(&mut outbox, now, watch)?;
        }
        engine.settle(now, watch);
    }
    Ok((engine.account, last))
}

fn ticks(seconds: f64) -> u64 {
    (seconds * TICKS_PER_SECOND).round() as u64
}

impl<'a> Engine<'a> {
    fn new(machine: &'a Machine, network: &'a Network, options: &'a FlowOptions) -> Self {
        let of_links = network.links.iter().map(|link| link.properties);
        let of_links = of_links.map(|link| (link.bytes_per_second, link.is_fat_pipe));
        // After the links comes what each node sends, and what each node receives.
        let nodes = options.injection.map_or(0, |_| 2 * machine.num_nodes());
        let of_nodes = options.injection.unwrap_or(0.0) * network.fastest_between_hosts;
        let all = of_links.chain(std::iter::repeat_n((of_nodes, false), nodes));
        Engine {
            machine,
            network,
            options,
            routes: Kept::default(),
            shares: Shares::new(all.map(|(bytes_per_second, is_fat_pipe)| {
                (bytes_per_second / TICKS_PER_SECOND, is_fat_pipe)
            })),
            moving: Vec::new(),
            lines: Lines::default(),
            copies: Copies::default(),
            happenings: BinaryHeap::new(),
            added: 0,
            account: Account::new(network),
        }
    }

    fn add(&mut self, tick: u64, what: Happening) {
        self.added += 1;
        self.happenings.push(Reverse((tick, self.added, what)));
    }

    /// Accepts what the source asks for.
    fn take(
        &mut self,
        outbox: &mut Outbox,
        now: u64,
        watch: &Watch<'_>,
    ) -> Result<(), SimulationError> {
        if let Some(flood) = outbox.flood.take() {
            return Err(flood);
        }
        for (tick, number) in outbox.timers.drain(..) {
            self.add(tick, Happening::Wake(number));
        }
        for transfer in outbox.transfers.drain(..) {
            // Each may need a route that is not known yet.
            if watch.ends_after(STEPS_OF_A_ROUTE) {
                break;
            }
            self.depart(transfer, now);
        }
        Ok(())
    }

    fn depart(&mut self, transfer: Transfer, now: u64) {
        let Transfer { message, from, to, bytes, queue } = transfer;
        self.account.departs(now);
        if self.moving.len() <= message as usize {
            self.moving.resize(message as usize + 1, Moving::default());
        }
        let version = self.moving[message as usize].version + 1;
        let mut moving = Moving { bytes, from, to, departed: now, version, ..Moving::default() };
        if from == to {
            self.moving[message as usize] = moving;
            let protocol = &self.options.protocol;
            let [alone, copy] = [protocol.memory_seconds(bytes), protocol.copy_seconds(bytes)]
                .map(|seconds| seconds * TICKS_PER_SECOND);
            let there = self.copies.arrival(queue, now, alone, copy);
            return self.add(there, Happening::Copied(message));
        }
        let hops = self.route(from, to);
        let latency = |&(link, share): &Hop| match self.network.links.get(link as usize) {
            Some(link) => share * link.properties.latency_seconds,
            None => 0.0,
        };
        moving.latency = ticks(self.routes.hops(hops).iter().map(latency).sum());
        self.moving[message as usize] = moving;
        if self.lines.join(message, queue) {
            self.add(now.saturating_add(moving.latency), Happening::Begins(message));
        }
    }

    /// All bytes of a message have left, so the next one in its queue begins. It has waited for its
    /// latency meanwhile.
    fn begin_next(&mut self, message: u32, now: u64) {
        let Some(next) = self.lines.leave(message) else { return };
        let Moving { departed, latency, .. } = self.moving[next as usize];
        // Bytes are counted as they arrive, a latency after they leave. If the way is longer than
        // the last message's, the first byte arrives later by the difference. If it is shorter, the
        // first byte could arrive before the last message's end, which is not known then: the
        // message begins at that end.
        let further = latency.saturating_sub(self.moving[message as usize].latency);
        let ready = departed.saturating_add(latency);
        self.add(ready.max(now.saturating_add(further)), Happening::Begins(next));
    }

    fn route(&mut self, from: u32, to: u32) -> std::ops::Range<u32> {
        self.routes.forget_if_full();
        let (machine, network) = (self.machine, self.network);
        let injection = self.options.injection.is_some();
        self.routes.place((from, to, 0), |hops| {
            links_of_route(machine, network, from, to, &mut |link, share| hops.push((link, share)));
            if injection {
                let (links, nodes) = (network.links.len() as u32, machine.num_nodes() as u32);
                hops.extend([(links + from, 1.0), (links + nodes + to, 1.0)]);
            }
        })
    }

    /// Puts a message on its links. Returns whether it has arrived already, because it carries
    /// nothing.
    fn begins(&mut self, message: u32, now: u64) -> bool {
        let Moving { bytes, from, to, latency, .. } = self.moving[message as usize];
        if bytes == 0 {
            return true;
        }
        let hops = self.route(from, to);
        let weight = match self.options.sharing {
            Sharing::Latency if latency > 0 => 1.0 / latency as f64,
            _ => 1.0,
        };
        let alone = self.shares.join(message, self.routes.hops(hops), weight);
        let moving = &mut self.moving[message as usize];
        (moving.left, moving.since) = (bytes as f64, now);
        if alone {
            let end = self.end_at(message, self.shares.rate(message), now);
            let version = self.moving[message as usize].version;
            self.add(end, Happening::Ends(message, version));
        }
        false
    }

    fn end_at(&self, message: u32, rate: f64, now: u64) -> u64 {
        now.saturating_add((self.moving[message as usize].left / rate).ceil().max(1.0) as u64)
    }

    fn ends(&mut self, message: u32, now: u64) {
        let moving = self.moving[message as usize];
        let rate = self.shares.rate(message);
        count_busy(
            &mut self.account,
            self.network,
            self.shares.hops(message),
            rate,
            moving.since,
            now,
        );
        for &(link, share) in self.shares.hops(message) {
            if (link as usize) < self.network.links.len() {
                self.account.used[link as usize].bytes += share * moving.bytes as f64;
            }
        }
        self.shares.leave(message);
        let alone = (moving.bytes as f64 / self.shares.alone(message)).ceil() as u64;
        let took = now - moving.departed - moving.latency;
        self.account.waits(took.saturating_sub(alone));
        self.arrived(message, now);
        self.begin_next(message, now);
    }

    fn arrived(&mut self, message: u32, now: u64) {
        let moving = &mut self.moving[message as usize];
        moving.version += 1;
        self.account.arrives(moving.departed, now, moving.bytes);
    }

    /// Finds the rates again after everything that happened at `now`, unless it must stop
    /// meanwhile.
    fn settle(&mut self, now: u64, watch: &Watch<'_>) {
        let Engine { shares, moving, happenings, added, account, network, .. } = self;
        shares.settle(watch, |message, hops, before, rate| {
            let moving = &mut moving[message as usize];
            count_busy(account, network, hops, before, moving.since, now);
            moving.left = (moving.left - before * (now - moving.since) as f64).max(0.0);
            moving.since = now;
            moving.version += 1;
            let end = now.saturating_add((moving.left / rate).ceil().max(1.0) as u64);
            *added += 1;
            happenings.push(Reverse((end, *added, Happening::Ends(message, moving.version))));
        });
        self.forget_what_is_off();
    }
}

impl Engine<'_> {
    /// Takes outdated ends out of the heap once they are most of it: if many flows share links,
    /// each change moves the ends of all of them.
    fn forget_what_is_off(&mut self) {
        let most = 4 * self.moving.len() + LEAST_FORGOTTEN;
        if self.happenings.len() > most {
            let moving = &self.moving;
            self.happenings.retain(|Reverse((_, _, what))| match *what {
                Happening::Ends(message, version) => moving[message as usize].version == version,
                _ => true,
            });
        }
    }
}

/// If the heap has fewer entries than this, it is left as it is.
const LEAST_FORGOTTEN: usize = 1 << 12;

/// Counts how long a flow of this rate kept links busy.
fn count_busy(
    account: &mut Account,
    network: &Network,
    hops: &[Hop],
    rate: f64,
    from: u64,
    to: u64,
) {
    if from == to {
        return;
    }
    for &(link, share) in hops {
        if let Some(of_link) = network.links.get(link as usize) {
            let height = rate * share * TICKS_PER_SECOND / of_link.properties.bytes_per_second;
            account.link_busy(link, from, to, height);
        }
    }
}
