//! The files that commands write: where, when they are refused, and that they are the same each
//! time.

use std::fs;
use std::path::Path;

use crate::program::{refusal, stdout, topoloom};

fn words(command: &str) -> Vec<&str> {
    command.split(' ').collect()
}

/// Commands that write to OUT and read a missing file.
const WITHOUT_INPUT: [&str; 15] = [
    "map --traffic no/such.csv --machine mesh:4 --output OUT.json",
    "compare --traffic no/such.csv --machine mesh:4 --html OUT.html",
    "report --traffic no/such.csv --machine mesh:4 --output OUT.html",
    "plot matrix --traffic no/such.csv --output OUT.svg",
    "simulate --traffic no/such.csv --machine mesh:4 --mapping in-order --links OUT.csv",
    "apply --mapping no/such.json --format cray-rank-order --output OUT",
    "generate no/such.csv --output OUT.csv",
    "traffic scale no/such.csv --factor 2 --output OUT.csv",
    "traffic show no/such.csv --plot OUT.svg",
    "machine import no/such.xml --output OUT.json",
    "machine measure --machine no/such.json --output OUT.json",
    "machine export no/such.json --format simgrid --output OUT.xml",
    "arrange --platform no/such.toml --output OUT.json",
    "arrange platform no/such.toml --output OUT.xml",
    "schedule --machine mesh:4 --jobs no/such.swf --output OUT.csv",
];

#[test]
fn an_output_without_a_folder_is_refused_before_any_input_is_read() {
    for command in WITHOUT_INPUT {
        let command = command.replace("OUT", "no/folder/out");
        let said = refusal(&words(&command));
        assert!(said.ends_with("there is no folder no/folder"), "{command}: {said}");
    }
}

#[test]
fn a_job_does_not_start_if_its_recording_cannot_be_written() {
    let folder = tempfile::tempdir().unwrap();
    let started = folder.path().join("started").display().to_string();
    for command in [
        "record --output no/folder/x.rec -- touch STARTED",
        "machine measure --output no/folder/x.json -- touch STARTED",
        "tune --format openmpi-seq --prefix no/folder/x -- touch STARTED",
    ] {
        let command = command.replace("STARTED", &started);
        let said = refusal(&words(&command));
        assert!(said.ends_with("there is no folder no/folder"), "{command}: {said}");
        assert!(!Path::new(&started).exists(), "{command}");
    }
}

#[test]
fn an_output_that_is_given_twice_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("a").display().to_string();
    let command = format!("arrange --platform example:thesis-3.3 --output {out} --mapping {out}");
    assert_eq!(refusal(&words(&command)), format!("{out}: given for two outputs"));
}

#[cfg(unix)]
#[test]
fn a_link_to_nothing_is_followed_and_not_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let link = folder.path().join("link.csv");
    std::os::unix::fs::symlink("target.csv", &link).unwrap();
    topoloom(&["generate", "ring:4", "--output", link.to_str().unwrap()]).assert().success();
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert!(folder.path().join("target.csv").is_file());
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
}

#[test]
fn the_longest_names_are_written() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(format!("{}.csv", "x".repeat(251)));
    topoloom(&["generate", "ring:4", "--output", path.to_str().unwrap()]).assert().success();
    assert!(path.is_file());
}

#[test]
fn a_second_file_that_cannot_be_written_leaves_both_old_ones() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    fs::write(path("a.json"), "old").unwrap();
    // A picture that cannot be moved to its name.
    fs::create_dir(path("a.svg")).unwrap();
    let command = format!(
        "arrange --platform example:thesis-3.3 --blocks 20 --output {} --svg {}",
        path("a.json"),
        path("a.svg")
    );
    assert!(refusal(&words(&command)).ends_with("is a folder, expected a file name"));
    assert_eq!(fs::read_to_string(path("a.json")).unwrap(), "old");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
}

#[test]
fn reproducible_pages_are_the_same_to_the_byte() {
    let folder = tempfile::tempdir().unwrap();
    for (name, command) in [
        (
            "report",
            "report --traffic stencil:4x4 --machine mesh:4x4 --strategy in-order,random,greedy \
             --reproducible --output OUT",
        ),
        (
            "compare",
            "compare --traffic stencil:4x4 --machine mesh:4x4 --strategy in-order,random,greedy \
             --reproducible --html OUT",
        ),
    ] {
        let page = folder.path().join(format!("{name}.html"));
        let write = || {
            let command = command.replace("OUT", page.to_str().unwrap());
            topoloom(&words(&command)).assert().success();
            fs::read_to_string(&page).unwrap()
        };
        let first = write();
        assert!(first == write(), "{name}: two pages differ");
    }
}

#[test]
fn check_refuses_the_mapping_of_another_machine() {
    let folder = tempfile::tempdir().unwrap();
    let mapping = folder.path().join("m.json").display().to_string();
    stdout(&words(&format!("map --traffic ring:8 --machine mesh:8 --output {mapping}")));
    let check = |machine: &str| {
        topoloom(&words(&format!("check --traffic ring:8 --machine {machine} --mapping {mapping}")))
            .assert()
    };
    check("mesh:8").code(0);
    check("mesh:8,slots=1").code(0);
    for other in ["torus:8", "mesh:2x4", "mesh:9"] {
        let output = check(other).code(1).get_output().stdout.clone();
        let said = String::from_utf8(output).unwrap();
        let wrong = format!("not valid: the mapping was made for mesh:8, not for {other}\n");
        assert!(said.starts_with(&wrong), "{said}");
    }
}

#[test]
fn check_counts_the_imbalance_itself() {
    let folder = tempfile::tempdir().unwrap();
    let mapping = folder.path().join("m.json").display().to_string();
    // All 8 ranks in one slot, whose share is 8 / 4 = 2.
    let zeros = ["0"; 8].join(",");
    let file = format!(
        "{{\"format\":\"topoloom-mapping\",\"version\":1,\"machine\":\"mesh:4\",\"ranks\":8,\
         \"node_of_rank\":[{zeros}],\"slot_of_rank\":[{zeros}],\"imbalance\":1000}}"
    );
    fs::write(&mapping, file).unwrap();
    let command = format!("check --traffic ring:8 --machine mesh:4 --mapping {mapping}");
    let output = topoloom(&words(&command)).assert().code(0).get_output().clone();
    let (said, warned) = (output.stdout, String::from_utf8(output.stderr).unwrap());
    assert!(String::from_utf8(said).unwrap().ends_with(", imbalance 3\n"));
    assert!(warned.contains("the limit of 1,000 is from the mapping itself"), "{warned}");
    let strict = format!("{command} --imbalance 0.03");
    topoloom(&words(&strict)).assert().code(1);
}

#[test]
fn energy_that_no_number_holds_is_not_printed_as_one() {
    let folder = tempfile::tempdir().unwrap();
    let net = folder.path().join("net").display().to_string();
    fs::write(&net, "0 1 1e9 1e-6 1e308\n1 2 1e9 1e-6 1e308\n").unwrap();
    let command = format!(
        "simulate --traffic ring:3,bytes=1000 --machine graph:{net} --mapping in-order --replay burst"
    );
    let output = topoloom(&words(&command)).assert().success().get_output().clone();
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(!said.contains("inf"), "{said}");
    let warned = String::from_utf8(output.stderr).unwrap();
    assert!(warned.contains("the energy of the links is more than a number can hold"), "{warned}");
}

/// What a command writes to standard output and to standard error.
fn said(command: &str) -> (String, String) {
    let done = topoloom(&words(command)).assert().code(0);
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    (text(&done.get_output().stdout), text(&done.get_output().stderr))
}

#[test]
fn a_dash_as_output_is_standard_output_and_the_rest_is_shown_elsewhere() {
    let (mapping, shown) = said("map --traffic ring:4 --machine mesh:4 --strategy hilbert -o -");
    let mapping: serde_json::Value = serde_json::from_str(&mapping).unwrap();
    assert_eq!(mapping["ranks"], 4);
    assert!(shown.contains("hop-bytes"), "{shown}");
    let (matrix, _) = said("generate ring:4 -o -");
    assert!(matrix.starts_with("%%MatrixMarket"), "{matrix}");
    let (picture, _) = said("plot matrix --traffic ring:4 --output=-");
    assert!(picture.contains("<svg"), "{picture}");
    let (page, _) = said("report --traffic ring:4 --machine mesh:4 -o -");
    assert!(page.to_lowercase().starts_with("<!doctype html>"), "{page:.100}");
}

#[test]
fn standard_output_is_added_to_and_not_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("both");
    fs::write(&path, "before\n").unwrap();
    let file = fs::OpenOptions::new().append(true).open(&path).unwrap();
    let mut command = std::process::Command::new(assert_cmd::cargo::cargo_bin!("topoloom"));
    command.args(["generate", "ring:4", "-o", "-"]).stdout(file);
    assert!(command.status().unwrap().success());
    let content = fs::read_to_string(&path).unwrap();
    assert!(content.starts_with("before\n%%MatrixMarket"), "{content}");
}
