//! The commands as a user sees them.

use std::path::{Path, PathBuf};

use serde_json::Value;

mod program;

use program::{json, refusal, stdout, topoloom};

fn path(directory: &tempfile::TempDir, name: &str) -> (PathBuf, String) {
    let path = directory.path().join(name);
    let text = path.display().to_string();
    (path, text)
}

/// As in the HAEC thesis, which knows of no collectives: every neighbour can be one hop away.
const LU_ON_HAEC: [&str; 6] =
    ["--traffic", "lu:class=C,ranks=64", "--machine", "haec:4x4x4", "--collectives", "none"];

fn with<'a>(command: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    [&[command], &LU_ON_HAEC[..], more].concat()
}

#[test]
fn compare_lists_every_strategy_best_first() {
    let rows = json(&with("compare", &["--json", "--strategies", "all"]));
    let rows = rows.as_array().unwrap();
    let known = json(&["list", "strategies", "--json"]);
    assert_eq!(rows.len(), known.as_array().unwrap().len());
    let costs: Vec<f64> = rows.iter().filter_map(|row| row["hop_bytes"].as_f64()).collect();
    assert!(costs.is_sorted());
    assert_eq!(rows[0]["hop_bytes"], rows[0]["lower_bound"], "LU.C.64 has a perfect placement");
    let ran = rows.iter().filter(|row| row["not_applicable"].is_null());
    for row in ran {
        for field in ["strategy", "seconds", "seed", "evaluations", "complete", "gap", "routing"] {
            assert!(!row[field].is_null(), "{field}");
        }
    }
}

#[test]
fn compare_fits_a_terminal_of_100_columns() {
    for machine in ["torus:16x16x16", "mesh:16x16x16,slots=2", "hypercube:12"] {
        let text = stdout(&[
            "compare",
            "--traffic",
            "lu:class=D,ranks=4096",
            "--machine",
            machine,
            "--strategies",
            "in-order,hilbert,minmd,genetic:population=10,generations=1",
        ]);
        let longest = text.lines().map(|line| line.chars().count()).max().unwrap();
        assert!(longest <= 100, "{longest} columns:\n{text}");
    }
}

#[test]
fn a_strategy_that_does_not_fit_is_listed_with_its_reason() {
    let arguments = [
        "compare",
        "--traffic",
        "stencil:10x10",
        "--machine",
        "torus:100",
        "--strategies",
        "a-star,in-order",
    ];
    let rows = json(&[&arguments[..], &["--json"]].concat());
    assert_eq!(rows[0]["strategy"], "in-order");
    assert_eq!(
        rows[1]["not_applicable"],
        "it is for at most 64 slots, not 100 (a-star:max-slots=...)"
    );
    let csv = stdout(&[&arguments[..], &["--csv"]].concat());
    let lines: Vec<&str> = csv.lines().collect();
    assert_eq!(lines.len(), 3);
    assert!(lines[0].starts_with("strategy,hop_bytes,") && lines[1].starts_with("in-order,"));
    assert!(stdout(&arguments).contains("a-star: not applicable: it is for at most 64 slots"));
}

#[test]
fn repeated_runs_are_tested_against_the_best_strategy() {
    let arguments = [
        "compare",
        "--traffic",
        "stencil:4x4",
        "--machine",
        "mesh:4x4",
        "--objective",
        "traffic-distribution",
        "--strategies",
        "random,consecutive,a-star:max-slots=9",
        "--repeat",
        "6",
        "--seed",
        "3",
    ];
    let rows = json(&[&arguments[..], &["--json"]].concat());
    // Row by row a stencil is the mesh itself: 48 flows, each one hop and a difference of one.
    let first = &rows[0];
    assert_eq!(first["strategy"], "consecutive");
    assert_eq!(
        (&first["repeat"], &first["best"], &first["mean"]),
        (&6.into(), &96.into(), &96.into())
    );
    assert_eq!(first["deviation"], 0);
    assert!(first["p_value"].is_null() && first["significant"].is_null());
    let second = &rows[1];
    assert_eq!(second["strategy"], "random");
    // The first gives one placement with every seed, and all six of the others cost more: 2 / 2^6.
    assert_eq!(second["p_value"], 0.03125);
    assert_eq!(second["significant"], true);
    // The record is that of the best run.
    let seed = second["seed"].as_u64().unwrap();
    assert!((3..9).contains(&seed), "{seed}");
    assert!(rows[2]["not_applicable"].is_string());

    let csv = stdout(&[&arguments[..], &["--csv"]].concat());
    let header = csv.lines().next().unwrap();
    assert!(header.ends_with(",not_applicable,repeat,best,mean,deviation,p_value,significant"));
    let text = stdout(&arguments);
    assert!(text.lines().all(|line| line.chars().count() <= 100), "{text}");
    assert!(text.contains("traffic-distribution of 6 runs each, sorted by mean"), "{text}");
    let once: Vec<&str> =
        arguments.iter().filter(|word| !["--repeat", "6"].contains(word)).copied().collect();
    assert!(!stdout(&[&once[..], &["--csv"]].concat()).contains("deviation"));
}

#[test]
fn a_cost_matrix_is_read_from_its_file() {
    let directory = tempfile::tempdir().unwrap();
    let (file, costs) = path(&directory, "costs.csv");
    let objective = format!("cost-matrix:{costs}");
    let map = |machine| {
        ["map", "--traffic", "ring:3", "--machine", machine, "--objective", &objective, "--json"]
    };
    let refused = |machine| refusal(&map(machine));
    assert!(refused("mesh:3").ends_with("costs.csv: cannot read: No such file or directory"));
    std::fs::write(&file, "0,1,2\n1,0\n2,4,0\n").unwrap();
    assert!(refused("mesh:3").ends_with("costs.csv:2: expected 3 columns, found 2"));
    std::fs::write(&file, "0,1,2\n1,0,4\n2,4,0\n").unwrap();
    let wrong_size = refused("mesh:4");
    assert!(wrong_size.starts_with("auto is not applicable: cost-matrix of "), "{wrong_size}");
    assert!(wrong_size.ends_with("costs.csv has 3 x 3 costs, but mesh:4 has 4 nodes"));
    assert_eq!(json(&map("mesh:3"))["objective"], "cost-matrix");
}

#[test]
fn a_mapping_is_written_checked_and_scored() {
    let directory = tempfile::tempdir().unwrap();
    for name in ["mapping.json", "mapping.txt"] {
        let (file, mapping) = path(&directory, name);
        let found = json(&with("map", &["--strategy", "bokhari", "--output", &mapping, "--json"]));
        assert!(file.exists());
        assert_eq!(found["strategy"], "bokhari");
        assert_eq!(found["complete"], true);
        let scored = json(&with("score", &["--mapping", &mapping, "--json"]));
        assert_eq!(scored["hop_bytes"], found["hop_bytes"]);
        let verdict = stdout(&with("check", &["--mapping", &mapping]));
        // 22,128,532,608 bytes, each over one hop.
        assert_eq!(verdict, "valid: hop-bytes 22,128,532,608, maximum dilation 1\n");
    }
    let text = std::fs::read_to_string(directory.path().join("mapping.txt")).unwrap();
    assert_eq!(text.lines().count(), 64);
    let file: Value = serde_json::from_str(
        &std::fs::read_to_string(directory.path().join("mapping.json")).unwrap(),
    )
    .unwrap();
    assert_eq!(file["format"], "topoloom-mapping");
    assert_eq!(file["version"], 1);
    assert_eq!(file["machine"], "haec:4x4x4");
    assert_eq!(file["ranks"], 64);
    assert_eq!(file["slot_of_rank"].as_array().unwrap().len(), 64);
    assert_eq!(file["seed"], 1);
}

#[test]
fn check_says_why_a_mapping_is_not_valid() {
    let directory = tempfile::tempdir().unwrap();
    let (file, mapping) = path(&directory, "wrong.txt");
    let arguments = ["check", "--traffic", "ring:3", "--machine", "torus:4", "--mapping", &mapping];
    std::fs::write(&file, "0\n1\n1\n").unwrap();
    topoloom(&arguments)
        .assert()
        .code(1)
        .stdout("not valid: node 1 holds 2 ranks, but has room for 1\n");
    std::fs::write(&file, "0\n1\n9\n").unwrap();
    topoloom(&arguments)
        .assert()
        .code(1)
        .stdout("not valid: rank 2 is on node 9, but the machine has nodes 0 to 3\n");
    std::fs::write(&file, "0\n1\n").unwrap();
    topoloom(&arguments).assert().code(1).stdout("not valid: 2 nodes for 3 ranks\n");
    std::fs::write(&file, "0\none\n2\n").unwrap();
    assert_eq!(refusal(&arguments), format!("{mapping}:2: expected a node number, found \"one\""));
    std::fs::remove_file(&file).unwrap();
    assert!(refusal(&arguments).starts_with(&format!("{mapping}: cannot read")));
}

#[test]
fn the_same_seed_gives_the_same_file_on_any_number_of_threads() {
    let directory = tempfile::tempdir().unwrap();
    let run = |threads: &str, seed: &str| {
        let (file, mapping) = path(&directory, &format!("{threads}-{seed}.json"));
        stdout(&[
            "map",
            "--traffic",
            "random:ranks=60,degree=4,seed=3",
            "--machine",
            "torus:4x4x4",
            "--threads",
            threads,
            "--seed",
            seed,
            "--output",
            &mapping,
        ]);
        std::fs::read_to_string(file).unwrap()
    };
    assert_eq!(run("1", "7"), run("3", "7"));
    assert_ne!(run("1", "7"), run("1", "8"));
}

#[test]
fn generate_writes_every_format_and_reads_it_back() {
    let directory = tempfile::tempdir().unwrap();
    let total = |file: &str| {
        let score =
            ["score", "--machine", "mesh:4x3", "--mapping", "in-order", "--json", "--traffic"];
        json(&[&score[..], &[file]].concat())["total_weight"].clone()
    };
    let (_, first) = path(&directory, "first.mtx");
    stdout(&["generate", "stencil:3x4,bytes=10", "--output", &first]);
    // 17 neighbours, both ways, 10 bytes each.
    assert_eq!(total(&first), 340);
    for name in ["a.csv", "b.tsv", "c.graph", "d.mtx", "e.rec"] {
        let (_, converted) = path(&directory, name);
        stdout(&["generate", &first, "--output", &converted]);
        assert_eq!(total(&converted), 340, "{name}");
    }
    let (file, unknown) = path(&directory, "traffic.docx");
    let message = refusal(&["generate", "ring:4", "--output", &unknown]);
    assert_eq!(
        message,
        format!(
            "{unknown}: unknown ending for a traffic file; known: .mtx, .csv, .tsv, .graph, .rec"
        )
    );
    assert!(!file.exists());
}

#[test]
fn collectives_are_left_out_with_a_warning_or_expanded() {
    let ft = [
        "score",
        "--traffic",
        "ft:class=S,ranks=4",
        "--machine",
        "mesh:2x2",
        "--mapping",
        "in-order",
        "--json",
    ];
    let left_out = [&ft[..], &["--collectives", "none"]].concat();
    let output = topoloom(&left_out).assert().success().get_output().clone();
    let warning = String::from_utf8(output.stderr).unwrap();
    assert!(warning.contains("collectives are left out, 100.0 % of bytes"), "{warning}");
    assert!(warning.contains("give --collectives algorithm or direct"), "{warning}");
    let scored: Value = serde_json::from_slice(&output.stdout).unwrap();
    for field in ["total_weight", "average_dilation", "gap", "hop_bytes", "max_link_load"] {
        assert_eq!(scored[field], 0, "{field}");
    }
    // Class S: 64^3 points of 16 bytes, 4 ranks: 16 * 64^3 / 4 / 4 bytes a pair in each of 8
    // all-to-alls, 12 ordered pairs; 5 broadcasts of 4 bytes to 3 ranks; 6 reductions of 16.
    let direct = json(&[&ft[..], &["--collectives", "direct"]].concat());
    assert_eq!(direct["total_weight"], 16 * 64 * 64 * 64 / 16 * 8 * 12 + 5 * 4 * 3 + 6 * 16 * 3);
}

#[test]
fn algorithms_of_collectives_are_chosen_by_size_or_as_told() {
    // EP on 8 ranks: a broadcast of 4 bytes, allreduces of 3 x 8 and 80 bytes, a barrier.
    let bytes = |mode: &str| {
        let ep = ["--traffic", "ep:class=S,ranks=8", "--machine", "mesh:8"];
        let options = ["--mapping", "in-order", "--json", "--collectives", mode];
        json(&[&["score"], &ep[..], &options[..]].concat())["total_weight"].clone()
    };
    // Recursive doubling: 3 rounds of 8 messages; linear and ring: 14 times the data.
    assert_eq!(bytes("algorithm"), 7 * 4 + 3 * 8 * (3 * 8 + 80));
    assert_eq!(bytes("algorithm:allreduce=ring"), 7 * 4 + 14 * (3 * 8 + 80));
    assert_eq!(bytes("direct"), 7 * 4 + 14 * (3 * 8 + 80));

    let directory = tempfile::tempdir().unwrap();
    let (_, output) = path(&directory, "x.csv");
    let wrong = ["generate", "ft:class=S,ranks=4", "--output", &output, "--collectives"];
    let message = refusal(&[&wrong[..], &["algorithm:alltoall=ring"]].concat());
    let answer = "algorithm: unknown algorithm \"ring\" for alltoall; known: pairwise, bruck";
    assert!(message.contains(answer), "{message}");
}

#[test]
fn what_needs_links_or_dimensions_says_so() {
    let on_tree = ["map", "--traffic", "ring:4", "--machine", "tree:2:2,distances=1:5"];
    assert_eq!(
        refusal(&[&on_tree[..], &["--objective", "max-link-load"]].concat()),
        "auto is not applicable: max-link-load needs links, and tree:2:2,distances=1:5 has none"
    );
    assert_eq!(
        refusal(&[&on_tree[..], &["--objective", "energy"]].concat()),
        "auto is not applicable: energy needs links, and tree:2:2,distances=1:5 has none"
    );
    let on_fat_tree = ["map", "--traffic", "ring:4", "--machine", "fat-tree:k=2"];
    assert_eq!(
        refusal(&[&on_fat_tree[..], &["--routing", "dimension-order"]].concat()),
        "dimension-order: the machine has no dimensions; expected ecmp or minimal-adaptive"
    );
}

#[test]
fn wrong_names_and_shapes_get_a_helpful_answer() {
    let score = |traffic: &str, machine: &str, mapping: &str| {
        refusal(&["score", "--traffic", traffic, "--machine", machine, "--mapping", mapping])
    };
    assert_eq!(
        score("ring:4", "tours:4", "in-order"),
        "unknown topology \"tours\"; known: cluster, dragonfly, fat-tree, graph, haec, hypercube, mesh, platform, torus, tree; did you mean torus?"
    );
    assert_eq!(
        score("ring:4", "torus:4y4", "in-order"),
        "torus: expected a shape such as 4x4x4, found \"4y4\""
    );
    assert_eq!(
        score("ring:4", "torus:4,slot=2", "in-order"),
        "torus: unknown option \"slot\"; known: bandwidth, latency, energy, idle-power, double-links, slots; did you mean slots?"
    );
    assert_eq!(
        score("ring:520", "torus:8x8x8", "in-order"),
        "520 ranks do not fit 512 slots (torus:8x8x8, 1 per node); give --imbalance to put several \
         in one slot"
    );
    assert!(
        score("rong:4", "torus:4", "in-order")
            .starts_with("unknown traffic pattern \"rong\"; known: ")
    );
    assert!(
        score("ring:4", "torus:4", "hilbrt").starts_with("unknown strategy \"hilbrt\"; known: ")
    );
    assert!(score("none.mtx", "torus:4", "in-order").starts_with("none.mtx: cannot read"));
    assert!(score("lu:class=C,ranks=7", "torus:7", "in-order").contains("nearby: 6, 8"));
    assert_eq!(
        refusal(&[
            "score",
            "--traffic",
            "ring:4",
            "--machine",
            "torus:4",
            "--mapping",
            "in-order",
            "--routing",
            "dimension-order:zyx"
        ]),
        "dimension-order: expected each of the letters x once, found \"zyx\""
    );
    for wrong in [
        &["map", "--traffic", "ring:4"][..],
        &["map", "--traffic", "ring:4", "--machine", "torus:4", "--time-limit", "soon"],
        &["map", "--traffic", "ring:4", "--machine", "torus:4", "--weight", "stones"],
        &["map", "--traffic", "ring:4", "--machine", "torus:4", "--threads", "0"],
        &["map", "--traffic", "ring:4", "--machine", "torus:4", "--objective", "fun"],
        &["frobnicate"],
        &["reproduce", "poetry"],
    ] {
        topoloom(wrong).assert().code(2).stdout("");
    }
}

#[test]
fn nothing_is_written_when_the_search_cannot_run() {
    let directory = tempfile::tempdir().unwrap();
    let (file, mapping) = path(&directory, "mapping.json");
    refusal(&["map", "--traffic", "ring:9", "--machine", "torus:4", "--output", &mapping]);
    refusal(&[
        "map",
        "--traffic",
        "ring:100",
        "--machine",
        "torus:100",
        "--strategy",
        "a-star",
        "--output",
        &mapping,
    ]);
    assert!(!file.exists());
    assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 0);
}

#[test]
fn an_output_that_cannot_be_written_is_refused_before_the_search() {
    let directory = tempfile::tempdir().unwrap();
    let (_, missing) = path(&directory, "none/mapping.json");
    let (file, traffic) = path(&directory, "traffic.csv");
    std::fs::write(&file, "0,1,5\n1,0,5\n").unwrap();
    // A search that would not end: the answer comes before it.
    let map = |output: &str| {
        let problem = ["map", "--machine", "torus:4", "--traffic", &traffic, "--output", output];
        refusal(&[&problem[..], &["--strategy", "random-sampling:samples=1000000000000"]].concat())
    };
    assert!(map(&missing).contains("there is no folder"));
    assert!(map(&traffic).ends_with("would overwrite an input file"));
    assert!(map(&directory.path().display().to_string()).ends_with("expected a file name"));
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "0,1,5\n1,0,5\n");
}

#[test]
fn above_a_bound_of_zero_there_is_no_gap_to_tell() {
    // Two silent pairs that could each share a node, placed apart: no bound but 0 is proven.
    let directory = tempfile::tempdir().unwrap();
    let (file, mapping) = path(&directory, "apart.txt");
    std::fs::write(&file, "0\n1\n").unwrap();
    let score = |mapping: &str| {
        json(&[
            "score",
            "--traffic",
            "ring:2",
            "--machine",
            "mesh:2,slots=2",
            "--mapping",
            mapping,
            "--json",
        ])
    };
    assert_eq!(score(&mapping)["hop_bytes"], 2);
    assert_eq!(score(&mapping)["gap"], Value::Null);
    assert_eq!(score("in-order")["gap"], 0);
}

#[test]
fn a_mapping_file_names_what_was_optimised() {
    let objective =
        |more: &[&str]| json(&with("map", &[&["--json"], more].concat()))["objective"].clone();
    assert_eq!(objective(&["--strategy", "bokhari:runs=1"]), "cardinality");
    assert_eq!(objective(&["--strategy", "hilbert"]), "hop-bytes");
    assert_eq!(
        objective(&["--strategy", "bokhari:runs=1", "--objective", "max-dilation"]),
        "max-dilation"
    );
}

#[test]
fn a_machine_may_stand_in_a_file() {
    let directory = tempfile::tempdir().unwrap();
    let (file, machine) = path(&directory, "machine.txt");
    std::fs::write(&file, "# our torus\n\ntorus:2x2\n").unwrap();
    let scored = json(&[
        "score",
        "--traffic",
        "ring:4",
        "--machine",
        &machine,
        "--mapping",
        "in-order",
        "--json",
    ]);
    assert_eq!(scored["machine"], "torus:2x2");
    std::fs::write(&file, "# our torus\ntorus:2xtwo\n").unwrap();
    let message =
        refusal(&["score", "--traffic", "ring:4", "--machine", &machine, "--mapping", "in-order"]);
    assert_eq!(
        message,
        format!("{machine}:2: torus: expected a shape such as 4x4x4, found \"2xtwo\"")
    );
}

#[test]
fn a_network_is_read_from_a_file_and_its_mapping_checked_and_scored() {
    let directory = tempfile::tempdir().unwrap();
    let (file, network) = path(&directory, "my-net.v2.txt");
    // Four nodes below two switches; the cable between those is four times slower.
    let text = "nodes 4\n0 4 8e9\n1 4 8e9\n2 5 8e9\n3 5 8e9\n4 5 2e9 # slow\n";
    std::fs::write(&file, text).unwrap();
    let machine = format!("graph:{network},slots=2");
    let (mapping_file, mapping) = path(&directory, "mapping.json");
    let problem = ["--traffic", "ring:8", "--machine", &machine];
    let map = ["map", "--objective", "max-link-load", "--output", &mapping, "--json"];
    let found = json(&[&map[..], &problem[..]].concat());
    // A ring that is cut in two crosses at both ends: two bytes each way over the slow cable,
    // which count four times. Two neighbours on a node send two bytes off it as well.
    assert_eq!(found["max_link_load"], 2);
    assert_eq!(found["max_relative_load"], 8);
    let written: Value =
        serde_json::from_str(&std::fs::read_to_string(mapping_file).unwrap()).unwrap();
    assert_eq!(written["machine"], *machine);
    let score = [&["score"], &problem[..], &["--mapping", &mapping]].concat();
    let scored = json(&[&score[..], &["--json"]].concat());
    assert_eq!((&scored["nodes"], &scored["routing"]), (&4.into(), &"ecmp".into()));
    assert_eq!(scored["max_relative_load"], 8);
    let output = topoloom(&score).assert().success().get_output().clone();
    assert!(output.stderr.is_empty(), "the mapping was made for this machine");
    let text = String::from_utf8(output.stdout).unwrap();
    let value = |name: &str| {
        let line = text.lines().find(|line| line.trim_start().starts_with(name)).unwrap();
        line.split_whitespace().last().unwrap().to_string()
    };
    assert_eq!((value("busiest link"), value("by bandwidth")), ("2".into(), "8".into()));
    let check = [&["check"], &problem[..], &["--mapping", &mapping]].concat();
    assert!(stdout(&check).starts_with("valid: "));
    // The specification may stand in a file, like any other.
    let (machine_file, machine_path) = path(&directory, "machine.txt");
    std::fs::write(&machine_file, format!("{machine}\n")).unwrap();
    let check = ["check", "--traffic", "ring:8", "--mapping", &mapping, "--machine", &machine_path];
    assert!(stdout(&check).starts_with("valid: "));

    // The list of links itself is no specification, but the answer says how to give it.
    let list = ["score", "--traffic", "ring:8", "--mapping", "in-order", "--machine", &network];
    let hint = format!("; if this is a list of links, give graph:{network}");
    assert!(refusal(&list).contains(&hint));

    std::fs::write(&file, "nodes 4\n0 4\n1 4\n2 4\n3 4 fast\n").unwrap();
    let message = format!("{network}:5: expected a number, found \"fast\"");
    assert_eq!(refusal(&score), message);
    assert_eq!(refusal(&check), format!("{machine_path}:1: {message}"));
    std::fs::remove_file(&file).unwrap();
    assert!(refusal(&score).starts_with(&format!("{network}: cannot read")));
}

#[test]
fn levels_and_kinds_of_links_have_bandwidths_of_their_own() {
    let relative = |machine: &str| {
        let score =
            ["score", "--traffic", "ring:4", "--mapping", "in-order", "--json", "--machine"];
        json(&[&score[..], &[machine]].concat())["max_relative_load"].clone()
    };
    // Two pairs of nodes below two switches: each node sends 2 bytes, and of each pair 2 go up,
    // one over each uplink.
    let tree = "fat-tree:levels=2,down=2:2,up=2";
    assert_eq!(relative(tree), 2);
    assert_eq!(relative(&format!("{tree},bandwidth=8e9:1e9")), 8);
    // 0 - 1 and 2 - 3 are neighbours in x; 1 - 2 and 3 - 0 take a link in x, then one in y.
    assert_eq!(relative("torus:2x2"), 2);
    assert_eq!(relative("torus:2x2,bandwidth=4e9:1e9"), 4);
    // The ring crosses from group to group at both ends.
    let dragonfly = "dragonfly:groups=2,routers=1,nodes=2";
    assert_eq!(relative(&format!("{dragonfly},global-bandwidth=1e9")), 20);
}

#[test]
fn a_time_limit_keeps_the_best_so_far_and_says_so() {
    let found = json(&[
        "map",
        "--traffic",
        "stencil:32x32",
        "--machine",
        "torus:16x8x8",
        "--strategy",
        "random-sampling:samples=100000000",
        "--time-limit",
        "50ms",
        "--json",
    ]);
    assert_eq!(found["complete"], false);
    assert!(found["evaluations"].as_u64().unwrap() < 100_000_000);
}

#[test]
fn refiners_follow_a_strategy() {
    let cost = |strategy: &str| {
        json(&[
            "map",
            "--traffic",
            "stencil:8x8",
            "--machine",
            "torus:4x4x4",
            "--strategy",
            strategy,
            "--json",
        ])["hop_bytes"]
            .as_f64()
            .unwrap()
    };
    assert!(cost("hilbert | bokhari") < cost("hilbert"));
}

#[test]
fn completions_and_manual_pages_come_from_the_command_line_itself() {
    for shell in ["bash", "zsh", "fish"] {
        assert!(stdout(&["completions", shell]).contains("time-limit"), "{shell}");
    }
    assert!(stdout(&["man"]).contains(".TH"));
    let directory = tempfile::tempdir().unwrap();
    stdout(&["man", "--directory", &directory.path().display().to_string()]);
    let page = std::fs::read_to_string(directory.path().join("topoloom-compare.1")).unwrap();
    assert!(page.contains("strategies"));
}

#[test]
fn the_reference_page_is_what_the_registries_say() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference.md");
    let written = std::fs::read_to_string(page).unwrap();
    let generated = stdout(&["list", "--markdown"]);
    assert!(
        written.ends_with(&generated),
        "docs/reference.md is out of date; its end is the output of `topoloom list --markdown`"
    );
}

#[test]
fn list_shows_every_kind_in_text_and_json() {
    let everything = json(&["list", "--json"]);
    let kinds = [
        "topologies",
        "traffic",
        "collectives",
        "strategies",
        "refiners",
        "objectives",
        "routings",
        "models",
        "formats",
        "traces",
        "launch",
        "arrangers",
        "measures",
        "queues",
        "partitions",
        "workloads",
    ];
    assert_eq!(everything.as_object().unwrap().len(), kinds.len());
    for kind in kinds {
        assert!(stdout(&["list"]).contains(kind));
        let one = json(&["list", kind, "--json"]);
        assert_eq!(one, everything[kind]);
        for entry in one.as_array().unwrap() {
            assert!(stdout(&["list", kind]).contains(entry["name"].as_str().unwrap()));
        }
    }
    for line in stdout(&["list", "strategies"]).lines() {
        assert!(line.chars().count() <= 100, "{line}");
    }
}

#[test]
fn profiles_are_read_by_their_folder_with_a_warning_of_what_they_lack() {
    let data = concat!(env!("CARGO_MANIFEST_DIR"), "/../topoloom-io/tests/data");
    let directory = tempfile::tempdir().unwrap();
    let (_, file) = path(&directory, "lu.csv");
    let folder = format!("{data}/openmpi-monitoring-lu.S.16");
    topoloom(&["generate", &folder, "--output", &file]).assert().success().stderr(format!(
        "warning: messages of persistent requests (MPI_Start) are not in Open MPI's \
        monitoring\nwarning: 918 messages of the library itself, such as those of collectives, \
        left out: 16620 bytes\n{file}: 16 ranks, 48 pairs, 27,108 messages, 9,915,648 bytes\n"
    ));
    // A 4 x 4 grid of neighbours fits the mesh as it is: every message takes one hop.
    let problem = ["--machine", "mesh:4x4", "--mapping", "in-order", "--json"];
    let score = json(&[&["score", "--traffic", &folder], &problem[..]].concat());
    assert_eq!(score["average_dilation"], 1.0);
    assert_eq!(
        json(&[&["score", "--traffic", &file], &problem[..]].concat())["hop_bytes"],
        score["hop_bytes"]
    );
    // Traces of runs, by their folders.
    for (trace, ranks) in [("simgrid-ti", 4), ("dumpi-text", 4), ("otf2-eztrace", 4)] {
        let trace = format!("{data}/{trace}");
        let arguments = ["score", "--traffic", &trace, "--machine", "mesh:2x2"];
        let score = json(&[&arguments[..], &["--mapping", "in-order", "--json"]].concat());
        assert_eq!(score["ranks"], ranks);
    }
    let nothing = format!("{data}/..");
    topoloom(&["generate", &nothing, "--output", &file])
        .assert()
        .code(2)
        .stderr(format!("error: {nothing}: expected files that end in .prof or a trace in the folder, found neither\n"));
}

#[test]
fn an_imbalance_lets_ranks_share_slots_and_stands_in_the_file() {
    let directory = tempfile::tempdir().unwrap();
    let (file, mapping) = path(&directory, "mapping.json");
    let problem = ["--traffic", "stencil:16x16", "--machine", "tree:4:4:4,distances=1:10:100"];
    let map = |more: &[&'static str]| {
        let command = [&["map"], &problem[..], more, &["--output", &mapping]].concat();
        command.iter().map(|word| word.to_string()).collect::<Vec<_>>()
    };
    let command = map(&["--imbalance", "0.03", "--effort", "fast", "--json"]);
    let found = json(&command.iter().map(String::as_str).collect::<Vec<_>>());
    assert_eq!(found["max_link_load"], Value::Null);
    assert_eq!(found["routing"], "none");
    let written: Value = serde_json::from_str(&std::fs::read_to_string(&file).unwrap()).unwrap();
    assert_eq!(written["imbalance"], 0.03);
    // The file says what is allowed: neither needs to be told.
    let scored = json(&[&["score"], &problem[..], &["--mapping", &mapping, "--json"]].concat());
    assert_eq!(scored["hop_bytes"], found["hop_bytes"]);
    let check = [&["check"], &problem[..], &["--mapping", &mapping]].concat();
    assert!(stdout(&check).starts_with("valid: "));
    // 4 ranks a slot; a list of nodes needs to be told.
    let (list, nodes) = path(&directory, "nodes.txt");
    let text: String = (0..256).map(|rank| format!("{}\n", rank / 4)).collect();
    std::fs::write(&list, text.replacen("1\n", "0\n", 1)).unwrap();
    let check = [&["check"], &problem[..], &["--mapping", &nodes]].concat();
    topoloom(&check).assert().code(1);
    topoloom(&[&check[..], &["--imbalance", "0.03"]].concat())
        .assert()
        .code(1)
        .stdout("not valid: node 0 holds 5, but at most 4 is allowed\n");
    topoloom(&[&check[..], &["--imbalance", "0.25"]].concat()).assert().success();
    let score = [&["score"], &problem[..], &["--mapping", &nodes, "--imbalance", "0.25"]].concat();
    assert!(stdout(&score).contains("hop-bytes"));

    let refuse = |more: &[&str]| refusal(&[&["map"], &problem[..], more].concat());
    assert!(refuse(&[]).starts_with("256 ranks do not fit 64 slots"));
    assert!(refuse(&["--imbalance", "0.03", "--strategy", "bokhari"]).starts_with(
        "bokhari is not applicable: it puts one rank in each slot; if --imbalance lets"
    ));
    assert!(
        refuse(&["--imbalance", "0.03", "--strategy", "in-order | bokhari"])
            .contains("bokhari puts")
    );
    assert_eq!(
        refuse(&["--imbalance", "0.03", "--routing", "dimension-order"]),
        "tree:4:4:4,distances=1:10:100 has no links, so no routing can be chosen"
    );
    for wrong in ["-1", "nan", "inf", "much"] {
        assert!(refuse(&["--imbalance", wrong]).contains("imbalance"), "{wrong}");
    }
    assert!(refuse(&["--effort", "huge"]).contains("known: fast, eco, strong"));
}

/// Output pinned as it is, to be looked at when it changes.
#[test]
fn a_score_looks_like_this() {
    let text = stdout(&[
        "score",
        "--traffic",
        "cg:class=S,ranks=8",
        "--machine",
        "torus:2x2,slots=2",
        "--mapping",
        "in-order",
    ]);
    let (head, _) = text.split_once("  time").unwrap();
    let (_, tail) = text.split_once("  hop-bytes").unwrap();
    let golden = include_str!("golden/score.txt");
    assert_eq!(format!("{head}...\n  hop-bytes{tail}"), golden);
}
