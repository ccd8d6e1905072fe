//! Groups, trees and bytes of training jobs against known answers.

use serde_json::Value;
use topoloom_model::training::{
    Call, GroupName, LAYOUTS, Operation, StepTraffic, TrainingJob, double_tree, physical_axes,
};
use topoloom_model::{Spec, Weight, parse_pattern};

fn data(name: &str) -> Value {
    let path = format!("{}/tests/data/training/{name}", env!("CARGO_MANIFEST_DIR"));
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

fn job(options: &str) -> TrainingJob {
    TrainingJob::from_spec(&Spec::parse(options).unwrap())
        .unwrap_or_else(|e| panic!("{options}: {e}"))
}

fn error(options: &str) -> String {
    TrainingJob::from_spec(&Spec::parse(options).unwrap()).unwrap_err().to_string()
}

fn lists(value: &Value) -> Vec<Vec<u32>> {
    serde_json::from_value(value.clone()).unwrap()
}

#[test]
fn groups_are_those_of_megatron() {
    for case in data("megatron-groups.json")["cases"].as_array().unwrap() {
        let number = |key: &str| case[key].as_u64().unwrap();
        let options = format!(
            "tp={},pp={},cp={},dp={},ep={},etp={},order={}",
            number("tp"),
            number("pp"),
            number("cp"),
            number("dp"),
            number("ep"),
            number("etp"),
            case["order"].as_str().unwrap()
        );
        let sizes = "layers=16,hidden=64,experts=64";
        let strict = format!("llm:{sizes},framework=megatron,{options}");
        let accepted = case["accepted_by_megatron"].as_bool().unwrap();
        let result = TrainingJob::from_spec(&Spec::parse(&strict).unwrap());
        assert_eq!(result.is_ok(), accepted, "{options}: {result:?}");
        let Ok(job) =
            TrainingJob::from_spec(&Spec::parse(&format!("llm:{sizes},{options}")).unwrap())
        else {
            assert!(number("ep") > 1, "{options}");
            continue;
        };
        for (name, key) in [
            (GroupName::Tp, "tp"),
            (GroupName::Cp, "cp"),
            (GroupName::Dp, "dp"),
            (GroupName::Pp, "pp"),
            (GroupName::DpCp, "dp-cp"),
        ] {
            assert_eq!(job.groups(name), lists(&case["dense"][key]), "{options} {key}");
        }
        if let Some(expert) = case.get("expert").filter(|expert| expert.is_object()) {
            assert_eq!(job.groups(GroupName::Ep), lists(&expert["ep"]), "{options}");
            assert_eq!(job.groups(GroupName::ExpertDp), lists(&expert["dp"]), "{options}");
        }
    }
}

#[test]
fn groups_are_those_of_a_device_mesh() {
    let known = data("devicemesh-groups.json");
    let sizes = "llm:layers=16,hidden=64,framework=torchtitan";
    for (mesh, options, names) in [
        ("{'pp': 2, 'dp': 2, 'tp': 4}", "tp=4,dp=2,pp=2", ["pp", "dp", "tp"]),
        (
            "{'dp': 2, 'pp': 2, 'cp': 2, 'tp': 2}",
            "tp=2,cp=2,pp=2,dp=2,order=tp-cp-pp-dp",
            ["dp", "cp", "pp"],
        ),
        (
            "{'pp': 2, 'dp_replicate': 1, 'dp_shard': 2, 'cp': 2, 'tp': 2}",
            "tp=2,cp=2,dp=2,pp=2",
            ["pp", "dp_shard", "cp"],
        ),
    ] {
        let job = job(&format!("{sizes},{options}"));
        for name in names {
            let kind = match name {
                "dp_shard" => GroupName::Dp,
                other => *GroupName::ALL.iter().find(|kind| kind.name() == other).unwrap(),
            };
            assert_eq!(job.groups(kind), lists(&known[mesh][name]), "{mesh} {name}");
        }
        assert_eq!(job.groups(GroupName::Tp), lists(&known[mesh]["tp"]));
    }
}

#[test]
fn groups_are_those_of_deepspeed() {
    let known = &data("deepspeed-jax-groups.json")["deepspeed"];
    let sizes = "llm:layers=16,hidden=64,framework=deepspeed,experts=8";
    let plain = job(&format!("{sizes},tp=2,pp=2,dp=2"));
    let box_222 = &known["topology_2x2x2"];
    assert_eq!(plain.groups(GroupName::Pp), lists(&box_222["pipe"]));
    assert_eq!(plain.groups(GroupName::Dp), lists(&box_222["data"]));
    assert_eq!(plain.groups(GroupName::Tp), lists(&box_222["model"]));
    let experts = job(&format!("{sizes},dp=16,ep=2"));
    let key = &known["expert_E_plus_D_world16_ep2"];
    assert_eq!(experts.groups(GroupName::Ep), lists(&key["ep"]));
    assert_eq!(experts.groups(GroupName::ExpertDp), lists(&key["edp"]));
    let both = job(&format!("{sizes},tp=2,dp=8,ep=4"));
    let key = &known["expert_E_M_D_world16_mp2_ep4"];
    assert_eq!(both.groups(GroupName::Tp), lists(&key["mp"]));
    assert_eq!(both.groups(GroupName::Dp), lists(&key["dp"]));
    assert_eq!(both.groups(GroupName::Ep), lists(&key["ep"]));
    assert_eq!(both.groups(GroupName::ExpertDp), lists(&key["edp"]));
}

#[test]
fn axes_of_a_mesh_are_on_the_torus_as_jax_puts_them() {
    let known = &data("deepspeed-jax-groups.json")["jax_nd_torus"]["cases"];
    for case in known.as_array().unwrap() {
        let numbers =
            |value: &Value| -> Vec<u32> { serde_json::from_value(value.clone()).unwrap() };
        let axes: Vec<Vec<usize>> = serde_json::from_value(case[2].clone()).unwrap();
        assert_eq!(physical_axes(&numbers(&case[0]), &numbers(&case[1])), Some(axes), "{case}");
    }
    // Tensors get two axes of the torus, data the third.
    let job = job("llm:layers=16,hidden=64,framework=jax,tp=16,dp=8,torus=4x4x8");
    let tensors = job.groups(GroupName::Tp);
    assert_eq!((tensors.len(), &tensors[1][..4]), (8, &[16, 20, 24, 28][..]));
    assert_eq!(job.groups(GroupName::Dp)[0], [0, 16, 32, 48, 64, 80, 96, 112]);
    let text = error("llm:layers=16,hidden=64,framework=jax,tp=2,dp=64,torus=4x4x8");
    assert!(text.contains("whole axes of the torus 4x4x8"), "{text}");
}

#[test]
fn trees_are_those_of_nccl() {
    for (nodes, known) in data("nccl-double-binary-tree.json")["trees"].as_object().unwrap() {
        let trees = double_tree(nodes.parse().unwrap());
        for node in known.as_array().unwrap() {
            let rank = node["rank"].as_u64().unwrap() as usize;
            for (tree, key) in trees.iter().zip(["tree0", "tree1"]) {
                let up = node[key]["up"].as_i64().unwrap();
                assert_eq!(tree[rank].up.map_or(-1, i64::from), up, "{nodes} {rank} {key}");
                let down: Vec<u32> = serde_json::from_value(node[key]["down"].clone()).unwrap();
                assert_eq!(tree[rank].down, down, "{nodes} {rank} {key}");
            }
        }
    }
    // Every tree reaches all nodes, and each node has at most two below it.
    for nodes in 1..200 {
        for tree in double_tree(nodes) {
            assert_eq!(tree.iter().filter(|node| node.up.is_none()).count(), 1);
            assert_eq!(tree.iter().map(|node| node.down.len()).sum::<usize>() as u32, nodes - 1);
            assert!(tree.iter().all(|node| node.down.len() <= 2));
            for (at, node) in (0..).zip(&tree) {
                assert!(node.down.iter().all(|&down| tree[down as usize].up == Some(at)));
            }
        }
    }
}

/// The calls of a group in the middle of a pipeline, or of the only stage.
fn calls(step: &StepTraffic, name: &str, group: usize) -> Vec<Call> {
    step.kind(name).unwrap().calls(group).to_vec()
}

fn counted(calls: &[Call], operation: Operation, when: &str) -> (f64, f64) {
    let found: Vec<&Call> =
        calls.iter().filter(|call| call.operation == operation && call.when == when).collect();
    assert_eq!(found.len(), 1, "{operation:?} {when}: {calls:?}");
    (found[0].times, found[0].bytes)
}

#[test]
fn bytes_are_those_that_aicb_counts() {
    let gpt = "llm:layers=40,hidden=5120,vocab=51200,gated=no,tied=yes,sequence=2048,\
               micro-batches=1,tp=8,dp=16";
    let plain = job(&format!("{gpt},sequence-parallel=no")).step_traffic();
    let tensors = calls(&plain, "tp", 0);
    assert_eq!(counted(&tensors, Operation::AllReduce, "forward"), (80.0, 20_971_520.0));
    assert_eq!(counted(&tensors, Operation::AllReduce, "backward"), (80.0, 20_971_520.0));
    // AICB also counts biases and norms: 0.007 % more.
    let near = |found: f64, known: f64, share: f64| {
        assert!((found / known - 1.0).abs() < share, "{found} is not near {known}");
    };
    let data = calls(&plain, "dp-cp", 0);
    near(counted(&data, Operation::ReduceScatter, "step").1, 6_422_958_080.0, 1e-4);
    near(counted(&data, Operation::AllGather, "step").1, 3_211_479_040.0, 1e-4);
    assert_eq!(plain.kind("dp-cp").unwrap().size(), 16);

    let shared = job(gpt).step_traffic();
    let tensors = calls(&shared, "tp", 0);
    for (operation, when, times) in [
        (Operation::AllGather, "forward", 80.0),
        (Operation::ReduceScatter, "forward", 80.0),
        (Operation::AllGather, "backward", 160.0),
        (Operation::ReduceScatter, "backward", 80.0),
    ] {
        assert_eq!(counted(&tensors, operation, when), (times, 20_971_520.0));
    }

    let llama = "llm:layers=32,hidden=4096,ffn=11008,gated=no,tied=yes,vocab=32000,sequence=2048,\
                 micro-batches=1,tp=2,dp=64,sequence-parallel=no";
    let llama = job(llama).step_traffic();
    let tensors = calls(&llama, "tp", 0);
    assert_eq!(counted(&tensors, Operation::AllReduce, "forward"), (64.0, 16_777_216.0));
    assert_eq!(counted(&tensors, Operation::AllReduce, "backward"), (64.0, 16_777_216.0));
    near(
        counted(&calls(&llama, "dp-cp", 0), Operation::ReduceScatter, "step").1,
        10_366_697_472.0,
        4e-3,
    );

    let stages = "llm:layers=80,hidden=8192,sequence=2048,micro-batches=8,tp=2,pp=8,dp=8,\
                  sequence-parallel=no";
    let stages = job(stages).step_traffic();
    let pipeline = calls(&stages, "pp", 0);
    for (operation, when) in [(Operation::Forward, "forward"), (Operation::Backward, "backward")] {
        let (times, bytes) = counted(&pipeline, operation, when);
        assert_eq!((7.0 * times, bytes), (56.0, 33_554_432.0));
    }
    // AICB lists all 80 layers at each of the 8 stages.
    let tensors = calls(&stages, "tp", stages.kind("tp").unwrap().groups.len() / 2);
    assert_eq!(counted(&tensors, Operation::AllReduce, "forward").0 * 8.0 * 8.0, 10_240.0);

    let shared = "llm:layers=40,hidden=5120,ffn=13824,vocab=32000,sequence=2048,micro-batches=1,\
                  dp=128,zero=3";
    let data = calls(&job(shared).step_traffic(), "dp-cp", 0);
    for (operation, when) in [
        (Operation::AllGather, "forward"),
        (Operation::AllGather, "backward"),
        (Operation::ReduceScatter, "backward"),
    ] {
        let mut tensors: Vec<(f64, f64)> = Vec::new();
        for call in data.iter().filter(|call| call.operation == operation && call.when == when) {
            match tensors.iter_mut().find(|(_, bytes)| *bytes == call.bytes) {
                Some((times, _)) => *times += call.times,
                None => tensors.push((call.times, call.bytes)),
            }
        }
        let known =
            [(120.0, 141_557_760.0), (160.0, 52_428_800.0), (2.0, 327_680_000.0), (81.0, 10_240.0)];
        assert_eq!(tensors, known, "{when}");
    }
}

/// What a rank of a middle stage sends, in units of 10^9 bytes.
#[test]
fn bytes_of_published_layouts_are_those_of_the_formulas() {
    let sent = |step: &StepTraffic, name: &str| -> f64 {
        let kind = step.kind(name).unwrap();
        let middle = kind.list_of_group.iter().position(|&list| list == 1);
        let group = middle.unwrap_or(0);
        kind.calls(group).iter().map(|call| call.sent(kind.size())).sum::<f64>() / 1e9
    };
    let is = |found: f64, known: f64, digits: i32| {
        let scale = 10f64.powi(digits);
        assert_eq!((found * scale).round() / scale, known, "{found}");
    };
    let step = |number: usize| job(LAYOUTS.entries[number].example).step_traffic();
    let one_way = |step: &StepTraffic| {
        let (times, bytes) = counted(&calls(step, "pp", 0), Operation::Forward, "forward");
        (times, bytes)
    };

    let short = step(0);
    is(sent(&short, "tp"), 591.9, 1);
    is(sent(&short, "dp-cp"), 18.53, 2);
    assert_eq!(one_way(&short), (32.0, 33_554_432.0));
    let larger = step(1);
    is(sent(&larger, "tp"), 295.95, 2);
    is(sent(&larger, "dp-cp"), 18.68, 2);
    let long = step(2);
    is(sent(&long, "tp"), 295.95, 2);
    is(sent(&long, "dp-cp"), 18.68, 2);
    is(sent(&long, "cp"), 23.8, 1);
    assert_eq!(long.kind("dp-cp").unwrap().size(), 128);
    let small = step(5);
    is(sent(&small, "tp"), 1288.5, 1);
    is(sent(&small, "dp-cp"), 6.42, 2);
    // Interleaved: five messages for each of 128, and four from the last stage to the first.
    assert_eq!(one_way(&small), (5.0 * 128.0, 33_554_432.0));
    let around = counted(&calls(&small, "pp", 0), Operation::LastToFirst, "forward");
    assert_eq!(around.0, 4.0 * 128.0);

    let experts = step(8);
    is(sent(&experts, "ep").round(), 603.0, 0);
    let ep = experts.kind("ep").unwrap();
    let dispatch: f64 =
        ep.calls(0).iter().filter(|call| call.bytes < 3e8).map(|call| call.sent(64)).sum();
    is((dispatch / 1e9).round(), 201.0, 0);
}

#[test]
fn every_published_layout_is_traffic() {
    for layout in LAYOUTS.entries.iter().filter(|layout| !layout.name.contains("16384")) {
        let traffic = parse_pattern(layout.example).unwrap();
        let step = traffic.step().unwrap().clone();
        let total: f64 = step.kinds.iter().map(|kind| kind.bytes()).sum();
        let found = traffic.total(Weight::Bytes);
        assert!((found / total - 1.0).abs() < 1e-6, "{}: {found} {total}", layout.example);
    }
}

#[test]
fn what_cannot_be_is_refused() {
    for (options, expected) in [
        ("llm:tp=8", "llm: layers= is missing; give model=, or layers= and hidden="),
        ("llm:model=llama3-405c", "unknown model \"llama3-405c\"; known are llama3-8b,"),
        ("llm:model=llama3-8b,tp=64", "tp=64, but a layer has only 32 heads"),
        ("llm:model=mixtral-8x7b,top-k=9", "top-k=9, but there are only 8 experts"),
        ("llm:model=llama3-8b,ep=4", "the model has no experts"),
        ("llm:model=mixtral-8x7b,ep=3,dp=3", "8 experts cannot be shared out evenly to ep=3"),
        ("llm:model=mixtral-8x7b,ep=8,dp=4", "groups of 8 do not divide the 4 ranks of a stage"),
        ("llm:model=llama3-8b,order=tp-pp,dp=2", "dp=2 is not in it"),
        ("llm:model=llama3-8b,order=tp-xp", "\"xp\" is not one of tp, cp, ep, dp, pp"),
        ("llm:model=llama3-8b,order=tp-tp", "tp is there twice"),
        (
            "llm:model=mixtral-8x7b,tp=2,pp=2,ep=4,etp=1,dp=4,order=tp-cp-ep-pp-dp",
            "Megatron refuses the order tp-cp-ep-pp-dp here",
        ),
        ("llm:model=llama3-8b,framework=deepspeed,cp=2", "deepspeed has no context parallelism"),
        ("llm:model=llama3-8b,pp=65536,dp=65536", "4294967296 ranks are too many"),
        ("llm:model=llama3-8b,zero=4", "expected one of 0, 1, 2, 3 for \"zero\", found \"4\""),
        ("llm:model=llama3-8b,dp-weight=-1", "a number from 0 to 1000000"),
        ("llm:model=llama3-8b,dp=0", "expected a number of at least 1 for \"dp\""),
    ] {
        let text = error(options);
        assert!(text.contains(expected), "{options}: {text}");
    }
}
