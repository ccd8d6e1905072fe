//! Files that ask for more memory than there is are refused with a message. Under a memory limit
//! the program never aborts, and never takes long.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use tempfile::TempDir;

/// Address space that each run may use, in kilobytes, and seconds on a processor. A refused run
/// takes hundredths of either.
const MOST_KILOBYTES: u64 = 1_500_000;
const MOST_SECONDS: u64 = 60;

fn limited(arguments: &[&str], folder: &Path) -> Output {
    let limits =
        format!("ulimit -v {MOST_KILOBYTES} && ulimit -t {MOST_SECONDS} && exec \"$0\" \"$@\"");
    Command::new("sh")
        .args(["-c", &limits, env!("CARGO_BIN_EXE_topoloom")])
        .args(arguments)
        .current_dir(folder)
        .env("NO_COLOR", "1")
        .env_remove("TOPOLOOM_MEMORY")
        .env_remove("RUST_BACKTRACE")
        .output()
        .unwrap()
}

/// A file, the command that reads it, and the expected error.
struct Hostile {
    file: &'static str,
    content: Vec<u8>,
    arguments: &'static [&'static str],
    refusal: &'static str,
}

fn hostile(
    arguments: &'static [&'static str],
    content: impl Into<Vec<u8>>,
    refusal: &'static str,
) -> Hostile {
    let file = arguments.last().unwrap().trim_start_matches("graph:");
    Hostile { file, content: content.into(), arguments, refusal }
}

fn repeated(start: &str, part: impl Fn(usize) -> String, count: usize, end: &str) -> String {
    let parts: String = (0..count).map(part).collect();
    format!("{start}{parts}{end}")
}

const NODE: &str = r#"{"node":{"kind":"node","in":[{"kind":"core","index":0,"cpus":"0-65535"}]}}"#;

fn machine(hosts: &str, kinds: &str) -> String {
    format!(
        r#"{{"format":"topoloom-machine","version":1,"place":"thread","hosts":[{hosts}],"kinds":[{kinds}]}}"#
    )
}

/// A trace of PyTorch with an all-to-all in each of several groups of these sizes.
fn kineto(world: u32, groups: &[u32]) -> String {
    let event = |(number, size): (usize, &u32)| {
        format!(
            r#"{{"cat": "cpu_op", "args": {{"Collective name": "all_to_all", "dtype": "Float",
                "In msg nelems": 1, "Out msg nelems": 1, "Process Group Name": "{number}",
                "Process Group Description": "kind {number}", "Group size": {size},
                "Global rank start": 0, "Global rank stride": 1}}}}"#
        )
    };
    let events: Vec<String> = groups.iter().enumerate().map(event).collect();
    format!(
        r#"{{"distributedInfo": {{"rank": 0, "world_size": {world}}}, "traceEvents": [{}]}}"#,
        events.join(", ")
    )
}

fn every_hostile_file() -> Vec<Hostile> {
    let long = "n".repeat(100_000);
    let raise = "set TOPOLOOM_MEMORY=";
    vec![
        hostile(
            &["traffic", "show", "a.mtx"],
            "%%MatrixMarket matrix coordinate integer general\n200000000 200000000 1\n1 2 3\n",
            raise,
        ),
        hostile(
            &["traffic", "show", "b.mtx"],
            "%%MatrixMarket matrix coordinate integer general\n9000000000 9000000000 1\n1 2 3\n",
            "ranks are too many",
        ),
        hostile(
            &["traffic", "show", "c.mtx"],
            "%%MatrixMarket matrix array integer general\n100000000 100000000\n1\n",
            raise,
        ),
        hostile(&["traffic", "show", "a.graph"], "200000000 1\n2\n1\n", raise),
        hostile(&["traffic", "show", "b.graph"], "1000000000 1\n2\n1\n", "ranks are too many"),
        hostile(&["traffic", "show", "a.csv"], "from,to,bytes\n0,200000000,5\n", raise),
        hostile(&["traffic", "show", "b.csv"], "# ranks: 200000000\nfrom,to,bytes\n0,1,5\n", raise),
        hostile(&["traffic", "show", "a.tsv"], "from\tto\tbytes\n0\t200000000\t5\n", raise),
        hostile(&["traffic", "show", "a.dat"], "200000000\n1 2\n", "ranks are too many"),
        hostile(&["map", "--traffic", "b.dat"], "8192\n0 1\n", "expected 134217728 numbers"),
        hostile(
            &["check", "--traffic", "ring:4", "--machine", "mesh:4", "--mapping", "a.sln"],
            "4000000000 0\n1\n",
            "expected 4000000000 nodes, one per rank, found 1",
        ),
        hostile(&["traffic", "show", "a.goal"], "num_ranks 200000000\n", raise),
        hostile(&["traffic", "show", "b.goal"], "num_ranks 9000000000\n", "ranks are too many"),
        hostile(&["traffic", "show", "kineto_world.json"], kineto(200_000_000, &[1]), raise),
        hostile(&["traffic", "show", "kineto_groups.json"], kineto(900_000, &[900_000; 99]), raise),
        hostile(&["traffic", "show", "kineto_small.json"], kineto(900_000, &[1; 99]), raise),
        hostile(&["traffic", "show", "kineto_pairs.json"], kineto(900_000, &[900_000]), raise),
        hostile(
            &["traffic", "show", "et.json"],
            r###"{"schema": "chakra", "nodes": [{"name": "record_param_comms", "attrs": [
                {"name": "collective_name", "value": "allreduce"}, {"name": "pg_name", "value": "0"},
                {"name": "in_msg_nelems", "value": 1}, {"name": "out_msg_nelems", "value": 1},
                {"name": "dtype", "value": "Float"}, {"name": "pg_size", "value": 200000000},
                {"name": "global_rank_start", "value": 0},
                {"name": "global_rank_stride", "value": 1}]}]}"###,
            raise,
        ),
        // A send to rank 200,000,000, after the version.
        hostile(
            &["traffic", "show", "a.0.et"],
            b"\x05\x0a\x03\x30.\x34\x22\x18\x05R\x0f\x0a\x08comm_dsth\x80\x84\xaf_R\x0d\x0a\x09comm_sizeh\x01",
            raise,
        ),
        hostile(
            &["traffic", "show", "chakra.0.json"],
            r#"{"workload_graph": [{"NodeType": 7, "comm_type": 0, "comm_size": 1}],
                "ngpus": 200000000}"#,
            raise,
        ),
        hostile(&["traffic", "show", "a.trace"], "topoloom-trace 1\nranks 16777216\n", raise),
        hostile(
            &["traffic", "show", "b.trace"],
            repeated(
                "topoloom-trace 1\nranks 1000000\nrank 0-999999\n",
                |_| "c 1\n".into(),
                64,
                "",
            ),
            raise,
        ),
        hostile(&["machine", "show", "graph:a.net"], "0 16777215\n", "cannot be reached"),
        hostile(
            &["machine", "show", "graph:b.net"],
            repeated("", |n| format!("{n} {}\n", (n + 1) % 100_000), 100_000, ""),
            "are too many",
        ),
        hostile(
            &["machine", "show", "a.json"],
            machine(r#"{"names":"n[1-1000000000]","kind":0}"#, NODE),
            "names more than 1048576 hosts",
        ),
        hostile(
            &["machine", "show", "b.json"],
            machine(
                &repeated(
                    "",
                    |n| format!(r#"{{"names":"a{n}n[1-99999]","kind":0}},"#),
                    50,
                    r#"{"names":"z","kind":0}"#,
                ),
                NODE,
            ),
            "names more than 1048576 hosts",
        ),
        hostile(
            &["machine", "show", "c.json"],
            machine(&format!(r#"{{"names":"{long}[1-9999]","kind":0}}"#), NODE),
            "repeats a name of more than 255 letters",
        ),
        hostile(
            &["machine", "show", "d.json"],
            machine(r#"{"names":"n","kind":0}"#, &repeated("", |_| format!("{NODE},"), 2000, NODE)),
            raise,
        ),
        hostile(
            &["machine", "show", "e.json"],
            machine(r#"{"names":"n[1-100000]","kind":0}"#, NODE),
            "are possible",
        ),
        hostile(
            &["machine", "show", "f.json"],
            format!(r#"{{"format":"topoloom-machine","version":1,"kinds":{}"#, "[".repeat(100_000)),
            "the file ends too early",
        ),
        hostile(&["machine", "show", "g.json"], "[".repeat(1_000_000), "unknown topology \"[[["),
        hostile(&["machine", "import", "a.hosts"], "n1 slots=1000000000\n", raise),
        hostile(
            &["machine", "import", "b.hosts"],
            repeated("", |n| format!("n{n} slots={}\n", 60_000 - n), 1000, ""),
            raise,
        ),
        hostile(
            &["machine", "import", "a.conf"],
            "SwitchName=s Nodes=n[1-1000000000]\n",
            "names more than 1048576 hosts",
        ),
        hostile(
            &["machine", "import", "b.conf"],
            repeated("", |n| format!("SwitchName=s{n} Nodes=s{n}n[1-500000]\n"), 50, ""),
            "more than 2097152 names",
        ),
        hostile(
            &["machine", "import", "a.yaml"],
            repeated(
                "a0: &a0 [1]\n",
                |n| format!("a{}: &a{} [{}]\n", n + 1, n + 1, vec![format!("*a{n}"); 10].join(",")),
                20,
                "",
            ),
            "aliases repeat more than 65536 values",
        ),
        hostile(
            &["machine", "import", "b.yaml"],
            format!("a: {}", "[".repeat(100_000)),
            "recursion limit exceeded",
        ),
        hostile(
            &["machine", "import", "c.yaml"],
            repeated(
                "blocks:\n",
                |n| format!("- {{switch: s, nodes: [\"s{n}n[1-500000]\"]}}\n"),
                50,
                "",
            ),
            "more than 2097152 nodes",
        ),
        hostile(
            &["machine", "import", "d.yaml"],
            "- topology: t\n  block:\n    blocks:\n    - {block: b, nodes: \"n[1-1000000000]\"}\n",
            "names more than 1048576 hosts",
        ),
        hostile(
            &["machine", "import", "nccl.xml"],
            format!(
                "<system version=\"1\"><cpu affinity=\"{}\"/></system>",
                repeated("ffffffff", |_| ",ffffffff".to_string(), 100_000, "")
            ),
            "a CPU beyond 65535",
        ),
        hostile(
            &["machine", "import", "nodes.json"],
            format!("{{\"kind\": \"List\", \"items\": {}", "[".repeat(1_000_000)),
            "recursion limit exceeded",
        ),
        hostile(&["machine", "import", "a.topo"], "4294967295 1 0 0 0 H100\n\n", raise),
        hostile(
            &["machine", "import", "c.conf"],
            format!("SwitchName=s Nodes={long}[1-9999]\n"),
            "repeats a name of more than 255 letters",
        ),
        hostile(
            &["machine", "import", "entities.xml"],
            repeated(
                &format!(
                    "<!DOCTYPE topology [<!ENTITY a \"{}\">]><topology version=\"2.0\">",
                    "a".repeat(80_000)
                ),
                |_| "&a;".to_string(),
                27_000,
                "</topology>",
            ),
            "definitions inside the document",
        ),
        hostile(
            &["machine", "import", "attributes.xml"],
            repeated("<topology version=\"2.0\"", |n| format!(" a{n}=\"\""), 200_000, "/>"),
            "an element with 200001 attributes",
        ),
        hostile(
            &["machine", "import", "namespaces.xml"],
            repeated("<topology>", |n| format!("<x xmlns:a{n}=\"u{n}\">"), 20_000, ""),
            "more than 1000 nested elements",
        ),
        hostile(
            &["machine", "import", "deep.xml"],
            repeated(
                "<topology version=\"2.0\">",
                |_| "<object type=\"Machine\">".into(),
                200_000,
                "",
            ),
            "more than 1000 nested elements",
        ),
        hostile(
            &["arrange", "platform", "hosts.xml"],
            "<platform version=\"4.1\"><cluster id=\"c\" prefix=\"n\" suffix=\"\" radical=\"0-4000000000\" \
             speed=\"1Gf\" bw=\"1GBps\" lat=\"1us\"/></platform>",
            "stands for too many hosts",
        ),
        hostile(
            &["arrange", "platform", "names.xml"],
            format!(
                "<platform version=\"4.1\"><cluster id=\"c\" prefix=\"{long}\" suffix=\"\" radical=\"0-99999\" \
                 speed=\"1Gf\" bw=\"1GBps\" lat=\"1us\"/></platform>"
            ),
            "names of more than 255 letters",
        ),
        hostile(
            &["arrange", "platform", "attributes.xml"],
            repeated("<platform version=\"4.1\"", |n| format!(" a{n}=\"\""), 200_000, "/>"),
            "an element with 200001 attributes",
        ),
        hostile(
            &["arrange", "platform", "a.toml"],
            "[[cluster]]\nname = \"a\"\nnodes = 1000000000\nspeed = 1\n[bandwidth]\nlevels = [1, 1]\n",
            "nodes are too many",
        ),
        hostile(
            &["arrange", "platform", "b.toml"],
            format!("bandwidth = {}\n[[cluster]]\nname = \"a\"\n", "[".repeat(100_000)),
            "b.toml:1: ",
        ),
        hostile(
            &["arrange", "platform", "c.toml"],
            format!("[[cluster]]\nname = \"a\"\n[a{}]\n", ".a".repeat(100_000)),
            "recursion limit",
        ),
        hostile(
            &["check", "--traffic", "ring:2", "--machine", "torus:4", "--mapping", "cpus.json"],
            format!(
                r#"{{"format":"topoloom-mapping","version":1,"node_of_rank":[{0}],"slot_of_rank":[{0}],"hosts":["a"],
                "slots_of_host":[9999],"host_of_rank":[{1}],"core_of_rank":[{2}],"cpus_of_rank":[{3}]}}"#,
                repeated("0", |n| format!(",{}", n + 1), 7999, ""),
                repeated("0", |_| ",0".into(), 7999, ""),
                repeated("null", |_| ",null".into(), 7999, ""),
                repeated("\"0-65535\"", |_| ",\"0-65535\"".into(), 7999, ""),
            ),
            raise,
        ),
        hostile(
            &["schedule", "--machine", "mesh:4", "--jobs", "processors.swf"],
            "1 0 -1 10 1e300 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1\n",
            "a number of processors of at most 268435456",
        ),
        hostile(
            &["schedule", "--machine", "mesh:4", "--jobs", "times.swf"],
            "1 0 -1 1e300 1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1\n",
            "a time in seconds of at most 1000000000000",
        ),
        hostile(
            &["schedule", "--machine", "mesh:4", "--jobs", "columns.swf"],
            "1 ".repeat(1_000_000),
            "expected 18 columns, found more",
        ),
        hostile(
            &["check", "--traffic", "ring:2", "--machine", "torus:4", "--mapping", "deep.json"],
            format!(
                r#"{{"format":"topoloom-mapping","version":1,"slot_of_rank":{}"#,
                "[".repeat(100_000)
            ),
            "deep.json:1: ",
        ),
    ]
}

#[test]
fn every_reader_refuses_what_asks_for_too_much() {
    let folder = TempDir::new().unwrap();
    let mut wrong = Vec::new();
    for Hostile { file, content, arguments, refusal } in every_hostile_file() {
        fs::write(folder.path().join(file), content).unwrap();
        let output = limited(arguments, folder.path());
        let said = String::from_utf8_lossy(&output.stderr);
        let beginning: String = said.chars().take(300).collect();
        let is_refused = output.status.code() == Some(2) && said.starts_with("error: ");
        if !is_refused || !said.contains(refusal) || said.len() > 1000 {
            let length = said.len();
            wrong.push(format!(
                "{file}: expected \"{refusal}\", found {} and {length} bytes: {beginning}",
                output.status
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A file that is refused for lack of memory is read when the budget is raised.
#[test]
fn the_budget_is_raised_by_the_variable_that_the_message_names() {
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("a.csv"), "from,to,bytes\n0,99999,5\n").unwrap();
    let run = |memory: &str| {
        let arguments = ["traffic", "show", "a.csv"];
        let mut command = crate::program::topoloom(&arguments);
        command.current_dir(folder.path()).env("TOPOLOOM_MEMORY", memory).output().unwrap()
    };
    let refused = run("1MiB");
    assert_eq!(
        String::from_utf8(refused.stderr).unwrap(),
        "error: a.csv: a file of 100000 ranks would need about 6.1 MiB, and the limit is 1 MiB; \
         set TOPOLOOM_MEMORY=7MiB to raise it\n"
    );
    assert_eq!(run("7MiB").status.code(), Some(0));
}
