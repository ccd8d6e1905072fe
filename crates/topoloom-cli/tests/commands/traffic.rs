//! `topoloom traffic`, as a user sees it.

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::program::{json, refusal, stdout, topoloom};

fn path(directory: &tempfile::TempDir, name: &str) -> String {
    directory.path().join(name).display().to_string()
}

/// A recorded run from the tests of the core.
fn recorded(name: &str) -> String {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("../topoloom-core/tests/data/apps64");
    data.join(name).display().to_string()
}

/// A recorded run of LULESH, from the tests of formats.
fn lulesh() -> String {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("../topoloom-io/tests/data");
    data.join("lulesh-64.bytes.mtx").display().to_string()
}

fn structure(traffic: &str) -> String {
    let shown = json(&["traffic", "show", traffic, "--json"]);
    shown["structure"]["name"].as_str().unwrap().to_string()
}

/// The text on standard error when it succeeds.
fn said(arguments: &[&str]) -> String {
    let output = topoloom(arguments).assert().success().get_output().clone();
    assert!(output.stdout.is_empty());
    String::from_utf8(output.stderr).unwrap()
}

fn check_golden(name: &str, arguments: &[&str]) {
    let golden = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(name);
    let shown = stdout(arguments);
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(&golden, &shown).unwrap();
    }
    let expected = std::fs::read_to_string(&golden).unwrap();
    assert_eq!(shown, expected, "{name} differs; UPDATE_GOLDEN=1 writes it anew");
}

#[test]
fn screens_look_as_they_did() {
    check_golden("traffic_lu.txt", &["traffic", "show", "lu:class=C,ranks=64"]);
    check_golden("traffic_cg.txt", &["traffic", "show", "cg:class=C,ranks=64"]);
    let ft = ["traffic", "show", "ft:class=A,ranks=16", "--collectives", "direct"];
    check_golden("traffic_ft.txt", &ft);
}

#[test]
fn recorded_runs_are_recognised() {
    let lu = structure(&recorded("npb-lu-c-64.bytes.mtx"));
    assert!(lu.starts_with("grid 8x8, open, von Neumann neighbours, last axis fastest"), "{lu}");
    let bt = structure(&recorded("npb-bt-c-64.bytes.mtx"));
    assert!(bt.starts_with("grid 8x8, periodic, neighbours along axes and 1 of 2"), "{bt}");
    let mg = structure(&recorded("npb-mg-c-64.bytes.mtx"));
    assert!(mg.starts_with("grid 4x4x4, periodic, von Neumann neighbours"), "{mg}");
    let cg = structure(&recorded("npb-cg-c-64.bytes.mtx"));
    assert!(cg.starts_with("hypercube of 3 dimensions: partners xor 1, 2, 4"), "{cg}");
    assert!(cg.contains(" + transpose 8x8"), "{cg}");
    let lulesh = structure(&lulesh());
    assert!(lulesh.starts_with("grid 4x4x4, open, Moore neighbours, last axis"), "{lulesh}");
}

#[test]
fn a_screen_has_40_lines_of_100_columns_at_most() {
    let patterns = [
        "lu:class=C,ranks=64",
        "cg:class=C,ranks=1024",
        "mg:class=C,ranks=512",
        "is:class=S,ranks=16",
        "ep:class=A,ranks=16",
        "random:ranks=1000,degree=8",
        "ring:1",
        "bt:class=C,ranks=64",
    ];
    for pattern in patterns {
        for mode in ["none", "direct", "algorithm"] {
            let text = stdout(&["traffic", "show", pattern, "--collectives", mode]);
            let longest = text.lines().map(|line| line.chars().count()).max().unwrap();
            let lines = text.lines().count();
            assert!(longest <= 100 && lines <= 40, "{longest} columns, {lines} lines:\n{text}");
        }
    }
}

#[test]
fn numbers_of_the_screen_are_in_json() {
    // 112 pairs both ways, 2 to 4 partners; every flow 1 message of 1 byte.
    let shown = json(&["traffic", "show", "stencil:8x8", "--json"]);
    for (field, number) in [("ranks", 64), ("ordered_pairs", 224), ("send_nothing", 0)] {
        assert_eq!(shown[field], number, "{field}");
    }
    assert_eq!(shown["bytes"], 224.0);
    assert_eq!(shown["messages"], 224.0);
    assert_eq!(shown["partners"]["mean"], 3.5);
    assert_eq!(shown["symmetry"]["exact"], true);
    assert_eq!(shown["balance"]["imbalance"], 8.0 / 7.0);
    let found = &shown["structure"]["found"][0];
    assert_eq!((&found["kind"], &found["lengths"]), (&"grid".into(), &serde_json::json!([8, 8])));
    assert_eq!(shown["message_sizes"]["exact"], false);
    assert_eq!(shown["message_sizes"]["classes"][0]["messages"], 224.0);
    assert!(shown["recording"].is_null());
}

#[test]
fn collectives_have_their_share_without_being_expanded() {
    let shown = json(&["traffic", "show", "ft:class=D,ranks=65536", "--json"]);
    assert!(shown["collectives"]["share"].as_f64().unwrap() > 0.99);
    let calls: Vec<&str> = shown["collectives"]["operations"]
        .as_array()
        .unwrap()
        .iter()
        .map(|operation| operation["call"].as_str().unwrap())
        .collect();
    assert!(calls.contains(&"Alltoall"), "{calls:?}");
    let text = stdout(&["traffic", "show", "ft:class=D,ranks=65536"]);
    assert!(text.contains("only collectives; give --collectives"), "{text}");
}

#[test]
fn a_picture_is_drawn_with_ranks_in_bins_where_they_are_many() {
    let directory = tempfile::tempdir().unwrap();
    let picture = path(&directory, "matrix.svg");
    for (pattern, bins) in [("lu:class=C,ranks=64", false), ("stencil:40x40", true)] {
        let output = topoloom(&["traffic", "show", pattern, "--plot", &picture]).assert().success();
        drop(output);
        let text = std::fs::read_to_string(&picture).unwrap();
        assert!(text.starts_with("<svg ") && text.ends_with("</svg>\n"));
        assert!(text.contains("sending rank") && text.contains("receiving rank"));
        assert_eq!(text.contains("a cell is 7 x 7 ranks"), bins, "{pattern}");
        // One shape per colour, not one per cell.
        assert!(text.len() < 100_000, "{}", text.len());
    }
    let png = path(&directory, "matrix.PNG");
    topoloom(&["traffic", "show", "ring:4", "--plot", &png]).assert().success();
    assert!(std::fs::read(&png).unwrap().starts_with(b"\x89PNG\r\n"));
    let other = path(&directory, "matrix.pdf");
    let message = refusal(&["traffic", "show", "ring:4", "--plot", &other]);
    assert!(message.contains("expected a name that ends in .svg or .png"), "{message}");
}

fn totals(traffic: &str) -> Value {
    json(&["traffic", "show", traffic, "--json"])
}

#[test]
fn traffic_is_merged_and_put_side_by_side() {
    let directory = tempfile::tempdir().unwrap();
    let sum = path(&directory, "sum.rec");
    said(&["traffic", "merge", "stencil:8x8", "ring:64", "ep:class=S,ranks=64", "--output", &sum]);
    let merged = totals(&sum);
    assert_eq!(merged["bytes"], 224.0 + 128.0);
    assert!(!merged["collectives"]["operations"].as_array().unwrap().is_empty());

    let both = path(&directory, "both.rec");
    let jobs = ["traffic", "merge", "stencil:8x8", "ring:20", "--side-by-side", "--output", &both];
    said(&jobs);
    assert_eq!(totals(&both)["ranks"], 84);
    let name = structure(&both);
    assert!(name.contains("grid 8x8") && name.contains("ring of 20"), "{name}");

    let message = refusal(&["traffic", "merge", "ring:8", "ring:9", "--output", &sum]);
    assert!(message.contains("8 ranks in the first and 9 in number 2"), "{message}");
    assert!(message.contains("--side-by-side"), "{message}");
    // A single input has nothing to merge with, and an output is needed.
    topoloom(&["traffic", "merge", "ring:8", "--output", &sum]).assert().code(2);
    topoloom(&["traffic", "merge", "ring:8", "ring:8"]).assert().code(2);
}

#[test]
fn traffic_is_scaled_in_bytes_messages_or_both() {
    let directory = tempfile::tempdir().unwrap();
    let scaled = path(&directory, "scaled.csv");
    for (what, messages, bytes) in
        [("bytes", 16.0, 40.0), ("messages", 40.0, 16.0), ("both", 40.0, 40.0)]
    {
        let factor = ["--factor", "2.5", "--what", what, "--output", &scaled];
        said(&[&["traffic", "scale", "ring:8"], &factor[..]].concat());
        let shown = totals(&scaled);
        assert_eq!(
            (&shown["messages"], &shown["bytes"]),
            (&messages.into(), &bytes.into()),
            "{what}"
        );
    }
    for wrong in ["0", "-1", "nan", "inf"] {
        let message =
            refusal(&["traffic", "scale", "ring:8", "--factor", wrong, "--output", &scaled]);
        assert!(message.contains("expected a factor above 0"), "{wrong}: {message}");
    }
}

#[test]
fn traffic_is_filtered_by_ranks_size_and_partners() {
    let directory = tempfile::tempdir().unwrap();
    let kept = path(&directory, "kept.rec");
    let filter = |more: &[&str]| {
        let text = said(
            &[&["traffic", "filter", "lu:class=C,ranks=64"], more, &["--output", &kept]].concat(),
        );
        (totals(&kept), text)
    };
    let (rows, text) = filter(&["--ranks", "0-15"]);
    assert_eq!(rows["ranks"], 16);
    assert!(structure(&kept).starts_with("grid 2x8, open"), "{}", structure(&kept));
    assert!(text.contains("reduced to the members that are kept"), "{text}");
    let (rows, _) = filter(&["--ranks", "8-15,0", "--keep-numbers", "--collectives", "none"]);
    assert_eq!((&rows["ranks"], &rows["send_nothing"]), (&64.into(), &55.into()));
    assert_eq!(rows["collectives"]["operations"].as_array().unwrap().len(), 0);
    let (nothing, _) = filter(&["--min-bytes", "1e30"]);
    assert_eq!(nothing["ordered_pairs"], 0);
    let (top, _) = filter(&["--top", "1"]);
    assert!(top["ordered_pairs"].as_u64().unwrap() < 224);
    let arguments = |more: &[&'static str]| {
        let all = [&["traffic", "filter", "ring:8"], more].concat();
        all.into_iter()
            .map(str::to_string)
            .chain(["--output".into(), kept.clone()])
            .collect::<Vec<_>>()
    };
    for (more, expected) in [
        (&["--ranks", "0-9"][..], "there is no rank 9, only 0 to 7"),
        (&["--ranks", "5-2"][..], "the range 5-2 runs backwards"),
        (&["--ranks", "x"][..], "expected ranks such as 0-15,20, found \"x\""),
        (&["--kind", "p2p"][..], "--kind needs a recording"),
        (&["--min-bytes", "-1"][..], "expected a number of at least 0"),
    ] {
        let arguments = arguments(more);
        let message = refusal(&arguments.iter().map(String::as_str).collect::<Vec<_>>());
        assert!(message.contains(expected), "{message}");
    }
}

#[test]
fn traffic_is_made_symmetric() {
    let directory = tempfile::tempdir().unwrap();
    let input = path(&directory, "one_way.csv");
    let output = path(&directory, "both_ways.csv");
    std::fs::write(&input, "from,to,bytes,messages\n0,1,10,1\n1,0,4,1\n1,2,6,2\n").unwrap();
    for (command, more, bytes) in [
        ("symmetrize", &[][..], 20.0),
        ("symmetrise", &["--sum"][..], 40.0),
        ("symmetrize", &["--max"][..], 32.0),
    ] {
        said(&[&["traffic", command, &input, "--output", &output], more].concat());
        let shown = totals(&output);
        assert_eq!(shown["bytes"], bytes, "{more:?}");
        assert_eq!(shown["symmetry"]["exact"], true);
    }
}

#[test]
fn ranks_become_groups_by_number_or_by_a_file() {
    let directory = tempfile::tempdir().unwrap();
    let coarse = path(&directory, "coarse.rec");
    said(&["traffic", "coarsen", "stencil:8x8", "--by", "8", "--output", &coarse]);
    let shown = totals(&coarse);
    assert_eq!((&shown["ranks"], &shown["bytes"]), (&8.into(), &224.0.into()));
    // 7 pairs in each of 8 rows, both ways.
    assert_eq!(shown["self"]["bytes"], 112.0);
    assert!(structure(&coarse).starts_with("chain of 8"), "{}", structure(&coarse));

    let groups = path(&directory, "groups.txt");
    std::fs::write(&groups, "7\n7\n3\n3\n").unwrap();
    let by_file = ["--groups", &groups, "--drop-inside", "--output", &coarse];
    let text = said(&[&["traffic", "coarsen", "ring:4"], &by_file[..]].concat());
    assert!(text.contains("2 groups renumbered in order"), "{text}");
    assert_eq!(totals(&coarse)["bytes"], 4.0);
    let message = refusal(&[&["traffic", "coarsen", "ring:5"], &by_file[..]].concat());
    assert!(message.contains("4 group numbers for 5 ranks"), "{message}");
    topoloom(&["traffic", "coarsen", "ring:5", "--output", &coarse]).assert().code(2);
}

#[test]
fn a_recording_tells_of_its_run() {
    use topoloom::core::traffic::Group;
    use topoloom::io::{
        FlowKind, MpiCall, RankState, RecordedCollective, RecordedFlow, Recording, SizeClass,
    };
    let flow = |to, kind, bytes| RecordedFlow { to, kind, messages: 2.0, bytes };
    let size = |kind, class, messages, bytes| SizeClass { kind, class, messages, bytes };
    let recording = Recording {
        ranks: 4,
        info: vec![
            ("command".into(), "./heat --steps 10".into()),
            ("library".into(), "Open MPI 4.1.4".into()),
        ],
        notes: vec!["messages of MPI_Sendrecv_replace were left out".into()],
        incomplete: vec![(3, RankState::NeverFinalised)],
        hosts: vec!["node1".into(), "node2".into()],
        host_of_rank: vec![0, 0, 1, 1],
        flows: vec![
            vec![flow(1, FlowKind::PointToPoint, 300.0), flow(1, FlowKind::OneSided, 100.0)],
            vec![flow(0, FlowKind::PointToPoint, 300.0)],
            vec![flow(3, FlowKind::Neighbourhood, 100.0)],
        ],
        sizes: vec![
            size(FlowKind::PointToPoint, 8, 2, 400),
            size(FlowKind::PointToPoint, 7, 2, 200),
            size(FlowKind::OneSided, 6, 2, 100),
            size(FlowKind::Neighbourhood, 6, 2, 100),
        ],
        collectives: vec![
            RecordedCollective {
                call: MpiCall::Bcast,
                group: Group::Strided { first: 0, stride: 2, size: 2 },
                root: Some(1),
                calls: 5,
                bytes: 8,
                sizes: vec![],
            },
            RecordedCollective {
                call: MpiCall::Gatherv,
                group: Group::first(4),
                root: Some(0),
                calls: 1,
                bytes: 0,
                sizes: vec![(1, 0, 70.0), (2, 0, 30.0)],
            },
        ],
        ..Recording::default()
    };
    let directory = tempfile::tempdir().unwrap();
    let file = path(&directory, "run.rec");
    topoloom::io::write_recording(Path::new(&file), &recording).unwrap();

    let text = stdout(&["traffic", "show", &file]);
    for expected in [
        "./heat --steps 10",
        "Open MPI 4.1.4",
        "2 (node1, node2), 2 ranks on each",
        "never finalised: 3",
        "point to point 75.0 %, one-sided 12.5 %, neighbourhood 12.5 %",
        "messages of MPI_Sendrecv_replace were left out",
        "message sizes, as recorded",
        "Gatherv",
        "0-2 by 2",
    ] {
        assert!(text.contains(expected), "{expected}:\n{text}");
    }
    let shown = json(&["traffic", "show", &file, "--json"]);
    assert_eq!(shown["message_sizes"]["exact"], true);
    // Classes 6 to 8: 32-63, 64-127, 128-255.
    let classes = shown["message_sizes"]["classes"].as_array().unwrap();
    let messages: Vec<f64> =
        classes.iter().map(|class| class["messages"].as_f64().unwrap()).collect();
    assert_eq!(messages, [4.0, 2.0, 2.0]);
    let of_run = &shown["recording"];
    assert_eq!(of_run["info"]["library"], "Open MPI 4.1.4");
    assert_eq!(of_run["incomplete"][0]["rank"], 3);
    assert_eq!(of_run["host_of_rank"], serde_json::json!([0, 0, 1, 1]));
    assert_eq!(of_run["collectives"][0]["root"], 2);
    assert_eq!(of_run["collectives"][0]["direct_bytes"], 40.0);
    assert_eq!(of_run["collectives"][1]["sizes"][0], serde_json::json!([1, 0, 70.0]));

    let kept = path(&directory, "kept.csv");
    let kinds = ["--kind", "one-sided,neighbourhood", "--collectives", "none", "--output", &kept];
    said(&[&["traffic", "filter", &file], &kinds[..]].concat());
    assert_eq!(totals(&kept)["bytes"], 200.0);
}

#[test]
fn wrong_files_are_refused_by_name() {
    let message = refusal(&["traffic", "show", "no/such.mtx"]);
    assert!(message.contains("no/such.mtx"), "{message}");
    let message = refusal(&["traffic", "show", "rung:5"]);
    assert!(message.contains("unknown traffic pattern"), "{message}");
}
