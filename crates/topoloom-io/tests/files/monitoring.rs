//! Open MPI's monitoring: what is read from it, and that damaged files are rejected with their
//! place.

use std::fs;
use std::path::{Path, PathBuf};

use topoloom_core::{Traffic, Weight};
use topoloom_io::{Source, Warnings, parse_monitoring, read_traffic, read_traffic_with_warnings};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/openmpi-monitoring-lu.S.16")
}

const PERSISTENT: &str =
    "messages of persistent requests (MPI_Start) are not in Open MPI's monitoring";

#[test]
fn a_folder_is_read_as_the_messages_of_its_program() {
    let (traffic, warnings) = read_traffic_with_warnings(folder(), Weight::Bytes).unwrap();
    assert_eq!(traffic.num_ranks(), 16);
    // A grid of 4 x 4 has 24 pairs of neighbours, each in both directions.
    assert_eq!(traffic.num_flows(), 48);
    // awk '$1 == "E" { bytes += $4; messages += $6 }' *.prof, and the same for I.
    assert_eq!(traffic.total(Weight::Bytes), 9_915_648.0);
    assert_eq!(traffic.total(Weight::Messages), 27_108.0);
    let left_out =
        "918 messages of the library itself, such as those of collectives, left out: 16620 bytes";
    assert_eq!(warnings, [PERSISTENT, left_out]);
    // One of the files stands for all of them.
    let file = folder().join("lu.7.prof");
    assert_eq!(read_traffic_with_warnings(&file, Weight::Bytes).unwrap(), (traffic, warnings));
}

/// Files of a run, with the text between the first two headings, and after the second.
fn files(ranks: &[(&str, &str)]) -> Vec<String> {
    let file = |(messages, one_sided): &(&str, &str)| {
        format!("# POINT TO POINT\n{messages}# OSC\n{one_sided}# COLLECTIVES\n")
    };
    ranks.iter().map(file).collect()
}

fn parsed(files: &[String]) -> Result<(Traffic, Warnings), String> {
    let names: Vec<String> = (0..files.len()).map(|rank| format!("run.{rank}.prof")).collect();
    let sources: Vec<Source<'_>> =
        names.iter().zip(files).map(|(name, text)| Source::new(name, text.as_bytes())).collect();
    parse_monitoring(&sources).map_err(|error| error.to_string())
}

fn flows(traffic: &Traffic) -> Vec<(u32, u32, f64, f64)> {
    traffic.flows().map(|flow| (flow.from.0, flow.to.0, flow.messages, flow.bytes)).collect()
}

#[test]
fn one_sided_messages_count_where_the_data_goes() {
    // Rank 0 puts 8 bytes into rank 1, and gets 24 from it, for which it asks with an empty message.
    let origin = "S\t0\t1\t8 bytes\t2 msgs sent\nR\t0\t1\t24 bytes\t1 msgs sent\n";
    let (traffic, warnings) =
        parsed(&files(&[("E\t0\t1\t5 bytes\t1 msgs sent\t0,1\n", origin), ("", "")])).unwrap();
    assert_eq!(flows(&traffic), [(0, 1, 3.0, 13.0), (1, 0, 1.0, 24.0)]);
    assert_eq!(warnings, [PERSISTENT]);
}

#[test]
fn a_run_with_one_sided_messages_is_read_as_its_program_says() {
    let folder = folder().with_file_name("openmpi-monitoring-one-sided");
    let (traffic, warnings) = read_traffic_with_warnings(&folder, Weight::Bytes).unwrap();
    // Rank 0 sends 100 bytes to rank 1 and puts 8 there, gets 24 from rank 2, and adds 3 integers
    // in rank 3. The library's own messages for these do not count; the persistent requests are
    // missing.
    let expected = [(0, 1, 2.0, 108.0), (0, 2, 1.0, 0.0), (0, 3, 1.0, 12.0), (2, 0, 1.0, 24.0)];
    assert_eq!(flows(&traffic), expected);
    let own = "175 messages of the library itself, such as those of collectives, left out: 13632 \
               bytes";
    assert_eq!(warnings, [PERSISTENT, own]);
}

#[test]
fn collectives_that_are_not_told_apart_are_warned_of() {
    let mut run = files(&[("E\t0\t1\t5 bytes\t1 msgs sent\t0,1\n", ""), ("", "")]);
    run[0] += "C\t0\t1\t4 bytes\t1 msgs sent\nD\tMPI_COMM_WORLD\tprocs: 0,1\n\
               O2A\t0\t0 bytes\t0 msgs sent\nA2O\t0\t0 bytes\t0 msgs sent\nA2A\t0\t4 bytes\t1 msgs sent\n";
    let warnings = parsed(&run).unwrap().1;
    let expected = "messages of the library itself are not marked, because pml_monitoring_enable \
                    was 1: the messages of its collectives count as messages of the program";
    assert_eq!(warnings, [PERSISTENT, expected]);
}

#[test]
fn what_is_wrong_with_a_file_is_said_with_its_line() {
    let error =
        |text: &str| parsed(&[text.to_string(), files(&[("", "")])[0].clone()]).unwrap_err();
    let line = |line: &str| {
        let error = error(&files(&[(&format!("{line}\n"), "")])[0]);
        error.strip_prefix("run.0.prof:2: ").unwrap_or(&error).to_string()
    };
    assert_eq!(line("E\t0\t1\t5 bytes"), "expected 5 or 6 columns, found 4");
    assert_eq!(
        line("E\t1\t0\t5 bytes\t1 msgs sent"),
        "expected rank 0, the rank of this file, found 1"
    );
    assert_eq!(line("E\t0\t2\t5 bytes\t1 msgs sent"), "there is no file of rank 2, only of 0 to 1");
    assert_eq!(line("E\t0\tx\t5 bytes\t1 msgs sent"), "expected a whole number, found \"x\"");
    assert_eq!(line("E\t0\t1\t5\t1 msgs sent"), "expected a number of bytes, found \"5\"");
    assert_eq!(line("E\t0\t1\t5 bytes\t1"), "expected a number of msgs sent, found \"1\"");
    assert_eq!(line("E\t0\t1\t-5 bytes\t1 msgs sent"), "expected a whole number, found \"-5\"");
    assert_eq!(
        line("X\t0\t1"),
        "expected a line of kind E, I, S, R, C, D, O2A, A2O or A2A, found \"X\""
    );
    assert_eq!(line("A2A\t0\t4 bytes"), "expected 4 columns, found 3");
    assert_eq!(line("D\tMPI_COMM_WORLD\tprocs: 0,1,2"), "there are 3 ranks, but files of 2");
    assert_eq!(line("D\tMPI_COMM_WORLD"), "expected 3 columns, found 2");
    let members = "expected \"procs: \" and the members of the communicator";
    assert_eq!(line("D\tMPI_COMM_SELF\t0"), members);
    // Older files, in which E and I mean something else.
    assert_eq!(line("# RMA"), "expected \"# OSC\", found \"# RMA\"");
    let text = "E\t0\t1\t5 bytes\t1 msgs sent\n";
    let expected = "expected \"# POINT TO POINT\", found \"E\\t0\\t1\\t5 bytes\\t1 msgs sent\"";
    assert_eq!(error(text), format!("run.0.prof:1: {expected}"));
    let cut = "run.0.prof: the file ends before its section \"# COLLECTIVES\"";
    assert_eq!(error("# POINT TO POINT\n# OSC\n"), cut);
    let twice = "# POINT TO POINT\n# OSC\n# COLLECTIVES\n# OSC\n";
    assert_eq!(error(twice), "run.0.prof:4: expected no further section, found \"# OSC\"");
    assert_eq!(parsed(&[]), Err(": expected at least 1 rank, found 0".to_string()));
}

#[test]
fn files_that_are_missing_or_too_many_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str| fs::write(folder.path().join(name), &files(&[("", "")])[0]).unwrap();
    let message =
        |name: &str| read_traffic(folder.path().join(name), Weight::Bytes).unwrap_err().message();
    assert_eq!(
        message(""),
        "expected files that end in .prof, .json, .et or a trace in the folder, found neither"
    );
    write("a.prof");
    assert_eq!(
        message(""),
        "expected files that end in .prof, .json, .et or a trace in the folder, found neither"
    );
    assert_eq!(message("a.prof"), "its name has no rank number");
    assert_eq!(message("a.0.prof"), "cannot read: No such file or directory");
    for name in ["a.0.prof", "a.2.prof", "a.5.prof"] {
        write(name);
    }
    assert_eq!(message(""), "the files of ranks 1, 3, 4 are missing");
    assert_eq!(message("a.2.prof"), "the files of ranks 1, 3, 4 are missing");
    write("b.0.prof");
    let several =
        "expected the files of one run, found those of \"a\" and \"b\"; name one of its files";
    assert_eq!(message(""), several);
    assert!(read_traffic(folder.path().join("b.0.prof"), Weight::Bytes).is_ok());
    write("b.00.prof");
    let twice = "expected one file per rank, found b.0.prof and b.00.prof";
    assert_eq!(message("b.0.prof"), twice);
}
