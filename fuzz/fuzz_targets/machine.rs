//! Reads anything as a machine file; what is a machine has places, and its metric is its distance.

#![no_main]

use libfuzzer_sys::fuzz_target;
use topoloom_core::topology::{Cluster, Topology};
use topoloom_core::Vertex;
use topoloom_io::{parse_machine_description, write_machine_description};

fuzz_target!(|data: &[u8]| {
    let Ok(description) = parse_machine_description("a", data) else { return };
    // Room for a few thousand places is enough to go wrong.
    if description.hosts.len() > 1000 {
        return;
    }
    let Ok(cluster) = Cluster::new(description) else { return };
    let path = std::env::temp_dir().join(format!("machine-{}.json", std::process::id()));
    write_machine_description(&path, cluster.description()).expect("there is room");
    let written = std::fs::read(&path).expect("it was written");
    let again = parse_machine_description("b", &written).expect("what we write can be read");
    assert_eq!(again.hosts, cluster.description().hosts);
    assert_eq!(again.kinds, cluster.description().kinds);
    let places = cluster.num_nodes();
    assert!(places > 0 && places == cluster.places().len());
    let last = Vertex(places as u32 - 1);
    assert_eq!(cluster.distance(Vertex(0), last), cluster.distance(last, Vertex(0)));
    let metric = cluster.metric().expect("a cluster has its own metric");
    assert_eq!(metric.distance(0, last.0), cluster.distance(Vertex(0), last));
});
