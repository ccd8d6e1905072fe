//! Reads anything as what the ranks of a probe have left: their reports, and what their nodes look
//! like.

#![no_main]

use std::fs;
use std::path::PathBuf;
use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use topoloom_io::read_probe;

static FOLDER: LazyLock<PathBuf> = LazyLock::new(|| {
    let folder = std::env::temp_dir().join(format!("topoloom-fuzz-probe-{}", std::process::id()));
    fs::create_dir_all(&folder).expect("there is a folder for temporary files");
    folder
});

fuzz_target!(|data: &[u8]| {
    // A report, and behind an empty line the description of a node.
    let end = data.windows(2).position(|pair| pair == b"\n\n").map_or(data.len(), |at| at + 1);
    let (report, node) = data.split_at(end);
    fs::write(FOLDER.join("0.rank"), report).expect("written");
    fs::write(FOLDER.join("a.node"), node).expect("written");
    let Ok(probe) = read_probe(&*FOLDER) else { return };
    assert_eq!(probe.ranks.len(), 1);
    for host in probe.nodes.keys() {
        if let Some(cores) = probe.cores_of(host) {
            assert!(!cores.is_empty());
        }
    }
});
