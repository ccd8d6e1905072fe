//! Reads anything as cables and forwarding tables, separated by a line `----`; a machine that can be
//! made from them has routes that arrive.

#![no_main]

use std::any::Any;

use libfuzzer_sys::fuzz_target;
use topoloom_core::cluster::Parts;
use topoloom_core::routing::routing_for;
use topoloom_core::topology::{Cluster, Graph};
use topoloom_core::{LinkId, Vertex};
use topoloom_io::machines::{parse_forwarding_tables, parse_ibnetdiscover};

fuzz_target!(|data: &[u8]| {
    let mut parts = Parts::default();
    let cut = data.windows(5).position(|window| window == b"----\n");
    let (cables, tables) = data.split_at(cut.unwrap_or(0));
    parts.tables = parse_forwarding_tables("b", tables.strip_prefix(b"----\n").unwrap_or(tables)).ok();
    let Ok((network, _)) = parse_ibnetdiscover("a", cables) else { return };
    parts.network = Some(network);
    let Ok((description, _)) = parts.join() else { return };
    let Ok(cluster) = Cluster::new(description) else { return };
    let Some(network) = cluster.wired().and_then(|wired| wired.network()) else { return };
    let cables = (network as &dyn Any).downcast_ref::<Graph>().expect("cables are a graph");
    let nodes = network.num_nodes().min(5) as u32;
    for name in ["table", "d-mod-k", "s-mod-k", "ecmp"] {
        let Ok(routing) = routing_for(name, network) else { continue };
        for (from, to) in (0..nodes).flat_map(|a| (0..nodes).map(move |b| (Vertex(a), Vertex(b)))) {
            if from == to || !cables.reaches(from, to) {
                continue;
            }
            let mut arrives = 0.0;
            routing.route(network, from, to, &mut |id: LinkId, share| {
                let link = network.link(id).expect("routes take links that exist");
                arrives += if link.to == to { share } else { 0.0 };
            });
            assert!((arrives - 1.0).abs() < 1e-6, "{name}");
        }
    }
});
