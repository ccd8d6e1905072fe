//! Reads anything as a topology of NCCL; what can be read is a node with CPUs.

#![no_main]

use libfuzzer_sys::fuzz_target;
use topoloom_core::cluster::{Hardware, ObjectKind};
use topoloom_io::machines::parse_nccl;

fn check_node(hardware: &Hardware) {
    let cpus = hardware.node.cpus();
    assert!(!cpus.is_empty() && cpus.windows(2).all(|pair| pair[0] < pair[1]));
    let gpus = hardware.node.count(ObjectKind::Gpu) as u32;
    assert!(hardware.adapters.iter().all(|adapter| adapter.gpus.iter().all(|&gpu| gpu < gpus)));
}

fuzz_target!(|data: &[u8]| {
    let Ok((hardware, _)) = parse_nccl("a", data) else { return };
    check_node(&hardware);
});
