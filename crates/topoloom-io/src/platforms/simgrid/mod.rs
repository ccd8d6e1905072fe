//! Platforms of the simulator SimGrid: XML of versions 3 and 4.

mod notation;
mod read;
mod star;
mod units;
mod ways;
mod write;
mod zones;

use topoloom_arrange::{Bandwidths, Cluster, Latencies, Node, Platform, Speed};

use star::FatPipes;
pub use star::Star;
pub use write::write_simgrid_platform;

use super::limits::MOST_CLUSTERS;
use super::read_platform::ReadPlatform;
use crate::text::error::ReadError;
use crate::text::fault::Fault;
use crate::text::number::shown;
use crate::text::source::Source;
use crate::text::warnings::Warnings;
use crate::text::xml;
use notation::UNIT;
use ways::{End, Way, Ways};
use zones::{PointKind, ZoneId, Zones};

/// The largest number of clusters for which routes are compared to find shared links.
const MOST_COMPARED: usize = 256;

/// Reads a platform of SimGrid, and what is left out of it.
///
/// ```
/// let xml = r#"<platform version="4.1"><cluster id="c" prefix="n" suffix="" radical="0-3"
///   speed="1Gf" bw="125MBps" lat="50us"/></platform>"#;
/// let (platform, _) =
///     topoloom_io::platforms::parse_simgrid_platform("c.xml", xml.as_bytes()).unwrap();
/// assert_eq!(platform.bandwidth().between(0, 0), 125.0);
/// ```
pub fn parse_simgrid_platform(name: &str, bytes: &[u8]) -> Result<(Platform, Warnings), ReadError> {
    let read = parse(&Source::new(name, bytes))?;
    Ok((read.platform, read.warnings))
}

pub(super) fn parse(source: &Source<'_>) -> Result<ReadPlatform, ReadError> {
    let document = xml::parse(source)?;
    let (zones, warnings) = read::read(*source, &document)?;
    platform(source, &zones, warnings)
}

/// The platform that the zones describe.
fn platform(
    source: &Source<'_>,
    zones: &Zones,
    mut warnings: Warnings,
) -> Result<ReadPlatform, ReadError> {
    let clusters: Vec<ZoneId> =
        (0..zones.zones.len()).filter(|&zone| !zones.zones[zone].hosts.is_empty()).collect();
    let count = clusters.len();
    if count == 0 {
        return Err(source.error(Fault::expected("hosts in the platform", "none")));
    }
    if count > MOST_CLUSTERS {
        let fault =
            Fault::TooLarge(format!("{count} clusters are too many; at most {MOST_CLUSTERS}"));
        return Err(source.error(fault));
    }
    let mut ways = Ways::new(zones);
    let table = table(source, zones, &clusters, &mut ways)?;
    for &zone in &ways.uneven {
        warnings.push(format!(
            "{}: hosts of {} are connected by different links; the slowest link counts",
            source.name(),
            shown(zones.zones[zone].name.as_bytes())
        ));
    }
    let compared = (count <= MOST_COMPARED).then_some(&table);
    let star = compared.and_then(|table| Star::of(zones, count, table));
    let shares_links = match (&star, compared) {
        (None, Some(table)) => star::share_links(zones, count, table),
        (None, None) => true,
        (Some(_), _) => false,
    };
    let fat_pipes = FatPipes::of(zones, count, &table);
    let bandwidths = table.iter().map(|way| way.bytes_per_second / UNIT).collect();
    let bandwidths = Bandwidths::new(count, bandwidths).ok_or_else(|| {
        source
            .error(Fault::Malformed("the bandwidths of its routes are not numbers above 0".into()))
    })?;
    let latencies = Latencies::new(count, table.iter().map(|way| way.seconds).collect())
        .ok_or_else(|| {
            source.error(Fault::Malformed("the latencies of its routes are not numbers".into()))
        })?;
    let described = described_clusters(zones, &clusters);
    let mut platform = Platform::new(&zones.zones[0].name, described, UNIT, bandwidths, None)
        .and_then(|platform| platform.with_latency(latencies))
        .map_err(|error| source.error(Fault::refused(error)))?;
    if fat_pipes == FatPipes::All {
        platform = platform.with_fat_pipes();
    }
    // A star itself says whether its middle is a fat pipe.
    let has_some_fat_pipes = fat_pipes == FatPipes::Some && star.is_none();
    Ok(ReadPlatform { platform, star, shares_links, has_some_fat_pipes, warnings })
}

fn described_clusters(zones: &Zones, clusters: &[ZoneId]) -> Vec<Cluster> {
    // The root contains everything and carries no information.
    let around = |zone: ZoneId| {
        let mut groups: Vec<String> = zones
            .chain(zone)
            .skip(1)
            .filter(|&zone| zones.zones[zone].parent.is_some())
            .map(|zone| zones.zones[zone].name.clone())
            .collect();
        groups.reverse();
        groups
    };
    let mut groups: Vec<Vec<String>> = clusters
        .iter()
        .map(|&zone| zones.zones[zone].groups.clone().unwrap_or_else(|| around(zone)))
        .collect();
    // A cluster with fewer zones around it than others is alone in its own groups.
    let depth = groups.iter().map(Vec::len).max().unwrap_or(0);
    for (groups, &zone) in groups.iter_mut().zip(clusters) {
        groups.resize(depth, zones.zones[zone].name.clone());
    }
    let nodes = |zone: ZoneId| {
        let hosts = zones.zones[zone].hosts.iter().map(|&host| &zones.points[host]);
        hosts
            .map(|host| {
                let speed = match host.kind {
                    PointKind::Host { speed } => speed,
                    _ => unreachable!("hosts of a zone are hosts"),
                };
                Node { name: host.name.clone(), speed: Speed::Constant(speed) }
            })
            .collect()
    };
    clusters
        .iter()
        .zip(groups)
        .map(|(&zone, groups)| Cluster {
            name: zones.zones[zone].name.clone(),
            groups,
            nodes: nodes(zone),
        })
        .collect()
}

/// The ways between clusters, and inside each on the diagonal, row by row.
fn table(
    source: &Source<'_>,
    zones: &Zones,
    clusters: &[ZoneId],
    ways: &mut Ways<'_>,
) -> Result<Vec<Way>, ReadError> {
    let count = clusters.len();
    let mut table = Vec::with_capacity(count * count);
    for &from in clusters {
        for &to in clusters {
            let way = match from == to {
                true => ways.among_hosts(from),
                false => ways.between(End::Hosts(from), End::Hosts(to)),
            };
            let way = way.map_err(|fault| source.error_at(zones.zones[from].offset, fault))?;
            let lone = from == to && zones.zones[from].hosts.len() == 1;
            if way.bytes_per_second.is_infinite() && !lone {
                let fault = Fault::Missing(format!(
                    "there is no link on the route from {} to {}",
                    shown(zones.zones[from].name.as_bytes()),
                    shown(zones.zones[to].name.as_bytes())
                ));
                return Err(source.error_at(zones.zones[from].offset, fault));
            }
            table.push(way);
        }
    }
    // Nothing is sent inside a cluster of one host; its fastest link to another cluster is used
    // instead.
    for at in 0..count {
        if table[at * count + at].bytes_per_second.is_finite() {
            continue;
        }
        let out = (0..count).filter(|&other| other != at).map(|to| &table[at * count + to]);
        let fastest = out.map(|way| way.bytes_per_second).fold(0.0, f64::max);
        table[at * count + at].bytes_per_second = if fastest > 0.0 { fastest } else { LOOPBACK };
    }
    Ok(table)
}

/// What SimGrid assumes for a host that sends to itself, in bytes per second.
const LOOPBACK: f64 = 498e6;
