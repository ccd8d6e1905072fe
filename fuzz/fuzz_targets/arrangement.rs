//! Reads anything as an arrangement; what can be read can be written and read again, and its traffic is
//! that of its trace.

#![no_main]

use libfuzzer_sys::fuzz_target;
use topoloom_core::Weight;
use topoloom_io::{ArrangementFile, parse_arrangement, write_arrangement};

fuzz_target!(|data: &[u8]| {
    let Ok(file) = parse_arrangement("a", data) else { return };
    // Real numbers may differ in their last bit after they are read from JSON, so they are left
    // out.
    let again = written_and_read(&file);
    assert_eq!(again.costs.len(), file.costs.len());
    assert_eq!(
        ArrangementFile {
            costs: file.costs.clone(),
            seconds_per_iteration: file.seconds_per_iteration.clone(),
            ..again
        },
        file
    );
    let application = &file.application;
    let Ok(traffic) = application.traffic(&file.arrangement) else { return };
    let Ok(trace) = application.trace(&file.arrangement, file.seconds_per_iteration.as_deref())
    else {
        return;
    };
    let again = trace.traffic();
    assert_eq!(again.num_flows(), traffic.num_flows());
    // Beyond 2^53 sums depend on their order.
    for weight in [Weight::Bytes, Weight::Messages] {
        let (one, other) = (again.total(weight), traffic.total(weight));
        assert!((one - other).abs() <= 1e-9 * one.max(other), "{one} {other}");
    }
});

fn written_and_read(file: &ArrangementFile) -> ArrangementFile {
    let path = std::env::temp_dir().join(format!("arrangement-{}.json", std::process::id()));
    write_arrangement(&path, file).expect("there is room");
    let bytes = std::fs::read(&path).expect("it was written");
    parse_arrangement("b", &bytes).expect("what we write can be read")
}
