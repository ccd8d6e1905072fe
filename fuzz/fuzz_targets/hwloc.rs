//! Reads anything as hwloc's XML; what can be read has threads, each once.

#![no_main]

use libfuzzer_sys::fuzz_target;
use topoloom_core::cluster::ObjectKind;
use topoloom_io::machines::parse_hwloc;

fuzz_target!(|data: &[u8]| {
    let Ok(hardware) = parse_hwloc("a", data) else { return };
    assert_eq!(hardware.node.kind, ObjectKind::Node);
    let mut cpus = hardware.node.cpus();
    let threads = cpus.len();
    cpus.dedup();
    assert!(threads > 0 && cpus.len() == threads);
    assert!(hardware.node.count(ObjectKind::Core) > 0);
});
