//! `topoloom machine measure` without MPI: this node, and what the command refuses. `tests/mpi`
//! measures with real jobs.

use crate::program::{json, refusal, stdout};

#[test]
fn levels_of_this_node_have_times_that_never_fall_outward() {
    let folder = tempfile::tempdir().unwrap();
    let output = folder.path().join("machine.json").display().to_string();
    let arguments = ["machine", "measure", "--rounds", "20", "--bytes", "64"];
    let cpus = std::thread::available_parallelism().unwrap().get();
    if cpus == 1 {
        let said = refusal(&arguments);
        assert!(said.starts_with("this node has only one place for ranks"), "{said}");
        return;
    }
    let found = json(&[&arguments[..], &["--json", "--output", &output]].concat());
    assert_eq!(found["bytes"], 64);
    let levels = found["levels"].as_array().unwrap();
    let costs: Vec<u64> = levels.iter().map(|level| level["cost"].as_u64().unwrap()).collect();
    assert!(costs.is_sorted() && costs.iter().all(|&cost| cost >= 1), "{found}");
    assert!(levels.iter().any(|level| level["nanoseconds"].as_u64().is_some()), "{found}");
    // The file is a machine with these costs.
    let name = levels[0]["level"].as_str().unwrap();
    assert!(stdout(&["machine", "show", &output]).contains(name));
    let text = std::fs::read_to_string(&output).unwrap();
    assert!(text.contains(&costs[0].to_string()), "{text}");
}

#[test]
fn what_cannot_be_measured_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let scratch = folder.path().display().to_string();
    let missing = folder.path().join("none.json").display().to_string();
    let said = refusal(&["machine", "measure", "--machine", &missing]);
    assert!(said.contains("none.json: cannot read"), "{said}");
    let measure = ["machine", "measure", "--scratch", &scratch, "--"];
    let said = refusal(&[&measure[..], &["true"]].concat());
    assert!(
        said.starts_with("no rank was found: true started no dynamically linked process"),
        "{said}"
    );
    // Ranks without MPI: their places are known, but nothing is measured.
    let script = "PMI_RANK=0 sh -c true; PMI_RANK=1 sh -c true";
    let said = refusal(&[&measure[..], &["sh", "-c", script]].concat());
    let expected =
        ["no two ranks are in two known places", "1 of 1 pairs of ranks were not measured"];
    assert!(expected.iter().any(|part| said.contains(part)), "{said}");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}
