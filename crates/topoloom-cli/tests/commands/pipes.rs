//! Every reader gives the same result from a pipe as from a file.
#![cfg(unix)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;

use serde_json::Value;
use topoloom::io::{
    FORMATS, FlowKind, MAX_INPUT_VARIABLE, RecordedFlow, RecordedSeat, Recording, TRACE_FORMATS,
    write_recording,
};

use crate::program::{stdout, topoloom};

/// The capacity of a pipe: an input must be larger to be read in more than one piece.
const PIPE: usize = 1 << 16;

/// Where the program finds a pipe.
const STDIN: &str = "/dev/stdin";

/// A file of any kind, and commands that read it. In these, FILE stands for its name and OUT for
/// the name of a file that they write.
struct Case {
    /// How the name ends.
    ending: &'static str,
    content: Vec<u8>,
    commands: Vec<String>,
}

fn case(ending: &'static str, content: impl Into<Vec<u8>>, commands: &[&str]) -> Case {
    let commands = commands.iter().map(ToString::to_string).collect();
    Case { ending, content: content.into(), commands }
}

/// What a command printed and wrote. The name of the file and search times do not count.
fn outcome(case: &Case, command: &str, from_a_pipe: bool) -> (String, Vec<u8>) {
    let folder = tempfile::tempdir().unwrap();
    // A node without a name gets the name of its file, so the name must be the same.
    let file = folder.path().join(format!("stdin{}", case.ending));
    fs::write(&file, &case.content).unwrap();
    let file = file.display().to_string();
    let out = folder.path().join("out").display().to_string();
    let name = if from_a_pipe { STDIN } else { &file };
    let words = command.split(' ').map(|word| word.replace("FILE", name).replace("OUT", &out));
    let words: Vec<String> = words.collect();
    let mut run = topoloom(&words.iter().map(String::as_str).collect::<Vec<_>>());
    if from_a_pipe {
        run.write_stdin(case.content.clone());
    }
    let output = run.assert().success().get_output().clone();
    let Output { stdout, stderr, .. } = output;
    let said = String::from_utf8(stdout).unwrap() + &String::from_utf8(stderr).unwrap();
    let kept = |line: &&str| !line.contains("\"seconds\":");
    let said: Vec<&str> = said.lines().filter(kept).collect();
    let said = said.join("\n").replace(&file, STDIN).replace(&out, "OUT");
    let written = fs::read_dir(folder.path()).unwrap().flatten();
    let written = written.filter(|entry| entry.file_name().as_encoded_bytes().starts_with(b"out"));
    let written = written.flat_map(|entry| fs::read(entry.path()).unwrap()).collect::<Vec<u8>>();
    let written = replaced(written, file.as_bytes(), STDIN.as_bytes());
    // A mapping does not name traffic that cannot be read again.
    let named = format!("  \"traffic\": \"{STDIN}\",\n");
    (said, replaced(written, named.as_bytes(), b""))
}

fn replaced(bytes: Vec<u8>, old: &[u8], new: &[u8]) -> Vec<u8> {
    let text = String::from_utf8_lossy(&bytes);
    match text.contains(str::from_utf8(old).unwrap()) {
        true => {
            text.replace(str::from_utf8(old).unwrap(), str::from_utf8(new).unwrap()).into_bytes()
        }
        false => bytes,
    }
}

fn check(what: &str, case: &Case) {
    assert!(case.content.len() > PIPE, "{what}: {} bytes fit in a pipe", case.content.len());
    for command in &case.commands {
        let (said, written) = outcome(case, command, false);
        let (said_of_pipe, written_of_pipe) = outcome(case, command, true);
        assert_eq!(said_of_pipe, said, "{what}: {command}");
        assert!(written_of_pipe == written, "{what}: {command}: other files are written");
        assert_eq!(written.is_empty(), !command.contains("OUT"), "{what}: {command}");
    }
}

fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../topoloom-io/tests").join(name)
}

fn read(name: &str) -> Vec<u8> {
    fs::read(data(name)).unwrap()
}

/// A text made longer than a pipe with lines that mean nothing.
fn padded(mut content: Vec<u8>, line: &str) -> Vec<u8> {
    while content.len() <= PIPE {
        content.extend_from_slice(line.as_bytes());
    }
    content
}

/// The output of `generate` for a pattern, in the format of an ending.
fn generated(pattern: &str, ending: &str) -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(format!("made{ending}"));
    topoloom(&["generate", pattern, "--output", path.to_str().unwrap()]).assert().success();
    fs::read(path).unwrap()
}

/// A stencil large enough for every format.
const STENCIL: &str = "stencil:100x100";

const CONVERT: &str = "generate FILE --output OUT.csv";
const SHOW: &str = "traffic show FILE --json";
const EVENTS: &str = "generate FILE --output OUT.trace";
/// A machine of any size.
const REPLAY: &str = "simulate --trace FILE --machine mesh:16x16 --mapping in-order --json";

#[test]
fn every_traffic_format_comes_through_a_pipe() {
    for entry in FORMATS.entries {
        let case = match entry.name {
            "matrix-market" => case(".mtx", generated(STENCIL, ".mtx"), &[CONVERT, SHOW]),
            "csv" => case(".csv", generated(STENCIL, ".csv"), &[CONVERT, SHOW]),
            "tsv" => case(".tsv", generated(STENCIL, ".tsv"), &[CONVERT, SHOW]),
            "metis" => case(".graph", generated(STENCIL, ".graph"), &[CONVERT, SHOW]),
            "recording" => {
                let content = generated("all-to-all:200", ".rec");
                case(".rec", content, &[CONVERT, SHOW, "generate FILE --output OUT.rec"])
            }
            "arrangement" => {
                let content = padded(read("data/arrangements/summa.json"), "          \n");
                case(".json", content, &[CONVERT, SHOW, EVENTS])
            }
            "npy" => {
                let header = "{'descr': '<f8', 'fortran_order': False, 'shape': (100, 100), }\n";
                let data = vec![0; 8 * 100 * 100];
                let length = (header.len() as u16).to_le_bytes();
                let content = [b"\x93NUMPY\x01\0", &length[..], header.as_bytes(), &data].concat();
                case(".npy", content, &[CONVERT, SHOW])
            }
            "npz" => {
                // A comment at its end makes an archive longer than a pipe.
                let mut content = read("data/files-people-have/traffic_csr.npz");
                let end = content.len() - 2;
                content[end..].copy_from_slice(&u16::MAX.to_le_bytes());
                content.resize(end + 2 + usize::from(u16::MAX), b' ');
                case(".npz", content, &[CONVERT, SHOW])
            }
            "graphml" => {
                let content = read("data/files-people-have/traffic.graphml");
                case(".graphml", padded(content, "          \n"), &[CONVERT, SHOW])
            }
            "scotch" => {
                let content = read("data/files-people-have/mesh.grf");
                case(".grf", padded(content, "          \n"), &[CONVERT, SHOW])
            }
            "blanks" => {
                let content = read("data/files-people-have/traffic_weighted.edgelist");
                case(".edgelist", padded(content, COMMENT), &[CONVERT, SHOW])
            }
            "kineto" => {
                let content = read("data/training-traces/kineto-2gpu-collectives-only.json");
                case(".json", padded(content, "          \n"), &[CONVERT, SHOW])
            }
            "pytorch-et" => {
                let content = read("data/training-traces/pytorch-et-2gpu-comms-only.json");
                case(".json", padded(content, "          \n"), &[CONVERT, SHOW])
            }
            "chakra-json" => {
                let content = "{\"workload_graph\": [{\"NodeType\": 7, \"comm_type\": 0, \
                               \"comm_size\": 8}], \"ngpus\": 4}\n";
                case(".json", padded(content.into(), "          \n"), &[CONVERT, SHOW])
            }
            "goal" => {
                let content = read("data/training-traces/goal/binary_tree_32.goal");
                case(".goal", padded(content, COMMENT), &[CONVERT, SHOW])
            }
            "networkx" => {
                let content = "0 1 {'weight': 5}\n1 3 {'weight': 7}\n3 2 {'weight': 8}\n";
                case(".edgelist", padded(content.into(), COMMENT), &[CONVERT, SHOW])
            }
            "qaplib" => {
                let commands = [
                    CONVERT,
                    SHOW,
                    "map --traffic FILE --strategy greedy --output OUT.json --json",
                    "map --traffic FILE --strategy in-order --output OUT.sln --json",
                    "score --traffic FILE --mapping in-order --json",
                    "score --traffic FILE --machine mesh:25 --objective cost-matrix:FILE \
                     --mapping in-order --json",
                    "compare --traffic FILE --strategy in-order,greedy --json",
                ];
                let content = read("../../../bench/qaplib/instances/chr25a.dat");
                case(".dat", padded(content, "          \n"), &commands)
            }
            // One file per rank.
            "chakra" => {
                let content = read("data/training-traces/chakra/all_reduce_4npus_1MB.0.et");
                refuses_a_pipe(entry.name, &content, &["traffic", "show", STDIN]);
                continue;
            }
            "openmpi-monitoring" => {
                let content = read("data/openmpi-monitoring-lu.S.16/lu.0.prof");
                refuses_a_pipe(entry.name, &content, &["traffic", "show", STDIN]);
                continue;
            }
            other => panic!("{other}: tell here how it is read from a pipe"),
        };
        check(entry.name, &case);
    }
}

#[test]
fn every_trace_format_comes_through_a_pipe_or_says_why_not() {
    for entry in TRACE_FORMATS.entries {
        let case = match entry.name {
            "topoloom" => {
                let content = generated("lu:class=S,ranks=16,iterations=1", ".trace");
                case(".trace", padded(content, "# nothing\n"), &[EVENTS, REPLAY, CONVERT])
            }
            "recording" => {
                let content = generated("lu:class=A,ranks=256,iterations=20", ".trace");
                let folder = tempfile::tempdir().unwrap();
                let trace = folder.path().join("made.trace").display().to_string();
                let recording = folder.path().join("made.rec").display().to_string();
                fs::write(&trace, content).unwrap();
                topoloom(&["generate", &trace, "--output", &recording]).assert().success();
                case(".rec", fs::read(recording).unwrap(), &[EVENTS, CONVERT])
            }
            "arrangement" => {
                let content = padded(read("data/arrangements/mpdata.json"), "          \n");
                case(".json", content, &[EVENTS, REPLAY])
            }
            // With the lines of all ranks in one file.
            "simgrid-ti" => {
                let mut content = b"0 init\n1 init\n".to_vec();
                for _ in 0..5000 {
                    content.extend_from_slice(b"0 compute 1e6\n1 compute 1e6\n");
                }
                content.extend_from_slice(b"0 send 1 0 100 0\n1 recv 0 0 100 0\n");
                content.extend_from_slice(b"0 finalize\n1 finalize\n");
                refuses_a_pipe(entry.name, &read("data/simgrid-ti/run.ti"), &replay());
                case(".ti", content, &[EVENTS, REPLAY])
            }
            "otf2" => {
                refuses_a_pipe(entry.name, &read("data/otf2-ping-pong/traces.otf2"), &replay());
                continue;
            }
            "dumpi-text" => {
                let content = read("data/dumpi-text/dumpi-2026.11.15.10.00.00-0000.txt");
                refuses_a_pipe(entry.name, &content, &replay());
                continue;
            }
            other => panic!("{other}: tell here how it is read from a pipe"),
        };
        check(entry.name, &case);
    }
}

fn replay() -> Vec<&'static str> {
    let command = "simulate --trace /dev/stdin --machine mesh:4 --mapping in-order";
    command.split(' ').collect()
}

/// Input that consists of several files cannot come through one pipe.
fn refuses_a_pipe(what: &str, content: &[u8], command: &[&str]) {
    let output = topoloom(command).write_stdin(content).assert().code(2).get_output().clone();
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains("is several files, and this is a pipe"), "{what}: {said}");
    assert!(said.contains(STDIN), "{what}: {said}");
}

/// Two hosts, each with one package of two cores.
const MACHINE: &str = r#"{"format": "topoloom-machine", "version": 1, "place": "core",
 "hosts": [{"names": "n[1-2]", "kind": 0}],
 "kinds": [{"node": {"kind": "node", "in": [{"kind": "package", "in": [
   {"kind": "core", "cpus": "0"}, {"kind": "core", "cpus": "1"}]}]}}]}"#;

const PLATFORM: &str = "[[cluster]]\nname = \"a\"\nnodes = 4\n[bandwidth]\nunit = \"MB/s\"\n\
                        matrix = [[900]]\n";

/// A line that nothing reads.
const COMMENT: &str = "# what nobody reads but a pipe has to carry\n";

#[test]
fn machines_of_every_kind_come_through_a_pipe() {
    const SCORE: &str = "score --traffic ring:4 --machine FILE --mapping in-order --json";
    const IMPORT: &str = "machine import FILE --output OUT.json --json";
    const MACHINE_SHOW: &str = "machine show FILE --json";
    let machine = padded(MACHINE.into(), "            \n");
    check(
        "machine file",
        &case(
            ".json",
            machine,
            &[
                SCORE,
                MACHINE_SHOW,
                IMPORT,
                "score --traffic ring:4 --machine cluster:FILE --mapping in-order --json",
                "map --traffic ring:2 --machine FILE --cpus-per-rank 2 --output OUT.json --json",
            ],
        ),
    );
    let spec = padded(Vec::new(), COMMENT);
    let spec = [&spec[..], b"torus:4x4\n"].concat();
    check("specification", &case("", spec, &[SCORE, MACHINE_SHOW]));
    let hwloc = padded(read("machines/hwloc/16em64t-4s2c2t.v2.9.3.xml"), "            \n");
    check("hwloc", &case(".xml", hwloc, &[SCORE, IMPORT, MACHINE_SHOW]));
    let slurm = padded(b"SwitchName=s Nodes=n[1-8]\n".to_vec(), COMMENT);
    check("slurm", &case(".conf", slurm, &[SCORE, IMPORT]));
    let first_of = |folder: &str| {
        let files = fs::read_dir(data(folder)).unwrap().flatten();
        let mut files: Vec<PathBuf> = files.map(|entry| entry.path()).collect();
        files.sort();
        let large = |path: &&PathBuf| fs::metadata(path).unwrap().len() > 2000;
        let path = files.iter().find(large).unwrap();
        fs::read(path).unwrap()
    };
    let discovered = padded(first_of("machines/ib"), COMMENT);
    check("ibnetdiscover", &case(".txt", discovered, &[IMPORT]));
    let hosts = padded(b"n1 slots=2\nn2 slots=2\n".to_vec(), COMMENT);
    check("hosts", &case("", hosts, &[IMPORT]));
    let network = padded(b"0 1\n1 2\n2 3\n3 0\n".to_vec(), COMMENT);
    const GRAPH: &str = "score --traffic ring:4 --machine graph:FILE --mapping in-order --json";
    check("network", &case(".net", network, &[GRAPH]));
    let platform = padded(PLATFORM.into(), COMMENT);
    const SHOW_PLATFORM: &str = "arrange platform FILE --json";
    const AS_MACHINE: &str =
        "score --traffic ring:4 --machine platform:FILE --mapping in-order --json";
    const ARRANGE: &str = "arrange --platform FILE --blocks 16 --json --output OUT.json";
    check("platform", &case(".toml", platform, &[SHOW_PLATFORM, AS_MACHINE, SCORE, ARRANGE]));
    let simgrid = padded(read("data/platforms/star.xml"), "            \n");
    check("SimGrid platform", &case(".xml", simgrid, &[SHOW_PLATFORM]));
}

#[test]
fn mappings_costs_and_hosts_come_through_a_pipe() {
    const PROBLEM: &str = "--traffic stencil:100x100 --machine mesh:100x100";
    let folder = tempfile::tempdir().unwrap();
    let mapping = |ending: &str| {
        let path = folder.path().join(format!("mapping{ending}")).display().to_string();
        let command = format!("map {PROBLEM} --strategy in-order --output {path}");
        stdout(&command.split(' ').collect::<Vec<_>>());
        fs::read(path).unwrap()
    };
    let commands = [
        "check --traffic stencil:100x100 --machine mesh:100x100 --mapping FILE",
        "score --traffic stencil:100x100 --machine mesh:100x100 --mapping FILE --json",
        "traffic coarsen stencil:100x100 --groups FILE --output OUT.csv",
        "apply --mapping FILE --format openmpi-seq --hosts n[00001-10000] --output OUT.seq",
    ];
    check("mapping", &case(".json", mapping(".json"), &commands));
    check("mapping as text", &case(".txt", padded(mapping(".txt"), COMMENT), &commands[..3]));
    let nodes: String = (1..=10_000).map(|node| format!("{node}\n")).collect();
    let solution = padded(format!("10000 0\n{nodes}").into_bytes(), "          \n");
    check("solution of QAPLIB", &case(".sln", solution, &commands[..3]));
    let costs = padded(b"0 1 2 3\n1 0 1 2\n2 1 0 1\n3 2 1 0\n".to_vec(), COMMENT);
    const COSTS: &str = "map --traffic ring:4 --machine mesh:4 --objective cost-matrix:FILE \
                         --strategy exhaustive --output OUT.json --json";
    check("cost matrix", &case(".txt", costs, &[COSTS]));
    let of_four = folder.path().join("four.json").display().to_string();
    let command = format!("map --traffic ring:4 --machine mesh:4 --output {of_four}");
    stdout(&command.split(' ').collect::<Vec<_>>());
    let hosts = padded(b"n1\nn2\nn3\nn4\n".to_vec(), COMMENT);
    let command =
        format!("apply --mapping {of_four} --hosts FILE --format openmpi-seq --output OUT.launch");
    check("list of hosts", &case("", hosts, &[&command]));
}

#[test]
fn speeds_that_a_platform_names_come_through_a_pipe() {
    let folder = tempfile::tempdir().unwrap();
    let speeds = padded(b"16 100\n64 90\n256 80\n".to_vec(), COMMENT);
    let platform = |file: &str| {
        let path = folder.path().join("platform.toml");
        let text = PLATFORM.replace("nodes = 4", &format!("nodes = 4\nspeeds = \"{file}\""));
        fs::write(&path, text).unwrap();
        path.display().to_string()
    };
    let run = |file: &str| {
        let platform = platform(file);
        let out = folder.path().join("out.json").display().to_string();
        let command = format!("arrange --platform {platform} --blocks 16 --output {out}");
        let mut run = topoloom(&command.split(' ').collect::<Vec<_>>());
        run.write_stdin(speeds.clone()).assert().success();
        fs::read_to_string(out).unwrap()
    };
    fs::write(folder.path().join("speeds"), &speeds).unwrap();
    assert_eq!(run(STDIN), run("speeds"));
}

#[test]
fn a_stencil_through_a_pipe_weighs_what_it_weighs() {
    // 2 x 70 x 69 pairs of neighbours, each both ways with one byte.
    let output = topoloom(&["score", "--traffic", STDIN, "--machine", "mesh:70x70", "--mapping"])
        .args(["in-order", "--json"])
        .write_stdin(generated("stencil:70x70", ".csv"))
        .assert()
        .success()
        .get_output()
        .stdout
        .clone();
    let score: Value = serde_json::from_slice(&output).unwrap();
    assert_eq!(score["total_weight"], 19320.0);
}

/// Four ranks on two hosts with two cores each.
fn recording() -> Recording {
    let node = |name: &str| {
        let mut text = format!(
            "/proc/sys/kernel/hostname\t{name}\\n\n/sys/devices/system/cpu/online\t0-1\\n\n"
        );
        for cpu in 0..2 {
            let folder = format!("/sys/devices/system/cpu/cpu{cpu}/topology");
            let files = [("physical_package_id", 0), ("core_id", cpu), ("core_cpus_list", cpu)];
            for (file, value) in files {
                text += &format!("{folder}/{file}\t{value}\\n\n");
            }
        }
        text
    };
    let flow = |to| RecordedFlow { to, kind: FlowKind::PointToPoint, messages: 1.0, bytes: 1e6 };
    let seat =
        |cpu| RecordedSeat { cpus: vec![cpu], online: 2, openmp_threads: None, threads: None };
    Recording {
        ranks: 4,
        hosts: vec!["a".to_string(), "b".to_string()],
        host_of_rank: vec![0, 0, 1, 1],
        flows: vec![vec![flow(2)], vec![flow(3)], vec![flow(0)], vec![flow(1)]],
        seats: vec![seat(0), seat(1), seat(0), seat(1)],
        nodes: vec![node("a"), node("b")],
        // Makes the file longer than a pipe.
        info: vec![("note".to_string(), "x".repeat(2 * PIPE))],
        ..Recording::default()
    }
}

#[test]
fn one_pipe_serves_as_traffic_machine_and_present_placement() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.rec");
    write_recording(&path, &recording()).unwrap();
    let commands = [
        "map --traffic FILE --output OUT.json --json",
        "map --traffic FILE --machine FILE --output OUT.json --json",
        "compare --traffic FILE --strategy in-order,random --json",
        "score --traffic FILE --mapping in-order --json",
        "traffic show FILE --json",
        "traffic filter FILE --kind p2p --output OUT.csv",
        "plot matrix --traffic FILE --output OUT.svg",
    ];
    check("recording", &case(".rec", fs::read(path).unwrap(), &commands));
}

#[test]
fn a_pipe_with_a_name_is_read_once() {
    let folder = tempfile::tempdir().unwrap();
    let pipe = folder.path().join("traffic.csv");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    assert!(made.expect("every system with pipes has mkfifo").success());
    let content = generated(STENCIL, ".csv");
    let writer = {
        let (pipe, content) = (pipe.clone(), content.clone());
        std::thread::spawn(move || fs::write(pipe, content))
    };
    let out = folder.path().join("out.csv");
    topoloom(&["generate", pipe.to_str().unwrap(), "--output", out.to_str().unwrap()])
        .assert()
        .success();
    writer.join().unwrap().unwrap();
    assert!(fs::read(out).unwrap() == content);
}

#[test]
fn an_endless_input_is_refused_with_the_limit_and_how_to_raise_it() {
    let inputs = [
        "score --traffic /dev/zero --machine mesh:4 --mapping in-order",
        "score --traffic ring:4 --machine /dev/zero --mapping in-order",
        "score --traffic ring:4 --machine graph:/dev/zero --mapping in-order",
        "check --traffic ring:4 --machine mesh:4 --mapping /dev/zero",
        "machine import /dev/zero",
        "simulate --trace /dev/zero --machine mesh:4 --mapping in-order",
    ];
    for command in inputs {
        let mut run = topoloom(&command.split(' ').collect::<Vec<_>>());
        let output = run.env(MAX_INPUT_VARIABLE, "1000000").assert().code(2).get_output().clone();
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(
            said.contains("/dev/zero: cannot read: it is larger than the limit of 1000000 bytes"),
            "{said}"
        );
        assert!(said.contains(MAX_INPUT_VARIABLE), "{said}");
    }
    let wrong = topoloom(&["machine", "show", STDIN])
        .env(MAX_INPUT_VARIABLE, "much")
        .write_stdin("torus:4x4")
        .assert()
        .code(2);
    let said = String::from_utf8_lossy(&wrong.get_output().stderr).into_owned();
    assert!(said.contains("expected a number of bytes, found \"much\""), "{said}");
}
