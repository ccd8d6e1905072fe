//! Makes zones from SimGrid's XML.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use roxmltree::{Document, Node};

use super::notation::GROUP_PROPERTY;
use super::units;
use super::zones::{
    Link, LinkId, Point, PointId, PointKind, Roads, Route, Routing, Spoke, Zone, ZoneId, Zones,
};
use crate::platforms::limits::MOST_NODES;
use crate::text::error::ReadError;
use crate::text::fault::Fault;
use crate::text::host_list::LONGEST_NAME;
use crate::text::number::shown;
use crate::text::source::Source;
use crate::text::warnings::Warnings;

/// Deeper than the nesting of any platform. Deeper input must not exhaust the stack.
const DEEPEST: usize = 100;

/// The zones of a document, and what is left out of it.
pub fn read(source: Source<'_>, document: &Document<'_>) -> Result<(Zones, Warnings), ReadError> {
    let mut reader = Reader {
        source,
        document,
        zones: Zones::default(),
        links: HashMap::new(),
        points: HashMap::new(),
        num_hosts: 0,
        left_out: Vec::new(),
        warnings: Warnings::new(),
    };
    reader.platform(document.root_element())?;
    let mut warnings = reader.warnings;
    for (what, line) in reader.left_out {
        warnings.push(format!("{}:{line}: {what} left out", source.name()));
    }
    Ok((reader.zones, warnings))
}

struct Reader<'a, 'input> {
    source: Source<'a>,
    document: &'a Document<'input>,
    zones: Zones,
    links: HashMap<String, LinkId>,
    points: HashMap<String, PointId>,
    num_hosts: usize,
    /// What is not read, each once, with its first line.
    left_out: Vec<(&'static str, usize)>,
    warnings: Warnings,
}

/// Which of the two directions of a link.
#[derive(Clone, Copy, PartialEq)]
enum Sharing {
    Shared,
    Split,
    FatPipe,
}

impl<'a, 'input> Reader<'a, 'input> {
    fn line(&self, node: Node<'_, '_>) -> usize {
        self.document.text_pos_at(node.range().start).row as usize
    }

    fn error(&self, node: Node<'_, '_>, fault: impl Into<Fault>) -> ReadError {
        self.source.error_in_line(self.line(node), fault)
    }

    fn leave_out(&mut self, node: Node<'_, '_>, what: &'static str) {
        if !self.left_out.iter().any(|known| known.0 == what) {
            let line = self.line(node);
            self.left_out.push((what, line));
        }
    }

    fn attribute(&self, node: Node<'a, 'input>, name: &str) -> Result<&'a str, ReadError> {
        node.attribute(name).ok_or_else(|| {
            let tag = node.tag_name().name();
            self.error(
                node,
                Fault::expected(format!("the attribute \"{name}\" of <{tag}>"), "none"),
            )
        })
    }

    /// An attribute with a unit.
    fn quantity(
        &self,
        node: Node<'a, 'input>,
        name: &str,
        parse: fn(&str) -> Result<f64, Fault>,
    ) -> Result<f64, ReadError> {
        let text = self.attribute(node, name)?;
        parse(text).map_err(|fault| self.error(node, fault.within(name)))
    }

    fn platform(&mut self, root: Node<'a, 'input>) -> Result<(), ReadError> {
        if root.tag_name().name() != "platform" {
            let found = root.tag_name().name();
            let fault = Fault::expected(
                "XML of SimGrid, which starts with <platform>",
                format!("<{found}>"),
            );
            return Err(self.error(root, fault));
        }
        if let Some(version) = root.attribute("version") {
            let known = version.split('.').next().is_some_and(|major| ["3", "4"].contains(&major));
            if !known {
                let found = shown(version.as_bytes());
                return Err(self.error(
                    root,
                    Fault::Unsupported(format!("version {found} is not known; known: 3, 4")),
                ));
            }
        }
        for child in root.children().filter(Node::is_element) {
            match child.tag_name().name() {
                "zone" | "AS" | "cluster" if !self.zones.zones.is_empty() => {
                    return Err(self.error(child, Fault::wanted("one zone around all others")));
                }
                "zone" | "AS" => self.zone(child, None)?,
                "cluster" => self.cluster(child, None)?,
                _ => self.other(child)?,
            }
        }
        match self.zones.zones.is_empty() {
            true => Err(self.error(root, Fault::expected("a <zone> in the platform", "none"))),
            false => Ok(()),
        }
    }

    /// Elements that have nothing to do with clusters and links.
    fn other(&mut self, node: Node<'a, 'input>) -> Result<(), ReadError> {
        match node.tag_name().name() {
            "config" | "prop" | "random" => Ok(()),
            "trace" | "trace_connect" => {
                self.leave_out(node, "changes over time (traces) are");
                Ok(())
            }
            "storage" | "storage_type" | "mount" => {
                self.leave_out(node, "storage is");
                Ok(())
            }
            "actor" | "process" => {
                self.leave_out(node, "deployment is");
                Ok(())
            }
            "bypassRoute" | "bypassZoneRoute" | "bypassASroute" => {
                self.leave_out(node, "routes past the routing (bypass) are");
                Ok(())
            }
            tag => {
                Err(self.error(node, Fault::Unsupported(format!("<{tag}> is not supported here"))))
            }
        }
    }

    fn add_point(
        &mut self,
        node: Node<'_, '_>,
        name: String,
        zone: Option<ZoneId>,
        kind: PointKind,
    ) -> Result<PointId, ReadError> {
        match self.points.entry(name) {
            Entry::Occupied(entry) => {
                let name = shown(entry.key().as_bytes());
                Err(self
                    .source
                    .error_at(node.range().start, Fault::Repeated(format!("{name} appears twice"))))
            }
            Entry::Vacant(entry) => {
                let id = self.zones.points.len();
                self.zones.points.push(Point { name: entry.key().clone(), zone, kind });
                entry.insert(id);
                Ok(id)
            }
        }
    }

    fn add_zone(
        &mut self,
        node: Node<'a, 'input>,
        parent: Option<ZoneId>,
        routing: Routing,
    ) -> Result<ZoneId, ReadError> {
        let name = self.attribute(node, "id")?.to_string();
        let depth = parent.map_or(0, |parent| self.zones.zones[parent].depth + 1);
        if depth >= DEEPEST {
            return Err(
                self.error(node, Fault::TooLarge(format!("more than {DEEPEST} nested zones")))
            );
        }
        let id = self.zones.zones.len();
        let point = self.add_point(node, name.clone(), parent, PointKind::Zone(id))?;
        let offset = node.range().start;
        let groups = self.groups(node);
        let hosts = Vec::new();
        self.zones.zones.push(Zone { name, parent, depth, offset, point, hosts, routing, groups });
        Ok(id)
    }

    /// The groups that one of our platforms had before it was written.
    fn groups(&self, node: Node<'a, 'input>) -> Option<Vec<String>> {
        let properties = node.children().filter(|child| child.has_tag_name("prop"));
        let mut groups: Vec<(usize, String)> = properties
            .filter_map(|prop| {
                let level = prop.attribute("id")?.strip_prefix(GROUP_PROPERTY)?.parse().ok()?;
                Some((level, prop.attribute("value")?.to_string()))
            })
            .collect();
        groups.sort();
        let in_order = groups.iter().enumerate().all(|(at, group)| at == group.0);
        (in_order && !groups.is_empty())
            .then(|| groups.into_iter().map(|(_, group)| group).collect())
    }

    fn zone(&mut self, node: Node<'a, 'input>, parent: Option<ZoneId>) -> Result<(), ReadError> {
        let routing = match self.attribute(node, "routing")? {
            "Full" | "None" => Routing::Full(HashMap::new()),
            "Floyd" | "Dijkstra" | "DijkstraCache" => Routing::Shortest(Roads::default()),
            "Cluster" => Routing::Star { spokes: HashMap::new(), backbone: None },
            other => {
                let fault = Fault::Unsupported(format!(
                    "routing {} is not supported; expected Full, Floyd, Dijkstra or Cluster",
                    shown(other.as_bytes())
                ));
                return Err(self.error(node, fault));
            }
        };
        let zone = self.add_zone(node, parent, routing)?;
        let is_route = |child: &Node<'_, '_>| {
            matches!(child.tag_name().name(), "route" | "zoneRoute" | "ASroute" | "host_link")
        };
        let mut inner_zones = 0;
        // Routes need the elements that they lead over.
        for child in node.children().filter(|child| child.is_element() && !is_route(child)) {
            match child.tag_name().name() {
                "zone" | "AS" => {
                    inner_zones += 1;
                    self.zone(child, Some(zone))?;
                }
                "cluster" => {
                    inner_zones += 1;
                    self.cluster(child, Some(zone))?;
                }
                "host" => self.host(child, zone)?,
                "router" => {
                    let name = self.attribute(child, "id")?.to_string();
                    self.add_point(child, name, Some(zone), PointKind::Router)?;
                }
                "link" => self.link(child)?,
                "backbone" => self.backbone(child, zone)?,
                "cabinet" => self.cabinet(child, zone)?,
                "peer" => {
                    return Err(
                        self.error(child, Fault::Unsupported("<peer> is not supported".into()))
                    );
                }
                _ => self.other(child)?,
            }
        }
        if inner_zones > 0 && !self.zones.zones[zone].hosts.is_empty() {
            let fault = Fault::expected("either hosts or zones in a zone", "both");
            return Err(self.error(node, fault));
        }
        for child in node.children().filter(|child| child.is_element() && is_route(child)) {
            match child.tag_name().name() {
                "host_link" => self.host_link(child, zone)?,
                _ => self.route(child, zone)?,
            }
        }
        Ok(())
    }

    /// The speed of a host or cluster: all cores together.
    fn speed(&mut self, node: Node<'a, 'input>) -> Result<f64, ReadError> {
        let name = if node.has_attribute("power") { "power" } else { "speed" };
        let text = self.attribute(node, name)?;
        let state = match node.attribute("pstate").map(str::parse::<f64>) {
            None => 0,
            Some(Ok(state)) if state >= 0.0 => state as usize,
            Some(_) => return Err(self.error(node, Fault::wanted("a number").within("pstate"))),
        };
        let text = text.split(',').nth(state).ok_or_else(|| {
            self.error(node, Fault::OutOfRange(format!("pstate {state} is not defined")))
        })?;
        let speed = units::speed(text).map_err(|fault| self.error(node, fault.within(name)))?;
        let cores = match node.attribute("core").map(str::parse::<u32>) {
            None => 1,
            Some(Ok(cores)) if cores > 0 => cores,
            Some(_) => {
                return Err(self.error(node, Fault::wanted("a number above 0").within("core")));
            }
        };
        let profiles = ["speed_file", "availability_file", "state_file"];
        self.without_profiles(node, &profiles);
        Ok(speed * f64::from(cores))
    }

    fn without_profiles(&mut self, node: Node<'a, 'input>, attributes: &[&str]) {
        if attributes.iter().any(|name| node.attribute(*name).is_some_and(|file| !file.is_empty()))
        {
            self.leave_out(node, "changes over time (traces) are");
        }
    }

    fn add_host(
        &mut self,
        node: Node<'a, 'input>,
        name: String,
        zone: ZoneId,
        speed: f64,
    ) -> Result<PointId, ReadError> {
        self.num_hosts += 1;
        if self.num_hosts > MOST_NODES {
            return Err(self.error(node, Fault::TooLarge(format!("more than {MOST_NODES} hosts"))));
        }
        let host = self.add_point(node, name, Some(zone), PointKind::Host { speed })?;
        self.zones.zones[zone].hosts.push(host);
        Ok(host)
    }

    fn host(&mut self, node: Node<'a, 'input>, zone: ZoneId) -> Result<(), ReadError> {
        let name = self.attribute(node, "id")?.to_string();
        let speed = self.speed(node)?;
        self.add_host(node, name, zone, speed)?;
        Ok(())
    }

    fn sharing(&self, node: Node<'a, 'input>, name: &str) -> Result<Option<Sharing>, ReadError> {
        match node.attribute(name) {
            None => Ok(None),
            Some("SHARED") => Ok(Some(Sharing::Shared)),
            Some("SPLITDUPLEX" | "FULLDUPLEX") => Ok(Some(Sharing::Split)),
            Some("FATPIPE") => Ok(Some(Sharing::FatPipe)),
            Some(other) => {
                let fault =
                    Fault::expected("SHARED, SPLITDUPLEX or FATPIPE", shown(other.as_bytes()))
                        .within(name);
                Err(self.error(node, fault))
            }
        }
    }

    fn new_link(&mut self, bytes_per_second: f64, seconds: f64, sharing: Sharing) -> LinkId {
        self.zones.links.push(Link {
            bytes_per_second,
            seconds,
            split: sharing == Sharing::Split,
            fat_pipe: sharing == Sharing::FatPipe,
        });
        self.zones.links.len() - 1
    }

    fn named_link(&mut self, node: Node<'a, 'input>, link: LinkId) -> Result<(), ReadError> {
        let name = self.attribute(node, "id")?;
        match self.links.insert(name.to_string(), link) {
            None => Ok(()),
            Some(_) => {
                let name = shown(name.as_bytes());
                Err(self.error(node, Fault::Repeated(format!("link {name} appears twice"))))
            }
        }
    }

    fn link(&mut self, node: Node<'a, 'input>) -> Result<(), ReadError> {
        let bandwidth = self.quantity(node, "bandwidth", units::bandwidth)?;
        let latency = match node.has_attribute("latency") {
            true => self.quantity(node, "latency", units::seconds)?,
            false => 0.0,
        };
        let sharing = self.sharing(node, "sharing_policy")?.unwrap_or(Sharing::Shared);
        self.without_profiles(node, &["bandwidth_file", "latency_file", "state_file"]);
        let link = self.new_link(bandwidth, latency, sharing);
        self.named_link(node, link)
    }

    fn backbone(&mut self, node: Node<'a, 'input>, zone: ZoneId) -> Result<(), ReadError> {
        let bandwidth = self.quantity(node, "bandwidth", units::bandwidth)?;
        let latency = self.quantity(node, "latency", units::seconds)?;
        let link = self.new_link(bandwidth, latency, Sharing::Shared);
        self.named_link(node, link)?;
        match &mut self.zones.zones[zone].routing {
            Routing::Star { backbone, .. } if backbone.is_none() => {
                *backbone = Some(link);
                Ok(())
            }
            Routing::Star { .. } => Err(self.error(node, Fault::expected("one <backbone>", "two"))),
            _ => Err(self.needs_a_star(node)),
        }
    }

    fn cluster(&mut self, node: Node<'a, 'input>, parent: Option<ZoneId>) -> Result<(), ReadError> {
        let id = self.attribute(node, "id")?;
        let (prefix, suffix) = (self.attribute(node, "prefix")?, self.attribute(node, "suffix")?);
        if let Some(topology) = node.attribute("topology").filter(|name| *name != "FLAT") {
            let warning = format!(
                "{}:{}: cluster {}: the topology {} is treated as flat: one link per host and one \
                 switch",
                self.source.name(),
                self.line(node),
                shown(id.as_bytes()),
                shown(topology.as_bytes())
            );
            self.warnings.push(warning);
        }
        let speed = self.speed(node)?;
        let bandwidth = self.quantity(node, "bw", units::bandwidth)?;
        let latency = self.quantity(node, "lat", units::seconds)?;
        let sharing = self.sharing(node, "sharing_policy")?.unwrap_or(Sharing::Split);
        let private = self.new_link(bandwidth, latency, sharing);
        let given = |name: &str| node.attribute(name).is_some_and(|text| !text.is_empty());
        let backbone = if given("bb_bw") {
            let bandwidth = self.quantity(node, "bb_bw", units::bandwidth)?;
            let latency = match given("bb_lat") {
                true => self.quantity(node, "bb_lat", units::seconds)?,
                false => 0.0,
            };
            let sharing = self.sharing(node, "bb_sharing_policy")?.unwrap_or(Sharing::Shared);
            Some(self.new_link(bandwidth, latency, sharing))
        } else {
            None
        };
        let mut spoke = Spoke { up: vec![private], down: vec![private] };
        if given("limiter_link") {
            let limiter = self.quantity(node, "limiter_link", units::bandwidth)?;
            let limiter = self.new_link(limiter, 0.0, Sharing::Shared);
            spoke = Spoke { up: vec![limiter, private], down: vec![private, limiter] };
        }
        let zone = self.add_zone(node, parent, Routing::Uniform { spoke, backbone })?;
        self.numbered_hosts(node, zone, speed)?;
        let router = match node.attribute("router_id").filter(|name| !name.is_empty()) {
            Some(name) => name.to_string(),
            None => format!("{prefix}{id}_router{suffix}"),
        };
        self.add_point(node, router, Some(zone), PointKind::Router)?;
        Ok(())
    }

    /// The hosts of a `<cluster>` or `<cabinet>`.
    fn numbered_hosts(
        &mut self,
        node: Node<'a, 'input>,
        zone: ZoneId,
        speed: f64,
    ) -> Result<Vec<PointId>, ReadError> {
        let (prefix, suffix) = (self.attribute(node, "prefix")?, self.attribute(node, "suffix")?);
        if prefix.len() + suffix.len() > LONGEST_NAME {
            let fault = Fault::TooLarge(format!(
                "prefix and suffix: names of more than {LONGEST_NAME} letters"
            ));
            return Err(self.error(node, fault));
        }
        let radical = units::radical(self.attribute(node, "radical")?, MOST_NODES - self.num_hosts)
            .map_err(|fault| self.error(node, fault.within("radical")))?;
        let hosts = radical
            .into_iter()
            .map(|number| self.add_host(node, format!("{prefix}{number}{suffix}"), zone, speed));
        hosts.collect()
    }

    fn cabinet(&mut self, node: Node<'a, 'input>, zone: ZoneId) -> Result<(), ReadError> {
        let speed = self.speed(node)?;
        let bandwidth = self.quantity(node, "bw", units::bandwidth)?;
        let latency = self.quantity(node, "lat", units::seconds)?;
        for host in self.numbered_hosts(node, zone, speed)? {
            let link = self.new_link(bandwidth, latency, Sharing::Split);
            self.add_spoke(node, zone, host, Spoke { up: vec![link], down: vec![link] })?;
        }
        Ok(())
    }

    fn add_spoke(
        &mut self,
        node: Node<'a, 'input>,
        zone: ZoneId,
        host: PointId,
        spoke: Spoke,
    ) -> Result<(), ReadError> {
        match &mut self.zones.zones[zone].routing {
            Routing::Star { spokes, .. } => match spokes.insert(host, spoke) {
                None => Ok(()),
                Some(_) => Err(self
                    .error(node, Fault::Repeated("the links of this host are given twice".into()))),
            },
            _ => Err(self.needs_a_star(node)),
        }
    }

    fn needs_a_star(&self, node: Node<'a, 'input>) -> ReadError {
        let tag = node.tag_name().name();
        let needs = format!("<{tag}> needs a zone with routing=\"Cluster\"");
        self.error(node, Fault::Contradiction(needs))
    }

    fn host_link(&mut self, node: Node<'a, 'input>, zone: ZoneId) -> Result<(), ReadError> {
        let host = self.point_attribute(node, "id")?;
        if self.zones.points[host].zone != Some(zone) {
            return Err(self.error(node, Fault::wanted("a host of the same zone").within("id")));
        }
        let up = vec![self.link_attribute(node, "up")?];
        let down = vec![self.link_attribute(node, "down")?];
        self.add_spoke(node, zone, host, Spoke { up, down })
    }

    fn point_attribute(&self, node: Node<'a, 'input>, name: &str) -> Result<PointId, ReadError> {
        let text = self.attribute(node, name)?;
        self.points.get(text).copied().ok_or_else(|| {
            let found = shown(text.as_bytes());
            self.error(
                node,
                Fault::OutOfRange(format!("{name}: there is no host, router or zone {found}")),
            )
        })
    }

    fn link_attribute(&self, node: Node<'a, 'input>, name: &str) -> Result<LinkId, ReadError> {
        let text = self.attribute(node, name)?;
        let half = text.strip_suffix("_UP").or_else(|| text.strip_suffix("_DOWN"));
        let whole = half.and_then(|half| self.links.get(half));
        // The two directions of a split link may be named one by one.
        let split = whole.filter(|&&link| self.zones.links[link].split);
        self.links.get(text).or(split).copied().ok_or_else(|| {
            self.error(
                node,
                Fault::OutOfRange(format!("{name}: there is no link {}", shown(text.as_bytes()))),
            )
        })
    }

    fn route(&mut self, node: Node<'a, 'input>, zone: ZoneId) -> Result<(), ReadError> {
        let mut ends = [self.point_attribute(node, "src")?, self.point_attribute(node, "dst")?];
        let mut gateways = ends;
        let names = [("src", "gw_src"), ("dst", "gw_dst")];
        for (side, (name, gateway_name)) in names.into_iter().enumerate() {
            let point = &self.zones.points[ends[side]];
            if point.zone != Some(zone) {
                let found = shown(point.name.as_bytes());
                return Err(self.error(
                    node,
                    Fault::Contradiction(format!("{name}: {found} is not in this zone")),
                ));
            }
            let PointKind::Zone(inner) = point.kind else { continue };
            let gateway = self.point_attribute(node, gateway_name)?;
            let is_zone = matches!(self.zones.points[gateway].kind, PointKind::Zone(_));
            if is_zone || !self.zones.is_inside(gateway, inner) {
                let fault = Fault::expected(
                    format!(
                        "a host or router in {}",
                        shown(self.zones.name(ends[side]).as_bytes())
                    ),
                    shown(self.zones.name(gateway).as_bytes()),
                )
                .within(gateway_name);
                return Err(self.error(node, fault));
            }
            gateways[side] = gateway;
        }
        let contents = node.children().filter(|child| child.has_tag_name("link_ctn"));
        let links = contents.map(|content| self.link_attribute(content, "id"));
        let mut links = links.collect::<Result<Vec<LinkId>, _>>()?;
        let symmetrical = match node.attribute("symmetrical") {
            None | Some("YES" | "yes") => true,
            Some("NO" | "no") => false,
            Some(other) => {
                let found = shown(other.as_bytes());
                return Err(
                    self.error(node, Fault::expected("YES or NO", found).within("symmetrical"))
                );
            }
        };
        // How a host sends to itself does not matter here.
        if ends[0] == ends[1] {
            return Ok(());
        }
        self.add_route(node, zone, ends, gateways, links.clone())?;
        if symmetrical {
            ends.reverse();
            gateways.reverse();
            links.reverse();
            self.add_route(node, zone, ends, gateways, links)?;
        }
        Ok(())
    }

    fn add_route(
        &mut self,
        node: Node<'a, 'input>,
        zone: ZoneId,
        [from, to]: [PointId; 2],
        gateways: [PointId; 2],
        links: Vec<LinkId>,
    ) -> Result<(), ReadError> {
        let id = self.zones.routes.len();
        self.zones.routes.push(Route { gateways, links });
        let twice = match &mut self.zones.zones[zone].routing {
            Routing::Full(routes) => routes.insert((from, to), id).is_some(),
            Routing::Shortest(roads) => {
                roads.forward.entry(from).or_default().push((to, id));
                roads.backward.entry(to).or_default().push((from, id));
                !roads.known.insert((from, to))
            }
            Routing::Star { .. } | Routing::Uniform { .. } => {
                let fault = Fault::Unsupported(
                    "routes in a zone with routing=\"Cluster\" are not supported; \
                               expected <host_link>"
                        .into(),
                );
                return Err(self.error(node, fault));
            }
        };
        if twice {
            let fault = Fault::Repeated(format!(
                "the route from {} to {} is given twice",
                shown(self.zones.name(from).as_bytes()),
                shown(self.zones.name(to).as_bytes())
            ));
            return Err(self.error(node, fault));
        }
        Ok(())
    }
}
