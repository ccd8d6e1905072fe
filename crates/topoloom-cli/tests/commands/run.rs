//! `topoloom run`, as far as it can be tried without MPI. `tests/mpi/order` does the rest.

#![cfg(all(target_os = "linux", target_pointer_width = "64"))]

use std::fs;
use std::path::Path;

use tempfile::{TempDir, tempdir};

use crate::program::topoloom;

fn stderr(done: &assert_cmd::assert::Assert) -> String {
    String::from_utf8_lossy(&done.get_output().stderr).into_owned()
}

/// Runs a command under `run` in a separate folder.
fn run(folder: &TempDir, arguments: &[&str]) -> assert_cmd::assert::Assert {
    topoloom(&[&["run"], arguments].concat()).current_dir(folder.path()).assert()
}

/// A script that stands for a job: it does what the library does in a job, with these seats.
fn job(folder: &Path, seats: &str) -> String {
    let ranks = seats.lines().count();
    let script = format!(
        "cd \"$TOPOLOOM_RUN_FOLDER\" && : >1-0.answer && printf '%s' \
         'topoloom-run 1\ncall order\nranks {ranks}\n{seats}end\n' >q.part && mv q.part 1-0.question\n\
         while ! grep -qs end 1-0.answer; do sleep 0.01; done\ngrep -v end 1-0.answer\n"
    );
    let path = folder.join("job.sh");
    fs::write(&path, script).unwrap();
    path.display().to_string()
}

const FOUR: &str = "seat 0 a 0-1\nseat 1 a 0-1\nseat 2 b 0-1\nseat 3 b 0-1\n";

fn mapping(folder: &TempDir, hosts_of_ranks: &str) {
    let text = format!(
        r#"{{"format":"topoloom-mapping","version":1,"ranks":4,"node_of_rank":[0,1,2,3],
            "hosts":["a","b","c"],"slots_of_host":[2,2,2],"host_of_rank":[{hosts_of_ranks}],
            "core_of_rank":[null,null,null,null],"cpus_of_rank":["","","",""]}}"#
    );
    fs::write(folder.path().join("m.json"), text).unwrap();
}

#[test]
fn the_exit_code_is_that_of_the_job_and_a_job_without_mpi_is_told() {
    let folder = tempdir().unwrap();
    run(&folder, &["--order", "reverse", "--", "sh", "-c", "exit 7"]).code(7);
    let done = run(&folder, &["--order", "reverse", "--", "true"]).success();
    assert!(stderr(&done).contains("no process has asked for its rank"), "{}", stderr(&done));
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn orders_are_answered() {
    let folder = tempdir().unwrap();
    let job = job(folder.path(), FOUR);
    run(&folder, &["--order", "reverse", "--", "sh", &job]).success().stdout("order 3 2 1 0\n");
    run(&folder, &["--order", "rotate:4", "--", "sh", &job]).success().stdout("keep\n");
    fs::write(folder.path().join("o"), "1 0 3\n2").unwrap();
    run(&folder, &["--order", "o", "--table", "t.tsv", "--", "sh", &job])
        .success()
        .stdout("order 1 0 3 2\n");
    assert_eq!(
        fs::read_to_string(folder.path().join("t.tsv")).unwrap(),
        "rank\tlauncher_rank\thost\tcpus\n0\t1\ta\t0-1\n1\t0\ta\t0-1\n2\t3\tb\t0-1\n3\t2\tb\t0-1\n"
    );
    // A file for another number of ranks ends the job.
    fs::write(folder.path().join("o"), "0 1").unwrap();
    let done = run(&folder, &["--order", "o", "--", "sh", &job]).success().stdout("stop\n");
    let said = stderr(&done);
    assert!(said.contains("o: expected 4 ranks, as the job has, found 2: the job ends"), "{said}");
}

#[test]
fn a_mapping_is_matched_with_the_seats_of_the_job() {
    let folder = tempdir().unwrap();
    let job = job(folder.path(), FOUR);
    mapping(&folder, "0,1,0,1");
    run(&folder, &["--mapping", "m.json", "--", "sh", &job]).success().stdout("order 0 2 1 3\n");
    mapping(&folder, "1,0,1,0");
    let done = run(&folder, &["--mapping", "m.json", "--", "sh", &job]).success();
    let done = done.stdout("order 0 2 1 3\n");
    let said = stderr(&done);
    assert!(said.contains("rank 0 stays on a: the ranks of a and b are exchanged"), "{said}");
    run(&folder, &["--mapping", "m.json", "--rank-0", "move", "--", "sh", &job])
        .success()
        .stdout("order 1 3 0 2\n");
    mapping(&folder, "0,2,0,2");
    let done = run(&folder, &["--mapping", "m.json", "--", "sh", &job]).success().stdout("keep\n");
    let said = stderr(&done);
    assert!(said.contains("wants rank 1 on c, where the job has no process"), "{said}");
    run(&folder, &["--mapping", "m.json", "--strict", "--", "sh", &job]).stdout("stop\n");
}

#[test]
fn a_job_elsewhere_is_placed_again_on_request_and_never_worse() {
    let folder = tempdir().unwrap();
    let job = job(folder.path(), &FOUR.replace(" a ", " n0 ").replace(" b ", " n1 "));
    mapping(&folder, "0,1,0,1");
    // Ranks 0 and 2 exchange much, and 1 and 3.
    fs::write(folder.path().join("t.csv"), "0,0,9,0\n0,0,0,9\n9,0,0,0\n0,9,0,0\n").unwrap();
    let adapt = ["--mapping", "m.json", "--adapt", "--machine", "mesh:4"];
    let both = [&adapt[..], &["--traffic", "t.csv", "--", "sh", &job]].concat();
    run(&folder, &both).success().stdout("order 0 2 1 3\n");
    // The launcher's order is the best one for these.
    fs::write(folder.path().join("t.csv"), "0,9,0,0\n9,0,0,0\n0,0,0,9\n0,0,9,0\n").unwrap();
    let done = run(&folder, &both).success().stdout("keep\n");
    assert!(stderr(&done).contains("nothing to gain: kept"), "{}", stderr(&done));
    // A mapping that names no traffic cannot be adapted.
    let done = run(&folder, &[&adapt[..], &["--", "true"]].concat()).code(2);
    assert!(stderr(&done).contains("give --traffic"), "{}", stderr(&done));
}

#[test]
fn what_does_nothing_or_cannot_work_is_refused_before_the_job_starts() {
    let folder = tempdir().unwrap();
    fs::write(folder.path().join("twice"), "0 1 1").unwrap();
    fs::write(folder.path().join("letter"), "0\n1 x").unwrap();
    for (arguments, message) in [
        (&[][..], "nothing to do: give --mapping FILE"),
        (&["--order", "twice"], "twice: expected each rank once, found 1 twice"),
        (&["--order", "letter"], "letter:2: expected a rank, found \"x\""),
        (&["--order", "rotate:x"], "expected rotate:1"),
        (&["--order", "missing"], "missing: cannot read"),
        (&["--mapping", "missing.json"], "missing.json: cannot read"),
        (&["--adapt"], "--adapt needs --traffic"),
        (&["--reorder", "--traffic", "ring:4"], "--traffic is for --adapt"),
        (&["--order", "reverse", "--traffic", "ring:4"], "--traffic is for --adapt"),
        (&["--order", "reverse", "--machine", "torus:4"], "--machine and --network are for"),
        (&["--order", "reverse", "--within", "cores"], "cannot be used with"),
        (&["--reorder=0"], "expected all, list, or numbers of calls"),
        (&["--reorder", "--strategy", "nonsense"], "nonsense"),
        (&["--reorder", "--table", "t"], "--table needs an order"),
        (&["--reorder", "--machine", "torus:4", "--hosts", "a,b"], "--hosts names 2 hosts"),
        (&["--record", "x.txt"], "x.txt: expected a name that ends in .rec"),
    ] {
        let all = [arguments, &["--", "touch", "began"]].concat();
        let done = run(&folder, &all).code(2);
        assert!(stderr(&done).contains(message), "{arguments:?}: {}", stderr(&done));
        assert!(!folder.path().join("began").exists(), "{arguments:?}");
    }
}
