//! `topoloom report` and `compare --html`, as a user sees them; `tests/browser` tests them in a
//! browser.

use std::fs;
use std::path::Path;

use base64::Engine;
use serde_json::Value;
use tempfile::tempdir;

use crate::program::{json, refusal, topoloom};

const LU: [&str; 4] = ["--traffic", "lu:class=S,ranks=16", "--machine", "torus:4x2x2"];

/// The page that a command writes, which must succeed.
fn page(command: &[&str], path: &Path) -> String {
    let option = if command[0] == "compare" { "--html" } else { "--output" };
    let mut arguments = command.to_vec();
    arguments.extend([option, path.to_str().unwrap()]);
    topoloom(&arguments).assert().success();
    fs::read_to_string(path).unwrap()
}

fn report(arguments: &[&str]) -> String {
    let folder = tempdir().unwrap();
    let command: Vec<&str> = ["report"].iter().chain(arguments).copied().collect();
    page(&command, &folder.path().join("report.html"))
}

/// The data for the script of a page.
fn data(page: &str) -> Value {
    let (_, after) = page.split_once("id=\"report-data\">").unwrap();
    serde_json::from_str(after.split_once("</script>").unwrap().0).unwrap()
}

fn floats(value: &Value) -> Vec<f32> {
    let bytes = base64::engine::general_purpose::STANDARD.decode(value.as_str().unwrap()).unwrap();
    bytes.chunks(4).map(|chunk| f32::from_le_bytes(chunk.try_into().unwrap())).collect()
}

fn integers(value: &Value) -> Vec<u32> {
    floats(value).into_iter().map(f32::to_bits).collect()
}

/// The number behind a cell of a table: the `column`-th of the row whose first cell is `name`.
fn number(page: &str, table: &str, name: &str, column: usize) -> f64 {
    let (_, after) = page.split_once(&format!("id=\"{table}\"")).unwrap();
    let (_, row) = after.split_once(&format!("<th scope=\"row\">{name}</th>")).unwrap();
    let cells: Vec<&str> = row.split_once("</tr>").unwrap().0.split("<td").skip(1).collect();
    let (_, value) = cells[column - 1].split_once("data-value=\"").unwrap();
    value.split_once('"').unwrap().0.parse().unwrap()
}

#[test]
fn the_verdict_has_the_numbers_of_score() {
    let page = report(&LU);
    for (mapping, column) in [("in-order", 1), ("auto", 2)] {
        let mut arguments = vec!["score"];
        arguments.extend(LU);
        arguments.extend(["--mapping", mapping, "--json"]);
        let score = json(&arguments);
        let told = |row: &str| number(&page, "verdict-numbers", row, column);
        let same = |row: &str, expected: &Value| {
            let expected = expected.as_f64().unwrap();
            assert!((told(row) / expected - 1.0).abs() < 1e-12, "{mapping}, {row}: {expected}");
        };
        assert_eq!(told("hop-bytes"), score["hop_bytes"].as_f64().unwrap(), "{mapping}");
        assert_eq!(told("busiest link"), score["max_link_load"].as_f64().unwrap(), "{mapping}");
        let mut arguments = vec!["simulate", "--replay", "burst"];
        arguments.extend(LU);
        arguments.extend(["--mapping", mapping, "--json"]);
        let simulated = json(&arguments);
        same("time, all sent at once", &simulated["seconds"]);
        same("energy of links", &simulated["joules"]);
    }
}

#[test]
fn links_and_places_of_the_page_are_those_of_the_placements() {
    let page = report(&LU);
    let data = data(&page);
    assert_eq!(data["placements"], serde_json::json!(["in-order", "auto"]));
    for (number, mapping) in ["in-order", "auto"].iter().enumerate() {
        let mut arguments = vec!["score"];
        arguments.extend(LU);
        arguments.extend(["--mapping", mapping, "--json"]);
        let score = json(&arguments);
        let most = score["max_link_load"].as_f64().unwrap();
        let loads = &data["machine"]["loads"][number];
        assert_eq!(loads["most"].as_f64().unwrap(), most);
        let both = [floats(&loads["forward"]), floats(&loads["backward"])].concat();
        assert_eq!(both.iter().copied().fold(0.0, f32::max), most as f32);
        let used = both.iter().filter(|&&load| load > 0.0).count() as u64;
        assert_eq!(used, score["links_used"].as_u64().unwrap());
    }
    // On a small torus every node is a point: rank r is on node r by default.
    assert_eq!(integers(&data["points_of_ranks"][0]), (0..16).collect::<Vec<u32>>());
}

#[test]
fn the_mapping_of_the_page_is_that_of_map() {
    let folder = tempdir().unwrap();
    let file = folder.path().join("mapping.json");
    let mut arguments = vec!["map", "--output", file.to_str().unwrap(), "--seed", "7"];
    arguments.extend(LU);
    topoloom(&arguments).assert().success();
    let written: Value = serde_json::from_str(&fs::read_to_string(&file).unwrap()).unwrap();
    let mut arguments = LU.to_vec();
    arguments.extend(["--seed", "7"]);
    let page = report(&arguments);
    let files = data(&page)["files"].clone();
    assert_eq!(files[0]["name"], "mapping.json");
    let carried: Value = serde_json::from_str(files[0]["content"].as_str().unwrap()).unwrap();
    assert_eq!(carried["slot_of_rank"], written["slot_of_rank"]);
    assert!(page.contains("topoloom map --traffic lu:class=S,ranks=16 --machine torus:4x2x2 --strategy auto --seed 7 --worth 0 --output mapping.json"));
    // A file instead of a strategy.
    let mut arguments = LU.to_vec();
    arguments.extend(["--mapping", file.to_str().unwrap()]);
    let carried: Value =
        serde_json::from_str(data(&report(&arguments))["files"][0]["content"].as_str().unwrap())
            .unwrap();
    assert_eq!(carried["slot_of_rank"], written["slot_of_rank"]);
}

#[test]
fn a_comparison_writes_the_same_page_about_its_best() {
    let folder = tempdir().unwrap();
    let path = folder.path().join("compared.html");
    let mut command = vec!["compare", "--strategy", "random,auto"];
    command.extend(LU);
    let page = page(&command, &path);
    let data = data(&page);
    // The default placement is added if it was not requested.
    assert_eq!(data["placements"][0], "in-order");
    let best = ["random", "auto"]
        .into_iter()
        .map(|name| (number(&page, "strategies-table", name, 1), name))
        .min_by(|a, b| a.0.total_cmp(&b.0))
        .unwrap();
    assert_eq!(data["placements"][1], best.1);
}

#[test]
fn the_verdict_tells_when_the_default_was_chosen_and_others_are_better() {
    let ring = ["--traffic", "ring:64", "--machine", "torus:4x4x4", "--mapping", "in-order"];
    let page = report(&ring);
    // It is 31.2 % above the lower bound, which is too far to be mentioned first.
    assert!(page.contains("The default placement was chosen. But "));
    assert!(!page.split_once("verdict-numbers").unwrap().0.contains("lower bound"));
    // Several are equally good.
    assert!(page.contains("is better: 23.8 % less by hop-bytes."));
    // If the default keeps everything inside a node, there is no share to compare with.
    let folder = tempdir().unwrap();
    let apart = folder.path().join("apart.txt");
    fs::write(&apart, "0\n1\n").unwrap();
    let page = report(&[
        "--traffic",
        "ring:2",
        "--machine",
        "mesh:2,slots=2",
        "--mapping",
        apart.to_str().unwrap(),
    ]);
    assert!(page.contains("nodes exchange what stays inside nodes under the default placement"));
    assert!(!page.contains("inf %"));
}

#[test]
fn where_nothing_is_better_the_page_says_so_and_shows_one_placement() {
    let ring = ["--traffic", "ring:8", "--machine", "torus:8"];
    let compared = tempdir().unwrap();
    let mut command = vec!["compare", "--strategy", "auto,hilbert"];
    command.extend(ring);
    let pages = [report(&ring), page(&command, &compared.path().join("compared.html"))];
    for page in pages {
        assert!(page.contains(
            "No better placement was found: auto costs as much as in-order. in-order meets a proven"
        ));
        assert!(page.contains("no placement can be better in hop-bytes"));
        assert!(!page.contains("class=\"tile better\""));
        let data = data(&page);
        assert_eq!(data["placements"], serde_json::json!(["in-order"]));
        assert_eq!(data["machine"]["loads"].as_array().unwrap().len(), 1);
        assert_eq!(data["points_of_ranks"].as_array().unwrap().len(), 1);
    }
    // A strategy that the user names is shown, and one picture is enough if it is the same.
    let named = report(&[&ring[..], &["--mapping", "hilbert"]].concat());
    assert!(named.contains("hilbert has as many hop-bytes as the default placement."));
    assert_eq!(data(&named)["placements"].as_array().unwrap().len(), 1);
}

#[test]
fn repeated_runs_tell_the_seed_of_the_best() {
    let folder = tempdir().unwrap();
    let path = folder.path().join("repeated.html");
    // For traffic without an order, samples are better than ranks in order.
    let problem = ["--traffic", "random:ranks=16,degree=4,seed=3", "--machine", "torus:4x2x2"];
    let mut command = vec!["compare", "--strategy", "random-sampling"];
    command.extend(["--seed", "2", "--repeat", "5"]);
    command.extend(problem);
    let page = page(&command, &path);
    let carried: Value =
        serde_json::from_str(data(&page)["files"][0]["content"].as_str().unwrap()).unwrap();
    let seed = carried["seed"].to_string();
    let mut arguments = vec!["score", "--mapping", "random-sampling", "--seed", &seed, "--json"];
    arguments.extend(problem);
    let score = json(&arguments);
    assert_eq!(
        number(&page, "strategies-table", "random-sampling", 2),
        score["hop_bytes"].as_f64().unwrap()
    );
    assert!(page.contains(&format!("--seed {seed} --output mapping.json")));
}

#[test]
fn a_run_that_nobody_asked_for_does_not_cost_the_page() {
    let folder = tempdir().unwrap();
    let traffic = folder.path().join("huge.csv");
    // So many bytes that the time overflows any clock, and the number an `f32`.
    fs::write(&traffic, "from,to,bytes\n0,1,1e300\n1,0,1e300\n").unwrap();
    let arguments = ["--traffic", traffic.to_str().unwrap(), "--machine", "mesh:2"];
    let page = report(&arguments);
    assert!(page.contains("No run could be simulated"));
    let loads = &data(&page)["machine"]["loads"][0];
    assert!(floats(&loads["forward"]).iter().all(|load| load.is_finite()));
    let mut asked = vec!["report", "--model", "flow", "--output", "r.html"];
    asked.extend(arguments);
    assert!(refusal(&asked).contains("the simulated time is too large"));
}

#[test]
fn hosts_make_launch_files() {
    let mut arguments = LU.to_vec();
    arguments.extend(["--hosts", "n[01-16]", "--command", "./solve --steps 3"]);
    let page = report(&arguments);
    let data = data(&page);
    let names: Vec<&str> = data["files"]
        .as_array()
        .unwrap()
        .iter()
        .map(|file| file["name"].as_str().unwrap())
        .collect();
    assert!(names.len() > 6, "{names:?}");
    assert!(page.contains("./solve --steps 3"));
    assert!(page.contains("<option value=\"openmpi5-rankfile\">"));
    let ranks = data["files"][1]["content"].as_str().unwrap();
    assert!(ranks.contains("rank 0=n"), "{ranks}");
    // Without hosts the page says how to name them.
    let without = report(&LU);
    assert!(without.contains("topoloom report --hosts LIST"));
}

#[test]
fn pages_ask_for_nothing_and_users_cannot_add_to_them() {
    let folder = tempdir().unwrap();
    let traffic = folder.path().join("<img src=x>&\"'.csv");
    fs::write(&traffic, "from,to,bytes\n0,1,10\n1,2,20\n").unwrap();
    let traffic = traffic.to_str().unwrap();
    let page = report(&["--traffic", traffic, "--machine", "mesh:3"]);
    assert!(page.contains("default-src 'none'"));
    assert!(!page.contains("<img src=x>"), "a name must not become a tag");
    let (before_the_script, _) = page.split_once("id=\"report-data\">").unwrap();
    // Every link leads to a part of the page itself.
    for (place, _) in before_the_script.match_indices("href=") {
        assert_eq!(&page[place..place + 7], "href=\"#", "{}", &page[place..place + 40]);
    }
    for asking in [" src=\"", "url(", "@import", "<link", "<iframe"] {
        assert!(!before_the_script.contains(asking), "{asking}");
    }
    assert_eq!(page.matches("</script>").count(), 2);
}

#[test]
fn a_large_box_stays_below_five_megabytes() {
    let page = report(&[
        "--traffic",
        "stencil:64x64,bytes=1000",
        "--machine",
        "torus:16x16x16",
        "--mapping",
        "hilbert",
        "--strategy",
        "in-order,random",
    ]);
    assert!(page.len() < 5_000_000, "{} bytes", page.len());
    assert_eq!(data(&page)["machine"]["notes"].as_array().unwrap().len(), 0);
}

#[test]
fn what_is_too_large_is_put_together_and_says_so() {
    let page = report(&[
        "--traffic",
        "stencil:128x256",
        "--machine",
        "mesh:32x32x32",
        "--mapping",
        "scan",
        "--strategy",
        "in-order",
        "--model",
        "none",
    ]);
    let data = data(&page);
    let points = data["machine"]["holding"].as_u64().unwrap();
    assert!(points <= 8192, "{points}");
    let notes = data["machine"]["notes"].to_string();
    assert!(notes.contains("stands for 2 x 2 x 1 nodes"), "{notes}");
    assert!(page.contains("a dot is what 128 ranks send 128 others"));
}

#[test]
fn machines_without_links_have_levels_and_no_simulation() {
    let machine = ["--machine", "tree:4:2:2,distances=1:10:100"];
    let mut arguments = vec!["--traffic", "stencil:4x4"];
    arguments.extend(machine);
    let page = report(&arguments);
    assert!(page.contains("<section id=\"levels\""));
    assert!(!page.contains("<section id=\"simulation\""));
    let mut arguments = vec!["report", "--traffic", "stencil:4x4", "--model", "flow"];
    arguments.extend(machine);
    arguments.extend(["--output", "r.html"]);
    assert!(refusal(&arguments).contains("has no links"));
}

#[test]
fn events_are_replayed_in_their_order_where_it_is_known() {
    let mut arguments = vec!["--traffic", "lu:class=S,ranks=16,iterations=2"];
    arguments.extend(["--machine", "torus:4x2x2", "--replay", "events"]);
    let page = report(&arguments);
    assert!(page.contains("replay their events in order"));
    let simulated = json(&[
        "simulate",
        "--traffic",
        "lu:class=S,ranks=16,iterations=2",
        "--machine",
        "torus:4x2x2",
        "--mapping",
        "in-order",
        "--json",
    ]);
    let told = number(&page, "verdict-numbers", "time, events in order", 1);
    assert!((told / simulated["seconds"].as_f64().unwrap() - 1.0).abs() < 1e-12);
    let refused = ["report", "--traffic", "ring:8", "--machine", "mesh:8", "--replay", "events"];
    let mut refused = refused.to_vec();
    refused.extend(["--output", "r.html"]);
    assert_eq!(refusal(&refused), "ring:8: the order of events is not known");
}

#[test]
fn what_cannot_be_written_is_refused_before_the_search() {
    let folder = tempdir().unwrap();
    let refused = |more: &[&str]| {
        let mut arguments = vec!["report"];
        arguments.extend(LU);
        arguments.extend(more);
        refusal(&arguments)
    };
    assert_eq!(
        refused(&["--output", "report.pdf"]),
        "report.pdf: a report is a page; expected a name that ends in .html"
    );
    let page = folder.path().join("page.html");
    let page = page.to_str().unwrap();
    assert!(refused(&["--output", page, "--mapping", "nonsense"]).starts_with("unknown strategy"));
    assert!(refused(&["--output", page, "--strategy", "x"]).starts_with("unknown strategy"));
    assert!(refused(&["--output", page, "--model", "x"]).contains("unknown simulation model"));
    assert!(refused(&["--output", page, "--hosts", "n[01-02]"]).contains("hosts"));
    let both = refused(&["--output", page, "--model", "none", "--replay", "burst"]);
    assert_eq!(both, "--replay needs a model, not none");
    assert!(!Path::new(page).exists());
    // A name with the ending of a page may be a mapping.
    let mapping = folder.path().join("mapping.html");
    fs::write(&mapping, "0\n".repeat(16)).unwrap();
    let mapping = mapping.to_str().unwrap();
    let onto = refused(&["--output", mapping, "--mapping", mapping]);
    assert_eq!(onto, format!("{mapping}: would overwrite an input file"));
}

#[test]
fn what_was_warned_of_stands_in_the_page() {
    let ft = ["--traffic", "ft:class=S,ranks=16", "--machine", "torus:4x2x2"];
    let page = report(&[&ft[..], &["--collectives", "none"]].concat());
    assert!(page.contains("collectives are left out, 100.0 % of bytes, 100.0 % of messages"));
    let page = report(&ft);
    assert!(page.contains(
        "Collective operations are 100.0 % of bytes and 100.0 % of messages (counted as algorithm)."
    ));
}

#[test]
fn nothing_to_send_is_a_report_too() {
    let folder = tempdir().unwrap();
    let traffic = folder.path().join("silent.csv");
    fs::write(&traffic, "from,to,bytes\n0,1,0\n").unwrap();
    let page = report(&["--traffic", traffic.to_str().unwrap(), "--machine", "mesh:2"]);
    assert!(page.contains("Nothing that counts is sent"));
    assert!(data(&page)["matrix"].is_null());
    assert!(!page.split_once("id=\"report-data\">").unwrap().0.contains("NaN"));
}
