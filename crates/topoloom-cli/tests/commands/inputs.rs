//! Traffic and machines as they are given: patterns, names and files.

use serde_json::Value;

use crate::program::{json, path, refusal, stdout, topoloom};

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
    // Class S: 64^3 points of 16 bytes, 4 ranks: 16 * 64^3 / 4 / 4 bytes per pair in each of 8
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
    // Four nodes below two switches; the cable between the switches is four times slower.
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
    // The specification may be in a file, like any other.
    let (machine_file, machine_path) = path(&directory, "machine.txt");
    std::fs::write(&machine_file, format!("{machine}\n")).unwrap();
    let check = ["check", "--traffic", "ring:8", "--mapping", &mapping, "--machine", &machine_path];
    assert!(stdout(&check).starts_with("valid: "));

    // The list of links itself is not a specification, but the error says how to give it.
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
    // Traces of runs, given as folders.
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
        .stderr(format!("error: {nothing}: expected files that end in .prof, .json, .et or a trace in the folder, found neither\n"));
}
