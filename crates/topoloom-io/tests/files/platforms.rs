//! Platforms from files, to files, and as machines.

use std::path::Path;

use topoloom_arrange::{Interpolation, Platform, Speed};
use topoloom_core::topology::{Graph, Topology};
use topoloom_core::{LinkId, Vertex};
use topoloom_io::platforms::{
    examples, machine_of_platform, parse_simgrid_platform, parse_toml_platform,
    write_simgrid_platform, write_toml_platform,
};
use topoloom_io::{
    describes_platform, parse_platform, read_machine_with_warnings, read_platform, write_platform,
};

const TWO: &str = r#"name = "two"
unit = "MB/s"

[[cluster]]
name = "A"
nodes = 2
speed = 12.5

[[cluster]]
name = "B"
hosts = "b[08-10]"
speeds = [1, 2.5, 3]

[bandwidth]
matrix = [[900, 50], [40, 800]]
"#;

fn parse(text: &str) -> Platform {
    parse_platform("p.toml", text.as_bytes()).unwrap_or_else(|error| panic!("{error}")).0
}

fn refusal(text: &str) -> String {
    parse_platform("p.toml", text.as_bytes()).unwrap_err().to_string()
}

fn data(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/platforms").join(name);
    std::fs::read_to_string(path).unwrap()
}

/// Bandwidths in the platform's unit, row by row.
fn table(platform: &Platform) -> Vec<f64> {
    let count = platform.clusters().len();
    let pairs = (0..count).flat_map(|from| (0..count).map(move |to| (from, to)));
    pairs.map(|(from, to)| platform.bandwidth().between(from, to)).collect()
}

/// Latencies in microseconds, row by row.
fn microseconds(platform: &Platform) -> Vec<i64> {
    let count = platform.clusters().len();
    let latency = platform.latency().unwrap();
    let pairs = (0..count).flat_map(|from| (0..count).map(move |to| (from, to)));
    pairs.map(|(from, to)| (latency.between(from, to) * 1e6).round() as i64).collect()
}

fn hosts(platform: &Platform) -> Vec<&str> {
    platform.nodes().map(|node| node.name.as_str()).collect()
}

fn speeds(platform: &Platform) -> Vec<Speed> {
    platform.nodes().map(|node| node.speed.clone()).collect()
}

#[test]
fn a_platform_in_toml_is_its_clusters_and_a_table() {
    let platform = parse(TWO);
    assert_eq!((platform.name(), platform.unit()), ("two", 1e6));
    assert_eq!(hosts(&platform), ["a-1", "a-2", "b08", "b09", "b10"]);
    assert_eq!(platform.cluster_of(), [0, 0, 1, 1, 1]);
    assert_eq!(speeds(&platform), [12.5, 12.5, 1.0, 2.5, 3.0].map(Speed::Constant));
    assert_eq!(table(&platform), [900.0, 50.0, 40.0, 800.0]);
    assert!(platform.latency().is_none() && platform.vertical().is_none());
}

#[test]
fn tables_may_be_triangles_and_have_units_of_their_own() {
    let text = TWO.replace("[[900, 50], [40, 800]]", "[[900, \"400 Mbit/s\"], [800]]");
    assert_eq!(table(&parse(&text)), [900.0, 50.0, 50.0, 800.0]);
    // Without a unit, megabytes per second.
    let text = TWO
        .replace("unit = \"MB/s\"\n", "")
        .replace("[[900, 50], [40, 800]]", "[[\"1 GB/s\", \"2 kB/s\"], [\"1 MB/s\"]]");
    assert_eq!(table(&parse(&text)), [1000.0, 0.002, 0.002, 1.0]);
}

#[test]
fn bandwidths_and_latencies_may_go_by_levels() {
    let cluster = |name: &str, groups: &str| {
        format!("[[cluster]]\nname = \"{name}\"\nnodes = 1\ngroups = {groups}\n")
    };
    let clusters =
        [("a", "['x', 'n']"), ("b", "['x', 'n']"), ("c", "['x', 's']"), ("d", "['y', 's']")];
    let clusters: String = clusters.iter().map(|(name, groups)| cluster(name, groups)).collect();
    let text = format!(
        "{clusters}[bandwidth]\nunit = 'GB/s'\nlevels = [9, 4, 3, 1]\nlatency = [0, 1e-6, 2e-6, 3e-6]\n"
    );
    let platform = parse(&text);
    assert_eq!(table(&platform)[..4], [9.0, 4.0, 3.0, 1.0]);
    // c and d are both in a group "s", but not in the same one.
    assert_eq!(table(&platform)[11], 1.0);
    assert_eq!(microseconds(&platform)[..4], [0, 1, 2, 3]);
    assert_eq!(platform.levels_between(0, 2), 2);
    let text = text.replace("levels = [9, 4, 3, 1]", "levels = [9, 4, 3]");
    assert!(refusal(&text).starts_with("p.toml:19: expected 4 levels (inside a cluster"));
}

#[test]
fn what_is_wrong_is_said_with_its_line() {
    let wrong = |from: &str, to: &str| {
        assert!(TWO.contains(from), "{from}");
        refusal(&TWO.replacen(from, to, 1))
    };
    assert_eq!(
        wrong("nodes = 2", "nods = 2").split(", expected").next(),
        Some("p.toml:6: unknown field \"nods\"")
    );
    assert_eq!(wrong("nodes = 2", "nodes = 0"), "p.toml:6: expected at least 1 node, found 0");
    assert_eq!(wrong("nodes = 2", "nodes = -2"), "p.toml:6: expected at least 1 node, found -2");
    assert_eq!(
        wrong("\"b[08-10]\"", "\"b[0-9999][0-9999]\""),
        "p.toml:11: \"b[0-9999][0-9999]\" names more than 1048576 hosts, with those before it"
    );
    assert!(
        wrong("nodes = 2", "nodes = 1048574").starts_with("p.toml:11: 3 nodes are too many"),
        "both clusters count"
    );
    assert_eq!(
        wrong("nodes = 2", "nodes = 99999999999"),
        "p.toml:6: 99999999999 nodes are too many; at most 1048576 are possible in all clusters"
    );
    assert!(wrong("nodes = 2\n", "").starts_with("p.toml:4: cluster \"A\": expected \"nodes\""));
    assert_eq!(wrong("speed = 12.5", "speed = -1"), "p.toml:7: expected a speed above 0, found -1");
    assert_eq!(
        wrong("[1, 2.5, 3]", "[1, 2.5]"),
        "p.toml:12: expected 3 speeds, one per node, found 2"
    );
    assert_eq!(
        wrong("[1, 2.5, 3]", "\"b.speeds\""),
        "p.toml:12: b.speeds: speed files are not read here"
    );
    assert_eq!(
        wrong("[1, 2.5, 3]", "true"),
        "p.toml:12: expected a list of speeds, one per node, or the name of a file"
    );
    assert_eq!(wrong("\"b[08-10]\"", "\"b[08-\""), "p.toml:11: \"[\" without \"]\" in \"b[08-\"");
    assert_eq!(
        wrong("\"MB/s\"", "\"parsecs\""),
        "p.toml:2: expected a unit such as B/s, kB/s, MB/s, GB/s, MiB/s or Gbit/s, found \"parsecs\""
    );
    assert!(wrong("unit = \"MB/s\"\n", "").starts_with("p.toml:14: plain numbers need \"unit\""));
    assert_eq!(
        wrong("[40, 800]]", "[40, 800, 1]]"),
        "p.toml:15: expected 2 bandwidths, one per cluster, found 3"
    );
    assert_eq!(
        wrong(", [40, 800]]", "]"),
        "p.toml:15: expected 2 rows, one per cluster in their order, found 1"
    );
    assert_eq!(wrong("[40, 800]", "[0, 800]"), "p.toml:15: expected a bandwidth above 0, found 0");
    assert_eq!(
        wrong("matrix =", "latency = 1\nlevels ="),
        "p.toml:16: expected a bandwidth such as 891.2 or \"10 Gbit/s\""
    );
    assert_eq!(wrong("name = \"B\"", "name = \"A\""), "p.toml:9: two clusters are called \"A\"");
    assert_eq!(
        wrong("hosts = \"b[08-10]\"", "nodes = 3\ngroups = [\"x\"]"),
        "p.toml:9: cluster \"B\" is in a different number of groups from the clusters before it"
    );
    assert!(wrong("[bandwidth]", "[bandwidth").starts_with("p.toml:14: "));
    assert_eq!(refusal(""), "p.toml: the file is empty");
    assert!(refusal("torus:4x4").starts_with("p.toml: expected a platform: XML of SimGrid"));
}

#[test]
fn files_of_speeds_are_beside_the_platform_and_read_by_whoever_can() {
    let text = TWO.replace("[1, 2.5, 3]", "[1, \"fast.speeds\", 3]");
    let read = |path: &Path, _: Interpolation| {
        assert_eq!(path, Path::new("some/folder/fast.speeds"));
        Ok(Speed::Constant(7.0))
    };
    let platform = parse_toml_platform("some/folder/p.toml", text.as_bytes(), &read).unwrap();
    assert_eq!(speeds(&platform)[3], Speed::Constant(7.0));
}

#[test]
fn every_example_is_the_same_once_it_is_written_and_read_again() {
    for example in examples() {
        let name = format!("example:{}", example.name);
        let (platform, warnings) = read_platform(Path::new(&name)).unwrap();
        assert!(warnings.is_empty());
        let (text, _) = write_toml_platform(&platform).unwrap();
        assert_eq!(parse(&text), platform, "{name}");
        let (xml, warnings) = write_simgrid_platform(&platform).unwrap();
        assert_eq!(warnings.is_empty(), platform.vertical().is_none(), "{name}");
        let (again, _) = parse_simgrid_platform("again.xml", xml.as_bytes()).unwrap();
        assert_eq!(again.clusters(), platform.clusters(), "{name}");
        assert_eq!(again.name(), platform.name());
        for (ours, theirs) in table(&platform).into_iter().zip(table(&again)) {
            let ours = ours * platform.unit() / again.unit();
            assert!((ours - theirs).abs() < 1e-9 * ours, "{name}: {ours} and {theirs}");
        }
    }
}

#[test]
fn the_examples_have_the_numbers_of_the_thesis() {
    let example = |name: &str| read_platform(Path::new(&format!("example:{name}"))).unwrap().0;
    let sizes = |platform: &Platform| -> Vec<usize> {
        platform.clusters().iter().map(|cluster| cluster.nodes.len()).collect()
    };
    assert_eq!(sizes(&example("thesis-3.3")), [4, 3, 5, 4]);
    let heterogeneous = example("thesis-3.9");
    assert_eq!(sizes(&heterogeneous), [17, 17, 15, 16, 12, 13]);
    // Granduc and Suno; node 8 of Edel, which has 8 cores of 2.27 GHz, runs one thread again.
    assert_eq!(heterogeneous.bandwidth().between(3, 5), 28.90);
    assert_eq!(speeds(&heterogeneous)[8], Speed::Constant(2.27));
    assert_eq!(speeds(&heterogeneous)[7], Speed::Constant(18.16));
    assert_eq!(sizes(&example("thesis-3.11")), [7, 11, 16, 19, 17, 13, 3, 4]);
    assert_eq!(sizes(&example("thesis-4.1")), [3, 4, 2, 3]);
    assert_eq!(example("thesis-4.1").vertical().unwrap().between(0, 2), 0.49341);
    assert_eq!(example("grisou").vertical().unwrap().between(0, 0), 0.48916);
    // All are the same in both directions.
    for name in ["thesis-3.3", "thesis-3.9", "thesis-3.11", "thesis-4.1"] {
        let platform = example(name);
        let count = platform.clusters().len();
        let pairs = (0..count).flat_map(|from| (0..count).map(move |to| (from, to)));
        let table = platform.bandwidth();
        assert!(pairs.into_iter().all(|(a, b)| table.between(a, b) == table.between(b, a)));
    }
    let sites = example("grid5000-sites");
    assert_eq!((sites.levels_between(0, 1), sites.levels_between(1, 2)), (1, 2));
    let unknown = read_platform(Path::new("example:thesis-9")).unwrap_err().to_string();
    assert!(unknown.starts_with("example:thesis-9: unknown example; known: thesis-3.3, "));
}

#[test]
fn latencies_and_odd_units_survive_being_written() {
    let text = TWO.replace(
        "[[900, 50], [40, 800]]",
        "[[900, 50], [40, 800]]\nlatency = [[1e-6, 3e-5], [2e-5, 0]]",
    );
    let platform = parse(&text);
    assert_eq!(parse(&write_toml_platform(&platform).unwrap().0), platform);
    let (again, _) =
        parse_platform("a.xml", write_simgrid_platform(&platform).unwrap().0.as_bytes()).unwrap();
    assert_eq!(table(&again), table(&platform));
    assert_eq!(microseconds(&again), [1, 30, 20, 0]);
    let bits = parse(&TWO.replace("MB/s", "Mibit/s"));
    assert_eq!(parse(&write_toml_platform(&bits).unwrap().0), bits);
    // Links cannot express a latency between clusters that is below those inside.
    let odd = parse(&text.replace("3e-5", "1e-9"));
    assert_eq!(write_simgrid_platform(&odd).unwrap().1.len(), 1);
}

#[test]
fn a_file_is_written_by_its_ending_or_not_at_all() {
    let folder = tempfile::tempdir().unwrap();
    let platform = parse(TWO);
    for name in ["p.toml", "p.xml"] {
        let path = folder.path().join(name);
        assert!(write_platform(&path, &platform).unwrap().is_empty());
        assert_eq!(read_platform(&path).unwrap().0.clusters(), platform.clusters());
        assert!(describes_platform(&std::fs::read(&path).unwrap()));
    }
    let error = write_platform(folder.path().join("p.json"), &platform).unwrap_err();
    assert_eq!(error.message(), "unknown ending for a platform; known: .toml, .xml (SimGrid)");
    // TOML has lists of hosts, which cannot express every name.
    let odd = TWO.replace("name = \"B\"\nhosts = \"b[08-10]\"", "name = \"B, too\"\nnodes = 3");
    let error = write_platform(folder.path().join("q.toml"), &parse(&odd)).unwrap_err();
    assert!(error.message().contains("\"B, too\": the name of a host contains a blank"));
    assert!(!folder.path().join("q.toml").exists());
}

/// The numbers are derived link by link from the file.
#[test]
fn zones_in_zones_are_clusters_in_groups() {
    let (platform, warnings) = parse_platform("n.xml", data("nested.xml").as_bytes()).unwrap();
    let clusters: Vec<(&str, &[String])> = platform
        .clusters()
        .iter()
        .map(|cluster| (&cluster.name[..], &cluster.groups[..]))
        .collect();
    // C is directly in the root, which is not a group: it is alone in a group with its own name.
    let groups = ["C".to_string(), "D".to_string()];
    assert_eq!(clusters, [("C", &groups[..1]), ("E", &groups[1..]), ("F", &groups[1..])]);
    assert_eq!(hosts(&platform), ["c1", "c2", "e0x", "e1x", "e2x", "e5x", "f1", "f2"]);
    assert_eq!(speeds(&platform)[..3], [1.0, 8.0, 1e9].map(Speed::Constant));
    // Inside C the backbone of 700 MiB/s counts; E's way to C leads over F's router.
    let (bytes, slow) = (700.0 * 1.048576, 55.0);
    assert_eq!(table(&platform), [bytes, slow, slow, slow, 1000.0, 1000.0, slow, 1000.0, 1000.0]);
    // c1 to c2: 1 + 1000; C to E: 1000 (of c2) + 3 + 0 (l4) + 5; C to F: 1000 + 3 + 0.
    assert_eq!(microseconds(&platform), [1001, 1008, 1003, 1008, 10, 5, 1003, 5, 0]);
    assert_eq!(
        warnings,
        ["n.xml: hosts of \"C\" are connected by different links; the slowest link counts"]
    );
}

#[test]
fn names_of_version_3_are_understood() {
    let (platform, warnings) = parse_platform("o.xml", data("old-names.xml").as_bytes()).unwrap();
    assert_eq!(hosts(&platform), ["one-1.org", "one-2.org", "x", "y0", "y1"]);
    assert_eq!(speeds(&platform)[1..4], [5.5e9, 1e9, 2e9].map(Speed::Constant));
    assert_eq!(table(&platform), [125.0, 10.0, 10.0, 125.0]);
    // Inside: link, backbone, link; between: link, backbone, link between, link.
    assert_eq!(microseconds(&platform), [300, 1300, 1300, 200]);
    assert!(warnings.is_empty(), "{warnings:?}");
}

#[test]
fn what_simgrid_files_lack_is_said_with_its_line() {
    let star = data("star.xml");
    let wrong = |from: &str, to: &str| {
        assert!(star.contains(from), "{from}");
        let text = star.replacen(from, to, 1);
        parse_platform("s.xml", text.as_bytes()).unwrap_err().to_string()
    };
    assert_eq!(
        wrong("bw=\"2GBps\"", "bw=\"2GB\""),
        "s.xml:6: bw: expected a bandwidth such as 125MBps or 10Gbps, found \"2GB\""
    );
    assert_eq!(
        wrong(" radical=\"0-1\"", ""),
        "s.xml:6: expected the attribute \"radical\" of <cluster>, found none"
    );
    assert!(wrong("0-1", "0-4000000000").contains("stands for too many hosts"));
    assert_eq!(
        wrong("gw_dst=\"b gate\"", "gw_dst=\"aa_router\""),
        "s.xml:14: gw_dst: expected a host or router in \"b\", found \"aa_router\""
    );
    assert_eq!(
        wrong("dst=\"b\"", "dst=\"z\""),
        "s.xml:14: dst: there is no host, router or zone \"z\""
    );
    assert_eq!(
        wrong("<link_ctn id=\"core\"/>", "<link_ctn id=\"cor\"/>"),
        "s.xml:15: id: there is no link \"cor\""
    );
    assert_eq!(
        wrong("routing=\"Full\"", "routing=\"Vivaldi\""),
        "s.xml:5: routing \"Vivaldi\" is not supported; expected Full, Floyd, Dijkstra or Cluster"
    );
    assert_eq!(
        wrong(
            "<cluster id=\"a\" prefix=\"a\" suffix=\"\" radical=\"0-1\" speed=\"1Gf\" bw=\"2GBps\" lat=\"1us\"/>",
            "<peer id=\"a\"/>"
        ),
        "s.xml:6: <peer> is not supported"
    );
    assert_eq!(
        wrong("version=\"4.1\"", "version=\"7\""),
        "s.xml:4: version \"7\" is not known; known: 3, 4"
    );
    assert_eq!(wrong("id=\"b\"", "id=\"a\""), "s.xml:7: \"a\" appears twice");
    assert!(wrong("</zone>", "").starts_with("s.xml:24: expected XML: "));
    // The route between a and b is gone.
    let (start, end) = (star.find("<zoneRoute").unwrap(), star.find("</zoneRoute>").unwrap());
    let text = format!("{}{}", &star[..start], &star[end + 12..]);
    assert_eq!(
        parse_platform("s.xml", text.as_bytes()).unwrap_err().to_string(),
        "s.xml:6: there is no route from zone \"a\" to zone \"b\""
    );
    // Elements that are merely left out.
    let text = star
        .replacen(
            "<cluster id=\"a\"",
            "<cluster topology=\"TORUS\" topo_parameters=\"2\" id=\"a\"",
            1,
        )
        .replacen("<link id=\"core\"", "<link bandwidth_file=\"x\" id=\"core\"", 1);
    let (_, warnings) = parse_platform("s.xml", text.as_bytes()).unwrap();
    assert_eq!(warnings.len(), 2, "{warnings:?}");
    assert!(
        warnings[0]
            .starts_with("s.xml:6: cluster \"a\": the topology \"TORUS\" is treated as flat")
    );
    assert_eq!(warnings[1], "s.xml:13: changes over time (traces) are left out");
}

#[test]
fn a_platform_of_simgrid_stays_what_it_is_when_it_is_written() {
    for name in ["nested.xml", "old-names.xml", "star.xml"] {
        let (platform, _) = parse_platform(name, data(name).as_bytes()).unwrap();
        let (text, _) = write_simgrid_platform(&platform).unwrap();
        let (again, warnings) = parse_platform(name, text.as_bytes()).unwrap();
        assert!(warnings.is_empty(), "{name}: {warnings:?}");
        assert_eq!(again.clusters(), platform.clusters(), "{name}");
        assert_eq!(microseconds(&again), microseconds(&platform), "{name}");
        for (read, written) in table(&platform).into_iter().zip(table(&again)) {
            assert!((read - written).abs() < 1e-9 * read, "{name}: {read} and {written}");
        }
    }
}

/// Two hosts on one link, a third on its own.
const COMMON_LINK: &str = r#"<platform version="4.1">
<zone id="z" routing="Cluster">
  <host id="a" speed="1f"/><host id="b" speed="1f"/><host id="c" speed="1f"/>
  <router id="r"/>
  <link id="both" bandwidth="1MBps" latency="10us"/>
  <link id="own" bandwidth="2MBps"/>
  <host_link id="a" up="both" down="both"/>
  <host_link id="b" up="both" down="both"/>
  <host_link id="c" up="own" down="own"/>
</zone>
</platform>"#;

#[test]
fn a_link_that_hosts_have_together_counts_once() {
    let (platform, _) = parse_platform("c.xml", COMMON_LINK.as_bytes()).unwrap();
    // From a to b, and from a to c, whose link has no latency, are both 10 microseconds.
    assert_eq!((table(&platform), microseconds(&platform)), (vec![1.0], vec![10]));
}

#[test]
fn hosts_that_numbers_ask_for_are_counted_before_they_are_made() {
    let cluster = |id: &str, radical: &str| {
        format!(
            "<cluster id=\"{id}\" prefix=\"{id}\" suffix=\"\" radical=\"{radical}\" speed=\"1f\" \
             bw=\"1\" lat=\"0\"/>\n"
        )
    };
    let refusal = |clusters: &str| {
        let text = format!(
            "<platform version=\"4\">\n<zone id=\"z\" routing=\"Full\">\n{clusters}</zone>\n</platform>"
        );
        parse_platform("h.xml", text.as_bytes()).unwrap_err().to_string()
    };
    let many = "stands for too many hosts; at most 1048576 are possible in all clusters";
    assert_eq!(
        refusal(&cluster("a", "0-4294967295")),
        format!("h.xml:3: radical: \"0-4294967295\" {many}")
    );
    let two = cluster("a", "1-600000") + &cluster("b", "1-600000");
    assert_eq!(refusal(&two), format!("h.xml:4: radical: \"1-600000\" {many}"));
    let wrong = |radical: &str| refusal(&cluster("a", radical));
    for radical in ["3-1", "x", "", "1,,2", "-1", "99999999999"] {
        assert!(wrong(radical).starts_with("h.xml:3: radical: expected numbers such as 0-9,12"));
    }
    assert_eq!(wrong("1-3,2"), "h.xml:3: \"a2\" appears twice");
    assert_eq!(refusal(""), "h.xml: expected hosts in the platform, found none");
}

#[test]
fn attributes_that_are_wrong_are_named() {
    let wrong = |from: &str, to: &str| {
        assert!(COMMON_LINK.contains(from), "{from}");
        let text = COMMON_LINK.replacen(from, to, 1);
        parse_platform("c.xml", text.as_bytes()).unwrap_err().to_string()
    };
    assert_eq!(
        wrong("\"1f\"", "\"0f\""),
        "c.xml:3: speed: expected a speed such as 1Gf, found \"0f\""
    );
    assert_eq!(
        wrong("speed=\"1f\"", "speed=\"1f\" core=\"0\""),
        "c.xml:3: core: expected a number above 0"
    );
    assert_eq!(
        wrong("speed=\"1f\"", "speed=\"1f\" pstate=\"2\""),
        "c.xml:3: pstate 2 is not defined"
    );
    assert_eq!(
        wrong("\"10us\"", "\"-1us\""),
        "c.xml:5: latency: expected a time such as 50us, found \"-1us\""
    );
    assert_eq!(
        wrong("\"2MBps\"", "\"2MBps\" sharing_policy=\"WIFI\""),
        "c.xml:6: sharing_policy: expected SHARED, SPLITDUPLEX or FATPIPE, found \"WIFI\""
    );
    assert_eq!(
        wrong("host_link id=\"b\"", "host_link id=\"a\""),
        "c.xml:8: the links of this host are given twice"
    );
    assert_eq!(
        wrong("link id=\"own\"", "link id=\"both\""),
        "c.xml:6: link \"both\" appears twice"
    );
    assert_eq!(
        wrong("routing=\"Cluster\"", "routing=\"Full\""),
        "c.xml:7: <host_link> needs a zone with routing=\"Cluster\""
    );
    assert_eq!(wrong("<router id=\"r\"/>", "<moon/>"), "c.xml:4: <moon> is not supported here");
    assert_eq!(
        wrong(
            "<router id=\"r\"/>",
            "<cluster id=\"k\" prefix=\"k\" suffix=\"\" radical=\"1\" speed=\"1f\" bw=\"1\" lat=\"0\"/>"
        ),
        "c.xml:2: expected either hosts or zones in a zone, found both"
    );
    let without_links: String =
        COMMON_LINK.lines().filter(|line| !line.contains("host_link")).collect();
    assert_eq!(
        parse_platform("c.xml", without_links.as_bytes()).unwrap_err().to_string(),
        "c.xml:1: there is no link on the route from \"z\" to \"z\""
    );
}

/// The links of the one shortest way, in bytes per second, and the sum of their latencies.
fn walk(graph: &Graph, from: u32, to: u32) -> (Vec<f64>, f64) {
    let (mut at, to) = (Vertex(from), Vertex(to));
    let (mut bandwidths, mut latency) = (Vec::new(), 0.0);
    while at != to {
        let mut next: Vec<LinkId> = Vec::new();
        graph.next_links(at, to, &mut next);
        assert_eq!(next.len(), 1);
        let link = graph.link(next[0]).unwrap();
        bandwidths.push(link.properties.bytes_per_second);
        latency += link.properties.latency_seconds;
        at = link.to;
    }
    (bandwidths, latency)
}

#[test]
fn a_platform_is_a_machine_with_a_switch_a_cluster() {
    let text = TWO.replace(
        "[[900, 50], [40, 800]]",
        "[[900, 50], [40, 800]]\nlatency = [[2e-6, 9e-6], [8e-6, 4e-6]]",
    );
    let machine = machine_of_platform(&parse(&text)).unwrap();
    let graph = &machine.graph;
    assert_eq!((graph.num_nodes(), graph.num_links()), (5, 12));
    let (bandwidths, latency) = walk(graph, 0, 1);
    assert_eq!(bandwidths, [900e6, 900e6]);
    assert!((latency - 2e-6).abs() < 1e-15);
    // Each direction as the table says.
    let (bandwidths, latency) = walk(graph, 0, 4);
    assert_eq!(bandwidths, [900e6, 50e6, 800e6]);
    assert!((latency - 9e-6).abs() < 1e-15);
    let (bandwidths, latency) = walk(graph, 4, 0);
    assert_eq!(bandwidths, [800e6, 40e6, 900e6]);
    assert!((latency - 8e-6).abs() < 1e-15);
    assert!(machine.warnings.is_empty());
    let two_kinds = parse(&TWO.replace("[bandwidth]", "[bandwidth]\nvertical = [[1, 1], [1, 1]]"));
    assert_eq!(machine_of_platform(&two_kinds).unwrap().warnings.len(), 1);
}

#[test]
fn links_that_all_routes_share_are_kept_as_a_star() {
    let folder = tempfile::tempdir().unwrap();
    let machine = |text: &str| {
        let path = folder.path().join("p.xml");
        std::fs::write(&path, text).unwrap();
        read_machine_with_warnings(&format!("platform:{}", path.display())).unwrap()
    };
    let star = data("star.xml");
    let (kept, warnings) = machine(&star);
    assert!(warnings.is_empty(), "{warnings:?}");
    // 7 hosts and 3 clusters have one link each, in both directions; a to b takes four of them.
    assert_eq!(kept.topology().num_links(), 20);
    assert_eq!(kept.topology().distance(Vertex(0), Vertex(2)), 4);
    let (_, warnings) =
        machine(&star.replace("core\" bandwidth=\"1GBps\"", "core\" bandwidth=\"500MBps\""));
    assert!(warnings[0].contains("the central link that all clusters share"));
    // With another way between two clusters it is not a star: one link per pair, and a warning.
    let (pairs, warnings) = machine(&star.replacen("<link_ctn id=\"core\"/>", "", 1));
    assert_eq!(pairs.topology().num_links(), 20);
    assert_eq!(pairs.topology().distance(Vertex(0), Vertex(2)), 3);
    assert!(warnings[0].contains("routes between clusters share links"), "{warnings:?}");
}

#[test]
fn links_that_are_not_shared_stay_so_in_every_format() {
    let unshared = parse(&TWO.replace("[bandwidth]", "[bandwidth]\nsharing = \"fatpipe\""));
    assert!(unshared.has_fat_pipes());
    assert!(!parse(TWO).has_fat_pipes());
    assert_eq!(parse(&TWO.replace("[bandwidth]", "[bandwidth]\nsharing = \"shared\"")), parse(TWO));
    assert_eq!(
        refusal(&TWO.replace("[bandwidth]", "[bandwidth]\nsharing = \"fat\"")),
        "p.toml:15: expected \"shared\" or \"fatpipe\", found \"fat\""
    );
    let (toml, _) = write_toml_platform(&unshared).unwrap();
    assert_eq!(parse(&toml), unshared);
    for platform in [&unshared, &parse(TWO)] {
        let (xml, _) = write_simgrid_platform(platform).unwrap();
        let (read, _) = parse_simgrid_platform("p.xml", xml.as_bytes()).unwrap();
        assert_eq!(read.has_fat_pipes(), platform.has_fat_pipes());
        assert_eq!(table(&read), table(platform));
    }
    // Only the links between switches are fat pipes.
    let graph = machine_of_platform(&unshared).unwrap().graph;
    let links = (0..graph.link_id_bound()).filter_map(|id| graph.link(LinkId(id)));
    for link in links {
        let is_between_switches = link.from.0 >= 5 && link.to.0 >= 5;
        assert_eq!(link.properties.is_fat_pipe, is_between_switches, "{link:?}");
    }
}

#[test]
fn a_link_that_is_the_same_both_ways_is_written_once_if_it_is_not_shared() {
    let text = TWO.replace("[40, 800]", "[50, 800]");
    let text = text.replace("[bandwidth]", "[bandwidth]\nsharing = \"fatpipe\"");
    let (xml, _) = write_simgrid_platform(&parse(&text)).unwrap();
    // One inside the cluster whose hosts differ, one between both.
    assert_eq!(xml.matches("sharing_policy=\"FATPIPE\"").count(), 2, "{xml}");
    let (read, _) = parse_simgrid_platform("p.xml", xml.as_bytes()).unwrap();
    assert!(read.has_fat_pipes());
    // If only some links are shared, all count as shared, and the machine warns about it.
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("p.xml");
    let pairs = data("star.xml").replacen("<link_ctn id=\"core\"/>", "", 1);
    let core = "<link id=\"core\"";
    assert!(pairs.contains(core));
    std::fs::write(&path, pairs.replace(core, &format!("{core} sharing_policy=\"FATPIPE\"")))
        .unwrap();
    assert!(!read_platform(&path).unwrap().0.has_fat_pipes());
    let (_, warnings) =
        read_machine_with_warnings(&format!("platform:{}", path.display())).unwrap();
    assert!(warnings[0].contains("some are shared"), "{warnings:?}");
}
