//! `topoloom plot`, as a user sees it.

use std::fs;

use tempfile::tempdir;

use crate::program::{refusal, topoloom};

const LU: [&str; 2] = ["--traffic", "lu:class=A,ranks=64"];

/// The picture that a command draws with this many threads.
fn drawn(arguments: &[&str], ending: &str, threads: &str) -> Vec<u8> {
    let folder = tempdir().unwrap();
    let path = folder.path().join(format!("picture.{ending}"));
    let mut all = vec!["plot"];
    all.extend(arguments);
    all.extend(["--threads", threads, "--output", path.to_str().unwrap()]);
    topoloom(&all).assert().success();
    fs::read(&path).unwrap()
}

#[test]
fn every_picture_is_the_same_to_the_byte() {
    let on_a_torus = [LU[0], LU[1], "--machine", "torus:4x4x4", "--effort", "fast"];
    let mut pictures: Vec<Vec<&str>> = vec![vec!["matrix", LU[0], LU[1]]];
    for kind in ["matrix", "machine", "loads"] {
        pictures.push([kind].iter().chain(&on_a_torus).copied().collect());
    }
    pictures.push(vec![
        "bars",
        LU[0],
        LU[1],
        "--machine",
        "mesh:4x4x4,torus:4x4x4,haec:4x4x4",
        "--strategy",
        "scan,sweep,hilbert,genetic:population=10,generations=2",
    ]);
    for curve in ["sweep", "scan", "peano", "gray", "hilbert"] {
        pictures.push(vec!["curve", "--machine", "mesh:4x4x4", "--strategy", curve]);
    }
    for picture in &pictures {
        let svg = drawn(picture, "svg", "1");
        assert!(svg.starts_with(b"<svg "), "{picture:?}");
        assert_eq!(svg, drawn(picture, "svg", "2"), "{picture:?}");
        let png = drawn(picture, "png", "1");
        assert!(png.starts_with(b"\x89PNG"), "{picture:?}");
        assert_eq!(png, drawn(picture, "png", "2"), "{picture:?}");
    }
}

/// The pictures in the documentation are the expected bytes.
#[test]
fn pictures_of_the_documentation_come_out_as_they_are() {
    let docs = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/pictures");
    for curve in ["sweep", "scan", "peano", "gray", "hilbert"] {
        let arguments = ["curve", "--machine", "mesh:4x4x4", "--strategy", curve];
        let expected = fs::read(format!("{docs}/{curve}.svg")).unwrap();
        assert!(expected == drawn(&arguments, "svg", "1"), "docs/pictures/{curve}.svg");
    }
}

#[test]
fn a_machine_is_drawn_without_traffic_too() {
    for machine in
        ["mesh:4x4", "fat-tree:k=4", "dragonfly:groups=3,routers=2,nodes=2", "hypercube:4"]
    {
        let svg = drawn(&["machine", "--machine", machine], "svg", "1");
        assert!(String::from_utf8(svg).unwrap().contains(machine), "{machine}");
    }
}

#[test]
fn steps_of_a_curve_are_as_long_as_the_machine_says() {
    let text = |machine: &str| {
        let arguments = ["curve", "--machine", machine, "--strategy", "in-order"];
        String::from_utf8(drawn(&arguments, "svg", "1")).unwrap()
    };
    // From the end of a row to the start of the next: a step to the next row and three back, or one
    // around.
    assert!(text("mesh:4x4").contains("of 15 steps, 3 steps are longer than one hop"));
    assert!(text("torus:4x4").contains("of 15 steps, 3 steps are longer than one hop"));
    assert!(text("torus:4").contains("every step is one hop at most"));
    // Ranks that share a node are one point.
    assert!(text("torus:4,slots=2").starts_with("<svg "));
}

#[test]
fn mapping_files_are_drawn_with_the_imbalance_they_have() {
    let folder = tempdir().unwrap();
    let mapping = folder.path().join("shared.json");
    let mapping = mapping.to_str().unwrap();
    let problem = ["--traffic", "ring:16", "--machine", "mesh:4"];
    let mut map = vec!["map", "--imbalance", "0", "--output", mapping];
    map.extend(problem);
    topoloom(&map).assert().success();
    let mut picture = vec!["machine", "--mapping", mapping];
    picture.extend(problem);
    assert!(drawn(&picture, "svg", "1").starts_with(b"<svg "));
}

/// Four hosts with eight cores each, below two switches.
fn cluster(folder: &std::path::Path) -> String {
    let hwloc = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../topoloom-io/tests/machines/hwloc/16em64t-4s2c2t.v2.9.3.xml"
    );
    let network = "SwitchName=leaf1 Nodes=n[1-2]\nSwitchName=leaf2 Nodes=n[3-4]\n\
                   SwitchName=spine Switches=leaf[1-2]\n";
    let [conf, machine] = ["topology.conf", "machine.json"]
        .map(|name| folder.join(name).to_str().unwrap().to_string());
    fs::write(&conf, network).unwrap();
    topoloom(&["machine", "import", &conf, hwloc, "--output", &machine]).assert().success();
    machine
}

#[test]
fn clusters_are_drawn_with_their_switches_and_hosts_from_the_inside() {
    let folder = tempdir().unwrap();
    let machine = cluster(folder.path());
    let mut arguments = vec!["machine", "--machine", &machine, "--traffic", "ring:32"];
    arguments.extend(["--strategy", "in-order"]);
    let text = |arguments: &[&str]| String::from_utf8(drawn(arguments, "svg", "1")).unwrap();
    let network = text(&arguments);
    for words in [">leaf1<", ">spine<", ">n4<", "leaf switches (2)", "hosts (4)", "busiest link:"] {
        assert!(network.contains(words), "{words}");
    }
    arguments.extend(["--host", "n2"]);
    let inside = text(&arguments);
    // Ranks 8 to 15 are on the second host.
    for words in ["host n2 under in-order", ">rank 8<", ">rank 15<", ">core 0<", "adapter to leaf1"]
    {
        assert!(inside.contains(words), "{words}");
    }
    assert!(!inside.contains(">rank 7<"));
    // Without traffic, there is no rank in it.
    let bare = text(&["machine", "--machine", &machine, "--host", "n4"]);
    assert!(bare.contains(">core 7<") && !bare.contains("rank"));

    let refused = |arguments: &[&str]| {
        let mut all = vec!["plot"];
        all.extend(arguments);
        all.extend(["--output", "picture.svg"]);
        refusal(&all)
    };
    let unknown = refused(&["machine", "--machine", &machine, "--host", "n5"]);
    assert!(unknown.ends_with("has no host n5; its hosts are n1, n2, n3, n4"), "{unknown}");
    let other = refused(&["machine", "--machine", "mesh:4", "--host", "n1"]);
    assert!(other.starts_with("mesh:4 has no hosts that are described"), "{other}");
    let other = refused(&["loads", "--machine", &machine, "--traffic", "ring:4", "--host", "n1"]);
    assert_eq!(other, "--host is for the picture of a machine: topoloom plot machine --host NAME");
}

#[test]
fn what_a_picture_needs_is_said() {
    let refused = |arguments: &[&str]| {
        let mut all = vec!["plot"];
        all.extend(arguments);
        if !arguments.contains(&"--output") {
            all.extend(["--output", "picture.svg"]);
        }
        refusal(&all)
    };
    assert_eq!(
        refused(&["matrix"]),
        "matrix needs traffic: give --traffic, such as lu:class=C,ranks=64"
    );
    assert_eq!(refused(&["curve"]), "curve needs a machine: give --machine, such as torus:4x4x4");
    assert_eq!(
        refused(&["curve", "--machine", "fat-tree:k=4"]),
        "a curve needs a box of nodes, such as mesh:4x4x4, not fat-tree:k=4"
    );
    assert_eq!(
        refused(&["loads", "--traffic", "ring:4", "--machine", "tree:4,distances=1"]),
        "tree:4,distances=1 has no links, so there are no loads to draw"
    );
    assert_eq!(
        refused(&["machine", "--machine", "mesh:4,mesh:2x2"]),
        "machine shows one machine, found 2; bars shows several"
    );
    assert_eq!(
        refused(&["machine", "--machine", "mesh:4", "--strategy", "auto"]),
        "the load of links under a placement needs traffic: give --traffic"
    );
    assert_eq!(
        refused(&["curve", "--machine", "mesh:4", "--output", "picture.gif"]),
        "picture.gif: pictures are SVG or PNG; expected a name that ends in .svg or .png"
    );
    assert_eq!(
        refused(&["curve", "--machine", "mesh:128x128x128"]),
        "mesh:128x128x128 has 2,097,152 nodes; a curve shows 65536 at most"
    );
    assert_eq!(
        refused(&["curve", "--machine", "mesh:4", "--width", "500"]),
        "curve has its own width; --scale makes a PNG larger"
    );
    assert_eq!(
        refused(&["curve", "--machine", "mesh:4", "--scale", "3"]),
        "--scale is for PNG: an SVG has no pixels"
    );
    assert_eq!(
        refused(&["curve", "--machine", "mesh:4", "--strategy", "scan,gray"]),
        "curve shows one placement, found 2"
    );
}
