//! Reads anything as output of nvidia-smi: a table of GPUs, or fabric UUIDs; what can be read is a node with CPUs, or hosts
//! with domains.

#![no_main]

use libfuzzer_sys::fuzz_target;
use topoloom_core::cluster::{Hardware, ObjectKind};
use topoloom_io::machines::{parse_fabric_ids, parse_smi_topology};

fn check_node(hardware: &Hardware) {
    let cpus = hardware.node.cpus();
    assert!(!cpus.is_empty() && cpus.windows(2).all(|pair| pair[0] < pair[1]));
    let gpus = hardware.node.count(ObjectKind::Gpu) as u32;
    assert!(hardware.adapters.iter().all(|adapter| adapter.gpus.iter().all(|&gpu| gpu < gpus)));
}

fuzz_target!(|data: &[u8]| {
    if let Ok((hardware, _)) = parse_smi_topology("a", data) {
        check_node(&hardware);
    }
    if let Ok((domains, _)) = parse_fabric_ids("b", data) {
        assert!(!domains.is_empty());
    }
});
