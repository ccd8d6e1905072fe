//! Reads anything as traffic; what can be read must survive being written and read again.
//!
//! The first byte picks the name's ending and the weight, the rest is the file.

#![no_main]

use libfuzzer_sys::fuzz_target;
use topoloom_core::Weight;
use topoloom_io::{FORMATS, parse_traffic};

const NAMES: [&str; 6] = ["a.mtx", "a.csv", "a.tsv", "a.graph", "a", "a.rec"];

fuzz_target!(|data: &[u8]| {
    let Some((&choice, file)) = data.split_first() else { return };
    let name = NAMES[usize::from(choice >> 1) % NAMES.len()];
    let weight = if choice & 1 == 0 { Weight::Bytes } else { Weight::Messages };
    let Ok(traffic) = parse_traffic(name, file, weight) else { return };
    assert!(traffic.total(weight).is_finite());
    for entry in FORMATS.entries {
        let Some(write) = entry.build.write else { continue };
        let mut bytes = Vec::new();
        let written = write(&traffic, weight, &mut bytes);
        // Only the writer of recordings adds up rank weights.
        let weights = traffic.rank_weights().unwrap_or_default();
        if written.is_err()
            && entry.name == "recording"
            && weights.iter().sum::<f64>().is_infinite()
        {
            continue;
        }
        written.expect("a Vec takes everything");
        let name = format!("a.{}", entry.build.endings[0]);
        let again = parse_traffic(&name, &bytes, weight).expect("what we write can be read");
        assert_eq!(again.num_ranks(), traffic.num_ranks());
        if entry.name == "csv" || entry.name == "tsv" {
            let flows = |traffic: &topoloom_core::Traffic| traffic.flows().collect::<Vec<_>>();
            assert_eq!(flows(&again), flows(&traffic));
        }
    }
});
