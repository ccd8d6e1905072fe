//! A score as one record, for JSON and CSV.

use topoloom::core::insight::CollectiveShare;
use topoloom::core::{LevelWeight, Problem, Score};
use topoloom::io::{
    LevelRecord, LinkRecord, ScoreRecord, SearchRecord, SummaryRecord, ThesisRecord,
};

use crate::output;
use crate::placing::search::Found;

/// The record of a score.
pub fn record(
    problem: &Problem,
    traffic: &str,
    collectives: Option<&CollectiveShare>,
    score: &Score,
) -> ScoreRecord {
    let machine = problem.machine();
    let summary = |summary: &topoloom::core::Summary| SummaryRecord {
        count: summary.count,
        total: summary.total,
        average: summary.average,
        minimum: summary.minimum,
        maximum: summary.maximum,
    };
    ScoreRecord {
        traffic: traffic.to_string(),
        machine: machine.spec().to_string(),
        ranks: problem.num_ranks(),
        nodes: machine.num_nodes(),
        weight: problem.weight().to_string(),
        collectives: collectives.map(output::collectives::record),
        hop_bytes: score.hop_bytes,
        total_weight: score.total_weight,
        average_dilation: score.average_dilation(),
        max_dilation: score.max_dilation,
        links: LinkRecord {
            max_link_load: score.links.map(|links| links.load.maximum),
            links_used: score.links.map(|links| links.load.count),
            average_link_load: score.links.map(|links| links.load.average),
            min_link_load: score.links.map(|links| links.load.minimum),
            max_relative_load: score.links.map(|links| links.max_relative_load),
            busiest_link: score
                .links
                .and_then(|links| machine.topology().link_name(links.busiest?)),
            max_switch_link_load: score.links.map(|links| links.max_switch_load),
            max_inner_load: score.links.map(|links| links.max_inner_load),
        },
        intra_node_weight: score.intra_node_weight,
        inter_node_weight: score.inter_node_weight,
        cardinality: score.cardinality,
        congestion: score.thesis.congestion,
        lower_bound: score.lower_bound,
        lower_bound_name: score.lower_bound_name.map(str::to_string),
        gap: score.gap(),
        link_load_bound: score.link_load_bound,
        routing: machine.routing().name(),
        hosts: machine.topology().cluster().map(|cluster| cluster.description().hosts.len()),
        levels: score.levels.as_ref().map(|levels| levels.iter().map(level).collect()),
        statistics: ThesisRecord {
            inter_process_logical: summary(&score.thesis.inter_process_logical),
            intra_node_logical: summary(&score.thesis.intra_node_logical),
            inter_node_logical: summary(&score.thesis.inter_node_logical),
            inter_node_physical: score.thesis.inter_node_physical.as_ref().map(summary),
        },
        group_bytes: None,
        cost_matrix: None,
        only_costs: false,
        groups: None,
        baseline_groups: None,
        search: None,
        gain: None,
        repeats: None,
    }
}

fn level(level: &LevelWeight) -> LevelRecord {
    LevelRecord { name: level.name.clone(), distance: level.distance, weight: level.weight }
}

/// What is known about the search that led to a score.
pub fn search_record(strategy: &str, found: &Found) -> SearchRecord {
    let run = &found.run;
    SearchRecord {
        strategy: strategy.to_string(),
        objective: found.objective.to_string(),
        objective_cost: found.cost,
        shown_cost: found.shown_cost,
        seed: run.seed(),
        seconds: found.seconds,
        evaluations: run.evaluations(),
        complete: !run.was_cut_short(),
        notes: run.notes().to_vec(),
    }
}
