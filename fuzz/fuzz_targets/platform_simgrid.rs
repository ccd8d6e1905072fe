//! Reads anything as a platform of SimGrid; what can be read has as many hosts and nearly the same
//! bandwidths once it is written and read again.

#![no_main]

use libfuzzer_sys::fuzz_target;
use topoloom_io::platforms::{parse_simgrid_platform, write_simgrid_platform};

fuzz_target!(|data: &[u8]| {
    let Ok((platform, _)) = parse_simgrid_platform("a", data) else { return };
    if platform.num_processors() > 1000 {
        return;
    }
    let Ok((text, _)) = write_simgrid_platform(&platform) else { return };
    let (again, _) = parse_simgrid_platform("again", text.as_bytes()).expect("it was written");
    assert_eq!(again.num_processors(), platform.num_processors());
    let count = platform.clusters().len();
    for (from, to) in (0..count).flat_map(|from| (0..count).map(move |to| (from, to))) {
        // Nothing is said inside a cluster of one host.
        if from == to && platform.clusters()[from].nodes.len() == 1 {
            continue;
        }
        let (one, other) = (platform.bandwidth().between(from, to), again.bandwidth().between(from, to));
        assert!((one - other).abs() <= 1e-9 * one, "{one} and {other}");
    }
});
