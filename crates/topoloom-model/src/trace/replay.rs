//! Traffic without an order of events, replayed as if every rank sent at once.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use super::{ProgramWriter, Trace};
use crate::ids::Rank;
use crate::traffic::Traffic;

/// How traffic is replayed if only its totals are known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Replay {
    /// Every pair sends all it has at once, as one message.
    #[default]
    Burst,
    /// This many bursts of equal parts, in whole bytes; the remainder goes with the first. A rank
    /// begins the next burst when it has all of the last.
    Rounds(u32),
}

/// More rounds than anyone would wait for.
const MOST_ROUNDS: u32 = 1_000_000;

impl fmt::Display for Replay {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Replay::Burst => f.write_str("burst"),
            Replay::Rounds(rounds) => write!(f, "rounds={rounds}"),
        }
    }
}

/// A word that is not a way to replay.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("expected burst or rounds=N with N from 1 to {MOST_ROUNDS}, found \"{0}\"")]
pub struct UnknownReplay(pub String);

impl FromStr for Replay {
    type Err = UnknownReplay;

    fn from_str(text: &str) -> Result<Self, UnknownReplay> {
        let rounds = text.strip_prefix("rounds=").and_then(|rounds| rounds.parse().ok());
        match (text, rounds) {
            ("burst", _) => Ok(Replay::Burst),
            (_, Some(rounds @ 1..=MOST_ROUNDS)) => Ok(Replay::Rounds(rounds)),
            _ => Err(UnknownReplay(text.to_string())),
        }
    }
}

impl Trace {
    /// What ranks do if each sends what the traffic says: all receives are posted first.
    /// Collectives do not count; expand them first.
    pub fn of_traffic(traffic: &Traffic, replay: Replay) -> Trace {
        let rounds = match replay {
            Replay::Burst => 1,
            Replay::Rounds(rounds) => rounds,
        };
        let ranks = traffic.num_ranks();
        // By receiver: which ranks send, and how much.
        let mut senders: Vec<Vec<(u32, u64)>> = vec![Vec::new(); ranks];
        for flow in traffic.flows() {
            senders[flow.to.index()].push((flow.from.0, flow.bytes.round() as u64));
        }
        let share = |bytes: u64| bytes / u64::from(rounds);
        let program = |(rank, senders): (usize, Vec<(u32, u64)>)| {
            let mut writer = ProgramWriter::default();
            // The remainder after equal shares goes with the first round.
            let mut burst = |times: u32, size: &dyn Fn(u64) -> u64, is_first: bool| {
                writer.repeat(times, |writer| {
                    let there = |bytes: u64| is_first || size(bytes) > 0;
                    for &(from, _) in senders.iter().filter(|&&(_, bytes)| there(bytes)) {
                        writer.start_receive(from, 0);
                    }
                    for flow in traffic.flows_from(Rank(rank as u32)) {
                        let bytes = flow.bytes.round() as u64;
                        if there(bytes) {
                            writer.start_send(flow.to.0, size(bytes), 0);
                        }
                    }
                    writer.wait_all();
                });
            };
            burst(1, &|bytes| share(bytes) + bytes % u64::from(rounds), true);
            burst(rounds - 1, &share, false);
            writer.finish()
        };
        let programs = senders.into_iter().enumerate().map(program).collect();
        Trace { programs, collectives: Vec::new() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::traffic::Weight;
    use crate::{TrafficBuilder, parse_pattern};

    #[test]
    fn rounds_carry_what_the_traffic_has() {
        let traffic = parse_pattern("stencil:4x4,bytes=100").unwrap();
        for replay in [Replay::Burst, Replay::Rounds(4), Replay::Rounds(7), Replay::Rounds(999)] {
            let totals = Trace::of_traffic(&traffic, replay).traffic();
            assert_eq!(totals.total(Weight::Bytes), traffic.total(Weight::Bytes));
            assert_eq!(totals.num_flows(), traffic.num_flows());
        }
    }

    #[test]
    fn a_replay_is_named_as_it_is_given() {
        for text in ["burst", "rounds=3"] {
            assert_eq!(text.parse::<Replay>().unwrap().to_string(), text);
        }
        assert!("rounds=0".parse::<Replay>().is_err());
        assert!("rounds=4294967295".parse::<Replay>().is_err());
        assert!("waves".parse::<Replay>().is_err());
    }

    #[test]
    fn ranks_without_traffic_have_something_to_do_all_the_same() {
        let trace = Trace::of_traffic(&TrafficBuilder::new(3).build(), Replay::Burst);
        assert_eq!(trace.num_ranks(), 3);
    }
}
