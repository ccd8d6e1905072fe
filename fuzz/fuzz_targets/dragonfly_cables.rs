//! Reads anything as cables of Slingshot, links of a Cray XC and an order of adapters; what can be read
//! is a network whose wiring is sound, or a list of hosts.

#![no_main]

use libfuzzer_sys::fuzz_target;
use topoloom_core::cluster::Parts;
use topoloom_core::topology::Cluster;
use topoloom_io::machines::{parse_aries_links, parse_machine_file, parse_slingshot_cables};

fuzz_target!(|data: &[u8]| {
    let _ = parse_machine_file("a", data);
    let cables = parse_slingshot_cables("b", data).ok();
    let links = parse_aries_links("c", data).ok().filter(|(network, _)| network.hosts.len() < 2000);
    for (network, _) in cables.into_iter().chain(links) {
        assert!(!network.hosts.is_empty());
        let parts = Parts { network: Some(network), ..Parts::default() };
        let Ok((description, _)) = parts.join() else { continue };
        let _ = Cluster::new(description);
    }
});
