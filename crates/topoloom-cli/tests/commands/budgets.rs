//! Inputs that are too large or would take too long, as a user sees it. No test depends on the
//! clock: a time limit of 0 s is over before anything begins.

use crate::program::{json, refusal, stdout, topoloom};
use serde_json::Value;

/// The text of a refusal under these settings of the environment.
fn refused_with(settings: &[(&str, &str)], arguments: &[&str]) -> String {
    let mut command = topoloom(arguments);
    settings.iter().for_each(|&(name, value)| {
        command.env(name, value);
    });
    let output = command.assert().code(2).get_output().clone();
    assert!(output.stdout.is_empty(), "a refusal prints nothing on standard output");
    String::from_utf8(output.stderr).unwrap()
}

#[test]
fn traffic_is_refused_before_it_is_allocated() {
    let small = [("TOPOLOOM_MEMORY", "1GiB")];
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("t.mtx");
    let file = file.to_str().unwrap();
    // 48 bytes for each of 2 x 10^8 pairs and 16 for each rank.
    let message = refused_with(&small, &["generate", "ring:100000000", "--output", file]);
    assert!(message.contains("ring:100000000 would need about 10.4 GiB"), "{message}");
    assert!(message.contains("the limit is 1 GiB; set TOPOLOOM_MEMORY=11GiB"), "{message}");
    assert!(!std::path::Path::new(file).exists());
    for traffic in ["all-to-all:20000", "stencil:4096x4096", "random:ranks=9000000,degree=9"] {
        let message = refused_with(&small, &["traffic", "show", traffic]);
        assert!(message.contains("TOPOLOOM_MEMORY"), "{traffic}: {message}");
    }
    for traffic in ["cg:class=E,ranks=4194304", "ft:class=D,ranks=8192"] {
        let options = ["score", "--mapping", "in-order", "--machine", "torus:256x256x256"];
        let message = refused_with(&small, &[&options[..], &["--traffic", traffic]].concat());
        assert!(message.contains("TOPOLOOM_MEMORY"), "{traffic}: {message}");
    }
}

#[test]
fn a_machine_is_refused_before_it_is_allocated() {
    let small = [("TOPOLOOM_MEMORY", "100MiB")];
    for machine in ["torus:256x256x256", "dragonfly:groups=4096,routers=64,nodes=64"] {
        let message = refused_with(&small, &["machine", "show", machine]);
        assert!(message.contains("TOPOLOOM_MEMORY"), "{machine}: {message}");
    }
    let options = ["score", "--traffic", "ring:64", "--mapping", "in-order", "--machine"];
    let message = refused_with(&small, &[&options[..], &["torus:128x128x64"]].concat());
    assert!(message.contains("placing 64 ranks on torus:128x128x64 would need"), "{message}");
}

#[test]
fn a_budget_that_cannot_be_read_is_named() {
    let message = refused_with(&[("TOPOLOOM_MEMORY", "much")], &["list", "topologies"]);
    let expected =
        "error: TOPOLOOM_MEMORY: expected an amount of memory such as 8GiB, found \"much\"";
    assert_eq!(message.trim_end(), expected);
    let message = refused_with(&[("TOPOLOOM_EVENTS", "-1")], &["list", "topologies"]);
    assert!(message.contains("TOPOLOOM_EVENTS: expected a number of events"), "{message}");
}

/// Two ranks that execute `inner` in nested repetitions of 4,294,967,295 each.
fn endless(depth: usize, inner: [&str; 2]) -> tempfile::NamedTempFile {
    let program = |rank: usize| {
        let (open, close) = ("{ 4294967295\n".repeat(depth), "}\n".repeat(depth));
        format!("rank {rank}\n{open}{}\n{close}", inner[rank])
    };
    let file = tempfile::Builder::new().suffix(".trace").tempfile().unwrap();
    let text = format!("topoloom-trace 1\nranks 2\n{}{}", program(0), program(1));
    std::fs::write(file.path(), text).unwrap();
    file
}

#[test]
fn traces_that_repeat_without_end_are_refused() {
    for (depth, inner, events) in
        [(1, ["s 1 1", "r 0"], "8.6e9"), (8, ["c 1", "c 1"], "more than 1.8e19")]
    {
        let file = endless(depth, inner);
        let trace = file.path().to_str().unwrap();
        for model in ["flow", "packet"] {
            let options = ["simulate", "--machine", "mesh:2", "--mapping", "in-order", "--model"];
            let message = refusal(&[&options[..], &[model, "--trace", trace]].concat());
            let expected =
                format!("would need about {events} events, and the limit is 1.0e9 events");
            assert!(message.contains(&expected), "{message}");
            assert!(message.contains("set TOPOLOOM_EVENTS="), "{message}");
        }
    }
}

fn simulate<'a>(more: &[&'a str]) -> Vec<&'a str> {
    [&["simulate", "--machine", "torus:4x4x4", "--mapping", "in-order"], more].concat()
}

#[test]
fn a_budget_of_events_is_raised_as_the_message_says() {
    let stencil = simulate(&["--traffic", "stencil:8x8"]);
    let message = refused_with(&[("TOPOLOOM_EVENTS", "100")], &stencil);
    let raised = message.split("set TOPOLOOM_EVENTS=").nth(1).unwrap();
    let raised = raised.split(' ').next().unwrap();
    topoloom(&stencil).env("TOPOLOOM_EVENTS", raised).assert().success();
}

#[test]
fn memory_and_packets_of_a_simulation_have_a_budget() {
    let message =
        refused_with(&[("TOPOLOOM_MEMORY", "1MiB")], &simulate(&["--traffic", "all-to-all:64"]));
    assert!(message.contains("messages at once, would need about"), "{message}");
    let huge = ["--traffic", "ring:64,bytes=1000000000000000000", "--model", "packet"];
    let message = refusal(&simulate(&huge));
    assert!(
        message.contains("in packets of 512 bytes would need about 2.5e17 events"),
        "{message}"
    );
}

#[test]
fn a_simulation_that_is_cut_short_has_no_time() {
    for model in ["flow", "packet"] {
        let cut = simulate(&["--traffic", "all-to-all:64", "--time-limit", "0s", "--model", model]);
        let record = json(&[&cut[..], &["--json"]].concat());
        assert_eq!(record["complete"], false, "{model}");
        assert_eq!(record["seconds"], Value::Null, "{model}");
        assert_eq!((&record["messages"], &record["messages_in_all"]), (&0.into(), &4032.into()));
        assert!(record.get("joules").is_none() && record.get("links").is_none(), "{model}");
        let text = stdout(&cut);
        let expected = "stopped after 0 s of simulated time; 0 of 4,032 messages delivered, \
                        0 of 64 ranks done";
        assert!(text.contains(expected), "{text}");
        let output = topoloom(&cut).assert().success().get_output().clone();
        assert!(String::from_utf8(output.stderr).unwrap().contains("cut short"));
    }
    assert_eq!(json(&simulate(&["--traffic", "ring:64", "--json"]))["complete"], true);
}

#[test]
fn use_of_links_is_not_written_of_a_simulation_that_is_cut_short() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("links.csv");
    let links = file.to_str().unwrap();
    let cut = ["--traffic", "all-to-all:64", "--time-limit", "0s", "--links", links];
    stdout(&simulate(&cut));
    assert!(!file.exists());
}

#[test]
fn shapes_whose_simulation_is_cut_short_are_not_compared() {
    let shapes = ["advise", "--traffic", "all-to-all:16", "--shapes", "mesh:16,mesh:4x4"];
    let message = refusal(&[&shapes[..], &["--time-limit", "0s"]].concat());
    assert!(message.contains("mesh:4x4: the simulation was stopped after 0 s"), "{message}");
}

#[test]
fn a_report_shows_no_time_of_a_simulation_that_is_cut_short() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("r.html");
    let page = file.to_str().unwrap();
    let options = ["report", "--traffic", "all-to-all:16", "--machine", "mesh:4x4"];
    let more = ["--mapping", "in-order", "--strategy", "in-order", "--model", "flow"];
    let last = ["--time-limit", "0s", "--output", page];
    topoloom(&[&options[..], &more, &last].concat()).assert().success();
    let page = std::fs::read_to_string(file).unwrap();
    assert!(page.contains("The simulation was stopped after 0 s of simulated time"));
    assert!(!page.contains("time, all sent at once"));
}

#[test]
fn a_bound_that_does_not_fit_the_limit_is_left_out_and_a_small_one_is_there() {
    let small = ["score", "--traffic", "ring:64", "--machine", "torus:4x4x4", "--mapping"];
    let limited = ["in-order", "--time-limit", "0s"];
    assert_eq!(json(&[&small[..], &limited, &["--json"]].concat())["lower_bound"], 128);
    // 1.4 million pairs, each seen from both ends, and again for the groups.
    let large = ["score", "--traffic", "all-to-all:1700", "--machine", "torus:1700", "--mapping"];
    let record = json(&[&large[..], &limited, &["--json"]].concat());
    assert_eq!((&record["lower_bound"], &record["gap"]), (&Value::Null, &Value::Null));
    assert!(record["hop_bytes"].as_f64().unwrap() > 0.0);
    let text = stdout(&[&large[..], &limited].concat());
    assert!(text.contains("not computed (time limit)"), "{text}");
}
