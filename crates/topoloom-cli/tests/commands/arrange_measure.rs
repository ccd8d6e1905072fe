//! `topoloom arrange measure`: small sizes, because the speed itself does not matter here.

use std::fs;
use std::path::Path;

use crate::program::{refusal, stdout, topoloom};
use topoloom::io::{parse_speed_points, read_speed_points};

/// Quick, even on a busy machine.
const QUICK: [&str; 8] =
    ["arrange", "measure", "--block", "4", "--time-limit", "50ms", "--max-repetitions", "6"];

#[test]
fn what_is_measured_reads_back_and_makes_a_platform() {
    let folder = tempfile::tempdir().unwrap();
    let output = folder.path().join("node.speed");
    let name = output.display().to_string();
    for threads in ["1", "2"] {
        let options = ["--sizes", "16,4,9", "--threads", threads, "--output", &name];
        let table = stdout(&[&QUICK[..], &options].concat());
        assert!(table.contains("GFLOP/s") && table.contains("3 x 3"), "{table}");
        let points = read_speed_points(&output).unwrap();
        let sizes: Vec<f64> = points.iter().map(|point| point.size).collect();
        assert_eq!(sizes, [4.0, 9.0, 16.0]);
        for point in &points {
            let seconds = point.seconds.unwrap();
            assert!((point.size / seconds / point.speed - 1.0).abs() < 1e-9, "{point:?}");
            assert!((1..=6).contains(&point.repetitions.unwrap()), "{point:?}");
        }
        let text = fs::read_to_string(&output).unwrap();
        let threads = if threads == "1" { "# 1 thread\n" } else { "# 2 threads\n" };
        assert!(text.contains("# block 4 x 4 numbers") && text.contains(threads), "{text}");
    }
    let platform = folder.path().join("platform.toml").display().to_string();
    let text = "[[cluster]]\nname = \"a\"\nnodes = 3\nspeeds = \"node.speed\"\n\
                [bandwidth]\nunit = \"MB/s\"\nlevels = [900]\n";
    fs::write(&platform, text).unwrap();
    assert!(stdout(&["arrange", "platform", &platform]).contains("by size"));
    let arranged = stdout(&["arrange", "--platform", &platform, "--blocks", "30"]);
    assert!(arranged.contains("30 x 30 blocks"), "{arranged}");
}

#[test]
fn sizes_grow_by_a_factor_and_go_to_standard_output() {
    let text = stdout(&[&QUICK[..], &["--from", "1", "--to", "64", "--points", "4"]].concat());
    let points = parse_speed_points("stdout", text.as_bytes()).unwrap();
    let sizes: Vec<f64> = points.iter().map(|point| point.size).collect();
    assert_eq!(sizes, [1.0, 4.0, 16.0, 64.0]);
}

#[test]
fn what_cannot_be_measured_is_refused_and_nothing_is_written() {
    let said = |options: &[&str]| refusal(&[&QUICK[..], options].concat());
    assert_eq!(said(&["--from", "64", "--to", "16"]), "--from 64 is more than --to 16");
    let said_of_repetitions = said(&["--min-repetitions", "9"]);
    assert!(said_of_repetitions.contains("is more than --max-repetitions 6"));
    for options in [
        ["--sizes", "16,0"],
        ["--sizes", "16,many"],
        ["--precision", "0"],
        ["--precision", "1.5"],
        ["--points", "1"],
        ["--threads", "0"],
        ["--block", "0"],
        ["--time-limit", "soon"],
    ] {
        let options: Vec<&str> = QUICK[..2].iter().copied().chain(options).collect();
        topoloom(&options).assert().code(2);
    }
    topoloom(&[&QUICK[..], &["--sizes", "4", "--to", "9"]].concat()).assert().code(2);
    if Path::new("/proc/meminfo").exists() {
        let large = refusal(&["arrange", "measure", "--sizes", "4000000000"]);
        assert!(large.contains("of memory is free"), "{large}");
    }
    let folder = tempfile::tempdir().unwrap();
    let nowhere = folder.path().join("none/node.speed").display().to_string();
    assert!(said(&["--sizes", "4", "--output", &nowhere]).contains("there is no folder"));
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}

/// Ctrl-C ends it at once, and leaves no file, not even a temporary one.
#[cfg(unix)]
#[test]
fn an_interrupt_leaves_nothing() {
    use std::process::{Command, Stdio};
    use std::time::Duration;
    let folder = tempfile::tempdir().unwrap();
    let output = folder.path().join("node.speed");
    let mut child = Command::new(assert_cmd::cargo::cargo_bin("topoloom"))
        .args(["arrange", "measure", "--sizes", "256", "--precision", "1e-12"])
        .args(["--max-repetitions", "1000000000", "--time-limit", "1h", "--output"])
        .arg(&output)
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    std::thread::sleep(Duration::from_millis(500));
    let process = child.id().to_string();
    assert!(Command::new("kill").args(["-INT", &process]).status().unwrap().success());
    assert!(!child.wait().unwrap().success());
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}
