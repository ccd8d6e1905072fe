//! `topoloom record` where there is no MPI: what it refuses, and what it leaves behind.
//! `tests/mpi` records real programs.

mod program;

use std::fs;

use program::refusal;

#[test]
fn a_program_without_mpi_is_not_recorded_and_leaves_nothing_behind() {
    let folder = tempfile::tempdir().unwrap();
    let output = folder.path().join("x.rec").display().to_string();
    let refused = |program: &str| refusal(&["record", "--output", &output, "--", program]);
    let said = refused("true");
    assert!(
        said.starts_with("nothing was recorded: no process of true has called MPI_Init"),
        "{said}"
    );
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
