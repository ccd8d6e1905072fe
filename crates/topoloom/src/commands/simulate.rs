//! `topoloom simulate`: how fast a placement would run.

use std::path::Path;

use topoloom::core::insight::CollectiveShare;
use topoloom::core::{Machine, Mapping, Problem, Trace};
use topoloom::io::{
    LinkKindRecord, LinkUseRecord, PlacementRecord, SimulationRecord, TimelineRecord, WriteError,
    atomic_write,
};
use topoloom::sim::{LinkUse, Model, Report, SimulationError, simulate};

use super::placement::{Placed, place};
use super::search::Searches;
use crate::cli::SimulateArguments;
use crate::inputs::{Replayed, load_machine, load_replayed};
use crate::output::collectives::line_of_share;
use crate::output::numbers::{duration, energy, grouped, percent};
use crate::output::table::numbers_table;
use crate::output::{print, print_json, warn};
use crate::outputs;
use crate::progress::Progress;

pub fn run(arguments: SimulateArguments) -> anyhow::Result<()> {
    if let Some(path) = &arguments.links {
        let replayed = &arguments.replayed;
        let inputs = [replayed.traffic.as_ref(), replayed.trace.as_ref()].into_iter().flatten();
        let inputs = inputs.chain([&arguments.machine, &arguments.mapping]);
        outputs::check(path, inputs.map(String::as_str))?;
    }
    let searches = Searches::new(arguments.search)?;
    let model = Model::parse(&arguments.model)?;
    let machine = load_machine(&arguments.machine, arguments.routing.as_deref())?;
    let replayed = load_replayed(&arguments.replayed)?;
    let make_problem = |imbalance: Option<f64>| -> anyhow::Result<Problem> {
        let traffic = replayed.trace.traffic();
        Ok(Problem::with_imbalance(traffic, machine.clone(), arguments.weight, imbalance)?)
    };
    let placed = place(&arguments.mapping, arguments.imbalance, make_problem, &searches)?;
    let report = simulated(&replayed.trace, &machine, &placed.mapping, &model)?;
    if report.unreceived > 0 {
        let number = grouped(report.unreceived as f64);
        warn(&format!("messages that were sent and never received: {number}"));
    }
    if !report.joules().is_finite() {
        warn(
            "the energy of the links is more than a number can hold: look at the joules a byte and \
             the watts of the machine's links",
        );
    }
    if let Some(path) = &arguments.links {
        outputs::write_or_rescue("the use of the links", |to| write_links(&to.of(path), &report))?;
    }
    let record =
        record(&replayed, &placed, &arguments.mapping, (&arguments.model, &model), &report);
    if arguments.json {
        print_json(&record);
    } else {
        print(&show(&record, &replayed, &report));
    }
    Ok(())
}

/// Replays a trace whose collectives are messages already.
pub fn simulated(
    trace: &Trace,
    machine: &Machine,
    mapping: &Mapping,
    model: &Model,
) -> Result<Report, SimulationError> {
    let progress = Progress::new(&format!("simulating on {}", machine.spec()));
    let report = simulate(trace, machine, mapping, model);
    progress.finish();
    report
}

fn record(
    replayed: &Replayed,
    placed: &Placed,
    mapping: &str,
    (model, parsed): (&str, &Model),
    report: &Report,
) -> SimulationRecord {
    let machine = placed.problem.machine();
    let over_time = report.utilisation_over_time();
    let (in_flight_bin_seconds, messages_in_flight) = report.in_flight_over_time();
    let of_packets = matches!(parsed, Model::Packet(_));
    SimulationRecord {
        traffic: replayed.name.clone(),
        replay: replayed.replay.clone(),
        collectives: replayed.collectives.clone(),
        collectives_bytes_share: replayed.collective_share.map(|share| share.bytes),
        collectives_messages_share: replayed.collective_share.map(|share| share.messages),
        machine: machine.spec().to_string(),
        ranks: placed.problem.num_ranks(),
        nodes: machine.num_nodes(),
        routing: machine.routing().name(),
        mapping: mapping.to_string(),
        model: model.to_string(),
        seconds: report.seconds,
        cycles: of_packets.then_some(report.ticks),
        seconds_per_cycle: of_packets.then_some(report.seconds_per_tick),
        waiting_share: report.waiting_share(),
        waiting_seconds: report.waiting_seconds.clone(),
        finished_seconds: report.finished_seconds.clone(),
        messages: report.messages,
        bytes: report.bytes,
        unreceived: report.unreceived,
        peak_in_flight: report.peak_in_flight,
        mean_message_seconds: report.mean_message_seconds,
        longest_message_seconds: report.longest_message_seconds,
        mean_queueing_seconds: report.mean_queueing_seconds,
        longest_queueing_seconds: report.longest_queueing_seconds,
        packet_hops: of_packets.then_some(report.packet_hops),
        num_links: report.num_links,
        links_used: report.links.len(),
        mean_link_utilisation: report.mean_utilisation(),
        max_link_utilisation: report.max_utilisation(),
        joules: report.joules(),
        link_kinds: report.kinds.iter().map(link_kind).collect(),
        timeline: TimelineRecord {
            bin_seconds: report.bin_seconds(),
            mean_link_utilisation: over_time.iter().map(|bin| bin.0).collect(),
            max_link_utilisation: over_time.iter().map(|bin| bin.1).collect(),
            in_flight_bin_seconds,
            messages_in_flight,
        },
        links: report.links.iter().map(link_use).collect(),
        search: placed.search.clone().map(|search| PlacementRecord { search }),
    }
}

fn link_kind(kind: &topoloom::sim::KindOfLink) -> LinkKindRecord {
    LinkKindRecord {
        bytes_per_second: kind.properties.bytes_per_second,
        latency_seconds: kind.properties.latency_seconds,
        joules_per_byte: kind.properties.joules_per_byte,
        idle_watts: kind.properties.idle_watts,
        links: kind.links,
        bytes: kind.bytes,
        transfer_joules: kind.transfer_joules,
        idle_joules: kind.idle_joules,
    }
}

fn link_use(link: &LinkUse) -> LinkUseRecord {
    let LinkUse { from, to, bytes, utilisation, .. } = *link;
    LinkUseRecord { from, to, bytes, utilisation }
}

/// A line a link that carried anything: its use as a whole and in each bin of time.
fn write_links(path: &Path, report: &Report) -> Result<(), WriteError> {
    atomic_write(path, |writer| {
        write!(writer, "from,to,bytes,utilisation")?;
        for bin in 0..report.utilisation_over_time().len() {
            write!(writer, ",{:.9}", bin as f64 * report.bin_seconds())?;
        }
        writeln!(writer)?;
        for link in &report.links {
            let LinkUse { from, to, bytes, utilisation, .. } = link;
            write!(writer, "{from},{to},{bytes},{utilisation:.6}")?;
            for utilisation in report.utilisation_of(link) {
                write!(writer, ",{utilisation:.4}")?;
            }
            writeln!(writer)?;
        }
        Ok(())
    })
}

/// Kinds of links whose energy is shown; JSON has all.
const KINDS_SHOWN: usize = 6;

fn show(record: &SimulationRecord, replayed: &Replayed, report: &Report) -> String {
    let mut rows: Vec<Vec<String>> = Vec::new();
    let mut row = |name: &str, value: String| rows.push(vec![name.to_string(), value]);
    row("time", duration(record.seconds));
    if let Some(cycles) = record.cycles {
        row("cycles", grouped(cycles as f64));
    }
    row("ranks wait, on average", percent(record.waiting_share));
    let longest = record.waiting_seconds.iter().enumerate().max_by(|a, b| a.1.total_cmp(b.1));
    if let Some((rank, &seconds)) = longest {
        row("  longest", format!("{} (rank {rank})", duration(seconds)));
    }
    row("messages", grouped(record.messages as f64));
    row("  bytes", grouped(record.bytes));
    row("  under way at once, at most", grouped(record.peak_in_flight as f64));
    row("  time of one, on average", duration(record.mean_message_seconds));
    row("  longest", duration(record.longest_message_seconds));
    let of = if record.packet_hops.is_some() {
        "queueing of a packet and hop"
    } else {
        "beyond its time alone"
    };
    row(&format!("  {of}"), duration(record.mean_queueing_seconds));
    row("  longest", duration(record.longest_queueing_seconds));
    row(
        "links used",
        format!("{} of {}", grouped(record.links_used as f64), grouped(record.num_links as f64)),
    );
    row("  busy, on average", percent(record.mean_link_utilisation));
    let busiest = report.links.iter().max_by(|a, b| a.utilisation.total_cmp(&b.utilisation));
    if let Some(LinkUse { from, to, utilisation, .. }) = busiest {
        row("  busiest", format!("{} ({from} to {to})", percent(*utilisation)));
    }
    row("energy of the links", energy(record.joules));
    for kind in record.link_kinds.iter().take(KINDS_SHOWN) {
        let name = format!(
            "  {} of {}/s",
            grouped(kind.links as f64),
            crate::output::numbers::bytes(kind.bytes_per_second)
        );
        let idle = energy(kind.idle_joules);
        row(&name, format!("{} of bytes, {idle} idle", energy(kind.transfer_joules)));
    }
    if record.link_kinds.len() > KINDS_SHOWN {
        row("  further kinds of links", grouped((record.link_kinds.len() - KINDS_SHOWN) as f64));
    }
    let mut text = format!(
        "{} ({} ranks)\n{}\non {} ({} nodes), {} routing\nmodel: {}\nmapping: {}\n\n",
        record.traffic,
        grouped(record.ranks as f64),
        replay_in_words(&record.replay, replayed.collective_share.as_ref()),
        record.machine,
        grouped(record.nodes as f64),
        record.routing,
        record.model,
        record.mapping,
    );
    text.push_str(&numbers_table(&["", ""], &rows));
    text.push_str(&format!(
        "\n links busy over time   mean  {}\n{:23} most  {}\n",
        bars(&record.timeline.mean_link_utilisation),
        "",
        bars(&record.timeline.max_link_utilisation),
    ));
    for note in record.search.iter().flat_map(|search| &search.search.notes) {
        text.push_str(&format!("\n{note}\n"));
    }
    text
}

/// What is replayed, and a line for what part collectives are.
pub fn replay_in_words(replay: &str, collectives: Option<&CollectiveShare>) -> String {
    let replay = if replay == "trace" { "events in order" } else { replay };
    match collectives {
        Some(share) => format!("{replay}\n{}", line_of_share(share)),
        None => replay.to_string(),
    }
}

/// Shares from 0 to 1 as a row of bars, each an eighth.
fn bars(shares: &[f64]) -> String {
    const BARS: [char; 9] = [' ', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
    let bar = |share: &f64| {
        // What is there at all is seen.
        let eighths = (share * 8.0).ceil().clamp(0.0, 8.0);
        BARS[eighths as usize]
    };
    shares.iter().map(bar).collect()
}
