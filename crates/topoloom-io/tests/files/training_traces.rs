//! Traces of training jobs: which groups are found, what they send, and why others are refused.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use tempfile::TempDir;
use topoloom_core::traffic::Group;
use topoloom_core::training::{Operation, StepTraffic};
use topoloom_core::{Traffic, Weight};
use topoloom_io::{Source, Warnings, parse_chakra, parse_traffic, read_traffic_with_warnings};

fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/training-traces").join(name)
}

fn read(path: &Path) -> Result<(Traffic, Warnings), String> {
    read_traffic_with_warnings(path, Weight::Bytes).map_err(|error| error.to_string())
}

fn good(name: &str) -> (Traffic, Warnings) {
    read(&data(name)).unwrap_or_else(|error| panic!("{error}"))
}

fn step(traffic: &Traffic) -> &StepTraffic {
    traffic.step().expect("traffic with groups")
}

/// The members of the groups of a kind.
fn groups(traffic: &Traffic, kind: &str) -> Vec<Vec<u32>> {
    let kind = step(traffic).kind(kind).unwrap_or_else(|| panic!("no groups {kind}"));
    let members = |group: &Group| (0..group.size()).map(|number| group.member(number)).collect();
    kind.groups.iter().map(members).collect()
}

/// How often the groups of a kind do something, and with how many bytes in all, in one group.
fn calls(traffic: &Traffic, kind: &str, group: usize, operation: Operation) -> (f64, f64) {
    let kind = step(traffic).kind(kind).unwrap_or_else(|| panic!("no groups {kind}"));
    let calls = kind.calls(group).iter().filter(|call| call.operation == operation);
    calls.fold((0.0, 0.0), |(times, bytes), call| {
        (times + call.times, bytes + call.times * call.bytes)
    })
}

#[test]
fn a_trace_of_kineto_counts_each_call_once() {
    // Five sizes, three times each, as operations of the CPU and again as kernels.
    let floats = 2_049_000.0 + 7_875_584.0 + 6_563_840.0 + 6_637_568.0 + 2_431_040.0;
    let both = ["kineto-2gpu-collectives-only.json", "pytorch-et-2gpu-comms-only.json"];
    for name in both {
        let (traffic, warnings) = good(name);
        assert_eq!(traffic.num_ranks(), 2);
        assert_eq!(groups(&traffic, "default_pg"), [[0, 1]]);
        let reduced = calls(&traffic, "default_pg", 0, Operation::AllReduce);
        assert_eq!(reduced, (15.0, 3.0 * 4.0 * floats), "{name}");
        // 53,120 floats and 53 numbers of 8 bytes, three times.
        let sent = calls(&traffic, "default_pg", 0, Operation::Broadcast);
        assert_eq!(sent, (6.0, 3.0 * (4.0 * 53_120.0 + 8.0 * 53.0)), "{name}");
        // In a ring of two, each rank sends the bytes of an all-reduce once.
        assert_eq!(traffic.total(Weight::Bytes), 2.0 * reduced.1 + sent.1);
        assert!(warnings.is_empty(), "{warnings:?}");
    }
}

#[test]
fn one_rank_alone_sends_nothing() {
    for name in ["torch211/kineto-nccl1-rank0.json", "torch211/et-nccl1-rank0.json"] {
        let (traffic, warnings) = good(name);
        assert_eq!((traffic.num_ranks(), traffic.total(Weight::Bytes)), (1, 0.0));
        assert_eq!(calls(&traffic, "default_pg", 0, Operation::AllReduce).0, 2.0);
        assert_eq!(calls(&traffic, "default_pg", 0, Operation::AllToAll), (1.0, 524_288.0));
        assert_eq!(warnings, ["no rank sends anything to another one"]);
    }
}

#[test]
fn traces_of_gloo_are_refused() {
    for name in ["kineto-gloo8-rank0", "kineto-gloo8-rank5", "et-gloo8-rank0", "et-gloo8-rank5"] {
        let path = data(&format!("torch211/{name}.json"));
        let expected = format!(
            "{}: the trace has no sizes and no groups of its collectives (backend gloo); they are \
             only written with NCCL: trace a run with the backend nccl",
            path.display()
        );
        assert_eq!(read(&path).unwrap_err(), expected);
    }
}

#[test]
fn chakra_files_of_all_ranks_are_read_together() {
    for rank in 0..4 {
        let (traffic, warnings) = good(&format!("chakra/all_reduce_4npus_1MB.{rank}.et"));
        assert_eq!(groups(&traffic, "all"), [[0, 1, 2, 3]]);
        let reduced = calls(&traffic, "all", 0, Operation::AllReduce);
        assert_eq!(reduced, (1.0, 1_048_576.0));
        // 2 (n - 1) / n of the bytes from each of four ranks.
        assert_eq!(traffic.total(Weight::Bytes), 4.0 * 1.5 * 1_048_576.0);
        assert!(warnings.is_empty());
        let (traffic, _) = good(&format!("chakra/reduce_scatter_4npus_1MB.{rank}.et"));
        assert_eq!(traffic.total(Weight::Bytes), 4.0 * 0.75 * 1_048_576.0);
    }
}

#[test]
fn a_chakra_file_alone_tells_what_its_rank_exchanges() {
    let (traffic, warnings) = good("chakra/custom_ring_allreduce_8npus_1MB.0.et");
    assert_eq!(traffic.num_ranks(), 8);
    let flows: Vec<_> =
        traffic.flows().map(|flow| (flow.from.0, flow.to.0, flow.messages, flow.bytes)).collect();
    // 2 (8 - 1) messages of an eighth of the bytes.
    let bytes = 14.0 * 131_072.0;
    assert_eq!(flows, [(0, 1, 14.0, bytes), (7, 0, 14.0, bytes)]);
    let expected = "there are files of 1 of 8 ranks; of the others only what those exchange with \
                    them is known";
    assert_eq!(warnings, [expected]);
}

#[test]
fn chakra_nodes_without_sizes_are_refused_with_their_line() {
    let path = data("chakra/small_chakra.0.json");
    let error = read(&path).unwrap_err();
    let expected = format!("{}:49: node \"ncclKernel_Broadcast", path.display());
    assert!(error.starts_with(&expected), "{error}");
    assert!(error.ends_with("\"comm_type\" is missing"), "{error}");
    let error = read(&data("chakra")).unwrap_err();
    assert!(error.contains("expected the files of one run, found those of"), "{error}");
}

#[test]
fn chakra_as_json_has_the_same_calls() {
    let text = r#"{"workload_graph": [
        {"Id": 1, "Name": "a", "NodeType": 7, "comm_type": 2, "comm_size": 100, "is_cpu_op": false},
        {"Id": 2, "Name": "b", "NodeType": 5, "comm_dst": 3, "comm_size": 7}
    ], "ngpus": 4}"#;
    let traffic = parse_traffic("a.0.json", text.as_bytes(), Weight::Bytes).unwrap();
    // Each member's part goes to three others; the message comes on top.
    assert_eq!(traffic.total(Weight::Bytes), 4.0 * 3.0 * 100.0 + 7.0);
}

/// Protocol buffers by hand: a field with a part.
fn part(number: u8, content: &[u8]) -> Vec<u8> {
    let mut bytes = number_of(u64::from(number) << 3 | 2);
    bytes.extend(number_of(content.len() as u64));
    bytes.extend_from_slice(content);
    bytes
}

fn number_of(mut number: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
    bytes
}

fn number_field(number: u64, value: u64) -> Vec<u8> {
    [number_of(number << 3), number_of(value)].concat()
}

/// A collective of Chakra with other attributes.
fn collective(kind: u64, bytes: u64, others: &[Vec<u8>]) -> Vec<u8> {
    let attribute = |name: &str, value: u64| {
        part(10, &[part(1, name.as_bytes()), number_field(13, value)].concat())
    };
    let mut node = [part(2, b"call"), number_field(3, 7)].concat();
    node.extend(attribute("comm_type", kind));
    node.extend(attribute("comm_size", bytes));
    others.iter().for_each(|other| node.extend(part(10, other)));
    node
}

/// A file of Chakra with these nodes.
fn chakra(nodes: &[Vec<u8>]) -> Vec<u8> {
    let about = part(1, b"0.0.4");
    let messages = std::iter::once(&about).chain(nodes);
    messages
        .flat_map(|message| [number_of(message.len() as u64), message.clone()].concat())
        .collect()
}

fn read_chakra(files: &[Vec<u8>]) -> Result<Traffic, String> {
    let sources: Vec<Source<'_>> = files.iter().map(|file| Source::new("a", file)).collect();
    parse_chakra(&sources).map(|(traffic, _)| traffic).map_err(|error| error.to_string())
}

#[test]
fn groups_of_chakra_are_the_ranks_that_name_them() {
    let in_group = |name: &str| vec![[part(1, b"pg_name"), part(29, name.as_bytes())].concat()];
    let file = |name: &str| chakra(&[collective(2, 10, &in_group(name))]);
    let traffic = read_chakra(&[file("1"), file("2"), file("1"), file("2")]).unwrap();
    assert_eq!(groups(&traffic, "size-2-stride-2"), [[0, 2], [1, 3]]);
    // The bytes of a gather are those of a part: each of two members sends its own.
    assert_eq!(traffic.total(Weight::Bytes), 4.0 * 10.0);
}

#[test]
fn damaged_chakra_files_are_refused_with_the_byte() {
    let dimensions = [part(1, b"involved_dim"), part(28, &part(1, &[1, 0]))].concat();
    let error = read_chakra(&[chakra(&[collective(0, 1, &[dimensions])])]).unwrap_err();
    assert!(error.starts_with("a: byte 8: node \"call\": \"involved_dim\" leaves out"), "{error}");
    let whole = chakra(&[collective(0, 1, &[])]);
    let error = read_chakra(&[whole[..whole.len() - 1].to_vec()]).unwrap_err();
    assert!(error.starts_with("a: byte 8: a part is longer than the "), "{error}");
    let error = read_chakra(&[chakra(&[collective(11, 1, &[])])]).unwrap_err();
    assert!(error.ends_with("comm_type: expected a number from 0 to 9, found 11"), "{error}");
    let error = read_chakra(&[chakra(&[])]).unwrap_err();
    assert!(error.contains("expected nodes that communicate"), "{error}");
    for length in 0..whole.len() {
        assert!(read_chakra(&[whole[..length].to_vec()]).is_err());
    }
}

#[test]
fn sends_of_goal_are_traffic() {
    let (traffic, _) = good("goal/binary_tree_32.goal");
    let total = [traffic.total(Weight::Bytes), traffic.total(Weight::Messages)];
    assert_eq!((traffic.num_ranks(), total), (32, [31.0, 31.0]));
    assert!(traffic.step().is_none());
}

/// 16 ranks: tensors of 4, data of 2, and two stages, in this order.
struct Job {
    backend: &'static str,
    text: String,
}

impl Job {
    fn rank(rank: u32) -> Job {
        let (tp, dp, pp) = (rank / 4 * 4, rank % 4 + rank / 8 * 8, rank % 8);
        let groups = [
            ("0", "default_pg", (0..16).collect::<Vec<u32>>()),
            ("1", "mesh_tp", (tp..tp + 4).collect()),
            ("2", "mesh_dp", vec![dp, dp + 4]),
            ("3", "PIPELINE_MODEL_PARALLEL_GROUP", vec![pp, pp + 8]),
        ];
        let list = groups.map(|(name, description, ranks)| {
            let size = ranks.len();
            format!(
                r#"{{"pg_name": "{name}", "pg_desc": "{description}", "pg_size": {size}, "ranks": {ranks:?}}}"#
            )
        });
        let text = format!(
            "{{\"distributedInfo\": {{\"backend\": \"nccl\", \"rank\": {rank}, \"world_size\": 16, \
             \"pg_config\": [{}]}},\n\"traceEvents\": [\n",
            list.join(", ")
        );
        Job { backend: "cpu_op", text }
    }

    /// Adds a call on a group.
    fn call(mut self, name: &str, group: &str, (input, output): (i64, i64), more: &str) -> Job {
        let comma = if self.text.ends_with("[\n") { "" } else { ",\n" };
        let category = self.backend;
        write!(
            self.text,
            r#"{comma}{{"cat": "{category}", "name": "record_param_comms", "args": {{"Collective name": "{name}",
            "dtype": "BFloat16", "In msg nelems": {input}, "Out msg nelems": {output},
            "Process Group Name": "{group}"{more}}}}}"#
        )
        .unwrap();
        self
    }

    fn text(&self) -> String {
        format!("{}]}}", self.text)
    }

    fn read(&self) -> Result<(Traffic, Warnings), String> {
        let folder = tempfile::tempdir().unwrap();
        self.write(&folder, "trace.json");
        read(&folder.path().join("trace.json"))
            .map_err(|error| error.rsplit_once("trace.json").unwrap().1.to_string())
    }

    fn write(&self, folder: &TempDir, name: &str) {
        fs::write(folder.path().join(name), self.text()).unwrap();
    }
}

/// Every rank sums up tensors, shares out gradients, and talks to the other stage.
fn usual(rank: u32) -> Job {
    let job = Job::rank(rank)
        .call("allreduce", "1", (100, 100), "")
        .call("allreduce", "1", (100, 100), "")
        .call("wait", "", (0, 0), "")
        .call("_reduce_scatter_base", "2", (80, 40), "")
        .call("_allgather_base", "2", (40, 80), "");
    // The number in the group is the partner's.
    match rank / 8 {
        0 => job.call("send", "3", (7, 7), ", \"Rank\": 1").call(
            "recv",
            "3",
            (9, 9),
            ", \"Rank\": 1",
        ),
        _ => job.call("recv", "3", (7, 7), ", \"Rank\": 0").call(
            "send",
            "3",
            (9, 9),
            ", \"Rank\": 0",
        ),
    }
}

#[test]
fn the_groups_of_all_ranks_follow_from_one_trace() {
    let (traffic, warnings) = usual(5).read().unwrap();
    assert_eq!(traffic.num_ranks(), 16);
    let names: Vec<&str> = step(&traffic).kinds.iter().map(|kind| &kind.name[..]).collect();
    assert_eq!(names, ["tp", "dp", "pp"], "nothing is sent in the group of all ranks");
    assert_eq!(groups(&traffic, "tp")[3], [12, 13, 14, 15]);
    assert_eq!(groups(&traffic, "dp")[..2], [[0, 4], [1, 5]]);
    assert_eq!(groups(&traffic, "pp")[7], [7, 15]);
    for group in [0, 3] {
        assert_eq!(calls(&traffic, "tp", group, Operation::AllReduce), (2.0, 400.0));
        assert_eq!(calls(&traffic, "dp", group, Operation::ReduceScatter), (1.0, 160.0));
        assert_eq!(calls(&traffic, "dp", group, Operation::AllGather), (1.0, 160.0));
        assert_eq!(calls(&traffic, "pp", group, Operation::Forward), (1.0, 14.0));
        assert_eq!(calls(&traffic, "pp", group, Operation::Backward), (1.0, 18.0));
    }
    assert_eq!(step(&traffic).kind("dp").unwrap().weight, 0.5);
    assert_eq!(warnings.len(), 3);
    let expected = "tp: 1 of 4 groups in the traces; the others are assumed to have the same \
                    form, 4 ranks with a stride of 1, and to send as much";
    assert_eq!(warnings[0], expected);
}

#[test]
fn traces_of_all_ranks_need_no_assumption() {
    let folder = tempfile::tempdir().unwrap();
    // Files are recognised by their content, whatever their names are.
    (0..16)
        .for_each(|rank| usual(rank).write(&folder, &format!("host{}.pt.trace.json", 15 - rank)));
    fs::write(folder.path().join("notes.json"), "{}").unwrap();
    let (all, warnings) = read(folder.path()).unwrap();
    assert!(warnings.is_empty(), "{warnings:?}");
    let (one, _) = usual(5).read().unwrap();
    assert_eq!(all.flows().collect::<Vec<_>>(), one.flows().collect::<Vec<_>>());
}

#[test]
fn groups_without_a_trace_do_what_their_stage_does() {
    let folder = tempfile::tempdir().unwrap();
    usual(0).write(&folder, "0.json");
    usual(8).call("allreduce", "1", (1000, 1000), "").write(&folder, "8.json");
    let (traffic, _) = read(folder.path()).unwrap();
    let sums = [0, 1, 2, 3].map(|group| calls(&traffic, "tp", group, Operation::AllReduce).1);
    assert_eq!(sums, [400.0, 400.0, 2400.0, 2400.0]);
}

#[test]
fn what_cannot_be_derived_is_said() {
    // Long lists of ranks are cut. The stride then says who they are, if there is one.
    let ranks: Vec<String> = (0..30).map(|rank| (rank * 2).to_string()).collect();
    let cut = |stride: &str| {
        format!(
            ", \"Process Group Description\": \"x\", \"Group size\": 40, \"Process Group Ranks\": \
             \"[{}, ...]\", \"Global rank start\": 0, \"Global rank stride\": {stride}",
            ranks.join(", ")
        )
    };
    let about = "{\"distributedInfo\": {\"rank\": 0, \"world_size\": 80}, \"traceEvents\": [\n";
    let job = |stride: &str| {
        let job = Job { backend: "kernel", text: about.to_string() };
        job.call("allreduce", "9", (1, 1), &cut(stride)).read().unwrap()
    };
    let (traffic, _) = job("2");
    assert_eq!(groups(&traffic, "x").len(), 2);
    assert_eq!(groups(&traffic, "x")[1][39], 79);
    let (_, warnings) = job("-1");
    assert_eq!(warnings[0], "1 call whose group is not in the trace left out");
    assert_eq!(warnings[1], "no rank sends anything to another one");

    // The groups of embeddings are the ends of pipelines.
    let ends = ", \"Process Group Description\": \"EMBEDDING_GROUP\", \"Group size\": 2, \
                \"Process Group Ranks\": \"[0, 8]\"";
    let (traffic, warnings) = Job::rank(0).call("allreduce", "9", (1, 1), ends).read().unwrap();
    assert_eq!(groups(&traffic, "EMBEDDING_GROUP"), [[0, 8]]);
    let expected = "EMBEDDING_GROUP: 1 group of 2 ranks in the traces; others do not follow from \
                    their members and are left out";
    assert_eq!(warnings, [expected]);

    let (_, warnings) = usual(0).call("gather", "1", (1, 1), "").read().unwrap();
    assert_eq!(warnings[3], "1 call of \"gather\", which is not supported left out");
    let (_, warnings) = usual(0).call("send", "1", (1, 1), "").read().unwrap();
    let expected = "1 call between two ranks whose partner is not in the trace left out";
    assert_eq!(warnings[3], expected);
}

#[test]
fn traces_that_contradict_each_other_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    usual(3).write(&folder, "a.json");
    usual(3).write(&folder, "b.json");
    let error = read(folder.path()).unwrap_err();
    assert!(error.contains("b.json: expected one trace per rank, found rank 3 in "), "{error}");
    let text = usual(4).text().replace("\"world_size\": 16", "\"world_size\": 32");
    fs::write(folder.path().join("b.json"), text).unwrap();
    let error = read(folder.path()).unwrap_err();
    assert!(error.contains("expected traces of one job, found 16 ranks in "), "{error}");
}

#[test]
fn malformed_traces_of_pytorch_are_refused_with_their_line() {
    let error = |job: Job| job.read().unwrap_err();
    let found = error(usual(0).call("allreduce", "1", (-1, 1), ""));
    assert!(
        found.starts_with(':') && found.ends_with("expected a whole number, found -1"),
        "{found}"
    );
    let small = |text: &str| {
        parse_traffic("a.json", text.as_bytes(), Weight::Bytes).unwrap_err().to_string()
    };
    let missing = small("{\n\"schemaVersion\": 1, \"traceEvents\": []}");
    assert!(missing.starts_with("a.json: the trace has no collectives"), "{missing}");
    let cut = small("{\n\"schemaVersion\": 1, \"traceEvents\": [{");
    assert_eq!(cut, "a.json:2: the file ends too early");
    let other = small("{\"traceEvents\":\n 5}");
    assert!(other.starts_with("a.json:2: ") && other.contains("a list of events"), "{other}");
    let outside = usual(0).text().replace("[0, 4]", "[0, 99]");
    let outside = small(&outside);
    assert_eq!(outside, "a.json: rank 99 is not among the 16 ranks of the job");
    let nodes = small("{\"schema\": \"1.1.1-chakra.0.0.4\",\n\"nodes\": 7}");
    assert!(nodes.starts_with("a.json:2: ") && nodes.contains("a list of nodes"), "{nodes}");
    let groups = r###"{"schema": "chakra", "nodes": [
        {"name": "## process_group:init ##", "inputs": {"values": ["[{\"ranks\": 5}]"]}}]}"###;
    assert!(small(groups).starts_with("a.json:2: the list of process groups"), "{}", small(groups));
}
