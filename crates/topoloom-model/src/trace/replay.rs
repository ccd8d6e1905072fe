//! Traffic without an order of events, replayed as if everyone sent at once.

use std::fmt;
use std::str::FromStr;

use super::{ProgramWriter, Trace};
use crate::ids::Rank;
use crate::traffic::Traffic;

/// How traffic is replayed of which only the totals are known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Replay {
    /// Every pair sends all it has at once, as one message.
    #[default]
    Burst,
    /// So many bursts of equal parts, in whole bytes; a rank begins the next when it has all of the
    /// last.
    Rounds(u32),
}

impl fmt::Display for Replay {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Replay::Burst => f.write_str("burst"),
            Replay::Rounds(rounds) => write!(f, "rounds={rounds}"),
        }
    }
}

impl FromStr for Replay {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let rounds = text.strip_prefix("rounds=").and_then(|rounds| rounds.parse().ok());
        match (text, rounds) {
            ("burst", _) => Ok(Replay::Burst),
            (_, Some(rounds @ 1..)) => Ok(Replay::Rounds(rounds)),
            _ => Err(format!("expected burst or rounds=N with N of at least 1, found \"{text}\"")),
        }
    }
}

impl Trace {
    /// What ranks do if each sends what the traffic says: all receives are posted first. Collectives
    /// do not count; expand them before.
    pub fn of_traffic(traffic: &Traffic, replay: Replay) -> Trace {
        let rounds = match replay {
            Replay::Burst => 1,
            Replay::Rounds(rounds) => rounds,
        };
        let ranks = traffic.num_ranks();
        let mut senders: Vec<Vec<u32>> = vec![Vec::new(); ranks];
        for flow in traffic.flows() {
            senders[flow.to.index()].push(flow.from.0);
        }
        let program = |(rank, senders): (usize, Vec<u32>)| {
            let mut writer = ProgramWriter::default();
            writer.repeat(rounds, |writer| {
                for &from in &senders {
                    writer.start_receive(from, 0);
                }
                for flow in traffic.flows_from(Rank(rank as u32)) {
                    let bytes = (flow.bytes / f64::from(rounds)).round() as u64;
                    writer.start_send(flow.to.0, bytes, 0);
                }
                writer.wait_all();
            });
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
        for replay in [Replay::Burst, Replay::Rounds(4)] {
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
        assert!("waves".parse::<Replay>().is_err());
    }

    #[test]
    fn ranks_without_traffic_have_something_to_do_all_the_same() {
        let trace = Trace::of_traffic(&TrafficBuilder::new(3).build(), Replay::Burst);
        assert_eq!(trace.num_ranks(), 3);
    }
}
