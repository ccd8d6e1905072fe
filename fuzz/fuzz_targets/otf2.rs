//! Reads anything as an OTF2 archive.
//!
//! The files follow each other, each after its length in two bytes: the anchor, the
//! definitions of all, and then those of locations 0, 1, ..., each followed by its events.

#![no_main]

use std::io;

use libfuzzer_sys::fuzz_target;
use topoloom_io::parse_otf2;

fuzz_target!(|data: &[u8]| {
    let files = files(data);
    let file = |name: &str| -> io::Result<Vec<u8>> {
        let number = match name {
            "a.def" => 1,
            _ => {
                let (location, kind) = name["a/".len()..].split_once('.').expect("it has an ending");
                let location: usize = location.parse().map_err(|_| io::ErrorKind::NotFound)?;
                location.saturating_mul(2).saturating_add(if kind == "def" { 2 } else { 3 })
            }
        };
        files.get(number).map(|file| file.to_vec()).ok_or(io::ErrorKind::NotFound.into())
    };
    let Some(anchor) = files.first() else { return };
    let Ok(trace) = parse_otf2("a.otf2", anchor, &file) else { return };
    assert!(trace.num_ranks() > 0);
    assert!(trace.collectives().iter().all(|collective| collective.group.size() > 1));
});

fn files(mut data: &[u8]) -> Vec<&[u8]> {
    let mut files = Vec::new();
    while let Some((length, rest)) = data.split_first_chunk::<2>() {
        let length = usize::from(u16::from_le_bytes(*length)).min(rest.len());
        files.push(&rest[..length]);
        data = &rest[length..];
    }
    files
}
