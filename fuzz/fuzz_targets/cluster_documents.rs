//! Reads anything as a description of a cluster in JSON, YAML, addresses of Slurm or SimAI's form; what can be read is
//! groups in groups, with hosts that form a machine.

#![no_main]

use libfuzzer_sys::fuzz_target;
use topoloom_core::cluster::{Network, Parts};
use topoloom_core::topology::Cluster;
use topoloom_io::machines::{
    MachineFile, parse_machine_file, parse_simai, parse_topology_addresses,
};

fn check(network: &Network) {
    for (number, group) in network.groups.iter().enumerate() {
        assert!((1..=99).contains(&group.level));
        if let Some(parent) = group.parent {
            assert!((parent as usize) < number);
            assert!(network.groups[parent as usize].level > group.level);
        }
    }
    assert!(network.hosts.iter().all(|(_, group)| (*group as usize) < network.groups.len()));
}

fn build(parts: Parts) {
    parts.network.iter().for_each(check);
    if parts.network.as_ref().is_some_and(|network| network.hosts.len() > 2000) {
        return;
    }
    if let Ok((description, _)) = parts.join() {
        let _ = Cluster::new(description);
    }
}

fuzz_target!(|data: &[u8]| {
    // Many hosts are honest, but take long.
    if data.split(|byte| !byte.is_ascii_digit()).any(|digits| digits.len() > 4) {
        return;
    }
    match parse_machine_file("a", data) {
        Ok((MachineFile::Whole(parts), _)) => build(*parts),
        Ok((MachineFile::Network(network), _)) => {
            build(Parts { network: Some(network), ..Parts::default() })
        }
        _ => {}
    }
    if let Ok((parts, _)) = parse_simai("b", data) {
        build(parts);
    }
    if let Ok((network, _)) = parse_topology_addresses("c", data) {
        assert!(!network.hosts.is_empty());
        check(&network);
    }
});
