//! Platforms as machines: processors on the switch of their cluster, switches connected by links.

use std::path::Path;
use std::sync::Arc;

use topoloom_arrange::Platform;
use topoloom_core::topology::{Edge, Graph, GraphError, LinkProperties, PLATFORM, platform_file};
use topoloom_core::{Machine, Spec, TOPOLOGIES, Vertex};

use super::simgrid::Star;
use crate::machines::error::MachineError;
use crate::text::fault::Fault;
use crate::text::input::Opener;
use crate::text::source::Source;
use crate::text::warnings::Warnings;

/// A platform's network, and what it does not represent.
#[derive(Debug, Clone)]
pub struct PlatformMachine {
    /// Processors in the platform's order, then one switch per cluster.
    pub graph: Graph,
    /// What the network does not represent.
    pub warnings: Warnings,
}

/// The network of a platform: every processor on a link to the switch of its cluster, as fast as
/// the cluster is inside, and a link between every two switches, as fast in each direction as the
/// table says. Messages share the links between switches, unless the platform has fat pipes there.
pub fn machine_of_platform(platform: &Platform) -> Result<PlatformMachine, GraphError> {
    network(platform, None)
}

fn network(platform: &Platform, star: Option<&Star>) -> Result<PlatformMachine, GraphError> {
    let clusters = platform.clusters().len();
    let nodes = platform.num_processors() as u32;
    let mut warnings = Warnings::new();
    if platform.vertical().is_some() {
        warnings.push(
            "a machine has one bandwidth per link: the bandwidths of vertical messages are left out".into(),
        );
    }
    let switch = |cluster: usize| Vertex(nodes + cluster as u32);
    let half_inside =
        |cluster: usize| platform.latency().map(|latency| latency.between(cluster, cluster) / 2.0);
    let properties = |bytes_per_second: f64, latency: Option<f64>| LinkProperties {
        bytes_per_second,
        latency_seconds: latency.unwrap_or(LinkProperties::ELECTRICAL.latency_seconds),
        ..LinkProperties::ELECTRICAL
    };
    let inside = |cluster: usize| platform.bandwidth().between(cluster, cluster) * platform.unit();
    let mut edges: Vec<Edge> = (0..nodes)
        .zip(platform.cluster_of())
        .map(|(node, &cluster)| Edge {
            ends: [Vertex(node), switch(cluster as usize)],
            properties: properties(inside(cluster as usize), half_inside(cluster as usize)),
        })
        .collect();
    let between_switches = |bytes_per_second: f64, latency: Option<f64>| LinkProperties {
        is_fat_pipe: platform.has_fat_pipes(),
        ..properties(bytes_per_second, latency)
    };
    if let Some(star) = star {
        let middle = Vertex(nodes + clusters as u32);
        let (core, core_latency) = star.core.unwrap_or((f64::INFINITY, 0.0));
        for (cluster, &(bandwidth, latency)) in star.uplinks.iter().enumerate() {
            edges.push(Edge {
                ends: [switch(cluster), middle],
                properties: between_switches(
                    bandwidth.min(core),
                    Some(latency + core_latency / 2.0),
                ),
            });
        }
        let all: f64 = star.uplinks.iter().map(|uplink| uplink.0).sum();
        // The middle has one channel per direction, and half of the clusters can fill it.
        if star.core_is_shared && core < all {
            warnings.push(
                "the central link that all clusters share is not kept as one link: each cluster \
                 has its whole bandwidth"
                    .to_string(),
            );
        }
        let graph = Graph::new(nodes, clusters as u32 + 1, &edges)?;
        return Ok(PlatformMachine { graph, warnings });
    }
    let between = |from: usize, to: usize| {
        let latency = platform.latency().map(|latency| {
            let ends = (latency.between(from, from) + latency.between(to, to)) / 2.0;
            (latency.between(from, to) - ends).max(0.0)
        });
        between_switches(platform.bandwidth().between(from, to) * platform.unit(), latency)
    };
    for one in 0..clusters {
        for other in one + 1..clusters {
            let ends = [switch(one), switch(other)];
            edges.push(Edge { ends, properties: between(one, other) });
        }
    }
    let graph = Graph::new(nodes, clusters as u32, &edges)?;
    // Edges are the same in both directions; tables need not be.
    let graph = graph.with_properties(|link| {
        match (link.from.0.checked_sub(nodes), link.to.0.checked_sub(nodes)) {
            (Some(from), Some(to)) => between(from as usize, to as usize),
            _ => link.properties,
        }
    })?;
    Ok(PlatformMachine { graph, warnings })
}

/// The machine of a specification `platform:FILE`.
pub(crate) fn read_platform_machine(
    spec: &Spec,
    open: &Opener<'_>,
) -> Result<(Machine, Warnings), MachineError> {
    TOPOLOGIES.find(spec)?;
    debug_assert_eq!(spec.name, PLATFORM);
    let path = Path::new(platform_file(spec)?);
    let read = super::file::read(path, open)?;
    let machine = network(&read.platform, read.star.as_ref()).map_err(|error| {
        Source::new(&path.display().to_string(), &[]).error(Fault::refused(error))
    })?;
    let mut warnings = read.warnings;
    warnings.extend(machine.warnings);
    if read.has_some_fat_pipes {
        warnings.push(format!(
            "{}: some links between clusters are FATPIPE and some are shared; as a machine, all are shared",
            path.display()
        ));
    }
    if read.shares_links {
        warnings.push(format!(
            "{}: routes between clusters share links; as a machine, every two clusters have their \
             own link",
            path.display()
        ));
    }
    Ok((Machine::with_topology(&spec.to_string(), Arc::new(machine.graph))?, warnings))
}
