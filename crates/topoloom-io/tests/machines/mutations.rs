//! Damaged descriptions are read or rejected, but never make the readers panic.

use topoloom_core::cluster::Network;
use topoloom_io::machines::{KeptFiles, MachineFile, detect, parse_machine_file};

use super::{ai_samples, samples};

/// Damaging every line would take too long for large files.
const MUTATIONS_A_FILE: u64 = 150;

const INSERTS: &[&str] = &[
    "4000000000",
    "18446744073709551616",
    "-1",
    "0x",
    ",",
    "=",
    "\"",
    "'",
    "#",
    "<",
    "/>",
    "[1-",
    "]",
    "\t",
    "\n",
    "\\\n",
    "Switches=",
    "Nodes=",
    "<object type=\"PU\"/>",
    "<gpu dev=\"0\"/>",
    ": ",
    "- ",
    "{",
    "[",
    "&a ",
    "*a",
    "\x1b[4m",
    "Gbps",
    "\u{feff}",
];

/// SplitMix64: the same damage in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) % bound.max(1) as u64) as usize
    }
}

fn damage(bytes: &mut Vec<u8>, random: &mut Random) {
    let place = random.below(bytes.len());
    let end = (place + 1 + random.below(40)).min(bytes.len());
    match random.below(6) {
        _ if bytes.is_empty() => {}
        0 => bytes[place] ^= 1 << random.below(8),
        1 => drop(bytes.drain(place..end)),
        2 => bytes.truncate(place),
        3 => {
            let copy = bytes[place..end].to_vec();
            let to = random.below(bytes.len());
            bytes.splice(to..to, copy);
        }
        // Another digit leaves the form unchanged.
        4 => {
            let from = bytes[place..].iter().position(u8::is_ascii_digit);
            if let Some(digit) = from {
                bytes[place + digit] = b'0' + random.below(10) as u8;
            }
        }
        _ => {
            let insert = INSERTS[random.below(INSERTS.len())];
            bytes.splice(place..place, insert.bytes());
        }
    }
}

/// Groups are in higher groups that come before them, and hosts are in groups that exist.
fn check(network: &Network) {
    for (number, group) in network.groups.iter().enumerate() {
        assert!((1..=99).contains(&group.level));
        if let Some(parent) = group.parent {
            assert!((parent as usize) < number);
            assert!(network.groups[parent as usize].level > group.level);
        }
    }
    assert!(!network.hosts.is_empty());
    assert!(network.hosts.iter().all(|(_, group)| (*group as usize) < network.groups.len()));
}

#[test]
fn no_damage_makes_a_reader_panic() {
    let (mut refused, mut read) = (0, 0);
    for (name, original) in samples().into_iter().chain(ai_samples()) {
        for seed in 0..MUTATIONS_A_FILE {
            let mut random = Random(seed);
            let mut bytes = original.clone();
            (0..=random.below(4)).for_each(|_| damage(&mut bytes, &mut random));
            match parse_machine_file(&name, &bytes) {
                Err(error) => {
                    refused += 1;
                    assert_eq!(error.file, name);
                }
                Ok((MachineFile::Network(network), _)) => {
                    read += 1;
                    check(&network);
                }
                Ok((MachineFile::Hardware(hardware), _)) => {
                    read += 1;
                    assert!(!hardware.node.cpus().is_empty());
                }
                Ok((MachineFile::Domains(domains), _)) => assert!(!domains.is_empty()),
                Ok((MachineFile::Whole(parts), _)) => {
                    read += 1;
                    parts.network.iter().for_each(check);
                }
                Ok((MachineFile::Hosts(hosts), _)) => assert!(!hosts.is_empty()),
                Ok((MachineFile::Names(names), _)) => assert!(!names.is_empty()),
                Ok((MachineFile::Tables(tables), _)) => assert!(!tables.switches.is_empty()),
                Ok((MachineFile::Target(target), _)) => assert!(!target.spec.is_empty()),
            }
        }
    }
    assert!(refused > 200 && read > 200, "{refused} refused, {read} read");
}

#[test]
fn no_damage_makes_detection_panic() {
    const TREES: [&str; 3] = [
        include_str!("sys/two-packages-snc.txt"),
        include_str!("sys/no-caches.txt"),
        include_str!("sys/restricted.txt"),
    ];
    let mut described = 0;
    for tree in TREES {
        for seed in 0..MUTATIONS_A_FILE {
            let mut random = Random(seed);
            let mut bytes = tree.as_bytes().to_vec();
            (0..=random.below(10)).for_each(|_| damage(&mut bytes, &mut random));
            let text = String::from_utf8_lossy(&bytes);
            // The lines that can still be read.
            let kept = text.lines().filter(|line| KeptFiles::parse(line).is_ok());
            let kept = kept.collect::<Vec<&str>>().join("\n");
            if let Ok(hardware) = detect(&KeptFiles::parse(&kept).unwrap()) {
                described += 1;
                let mut cpus = hardware.node.cpus();
                cpus.dedup();
                assert_eq!(cpus, hardware.node.cpus());
            }
        }
    }
    assert!(described > 200, "{described}");
}
