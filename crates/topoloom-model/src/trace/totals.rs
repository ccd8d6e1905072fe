//! How much each rank of a trace sends to each other, whatever the order.

use super::{Event, Trace};
use crate::traffic::{Collective, Traffic, TrafficBuilder};

impl Trace {
    /// The traffic of all messages. Collectives are kept as such.
    pub fn traffic(&self) -> Traffic {
        let mut builder = TrafficBuilder::new(self.programs.len() as u32);
        // Every member calls a collective as often as the first one does.
        let mut calls = vec![0; self.collectives.len()];
        for (rank, program) in self.programs.iter().enumerate() {
            let rank = rank as u32;
            for_each_with_times(program, |event, times| match event {
                Event::Send { to, bytes, .. } | Event::StartSend { to, bytes, .. } => {
                    builder.add(rank, to, times as f64, times as f64 * bytes as f64);
                }
                Event::Collective { number }
                    if self.collectives[number as usize].group.member(0) == rank =>
                {
                    let calls: &mut u64 = &mut calls[number as usize];
                    *calls = calls.saturating_add(times);
                }
                _ => {}
            });
        }
        for (collective, calls) in
            self.collectives.iter().zip(calls).filter(|&(_, calls)| calls > 0)
        {
            let times = |bytes: f64| bytes * calls as f64;
            builder.add_collective(Collective { calls, ..collective.in_all_calls(times) });
        }
        builder.build()
    }

    /// How often ranks send, with repetitions counted in full.
    pub fn num_messages(&self) -> u64 {
        self.count(|event| match event {
            Event::Send { .. } | Event::StartSend { .. } => 1,
            _ => 0,
        })
    }

    /// The number of packets of at most this many bytes. An empty message is one packet.
    pub fn num_packets(&self, packet_bytes: u64) -> u64 {
        self.count(|event| match event {
            Event::Send { bytes, .. } | Event::StartSend { bytes, .. } => {
                bytes.div_ceil(packet_bytes.max(1)).max(1)
            }
            _ => 0,
        })
    }

    /// The number of all events, with repetitions counted in full.
    pub fn num_events_in_full(&self) -> u64 {
        self.count(|_| 1)
    }

    /// The sum of what each event counts as, as often as it happens; at most `u64::MAX`.
    fn count(&self, of: impl Fn(Event) -> u64) -> u64 {
        let mut sum = 0u64;
        for program in &self.programs {
            for_each_with_times(program, |event, times| {
                sum = sum.saturating_add(times.saturating_mul(of(event)));
            });
        }
        sum
    }
}

/// Calls `visit` with every event that is not a repetition, and with how often it happens.
fn for_each_with_times(program: &[Event], mut visit: impl FnMut(Event, u64)) {
    let mut times = vec![1u64];
    for &event in program {
        let now = *times.last().expect("the first one stays");
        match event {
            Event::Repeat { times: more } => times.push(now.saturating_mul(u64::from(more))),
            Event::End => {
                times.pop();
            }
            event => visit(event, now),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::ProgramWriter;
    use super::*;

    #[test]
    fn repetitions_count_in_full() {
        let mut writer = ProgramWriter::default();
        writer.repeat(3, |writer| {
            writer.send(1, 10, 0);
            writer.repeat(2, |writer| writer.send(1, 1, 0));
        });
        let trace = Trace::new(vec![writer.finish(), Vec::new()], Vec::new()).unwrap();
        let flows: Vec<_> = trace.traffic().flows().map(|f| (f.messages, f.bytes)).collect();
        assert_eq!(flows, [(9.0, 36.0)]);
        assert_eq!(trace.num_messages(), 9);
        assert_eq!(trace.num_events_in_full(), 9);
        // 10 bytes are 3 packets of 4, and 1 byte is one packet.
        assert_eq!(trace.num_packets(4), 3 * 3 + 6);
    }
}
