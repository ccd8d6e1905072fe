//! XML of hwloc.

use std::fs;
use std::path::Path;

use topoloom_core::cluster::{Hardware, Object, ObjectKind};
use topoloom_io::machines::parse_hwloc;

fn sample(name: &str) -> Hardware {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/machines/hwloc").join(name);
    parse_hwloc(name, &fs::read(path).unwrap()).unwrap()
}

/// Packages, NUMA nodes, cores, threads, GPUs; first- to third-level caches; dies and groups.
fn counts(node: &Object) -> ([usize; 5], [usize; 3], [usize; 2]) {
    use ObjectKind::*;
    (
        [Package, Numa, Core, Thread, Gpu].map(|kind| node.count(kind)),
        [L1, L2, L3].map(|kind| node.count(kind)),
        [Die, Group].map(|kind| node.count(kind)),
    )
}

#[test]
fn samples_have_what_lstopo_shows_of_them() {
    for (name, expected) in [
        ("16em64t-4s2c2t.v2.9.3.xml", ([4, 1, 8, 16, 0], [8, 8, 4], [0, 0])),
        // Its only graphics card shows the console.
        ("96em64t-4n4d3ca2co-pci.v2.9.3.xml", ([16, 4, 96, 96, 0], [96, 48, 16], [0, 4])),
        ("nvidiaDGX2.v2.14.xml", ([2, 2, 4, 4, 16], [4, 4, 2], [0, 0])),
        ("nvidiaDGX2.v3.xml", ([2, 2, 4, 4, 16], [4, 4, 2], [0, 0])),
        // Three libraries know each of its GPUs.
        ("power8gpudistances.v2.9.3.xml", ([2, 2, 8, 16, 4], [0, 0, 8], [0, 0])),
    ] {
        assert_eq!(counts(&sample(name).node), expected, "{name}");
    }
}

#[test]
fn both_formats_say_the_same() {
    assert_eq!(sample("nvidiaDGX2.v2.14.xml"), sample("nvidiaDGX2.v3.xml"));
}

#[test]
fn memory_is_around_what_it_is_attached_to_with_the_gpus() {
    let machine = sample("nvidiaDGX2.v3.xml").node;
    let package = &machine.children[1];
    assert_eq!((package.kind, package.index), (ObjectKind::Package, Some(1)));
    let [memory] = &package.children[..] else { panic!("one NUMA node") };
    assert_eq!((memory.kind, memory.index), (ObjectKind::Numa, Some(1)));
    assert_eq!(memory.cpus(), [24, 25]);
    assert_eq!(memory.children.len(), 9);
    let gpu = &memory.children[0];
    assert_eq!((gpu.kind, gpu.index), (ObjectKind::Gpu, Some(8)));
    assert_eq!(gpu.name.as_deref(), Some("Tesla V100-SXM3-32GB-H"));
    // A single memory of all packages.
    let machine = sample("16em64t-4s2c2t.v2.9.3.xml").node;
    assert_eq!(machine.children[0].kind, ObjectKind::Numa);
    assert_eq!(machine.children[0].children.len(), 4);
    assert_eq!(machine.children[0].children[0].cpus(), [0, 4, 8, 12]);
}

/// A machine of format `version` with this content.
fn machine(version: u32, inside: &str) -> String {
    format!(
        r#"<?xml version="1.0"?>
<!DOCTYPE topology SYSTEM "hwloc2.dtd">
<topology version="{version}.0">
<object type="Machine" cpuset="0xff" allowed_cpuset="0x0f">
{inside}
</object></topology>"#
    )
}

fn read(version: u32, inside: &str) -> Hardware {
    parse_hwloc("a.xml", machine(version, inside).as_bytes()).unwrap()
}

#[test]
fn what_may_not_be_used_is_left_out() {
    let package = |number: u32| {
        let pu = |cpu| format!(r#"<object type="PU" os_index="{cpu}"/>"#);
        let core = |core: u32| {
            let pus = pu(core) + &pu(core + 1);
            format!(r#"<object type="Core" os_index="{core}">{pus}</object>"#)
        };
        let cores = core(3 * number) + &core(3 * number + 2);
        format!(r#"<object type="Package" os_index="{number}">{cores}</object>"#)
    };
    // CPUs 0 to 3, 3 to 6 and 6 to 9 would overlap, so two packages are enough.
    let hardware = read(2, &(package(0) + &package(2)));
    assert_eq!(hardware.node.cpus(), [0, 1, 2, 3]);
    assert_eq!(counts(&hardware.node).0, [1, 0, 2, 4, 0]);
}

#[test]
fn memory_without_cpus_and_memory_farther_away_are_not_parts() {
    let cpus = r#"<object type="Package"><object type="NUMANode" os_index="0" cpuset="0x3"/>
        <object type="MemCache" cpuset="0x3"><object type="NUMANode" os_index="4" cpuset="0x3"/></object>
        <object type="Core"><object type="PU" os_index="0"/></object></object>"#;
    let more = r#"<object type="NUMANode" os_index="7" cpuset="0x0"/>
        <object type="NUMANode" os_index="8" cpuset="0x3"/>"#;
    let hardware = read(3, &format!("{cpus}{more}"));
    assert_eq!(hardware.node.count(ObjectKind::Numa), 1);
    assert_eq!(hardware.node.children[0].children[0].index, Some(0));
}

#[test]
fn threads_without_cores_get_some() {
    let hardware = read(
        2,
        r#"<object type="L2Cache"><object type="L1iCache">
        <object type="PU" os_index="3"/></object><object type="PU" os_index="1"/></object>"#,
    );
    let cache = &hardware.node.children[0];
    assert_eq!(cache.kind, ObjectKind::L2);
    let cores: Vec<_> = cache.children.iter().map(|core| (core.kind, core.index)).collect();
    assert_eq!(cores, [(ObjectKind::Core, Some(3)), (ObjectKind::Core, Some(1))]);
}

#[test]
fn the_host_is_named_by_the_machine_or_by_the_topology() {
    let pu = r#"<object type="PU" os_index="0"/>"#;
    let info = r#"<info name="HostName" value="n17"/>"#;
    assert_eq!(read(2, &format!("{info}{pu}")).host.as_deref(), Some("n17"));
    let text = machine(3, pu).replace("</topology>", &format!("{info}</topology>"));
    assert_eq!(parse_hwloc("a", text.as_bytes()).unwrap().host.as_deref(), Some("n17"));
    assert_eq!(read(2, pu).host, None);
}

#[test]
fn gpus_are_what_computes() {
    let device = |class: &str, names: &[(&str, u32)]| {
        let names: String = names
            .iter()
            .map(|(name, kind)| {
                format!(r#"<object type="OSDev" name="{name}" osdev_type="{kind}"/>"#)
            })
            .collect();
        format!(
            r#"<object type="Bridge"><object type="PCIDev" pci_type="{class} [0:0] 0">{names}
               </object></object><object type="PU" os_index="0"/>"#
        )
    };
    let count = |version, class: &str, names: &[(&str, u32)]| {
        read(version, &device(class, names)).node.count(ObjectKind::Gpu)
    };
    assert_eq!(count(2, "0300 [102b:0522]", &[("card0", 1), ("renderD128", 1)]), 0);
    assert_eq!(count(2, "0300 [1002:515e]", &[("card0", 1)]), 0);
    assert_eq!(count(2, "0300 [1002:73bf]", &[("card0", 1), ("renderD128", 1)]), 1);
    assert_eq!(count(2, "0302 [10de:1db8]", &[("card0", 1)]), 1);
    assert_eq!(count(2, "0380 [8086:0bd5]", &[("card1", 1), ("ze0", 5)]), 1);
    assert_eq!(count(2, "0207 [15b3:1017]", &[("mlx5_0", 3), ("ib0", 2)]), 0);
    // Bits: a GPU and a co-processor; a network; a disk, whose number is a GPU's in format 2.
    assert_eq!(count(3, "0302 [10de:1db8]", &[("nvml0", 12)]), 1);
    assert_eq!(count(3, "0200 [8086:1521]", &[("eth0", 16)]), 0);
    assert_eq!(count(3, "0108 [8086:0a54]", &[("nvme0n1", 1)]), 0);
    // Without PCI devices the library that sees most devices counts.
    let beside = ["cuda0", "cuda1", "nvml0", "nvml1", "opencl0d0", "opencl0d1", "opencl0d2"]
        .map(|name| format!(r#"<object type="OSDev" name="{name}" osdev_type="5"/>"#))
        .concat();
    let hardware = read(2, &format!(r#"{beside}<object type="PU" os_index="0"/>"#));
    let gpus = &hardware.node.children[..2];
    assert_eq!([gpus[0].index, gpus[1].index], [Some(0), Some(1)]);
    assert_eq!(hardware.node.count(ObjectKind::Gpu), 2);
}

#[test]
fn what_is_wrong_is_said_with_its_line() {
    let refusal = |text: &str| parse_hwloc("a.xml", text.as_bytes()).unwrap_err().to_string();
    let within = |inside: &str| refusal(&machine(2, inside));
    let pu = r#"<object type="PU" os_index="0"/>"#;
    let old = "a.xml:1: expected format 2 or 3 of hwloc's XML, found format 1; lstopo of hwloc 2 \
               converts it: lstopo -i OLD NEW";
    for (found, expected) in [
        (refusal(""), "a.xml:1: expected XML: the document does not have a root node"),
        (
            refusal("<topology>\n<object></topology>"),
            "a.xml:2: expected XML: expected 'object' tag, not 'topology'",
        ),
        (
            refusal("\n<html/>"),
            "a.xml:2: expected hwloc's XML, which starts with <topology>, found <html>",
        ),
        (refusal("<topology/>"), old),
        (refusal(r#"<topology version="1.0"/>"#), old),
        (
            refusal(r#"<topology version="9.1"/>"#),
            "a.xml:1: expected format 2 or 3 of hwloc's XML, found format 9.1",
        ),
        (
            refusal(r#"<topology version="2.0"/>"#),
            "a.xml:1: expected one object in <topology>, a Machine",
        ),
        (
            refusal(r#"<topology version="2.0"><object type="Core"/></topology>"#),
            "a.xml:1: expected one object in <topology>, a Machine",
        ),
        (
            refusal(&machine(2, pu).replace("0x0f", "0x0z")),
            r#"a.xml:4: allowed_cpuset: expected CPUs such as 0x0000000f, found "0x0z""#,
        ),
        (within(""), "a.xml:4: expected threads (PU) that may be used, found none"),
        (
            within(r#"<object type="PU" os_index="6"/>"#),
            "a.xml:4: expected threads (PU) that may be used, found none",
        ),
        (within(r#"<object type="PU"/>"#), "a.xml:5: expected the os_index of a PU, found none"),
        (
            within(r#"<object type="PU" os_index="x"/>"#),
            r#"a.xml:5: os_index: expected a whole number, found "x""#,
        ),
        (within(&format!("{pu}\n\n{pu}")), "a.xml:7: PU 0 appears twice"),
        (
            within(r#"<object type="Core" cpuset="3,4!"/>"#),
            r#"a.xml:5: cpuset: expected CPUs such as 0x0000000f, found "3,4!""#,
        ),
        (
            within(r#"<object type="NUMANode" cpuset="all"/>"#),
            r#"a.xml:5: cpuset: expected CPUs such as 0x0000000f, found "all""#,
        ),
        (within("<object/>"), "a.xml:5: expected the type of an object, found none"),
        (within(r#"<object type="Machine"/>"#), "a.xml:5: a Machine inside a Machine"),
        (
            within(r#"<object type="OSDev" osdev_type="!"/>"#),
            r#"a.xml:5: expected the type of a device, found "!""#,
        ),
    ] {
        assert_eq!(found, expected);
    }
    let error = parse_hwloc("a.xml", b"<topology>\n\xff</topology>").unwrap_err();
    assert_eq!(error.to_string(), "a.xml:2: expected UTF-8 text");
}

#[test]
fn depth_alone_does_no_harm() {
    // A file that is far too deep is not even parsed.
    for (levels, many) in [
        (101, "100 nested objects"),
        (2000, "1000 nested elements"),
        (200_000, "1000 nested elements"),
    ] {
        let inside = r#"<object type="Group">"#.repeat(levels) + &"</object>".repeat(levels);
        let error = parse_hwloc("a.xml", machine(2, &inside).as_bytes()).unwrap_err();
        assert_eq!(error.to_string(), format!("a.xml:5: more than {many}"));
    }
}
