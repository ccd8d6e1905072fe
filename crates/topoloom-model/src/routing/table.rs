//! Forwarding tables: each switch sends what is for an address through the port in its table.

use std::sync::Arc;

use super::ecmp::ecmp;
use super::entry::RoutingEntry;
use super::interface::{PacketWays, Routing};
use super::shortest_way::shortest_way;
use super::spreading::Spreading;
use crate::ids::{LinkId, Vertex};
use crate::registry::Parameter;
use crate::spec::SpecError;
use crate::topology::{Topology, Walked};

/// Routes by tables, on networks that have them.
pub static ENTRY: RoutingEntry = RoutingEntry {
    name: "table",
    summary: "the forwarding tables of a described network, as its switches use them",
    example: "table",
    parameters: &[Parameter {
        name: "paths",
        default: "1",
        summary: "how many addresses of an adapter are used in equal shares, if it has several",
    }],
    build: |spec, topology| {
        spec.no_shape()?;
        if topology.forwarding().is_none() {
            let expected = "a machine with forwarding tables (see topoloom machine import)";
            return Err(SpecError::new(format!("table: expected {expected}, found none")));
        }
        let paths = spec.get_positive("paths")?.unwrap_or(1);
        Ok(Arc::new(TableRouting::new(topology, paths)))
    },
};

/// Routes by tables. Pairs without a route in the tables spread over all shortest routes.
#[derive(Debug)]
pub struct TableRouting {
    paths: u32,
    spare: Spreading,
}

impl TableRouting {
    /// Routes by the tables of a topology that has some.
    pub fn new(topology: &dyn Topology, paths: u32) -> TableRouting {
        TableRouting { paths, spare: ecmp(topology) }
    }
}

impl Routing for TableRouting {
    fn name(&self) -> String {
        match self.paths {
            1 => ENTRY.name.to_string(),
            paths => format!("{}:paths={paths}", ENTRY.name),
        }
    }

    fn route(
        &self,
        topology: &dyn Topology,
        from: Vertex,
        to: Vertex,
        visit: &mut dyn FnMut(LinkId, f64),
    ) {
        if from == to {
            return;
        }
        let tables = topology.forwarding().expect("made for a network with tables");
        let paths = self.paths.clamp(1, tables.num_addresses(to).max(1));
        let share = 1.0 / f64::from(paths);
        let mut links = Vec::new();
        for path in 0..paths {
            links.clear();
            match tables.walk(from, to, path, |link| links.push(link)) {
                Walked::Arrived => links.iter().for_each(|&link| visit(link, share)),
                _ => {
                    self.spare.for_each(topology, from, to, |link, part| visit(link, share * part))
                }
            }
        }
    }

    // Several paths, or spare routes, are not one way.
    fn is_straight(&self) -> bool {
        false
    }

    fn may_be_longer(&self) -> bool {
        true
    }

    fn packet_ways(&self) -> Option<PacketWays> {
        Some(PacketWays::Random)
    }

    fn one_way(
        &self,
        topology: &dyn Topology,
        (from, to): (Vertex, Vertex),
        _shortest: bool,
        pick: &mut dyn FnMut(u32) -> u32,
        visit: &mut dyn FnMut(LinkId),
    ) {
        let tables = topology.forwarding().expect("made for a network with tables");
        let paths = self.paths.clamp(1, tables.num_addresses(to).max(1));
        let mut links = Vec::new();
        match tables.walk(from, to, pick(paths), |link| links.push(link)) {
            Walked::Arrived => links.into_iter().for_each(visit),
            _ => shortest_way(topology, from, to, pick, visit),
        }
    }
}
