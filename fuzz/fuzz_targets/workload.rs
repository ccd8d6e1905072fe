//! Reads anything as a workload; what can be read comes back when it is written.

#![no_main]

use libfuzzer_sys::fuzz_target;
use topoloom_io::{parse_workload, workload_text};

fuzz_target!(|data: &[u8]| {
    let Ok(file) = parse_workload("a", data) else { return };
    for job in &file.jobs {
        assert!(job.ranks > 0 && job.estimate >= job.run_time, "{job:?}");
    }
    if !file.jobs.is_empty() {
        let text = workload_text(&[], &file.jobs);
        assert_eq!(parse_workload("a", text.as_bytes()).expect("what was written").jobs, file.jobs);
    }
});
