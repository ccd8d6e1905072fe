//! Who sends how much to whom in a trace, whatever the order.

use super::{Event, Trace};
use crate::traffic::{Collective, Traffic, TrafficBuilder};

impl Trace {
    /// The traffic of all messages; collectives are kept as such.
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
                    calls[number as usize] += times;
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

    /// How often ranks send, repetitions counted in full.
    pub fn num_messages(&self) -> u64 {
        let mut messages = 0u64;
        for program in &self.programs {
            for_each_with_times(program, |event, times| {
                if matches!(event, Event::Send { .. } | Event::StartSend { .. }) {
                    messages = messages.saturating_add(times);
                }
            });
        }
        messages
    }
}

/// Calls `visit` with every event that is no repetition and how often it happens.
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
    }
}
