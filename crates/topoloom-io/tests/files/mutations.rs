//! Damaged files are read or rejected, but never make the readers panic.

use std::fs;
use std::path::Path;

use topoloom_core::Weight;
use topoloom_io::platforms::{
    examples, parse_platform, write_simgrid_platform, write_toml_platform,
};
use topoloom_io::{
    ReadError, Source, parse_arrangement, parse_chakra, parse_dumpi, parse_mapping,
    parse_monitoring, parse_network, parse_time_independent, parse_trace_file, parse_traffic,
};

const MUTATIONS_A_FILE: u64 = 500;

/// Numbers and marks that files should not have where they are inserted. None of the numbers could
/// be a valid large number of ranks, because those take memory.
const INSERTS: &[&str] = &[
    "4000000000",
    "99999999999",
    "18446744073709551616",
    "9223372036854775807",
    "1e308",
    "-1",
    "nan",
    "0",
    ",",
    "\t",
    "\n",
    "\r",
    "\"",
    "%",
    "#",
    "\u{feff}",
    "# ranks: ",
    "nodes ",
    "rank 0-9",
    "{ 5",
    "}",
    "{",
    "[[[[",
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

    /// A range of up to 8 bytes within `length`.
    fn range(&mut self, length: usize) -> std::ops::Range<usize> {
        let start = self.below(length);
        start..(start + 1 + self.below(8)).min(length)
    }
}

fn damage(bytes: &mut Vec<u8>, random: &mut Random) {
    if bytes.is_empty() {
        return;
    }
    match random.below(5) {
        0 => {
            let place = random.below(bytes.len());
            bytes[place] ^= 1 << random.below(8);
        }
        1 => drop(bytes.drain(random.range(bytes.len()))),
        2 => bytes.truncate(random.below(bytes.len())),
        3 => {
            let range = random.range(bytes.len());
            let copy = bytes[range.clone()].to_vec();
            bytes.splice(range.start..range.start, copy);
        }
        _ => {
            let place = random.below(bytes.len());
            let insert = INSERTS[random.below(INSERTS.len())];
            bytes.splice(place..place, insert.bytes());
        }
    }
}

/// Whether it contains a number of 7 to 9 digits, which may be a valid but large number of ranks.
fn may_take_much_memory(bytes: &[u8]) -> bool {
    bytes.split(|byte| !byte.is_ascii_digit()).any(|digits| (7..=9).contains(&digits.len()))
}

#[test]
fn no_damage_makes_a_reader_panic() {
    let mut refused = 0;
    let mut files = 0;
    for folder in ["tests/good", "tests/malformed"] {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
        for file in fs::read_dir(folder).unwrap() {
            let path = file.unwrap().path();
            let name = path.file_name().unwrap().to_str().unwrap();
            let original = fs::read(&path).unwrap();
            files += 1;
            for seed in 0..MUTATIONS_A_FILE {
                let mut random = Random(seed);
                let mut bytes = original.clone();
                (0..=random.below(4)).for_each(|_| damage(&mut bytes, &mut random));
                if may_take_much_memory(&bytes) {
                    continue;
                }
                let mapping = [".json", ".txt", ".sln"].iter().any(|ending| name.ends_with(ending));
                let result = match (mapping, seed % 2) {
                    _ if name.ends_with(".net") => parse_network(name, &bytes).map(drop),
                    _ if name.ends_with(".trace") => parse_trace_file(name, &bytes).map(drop),
                    (true, _) => parse_mapping(name, &bytes).map(drop),
                    (_, 0) => parse_traffic(name, &bytes, Weight::Bytes).map(drop),
                    _ => parse_traffic(name, &bytes, Weight::Messages).map(drop),
                };
                if let Err(error) = result {
                    refused += 1;
                    assert!(error.to_string().starts_with(name), "{error}");
                }
            }
        }
    }
    assert!(files > 100);
    // Some damage goes unnoticed, such as another digit; most does not.
    assert!(refused > files * MUTATIONS_A_FILE / 2, "{refused} of {files} files' mutations");
}

/// Reads an arrangement, as an arrangement and as traffic.
fn read_arrangement(file: &Source<'_>) -> Result<(), ReadError> {
    let arrangement = parse_arrangement(file.name(), file.bytes())?;
    assert_eq!(arrangement.hosts.len(), arrangement.arrangement.num_processors());
    parse_traffic(file.name(), file.bytes(), Weight::Bytes).map(drop)
}

/// Reads a trace of a training job, unless damage made it a job of very many ranks.
fn read_training(file: &Source<'_>) -> Result<(), ReadError> {
    let start = &file.bytes()[..file.bytes().len().min(300)];
    if may_take_much_memory(start) {
        return Ok(());
    }
    parse_traffic(file.name(), file.bytes(), Weight::Bytes).map(drop)
}

/// Reads the files of a run and says whether they can be read.
type ReadRun = fn(&[Source<'_>]) -> Result<(), ReadError>;

#[test]
fn no_damage_to_the_files_of_a_run_makes_a_reader_panic() {
    const RUNS: [(&str, &str, ReadRun); 7] = [
        ("training-traces", "json", |files| files.iter().try_for_each(read_training)),
        ("training-traces/goal", "goal", |files| files.iter().try_for_each(read_training)),
        ("training-traces/chakra", "et", |files| parse_chakra(files).map(drop)),
        ("arrangements", "json", |files| files.iter().try_for_each(read_arrangement)),
        ("openmpi-monitoring-one-sided", "prof", |files| parse_monitoring(files).map(drop)),
        ("simgrid-ti/run.ti_files", "txt", |files| parse_time_independent("a", files).map(drop)),
        ("dumpi-text", "txt", |files| parse_dumpi("a", files).map(drop)),
    ];
    for (folder, ending, read) in RUNS {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(folder);
        let mut names: Vec<_> = fs::read_dir(folder)
            .unwrap()
            .map(|file| file.unwrap().path())
            .filter(|file| file.extension().is_some_and(|found| found == ending))
            .collect();
        names.sort();
        let original: Vec<Vec<u8>> = names.iter().map(|name| fs::read(name).unwrap()).collect();
        let mut refused = 0;
        for seed in 0..2 * MUTATIONS_A_FILE {
            let mut random = Random(seed);
            let mut files = original.clone();
            for _ in 0..=random.below(3) {
                let number = random.below(files.len());
                damage(&mut files[number], &mut random);
            }
            let sources: Vec<Source<'_>> =
                files.iter().map(|bytes| Source::new("a", bytes)).collect();
            if let Err(error) = read(&sources) {
                refused += 1;
                assert_eq!(error.file, "a");
            }
        }
        assert!(refused > MUTATIONS_A_FILE / 4, "{}: {refused}", names[0].display());
    }
}

#[test]
fn damaged_platforms_are_refused_or_stay_the_same_when_they_are_written() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/platforms");
    let mut names: Vec<_> =
        fs::read_dir(folder).unwrap().map(|file| file.unwrap().path()).collect();
    names.sort();
    let files = names.iter().map(|name| fs::read(name).unwrap());
    let texts = examples().iter().map(|example| example.text.as_bytes().to_vec());
    let (mut read, mut refused) = (0, 0);
    for original in files.chain(texts) {
        for seed in 0..2 * MUTATIONS_A_FILE {
            let mut random = Random(seed);
            let mut bytes = original.clone();
            (0..=random.below(3)).for_each(|_| damage(&mut bytes, &mut random));
            let platform = match parse_platform("a", &bytes) {
                Ok((platform, _)) if platform.num_processors() <= 1000 => platform,
                Ok(_) => continue,
                Err(error) => {
                    refused += 1;
                    assert_eq!(error.file, "a");
                    continue;
                }
            };
            read += 1;
            // If a list of hosts cannot express a name, it is not written.
            if let Ok((text, _)) = write_toml_platform(&platform) {
                assert_eq!(parse_platform("b", text.as_bytes()).unwrap().0, platform, "{text}");
            }
            if let Ok((text, _)) = write_simgrid_platform(&platform) {
                let (again, _) = parse_platform("b", text.as_bytes()).unwrap();
                assert_eq!(again.num_processors(), platform.num_processors(), "{text}");
            }
        }
    }
    assert!(read > MUTATIONS_A_FILE && refused > MUTATIONS_A_FILE, "{read} and {refused}");
}
