//! What `map`, `score` and `compare` say about a placement: what it gains, what counts, what is
//! known.

use std::fs;

use serde_json::Value;

use crate::program::{json, refusal, stdout, topoloom};

/// In order: 2 x 1,000,000 x 1 hop and 10 x 2 hops. With ranks 1 0 2 3 the 10 bytes travel 1 hop.
const HARDLY_BETTER: &str = "from,to,bytes\n0,1,1000000\n2,3,1000000\n0,2,10\n";

/// In order: 100 x 3 hops; with partners side by side 100 x 1.
const MUCH_BETTER: &str = "from,to,bytes\n0,3,100\n";

/// Four hosts with four cores each on one switch.
const FOUR_HOSTS: &str = r#"{"format": "topoloom-machine", "version": 1, "place": "core",
 "hosts": [{"names": "n[1-4]", "kind": 0}],
 "kinds": [{"node": {"kind": "node", "in": [{"kind": "core", "cpus": "0"}, {"kind": "core", "cpus": "1"},
   {"kind": "core", "cpus": "2"}, {"kind": "core", "cpus": "3"}]}}]}"#;

/// A folder with these files.
struct Files(tempfile::TempDir);

impl Files {
    fn with(files: &[(&str, &str)]) -> Files {
        let folder = tempfile::tempdir().unwrap();
        for (name, content) in files {
            fs::write(folder.path().join(name), content).unwrap();
        }
        Files(folder)
    }

    fn path(&self, name: &str) -> String {
        self.0.path().join(name).display().to_string()
    }

    /// The mapping that `map` wrote here.
    fn mapping(&self) -> Value {
        serde_json::from_str(&fs::read_to_string(self.path("mapping.json")).unwrap()).unwrap()
    }
}

/// The output of `map` for this traffic on a line of 4, and the same as JSON.
fn mapped(files: &Files, traffic: &str, more: &[&str]) -> (String, Value) {
    let (traffic, output) = (files.path(traffic), files.path("mapping.json"));
    let command = ["map", "--traffic", &traffic, "--machine", "mesh:4", "--output", &output];
    let command = [&command[..], more].concat();
    (stdout(&command).replace('\n', " "), json(&[&command[..], &["--json"]].concat()))
}

#[test]
fn a_placement_that_gains_next_to_nothing_is_not_taken() {
    let files = Files::with(&[("t.csv", HARDLY_BETTER)]);
    let (text, record) = mapped(&files, "t.csv", &[]);
    let sentence = "No better placement was found: auto gains 0.0005 % over in-order, less than 1 % \
                    (--worth). The placement in order is kept.";
    assert!(text.contains(sentence), "{text}");
    assert_eq!(record["kept"], true);
    assert_eq!(
        (&record["strategy"], &record["baseline"]),
        (&"in-order".into(), &"in-order".into())
    );
    assert_eq!(
        (&record["hop_bytes"], &record["baseline_cost"]),
        (&2_000_020.into(), &2_000_020.into())
    );
    // 10 of 2,000,020.
    assert!((record["gain"].as_f64().unwrap() - 10.0 / 2_000_020.0).abs() < 1e-12);
    assert_eq!(files.mapping()["strategy"], "in-order");
    assert_eq!(files.mapping()["node_of_rank"], serde_json::json!([0, 1, 2, 3]));
    // If any gain is worth a move, ranks move.
    let (text, record) = mapped(&files, "t.csv", &["--worth", "0"]);
    assert!(text.contains("auto gains 0.0005 % over in-order (hop-bytes)."), "{text}");
    assert_eq!((&record["kept"], &record["hop_bytes"]), (&false.into(), &2_000_010.into()));
    assert_eq!(files.mapping()["strategy"], "auto");
}

#[test]
fn a_placement_that_costs_the_same_is_not_taken_whatever_it_is_worth() {
    let files = Files::with(&[]);
    let output = files.path("mapping.json");
    let ring = ["map", "--traffic", "ring:8", "--machine", "torus:8", "--output", &output];
    for worth in ["0", "1%"] {
        let command = [&ring[..], &["--worth", worth]].concat();
        let text = stdout(&command).replace('\n', " ");
        assert!(
            text.contains("auto costs as much as in-order. The placement in order is kept."),
            "{text}"
        );
        assert_eq!(json(&[&command[..], &["--json"]].concat())["kept"], true);
        assert_eq!(files.mapping()["node_of_rank"], serde_json::json!([0, 1, 2, 3, 4, 5, 6, 7]));
    }
}

#[test]
fn a_placement_that_gains_is_taken_and_the_gain_is_told() {
    let files = Files::with(&[("t.csv", MUCH_BETTER)]);
    let (text, record) = mapped(&files, "t.csv", &[]);
    assert!(text.contains("auto gains 66.7 % over in-order (hop-bytes)."), "{text}");
    assert_eq!((&record["kept"], &record["strategy"]), (&false.into(), &"auto".into()));
    assert_eq!((&record["hop_bytes"], &record["baseline_cost"]), (&100.into(), &300.into()));
    // Two thirds are not 70 %.
    let (_, record) = mapped(&files, "t.csv", &["--worth", "70%"]);
    assert_eq!((&record["kept"], &record["hop_bytes"]), (&true.into(), &300.into()));
}

#[test]
fn a_strategy_that_is_named_is_taken_as_it_is_unless_a_gain_is_asked_for() {
    let files = Files::with(&[("t.csv", "from,to,bytes\n0,1,100\n")]);
    let (text, record) = mapped(&files, "t.csv", &["--strategy", "random", "--seed", "3"]);
    assert_eq!((&record["kept"], &record["strategy"]), (&false.into(), &"random".into()));
    assert!(text.contains("random costs ") && text.contains(" in-order (hop-bytes)."), "{text}");
    let (_, record) = mapped(&files, "t.csv", &["--strategy", "random", "--worth", "1%"]);
    assert_eq!((&record["kept"], &record["strategy"]), (&true.into(), &"in-order".into()));
    let wrong = ["map", "--traffic", "ring:4", "--machine", "mesh:4", "--worth", "2"];
    let text = refusal(&wrong);
    assert!(text.contains("expected a share from 0 to 1, such as 1%, 0.5% or 0.01"), "{text}");
}

#[test]
fn a_comparison_in_which_nothing_gains_says_so() {
    let command = ["compare", "--traffic", "ring:8", "--machine", "torus:8", "--strategy"];
    let text = stdout(&[&command[..], &["auto,random"]].concat());
    assert!(
        text.contains("No better placement was found: auto costs as much as in-order."),
        "{text}"
    );
    let text = stdout(&[&command[..], &["in-order,random"]].concat());
    assert!(text.contains("No better placement was found than in-order."), "{text}");
    let files = Files::with(&[("t.csv", MUCH_BETTER)]);
    let traffic = files.path("t.csv");
    let command = ["compare", "--traffic", &traffic, "--machine", "mesh:4", "--strategy", "auto"];
    let text = stdout(&command);
    assert!(text.contains("auto gains 66.7 % over in-order."), "{text}");
    let records = json(&[&command[..], &["--json"]].concat());
    assert_eq!(
        (&records[0]["baseline"], &records[0]["baseline_cost"]),
        (&"in-order".into(), &300.into())
    );
    assert!(records[0].get("kept").is_none());
}

#[test]
fn hosts_that_stay_idle_while_others_are_packed_are_told() {
    let files = Files::with(&[("machine.json", FOUR_HOSTS)]);
    let machine = files.path("machine.json");
    let map = |ranks: &str| json(&["map", "--traffic", ranks, "--machine", &machine, "--json"]);
    let notes = |record: &Value| record["notes"].to_string();
    let packed = notes(&map("ring:4"));
    assert!(packed.contains("4 ranks on 1 of 4 hosts; 3 hosts stay idle"), "{packed}");
    assert!(notes(&map("ring:9")).contains("9 ranks on 3 of 4 hosts; 1 host stays idle"));
    assert!(!notes(&map("ring:16")).contains("idle"));
    let text = stdout(&["map", "--traffic", "ring:4", "--machine", &machine]);
    assert!(
        text.contains("\n4 ranks on 1 of 4 hosts; 3 hosts stay idle (--ranks-per-node"),
        "{text}"
    );
}

#[test]
fn a_node_of_a_cluster_is_a_host_in_every_number_and_what_is_not_known_is_not_zero() {
    // Ranks 0 to 3 on host n1, 4 and 5 on n2: 150 bytes and 8 stay, 12 go between hosts.
    let traffic = "from,to,bytes\n0,1,100\n1,0,50\n2,3,8\n0,4,7\n5,1,5\n";
    let files = Files::with(&[("machine.json", FOUR_HOSTS), ("t.csv", traffic)]);
    let (machine, traffic) = (files.path("machine.json"), files.path("t.csv"));
    let problem = ["--traffic", &traffic[..], "--machine", &machine];
    let score = [&["score"], &problem[..], &["--mapping", "in-order"]].concat();
    let record = json(&[&score[..], &["--json"]].concat());
    assert_eq!(
        (&record["intra_node_weight"], &record["inter_node_weight"]),
        (&158.into(), &12.into())
    );
    let of = |statistic: &str, field: &str| record["statistics"][statistic][field].clone();
    assert_eq!(
        (of("intra_node_logical", "count"), of("intra_node_logical", "total")),
        (2.into(), 158.into())
    );
    assert_eq!(
        (of("inter_node_logical", "count"), of("inter_node_logical", "total")),
        (1.into(), 12.into())
    );
    // 7 bytes go one way and 5 the other, through one adapter each. The core of rank 0 has more.
    assert_eq!((&record["max_link_load"], &record["congestion"]), (&7.into(), &2.into()));
    assert_eq!(record["max_inner_load"], 107);
    assert_eq!(record["statistics"]["inter_node_physical"]["maximum"], 12);
    let text = stdout(&score);
    let row = |name: &str| {
        let line = text.lines().find(|line| line.trim_start().starts_with(name));
        line.unwrap().trim_start()[name.len()..].split_whitespace().collect::<Vec<_>>().join(" ")
    };
    assert_eq!(row("inside hosts"), "158");
    assert_eq!(row("within a host, logical"), "2 158 79 8 150");
    assert_eq!(row("between hosts, logical"), "1 12 12 12 12");
    assert!(row("between hosts, physical").ends_with("12 12 12"), "{text}");
    assert_eq!(row("congestion (pairs on a link)"), "2");
    assert_eq!((row("busiest link"), row("inside a host")), ("7".into(), "107".into()));
    assert!(text.lines().all(|line| line.chars().count() <= 100), "{text}");
    // A tree has no hosts: its nodes are leaves, and its links are not known either.
    let tree = ["score", "--traffic", &traffic, "--machine", "tree:2:4,distances=1:10"];
    let record = json(&[&tree[..], &["--mapping", "in-order", "--json"]].concat());
    assert_eq!(record["statistics"]["intra_node_logical"]["count"], 0);
    assert_eq!(record["statistics"]["inter_node_logical"]["count"], 4);
    assert_eq!(record.get("congestion"), Some(&Value::Null));
    let csv = [&["compare"], &problem[..], &["--strategy", "in-order", "--csv"]].concat();
    let csv = stdout(&csv);
    let (header, line) = csv.split_once('\n').unwrap();
    let column = header.split(',').position(|name| name == "congestion").unwrap();
    assert_eq!(line.split(',').nth(column), Some("2"));
}

#[test]
fn collectives_count_in_every_command_and_their_share_is_told() {
    // Only collectives: an all-to-all, broadcasts and reductions.
    let problem = ["--traffic", "ft:class=S,ranks=4", "--machine", "mesh:4"];
    let with = |command: &[&'static str], more: &[&'static str]| [command, &problem, more].concat();
    let counted = json(&with(&["score"], &["--mapping", "in-order", "--json"]));
    let told =
        json(&with(&["score"], &["--mapping", "in-order", "--json", "--collectives", "algorithm"]));
    assert!(counted["hop_bytes"].as_f64().unwrap() > 0.0);
    for field in ["hop_bytes", "total_weight", "collectives"] {
        assert_eq!(counted[field], told[field], "{field}");
    }
    assert_eq!(counted["collectives"], "algorithm");
    assert_eq!(counted["collectives_bytes_share"], 1.0);
    assert_eq!(counted["collectives_messages_share"], 1.0);
    let line = "collectives: 100.0 % of bytes, 100.0 % of messages (counted as algorithm)\n";
    for command in [
        with(&["score"], &["--mapping", "in-order"]),
        with(&["map"], &[]),
        with(&["compare"], &["--strategy", "in-order"]),
        with(&["simulate"], &["--mapping", "in-order"]),
        vec!["advise", "--traffic", "ft:class=S,ranks=4", "--shapes", "mesh:4"],
    ] {
        let text = stdout(&command);
        assert!(text.contains(line), "{command:?}: {text}");
    }
    let none =
        stdout(&["score", "--traffic", "ring:4", "--machine", "mesh:4", "--mapping", "in-order"]);
    assert!(!none.contains("collectives"), "{none}");
    let left_out = with(&["score"], &["--mapping", "in-order", "--collectives", "none"]);
    let output = topoloom(&left_out).assert().success().get_output().clone();
    let warning = String::from_utf8(output.stderr).unwrap();
    assert!(
        warning.contains("collectives are left out, 100.0 % of bytes, 100.0 % of messages"),
        "{warning}"
    );
    assert!(String::from_utf8(output.stdout).unwrap().contains("(left out)\n"));
}

#[test]
fn collectives_of_more_pairs_than_fit_are_refused_with_what_else_to_do() {
    let all_to_all = "topoloom-trace 1\nranks 20000\n\
                      collective 0 alltoall bytes=1000 members=0+1x20000\nrank 0-19999\nx 0\n";
    let files = Files::with(&[("all.trace", all_to_all)]);
    let traffic = files.path("all.trace");
    let problem = ["--traffic", &traffic, "--machine", "torus:32x32x32", "--mapping", "in-order"];
    let text = refusal(&[&["score"], &problem[..]].concat());
    assert!(text.contains("up to 400000000 flows between pairs; at most 268435456"), "{text}");
    assert!(text.contains("give --collectives none to leave them out (100.0 % of bytes"), "{text}");
    assert!(text.contains("algorithm:alltoall=bruck"), "{text}");
}
