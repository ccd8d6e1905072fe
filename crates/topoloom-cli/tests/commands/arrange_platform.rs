//! `topoloom arrange platform`, and platforms as machines, as a user sees them.

use std::fs;

use crate::program::{json, refusal, stdout, topoloom};

const TWO: &str = "unit = \"MB/s\"\n[[cluster]]\nname = \"A\"\nnodes = 2\nspeed = 2\n\
                   [[cluster]]\nname = \"B\"\nnodes = 3\nspeeds = [1, 2, 3]\n\
                   [bandwidth]\nmatrix = [[900, 50], [40, 800]]\n";

#[test]
fn a_platform_is_shown_as_tables_that_fit_the_screen() {
    for example in ["thesis-3.3", "thesis-3.9", "thesis-3.11", "thesis-4.1", "grisou"] {
        let text = stdout(&["arrange", "platform", &format!("example:{example}")]);
        assert!(text.lines().all(|line| line.chars().count() <= 100), "{text}");
    }
    let text = stdout(&["arrange", "platform", "example:thesis-3.9"]);
    assert!(text.contains("90 processors in 6 clusters"), "{text}");
    assert!(text.contains("  Taurus         12  2.300 to 27.60"), "{text}");
    assert!(text.contains("  3 Granduc     44.29     71  313.5  894.5    56.78  28.90"), "{text}");
    let text = stdout(&["arrange", "platform", "example:grid5000-sites"]);
    assert!(text.contains("  Orion           Lyon      4"), "{text}");
}

#[test]
fn many_clusters_are_shown_in_pieces() {
    let clusters: String = (0..40)
        .map(|number| format!("[[cluster]]\nname = \"cluster {number}\"\nhosts = \"n{number}\"\n"))
        .collect();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("many.toml");
    fs::write(&path, format!("unit = \"MB/s\"\n{clusters}[bandwidth]\nlevels = [1234.5, 2]\n"))
        .unwrap();
    let text = stdout(&["arrange", "platform", &path.display().to_string()]);
    assert!(text.lines().all(|line| line.chars().count() <= 100), "{text}");
    // Every row appears in each piece, and in the table of clusters.
    assert!(text.matches("cluster 39").count() > 2, "{text}");
    assert_eq!(text.matches("1,234.5").count(), 40);
}

#[test]
fn everything_is_in_the_json_and_survives_other_formats() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    fs::write(path("two.toml"), TWO).unwrap();
    let found = json(&["arrange", "platform", &path("two.toml"), "--json"]);
    assert_eq!(found["processors"], 5);
    assert_eq!((&found["unit"], &found["unit_bytes_per_second"]), (&"MB/s".into(), &1e6.into()));
    assert_eq!(found["bandwidth"], serde_json::json!([[900.0, 50.0], [40.0, 800.0]]));
    assert_eq!(found["clusters"][1]["hosts"], serde_json::json!(["b-1", "b-2", "b-3"]));
    assert_eq!(found["clusters"][1]["speeds"], serde_json::json!([1.0, 2.0, 3.0]));
    assert!(found["vertical"].is_null() && found["latency_seconds"].is_null());
    for (from, to) in [("two.toml", "two.xml"), ("two.xml", "again.toml")] {
        stdout(&["arrange", "platform", &path(from), "--output", &path(to)]);
        let again = json(&["arrange", "platform", &path(to), "--json"]);
        assert_eq!(
            (&again["bandwidth"], &again["clusters"]),
            (&found["bandwidth"], &found["clusters"])
        );
    }
}

#[test]
fn wrong_platforms_are_refused_with_their_line() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("p.toml").display().to_string();
    fs::write(&path, TWO.replace("nodes = 2", "nodes = -2")).unwrap();
    let text = refusal(&["arrange", "platform", &path]);
    assert_eq!(text, format!("{path}:4: expected at least 1 node, found -2"));
    let text = refusal(&["map", "--traffic", "ring:5", "--machine", &path]);
    assert!(text.starts_with(&format!("{path}:4: ")), "{text}");
    assert!(
        refusal(&["arrange", "platform", "missing.toml"]).starts_with("missing.toml: cannot read")
    );
    assert!(refusal(&["arrange", "platform", "example:no"]).contains("unknown example; known: "));
    let output = folder.path().join("p.json").display().to_string();
    let text = refusal(&["arrange", "platform", "example:grisou", "--output", &output]);
    assert!(
        text.ends_with("unknown ending for a platform; known: .toml, .xml (SimGrid)"),
        "{text}"
    );
}

#[test]
fn a_platform_is_a_machine_of_every_other_command() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("two.toml").display().to_string();
    fs::write(&path, TWO).unwrap();
    for machine in [path.clone(), format!("platform:{path}")] {
        let found = json(&[
            "score",
            "--traffic",
            "ring:5",
            "--machine",
            &machine,
            "--mapping",
            "in-order",
            "--json",
        ]);
        assert_eq!((&found["nodes"], &found["max_dilation"]), (&5.into(), &3.into()));
    }
    let machine = "platform:example:thesis-3.9";
    // A ring in order crosses six times between clusters of three and two hops: each of 90 pairs,
    // both ways, has 2 hops, and 6 of them 3.
    let found = json(&[
        "score",
        "--traffic",
        "ring:90",
        "--machine",
        machine,
        "--mapping",
        "in-order",
        "--json",
    ]);
    assert_eq!(found["hop_bytes"], 2.0 * (84.0 * 2.0 + 6.0 * 3.0));
    let traffic = ["--traffic", "all-to-all:90,bytes=1000000", "--machine", machine];
    let simulated = |mapping: &str| -> f64 {
        let found = json(
            &[&["simulate"], &traffic[..], &["--mapping", mapping, "--model", "flow", "--json"]]
                .concat(),
        );
        found["seconds"].as_f64().unwrap()
    };
    // All pairs between Granduc and Suno share one link: 16 x 13 MB at 28.9 MB/s.
    let seconds = simulated("in-order");
    assert!((seconds - 16.0 * 13.0 / 28.9).abs() < 0.02 * seconds, "{seconds}");
    let shown = topoloom(&["machine", "show", "platform:example:thesis-4.1"]).assert().success();
    let warned = String::from_utf8(shown.get_output().stderr.clone()).unwrap();
    assert!(warned.contains("the bandwidths of vertical messages are left out"), "{warned}");
}
