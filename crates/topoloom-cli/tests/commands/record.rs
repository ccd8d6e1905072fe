//! `topoloom record` without MPI: what it refuses, and what it leaves behind. `tests/mpi` records
//! real programs.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use crate::program::{refusal, topoloom};
use topoloom_recorder::layout::{HEADER_BYTES, MAGIC, header};

#[test]
fn a_program_without_mpi_is_not_recorded_and_leaves_nothing_behind() {
    let folder = tempfile::tempdir().unwrap();
    let output = folder.path().join("x.rec").display().to_string();
    let refused = |program: &str| refusal(&["record", "--output", &output, "--", program]);
    let said = refused("true");
    assert!(said.starts_with("nothing was recorded: no process of true called MPI_Init"), "{said}");
    let said = refused("false");
    assert!(said.ends_with("and it failed"), "{said}");
    let said = refused("topoloom-no-such-program");
    assert!(said.starts_with("cannot run topoloom-no-such-program: No such file"), "{said}");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn what_it_was_given_is_checked_before_anything_runs() {
    let folder = tempfile::tempdir().unwrap();
    let touched = folder.path().join("touched");
    let refused = |output: &str| {
        let output = folder.path().join(output).display().to_string();
        let command = touched.display().to_string();
        refusal(&["record", "--output", &output, "--", "touch", &command])
    };
    assert!(refused("x.csv").ends_with("x.csv: expected a name that ends in .rec"));
    let said = refused("no/such/x.rec");
    assert!(said.contains("there is no folder") && said.ends_with("no/such"), "{said}");
    assert!(!touched.exists());
}

/// A script that notes each of its starts.
fn script(folder: &Path, name: &str, body: &str) -> String {
    let path = folder.join(name);
    let starts = folder.join("starts");
    fs::write(&path, format!("#!/bin/sh\necho \"$*\" >> {}\n{body}\n", starts.display())).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    path.display().to_string()
}

#[test]
fn a_script_with_the_name_of_a_launcher_is_started_once_and_as_it_was_given() {
    let folder = tempfile::tempdir().unwrap();
    let starts = || {
        let path = folder.path().join("starts");
        let text = fs::read_to_string(&path).unwrap();
        fs::remove_file(path).unwrap();
        text
    };
    let output = folder.path().join("x.rec").display().to_string();
    // It would hang if it were asked for its version.
    let body = "[ \"$1\" != --version ] || sleep 1000";
    for name in ["mpirun", "mpiexec.sh", "srun", "job.sh"] {
        let job = script(folder.path(), name, body);
        refusal(&["record", "--output", &output, "--", &job, "-n", "2"]);
        assert_eq!(starts(), "-n 2\n");
    }
    let job = script(folder.path(), "job.sh", body);
    let prefix = folder.path().join("tuned").display().to_string();
    let tuned = topoloom(&["tune", "--prefix", &prefix, "--", &job]).assert().code(2);
    let said = String::from_utf8_lossy(&tuned.get_output().stderr).into_owned();
    assert!(said.contains("no rank was found"), "{said}");
    assert_eq!(starts(), "\n");
}

/// The totals of the one rank of a job, which was killed.
fn totals() -> Vec<u8> {
    let mut words = vec![0_u64; HEADER_BYTES / 8];
    words[header::MAGIC] = MAGIC;
    words[header::STATE] = header::RUNNING;
    words[header::SIZE] = 1;
    words.iter().flat_map(|word| word.to_ne_bytes()).collect()
}

/// The folder with what ranks wrote, if there is one.
fn left_in(folder: &Path) -> Option<String> {
    let names = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name());
    let mut names = names.filter_map(|name| name.into_string().ok());
    names.find(|name| name.starts_with(".topoloom-record-"))
}

#[test]
fn a_recording_that_cannot_be_written_stays_and_is_recovered() {
    let folder = tempfile::tempdir().unwrap();
    let (results, ranks) = (folder.path().join("results"), folder.path().join("ranks"));
    let rank = folder.path().join("0.totals");
    fs::create_dir(&results).unwrap();
    fs::create_dir(&ranks).unwrap();
    fs::write(&rank, totals()).unwrap();
    // The job stands for ranks, and removes the folder of the output.
    let body = format!(
        "cp {} $TOPOLOOM_RECORD_FOLDER/job.1.0.totals; rm -r {}",
        rank.display(),
        results.display()
    );
    let job = script(folder.path(), "job.sh", &body);
    let [output, scratch] =
        [results.join("x.rec"), ranks.clone()].map(|path| path.display().to_string());
    let said = topoloom(&["record", "--output", &output, "--scratch", &scratch, "--", &job, "a b"])
        .assert()
        .code(2);
    let said = String::from_utf8_lossy(&said.get_output().stderr).into_owned();
    let left = ranks.join(left_in(&ranks).expect("what ranks wrote stays")).display().to_string();
    assert!(said.contains(&format!("topoloom record --recover {left} --output FILE")), "{said}");

    // Another run names it, and does not touch it.
    let other = folder.path().join("other.rec").display().to_string();
    let said = refusal(&["record", "--output", &other, "--scratch", &scratch, "--", "true"]);
    assert!(said.contains("an earlier run was killed") && said.contains(&left), "{said}");

    let recovered = folder.path().join("recovered.rec").display().to_string();
    topoloom(&["record", "--recover", &left, "--output", &recovered]).assert().code(0);
    let shown = crate::program::stdout(&["traffic", "show", &recovered]);
    assert!(shown.contains("job.sh 'a b'"), "the command is not known: {shown}");
}

#[test]
fn a_folder_without_recordings_cannot_be_recovered() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().display().to_string();
    let output = folder.path().join("x.rec").display().to_string();
    let said = refusal(&["record", "--recover", &path, "--output", &output]);
    assert!(
        said.ends_with("expected files that end in .totals, found none that can be read"),
        "{said}"
    );
    // A rank that died before it reported its identity.
    fs::write(folder.path().join("job.1.0.totals"), [0; 100]).unwrap();
    refusal(&["record", "--recover", &path, "--output", &output]);
    let missing = folder.path().join("none").display().to_string();
    assert!(refusal(&["record", "--recover", &missing, "--output", &output]).contains("none"));
    topoloom(&["record", "--recover", &path, "--", "true"]).assert().code(2);
    topoloom(&["record"]).assert().code(2);
}

#[test]
fn a_signal_ends_the_job_and_what_was_recorded_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let (rank, begun, output) =
        (folder.path().join("rank"), folder.path().join("begun"), folder.path().join("x.rec"));
    fs::write(&rank, totals()).unwrap();
    let copy = format!("cp {} $TOPOLOOM_RECORD_FOLDER/job.1.0.totals; ", rank.display());
    for (signal, recorded) in [("-INT", ""), ("-TERM", ""), ("-HUP", ""), ("-TERM", &copy)] {
        let body = format!("{recorded}echo > {}; exec sleep 1000", begun.display());
        let mut command = std::process::Command::new(assert_cmd::cargo::cargo_bin!("topoloom"));
        command.args([
            "record",
            "--output",
            &output.display().to_string(),
            "--",
            "sh",
            "-c",
            &body,
        ]);
        let mut child = command.stderr(std::process::Stdio::null()).spawn().unwrap();
        while !begun.exists() {
            std::thread::sleep(std::time::Duration::from_millis(10));
        }
        fs::remove_file(&begun).unwrap();
        let number = child.id().to_string();
        std::process::Command::new("kill").args([signal, &number]).status().unwrap();
        assert!(!child.wait().unwrap().success());
        assert_eq!(left_in(folder.path()), None, "{signal}");
        assert_eq!(output.exists(), !recorded.is_empty(), "{signal}");
    }
}

#[test]
fn a_signal_ends_what_a_script_has_started_too() {
    let folder = tempfile::tempdir().unwrap();
    let (output, number) = (folder.path().join("x.rec"), folder.path().join("number"));
    // The shell that is told to end waits for the other one.
    let body = format!("sh -c 'echo $$ > {}; exec sleep 1000'; true", number.display());
    let mut command = std::process::Command::new(assert_cmd::cargo::cargo_bin!("topoloom"));
    command.arg("record").arg("--output").arg(&output).args(["--", "sh", "-c", &body]);
    let mut child = command.stderr(std::process::Stdio::null()).spawn().unwrap();
    let inner = loop {
        match fs::read_to_string(&number) {
            Ok(text) if text.ends_with('\n') => break text.trim().to_string(),
            _ => std::thread::sleep(std::time::Duration::from_millis(10)),
        }
    };
    let of_child = child.id().to_string();
    std::process::Command::new("kill").args(["-TERM", &of_child]).status().unwrap();
    assert!(!child.wait().unwrap().success());
    // A zombie has an empty command line.
    let command = fs::read_to_string(format!("/proc/{inner}/cmdline")).unwrap_or_default();
    assert!(!command.contains("sleep"), "process {inner} still runs");
    assert_eq!(left_in(folder.path()), None);
}

#[test]
fn a_signal_that_comes_as_soon_as_the_job_starts_does_not_leave_the_job_behind() {
    let folder = tempfile::tempdir().unwrap();
    let output = folder.path().join("x.rec").display().to_string();
    let ended = folder.path().join("ended");
    let body = format!("kill -TERM $PPID; sleep 0.1; echo > {}", ended.display());
    for _ in 0..10 {
        topoloom(&["record", "--output", &output, "--", "sh", "-c", &body]).assert().failure();
        // The job was waited for, and nothing of it is left.
        assert!(ended.exists());
        fs::remove_file(&ended).unwrap();
        assert_eq!(left_in(folder.path()), None);
    }
}
