//! The options of the packet model.

use topoloom_model::spec::{Spec, SpecError};

use crate::network::Network;
use crate::protocol::{Protocol, whole};

/// Whose turn it is at an output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Arbitration {
    /// All ports in turn.
    RoundRobin,
    /// Packets in transit take turns; packets at the start of their way follow when no other asks.
    /// It keeps links busy where round robin gives half of each to the node beside it.
    TransitFirst,
}

impl std::str::FromStr for Arbitration {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        match text {
            "round-robin" => Ok(Arbitration::RoundRobin),
            "transit-first" => Ok(Arbitration::TransitFirst),
            _ => Err(()),
        }
    }
}

/// How many packets a node receives at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Consumption {
    /// Up to this many; others wait.
    UpTo(u32),
    /// The first packet of every channel that leads to the node, like FSIN's multiple consumption.
    Multiple,
}

impl std::str::FromStr for Consumption {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        match text {
            "multiple" => Ok(Consumption::Multiple),
            number => match number.parse() {
                Ok(number) if (1..=MOST_OF_EACH).contains(&u64::from(number)) => {
                    Ok(Consumption::UpTo(number))
                }
                _ => Err(()),
            },
        }
    }
}

/// The options of the packet model.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PacketOptions {
    /// Bytes of a full packet.
    pub packet_bytes: u64,
    /// Bytes that the fastest link carries in a cycle.
    pub flit_bytes: u64,
    /// Packets that a channel holds at the end of a link; `None` for as many as the longest link
    /// needs to be busy all the time, and at least 4.
    pub buffers: Option<u32>,
    /// Channels of a link for each class.
    pub channels: u32,
    /// Cycles of a packet's head through a router.
    pub router_cycles: u64,
    /// Whose turn it is at an output.
    pub arbitration: Arbitration,
    /// Packets that a node sends at once.
    pub injection: u32,
    /// Packets that a node receives at once; `None` for as many as it sends.
    pub consumption: Option<Consumption>,
    /// Which of several ways `ecmp` gives a packet.
    pub seed: u64,
    /// How messages are handed over.
    pub protocol: Protocol,
}

impl Default for PacketOptions {
    fn default() -> Self {
        PacketOptions {
            packet_bytes: 512,
            flit_bytes: 16,
            buffers: None,
            channels: 2,
            router_cycles: 1,
            arbitration: Arbitration::RoundRobin,
            injection: 1,
            consumption: None,
            seed: 1,
            protocol: Protocol::default(),
        }
    }
}

impl PacketOptions {
    pub(super) fn from_spec(spec: &Spec) -> Result<PacketOptions, SpecError> {
        let usual = PacketOptions::default();
        let up_to = |most: u64, key: &str, least: u64| match whole(spec, key, least)? {
            Some(number) if number > most => Err(SpecError::new(format!(
                "{}: expected at most {most} for \"{key}\", found \"{number}\"",
                spec.name
            ))),
            found => Ok(found),
        };
        let small = |key: &str| -> Result<Option<u32>, SpecError> {
            Ok(up_to(MOST_OF_EACH, key, 1)?.map(|number| number as u32))
        };
        Ok(PacketOptions {
            packet_bytes: up_to(MOST_BYTES, "packet", 1)?.unwrap_or(usual.packet_bytes),
            flit_bytes: up_to(MOST_BYTES, "flit", 1)?.unwrap_or(usual.flit_bytes),
            buffers: small("buffers")?,
            channels: small("channels")?.unwrap_or(usual.channels),
            router_cycles: up_to(MOST_BYTES, "router", 0)?.unwrap_or(usual.router_cycles),
            arbitration: spec
                .get("arbitration", "round-robin or transit-first")?
                .unwrap_or(usual.arbitration),
            injection: small("injection")?.unwrap_or(usual.injection),
            consumption: spec
                .get("consumption", "multiple or a whole number from 1 to 4096")?
                .or(usual.consumption),
            seed: whole(spec, "seed", 0)?.unwrap_or(usual.seed),
            protocol: Protocol::from_spec(spec)?,
        })
    }

    /// Packets that a channel holds.
    pub(crate) fn buffers_on(&self, network: &Network) -> u32 {
        self.buffers.unwrap_or_else(|| {
            let latencies = network.links.iter().map(|link| link.properties.latency_seconds);
            let longest = latencies.fold(0.0, f64::max) / self.seconds_per_cycle(network);
            // A place is taken until the notice that it is free has come back.
            let flits = self.packet_bytes.div_ceil(self.flit_bytes) as f64;
            let taken = 2.0 * longest + self.router_cycles as f64 + flits;
            (taken / flits).ceil().clamp(4.0, MOST_OF_EACH as f64) as u32
        })
    }

    /// Packets that a node receives at once.
    pub(crate) fn most_received(&self) -> u32 {
        match self.consumption {
            None => self.injection,
            Some(Consumption::UpTo(number)) => number,
            Some(Consumption::Multiple) => u32::MAX,
        }
    }

    /// The length of a cycle: the time that a flit takes over the fastest link.
    pub(crate) fn seconds_per_cycle(&self, network: &Network) -> f64 {
        self.flit_bytes as f64 / network.fastest
    }
}

/// More than any router has, of anything.
const MOST_OF_EACH: u64 = 1 << 12;

/// More bytes than any packet has, or more cycles than any router takes.
const MOST_BYTES: u64 = 1 << 30;
