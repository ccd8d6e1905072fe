//! The same for programs.

use serde_json::{Value, json};

use super::computed::{Computed, Ours};
use super::show::agree;
use super::simulated::MODEL;
use super::tables::Published;

/// A record for each row of ours.
pub fn records(computed: &Computed) -> Vec<Value> {
    let published = |place: usize| computed.table.rows.get(place);
    computed
        .rows
        .iter()
        .enumerate()
        .map(|(place, row)| record(computed, published(place), row))
        .collect()
}

pub fn record(computed: &Computed, published: Option<&Published>, ours: &Ours) -> Value {
    let table = computed.table;
    let of = |value: fn(&Published) -> Option<f64>| published.and_then(value);
    let simulated = match (&computed.simulation, ours.simulated) {
        (Ok((iterations, machine)), Some(found)) => json!({
            "model": MODEL,
            "machine": machine,
            "iterations": iterations,
            "seconds": found.seconds,
            "joules": found.joules(),
            "transfer_joules": found.transfer_joules,
            "idle_joules": found.idle_joules,
        }),
        _ => Value::Null,
    };
    let total = of(|published| published.total);
    json!({
        "table": table.table,
        "benchmark": table.benchmark,
        "traffic": table.traffic,
        "machine": table.machine,
        "strategy": ours.strategy,
        "objective": ours.objective,
        "published": {
            "total": total,
            "average": of(|published| published.average),
            "minimum": of(|published| published.minimum),
            "maximum": of(|published| published.maximum),
            "seconds": of(|published| published.seconds),
        },
        "ours": {
            "total": ours.links.total,
            "average": ours.links.average,
            "minimum": ours.links.minimum,
            "maximum": ours.links.maximum,
            "links_used": ours.links.count,
            "hops": ours.hops,
            "neighbours": ours.neighbours,
            "seconds": ours.seconds,
            "complete": ours.complete,
        },
        "simulated": simulated,
        "not_simulated": computed.simulation.as_ref().err().map(ToString::to_string),
        "totals_agree": total.is_some_and(|total| agree(total, ours.links.total)),
    })
}
