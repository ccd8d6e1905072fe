//! `simulate`, `advise` and traces as a user sees them.

use crate::program::{json, refusal, stdout, topoloom};

fn simulate<'a>(more: &[&'a str]) -> Vec<&'a str> {
    [&["simulate", "--machine", "mesh:4x4", "--mapping", "in-order"], more].concat()
}

#[test]
fn a_burst_takes_what_its_busiest_link_needs() {
    let burst = ["--traffic", "stencil:4x4,bytes=1000000", "--json"];
    let report = json(&simulate(&burst));
    // Every link carries one message: 100 ns and 1 MB at 10 GB/s.
    assert!((report["seconds"].as_f64().unwrap() - 1.001e-4).abs() < 1e-10);
    assert_eq!(report["replay"], "burst");
    assert_eq!(report["messages"], 48);
    assert_eq!(report["links_used"], 48);
    assert!(report["cycles"].is_null());
    assert_eq!(report["waiting_seconds"].as_array().unwrap().len(), 16);
    assert_eq!(report["links"].as_array().unwrap().len(), 48);

    let packets = json(&simulate(&[&burst[..], &["--model", "packet"]].concat()));
    // At least 62,500 cycles for a message; corners send two of them, one packet at a time.
    let cycles = packets["cycles"].as_u64().unwrap();
    assert!((125_000..260_000).contains(&cycles), "{cycles}");
    assert!(packets["packet_hops"].as_u64().unwrap() >= 48 * 1954);
}

#[test]
fn a_pattern_is_replayed_in_its_order_and_as_rounds_when_asked() {
    let lu = ["--traffic", "lu:class=S,ranks=16,iterations=1", "--json"];
    assert_eq!(json(&simulate(&lu))["replay"], "trace");
    let rounds = json(&simulate(&[&lu[..], &["--replay", "rounds=4"]].concat()));
    assert_eq!(rounds["replay"], "rounds=4");
    assert_ne!(rounds["seconds"], json(&simulate(&lu))["seconds"]);
}

#[test]
fn a_trace_is_written_read_replayed_and_mapped() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("cg.trace").display().to_string();
    let cg = "cg:class=S,ranks=16,iterations=2";
    topoloom(&["generate", cg, "--output", &file]).assert().success();
    let from_file = json(&simulate(&["--trace", &file, "--json"]));
    let from_pattern = json(&simulate(&["--trace", cg, "--json"]));
    assert_eq!(from_file["seconds"], from_pattern["seconds"]);
    assert_eq!(from_file["messages"], from_pattern["messages"]);
    // A trace is also traffic.
    let score = |traffic: &str| {
        json(&[
            "score",
            "--traffic",
            traffic,
            "--machine",
            "mesh:4x4",
            "--mapping",
            "in-order",
            "--json",
        ])
    };
    assert_eq!(score(&file)["hop_bytes"], score(cg)["hop_bytes"]);
}

#[test]
fn an_otf2_archive_is_replayed() {
    let data = concat!(env!("CARGO_MANIFEST_DIR"), "/../topoloom-io/tests/data/otf2-ping-pong");
    for option in ["--trace", "--traffic"] {
        let report = json(&[
            "simulate",
            option,
            data,
            "--machine",
            "mesh:2",
            "--mapping",
            "in-order",
            "--json",
        ]);
        assert_eq!(report["ranks"], 2);
        assert_eq!(report["replay"], "trace");
        assert!(report["messages"].as_u64().unwrap() > 0);
    }
}

#[test]
fn the_use_of_links_over_time_is_written() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("links.csv");
    let name = file.display().to_string();
    stdout(&simulate(&["--traffic", "stencil:4x4,bytes=1000", "--links", &name]));
    let text = std::fs::read_to_string(file).unwrap();
    let mut lines = text.lines();
    let header = lines.next().unwrap();
    assert!(header.starts_with("from,to,bytes,utilisation,0.000000000,"), "{header}");
    let columns = header.split(',').count();
    assert_eq!(lines.clone().count(), 48);
    assert!(lines.all(|line| line.split(',').count() == columns));
}

#[test]
fn what_is_shown_fits_a_terminal_of_100_columns() {
    for model in ["flow", "packet"] {
        let text = stdout(&simulate(&["--traffic", "mg:class=S,ranks=16", "--model", model]));
        assert!(text.contains("energy of the links"));
        assert!(text.lines().all(|line| line.chars().count() <= 100), "{text}");
    }
}

#[test]
fn advice_names_the_faster_shape_and_by_how_much() {
    let advise = [
        "advise",
        "--traffic",
        "stencil:8x8,bytes=100000",
        "--shapes",
        "mesh:64,mesh:8x8,mesh:4x4",
    ];
    let text = stdout(&advise);
    assert!(text.contains("Ask for mesh:8x8: mesh:64 takes"), "{text}");
    assert!(text.contains("mesh:4x4: 64 ranks do not fit 16 slots"), "{text}");
    assert!(text.lines().take(8).all(|line| line.chars().count() <= 100), "{text}");
    let report = json(&[&advise[..], &["--json"]].concat());
    assert_eq!(report["best"], "mesh:8x8");
    assert_eq!(report["shapes"].as_array().unwrap().len(), 2);
    assert!(report["shapes"][1]["slower_than_best"].as_f64().unwrap() > 0.5);
    assert_eq!(report["left_out"][0]["machine"], "mesh:4x4");
}

#[test]
fn advice_tries_each_strategy_on_each_shape_and_counts_the_fastest() {
    let advise = [
        "advise",
        "--traffic",
        "stencil:8x8,bytes=100000",
        "--shapes",
        "mesh:64,mesh:8x8",
        "--strategy",
        "random,in-order,bisection:x=1",
    ];
    // A wrong name is refused before anything is placed.
    assert!(crate::program::refusal(&advise).contains("bisection"));
    let mut advise = advise;
    advise[6] = "random,in-order";
    let report = json(&[&advise[..], &["--json"]].concat());
    let rows: Vec<String> = report["shapes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| format!("{} {}", row["machine"], row["strategy"]).replace('"', ""))
        .collect();
    assert_eq!(rows.len(), 4);
    // The rows of a stencil lie in order along the rows of the mesh.
    assert_eq!(rows[0], "mesh:8x8 in-order");
    assert_eq!(report["strategy"], "random,in-order");
    let text = stdout(&advise);
    assert!(text.contains("strategy"), "{text}");
    assert!(text.contains("Ask for mesh:8x8: mesh:64 takes"), "{text}");
    assert!(text.lines().all(|line| line.chars().count() <= 100), "{text}");
}

#[test]
fn the_first_of_many_messages_is_passed_on_before_the_others_are_there() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("relay.trace");
    let relay = "topoloom-trace 1\nranks 3\nrank 0\n{ 50\ns 1 5120\n}\n\
                 rank 1\nr 0\ns 2 5120 1\n{ 49\nr 0\n}\nrank 2\nr 1 1\n";
    std::fs::write(&file, relay).unwrap();
    let name = file.display().to_string();
    let done = |model: &str| {
        let machine = ["--machine", "mesh:3", "--mapping", "in-order", "--json"];
        let trace = ["simulate", "--trace", &name, "--model", model];
        json(&[&trace[..], &machine[..]].concat())["finished_seconds"][2].as_f64().unwrap()
    };
    // 5,120 bytes at 10 GB/s take 0.512 us and 0.1 us of latency, to rank 1 and to rank 2.
    for model in ["flow", "packet", "flow:queues=1", "packet:queues=1"] {
        assert!((1.22e-6..1.24e-6).contains(&done(model)), "{model} {}", done(model));
    }
    // If nothing waits, all 50 arrive at about the same time.
    assert!((done("flow:queues=none") - 26.312e-6).abs() < 1e-9);
    assert!(done("packet:queues=none") > 15e-6);
}

#[test]
fn what_cannot_be_simulated_is_refused_in_words() {
    assert_eq!(
        refusal(&[
            "simulate",
            "--traffic",
            "ring:8",
            "--machine",
            "tree:2:4,distances=1:5",
            "--mapping",
            "in-order"
        ]),
        "tree:2:4,distances=1:5 has no links, so nothing can be simulated on it"
    );
    assert_eq!(
        refusal(&simulate(&["--traffic", "ring:16", "--model", "wave"])),
        "unknown simulation model \"wave\"; known: flow, packet"
    );
    assert_eq!(
        refusal(&simulate(&["--traffic", "ring:16", "--model", "packet:buffers=0"])),
        "packet: expected a whole number of at least 1 for \"buffers\", found \"0\""
    );
    for model in ["flow", "packet"] {
        let options = format!("{model}:queues=0");
        assert_eq!(
            refusal(&simulate(&["--traffic", "ring:16", "--model", &options])),
            format!(
                "{model}: expected pair, none or a whole number from 1 to 1000000 for \"queues\", \
                 found \"0\""
            )
        );
    }
    assert_eq!(
        refusal(&simulate(&["--trace", "ring:16"])),
        "ring:16: the order of events is not known; give --traffic to replay a burst"
    );
    assert!(
        refusal(&simulate(&["--traffic", "ring:16", "--replay", "rounds=0"])).contains("rounds=N")
    );
    assert!(refusal(&simulate(&[])).contains("--traffic"));

    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("stuck.trace");
    std::fs::write(&file, "topoloom-trace 1\nranks 2\nrank 0\nr 1 3\nrank 1\nc 10\n").unwrap();
    let name = file.display().to_string();
    assert_eq!(
        refusal(&["simulate", "--trace", &name, "--machine", "mesh:2", "--mapping", "in-order"]),
        "the trace is inconsistent: rank 0, event 0: waits for a message from rank 1 with tag 3 \
         that is never sent"
    );
}

#[test]
fn an_arrangement_is_replayed_in_order_and_mapped_like_any_other_traffic() {
    let file =
        concat!(env!("CARGO_MANIFEST_DIR"), "/../topoloom-io/tests/data/arrangements/summa.json");
    // In each of 5 iterations 3 parts go to the other column and a row goes down in each of the two.
    let report = json(&simulate(&["--trace", file, "--json"]));
    assert_eq!(report["replay"], "trace");
    assert_eq!(report["messages"], 25);
    assert_eq!(report["unreceived"], 0);
    assert_eq!(json(&simulate(&["--traffic", file, "--json"]))["seconds"], report["seconds"]);
    let burst = json(&simulate(&["--traffic", file, "--replay", "burst", "--json"]));
    assert_eq!(burst["bytes"], report["bytes"]);
    let machine = ["--machine", "torus:2x2", "--traffic", file, "--json"];
    // 5 blocks to the other column, and 2 and 3 down, in each of 5 iterations.
    let score = json(&[&["map", "--strategy", "in-order"], &machine[..]].concat());
    assert_eq!(score["total_weight"], 50 * 32768);
    let error = refusal(&[
        "simulate",
        "--trace",
        "mpdata:2x2,steps=0",
        "--machine",
        "mesh:4",
        "--mapping",
        "in-order",
    ]);
    assert!(error.contains("mpdata: rows, columns"), "{error}");
}
