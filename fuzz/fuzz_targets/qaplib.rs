//! Reads anything as an assignment problem of QAPLIB and as a solution of one. Traffic and costs
//! must be of one size, and a solution must survive being written and read again.

#![no_main]

use std::path::Path;

use libfuzzer_sys::fuzz_target;
use topoloom_core::Weight;
use topoloom_io::{mapping_content, parse_cost_matrix, parse_mapping, parse_traffic};

fuzz_target!(|data: &[u8]| {
    for name in ["a.dat", "a"] {
        let (traffic, costs) = (parse_traffic(name, data, Weight::Bytes), parse_cost_matrix(name, data));
        if let (Ok(traffic), Ok(costs)) = (&traffic, &costs) {
            assert!(traffic.total(Weight::Bytes).is_finite());
            let last = costs.num_nodes() as u32 - 1;
            assert!(costs.between(last, last) >= 0.0);
        }
    }
    let Ok(mapping) = parse_mapping("a.sln", data) else { return };
    // A document in JSON has no cost.
    if mapping.cost.is_some() {
        let mut written = Vec::new();
        mapping_content(Path::new("a.sln"), &mapping)(&mut written).expect("a Vec takes everything");
        assert_eq!(parse_mapping("a.sln", &written).expect("what we write can be read"), mapping);
    }
});
