//! Nodes in a torus of three dimensions, as cables between their switches.

use topoloom_core::cluster::Network;

use crate::machines::device_names::DeviceNames;
use crate::machines::subnet::{DeviceKind, Subnet};
use crate::text::fault::Fault;
use crate::text::warnings::Warnings;

/// Larger than the tori that are built.
const MOST_NODES: usize = 1 << 16;

/// The port of a switch that its own node is plugged into. Ports 1 to 6 are those of the torus.
const OWN_PORT: u32 = 7;

/// The network of nodes in a torus of this size, the first dimension running fastest. There must be
/// as many nodes as places.
pub fn network(nodes: &[String], size: [u32; 3]) -> Result<(Network, Warnings), Fault> {
    if nodes.len() > MOST_NODES {
        return Err(Fault::TooLarge(format!("a torus of more than {MOST_NODES} nodes")));
    }
    let names = DeviceNames::default();
    let mut subnet = Subnet::new(&names);
    let switches: Vec<usize> = nodes
        .iter()
        .map(|node| {
            // A dot keeps ids apart from GUIDs.
            let (switch, adapter) = (format!("S-.{node}"), format!("H-.{node}"));
            let switch = subnet.device(DeviceKind::Switch, &switch, &format!("switch of {node}"));
            let adapter = subnet.device(DeviceKind::Adapter, &adapter, &format!("{node} torus"));
            subnet.join((switch, OWN_PORT), (adapter, 1), None);
            switch
        })
        .collect();
    let mut stride = 1;
    for (dimension, &size) in (0..).zip(&size) {
        let size = size as usize;
        for (node, &switch) in switches.iter().enumerate() {
            let at = node / stride % size;
            let next = node - at * stride + (at + 1) % size * stride;
            // Two nodes of a ring are neighbours once.
            if size > 2 || (size == 2 && at == 0) {
                let port = 2 * dimension + 1;
                subnet.join((switch, port), (switches[next], port + 1), None);
            }
        }
        stride *= size;
    }
    Ok(subnet.network())
}
