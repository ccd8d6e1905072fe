//! `topoloom simulate`: how fast a placement would run.

use std::path::{Path, PathBuf};

use clap::Args;
use topoloom::core::{Problem, Topology, Weight};
use topoloom::io::{
    LinkKindRecord, LinkUseRecord, PlacementRecord, SimulationRecord, StoppedRecord,
    TimelineRecord, WriteError, atomic_write,
};
use topoloom::sim::{LinkUse, Model, Outcome, Report, Stopped};

use crate::arguments::{ReplayedArguments, SearchArguments, parse_imbalance};
use crate::inputs::{Replayed, load_machine, load_replayed};
use crate::output::numbers::{duration, energy, grouped, percent, plural};
use crate::output::table::numbers_table;
use crate::output::{print, print_json, warn};
use crate::outputs;
use crate::placing::placement::{Placed, place};
use crate::placing::search::Searches;
use crate::simulation::{replay_in_words, simulated, stopped_in_words};

#[derive(Debug, Args)]
pub struct SimulateArguments {
    #[command(flatten)]
    pub replayed: ReplayedArguments,
    /// A machine such as torus:4x4x4 (see `topoloom list topologies`), or a file that holds one
    #[arg(long, value_name = "MACHINE")]
    pub machine: String,
    /// How messages travel, such as dimension-order:zyx [default: the machine's default]
    #[arg(long)]
    pub routing: Option<String>,
    /// A mapping file, or a strategy whose placement is simulated
    #[arg(long, visible_alias = "strategy", value_name = "FILE-OR-STRATEGY")]
    pub mapping: String,
    /// How messages travel in the simulation: flow or packet, with options (see
    /// `topoloom list simulators`)
    #[arg(long, default_value = "flow")]
    pub model: String,
    /// What counts for a strategy: bytes or messages
    #[arg(long, default_value = "bytes")]
    pub weight: Weight,
    /// Let several ranks share a slot. A slot takes up to (1 + E) times the average weight: 0.03 is
    /// 3 % more
    #[arg(long, value_name = "E", value_parser = parse_imbalance, allow_negative_numbers = true)]
    pub imbalance: Option<f64>,
    #[command(flatten)]
    pub search: SearchArguments,
    /// Write the use of each link over time to this file, as CSV
    #[arg(long, value_name = "FILE")]
    pub links: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

pub fn run(arguments: SimulateArguments) -> anyhow::Result<()> {
    if let Some(path) = &arguments.links {
        let replayed = &arguments.replayed;
        let inputs = [replayed.traffic.as_ref(), replayed.trace.as_ref()].into_iter().flatten();
        let inputs = inputs.chain([&arguments.machine, &arguments.mapping]);
        outputs::check(path, inputs.map(String::as_str))?;
    }
    let searches = Searches::new(arguments.search)?.leave_half_of_limit();
    let model = Model::parse(&arguments.model)?;
    let machine = load_machine(&arguments.machine, arguments.routing.as_deref())?;
    let replayed = load_replayed(&arguments.replayed)?;
    let make_problem = |imbalance: Option<f64>| -> anyhow::Result<Problem> {
        let traffic = replayed.trace.traffic();
        Ok(Problem::with_imbalance(traffic, machine.clone(), arguments.weight, imbalance)?)
    };
    let placed = place(&arguments.mapping, arguments.imbalance, make_problem, &searches)?;
    let rest = searches.rest_of_limit(placed.started);
    let outcome = searches
        .interrupt
        .during(|| simulated(&replayed.trace, &machine, &placed.mapping, &model, &rest))?;
    let report = match outcome {
        Outcome::Finished(report) => report,
        Outcome::Stopped(stopped) => {
            if let Some(path) = &arguments.links {
                warn(&format!("{}: not written, because the run did not end", path.display()));
            }
            let names = [&arguments.mapping, &arguments.model];
            show_stopped(&stopped, &replayed, &placed, names, arguments.json);
            return Ok(());
        }
    };
    if report.unreceived > 0 {
        let number = grouped(report.unreceived as f64);
        warn(&format!("messages that were sent and never received: {number}"));
    }
    if !report.joules().is_finite() {
        warn(
            "the energy of the links is more than a number can hold: check the joules per byte and \
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
        print(&show(&record, &replayed, &report, placed.problem.machine().topology()));
    }
    Ok(())
}

fn show_stopped(
    stopped: &Stopped,
    replayed: &Replayed,
    placed: &Placed,
    [mapping, model]: [&String; 2],
    json: bool,
) {
    warn("the simulation was cut short: the time of the whole run is not known");
    let machine = placed.problem.machine();
    let record = StoppedRecord {
        traffic: replayed.name.clone(),
        replay: replayed.replay.clone(),
        collectives: replayed.collectives.clone(),
        machine: machine.spec().to_string(),
        ranks: stopped.ranks,
        nodes: machine.num_nodes(),
        routing: machine.routing().name(),
        mapping: mapping.clone(),
        model: model.clone(),
        complete: false,
        seconds: None,
        stopped_after_seconds: stopped.after_seconds,
        messages: stopped.messages,
        messages_in_all: stopped.messages_in_all,
        bytes: stopped.bytes,
        ranks_finished: stopped.ranks_finished,
        search: placed.search.clone().map(|search| PlacementRecord { search }),
    };
    if json {
        return print_json(&record);
    }
    let collectives = replayed.collective_share.as_ref();
    print(&format!(
        "{}\n{}\n",
        headline(
            [&record.traffic, &replay_in_words(&record.replay, collectives), &record.machine],
            [record.ranks, record.nodes],
            [&record.routing, &record.model, &record.mapping],
        ),
        stopped_in_words(stopped)
    ));
}

/// What was replayed, and on which machine.
fn headline(
    [traffic, replay, machine]: [&str; 3],
    [ranks, nodes]: [usize; 2],
    [routing, model, mapping]: [&str; 3],
) -> String {
    format!(
        "{traffic} ({})\n{replay}\non {machine} ({}), {routing} routing\nmodel: {model}\n\
         mapping: {mapping}\n",
        plural(ranks, "rank"),
        plural(nodes, "node"),
    )
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
        complete: true,
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

/// One line per link that carried anything: its use as a whole and in each bin of time.
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

/// Kinds of links whose energy is shown; JSON has all of them.
const KINDS_SHOWN: usize = 6;

fn show(
    record: &SimulationRecord,
    replayed: &Replayed,
    report: &Report,
    topology: &dyn Topology,
) -> String {
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
    row("  most in flight at once", grouped(record.peak_in_flight as f64));
    row("  time of one, on average", duration(record.mean_message_seconds));
    row("  longest", duration(record.longest_message_seconds));
    let of = if record.packet_hops.is_some() {
        "queueing of a packet and hop"
    } else {
        "delay from contention"
    };
    row(&format!("  {of}"), duration(record.mean_queueing_seconds));
    row("  longest", duration(record.longest_queueing_seconds));
    row(
        "links used",
        format!("{} of {}", grouped(record.links_used as f64), grouped(record.num_links as f64)),
    );
    row("  busy, on average", percent(record.mean_link_utilisation));
    let busiest = report.links.iter().max_by(|a, b| a.utilisation.total_cmp(&b.utilisation));
    if let Some(LinkUse { id, from, to, utilisation, .. }) = busiest {
        let name = match topology.cluster() {
            Some(_) => topology.link_name(*id).unwrap_or_default(),
            None => format!("{from} to {to}"),
        };
        row("  busiest", format!("{} ({name})", percent(*utilisation)));
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
    let replay = replay_in_words(&record.replay, replayed.collective_share.as_ref());
    let mut text = headline(
        [&record.traffic, &replay, &record.machine],
        [record.ranks, record.nodes],
        [&record.routing, &record.model, &record.mapping],
    );
    text.push('\n');
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

/// Shares from 0 to 1 as a row of bars, with a resolution of one eighth.
fn bars(shares: &[f64]) -> String {
    const BARS: [char; 9] = [' ', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
    let bar = |share: &f64| {
        // Even a very small share is visible.
        let eighths = (share * 8.0).ceil().clamp(0.0, 8.0);
        BARS[eighths as usize]
    };
    shares.iter().map(bar).collect()
}
