//! Reads anything as a recording; what can be read must survive being written and read again.
//!
//! A checksum finds damage to a section, and the end of the file finds a wrong length. Both are
//! repaired before a second attempt, which then reaches the content of the sections.

#![no_main]

use libfuzzer_sys::fuzz_target;
use topoloom_core::Weight;
use topoloom_io::{FORMATS, Recording, TRACE_FORMATS, parse_recording, parse_traffic};

const NAMES: [&[u8; 4]; 16] = [
    b"rank", b"info", b"note", b"host", b"seat", b"node", b"time", b"load", b"flow", b"size",
    b"grps", b"coll", b"call", b"evnt", b"new0", b"end ",
];
const HEAD: usize = 20;

fuzz_target!(|data: &[u8]| {
    for bytes in [data.to_vec(), mended(data)] {
        if let Ok(recording) = parse_recording("a.rec", &bytes) {
            check(&recording, &bytes);
        }
    }
});

fn check(recording: &Recording, bytes: &[u8]) {
    assert_eq!(recording.flows.len(), recording.ranks as usize);
    let traffic = recording.traffic();
    assert_eq!(traffic, parse_traffic("a.rec", bytes, Weight::Bytes).expect("totals are part"));
    assert!((traffic.total(Weight::Bytes) + traffic.total(Weight::Messages)).is_finite());
    let written = written(|bytes| {
        let format = FORMATS.entries.iter().find(|entry| entry.name == "recording");
        let write = format.and_then(|entry| entry.build.write).expect("recordings are written");
        write(&traffic, Weight::Bytes, bytes).map(|_| ())
    });
    assert_eq!(parse_traffic("a.rec", &written, Weight::Bytes).as_ref(), Ok(&traffic));
    let Some(trace) = &recording.trace else { return };
    let written = written_events(trace);
    // Sizes of pairs in many calls may add up to more than a number can hold.
    let Some(written) = written else { return };
    let again = parse_recording("a.rec", &written).expect("what we write can be read");
    assert_eq!(again.trace.as_ref(), Some(trace));
}

fn written(write: impl FnOnce(&mut Vec<u8>) -> std::io::Result<()>) -> Vec<u8> {
    let mut bytes = Vec::new();
    write(&mut bytes).expect("what was read can be written");
    bytes
}

fn written_events(trace: &topoloom_core::Trace) -> Option<Vec<u8>> {
    let format = TRACE_FORMATS.entries.iter().find(|entry| entry.name == "recording");
    let write = format.and_then(|entry| entry.build.write).expect("recordings are written");
    let mut bytes = Vec::new();
    write(trace, &mut bytes).ok().map(|()| bytes)
}

/// The same sections, which begin where their names stand, with the right lengths and checksums.
fn mended(data: &[u8]) -> Vec<u8> {
    let Some((head, rest)) = data.split_at_checked(HEAD) else { return Vec::new() };
    let is_name = |place: usize| NAMES.iter().any(|name| rest[place..].starts_with(*name));
    let mut begins: Vec<usize> = (0..rest.len()).filter(|&place| is_name(place)).collect();
    // One name may begin with the last letter of another.
    begins.dedup_by(|next, begin| *next < *begin + 4);
    let mut bytes = head.to_vec();
    for (number, &begin) in begins.iter().enumerate() {
        let end = begins.get(number + 1).copied().unwrap_or(rest.len());
        let (name, behind) = rest[begin..end].split_at(4);
        // Behind the 8 bytes of the length, and before the 4 of the checksum.
        let payload = behind.get(8..behind.len().saturating_sub(4)).unwrap_or(&[]);
        bytes.extend(name);
        bytes.extend((payload.len() as u64).to_le_bytes());
        bytes.extend(payload);
        bytes.extend(checksum(&[name, payload].concat()).to_le_bytes());
    }
    bytes
}

fn checksum(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(u32::MAX, |sum, &byte| {
        (0..8).fold(sum ^ u32::from(byte), |sum, _| {
            if sum & 1 == 1 { sum >> 1 ^ 0xedb8_8320 } else { sum >> 1 }
        })
    })
}
