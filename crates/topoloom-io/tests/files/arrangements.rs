//! Arrangements as files, as traffic and as traces.

use std::fs;
use std::path::{Path, PathBuf};

use topoloom_arrange::{Application, Flow};
use topoloom_core::{Event, Weight, parse_pattern};
use topoloom_io::{
    Input, is_arrangement, is_trace, parse_arrangement, parse_mapping, parse_traffic,
    read_arrangement, read_trace, read_traffic, write_arrangement,
};

fn good(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/arrangements").join(name)
}

#[test]
fn an_arrangement_says_who_holds_what() {
    let file = read_arrangement(good("summa.json")).unwrap();
    let Application::Summa(summa) = file.application else { panic!("{:?}", file.application) };
    assert_eq!((summa.block, summa.element_bytes, summa.flow), (64, 8, Flow::Ring));
    assert_eq!(file.platform, "three-clusters");
    assert_eq!(file.clusters, ["grenoble", "lyon", "nancy"]);
    assert_eq!(file.hosts, ["g-1", "g-2", "l-1", "n-1"]);
    assert_eq!(file.cluster_of, [0, 0, 1, 2]);
    assert_eq!(file.arrangement.row(2), [0, 3]);
    assert_eq!(file.costs[0].0, "hops");
    assert_eq!(file.costs[0].1.total(), 8.0);
    assert_eq!((file.strategy.as_deref(), file.seed), (Some("auto"), Some(1)));
    assert_eq!(file.seconds_per_iteration, None);
}

#[test]
fn what_is_written_is_what_was_read() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["summa.json", "mpdata.json"] {
        let file = read_arrangement(good(name)).unwrap();
        let path = folder.path().join(name);
        write_arrangement(&path, &file).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), fs::read_to_string(good(name)).unwrap());
    }
}

#[test]
fn an_arrangement_is_traffic_and_a_trace() {
    // Overlaps of 1, 2 and 2 blocks of 32768 bytes around a ring of two columns; the first column
    // holds 2 pivots, the second one 3.
    let block = 32768.0;
    let traffic = read_traffic(good("summa.json"), Weight::Bytes).unwrap();
    let found: Vec<_> =
        traffic.flows().map(|f| (f.from.0, f.to.0, f.messages, f.bytes / block)).collect();
    assert_eq!(
        found,
        [
            (0, 1, 3.0, 6.0),
            (0, 2, 2.0, 2.0),
            (0, 3, 2.0, 4.0),
            (1, 0, 2.0, 4.0),
            (1, 3, 2.0, 4.0),
            (2, 0, 3.0, 3.0),
            (2, 3, 1.0, 3.0),
            (3, 0, 3.0, 6.0),
            (3, 1, 3.0, 6.0),
            (3, 2, 4.0, 12.0),
        ]
    );
    assert!(is_trace(&Input::open(&good("summa.json")).unwrap()));
    assert_eq!(read_trace(good("summa.json")).unwrap().traffic(), traffic);
}

#[test]
fn positions_of_mpdata_are_ranks_and_compute_as_long_as_their_processors() {
    let traffic = read_traffic(good("mpdata.json"), Weight::Bytes).unwrap();
    let pattern = "mpdata:2x2,domain=8x9x2,ihalo=2,jhalo=1,element=4,steps=10";
    assert_eq!(traffic, parse_pattern(pattern).unwrap());
    let trace = read_trace(good("mpdata.json")).unwrap();
    assert_eq!(trace.traffic(), traffic);
    // Row by row: 2, 3, 0, 1; processor 2 does not compute.
    let computes = |rank: usize| {
        trace.programs()[rank].iter().find_map(|event| match event {
            Event::Compute { nanoseconds } => Some(*nanoseconds),
            _ => None,
        })
    };
    assert_eq!(
        [0, 1, 2, 3].map(computes),
        [None, Some(250_000_000), Some(1_000_000), Some(1_500_000)]
    );
}

#[test]
fn other_files_of_ours_are_not_arrangements() {
    let mapping = br#"{"format": "topoloom-mapping", "version": 1, "node_of_rank": [0]}"#;
    assert!(parse_mapping("m.json", mapping).is_ok() && !is_arrangement(mapping));
    let error = parse_traffic("m.json", mapping, Weight::Bytes).unwrap_err().to_string();
    assert_eq!(
        error,
        "m.json: expected traffic (in JSON: an arrangement, or a trace of PyTorch or Chakra), found a \
         JSON file of the format \"topoloom-mapping\""
    );
    let error = parse_traffic("l.json", b"[1, 2]", Weight::Bytes).unwrap_err().to_string();
    assert!(error.ends_with("found a JSON list"), "{error}");
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("m.json");
    fs::write(&path, mapping).unwrap();
    assert!(!is_trace(&Input::open(&path).unwrap()));
}

#[test]
fn what_is_wrong_is_said_where_it_is() {
    let summa = fs::read_to_string(good("summa.json")).unwrap();
    let mpdata = fs::read_to_string(good("mpdata.json")).unwrap();
    let check = |good: &str, from: &str, to: &str, expected: &str| {
        assert!(good.contains(from), "{from}");
        let error = parse_arrangement("a.json", good.replace(from, to).as_bytes()).unwrap_err();
        assert_eq!(error.to_string(), format!("a.json{expected}"));
    };
    for (from, to, expected) in [
        (
            "-arrangement\"",
            "-something\"",
            r#": expected the format "topoloom-arrangement", found "topoloom-something""#,
        ),
        ("\"version\": 1", "\"version\": 2", ": version 2 is not known; known: 1"),
        ("\"seed\": 1\n}", "\"seed\": 1\n", ":25: the file ends too early"),
        (
            "\"seed\"",
            "\"sed\"",
            r#":23: unknown field "sed", expected one of "format", "version", "application", "platform", "clusters", "processors", "blocks", "columns", "costs", "strategy", "seed""#,
        ),
        ("  \"platform\": \"three-clusters\",\n", "", r#":23: missing field "platform""#),
        ("\"summa\"", "\"suma\"", r#":4: unknown variant "suma", expected "summa" or "mpdata""#),
        (
            "\"flow\":\"ring\"",
            "\"flow\":\"rings\"",
            r#": unknown flow "rings"; known: one-to-all, ring"#,
        ),
        ("\"block\":64", "\"block\":0", r#": expected "block" to be between 1 and 8192, found 0"#),
        (
            "\"element\":8",
            "\"element\":64",
            r#": expected "element" to be between 1 and 16, found 64"#,
        ),
        ("\"lyon\",", "\"nancy\",", r#": two clusters are called "nancy""#),
        (
            "\"cluster\":\"lyon\"",
            "\"cluster\":\"lille\"",
            r#": processor 2 is of cluster "lille", which is not in "clusters""#,
        ),
        (
            "{\"height\":5,",
            "{\"height\":6,",
            ": expected columns of 6 x 5 blocks in all, found 5 x 5",
        ),
        (
            "{\"processor\":1,\"height\":2}",
            "{\"processor\":1,\"height\":3}",
            ": column 1 is 5 blocks high, but the first column is 6",
        ),
        (
            "{\"processor\":1,",
            "{\"processor\":7,",
            ": processors must be numbered 0 to 3, each with one rectangle; 7 is not",
        ),
        (
            "{\"processor\":3,\"height\":4}",
            "{\"processor\":3,\"height\":-4}",
            r#":16: invalid value: integer "-4", expected a whole number below 2^32"#,
        ),
        (
            "    {\"host\":\"g-1\",\"cluster\":\"grenoble\"},\n",
            "",
            ": expected 3 rectangles, one per processor, found 4",
        ),
    ] {
        check(&summa, from, to, expected);
    }
    for (from, to, expected) in [
        (
            "\"halo\":[2,1]",
            "\"halo\":[5,1]",
            ": mpdata: a domain of 8 elements in 2 rows has parts of 4, less than the halo of 5",
        ),
        (
            "\"domain\":[8,9,2]",
            "\"domain\":[8,9]",
            ":4: invalid length 2, expected an array of length 3",
        ),
        (
            "{\"processor\":2,\"height\":4},{\"processor\":0,\"height\":4}",
            "{\"processor\":2,\"height\":8}",
            ": processors must be numbered 0 to 2, each with one rectangle; 3 is not",
        ),
        (
            ",\"seconds_per_iteration\":0.0015",
            "",
            r#": processor 1 has no "seconds_per_iteration", but others have"#,
        ),
        ("0.0015", "-0.5", ": processor 1: expected a time, found -0.5 seconds"),
    ] {
        check(&mpdata, from, to, expected);
    }
    let uneven = mpdata.replace(
        "{\"processor\":2,\"height\":4},{\"processor\":0,\"height\":4}]},\n    {\"width\":4,\"rectangles\":[{\"processor\":3,\"height\":4},{\"processor\":1,\"height\":4}]}",
        "{\"processor\":2,\"height\":4},{\"processor\":0,\"height\":4}]},\n    {\"width\":4,\"rectangles\":[{\"processor\":3,\"height\":4},{\"processor\":1,\"height\":2},{\"processor\":4,\"height\":2}]}",
    );
    let more = uneven.replace(
        "0.25}",
        "0.25},\n    {\"host\":\"b3\",\"cluster\":\"b\",\"seconds_per_iteration\":1}",
    );
    let error = parse_arrangement("a.json", more.as_bytes()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "a.json: mpdata needs equal parts, or parts that fill its domain of 8 x 9; these fill 8 x 8"
    );
}
