//! `topoloom apply`, as a user sees it.

use std::fs;
use std::path::Path;

use crate::program::{refusal, stdout, topoloom};

const SEATED: &str = r#"{"format": "topoloom-mapping", "version": 1, "ranks": 3,
  "node_of_rank": [2, 0, 3], "slot_of_rank": [2, 0, 3],
  "hosts": ["n01", "n02"], "slots_of_host": [2, 2], "host_of_rank": [1, 0, 1],
  "core_of_rank": [0, 0, 1], "cpus_of_rank": ["0", "0", "1"]}"#;

fn path(directory: &tempfile::TempDir, name: &str) -> String {
    directory.path().join(name).display().to_string()
}

/// A folder with a mapping in it, and the name of the mapping.
fn mapping(content: &str) -> (tempfile::TempDir, String) {
    let directory = tempfile::tempdir().unwrap();
    let mapping = path(&directory, "mapping.json");
    fs::write(&mapping, content).unwrap();
    (directory, mapping)
}

fn names_in(directory: &tempfile::TempDir) -> Vec<String> {
    let entries = fs::read_dir(directory.path()).unwrap();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn the_file_is_written_and_the_command_printed() {
    let (directory, mapping) = mapping(SEATED);
    let output = path(&directory, "ranks");
    let command = ["apply", "--mapping", &mapping, "--format", "openmpi5-rankfile"];
    let shown = stdout(&[&command[..], &["--output", &output]].concat());
    let expected =
        format!("mpirun -n 3 --host n01:1,n02:2 --map-by rankfile:file={output} ./app\n");
    assert_eq!(shown, expected);
    let written = fs::read_to_string(&output).unwrap();
    assert_eq!(written, "rank 0=n02 slot=0\nrank 1=n01 slot=0\nrank 2=n02 slot=1\n");
    assert_eq!(names_in(&directory), ["mapping.json", "ranks"]);
}

#[test]
fn without_a_name_the_file_goes_to_standard_output() {
    let (_directory, mapping) = mapping(SEATED);
    let arguments = ["apply", "--mapping", &mapping, "--format", "slurm-hostfile"];
    let run = [&arguments[..], &["--command", "./solver -n 3"]].concat();
    let output = topoloom(&run).assert().success().get_output().clone();
    assert_eq!(String::from_utf8(output.stdout).unwrap(), "n02\nn01\nn02\n");
    assert_eq!(
        String::from_utf8(output.stderr).unwrap(),
        "SLURM_HOSTFILE=./hosts.slurm srun -n 3 --distribution=arbitrary --cpu-bind=map_cpu:0,1 ./solver -n 3\n"
    );
}

#[test]
fn cores_that_differ_by_host_get_a_second_file() {
    let (directory, mapping) = mapping(&SEATED.replace(r#"["0", "0", "1"]"#, r#"["4", "0", "5"]"#));
    let output = path(&directory, "hosts");
    let arguments =
        ["apply", "--mapping", &mapping, "--format", "mpich-hosts", "--output", &output];
    let shown = stdout(&arguments);
    assert!(shown.contains(&format!("' {output}.bind ./app")), "{shown}");
    assert_eq!(fs::read_to_string(&output).unwrap(), "n02:1\nn01:1\nn02:1\n");
    assert_eq!(fs::read_to_string(format!("{output}.bind")).unwrap(), "4\n0\n5\n");
    let arguments = ["apply", "--mapping", &mapping, "--format", "mpich-hosts"];
    let output = topoloom(&arguments).assert().success().get_output().clone();
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains("needs a second file: give --output"), "{said}");
}

#[test]
fn hosts_may_be_a_list_or_a_file_and_have_full_names() {
    let (directory, mapping) = mapping(SEATED);
    let start = ["apply", "--mapping", &mapping, "--format", "hostlist", "--hosts"];
    assert_eq!(
        stdout(&[&start[..], &["n[01-02].a.org:2"]].concat()),
        "n02.a.org\nn01.a.org\nn02.a.org\n"
    );
    let hosts = path(&directory, "hosts.txt");
    fs::write(&hosts, "n02 slots=2\nn01 # the other one\n").unwrap();
    assert_eq!(stdout(&[&start[..], &[&hosts]].concat()), "n02\nn01\nn02\n");
}

#[test]
fn wrong_hosts_are_named_and_nothing_is_written() {
    let (directory, mapping) = mapping(SEATED);
    let output = path(&directory, "out");
    let refused = |hosts: &str| {
        let arguments =
            ["apply", "--mapping", &mapping, "--format", "hostlist", "--output", &output];
        let said = refusal(&[&arguments[..], &["--hosts", hosts]].concat());
        assert_eq!(names_in(&directory), ["mapping.json"]);
        said
    };
    assert_eq!(refused("n01"), "the mapping puts ranks on hosts that are not in the list: n02");
    assert_eq!(refused("n[01-03]"), "the list names hosts that the mapping does not know: n03");
    assert_eq!(refused("n01,n02:1"), "hosts of the list have too few slots: n02 (1 for 2 ranks)");
    assert_eq!(refused("n[01-"), "list of hosts: \"[\" without \"]\" in \"n[01-\"");
    assert!(refused("no/file").starts_with("no/file: cannot read"));
    let onto = ["apply", "--mapping", &mapping, "--format", "hostlist", "--output", &mapping];
    assert_eq!(refusal(&onto), format!("{mapping}: would overwrite an input file"));
    assert_eq!(fs::read_to_string(&mapping).unwrap(), SEATED);
}

#[test]
fn machines_without_hosts_take_them_in_the_order_of_their_nodes() {
    let directory = tempfile::tempdir().unwrap();
    let mapping = path(&directory, "mapping.json");
    let problem = ["map", "--traffic", "ring:8", "--machine", "torus:4,slots=2"];
    stdout(&[&problem[..], &["--strategy", "in-order", "--output", &mapping]].concat());
    let start = ["apply", "--mapping", &mapping, "--format"];
    let shown = stdout(&[&start[..], &["openmpi4-rankfile", "--hosts", "n[1-4]"]].concat());
    let expected: String =
        (0..8).map(|rank| format!("rank {rank}=n{} slot={}\n", rank / 2 + 1, rank % 2)).collect();
    assert_eq!(shown, expected);
    assert_eq!(
        refusal(&[&start[..], &["openmpi4-rankfile"]].concat()),
        "the mapping names no hosts, only torus:4,slots=2: give --hosts"
    );
    let few = refusal(&[&start[..], &["openmpi4-rankfile", "--hosts", "n[1-3]"]].concat());
    assert_eq!(few, "torus:4,slots=2 has 4 nodes, but the list has 3 hosts");
    assert!(refusal(&[&start[..], &["bgq-mapfile"]].concat()).contains("5 dimensions"));
    assert!(refusal(&[&start[..], &["rankfile"]].concat()).starts_with("unknown launch format"));
}

#[test]
fn a_list_of_nodes_is_a_mapping_too() {
    let directory = tempfile::tempdir().unwrap();
    let mapping = path(&directory, "mapping.txt");
    fs::write(&mapping, "1\n0\n1\n").unwrap();
    let start = ["apply", "--mapping", &mapping, "--hosts", "a,b", "--format"];
    assert_eq!(
        stdout(&[&start[..], &["openmpi4-rankfile"]].concat()),
        "rank 0=b slot=0\nrank 1=a slot=0\nrank 2=b slot=1\n"
    );
    assert_eq!(stdout(&[&start[..], &["flux-taskmap"]].concat()), "[[1,1,1,1],[0,2,1,1]]\n");
}

#[test]
fn the_page_on_launching_speaks_of_every_format() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/launch.md");
    let page = fs::read_to_string(page).unwrap();
    let formats = crate::program::json(&["list", "launch", "--json"]);
    for format in formats.as_array().unwrap() {
        let name = format["name"].as_str().unwrap();
        assert!(page.contains(&format!("\n## {name}\n")), "{name}");
    }
}
