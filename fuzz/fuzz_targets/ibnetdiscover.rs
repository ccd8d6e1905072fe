//! Reads anything as output of `ibnetdiscover`; what can be read is groups in groups.

#![no_main]

use libfuzzer_sys::fuzz_target;
use topoloom_io::machines::parse_ibnetdiscover;

fuzz_target!(|data: &[u8]| {
    let Ok((network, _)) = parse_ibnetdiscover("a", data) else { return };
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
