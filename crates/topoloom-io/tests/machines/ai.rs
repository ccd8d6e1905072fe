//! Descriptions of clusters for training: NCCL, nvidia-smi, Slurm's YAML, Topograph, Kubernetes, SimAI.

use topoloom_core::cluster::{Description, Device, Hardware, Network, ObjectKind, Parts, Port};
use topoloom_core::topology::Cluster;
use topoloom_io::machines::{MachineFile, looks_like_machine_file, parse_machine_file};

use super::{levels, sample};

fn read(name: &str) -> (MachineFile, Vec<String>) {
    let bytes = sample(&format!("ai/{name}"));
    assert!(looks_like_machine_file(&bytes), "{name}");
    parse_machine_file(name, &bytes).unwrap()
}

fn text(text: &str) -> (MachineFile, Vec<String>) {
    parse_machine_file("f", text.as_bytes()).unwrap()
}

fn refusal(text: &str) -> String {
    parse_machine_file("f", text.as_bytes()).unwrap_err().to_string()
}

fn hardware(name: &str) -> (Hardware, Vec<String>) {
    let (file, warnings) = read(name);
    let MachineFile::Hardware(hardware) = file else { panic!("{name}: {file:?}") };
    (hardware, warnings)
}

fn network((file, _): (MachineFile, Vec<String>)) -> Network {
    match file {
        MachineFile::Network(network) => network,
        MachineFile::Whole(parts) => parts.network.unwrap(),
        other => panic!("{other:?}"),
    }
}

/// The machine of a file that names hosts.
fn joined(file: MachineFile) -> Description {
    let parts = match file {
        MachineFile::Network(network) => Parts { network: Some(network), ..Parts::default() },
        MachineFile::Whole(parts) => *parts,
        other => panic!("{other:?}"),
    };
    let (description, _) = parts.join().unwrap();
    Cluster::new(description.clone()).unwrap();
    description
}

/// The models and numbers of GPUs, part by part.
fn gpus(hardware: &Hardware) -> Vec<Vec<u32>> {
    let of_part = |part: &topoloom_core::cluster::Object| {
        let gpus = part.children.iter().filter(|child| child.kind == ObjectKind::Gpu);
        gpus.filter_map(|gpu| gpu.index).collect()
    };
    hardware.node.children.iter().map(of_part).collect()
}

#[test]
fn a_dump_of_nccl_has_cpus_gpus_and_adapters_by_numa_node() {
    let (node, warnings) = hardware("nccl/h100x8-nvswitch-dump.xml");
    assert!(warnings.is_empty());
    // ffffffff,ffffffff,0000ffff: 80 CPUs in each of two NUMA nodes.
    assert_eq!(node.node.cpus(), (0..160).collect::<Vec<u32>>());
    assert_eq!(gpus(&node), [[0, 1, 2, 3], [4, 5, 6, 7]]);
    let first = &node.node.children[0].children[0];
    assert_eq!(first.name.as_deref(), Some("NVIDIA H100"));
    assert_eq!(node.adapters.len(), 8);
    let nic = &node.adapters[0];
    assert_eq!((&nic.name[..], nic.guid), ("mlx5_7", Some(0x34f4_e300_03e1_a258)));
    assert_eq!((node.numa_of(nic), node.gpus_of(nic)), (Some(0), vec![0]));
    assert_eq!(nic.megabits_per_second, Some(200_000));
}

#[test]
fn files_of_clouds_have_gpus_by_their_class_and_numbers_by_bus() {
    let (node, warnings) = hardware("nccl/azure-ndv4-topo.xml");
    // Bus 0001 and 0002 are in NUMA node 1, 0003 and 0004 in 0, 000b and 000c in 3.
    assert_eq!(gpus(&node), [[2, 3], [0, 1], [6, 7], [4, 5]]);
    assert_eq!((node.adapters.len(), warnings.len()), (8, 0));
    assert_eq!(node.gpus_of(&node.adapters[0]), [2, 3]);
    let (node, _) = hardware("nccl/aws-p4d-topo.xml");
    assert_eq!((node.node.count(ObjectKind::Gpu), node.node.cpus().len()), (8, 96));
    assert_eq!(node.gpus_of(&node.adapters[3]), [6, 7]);
}

#[test]
fn rccl_is_read_like_nccl() {
    let (node, warnings) = hardware("nccl/rccl-mi300x-8p.xml");
    assert_eq!((node.node.count(ObjectKind::Gpu), node.adapters.len()), (8, 8));
    assert_eq!(node.node.children[0].children[0].name.as_deref(), Some("AMD MI300X"));
    assert!(warnings.is_empty());
    let (node, _) = hardware("nccl/rccl-mi250x-8p.xml");
    assert_eq!((node.node.cpus().len(), node.node.count(ObjectKind::Gpu)), (128, 8));
}

#[test]
fn a_dump_of_several_hosts_gives_one_and_says_so() {
    let (node, warnings) = hardware("nccl/gb300-2tray-mnnvl-topo.xml");
    assert_eq!((node.node.count(ObjectKind::Gpu), node.node.cpus().len()), (4, 144));
    assert!(warnings[0].starts_with("the dump holds 2 hosts that NVLink joins"), "{warnings:?}");
}

#[test]
fn cpus_that_are_not_known_are_assumed_with_a_warning() {
    let (node, warnings) = hardware("nccl/h200-single-topo.xml");
    assert_eq!((node.node.cpus(), warnings.len()), (vec![0], 1));
    assert_eq!(node.adapters[0].name, "eth0");
    let (node, warnings) = hardware("smi/h100x8-6nic-empty-affinity-gpu-rows.txt");
    // CPU 1 is in NUMA node 1, so node 0 gets 0, 2, 3 and 4.
    assert_eq!(node.node.children[0].cpus(), [0, 2, 3, 4]);
    assert_eq!(node.node.children[1].cpus(), [1]);
    assert!(warnings[0].contains("GPU 0 and 3 others"), "{warnings:?}");
}

#[test]
fn a_gpu_without_nvlink_is_warned_of_if_others_have_it() {
    let gpu = |dev: u32, link: &str| {
        format!("<pci busid=\"{dev}\" class=\"0x030200\"><gpu dev=\"{dev}\">{link}</gpu></pci>")
    };
    let link = "<nvlink target=\"x\" count=\"18\"/>";
    let file = |gpus: &str| {
        format!("<system version=\"1\"><cpu numaid=\"0\" affinity=\"f\">{gpus}</cpu></system>")
    };
    let (_, warnings) = text(&file(&format!("{}{}", gpu(0, link), gpu(1, ""))));
    assert!(warnings[0].starts_with("GPU 1 has no NVLink"), "{warnings:?}");
    assert!(text(&file(&gpu(0, ""))).1.is_empty());
    assert!(
        refusal(&file(&format!("{}{}", gpu(0, ""), gpu(0, "")))).contains("GPU 0 appears twice")
    );
}

#[test]
fn what_is_wrong_in_files_of_nccl_is_refused_with_its_line() {
    let graph = parse_machine_file("g", &sample("ai/nccl/azure-ncv4-graph.xml")).unwrap_err();
    assert!(graph.to_string().starts_with("g:1: a graph of NCCL"), "{graph}");
    for (cpu, expected) in [
        ("", "f:2: expected CPUs (affinity of <cpu>) or GPUs, found none"),
        ("\n<cpu numaid=\"x\"/>", "f:3: numaid: expected the number of a NUMA node, found \"x\""),
        ("\n<cpu affinity=\"xyz\"/>", "f:3: affinity: expected CPUs such as"),
        ("<cpu affinity=\"f\"><gpu dev=\"-1\"/></cpu>", "f:2: dev: expected the number of a GPU"),
    ] {
        let refused = refusal(&format!("<!-- c -->\n<system version=\"1\">{cpu}</system>"));
        assert!(refused.starts_with(expected), "{refused}");
    }
}

#[test]
fn nvidia_smi_tells_numa_nodes_and_bridges() {
    let (node, warnings) = hardware("smi/h100x8-8nic.txt");
    assert_eq!(gpus(&node), [[0, 1, 2, 3], [4, 5, 6, 7]]);
    // GPU i and NIC i are PIX, and the legend calls NIC 4 mlx5_5.
    let nic = &node.adapters[4];
    assert_eq!((&nic.name[..], node.numa_of(nic), node.gpus_of(nic)), ("mlx5_5", Some(1), vec![4]));
    assert!(warnings.is_empty());
    let (node, _) = hardware("smi/dgx1-v100.txt");
    assert_eq!((node.node.children.len(), node.adapters.len()), (2, 4));
    assert_eq!(node.gpus_of(&node.adapters[1]), [4, 5]);
    let (node, _) = hardware("smi/h200-single-ansi-header.txt");
    assert_eq!((node.node.cpus().len(), node.node.count(ObjectKind::Gpu)), (16, 1));
    let (node, _) = hardware("smi/rtx4090x8-pcie.txt");
    // Only a host bridge joins it to GPU 6.
    assert_eq!((node.numa_of(&node.adapters[0]), node.adapters[0].gpus.len()), (Some(1), 0));
    let (node, _) = hardware("smi/a100x8-4nic.txt");
    assert_eq!(node.gpus_of(&node.adapters[3]), [2, 3]);
}

#[test]
fn memory_of_gpus_is_not_their_numa_node() {
    let table = "\tGPU0\tGPU1\tCPU Affinity\tNUMA Affinity\tGPU NUMA ID\n\
                 GPU0\t X \tNV18\t0-1\t0,2-17\t\t2\nGPU1\tSYS\t X \t2-3\t1\t\t10\n";
    let (file, warnings) = text(table);
    let MachineFile::Hardware(node) = file else { panic!("{file:?}") };
    assert_eq!(
        node.node.children.iter().map(|part| part.index).collect::<Vec<_>>(),
        [Some(0), Some(1)]
    );
    assert!(warnings[0].starts_with("GPU 1 has no NVLink"), "{warnings:?}");
}

#[test]
fn what_is_wrong_in_tables_of_nvidia_smi_is_refused_with_its_line() {
    let head = "\tGPU0\tGPU1\tCPU Affinity\tNUMA Affinity\n";
    for (rows, expected) in [
        ("", "f: expected rows of GPUs, found none"),
        ("GPU0\t X\n", "f:2: expected 2 columns of GPUs and adapters, found 1"),
        ("GPU0\t X \tFOO\t0\t0\n", "f:2: expected X, NV18, PIX, PXB, PHB, NODE or SYS, found"),
        ("GPU0\t X \tSYS\tzero\t0\n", "f:2: expected CPUs such as 0-3,8"),
        ("GPU0\t X \tSYS\t0\ta\n", "f:2: NUMA Affinity: expected a NUMA node"),
        ("GPU0\t X \tSYS\t0\t0\nGPU0\t X \tSYS\t0\t0\n", "f:3: GPU0 has two rows"),
    ] {
        let refused = refusal(&format!("{head}{rows}"));
        assert!(refused.starts_with(expected), "{refused}");
    }
}

const A: &str = "9f0c1e5a-0000-4000-8000-000000000001";
const B: &str = "9f0c1e5a-0000-4000-8000-000000000002";

#[test]
fn fabric_uuids_are_domains_of_hosts() {
    let lines =
        format!("n1: {A}, 1\nn1: {A}, 1\nn2 {A}, 1\n0: n3 {A}, 2\nn4: {B}, 1\nn5: N/A, N/A\n");
    let (file, warnings) = text(&lines);
    let MachineFile::Domains(domains) = file else { panic!("{file:?}") };
    let names: Vec<(&str, &str)> =
        domains.iter().map(|(host, domain)| (&host[..], &domain[domain.len() - 3..])).collect();
    assert_eq!(names, [("n1", "1.1"), ("n2", "1.1"), ("n3", "1.2"), ("n4", "2.1")]);
    assert!(warnings.is_empty());
    assert!(text(&format!("0: {A}, 1\n1: {A}, 1\n")).1[0].starts_with("all hosts are numbers"));
    let only_domains = Parts { domains, ..Parts::default() };
    let (machine, _) = only_domains.join().unwrap();
    assert_eq!((machine.hosts.len(), machine.network.groups.len()), (4, 1));
}

#[test]
fn what_is_wrong_in_lists_of_fabric_uuids_is_refused() {
    let none = parse_machine_file("f", &sample("ai/smi/query-fabric-na.csv")).unwrap_err();
    assert!(none.to_string().starts_with("f: no NVLink domain: every GPU answers N/A"), "{none}");
    let two = refusal(&format!("n1: {A}, 1\nn1: {B}, 1\n"));
    assert!(two.starts_with("f:2: GPUs of host n1 are in the NVLink domains"), "{two}");
    assert!(refusal(&format!("{A}, 1\n")).starts_with("f:1: the host is missing"));
    assert!(
        refusal(&format!("n1: {A}, 1\nnonsense\n")).starts_with("f:2: expected a host, a UUID")
    );
    let whole = parse_machine_file("f", &sample("ai/smi/q-fabric-na.txt")).unwrap_err();
    assert!(whole.to_string().starts_with("f:1: output of nvidia-smi -q"), "{whole}");
}

/// The file of all kinds with another default.
fn slurm_default(name: &str) -> (MachineFile, Vec<String>) {
    let file = String::from_utf8(sample("ai/slurm/topology.yaml")).unwrap();
    let file = file.replace("cluster_default: true", "cluster_default: false");
    let marked = format!("topology: {name}\n  cluster_default: false");
    assert!(file.contains(&marked));
    text(&file.replace(&marked, &marked.replace("false", "true")))
}

#[test]
fn topologies_of_slurm_are_read_from_yaml() {
    let (file, warnings) = read("slurm/topology.yaml");
    assert!(warnings[0].ends_with("others are left out: topo2, topo3, topo3a, topo4, topo5"));
    assert_eq!(levels(&network((file, warnings))), [2, 1]);
    let blocks = network(slurm_default("topo2"));
    assert_eq!((levels(&blocks), blocks.hosts.len()), (vec![4, 1], 16));
    let rings = network(slurm_default("topo4"));
    assert_eq!((levels(&rings), rings.hosts.len()), (vec![2], 16));
    let (flat, warnings) = slurm_default("topo3");
    let MachineFile::Hosts(hosts) = flat else { panic!("{flat:?}") };
    assert_eq!((hosts.len(), warnings.len()), (32, 2));
    let (mixed, _) = read("topograph/topology-mixed.yaml");
    let MachineFile::Hosts(hosts) = mixed else { panic!("{mixed:?}") };
    assert_eq!(hosts.len(), 10);
}

#[test]
fn nodes_of_a_torus_are_where_the_file_puts_them() {
    let (file, _) = slurm_default("topo5");
    let description = joined(file);
    // 4 x 4 x 2: rings of four have four cables, and rings of two have one.
    let wiring = description.network.wiring.as_ref().unwrap();
    assert_eq!(wiring.cables.len(), 32 + 32 + 32 + 16);
    let name = |end: &Port| match end.device {
        Device::Switch(switch) => wiring.switches[switch as usize].name.clone(),
        Device::Adapter(adapter) => wiring.adapters[adapter as usize].name.clone(),
    };
    let mut neighbours: Vec<String> = Vec::new();
    for cable in &wiring.cables {
        let [a, b] = [name(&cable.ends[0]), name(&cable.ends[1])];
        let own = "switch of node01";
        neighbours.extend((a == own).then_some(b.clone()));
        neighbours.extend((b == own).then_some(a));
    }
    neighbours.sort_unstable();
    // One step in x, y and z, and one back around the rings of four; its own node is "torus".
    let expected = ["node02", "node04", "node05", "node13", "node17"];
    let expected = expected.map(|node| format!("switch of {node}"));
    assert_eq!(neighbours[..5], expected);
    assert_eq!(neighbours[5..], ["torus"]);
}

#[test]
fn what_is_wrong_in_yaml_of_slurm_is_refused_with_its_line() {
    for (file, expected) in [
        ("- topology: a\n  tree: 5\n", "f:2: tree: expected nodes, found none"),
        ("- topology: a\n  net: {}\n", "f:1: a: expected a topology of the kind tree"),
        (
            "- topology: a\n  tree:\n    switches: 7\n",
            "f:3: switches: expected a list, found \"7\"",
        ),
        (
            "- topology: a\n  tree:\n    switches:\n      - nodes: n1\n",
            "f:4: \"switch\" is missing",
        ),
        (
            "- topology: a\n  block:\n    block_sizes: [x]\n    blocks: []\n",
            "f:3: block_sizes: expected numbers such as 8, found \"x\"",
        ),
        (
            "- topology: a\n  torus3d:\n    toruses:\n    - name: p\n      dims: {x: 2, y: 2, z: 1}\n      nodes: n[1-3]\n",
            "f:4: p: expected 4 nodes, found 3",
        ),
        ("- topology: a\n  flat: true\n", "f:2: topology a is flat: it names no nodes"),
        ("- topology: a\n  tree: [\n", "f:"),
    ] {
        let refused = refusal(file);
        assert!(refused.starts_with(expected), "{refused}");
    }
}

#[test]
fn addresses_of_tasks_are_paths_of_switches() {
    let lines = "n1 core.leaf1.n1\nn2 core.leaf1.n2\nn3.site.org core.leaf2.n3\n";
    let read = network(text(lines));
    assert_eq!((levels(&read), read.hosts.len()), (vec![2, 1], 3));
    assert_eq!(read.hosts[2].0, "n3.site.org");
    let forms = [
        "core.leaf1.n1\ncore.leaf1.n2\ncore.leaf2.n3\n",
        "0: core.leaf1.n1\n1: core.leaf1.n2\n2: core.leaf2.n3\n",
        "SLURM_TOPOLOGY_ADDR=core.leaf1.n1\nSLURM_TOPOLOGY_ADDR_PATTERN=switch.switch.node\n\
         SLURM_TOPOLOGY_ADDR=core.leaf1.n2\nSLURM_TOPOLOGY_ADDR=core.leaf2.n3\n",
        "n1: core.leaf1.n1\nn2: core.leaf1.n2\nn3: core.leaf2.n3\n",
    ];
    for form in forms {
        assert_eq!(levels(&network(text(form))), [2, 1], "{form}");
    }
    // Names of Topograph contain dots.
    let dots = "a switch.2.1.switch.1.1.a\nb switch.2.1.switch.1.2.b\n";
    assert_eq!(levels(&network(text(dots))), [2, 1]);
    assert!(
        refusal("n1 core.leaf1.n1\nn2 core.leaf1.n3\n").starts_with("f:2: expected a node and its")
    );
    assert!(refusal("n1 core.a.n1\nn1 core.b.n1\n").starts_with("f:2: host n1 is in two places"));
    // Full names and addresses of hosts stay what they are.
    for hosts in ["n1.site.org\nn2.site.org\n", "10.0.0.1\n10.0.0.2\n", "n1.a\nn2.b\n"] {
        let (file, _) = text(hosts);
        assert!(matches!(file, MachineFile::Hosts(_)), "{hosts}");
    }
}

#[test]
fn models_of_topograph_have_switches_and_nvlink_domains() {
    let machine = joined(read("topograph/nvl72.yaml").0);
    assert_eq!((machine.hosts.len(), levels(&machine.network)), (72, vec![4, 2, 1]));
    let domains = machine.network.groups.iter().filter(|group| group.level == 0).count();
    assert_eq!(domains, 4);
    // A domain of six racks is in the smallest group around all of them.
    let machine = joined(read("topograph/dual-xclr-regular.yaml").0);
    let domains: Vec<_> = machine.network.groups.iter().filter(|group| group.level == 0).collect();
    assert_eq!(domains.len(), 2);
    assert_eq!(machine.network.groups[domains[0].parent.unwrap() as usize].name, "core");
    let small = joined(read("topograph/small-tree.yaml").0);
    assert_eq!((small.hosts.len(), levels(&small.network)), (6, vec![2, 1]));
    assert!(
        refusal("switches:\n  a:\n    switches: [b]\nblocks:\n- nodes: [n1]\n")
            .starts_with("f:5: \"switch\"")
    );
}

#[test]
fn labels_of_kubernetes_are_read_in_all_generations() {
    let machine = joined(read("k8s/nodes-labels.json").0);
    assert_eq!(machine.hosts.len(), 4);
    // The first two nodes have the same switches and the same domain, under different labels.
    assert_eq!(machine.hosts[0].group, machine.hosts[1].group);
    let group = &machine.network.groups[machine.hosts[0].group.unwrap() as usize];
    assert_eq!((&group.name[..], group.level), ("nvl1", 0));
    let yaml = "apiVersion: v1\nkind: Node\nmetadata:\n  name: a\n  labels:\n    \
                oci.oraclecloud.com/host.rack_id: r1\n    oci.oraclecloud.com/host.network_block_id: b1\n\
                ---\napiVersion: v1\nkind: Node\nmetadata: {name: control}\n";
    let (file, warnings) = text(yaml);
    assert!(
        warnings[0].starts_with("1 node without labels of the network left out"),
        "{warnings:?}"
    );
    let network = network((file, warnings));
    assert_eq!((network.groups[0].name.as_str(), network.groups[1].name.as_str()), ("b1", "r1"));
    let bare =
        "{\"kind\": \"List\",\n\"items\": [{\"kind\": \"Node\", \"metadata\": {\"name\": \"a\"}}]}";
    assert!(refusal(bare).starts_with("f: expected labels that say where nodes are"));
    let nameless = "{\"kind\": \"List\", \"items\": [\n{\"kind\": \"Node\", \"metadata\": {}}]}";
    assert_eq!(refusal(nameless), "f:2: \"name\" is missing");
}

#[test]
fn cliques_alone_are_domains() {
    let node = |name: &str| {
        format!(
            "{{\"kind\":\"Node\",\"metadata\":{{\"name\":\"{name}\",\"labels\":{{\"nvidia.com/gpu.clique\":\"u.1\"}}}}}}"
        )
    };
    let (file, _) = text(&format!("{{\"kind\":\"List\",\"items\":[{},{}]}}", node("a"), node("b")));
    let MachineFile::Domains(domains) = file else { panic!("{file:?}") };
    assert_eq!(domains.len(), 2);
}

#[test]
fn graphs_of_topograph_aws_netq_and_volcano_are_networks() {
    assert_eq!(levels(&network(read("k8s/topograph-graph.json"))), [1, 1]);
    let aws = network(read("k8s/aws-instance-topology.json"));
    assert_eq!((levels(&aws), aws.hosts.len()), (vec![2, 1, 1], 2));
    let block = |kind: &str| {
        let instance = |id: &str| {
            format!(
                "{{\"InstanceId\":\"{id}\",\"InstanceType\":\"{kind}\",\"CapacityBlockId\":\"cb\",\"NetworkNodes\":[\"t\"]}}"
            )
        };
        let (file, _) = text(&format!("{{\"Instances\":[{},{}]}}", instance("a"), instance("b")));
        joined(file).network.groups.len()
    };
    assert_eq!((block("p6e-gb200.36xlarge"), block("p5.48xlarge")), (2, 1));
    let volcano = network(read("k8s/volcano-hypernodes.yaml"));
    assert_eq!((levels(&volcano), volcano.hosts.len()), (vec![1, 1], 2));
    let netq = joined(read("topograph/netq-topologyGraph.json").0);
    assert_eq!((netq.hosts.len(), netq.network.wiring.as_ref().unwrap().cables.len()), (8, 79));
    let (nodes, _) = read("topograph/netq-computeNodes.json");
    let MachineFile::Domains(domains) = nodes else { panic!("{nodes:?}") };
    assert_eq!(domains[0].0, "node1");
}

#[test]
fn simai_gives_servers_with_gpus_on_rails() {
    let spectrum = joined(read("simai/Spectrum-X_32g_8gps_400Gbps_H100.topo").0);
    assert_eq!((spectrum.hosts.len(), spectrum.place), (4, ObjectKind::Gpu));
    let wiring = spectrum.network.wiring.as_ref().unwrap();
    // 32 links of GPUs, and 8 leaves with 4 spines each.
    assert_eq!((wiring.cables.len(), wiring.adapters.len()), (64, 32));
    assert_eq!((&wiring.adapters[9].name[..], wiring.adapters[9].device), ("gpu1", Some(1)));
    assert_eq!(wiring.cables[0].link.bytes_per_second, 50e9);
    let speed = spectrum.costs.speed_inside(ObjectKind::Node);
    assert_eq!(speed.bytes_per_second, Some(360e9));
    // Two planes: each GPU has two adapters.
    let hpn = joined(read("simai/AlibabaHPN_64g_8gps_DualToR_DualPlane_200Gbps_H100.topo").0);
    assert_eq!(hpn.network.wiring.as_ref().unwrap().adapters.len(), 128);
    assert_eq!(hpn.kinds[0].adapters.len(), 16);
    let dcn = joined(read("simai/DCNpSingleToR_32g_8gps_400Gbps_H100.topo").0);
    assert_eq!(dcn.network.switches, 3);
}

#[test]
fn what_is_wrong_in_files_of_simai_is_refused_with_its_line() {
    for (file, expected) in [
        (
            "5 3 1 2 4 H100\n2 3 4\n",
            "f:1: expected whole servers of GPUs, found 2 GPUs, 3 per server",
        ),
        ("5 2 1 2 4 H100\n2 3\n", "f:2: expected the numbers of 3 switches, found 2"),
        ("5 2 1 2 4 H100\n2 3 9\n", "f:2: expected a switch from 2 to 4, found \"9\""),
        ("5 2 1 2 1 H100\n2 3 4\n0 9 1Gbps 0ms 0\n", "f:3: there is no node 9"),
        ("5 2 1 2 1 H100\n2 3 4\n0 3 fast 0ms 0\n", "f:3: expected a link such as"),
        ("5 2 1 2 1 H100\n2 3 4\n0 1 1Gbps 0ms 0\n", "f:3: expected a link from a GPU to a switch"),
        ("5 2 1 2 9 H100\n2 3 4\n0 3 1Gbps 0ms 0\n", "f: expected 9 links, found 1"),
    ] {
        let refused = refusal(file);
        assert!(refused.starts_with(expected), "{refused}");
    }
}

#[test]
fn files_that_are_no_machines_are_refused_by_name() {
    for (name, expected) in [
        (
            "k8s/kueue-jobset-tas-required.yaml",
            ":2: an object of Kubernetes of the kind \"JobSet\"",
        ),
        ("k8s/kueue-jobset-tas-sliced.yaml", ":2: an object of Kubernetes of the kind \"JobSet\""),
        ("simai/microAllReduce.txt", ":1: a workload of SimAI"),
        ("astra/8nodes.topo", ":1: a network of ASTRA-sim's htsim"),
        ("astra/HGX-H100-validated.json", ":1: settings of ASTRA-sim"),
        ("astra/HGX-H100-validated.yml", ":1: a network of ASTRA-sim"),
        ("astra/Ring_16npus.yml", ":1: a network of ASTRA-sim"),
    ] {
        let error = parse_machine_file(name, &sample(&format!("ai/{name}"))).unwrap_err();
        assert!(error.to_string().starts_with(&format!("{name}{expected}")), "{error}");
    }
    assert!(refusal("{\"a\": 1}").starts_with("f:1: expected a description of a cluster"));
    assert!(refusal("a: 1\nb: 2\n").ends_with("found \"a\", \"b\""));
    assert!(refusal("name,count,kind,size\nx,1,y,2\n").starts_with("f:1: a table of values"));
}
