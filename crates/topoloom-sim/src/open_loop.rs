//! Random traffic at a set rate, whatever the network does. It shows where the network saturates.

use topoloom_model::Machine;
use topoloom_model::random::{self, Stream};

use crate::error::SimulationError;
use crate::network::Network;
use crate::packet::{self, PacketOptions};
use crate::send_queues::NO_QUEUE;
use crate::source::{Outbox, Source, Transfer};
use crate::watch::Watch;

/// Every node sends packets to other nodes, all equally likely, at random times.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct OpenLoop {
    /// Flits that a node offers per cycle.
    pub rate: f64,
    /// Cycles before anything is counted.
    pub warm_up: u64,
    /// Cycles in which arrivals are counted.
    pub measured: u64,
    /// The seed of the random numbers.
    pub seed: u64,
}

/// What a network accepted.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LoadPoint {
    /// Flits that a node offered per cycle.
    pub offered: f64,
    /// Flits that a node received per cycle.
    pub accepted: f64,
    /// Cycles from the offer of a packet to its arrival, for packets that arrived while counting.
    pub mean_latency: f64,
    /// Packets that were sent in total.
    pub sent: u64,
    /// Packets that arrived in total: the same number, once the network has run empty.
    pub arrived: u64,
}

impl OpenLoop {
    /// Sends until `warm_up + measured`, then lets the network run empty. The rate must be positive,
    /// or nothing is ever sent.
    pub fn run(
        &self,
        machine: &Machine,
        options: &PacketOptions,
    ) -> Result<LoadPoint, SimulationError> {
        let network = Network::new(machine)?;
        network.refuse_fat_pipes(machine)?;
        let nodes = machine.num_nodes() as u32;
        let flits = options.packet_bytes.div_ceil(options.flit_bytes);
        let mut senders = Senders {
            open_loop: *self,
            nodes,
            // Packets of a node follow each other after times that are exponentially distributed.
            mean_gap: flits as f64 / self.rate,
            bytes: options.packet_bytes,
            rng: random::stream(self.seed, &[]),
            sent_at: Vec::new(),
            free: Vec::new(),
            sent: 0,
            arrived: 0,
            counted: 0,
            latency: 0.0,
        };
        packet::run(&mut senders, machine, &network, options, &Watch::new(&|_| false))?;
        let cycles = self.measured as f64 * f64::from(nodes);
        Ok(LoadPoint {
            offered: self.rate,
            accepted: senders.counted as f64 * flits as f64 / cycles,
            mean_latency: senders.latency / senders.counted.max(1) as f64,
            sent: senders.sent,
            arrived: senders.arrived,
        })
    }
}

struct Senders {
    open_loop: OpenLoop,
    nodes: u32,
    mean_gap: f64,
    bytes: u64,
    rng: Stream,
    sent_at: Vec<u64>,
    free: Vec<u32>,
    sent: u64,
    arrived: u64,
    counted: u64,
    latency: f64,
}

impl Senders {
    fn next_gap(&mut self) -> u64 {
        // Never 0, which has no logarithm.
        let uniform = (f64::from(random::below(&mut self.rng, u32::MAX)) + 1.0) / 4_294_967_296.0;
        (-uniform.ln() * self.mean_gap).round() as u64
    }

    fn wait(&mut self, node: u32, now: u64, outbox: &mut Outbox) {
        let tick = now.saturating_add(self.next_gap());
        if tick < self.open_loop.warm_up + self.open_loop.measured {
            outbox.timers.push((tick, node));
        }
    }
}

impl Source for Senders {
    fn begin(&mut self, outbox: &mut Outbox) {
        // A single node has nobody to send to.
        let senders = if self.nodes > 1 { self.nodes } else { 0 };
        (0..senders).for_each(|node| self.wait(node, 0, outbox));
    }

    fn wake(&mut self, node: u32, now: u64, outbox: &mut Outbox) {
        let other = random::below(&mut self.rng, self.nodes - 1);
        let to = other + u32::from(other >= node);
        let message = self.free.pop().unwrap_or_else(|| {
            self.sent_at.push(0);
            self.sent_at.len() as u32 - 1
        });
        self.sent_at[message as usize] = now;
        self.sent += 1;
        let (from, bytes) = (node, self.bytes);
        outbox.transfers.push(Transfer { message, from, to, bytes, queue: NO_QUEUE });
        self.wait(node, now, outbox);
    }

    fn arrived(&mut self, message: u32, now: u64, _: &mut Outbox) {
        self.arrived += 1;
        self.free.push(message);
        let OpenLoop { warm_up, measured, .. } = self.open_loop;
        if (warm_up..warm_up + measured).contains(&now) {
            self.counted += 1;
            self.latency += (now - self.sent_at[message as usize]) as f64;
        }
    }
}
