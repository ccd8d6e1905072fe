//! Writes platforms for SimGrid.
//!
//! Every cluster is a zone, and every pair of clusters has its own link, so the bandwidth of each
//! route is that of the table. If a cluster's hosts differ, or a link to another cluster is faster
//! than those inside, hosts have links up and down that are fast enough for all. Messages inside
//! the cluster then pass one more link, which is as fast as the table says.

use std::collections::HashSet;
use std::fmt::Write;

use topoloom_arrange::{Cluster, Platform};

use super::notation::{GROUP_PROPERTY, UNIT};
use crate::platforms::speed_source;
use crate::text::fault::Fault;
use crate::text::number::shown;
use crate::text::warnings::Warnings;
use crate::text::xml::escaped;

/// The text of a platform in SimGrid's XML, and what it leaves out; an error if SimGrid cannot
/// express it.
pub fn write_simgrid_platform(platform: &Platform) -> Result<(String, Warnings), Fault> {
    let mut warnings = Warnings::new();
    if platform.vertical().is_some() {
        warnings.push(
            "bandwidths of vertical messages are not written: SimGrid has one bandwidth per link"
                .into(),
        );
    }
    let mut names = Names::of(platform)?;
    let root = names.free(platform.name());
    let mut writer = Writer { platform, names, text: String::new(), shortened: false };
    writer.text.push_str(
        "<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n",
    );
    let _ = writeln!(writer.text, "<platform version=\"4.1\">");
    let _ = writeln!(writer.text, "  <zone id=\"{}\" routing=\"Full\">", escaped(&root));
    let gates = (0..platform.clusters().len()).map(|cluster| writer.cluster(cluster));
    let gates = gates.collect::<Result<Vec<Gates>, Fault>>()?;
    writer.pairs(&gates);
    writer.text.push_str("  </zone>\n</platform>\n");
    if writer.shortened {
        warnings.push(
            "some latencies between clusters are smaller than inside them; the larger ones are \
             written"
                .to_string(),
        );
    }
    Ok((writer.text, warnings))
}

/// Names in use: SimGrid's hosts, zones and routers share one namespace.
struct Names(HashSet<String>);

impl Names {
    fn of(platform: &Platform) -> Result<Names, Fault> {
        let mut names = HashSet::new();
        let clusters = platform.clusters().iter().map(|cluster| &cluster.name);
        for name in clusters.chain(platform.nodes().map(|node| &node.name)) {
            if !names.insert(name.clone()) {
                let name = shown(name.as_bytes());
                return Err(Fault::Repeated(format!(
                    "a cluster and a host are both called {name}"
                )));
            }
            if let Some(wrong) = name.chars().find(|letter| letter.is_control()) {
                return Err(Fault::Unsupported(format!(
                    "XML cannot hold the letter {wrong:?} in the name of a host or cluster"
                )));
            }
        }
        Ok(Names(names))
    }

    /// `name`, with underscores appended if it is taken.
    fn free(&mut self, name: &str) -> String {
        let mut name: String = name.chars().filter(|letter| !letter.is_control()).collect();
        while name.is_empty() || !self.0.insert(name.clone()) {
            name.push('_');
        }
        name
    }
}

/// Where messages leave a cluster and where they come in.
struct Gates {
    out: String,
    into: String,
}

struct Writer<'a> {
    platform: &'a Platform,
    names: Names,
    text: String,
    /// Whether a latency was too small.
    shortened: bool,
}

impl Writer<'_> {
    fn bandwidth(&self, from: usize, to: usize) -> f64 {
        self.platform.bandwidth().between(from, to)
    }

    fn latency(&self, from: usize, to: usize) -> f64 {
        self.platform.latency().map_or(0.0, |latency| latency.between(from, to))
    }

    /// A bandwidth as SimGrid reads it.
    fn shown_bandwidth(&self, value: f64) -> String {
        match self.platform.unit() {
            1e9 => format!("{value:?}GBps"),
            UNIT => format!("{value:?}MBps"),
            1e3 => format!("{value:?}kBps"),
            unit => format!("{:?}Bps", value * unit),
        }
    }

    fn cluster(&mut self, at: usize) -> Result<Gates, Fault> {
        let cluster = &self.platform.clusters()[at];
        let speeds = cluster.nodes.iter().map(|node| speed_source::constant(&node.speed));
        let Some(speeds) = speeds.collect::<Option<Vec<f64>>>() else {
            return Err(Fault::Unsupported(format!(
                "cluster {}: SimGrid has no speeds that depend on the size",
                shown(cluster.name.as_bytes())
            )));
        };
        let inside = self.bandwidth(at, at);
        let others = (0..self.platform.clusters().len()).filter(|&other| other != at);
        let fastest = others
            .flat_map(|other| [self.bandwidth(at, other), self.bandwidth(other, at)])
            .fold(inside, f64::max);
        let alike = speeds.iter().all(|&speed| speed == speeds[0]);
        match numbered(cluster) {
            Some(numbered) if alike && fastest == inside => {
                Ok(self.uniform(at, cluster, speeds[0], &numbered))
            }
            _ => Ok(self.hosts(at, cluster, &speeds, fastest)),
        }
    }

    fn groups(&mut self, cluster: &Cluster, indent: &str) {
        for (level, group) in cluster.groups.iter().enumerate() {
            let _ = writeln!(
                self.text,
                "{indent}<prop id=\"{GROUP_PROPERTY}{level}\" value=\"{}\"/>",
                escaped(group)
            );
        }
    }

    /// Hosts that differ only in their numbers.
    fn uniform(&mut self, at: usize, cluster: &Cluster, speed: f64, hosts: &Numbered) -> Gates {
        let router = self.names.free(&format!("{}_router", cluster.name));
        let _ = write!(
            self.text,
            "    <cluster id=\"{}\" prefix=\"{}\" radical=\"{}\" suffix=\"{}\"\n             \
             speed=\"{speed:?}f\" bw=\"{}\" lat=\"{:?}s\" router_id=\"{}\"",
            escaped(&cluster.name),
            escaped(&hosts.prefix),
            hosts.radical,
            escaped(&hosts.suffix),
            self.shown_bandwidth(self.bandwidth(at, at)),
            self.latency(at, at) / 2.0,
            escaped(&router),
        );
        if cluster.groups.is_empty() {
            self.text.push_str("/>\n");
        } else {
            self.text.push_str(">\n");
            self.groups(cluster, "      ");
            self.text.push_str("    </cluster>\n");
        }
        Gates { out: router.clone(), into: router }
    }

    /// Hosts one by one: up to a router, from there out of the cluster or to another router, and
    /// down.
    fn hosts(&mut self, at: usize, cluster: &Cluster, speeds: &[f64], fastest: f64) -> Gates {
        let out = self.names.free(&format!("{}_out", cluster.name));
        let into = self.names.free(&format!("{}_in", cluster.name));
        let name = escaped(&cluster.name);
        let _ = writeln!(self.text, "    <zone id=\"{name}\" routing=\"Dijkstra\">");
        self.groups(cluster, "      ");
        for (node, speed) in cluster.nodes.iter().zip(speeds) {
            let host = escaped(&node.name);
            let _ = writeln!(self.text, "      <host id=\"{host}\" speed=\"{speed:?}f\"/>");
        }
        let (out_id, into_id) = (escaped(&out), escaped(&into));
        let _ = writeln!(
            self.text,
            "      <router id=\"{out_id}\"/>\n      <router id=\"{into_id}\"/>"
        );
        let bandwidth = self.shown_bandwidth(fastest);
        let latency = self.latency(at, at) / 2.0;
        for node in &cluster.nodes {
            let host = escaped(&node.name);
            let _ = writeln!(
                self.text,
                "      <link id=\"{host} link\" bandwidth=\"{bandwidth}\" latency=\"{latency:?}s\" \
                 sharing_policy=\"SPLITDUPLEX\"/>"
            );
        }
        let inside = self.shown_bandwidth(self.bandwidth(at, at));
        let _ = writeln!(
            self.text,
            "      <link id=\"{name} inside\" bandwidth=\"{inside}\" latency=\"0s\" \
             sharing_policy=\"FATPIPE\"/>"
        );
        for node in &cluster.nodes {
            let host = escaped(&node.name);
            let _ = writeln!(
                self.text,
                "      <route src=\"{host}\" dst=\"{out_id}\" symmetrical=\"NO\">\
                 <link_ctn id=\"{host} link\" direction=\"UP\"/></route>\n      \
                 <route src=\"{into_id}\" dst=\"{host}\" symmetrical=\"NO\">\
                 <link_ctn id=\"{host} link\" direction=\"DOWN\"/></route>"
            );
        }
        let _ = writeln!(
            self.text,
            "      <route src=\"{out_id}\" dst=\"{into_id}\" symmetrical=\"NO\">\
             <link_ctn id=\"{name} inside\"/></route>\n    </zone>"
        );
        Gates { out, into }
    }

    /// What is left of the latency between two clusters for the link between them.
    fn link_latency(&mut self, from: usize, to: usize) -> f64 {
        let ends = (self.latency(from, from) + self.latency(to, to)) / 2.0;
        let rest = self.latency(from, to) - ends;
        // More than rounding explains.
        self.shortened |= rest < -1e-9 * ends;
        rest.max(0.0)
    }

    fn pairs(&mut self, gates: &[Gates]) {
        let clusters = self.platform.clusters();
        let mut routes = String::new();
        for one in 0..clusters.len() {
            for other in one + 1..clusters.len() {
                let there = (self.bandwidth(one, other), self.link_latency(one, other));
                let back = (self.bandwidth(other, one), self.link_latency(other, one));
                self.pair([one, other], there, there == back, gates, &mut routes);
                if there != back {
                    self.pair([other, one], back, false, gates, &mut routes);
                }
            }
        }
        self.text.push_str(&routes);
    }

    /// A link from one cluster to another, and the route over it.
    fn pair(
        &mut self,
        [from, to]: [usize; 2],
        (bandwidth, latency): (f64, f64),
        both_ways: bool,
        gates: &[Gates],
        routes: &mut String,
    ) {
        let clusters = self.platform.clusters();
        let (source, target) = (escaped(&clusters[from].name), escaped(&clusters[to].name));
        let bandwidth = self.shown_bandwidth(bandwidth);
        let is_fat_pipe = self.platform.has_fat_pipes();
        let sharing = match (is_fat_pipe, both_ways) {
            (true, _) => " sharing_policy=\"FATPIPE\"",
            (false, true) => " sharing_policy=\"SPLITDUPLEX\"",
            (false, false) => "",
        };
        let _ = writeln!(
            self.text,
            "    <link id=\"{source} to {target}\" bandwidth=\"{bandwidth}\" \
             latency=\"{latency:?}s\"{sharing}/>"
        );
        let mut route = |from: usize, to: usize, direction: &str| {
            let _ = writeln!(
                routes,
                "    <zoneRoute src=\"{}\" dst=\"{}\" gw_src=\"{}\" gw_dst=\"{}\" symmetrical=\"NO\">\
                 <link_ctn id=\"{source} to {target}\"{direction}/></zoneRoute>",
                escaped(&clusters[from].name),
                escaped(&clusters[to].name),
                escaped(&gates[from].out),
                escaped(&gates[to].into)
            );
        };
        if both_ways && is_fat_pipe {
            // Nothing is shared, so one link will do for both directions.
            route(from, to, "");
            route(to, from, "");
        } else if both_ways {
            route(from, to, " direction=\"UP\"");
            route(to, from, " direction=\"DOWN\"");
        } else {
            route(from, to, "");
        }
    }
}

/// Names that differ only in a number.
struct Numbered {
    prefix: String,
    radical: String,
    suffix: String,
}

/// The numbers of a cluster's hosts, if `<cluster>` can express them: without leading zeros,
/// between the same letters.
fn numbered(cluster: &Cluster) -> Option<Numbered> {
    let first = &cluster.nodes.first()?.name;
    let end = first.rfind(|letter: char| letter.is_ascii_digit())? + 1;
    let start = first[..end].trim_end_matches(|letter: char| letter.is_ascii_digit()).len();
    let (prefix, suffix) = (&first[..start], &first[end..]);
    let mut ranges: Vec<(u32, u32)> = Vec::new();
    for node in &cluster.nodes {
        let text = node.name.strip_prefix(prefix)?.strip_suffix(suffix)?;
        let number: u32 = text.parse().ok()?;
        if number.to_string() != text {
            return None;
        }
        match ranges.last_mut() {
            Some((_, last)) if last.checked_add(1) == Some(number) => *last = number,
            _ => ranges.push((number, number)),
        }
    }
    let range = |&(first, last): &(u32, u32)| match first == last {
        true => first.to_string(),
        false => format!("{first}-{last}"),
    };
    let radical = ranges.iter().map(range).collect::<Vec<String>>().join(",");
    Some(Numbered { prefix: prefix.to_string(), radical, suffix: suffix.to_string() })
}
