//! What a simulation will need, before it begins: events to process, and memory. The memory is
//! estimated from the sizes of what the engines keep for each message, link and event.

use topoloom_model::budget::{self, Budget};
use topoloom_model::words::counted;
use topoloom_model::{Event, Machine, Trace, Vertex};

use crate::error::SimulationError;
use crate::model::Model;

/// What a simulation may use.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Budgets {
    pub memory: Budget,
    pub events: Budget,
}

impl Budgets {
    /// The budgets of this process.
    pub fn of_process() -> Budgets {
        Budgets { memory: budget::memory(), events: budget::events() }
    }
}

/// An event as it is run, with its share of the channels, their names and queues.
const BYTES_OF_EVENT: u64 = 24 + 36;
/// A link with a record of what it carried over time.
const BYTES_OF_LINK: u64 = 450;
/// A message in the records of the ranks and of an engine, without its route.
const BYTES_OF_MESSAGE: [u64; 2] = [PACKET_MESSAGE, FLOW_MESSAGE];
const PACKET_MESSAGE: u64 = 140;
const FLOW_MESSAGE: u64 = 340;
/// A hop of its route.
const BYTES_OF_HOP: [u64; 2] = [PACKET_HOP, FLOW_HOP];
const PACKET_HOP: u64 = 8;
const FLOW_HOP: u64 = 44;

/// The memory of one message under way whose route has this many hops.
fn bytes_of_message(model: &Model, hops: f64) -> u64 {
    let place = usize::from(matches!(model, Model::Flow(_)));
    BYTES_OF_MESSAGE[place] + (hops * BYTES_OF_HOP[place] as f64).ceil() as u64
}

/// How many messages may be under way or awaited at once. The rest of the budget is for other
/// things.
pub(crate) fn most_messages(model: &Model, budgets: &Budgets) -> usize {
    // Routes are assumed to be longer than on average, so the limit holds on most machines.
    let fits = budgets.memory.limit() / bytes_of_message(model, 16.0);
    usize::try_from(fits).unwrap_or(usize::MAX).clamp(1, crate::processes::MOST_MESSAGES)
}

/// Refuses a simulation that would need more than the budgets.
pub(crate) fn check(
    trace: &Trace,
    machine: &Machine,
    node_of: &[u32],
    model: &Model,
    budgets: &Budgets,
) -> Result<(), SimulationError> {
    let events = trace.num_events_in_full();
    budgets.events.check("this trace, with its repetitions in full,", events)?;
    if let Model::Packet(options) = model {
        let packets = trace.num_packets(options.packet_bytes);
        let what =
            format!("sending everything in packets of {}", counted(options.packet_bytes, "byte"));
        budgets.events.check(&what, packets)?;
    }
    let at_once = messages_at_once(trace);
    let hops = mean_hops(trace, machine, node_of);
    let of_messages = at_once.saturating_mul(bytes_of_message(model, hops));
    let of_events = (trace.num_events() as u64).saturating_mul(BYTES_OF_EVENT);
    let of_links = machine.topology().num_links().saturating_mul(BYTES_OF_LINK);
    let bytes = of_messages.saturating_add(of_events).saturating_add(of_links);
    let what = format!(
        "simulating {} on {}, with about {} at once,",
        counted(trace.num_events(), "event"),
        counted(machine.topology().num_links(), "link"),
        counted(at_once, "message")
    );
    budgets.memory.check(&what, bytes)?;
    Ok(())
}

/// How many messages are under way or awaited at once, as far as ranks go on without waiting: a
/// message has a request at each end.
fn messages_at_once(trace: &Trace) -> u64 {
    let most_open = |program: &Vec<Event>| {
        let (mut open, mut most) = (0u64, 0u64);
        for event in program {
            match event {
                Event::StartSend { .. } | Event::StartReceive { .. } => open += 1,
                Event::Wait { .. } => open = open.saturating_sub(1),
                Event::WaitAll => open = 0,
                _ => {}
            }
            most = most.max(open);
        }
        most
    };
    trace.programs().iter().map(most_open).sum::<u64>().div_ceil(2)
}

/// The sends that are examined. More would not change the mean by much.
const MOST_LOOKED_AT: usize = 1 << 18;

/// How far messages travel on average. This is for an estimate, so evenly chosen ranks are enough.
fn mean_hops(trace: &Trace, machine: &Machine, node_of: &[u32]) -> f64 {
    let step = trace.num_events().div_ceil(MOST_LOOKED_AT).max(1);
    let (mut hops, mut sends) = (0u64, 0u64);
    for (rank, program) in trace.programs().iter().enumerate() {
        for event in program.iter().skip(rank % step).step_by(step) {
            if let Event::Send { to, .. } | Event::StartSend { to, .. } = *event {
                let [from, to] = [node_of[rank], node_of[to as usize]].map(Vertex);
                hops += u64::from(machine.topology().hops(from, to));
                sends += 1;
            }
        }
    }
    hops as f64 / sends.max(1) as f64
}

#[cfg(test)]
mod tests {
    use topoloom_model::{Replay, parse_pattern};

    use super::*;

    fn refused(traffic: &str, model: &str, budgets: &Budgets) -> Option<String> {
        let trace = Trace::of_traffic(&parse_pattern(traffic).unwrap(), Replay::Burst);
        let machine = Machine::parse("torus:4x4x4").unwrap();
        let nodes: Vec<u32> = (0..64).collect();
        let model = Model::parse(model).unwrap();
        check(&trace, &machine, &nodes, &model, budgets).err().map(|error| error.to_string())
    }

    const ENOUGH: Budgets =
        Budgets { memory: Budget::memory_of(1 << 30), events: Budget::events_of(1_000_000) };

    #[test]
    fn all_to_all_is_refused_before_it_is_allocated() {
        assert_eq!(refused("all-to-all:64", "flow", &ENOUGH), None);
        let little = Budgets { memory: Budget::memory_of(1 << 20), ..ENOUGH };
        // 8,128 events and 4,032 messages: about 2 MB, with 3 hops each.
        let message = refused("all-to-all:64", "flow", &little).unwrap();
        assert!(message.contains("4032 messages at once"), "{message}");
        assert!(message.contains("the limit is 1 MiB; set TOPOLOOM_MEMORY="), "{message}");
        // Ranks that send one message after the other need less.
        assert_eq!(refused("ring:64", "flow", &little), None);
    }

    #[test]
    fn large_messages_are_many_packets() {
        let message = refused("ring:64,bytes=1000000000000000000", "packet", &ENOUGH).unwrap();
        // 128 messages of 1e18 / 512 packets.
        assert_eq!(
            message,
            "sending everything in packets of 512 bytes would need about 2.5e17 events, and the \
             limit is 1000000 events; set TOPOLOOM_EVENTS=250000000000000000 to raise it"
        );
        assert_eq!(refused("ring:64,bytes=1000000000000000000", "flow", &ENOUGH), None);
    }

    #[test]
    fn repetitions_count_in_full_and_never_wrap() {
        let times = u32::MAX;
        let nested = |depth: usize| {
            let mut program = vec![Event::Repeat { times }; depth];
            program.push(Event::Compute { nanoseconds: 1 });
            program.extend(vec![Event::End; depth]);
            Trace::new(vec![program], Vec::new()).unwrap()
        };
        let machine = Machine::parse("torus:2").unwrap();
        for (depth, shown) in [(1, "4.3e9"), (8, "more than 1.8e19")] {
            let flow = Model::parse("flow").unwrap();
            let error = check(&nested(depth), &machine, &[0], &flow, &ENOUGH).unwrap_err();
            let error = error.to_string();
            assert!(error.contains(&format!("about {shown} events")), "{error}");
            assert!(error.contains("TOPOLOOM_EVENTS"), "{error}");
        }
    }
}
