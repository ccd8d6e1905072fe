//! `topoloom verify` with launchers that are shell scripts: what it finds, and what it refuses.
//! `tests/mpi` verifies jobs of real launchers.

use std::fs;
use std::path::Path;

use crate::program::{refusal, topoloom};

/// The CPUs that this process may run on, all of them.
fn own_cpus() -> Vec<u32> {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let list = status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:")).unwrap();
    topoloom::io::cpu_list::parse(list).unwrap()
}

/// A mapping of two ranks on this host.
fn mapping(folder: &Path, host: &str, cpus: [&str; 2]) -> String {
    let path = folder.join("mapping.json").display().to_string();
    let text = format!(
        r#"{{"format": "topoloom-mapping", "version": 1, "ranks": 2, "node_of_rank": [0, 1],
            "hosts": ["{host}"], "slots_of_host": [2], "host_of_rank": [0, 0],
            "core_of_rank": [0, 1], "cpus_of_rank": ["{}", "{}"]}}"#,
        cpus[0], cpus[1]
    );
    fs::write(&path, text).unwrap();
    path
}

/// Verifies the ranks that a script starts; returns the exit code and standard output.
fn verified(folder: &Path, mapping: &str, more: &[&str], script: &str) -> (i32, String) {
    let scratch = folder.display().to_string();
    let mut arguments = vec!["verify", "--mapping", mapping, "--scratch", &scratch];
    arguments.extend_from_slice(more);
    arguments.extend_from_slice(&["--", "sh", "-c", script]);
    let output = topoloom(&arguments).output().unwrap();
    (output.status.code().unwrap(), String::from_utf8(output.stdout).unwrap())
}

#[test]
fn ranks_are_right_wrong_or_not_bound() {
    let cpus = own_cpus();
    let [first, .., last] = cpus[..] else { return };
    let folder = tempfile::tempdir().unwrap();
    let (a, b) = (first.to_string(), last.to_string());
    let mapping = mapping(folder.path(), "localhost", [&a, &b]);
    let started =
        |a: &str, b: &str| format!("PMI_RANK=0 {a} sh -c true; PMI_RANK=1 {b} sh -c true");
    let (on_a, on_b) = (format!("taskset -c {a}"), format!("taskset -c {b}"));

    let (code, text) = verified(folder.path(), &mapping, &[], &started(&on_a, &on_b));
    assert_eq!(code, 0, "{text}");
    assert!(text.ends_with("2 of 2 ranks sit where the mapping put them\n"), "{text}");

    let (code, text) = verified(folder.path(), &mapping, &[], &started(&on_b, &on_b));
    assert_eq!(code, 1, "{text}");
    let lines: Vec<&str> = text.lines().collect();
    assert!(
        lines[1].trim_start().starts_with('0') && lines[1].ends_with("on other CPUs"),
        "{text}"
    );
    assert!(lines[2].trim_start().starts_with('1') && lines[2].ends_with("right"), "{text}");
    assert!(text.ends_with("1 of 2 ranks sit where the mapping put them\n"), "{text}");

    let (code, text) = verified(folder.path(), &mapping, &["--json"], &started(&on_a, ""));
    assert_eq!(code, 1, "{text}");
    let found: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!((found["ranks"].as_u64(), found["right"].as_u64()), (Some(2), Some(1)));
    assert_eq!(found["complete"], true);
    assert_eq!(found["wrong"][0]["rank"], 1);
    let reason = found["wrong"][0]["reason"].as_str().unwrap();
    assert!(reason.starts_with("not bound: may run on "), "{reason}");
    // Only the mapping is left.
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn ranks_that_are_missing_too_many_or_elsewhere_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let all = topoloom::io::cpu_list::write(&own_cpus());
    let here = mapping(folder.path(), "localhost", [&all, &all]);
    let (code, text) = verified(folder.path(), &here, &[], "PMIX_RANK=1 sh -c true");
    assert_eq!(code, 1, "{text}");
    assert!(text.contains("has not reported"), "{text}");
    let (code, text) = verified(
        folder.path(),
        &here,
        &[],
        "for SLURM_PROCID in 0 1 2; do export SLURM_PROCID; sh -c true; done",
    );
    assert_eq!(code, 1, "{text}");
    assert!(text.contains("is not in the mapping"), "{text}");
    let script = "PMI_RANK=0 sh -c true; PMI_RANK=1 sh -c true";
    let there = mapping(folder.path(), "elsewhere", [&all, &all]);
    let (code, text) = verified(folder.path(), &there, &[], script);
    assert_eq!(code, 1, "{text}");
    assert!(text.contains("on another host"), "{text}");
}

#[test]
fn the_variable_of_the_nearest_launcher_counts() {
    let folder = tempfile::tempdir().unwrap();
    let all = topoloom::io::cpu_list::write(&own_cpus());
    let here = mapping(folder.path(), "localhost", [&all, &all]);
    let path = folder.path().display().to_string();
    // As Open MPI does under Slurm: the daemon's number stays in the environment. The script's own
    // number is not that of a rank.
    let script =
        "OMPI_COMM_WORLD_RANK=0 SLURM_PROCID=9 sh -c true; PMI_RANK=1 SLURM_PROCID=9 sh -c true";
    let output =
        topoloom(&["verify", "--mapping", &here, "--scratch", &path, "--", "sh", "-c", script])
            .env("SLURM_PROCID", "5")
            .output()
            .unwrap();
    assert_eq!(output.status.code(), Some(0), "{output:?}");
}

#[test]
fn what_cannot_be_probed_is_refused_with_the_reason() {
    let folder = tempfile::tempdir().unwrap();
    let here = mapping(folder.path(), "localhost", ["0", "1"]);
    let scratch = folder.path().display().to_string();
    let refused = |command: &[&str]| {
        let mut arguments = vec!["verify", "--mapping", &here, "--scratch", &scratch, "--"];
        arguments.extend_from_slice(command);
        refusal(&arguments)
    };
    let said = refused(&["true"]);
    assert!(
        said.starts_with("no rank was found: true started no dynamically linked process"),
        "{said}"
    );
    let said = refused(&["sh", "-c", "echo no such option >&2; exit 3"]);
    assert!(said.ends_with("and it failed; it said:\n    no such option"), "{said}");
    let said = refused(&["topoloom-no-such-program"]);
    assert!(said.starts_with("cannot run topoloom-no-such-program"), "{said}");
    let said = refused(&["sh", "-c", "PMI_RANK=0 sh -c true; PMI_RANK=0 sh -c true"]);
    assert!(said.contains("rank 0 appears twice") && said.ends_with("only one job"), "{said}");

    let missing = folder.path().join("none.json").display().to_string();
    let said = refusal(&["verify", "--mapping", &missing, "--", "true"]);
    assert!(said.contains("none.json"), "{said}");
    let no_hosts = folder.path().join("no-hosts.txt").display().to_string();
    fs::write(&no_hosts, "0\n1\n").unwrap();
    let said = refusal(&["verify", "--mapping", &no_hosts, "--", "true"]);
    assert!(said.ends_with("the mapping names no hosts: give --hosts"), "{said}");
    topoloom(&["verify", "--mapping", &here]).assert().code(2);
}

#[test]
fn a_launcher_without_a_program_gets_one_and_a_script_is_started_once() {
    let folder = tempfile::tempdir().unwrap();
    let all = topoloom::io::cpu_list::write(&own_cpus());
    let here = mapping(folder.path(), "localhost", [&all, &all]);
    let [script, starts, launcher, scratch] = ["launch", "starts", "mpirun", ""]
        .map(|name| folder.path().join(name).display().to_string());
    let words = "[ $# -gt 0 ] || exit 5\nPMI_RANK=0 \"$@\"; PMI_RANK=1 \"$@\"\n";
    fs::write(&script, format!("echo >> {starts}\n{words}")).unwrap();
    // A program that the system runs directly, under the name of a launcher.
    std::os::unix::fs::symlink("/bin/sh", &launcher).unwrap();
    let verify = |program: &str, code: i32| {
        topoloom(&["verify", "--mapping", &here, "--scratch", &scratch, "--", program, &script])
            .assert()
            .code(code);
        let count = fs::read_to_string(&starts).unwrap().lines().count();
        fs::remove_file(&starts).unwrap();
        count
    };
    assert_eq!(verify(&launcher, 0), 2);
    // A script could do its work twice if it were started twice.
    assert_eq!(verify("sh", 2), 1);
}

#[test]
fn a_command_that_prints_without_end_fills_neither_disk_nor_memory() {
    let folder = tempfile::tempdir().unwrap();
    let here = mapping(folder.path(), "localhost", ["0", "1"]);
    let scratch = folder.path().display().to_string();
    let said = refusal(&[
        "verify",
        "--mapping",
        &here,
        "--scratch",
        &scratch,
        "--launch-timeout",
        "1s",
        "--",
        "yes",
    ]);
    assert!(said.starts_with("yes did not end within 1.00 s and was stopped; 0 ranks"), "{said}");
    assert!(said.contains(" bytes left out here ...") && said.len() < 300_000);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}
