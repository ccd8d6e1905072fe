//! Scores as JSON and CSV: the field names that other programs rely on.

use serde::{Serialize, Serializer};

/// Writes whole numbers without a decimal point, to keep byte counts exact for every reader.
pub(crate) fn number<S: Serializer>(value: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    if value.fract() == 0.0 && value.abs() <= EXACT {
        serializer.serialize_i64(*value as i64)
    } else {
        serializer.serialize_f64(*value)
    }
}

fn optional_number<S: Serializer>(value: &Option<f64>, serializer: S) -> Result<S::Ok, S::Error> {
    match value {
        Some(value) => number(value, serializer),
        None => serializer.serialize_none(),
    }
}

/// Total, average, minimum and maximum of a statistic.
#[derive(Debug, Clone, Serialize)]
pub struct SummaryRecord {
    /// How many numbers there are.
    pub count: u64,
    /// Their sum.
    #[serde(serialize_with = "number")]
    pub total: f64,
    /// Their mean.
    #[serde(serialize_with = "number")]
    pub average: f64,
    /// The smallest.
    #[serde(serialize_with = "number")]
    pub minimum: f64,
    /// The largest.
    #[serde(serialize_with = "number")]
    pub maximum: f64,
}

/// What directed links carry; null on machines without links.
#[derive(Debug, Clone, Serialize)]
pub struct LinkRecord {
    /// The largest load, in units of the weight.
    #[serde(serialize_with = "optional_number")]
    pub max_link_load: Option<f64>,
    /// The number of links that carry anything.
    pub links_used: Option<u64>,
    /// The mean load over links used.
    #[serde(serialize_with = "optional_number")]
    pub average_link_load: Option<f64>,
    /// The smallest load over links used.
    #[serde(serialize_with = "optional_number")]
    pub min_link_load: Option<f64>,
    /// The largest load divided by the link's bandwidth relative to the fastest.
    #[serde(serialize_with = "optional_number")]
    pub max_relative_load: Option<f64>,
    /// The link that has it: both of its ends.
    pub busiest_link: Option<String>,
    /// The largest load of a link between two switches.
    #[serde(serialize_with = "optional_number")]
    pub max_switch_link_load: Option<f64>,
    /// The largest load of a link inside a host.
    #[serde(serialize_with = "optional_number")]
    pub max_inner_load: Option<f64>,
}

/// The statistics of the HAEC thesis. A node is a host if the machine has hosts.
#[derive(Debug, Clone, Serialize)]
pub struct ThesisRecord {
    /// Each pair of ranks.
    pub inter_process_logical: SummaryRecord,
    /// Each pair of ranks on one node.
    pub intra_node_logical: SummaryRecord,
    /// Each pair of nodes.
    pub inter_node_logical: SummaryRecord,
    /// Each undirected link used; null on machines without links.
    pub inter_node_physical: Option<SummaryRecord>,
}

/// The share of collectives in the traffic.
#[derive(Debug, Clone, Serialize)]
pub struct CollectivesRecord {
    /// How they were treated: `none`, `direct` or `algorithm` with its options. If they were left
    /// out, the shares say how much is missing, counted as `direct`.
    pub collectives: String,
    /// Their share of all bytes, from 0 to 1.
    pub collectives_bytes_share: f64,
    /// Their share of all messages, from 0 to 1.
    pub collectives_messages_share: f64,
}

/// What a placement gains over the one it would replace, under the objective of the search.
#[derive(Debug, Clone, Serialize)]
pub struct GainRecord {
    /// The placement it is compared with: `present`, `in-order` or `block`.
    pub baseline: String,
    /// The cost of the baseline.
    #[serde(serialize_with = "number")]
    pub baseline_cost: f64,
    /// How much less the placement that was found costs, as a share of that cost; negative if it
    /// costs more, null if the baseline costs nothing.
    pub gain: Option<f64>,
    /// Whether the baseline was kept because the gain is too small; then the score is the
    /// baseline's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kept: Option<bool>,
    /// How much less time a simulated run takes, as a share of the baseline's; none if no run was
    /// simulated.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub simulated_gain: Option<f64>,
}

/// What travels through a level of the machine.
#[derive(Debug, Clone, Serialize)]
pub struct LevelRecord {
    /// The level, such as `L2`, `package` or `switch1`.
    pub name: String,
    /// What a unit of weight costs there.
    pub distance: u32,
    /// The weight that travels through it.
    #[serde(serialize_with = "number")]
    pub weight: f64,
}

/// What a placement does to the groups of a kind.
#[derive(Debug, Clone, Serialize)]
pub struct GroupRecord {
    /// The kind, such as `tp`.
    pub name: String,
    /// How many groups there are.
    pub groups: usize,
    /// The members of the largest.
    pub size: u32,
    /// What each of its bytes counts.
    pub weight: f64,
    /// Bytes that all members send in a step.
    #[serde(serialize_with = "number")]
    pub bytes: f64,
    /// The same by level, innermost first.
    pub levels: Vec<GroupLevelRecord>,
    /// The most parts just below the outermost level that a group is in.
    pub spread: usize,
    /// Bytes of the busiest link by its bandwidth, if only this kind used it; null without links.
    pub estimated_seconds: Option<f64>,
    /// That link; null without links.
    pub busiest_link: Option<String>,
}

/// What the groups of a kind send through a level.
#[derive(Debug, Clone, Serialize)]
pub struct GroupLevelRecord {
    /// The level.
    pub name: String,
    /// Bytes between members whose smallest common part is of this level.
    #[serde(serialize_with = "number")]
    pub bytes: f64,
    /// Groups whose members are in several parts below it.
    pub cut: usize,
}

/// How a placement was found.
#[derive(Debug, Clone, Serialize)]
pub struct SearchRecord {
    /// The strategy.
    pub strategy: String,
    /// What it optimised: the objective given, or the strategy's own.
    pub objective: String,
    /// The value of that objective.
    #[serde(serialize_with = "number")]
    pub objective_cost: f64,
    /// The same value for people, without the part that only breaks ties.
    #[serde(skip)]
    pub shown_cost: f64,
    /// The seed.
    pub seed: u64,
    /// How long it took.
    #[serde(serialize_with = "number")]
    pub seconds: f64,
    /// Placements or exchanges judged.
    pub evaluations: u64,
    /// False if a limit stopped it early.
    pub complete: bool,
    /// Remarks of the strategy.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// What several runs with different seeds gave, under the objective.
#[derive(Debug, Clone, Serialize)]
pub struct RepeatRecord {
    /// How many runs there were.
    pub repeat: usize,
    /// The lowest cost of any run.
    #[serde(serialize_with = "number")]
    pub best: f64,
    /// The mean cost.
    #[serde(serialize_with = "number")]
    pub mean: f64,
    /// The standard deviation of the costs, as of a sample.
    #[serde(serialize_with = "number")]
    pub deviation: f64,
    /// The probability that chance alone causes such a large difference from the strategy with the
    /// lowest mean; null for that strategy itself.
    pub p_value: Option<f64>,
    /// Whether that is less than 0.05.
    pub significant: Option<bool>,
}

/// A score with everything it depends on.
#[derive(Debug, Clone, Serialize)]
pub struct ScoreRecord {
    /// The traffic as given.
    pub traffic: String,
    /// The machine as given.
    pub machine: String,
    /// The number of ranks.
    pub ranks: usize,
    /// The number of nodes; on described clusters, of places on hosts.
    pub nodes: usize,
    /// What counts: bytes or messages.
    pub weight: String,
    /// The share of collectives, if there are any.
    #[serde(flatten)]
    pub collectives: Option<CollectivesRecord>,
    /// Sum over directed pairs of weight times distance.
    #[serde(serialize_with = "number")]
    pub hop_bytes: f64,
    /// Sum of all weights.
    #[serde(serialize_with = "number")]
    pub total_weight: f64,
    /// Hop-bytes divided by the total weight.
    #[serde(serialize_with = "number")]
    pub average_dilation: f64,
    /// The largest distance between partners.
    pub max_dilation: u32,
    /// What links carry.
    #[serde(flatten)]
    pub links: LinkRecord,
    /// What stays on its node; on described clusters, on its host.
    #[serde(serialize_with = "number")]
    pub intra_node_weight: f64,
    /// What leaves its node; on described clusters, its host.
    #[serde(serialize_with = "number")]
    pub inter_node_weight: f64,
    /// Unordered pairs of partners at distance 0 or 1.
    pub cardinality: u64,
    /// The most pairs of ranks that share a link; null on machines without links.
    pub congestion: Option<u64>,
    /// The bound: no placement has fewer hop-bytes; null if a limit left no time to find it.
    #[serde(serialize_with = "optional_number")]
    pub lower_bound: Option<f64>,
    /// The name of the bound that says so.
    pub lower_bound_name: Option<String>,
    /// Hop-bytes divided by the lower bound, minus 1; null if the bound is 0 or missing.
    #[serde(serialize_with = "optional_number")]
    pub gap: Option<f64>,
    /// No placement has a smaller `max_relative_load`; null if there is no such bound.
    #[serde(serialize_with = "optional_number")]
    pub link_load_bound: Option<f64>,
    /// The routing.
    pub routing: String,
    /// The number of hosts, if nodes are places on them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hosts: Option<usize>,
    /// What travels through which level, innermost first, on machines of groups in groups.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub levels: Option<Vec<LevelRecord>>,
    /// The cost `group-bytes` of a training job.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub group_bytes: Option<f64>,
    /// The cost `cost-matrix`, if costs between nodes are given.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "optional_number")]
    pub cost_matrix: Option<f64>,
    /// Whether the machine only has as many nodes as there are costs. Then distances mean nothing.
    #[serde(skip)]
    pub only_costs: bool,
    /// What the groups of a training job send, kind by kind.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub groups: Option<Vec<GroupRecord>>,
    /// The same for the placement that it was compared with.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub baseline_groups: Option<Vec<GroupRecord>>,
    /// The statistics of the HAEC thesis.
    pub statistics: ThesisRecord,
    /// How the placement was found, if it was.
    #[serde(flatten)]
    pub search: Option<SearchRecord>,
    /// What it gains, if it was compared with the placement it would replace.
    #[serde(flatten)]
    pub gain: Option<GainRecord>,
    /// The results of other seeds, if there were any. All other fields are those of the best run.
    #[serde(flatten)]
    pub repeats: Option<RepeatRecord>,
}

/// A strategy that does not fit the problem.
#[derive(Debug, Clone, Serialize)]
pub struct NotApplicableRecord {
    /// The strategy.
    pub strategy: String,
    /// Why it does not fit.
    pub not_applicable: String,
}

/// One line of a comparison.
#[derive(Debug, Clone, Serialize)]
#[serde(untagged)]
pub enum ComparisonRecord {
    /// A strategy and its score.
    Scored(Box<ScoreRecord>),
    /// A strategy that does not fit.
    NotApplicable(NotApplicableRecord),
}

/// The columns of the CSV form, in order; detailed statistics are only in JSON.
const COLUMNS: &[&str] = &[
    "strategy",
    "hop_bytes",
    "total_weight",
    "average_dilation",
    "max_dilation",
    "max_link_load",
    "links_used",
    "average_link_load",
    "min_link_load",
    "max_relative_load",
    "busiest_link",
    "max_switch_link_load",
    "max_inner_load",
    "intra_node_weight",
    "inter_node_weight",
    "cardinality",
    "congestion",
    "lower_bound",
    "gap",
    "seconds",
    "evaluations",
    "complete",
    "seed",
    "weight",
    "routing",
    "ranks",
    "nodes",
    "traffic",
    "machine",
    "collectives",
    "collectives_bytes_share",
    "collectives_messages_share",
    "baseline",
    "baseline_cost",
    "gain",
    "not_applicable",
];

/// One more column, if costs between nodes are given.
const COST_COLUMN: &str = "cost_matrix";

/// More columns, if strategies ran several times.
const REPEAT_COLUMNS: &[&str] = &["repeat", "best", "mean", "deviation", "p_value", "significant"];

/// A comparison as CSV, with a header.
pub fn comparison_csv(records: &[ComparisonRecord]) -> String {
    let scored = || {
        records.iter().filter_map(|record| match record {
            ComparisonRecord::Scored(record) => Some(record),
            ComparisonRecord::NotApplicable(_) => None,
        })
    };
    let mut columns = COLUMNS.to_vec();
    if scored().any(|record| record.cost_matrix.is_some()) {
        columns.push(COST_COLUMN);
    }
    if scored().any(|record| record.repeats.is_some()) {
        columns.extend(REPEAT_COLUMNS);
    }
    let mut text = columns.join(",");
    text.push('\n');
    for record in records {
        let value = serde_json::to_value(record).expect("records have no maps with odd keys");
        let cells: Vec<String> = columns
            .iter()
            .map(|&column| match &value[column] {
                serde_json::Value::Null => String::new(),
                serde_json::Value::String(text) => quoted(text),
                other => other.to_string(),
            })
            .collect();
        text.push_str(&cells.join(","));
        text.push('\n');
    }
    text
}

/// The text, in quotes if it needs them.
fn quoted(text: &str) -> String {
    if text.contains([',', '"', '\n']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_string()
    }
}
