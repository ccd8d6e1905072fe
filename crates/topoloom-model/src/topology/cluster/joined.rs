//! How hosts are joined: a network whose nodes are their adapters.

use std::sync::Arc;

use super::error::ClusterError;
use crate::cluster::{Cable, Description, Device, NamedNetwork, Wiring};
use crate::ids::{LinkId, Vertex};
use crate::topology::graph::{Edge, Forwarding, Graph, Walked};
use crate::topology::interface::Topology;
use crate::topology::link::LinkProperties;

/// Stands for no host.
const NONE: u32 = u32::MAX;

/// If only groups of switches are known, and more than this, no links are made up for them: there
/// is a table of all pairs of switches.
const MOST_GROUPS: usize = 1 << 13;

/// The network of a cluster with what is known of its parts; nothing for a single host.
#[derive(Debug, Default)]
pub struct Joined {
    /// Its nodes are the adapters.
    pub network: Option<Arc<dyn Topology>>,
    /// The host of each adapter; a number beyond all hosts for none.
    pub host_of_adapter: Vec<u32>,
    /// The link between each adapter and its host.
    pub adapter_links: Vec<LinkProperties>,
    /// The ports at both ends of each link of the network.
    pub ports: Vec<[u32; 2]>,
    /// Adapters, switches and cables; empty if the network has a name.
    pub wiring: Wiring,
}

impl Joined {
    /// Hosts on the nodes of a network with a name.
    pub fn by_name(named: &NamedNetwork) -> Joined {
        let topology = &named.topology;
        let mut host_of_adapter = vec![NONE; topology.num_nodes()];
        for (host, &node) in (0..).zip(&named.node_of_host) {
            host_of_adapter[node as usize] = host;
        }
        let adapter_links = match named.adapter {
            Some(link) => vec![link; host_of_adapter.len()],
            None => links_of_nodes(topology.as_ref()),
        };
        let network = Some(topology.clone());
        Joined { network, host_of_adapter, adapter_links, ..Joined::default() }
    }

    /// Hosts joined by cables, or by groups of switches if only those are known. None if the network
    /// is in parts that do not reach each other, or has too many groups.
    pub fn by_cables(description: &Description) -> Result<Option<Joined>, ClusterError> {
        let wiring = match &description.network.wiring {
            Some(wiring) => wiring.clone(),
            None if description.network.groups.len() > MOST_GROUPS => return Ok(None),
            None => {
                let of_hosts: Vec<Option<u32>> =
                    description.hosts.iter().map(|host| host.group).collect();
                Wiring::of_groups(&description.network.groups, &of_hosts, &description.costs)
            }
        };
        let wiring = description.with_nvlink(wiring);
        let names: Vec<&str> = description.hosts.iter().map(|host| &host.name[..]).collect();
        wiring.check(&names)?;
        let (network, ports) = network(&wiring, &names)?;
        let host_of_adapter: Vec<u32> =
            wiring.adapters.iter().map(|adapter| adapter.host).collect();
        if !is_one_network(&network, names.len(), &host_of_adapter) {
            return Ok(None);
        }
        let adapter_links = links_of_nodes(&network);
        let network: Option<Arc<dyn Topology>> = Some(Arc::new(network));
        Ok(Some(Joined { network, host_of_adapter, adapter_links, ports, wiring }))
    }
}

/// A host gets at its adapter as much as the adapter can send: what its link carries or, if it has
/// several, what the fastest link carries.
fn links_of_nodes(network: &dyn Topology) -> Vec<LinkProperties> {
    let mut links: Vec<(u32, Option<LinkProperties>)> = vec![(0, None); network.num_nodes()];
    let mut fastest = LinkProperties { bytes_per_second: 0.0, ..LinkProperties::ELECTRICAL };
    for link in (0..network.link_id_bound()).filter_map(|id| network.link(LinkId(id))) {
        if link.properties.bytes_per_second > fastest.bytes_per_second {
            fastest = link.properties;
        }
        if let Some((count, own)) = links.get_mut(link.from.index()) {
            *count += 1;
            *own = Some(link.properties);
        }
    }
    let adapter = |(count, own): (u32, Option<LinkProperties>)| {
        let like = own.filter(|_| count == 1).unwrap_or(fastest);
        LinkProperties { latency_seconds: 0.0, ..like }
    };
    links.into_iter().map(adapter).collect()
}

/// Whether every two hosts have adapters that reach each other. Rails may be separate networks.
fn is_one_network(network: &Graph, hosts: usize, host_of_adapter: &[u32]) -> bool {
    // The first adapter of the part of the network that each adapter is in.
    let mut firsts: Vec<u32> = Vec::new();
    let mut parts_of_hosts: Vec<Vec<u32>> = vec![Vec::new(); hosts];
    for (adapter, &host) in (0..).zip(host_of_adapter) {
        let reached = |&first: &u32| network.reaches(Vertex(first), Vertex(adapter));
        let part = firsts.iter().copied().find(reached).unwrap_or(adapter);
        if part == adapter {
            firsts.push(adapter);
        }
        parts_of_hosts[host as usize].push(part);
    }
    parts_of_hosts.iter_mut().for_each(|parts| parts.sort_unstable());
    parts_of_hosts.sort_unstable();
    parts_of_hosts.dedup();
    let meet = |a: &Vec<u32>, b: &Vec<u32>| a.iter().any(|part| b.contains(part));
    parts_of_hosts.iter().all(|a| parts_of_hosts.iter().all(|b| meet(a, b)))
}

/// The network with its tables, and the ports at both ends of each of its links.
fn network(wiring: &Wiring, hosts: &[&str]) -> Result<(Graph, Vec<[u32; 2]>), ClusterError> {
    let nodes = wiring.adapters.len() as u32;
    let vertex = |device: Device| match device {
        Device::Adapter(number) => Vertex(number),
        Device::Switch(number) => Vertex(nodes + number),
    };
    let edge = |cable: &Cable| Edge {
        ends: cable.ends.map(|end| vertex(end.device)),
        properties: cable.link,
    };
    let edges: Vec<Edge> = wiring.cables.iter().map(edge).collect();
    let graph = Graph::in_parts(nodes, wiring.switches.len() as u32, &edges)?;
    // The links of a vertex are in the order of the cables.
    let mut leaving: Vec<Vec<(u32, u32)>> = vec![Vec::new(); graph.vertex_count()];
    let mut ports = vec![[0; 2]; graph.link_count() as usize];
    for cable in &wiring.cables {
        let [a, b] = cable.ends;
        for (from, to) in [(a, b), (b, a)] {
            let at = vertex(from.device);
            let link = graph.links_of(at).start + leaving[at.index()].len();
            leaving[at.index()].push((from.number, link as u32));
            ports[link] = [from.number, to.number];
        }
    }
    let graph = graph.with_ports(ports.iter().map(|&[own, _]| own).collect());
    let Some(tables) = wiring.tables.clone() else { return Ok((graph, ports)) };
    let ends = (0..graph.link_count())
        .map(|id| graph.link_at(LinkId(id)).expect("links have no gaps").to)
        .collect();
    let addresses = wiring.adapters.iter().map(|adapter| adapter.addresses.clone()).collect();
    let forwarding = Forwarding::new(tables, addresses, &leaving, ends);
    if let [Some(broken), _] = forwarding.broken() {
        let name = |vertex: Vertex| match vertex.0.checked_sub(nodes) {
            Some(switch) => wiring.switches[switch as usize].name.clone(),
            None => {
                let adapter = &wiring.adapters[vertex.index()];
                format!("{} {}", hosts[adapter.host as usize], adapter.name)
            }
        };
        let at = match broken.ending {
            Walked::Loop(at) | Walked::Stuck(at) | Walked::Astray(at) => name(at),
            Walked::Arrived => name(broken.to),
        };
        let (from, to) = (name(broken.from), name(broken.to));
        return Err(ClusterError::Loop { from, to, at, pairs: broken.pairs });
    }
    Ok((graph.with_forwarding(forwarding), ports))
}
