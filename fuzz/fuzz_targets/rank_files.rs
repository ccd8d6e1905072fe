//! Reads anything as the files of two ranks, totals and events. Whatever it is, it becomes a
//! recording that can be written and read again, or none.

#![no_main]

use std::fs;
use std::path::PathBuf;
use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use topoloom_io::{read_recording, recordings_in};

const HEADER_BYTES: usize = 4096;
const RECORD_BYTES: usize = 32;
// Places of numbers in the header.
const RANK: usize = 2;
const SIZE: usize = 3;
const RECORDS: usize = 4;
/// As many as MAX_RANKS may be right, but take long.
const MOST_RANKS: u64 = 64;

static FOLDER: LazyLock<PathBuf> = LazyLock::new(|| {
    let folder = std::env::temp_dir().join(format!("topoloom-fuzz-{}", std::process::id()));
    fs::create_dir_all(folder.join("ranks")).expect("there is a folder for temporary files");
    folder
});

fuzz_target!(|data: &[u8]| {
    let mut data = data.to_vec();
    if data.len() < HEADER_BYTES {
        return;
    }
    if number(&data, SIZE) > MOST_RANKS {
        set(&mut data, SIZE, MOST_RANKS);
    }
    // The header says where the totals end; events follow.
    let most = (data.len() - HEADER_BYTES) / RECORD_BYTES;
    let records = usize::try_from(number(&data, RECORDS)).unwrap_or(usize::MAX).min(most);
    let (totals, events) = data.split_at(HEADER_BYTES + records * RECORD_BYTES);
    let folder = FOLDER.join("ranks");
    let own = number(totals, RANK);
    // Two that do the same have to agree about their collectives.
    for rank in [own, own.wrapping_add(1)] {
        let mut totals = totals.to_vec();
        set(&mut totals, RANK, rank);
        fs::write(folder.join(format!("job.1.{}.totals", rank % 2)), totals).expect("written");
        fs::write(folder.join(format!("job.1.{}.events", rank % 2)), events).expect("written");
    }
    let path = FOLDER.join("x.rec");
    for mut joined in recordings_in(&folder).expect("files that are there can be read") {
        joined.write(&path).expect("what was joined can be written");
        let read = read_recording(&path).expect("what was written can be read");
        assert_eq!(read.trace.map(|trace| trace.num_events() as u64), joined.num_events());
    }
});

fn number(bytes: &[u8], place: usize) -> u64 {
    u64::from_ne_bytes(bytes[8 * place..8 * place + 8].try_into().expect("8 bytes"))
}

fn set(bytes: &mut [u8], place: usize, value: u64) {
    bytes[8 * place..8 * place + 8].copy_from_slice(&value.to_ne_bytes());
}
