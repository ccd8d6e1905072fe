//! Platforms in TOML: clusters one by one, then a table of bandwidths.

use std::ops::Range;

use serde::Deserialize;
use toml::Spanned;
use topoloom_arrange::{
    Bandwidths, Cluster, Interpolation, InvalidPlatform, Latencies, Node, Platform, Speed,
};

use super::bandwidth_unit;
use super::limits::{MOST_CLUSTERS, MOST_NODES};
use super::speed_source::{SpeedReader, SpeedSource};
use crate::text::error::ReadError;
use crate::text::fault::Fault;
use crate::text::host_list;
use crate::text::number::shown;
use crate::text::source::Source;
use topoloom_core::words::counted;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Document {
    name: Option<String>,
    unit: Option<Spanned<String>>,
    interpolation: Option<Spanned<String>>,
    cluster: Vec<Spanned<ClusterTable>>,
    bandwidth: Spanned<BandwidthTable>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ClusterTable {
    name: String,
    nodes: Option<Spanned<i64>>,
    hosts: Option<Spanned<String>>,
    #[serde(default)]
    groups: Vec<String>,
    speed: Option<Spanned<f64>>,
    speeds: Option<Spanned<Speeds>>,
    interpolation: Option<Spanned<String>>,
}

#[derive(Deserialize)]
#[serde(untagged, expecting = "expected a list of speeds, one per node, or the name of a file")]
enum Speeds {
    File(String),
    Each(Vec<OneSpeed>),
}

#[derive(Deserialize)]
#[serde(untagged, expecting = "expected a speed, or the name of a file of speeds")]
enum OneSpeed {
    Number(f64),
    File(String),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct BandwidthTable {
    unit: Option<Spanned<String>>,
    matrix: Option<Rows>,
    levels: Option<Spanned<Vec<Spanned<Value>>>>,
    vertical: Option<Rows>,
    latency: Option<Spanned<LatencyTable>>,
    sharing: Option<Spanned<String>>,
}

/// A bandwidth in the platform's unit, or with its own.
#[derive(Deserialize)]
#[serde(untagged, expecting = "expected a bandwidth such as 891.2 or \"10 Gbit/s\"")]
enum Value {
    Number(f64),
    Text(String),
}

#[derive(Deserialize)]
#[serde(
    untagged,
    expecting = "expected a latency in seconds, one for each level of groups, or a table of them"
)]
enum LatencyTable {
    One(f64),
    Levels(Vec<f64>),
    Matrix(Vec<Vec<f64>>),
}

/// Messages between two clusters share the link between them.
const SHARED: &str = "shared";

/// Each message between two clusters has the whole bandwidth.
pub(super) const FAT_PIPE: &str = "fatpipe";

/// The default unit of bandwidths, in bytes per second.
const USUAL_UNIT: f64 = 1e6;

/// Reads a platform in TOML; `speeds` reads the speed files that it names.
pub fn parse_toml_platform(
    name: &str,
    bytes: &[u8],
    speeds: &SpeedReader<'_>,
) -> Result<Platform, ReadError> {
    let source = Source::new(name, bytes);
    let text = std::str::from_utf8(source.bytes())
        .map_err(|error| source.error_at(error.valid_up_to(), Fault::wanted("UTF-8 text")))?;
    let document: Document = toml::from_str(text).map_err(|error| {
        let message = error.message().trim().replace('`', "\"").replace('\n', "; ");
        let fault = Fault::Malformed(message);
        match error.span() {
            Some(span) => source.error_at(span.start, fault),
            None => source.error(fault),
        }
    })?;
    Reader { source, speeds }.platform(document)
}

struct Reader<'a> {
    source: Source<'a>,
    speeds: &'a SpeedReader<'a>,
}

impl Reader<'_> {
    fn error(&self, span: Range<usize>, fault: impl Into<Fault>) -> ReadError {
        self.source.error_at(span.start, fault)
    }

    fn platform(&self, document: Document) -> Result<Platform, ReadError> {
        let count = document.cluster.len();
        if count > MOST_CLUSTERS {
            let fault =
                Fault::TooLarge(format!("{count} clusters are too many; at most {MOST_CLUSTERS}"));
            return Err(self.source.error(fault));
        }
        let places: Vec<Range<usize>> = document.cluster.iter().map(Spanned::span).collect();
        let mut clusters: Vec<Cluster> = Vec::with_capacity(count);
        let mut nodes = 0;
        let usual = document.interpolation.as_ref().map(|text| self.interpolation(text));
        let usual = usual.transpose()?.unwrap_or_default();
        for table in document.cluster {
            let cluster = self.cluster(table, usual, MOST_NODES - nodes)?;
            nodes += cluster.nodes.len();
            clusters.push(cluster);
        }
        let at_bandwidth = document.bandwidth.span();
        let bandwidth = document.bandwidth.into_inner();
        let unit = match (document.unit, bandwidth.unit) {
            (Some(_), Some(second)) => {
                return Err(
                    self.error(second.span(), Fault::Repeated("the unit is given twice".into()))
                );
            }
            (Some(unit), None) | (None, Some(unit)) => Some(self.unit(&unit)?),
            (None, None) => None,
        };
        let tables = Tables { reader: self, clusters: &clusters, unit };
        let table = match (&bandwidth.matrix, &bandwidth.levels) {
            (Some(matrix), None) => tables.matrix(matrix)?,
            (None, Some(levels)) => tables.levels(levels)?,
            (None, None) => {
                return Err(self.error(at_bandwidth, Fault::wanted("\"matrix\" or \"levels\"")));
            }
            (Some(_), Some(levels)) => {
                let fault = Fault::expected("either \"matrix\" or \"levels\"", "both");
                return Err(self.error(levels.span(), fault));
            }
        };
        let vertical = bandwidth.vertical.as_ref().map(|table| tables.matrix(table)).transpose()?;
        let latency = bandwidth.latency.as_ref().map(|table| tables.latency(table)).transpose()?;
        let fat_pipes = match &bandwidth.sharing {
            Some(sharing) => self.has_fat_pipes(sharing)?,
            None => false,
        };
        let name = document.name.unwrap_or_else(|| "platform".to_string());
        let unit = unit.unwrap_or(USUAL_UNIT);
        let wrong = |error: InvalidPlatform, clusters: &[String]| {
            let fault = Fault::refused(&error);
            let named = |name: &str| clusters.iter().rposition(|known| known == name);
            let place = match &error {
                InvalidPlatform::SameName { kind: "cluster", name } => named(name),
                InvalidPlatform::Depth(name) => named(name),
                _ => None,
            };
            match place {
                Some(place) => self.error(places[place].clone(), fault),
                None => self.source.error(fault),
            }
        };
        let names: Vec<String> = clusters.iter().map(|cluster| cluster.name.clone()).collect();
        let platform = Platform::new(name, clusters, unit, table, vertical)
            .map_err(|error| wrong(error, &names))?;
        let platform = if fat_pipes { platform.with_fat_pipes() } else { platform };
        match latency {
            Some(latency) => platform.with_latency(latency).map_err(|error| wrong(error, &names)),
            None => Ok(platform),
        }
    }

    fn has_fat_pipes(&self, sharing: &Spanned<String>) -> Result<bool, ReadError> {
        match sharing.get_ref().as_str() {
            SHARED => Ok(false),
            FAT_PIPE => Ok(true),
            other => {
                let found = shown(other.as_bytes());
                let fault = Fault::expected(format!("\"{SHARED}\" or \"{FAT_PIPE}\""), found);
                Err(self.error(sharing.span(), fault))
            }
        }
    }

    fn unit(&self, unit: &Spanned<String>) -> Result<f64, ReadError> {
        bandwidth_unit::parse(unit.get_ref()).ok_or_else(|| {
            let found = shown(unit.get_ref().as_bytes());
            let fault = Fault::expected(bandwidth_unit::EXPECTED, found);
            self.error(unit.span(), fault)
        })
    }

    fn interpolation(&self, text: &Spanned<String>) -> Result<Interpolation, ReadError> {
        let kind = text.get_ref().parse::<Interpolation>();
        kind.map_err(|error| self.error(text.span(), error))
    }

    /// A cluster of at most `room` processors; speed files have the `usual` interpolation unless
    /// the cluster sets its own.
    fn cluster(
        &self,
        table: Spanned<ClusterTable>,
        usual: Interpolation,
        room: usize,
    ) -> Result<Cluster, ReadError> {
        let place = table.span();
        let table = table.into_inner();
        let hosts = self.hosts(&table, place.clone(), room)?;
        let speeds = self.speeds(&table, usual, place, hosts.len())?;
        let nodes = hosts.into_iter().zip(speeds);
        Ok(Cluster {
            name: table.name,
            groups: table.groups,
            nodes: nodes.map(|(name, speed)| Node { name, speed }).collect(),
        })
    }

    fn hosts(
        &self,
        table: &ClusterTable,
        place: Range<usize>,
        room: usize,
    ) -> Result<Vec<String>, ReadError> {
        let too_many = |span, found: i64| {
            let fault = Fault::TooLarge(format!(
                "{found} nodes are too many; at most {MOST_NODES} are possible in all clusters"
            ));
            Err(self.error(span, fault))
        };
        match (&table.nodes, &table.hosts) {
            (nodes, Some(hosts)) => {
                let names = host_list::parse_names(hosts.get_ref())
                    .map_err(|fault| self.error(hosts.span(), fault))?;
                if names.is_empty() {
                    return Err(self.error(hosts.span(), Fault::wanted("hosts such as n[01-16]")));
                }
                if names.len() > room {
                    return too_many(hosts.span(), names.len() as i64);
                }
                match nodes {
                    Some(nodes) if *nodes.get_ref() != names.len() as i64 => {
                        let fault = Fault::Contradiction(format!(
                            "{}, but {}",
                            counted(*nodes.get_ref(), "node"),
                            counted(names.len(), "host")
                        ));
                        Err(self.error(nodes.span(), fault))
                    }
                    _ => Ok(names),
                }
            }
            (Some(nodes), None) => match *nodes.get_ref() {
                count if count < 1 => {
                    let fault = Fault::expected("at least 1 node", count);
                    Err(self.error(nodes.span(), fault))
                }
                count if count > room as i64 => too_many(nodes.span(), count),
                _ if table.name.len() > host_list::LONGEST_NAME => {
                    let most = host_list::LONGEST_NAME;
                    Err(self.error(
                        place,
                        Fault::TooLarge(format!("a name of more than {most} letters")),
                    ))
                }
                count => {
                    let name = table.name.to_lowercase();
                    Ok((1..=count).map(|number| format!("{name}-{number}")).collect())
                }
            },
            (None, None) => Err(self.error(
                place,
                Fault::wanted("\"nodes\", their number, or \"hosts\", their names")
                    .within(format!("cluster {}", shown(table.name.as_bytes()))),
            )),
        }
    }

    /// The speeds of `count` nodes; 1 by default.
    fn speeds(
        &self,
        table: &ClusterTable,
        usual: Interpolation,
        place: Range<usize>,
        count: usize,
    ) -> Result<Vec<Speed>, ReadError> {
        let own = table.interpolation.as_ref().map(|text| self.interpolation(text)).transpose()?;
        let interpolation = own.unwrap_or(usual);
        let file = |name: &str| SpeedSource::file(self.source.name(), name, interpolation);
        let (span, sources) = match (&table.speed, &table.speeds) {
            (Some(_), Some(speeds)) => {
                let fault = Fault::expected("either \"speed\" or \"speeds\"", "both");
                return Err(self.error(speeds.span(), fault));
            }
            (Some(speed), None) => (speed.span(), vec![SpeedSource::Constant(*speed.get_ref())]),
            (None, None) => (place, vec![SpeedSource::Constant(1.0)]),
            (None, Some(speeds)) => {
                let sources = match speeds.get_ref() {
                    Speeds::File(name) => vec![file(name)],
                    Speeds::Each(each) if each.len() != count => {
                        let fault = Fault::expected(
                            format!("{count}, one per node", count = counted(count, "speed")),
                            each.len(),
                        );
                        return Err(self.error(speeds.span(), fault));
                    }
                    Speeds::Each(each) => each
                        .iter()
                        .map(|one| match one {
                            OneSpeed::Number(speed) => SpeedSource::Constant(*speed),
                            OneSpeed::File(name) => file(name),
                        })
                        .collect(),
                };
                (speeds.span(), sources)
            }
        };
        let files = sources.iter().any(|source| matches!(source, SpeedSource::File { .. }));
        if let Some(interpolation) = table.interpolation.as_ref().filter(|_| !files) {
            let fault =
                Fault::Missing("an interpolation needs \"speeds\" with the name of a file".into());
            return Err(self.error(interpolation.span(), fault));
        }
        let mut speeds: Vec<Speed> = Vec::with_capacity(sources.len());
        for (at, source) in sources.iter().enumerate() {
            if let SpeedSource::Constant(speed) = *source
                && !(speed.is_finite() && speed > 0.0)
            {
                let fault = Fault::expected("a speed above 0", speed);
                return Err(self.error(span, fault));
            }
            // Nodes of one kind name one file, which is read once.
            if at > 0 && *source == sources[at - 1] {
                speeds.push(speeds[at - 1].clone());
                continue;
            }
            let speed = source.resolve(self.speeds);
            speeds.push(speed.map_err(|fault| self.error(span.clone(), fault))?);
        }
        // One for all, unless there is one for each.
        if speeds.len() != count {
            let speed = speeds.pop().expect("one speed for all nodes");
            speeds = vec![speed; count];
        }
        Ok(speeds)
    }
}

/// Tables between clusters, given directly or by levels of groups.
struct Tables<'a> {
    reader: &'a Reader<'a>,
    clusters: &'a [Cluster],
    unit: Option<f64>,
}

type Rows = Spanned<Vec<Spanned<Vec<Spanned<Value>>>>>;

impl Tables<'_> {
    /// A bandwidth in the platform's unit.
    fn value(&self, value: &Spanned<Value>) -> Result<f64, ReadError> {
        let number = match (value.get_ref(), self.unit) {
            (Value::Number(number), Some(_)) => *number,
            (Value::Number(_), None) => {
                let fault = Fault::Missing(format!(
                    "plain numbers need \"unit\", {}, at the beginning of the file",
                    bandwidth_unit::EXPECTED
                ));
                return Err(self.reader.error(value.span(), fault));
            }
            (Value::Text(text), unit) => {
                let bytes = bandwidth_unit::parse_quantity(text).ok_or_else(|| {
                    let found = shown(text.as_bytes());
                    let fault = Fault::expected("a bandwidth such as \"10 Gbit/s\"", found);
                    self.reader.error(value.span(), fault)
                })?;
                bytes / unit.unwrap_or(USUAL_UNIT)
            }
        };
        if number.is_finite() && number > 0.0 {
            return Ok(number);
        }
        let fault = Fault::expected("a bandwidth above 0", number);
        Err(self.reader.error(value.span(), fault))
    }

    /// A square, or the triangle from the diagonal to the right.
    fn matrix(&self, rows: &Rows) -> Result<Bandwidths, ReadError> {
        let count = self.clusters.len();
        let found = rows.get_ref().len();
        if found != count {
            let expected = counted(count, "row");
            let fault =
                Fault::expected(format!("{expected}, one per cluster in their order"), found);
            return Err(self.reader.error(rows.span(), fault));
        }
        let length = |row: usize| rows.get_ref()[row].get_ref().len();
        let triangle = count > 1 && (0..count).all(|row| length(row) == count - row);
        let mut values = vec![0.0; count * count];
        for (from, row) in rows.get_ref().iter().enumerate() {
            let start = if triangle { from } else { 0 };
            if row.get_ref().len() != count - start {
                let fault = Fault::expected(
                    format!("{count}, one per cluster", count = counted(count, "bandwidth")),
                    row.get_ref().len(),
                );
                return Err(self.reader.error(row.span(), fault));
            }
            for (to, value) in (start..).zip(row.get_ref()) {
                let value = self.value(value)?;
                values[from * count + to] = value;
                if triangle {
                    values[to * count + from] = value;
                }
            }
        }
        Bandwidths::new(count, values)
            .ok_or_else(|| self.reader.error(rows.span(), Fault::wanted("bandwidths above 0")))
    }

    fn levels(&self, levels: &Spanned<Vec<Spanned<Value>>>) -> Result<Bandwidths, ReadError> {
        let values = levels.get_ref().iter().map(|value| self.value(value));
        let values = values.collect::<Result<Vec<f64>, _>>()?;
        let table = self.by_levels(&values, levels.span())?;
        Bandwidths::new(self.clusters.len(), table)
            .ok_or_else(|| self.reader.error(levels.span(), Fault::wanted("bandwidths above 0")))
    }

    /// One value for inside a cluster, one for the innermost group around it, and so on.
    fn by_levels(&self, values: &[f64], span: Range<usize>) -> Result<Vec<f64>, ReadError> {
        let depth = self.clusters.first().map_or(0, |cluster| cluster.groups.len());
        if let Some(other) = self.clusters.iter().find(|cluster| cluster.groups.len() != depth) {
            let error = InvalidPlatform::Depth(other.name.clone());
            return Err(self.reader.source.error(Fault::refused(error)));
        }
        let needed = depth + 2;
        // One cluster alone has no outside.
        if values.len() != needed && !(values.len() == 1 && self.clusters.len() == 1) {
            let fault = Fault::expected(
                format!(
                    "{needed} (inside a cluster, then inside each group around it, then between the outermost)",
                    needed = counted(needed, "level")
                ),
                values.len(),
            );
            return Err(self.reader.error(span, fault));
        }
        let level = |from: usize, to: usize| {
            let (one, other) = (&self.clusters[from], &self.clusters[to]);
            if from == to {
                return 0;
            }
            let common = one.groups.iter().zip(&other.groups).take_while(|(a, b)| a == b).count();
            depth - common + 1
        };
        let count = self.clusters.len();
        let pairs = (0..count).flat_map(|from| (0..count).map(move |to| (from, to)));
        Ok(pairs.map(|(from, to)| values[level(from, to)]).collect())
    }

    fn latency(&self, table: &Spanned<LatencyTable>) -> Result<Latencies, ReadError> {
        let count = self.clusters.len();
        let values = match table.get_ref() {
            LatencyTable::One(one) => vec![*one; count * count],
            LatencyTable::Levels(levels) => self.by_levels(levels, table.span())?,
            LatencyTable::Matrix(rows) => {
                if rows.len() != count || rows.iter().any(|row| row.len() != count) {
                    let fault = Fault::wanted(format!("{count} rows of {count} latencies"));
                    return Err(self.reader.error(table.span(), fault));
                }
                rows.concat()
            }
        };
        Latencies::new(count, values).ok_or_else(|| {
            self.reader.error(table.span(), Fault::wanted("latencies of at least 0, in seconds"))
        })
    }
}
