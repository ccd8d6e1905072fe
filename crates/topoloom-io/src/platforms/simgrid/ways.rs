//! Which links a message takes from cluster to cluster, and how fast they are.
//!
//! Two points in different parts of a zone are connected by a route of the smallest zone around
//! both, which leads from a gateway in one part to a gateway in the other. The ways to and from the
//! gateways are found in the same manner, inside the parts.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};
use std::rc::Rc;

use super::zones::{LinkId, PointId, PointKind, Roads, RouteId, Routing, Spoke, ZoneId, Zones};
use crate::text::fault::Fault;
use crate::text::number::shown;

/// The most pieces of ways that are examined for one file. Real platforms stay far below; nested
/// gateways could otherwise take time exponential in their depth.
const MOST_PIECES: u64 = 50_000_000;

/// The most hosts for which every pair of a zone with its own routes is examined. In larger zones
/// only ways from a few hosts are.
const MOST_SOURCES: usize = 1000;
const FEW_SOURCES: usize = 16;

/// The speed of a way.
#[derive(Debug, Clone, PartialEq)]
pub struct Way {
    /// The bandwidth of its slowest link; infinite if there is none.
    pub bytes_per_second: f64,
    /// The latency of all its links.
    pub seconds: f64,
    /// The links between clusters, not those inside.
    pub links: Vec<LinkId>,
}

impl Default for Way {
    fn default() -> Self {
        Way { bytes_per_second: f64::INFINITY, seconds: 0.0, links: Vec::new() }
    }
}

impl Way {
    fn take(&mut self, zones: &Zones, links: &[LinkId]) {
        for &link in links {
            let link = &zones.links[link];
            self.bytes_per_second = self.bytes_per_second.min(link.bytes_per_second);
            self.seconds += link.seconds;
        }
    }

    fn follow(&mut self, next: &Way) {
        self.bytes_per_second = self.bytes_per_second.min(next.bytes_per_second);
        self.seconds += next.seconds;
        self.links.extend(&next.links);
    }
}

/// One end of a way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum End {
    /// Any host of a zone: the worst one counts.
    Hosts(ZoneId),
    Point(PointId),
}

/// For each point that a tree of shortest routes reaches, the next step to its root.
type Tree = HashMap<PointId, (PointId, RouteId)>;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Direction {
    FromRoot,
    ToRoot,
}

/// Finds ways, and remembers what it needs again.
pub struct Ways<'a> {
    zones: &'a Zones,
    trees: HashMap<(ZoneId, PointId, Direction), Rc<Tree>>,
    inside: HashMap<(End, End), Way>,
    pieces: u64,
    /// Zones whose hosts do not all have the same way out or to each other.
    pub uneven: Vec<ZoneId>,
}

impl<'a> Ways<'a> {
    pub fn new(zones: &'a Zones) -> Self {
        let (trees, inside) = (HashMap::new(), HashMap::new());
        Ways { zones, trees, inside, pieces: 0, uneven: Vec::new() }
    }

    fn count(&mut self) -> Result<(), Fault> {
        self.pieces += 1;
        match self.pieces > MOST_PIECES {
            true => {
                Err(Fault::TooLarge("the routes between zones are too many or too long".into()))
            }
            false => Ok(()),
        }
    }

    fn missing(&self, from: PointId, to: PointId) -> Fault {
        let kind = |point: PointId| match self.zones.points[point].kind {
            PointKind::Host { .. } => "host",
            PointKind::Router => "router",
            PointKind::Zone(_) => "zone",
        };
        Fault::Missing(format!(
            "there is no route from {} {} to {} {}",
            kind(from),
            shown(self.zones.name(from).as_bytes()),
            kind(to),
            shown(self.zones.name(to).as_bytes())
        ))
    }

    fn zone_of(&self, end: End) -> ZoneId {
        match end {
            End::Hosts(zone) => zone,
            End::Point(point) => {
                self.zones.points[point].zone.expect("only the root is in no zone")
            }
        }
    }

    /// The way between any two points, or hosts of clusters, of the platform.
    pub fn between(&mut self, from: End, to: End) -> Result<Way, Fault> {
        self.count()?;
        if from == to {
            return Ok(Way::default());
        }
        let (zone_from, zone_to) = (self.zone_of(from), self.zone_of(to));
        if zone_from == zone_to {
            return self.inside(zone_from, from, to);
        }
        let (common, [a, b]) = self.fork(zone_from, zone_to);
        let a = a.map_or(from, End::Point);
        let b = b.map_or(to, End::Point);
        let (End::Point(a), End::Point(b)) = (a, b) else {
            unreachable!("a zone with hosts has no zones in it");
        };
        let mut way = Way::default();
        let mut at = from;
        for route in self.routes(common, a, b)? {
            let [gateway_from, gateway_to] = self.zones.routes[route].gateways;
            way.follow(&self.between(at, End::Point(gateway_from))?);
            let links = &self.zones.routes[route].links;
            way.take(self.zones, links);
            way.links.extend(links);
            at = End::Point(gateway_to);
        }
        way.follow(&self.between(at, to)?);
        Ok(way)
    }

    /// The smallest zone around two, and its zones towards each; none if it is one of the two.
    fn fork(&self, one: ZoneId, other: ZoneId) -> (ZoneId, [Option<PointId>; 2]) {
        let (mut at, mut below) = ([one, other], [None, None]);
        while at[0] != at[1] {
            let depth = |side: usize| self.zones.zones[at[side]].depth;
            let side = usize::from(depth(1) > depth(0));
            let zone = &self.zones.zones[at[side]];
            below[side] = Some(zone.point);
            at[side] = zone.parent.expect("there is one zone around all");
        }
        (at[0], below)
    }

    /// The routes of a zone that lead from one of its points to another.
    fn routes(&mut self, zone: ZoneId, from: PointId, to: PointId) -> Result<Vec<RouteId>, Fault> {
        let zones = self.zones;
        match &zones.zones[zone].routing {
            Routing::Full(routes) => match routes.get(&(from, to)) {
                Some(&route) => Ok(vec![route]),
                None => Err(self.missing(from, to)),
            },
            Routing::Shortest(roads) => {
                let tree = self.tree(zone, roads, from, Direction::FromRoot)?;
                let mut routes = Vec::new();
                let mut at = to;
                while at != from {
                    self.count()?;
                    let Some(&(next, route)) = tree.get(&at) else {
                        return Err(self.missing(from, to));
                    };
                    routes.push(route);
                    at = next;
                }
                routes.reverse();
                Ok(routes)
            }
            Routing::Star { .. } | Routing::Uniform { .. } => Err(self.missing(from, to)),
        }
    }

    fn tree(
        &mut self,
        zone: ZoneId,
        roads: &Roads,
        root: PointId,
        direction: Direction,
    ) -> Result<Rc<Tree>, Fault> {
        if let Some(tree) = self.trees.get(&(zone, root, direction)) {
            return Ok(tree.clone());
        }
        let tree = Rc::new(self.shortest(roads, root, direction)?);
        self.trees.insert((zone, root, direction), tree.clone());
        Ok(tree)
    }

    /// Dijkstra's algorithm over numbers of links. Of equal ways the one over the points named
    /// first wins.
    fn shortest(
        &mut self,
        roads: &Roads,
        root: PointId,
        direction: Direction,
    ) -> Result<Tree, Fault> {
        let next = match direction {
            Direction::FromRoot => &roads.forward,
            Direction::ToRoot => &roads.backward,
        };
        let mut tree = Tree::new();
        let mut costs = HashMap::from([(root, 0)]);
        let mut queue = BinaryHeap::from([Reverse((0, root))]);
        while let Some(Reverse((cost, at))) = queue.pop() {
            if costs[&at] < cost {
                continue;
            }
            for &(to, route) in next.get(&at).into_iter().flatten() {
                self.count()?;
                let cost = cost + self.zones.routes[route].links.len();
                if costs.get(&to).is_none_or(|&known| cost < known) {
                    costs.insert(to, cost);
                    tree.insert(to, (at, route));
                    queue.push(Reverse((cost, to)));
                }
            }
        }
        Ok(tree)
    }

    /// The way between points or hosts that are directly in a zone.
    fn inside(&mut self, zone: ZoneId, from: End, to: End) -> Result<Way, Fault> {
        if let Some(way) = self.inside.get(&(from, to)) {
            return Ok(way.clone());
        }
        let zones = self.zones;
        let way = match (from, to) {
            (End::Point(from), End::Point(to)) => {
                self.ways_from(zone, from, &[to])?.into_iter().next().unwrap_or_default()
            }
            (End::Hosts(_), End::Point(to)) => {
                let ways = self.ways_to(zone, &zones.zones[zone].hosts, to)?;
                self.worst(zone, ways)
            }
            (End::Point(from), End::Hosts(_)) => {
                let ways = self.ways_from(zone, from, &zones.zones[zone].hosts)?;
                self.worst(zone, ways)
            }
            (End::Hosts(_), End::Hosts(_)) => return self.among_hosts(zone),
        };
        self.inside.insert((from, to), way.clone());
        Ok(way)
    }

    /// The worst case of all these ways.
    fn worst(&mut self, zone: ZoneId, ways: Vec<Way>) -> Way {
        let mut ways = ways.into_iter();
        let Some(mut worst) = ways.next() else { return Way::default() };
        for way in ways {
            let same = way.bytes_per_second == worst.bytes_per_second
                && (way.seconds - worst.seconds).abs() <= 1e-12 * worst.seconds;
            if !same && !self.uneven.contains(&zone) {
                self.uneven.push(zone);
            }
            worst.bytes_per_second = worst.bytes_per_second.min(way.bytes_per_second);
            worst.seconds = worst.seconds.max(way.seconds);
        }
        worst
    }

    /// The worst way between two different hosts of a zone; a lone host sends to another one like
    /// it, if its link is known.
    pub fn among_hosts(&mut self, zone: ZoneId) -> Result<Way, Fault> {
        let zones = self.zones;
        let hosts = &zones.zones[zone].hosts;
        if let Routing::Uniform { spoke, backbone } = &zones.zones[zone].routing {
            return Ok(self.through_middle(Some(spoke), *backbone, Some(spoke)));
        }
        if let ([host], Routing::Star { spokes, backbone }) =
            (&hosts[..], &zones.zones[zone].routing)
        {
            // The other host would have a similar link, not the same one.
            let spoke = spokes.get(host);
            return Ok(self.through_middle(spoke, *backbone, spoke));
        }
        let mut worst: Option<Way> = None;
        let step = if hosts.len() > MOST_SOURCES { hosts.len().div_ceil(FEW_SOURCES) } else { 1 };
        for &host in hosts.iter().step_by(step) {
            let others = hosts.iter().copied().filter(|&other| other != host);
            let ways = self.ways_from(zone, host, &others.collect::<Vec<_>>())?;
            let ways = worst.into_iter().chain(ways).collect();
            worst = Some(self.worst(zone, ways));
        }
        Ok(worst.unwrap_or_default())
    }

    fn through_middle(
        &self,
        up: Option<&Spoke>,
        backbone: Option<LinkId>,
        down: Option<&Spoke>,
    ) -> Way {
        let mut way = Way::default();
        let up: &[LinkId] = up.map_or(&[], |spoke| &spoke.up);
        let down: &[LinkId] = down.map_or(&[], |spoke| &spoke.down);
        way.take(self.zones, up);
        way.take(self.zones, backbone.as_slice());
        way.take(self.zones, down);
        way
    }

    /// The same if hosts may share one link, which counts once, as in SimGrid.
    fn through_star(
        &self,
        up: Option<&Spoke>,
        backbone: Option<LinkId>,
        down: Option<&Spoke>,
    ) -> Way {
        let again = |link: &LinkId| {
            !self.zones.links[*link].split && up.is_some_and(|up| up.up.contains(link))
        };
        let down = down.map(|spoke| Spoke {
            up: Vec::new(),
            down: spoke.down.iter().copied().filter(|link| !again(link)).collect(),
        });
        self.through_middle(up, backbone, down.as_ref())
    }

    /// Ways from a point to others of its zone; none to itself.
    fn ways_from(
        &mut self,
        zone: ZoneId,
        from: PointId,
        others: &[PointId],
    ) -> Result<Vec<Way>, Fault> {
        self.one_to_many(zone, from, others, Direction::FromRoot)
    }

    /// Ways to a point from others of its zone; none from itself.
    fn ways_to(
        &mut self,
        zone: ZoneId,
        others: &[PointId],
        to: PointId,
    ) -> Result<Vec<Way>, Fault> {
        self.one_to_many(zone, to, others, Direction::ToRoot)
    }

    fn one_to_many(
        &mut self,
        zone: ZoneId,
        one: PointId,
        many: &[PointId],
        direction: Direction,
    ) -> Result<Vec<Way>, Fault> {
        let zones = self.zones;
        let ends = |other| match direction {
            Direction::FromRoot => (one, other),
            Direction::ToRoot => (other, one),
        };
        let many = many.iter().copied();
        // If there are only routers, the way is between clusters.
        let between_clusters = zones.zones[zone].hosts.is_empty();
        let mut ways = Vec::new();
        match &zones.zones[zone].routing {
            Routing::Uniform { spoke, backbone } => {
                let is_host =
                    |point: PointId| matches!(zones.points[point].kind, PointKind::Host { .. });
                let spoke = |point: PointId| is_host(point).then_some(spoke);
                // All hosts are alike.
                for other in many.take(1) {
                    let (from, to) = ends(other);
                    ways.push(self.through_middle(spoke(from), *backbone, spoke(to)));
                }
            }
            Routing::Star { spokes, backbone } => {
                for other in many {
                    self.count()?;
                    let (from, to) = ends(other);
                    let way = self.through_star(spokes.get(&from), *backbone, spokes.get(&to));
                    ways.push(if from == to { Way::default() } else { way });
                }
            }
            Routing::Full(routes) => {
                for other in many {
                    self.count()?;
                    let (from, to) = ends(other);
                    let mut way = Way::default();
                    if from != to {
                        let route =
                            routes.get(&(from, to)).ok_or_else(|| self.missing(from, to))?;
                        way.take(zones, &zones.routes[*route].links);
                        if between_clusters {
                            way.links.extend(&zones.routes[*route].links);
                        }
                    }
                    ways.push(way);
                }
            }
            Routing::Shortest(roads) => {
                let tree = self.shortest(roads, one, direction)?;
                for other in many {
                    let mut way = Way::default();
                    let mut at = other;
                    while at != one {
                        self.count()?;
                        let (from, to) = ends(other);
                        let &(next, route) = tree.get(&at).ok_or_else(|| self.missing(from, to))?;
                        way.take(zones, &zones.routes[route].links);
                        if between_clusters {
                            way.links.extend(zones.routes[route].links.iter().rev());
                        }
                        at = next;
                    }
                    // It was walked from its end, unless it leads to the root.
                    if direction == Direction::FromRoot {
                        way.links.reverse();
                    }
                    ways.push(way);
                }
            }
        }
        Ok(ways)
    }
}
