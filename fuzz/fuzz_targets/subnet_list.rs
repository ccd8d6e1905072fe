//! Reads anything as names of devices and a list of cables, separated by a line `----`; what can be
//! read is a network whose wiring is sound, or too odd to be a machine.

#![no_main]

use libfuzzer_sys::fuzz_target;
use topoloom_core::cluster::Parts;
use topoloom_core::fabric_survey::fabric_survey;
use topoloom_core::topology::Cluster;
use topoloom_io::machines::{parse_device_names, parse_subnet_list};

fuzz_target!(|data: &[u8]| {
    let cut = data.windows(5).position(|window| window == b"----\n");
    let (names, cables) = data.split_at(cut.unwrap_or(0));
    let names = parse_device_names("a", names).unwrap_or_default();
    let cables = cables.strip_prefix(b"----\n").unwrap_or(cables);
    let Ok((network, _)) = parse_subnet_list("b", cables, &names) else { return };
    assert!(!network.hosts.is_empty());
    assert!(network.hosts.iter().all(|(_, group)| (*group as usize) < network.groups.len()));
    let parts = Parts { network: Some(network), ..Parts::default() };
    let Ok((description, _)) = parts.join() else { return };
    let Ok(cluster) = Cluster::new(description) else { return };
    let hosts: Vec<&str> =
        cluster.description().hosts.iter().map(|host| host.name.as_str()).collect();
    let Some(wired) = cluster.wired() else { return };
    let survey = fabric_survey(wired.wiring(), wired.network(), &hosts);
    assert!(survey.uncabled.pairs.len() <= survey.uncabled.of);
});
