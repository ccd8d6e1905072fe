//! A platform of SimGrid as its file describes it: zones in zones, their points and their routes.

use std::collections::{HashMap, HashSet};

pub type LinkId = usize;
pub type PointId = usize;
pub type ZoneId = usize;
pub type RouteId = usize;

/// A link; both directions share it unless it is split.
#[derive(Debug, Clone)]
pub struct Link {
    pub bytes_per_second: f64,
    pub seconds: f64,
    /// Whether each direction has the whole bandwidth.
    pub split: bool,
    /// Whether each message has the whole bandwidth.
    pub fat_pipe: bool,
}

/// An end point of routes.
#[derive(Debug, Clone)]
pub struct Point {
    pub name: String,
    /// The zone directly around it.
    pub zone: Option<ZoneId>,
    pub kind: PointKind,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub enum PointKind {
    Host {
        /// Flops per second of all its cores.
        speed: f64,
    },
    Router,
    Zone(ZoneId),
}

/// Links between two points of a zone; if those are zones, between gateways inside them.
#[derive(Debug, Clone)]
pub struct Route {
    pub gateways: [PointId; 2],
    pub links: Vec<LinkId>,
}

/// The links of a host up to the middle of its zone and down again.
#[derive(Debug, Clone, Default)]
pub struct Spoke {
    pub up: Vec<LinkId>,
    pub down: Vec<LinkId>,
}

/// The routes that other routes are made of.
#[derive(Debug, Clone, Default)]
pub struct Roads {
    /// Where routes lead from a point.
    pub forward: HashMap<PointId, Vec<(PointId, RouteId)>>,
    /// Where routes to a point begin.
    pub backward: HashMap<PointId, Vec<(PointId, RouteId)>>,
    pub known: HashSet<(PointId, PointId)>,
}

/// How routes through a zone are found.
#[derive(Debug, Clone)]
pub enum Routing {
    /// One by one.
    Full(HashMap<(PointId, PointId), RouteId>),
    /// Along the given routes, over as few links as possible.
    Shortest(Roads),
    /// Through the middle.
    Star { spokes: HashMap<PointId, Spoke>, backbone: Option<LinkId> },
    /// Through the middle, all hosts alike.
    Uniform { spoke: Spoke, backbone: Option<LinkId> },
}

#[derive(Debug, Clone)]
pub struct Zone {
    pub name: String,
    pub parent: Option<ZoneId>,
    /// Zones around it.
    pub depth: usize,
    /// Where it begins in the file.
    pub offset: usize,
    pub point: PointId,
    pub hosts: Vec<PointId>,
    pub routing: Routing,
    /// The groups that its properties name.
    pub groups: Option<Vec<String>>,
}

/// The whole platform.
#[derive(Debug, Default)]
pub struct Zones {
    pub links: Vec<Link>,
    pub points: Vec<Point>,
    pub routes: Vec<Route>,
    pub zones: Vec<Zone>,
}

impl Zones {
    /// The zones around a zone and itself, innermost first.
    pub fn chain(&self, zone: ZoneId) -> impl Iterator<Item = ZoneId> + '_ {
        std::iter::successors(Some(zone), |&zone| self.zones[zone].parent)
    }

    /// Whether a point lies in a zone, however deep, or is the zone itself.
    pub fn is_inside(&self, point: PointId, zone: ZoneId) -> bool {
        self.zones[zone].point == point
            || self.points[point]
                .zone
                .is_some_and(|around| self.chain(around).any(|around| around == zone))
    }

    pub fn name(&self, point: PointId) -> &str {
        &self.points[point].name
    }
}
