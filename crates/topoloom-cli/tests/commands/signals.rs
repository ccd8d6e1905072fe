//! Signals to a search.

use std::process::{Command, Stdio};
use std::time::Duration;

use assert_cmd::cargo::cargo_bin;

#[test]
fn signals_in_quick_succession_are_one_and_the_best_so_far_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let output = folder.path().join("mapping.json");
    let checkpoint = folder.path().join("state");
    let mut command = Command::new(cargo_bin!("topoloom"));
    command.args(["map", "--traffic", "random:ranks=25,degree=6", "--machine", "torus:5x5"]);
    // It would take hours.
    command.args(["--effort", "extreme", "--generations", "1000000", "--checkpoint"]);
    command.arg(&checkpoint).arg("--output").arg(&output);
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    while !checkpoint.exists() {
        assert!(child.try_wait().unwrap().is_none());
        std::thread::sleep(Duration::from_millis(20));
    }
    // Batch systems signal the launcher, which passes it on, and the process.
    for _ in 0..5 {
        let number = child.id().to_string();
        assert!(Command::new("kill").args(["-TERM", &number]).status().unwrap().success());
        std::thread::sleep(Duration::from_millis(20));
    }
    let done = child.wait_with_output().unwrap();
    let said = String::from_utf8(done.stderr).unwrap();
    assert!(done.status.success(), "{:?}: {said}", done.status);
    assert_eq!(said.matches("finishing with the best so far").count(), 1, "{said}");
    assert!(output.exists());
}
