//! The run of the packet model: what happens at which time.

use topoloom_model::Machine;

use super::fabric::{Fabric, Happening};
use super::options::PacketOptions;
use crate::error::SimulationError;
use crate::network::Network;
use crate::report::Account;
use crate::send_queues::Copies;
use crate::source::{Outbox, Source, Transfer};
use crate::watch::Watch;

/// Ticks beyond which counting ends.
const LAST_TICK: u64 = 1 << 62;

/// Runs until nothing is left to happen, or until it must stop. Returns the tick of the last
/// happening.
pub(crate) fn run(
    source: &mut impl Source,
    machine: &Machine,
    network: &Network,
    options: &PacketOptions,
    watch: &Watch<'_>,
) -> Result<(Account, u64), SimulationError> {
    let mut fabric = Fabric::new(machine, network, options)?;
    let seconds_per_cycle = options.seconds_per_cycle(network);
    let mut copies = Copies::default();
    let mut in_memory = |Transfer { bytes, queue, .. }: Transfer, now: u64| {
        let protocol = &options.protocol;
        let [alone, copy] = [protocol.memory_seconds(bytes), protocol.copy_seconds(bytes)]
            .map(|seconds| seconds / seconds_per_cycle);
        copies.arrival(queue, now, alone, copy)
    };
    let mut outbox = Outbox::default();
    source.begin(&mut outbox);
    take(&mut fabric, &mut outbox, 0, &mut in_memory)?;
    let mut happenings = Vec::new();
    let mut last = 0;
    while !watch.is_over()
        && let Some(now) = fabric.queue.next(&mut happenings)
    {
        last = now;
        // Things that take no time happen in the same tick.
        while !happenings.is_empty() {
            for &what in &happenings {
                if watch.ends_after(1) {
                    return Ok((fabric.account, now));
                }
                match what {
                    Happening::Asks(packet) => fabric.asks(packet, now),
                    Happening::LinkFree(link) => fabric.link_free(link, now),
                    Happening::Credit(channel) => fabric.credit(channel),
                    Happening::Ejected(packet) => {
                        if let Some(message) = fabric.ejected(packet, now) {
                            fabric.arrived(message, now);
                            source.arrived(message, now, &mut outbox);
                        }
                    }
                    Happening::Copied(message) => {
                        fabric.arrived(message, now);
                        source.arrived(message, now, &mut outbox);
                    }
                    Happening::Wake(number) => source.wake(number, now, &mut outbox),
                }
                if !outbox.is_empty() {
                    take(&mut fabric, &mut outbox, now, &mut in_memory)?;
                }
            }
            fabric.queue.more_of_now(&mut happenings);
        }
        fabric.arbitrate(now);
    }
    Ok((fabric.account, last))
}

/// Accepts what the source asks for. `in_memory` says when a message between ranks of one node has
/// arrived.
fn take(
    fabric: &mut Fabric<'_>,
    outbox: &mut Outbox,
    now: u64,
    in_memory: &mut impl FnMut(Transfer, u64) -> u64,
) -> Result<(), SimulationError> {
    if let Some(flood) = outbox.flood.take() {
        return Err(flood);
    }
    for (tick, number) in outbox.timers.drain(..) {
        if tick >= LAST_TICK {
            return Err(SimulationError::TooLong);
        }
        fabric.queue.add(tick, Happening::Wake(number));
    }
    for transfer in outbox.transfers.drain(..) {
        fabric.depart(transfer, now);
        if transfer.from == transfer.to {
            let there = in_memory(transfer, now);
            if there >= LAST_TICK {
                return Err(SimulationError::TooLong);
            }
            fabric.queue.add(there, Happening::Copied(transfer.message));
        }
    }
    Ok(())
}
