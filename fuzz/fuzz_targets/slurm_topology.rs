//! Reads anything as a topology of Slurm; what can be read is groups in groups.

#![no_main]

use libfuzzer_sys::fuzz_target;
use topoloom_io::machines::parse_slurm_topology;

fuzz_target!(|data: &[u8]| {
    // Many hosts are honest, but take long.
    if data.split(|byte| !byte.is_ascii_digit()).any(|digits| digits.len() > 4) {
        return;
    }
    let Ok((network, _)) = parse_slurm_topology("a", data) else { return };
    for (number, group) in network.groups.iter().enumerate() {
        assert!((1..=99).contains(&group.level));
        if let Some(parent) = group.parent {
            assert!((parent as usize) < number);
            assert!(network.groups[parent as usize].level > group.level);
        }
    }
    assert!(!network.hosts.is_empty());
    assert!(network.hosts.iter().all(|(_, group)| (*group as usize) < network.groups.len()));
});
