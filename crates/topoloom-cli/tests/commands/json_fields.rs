//! Every field of `--json` is in docs/json.md, with its type, and everything there is printed. The
//! page is the schema: this test reads it, runs the commands, and compares.

use std::fs;
use std::path::Path;

use serde_json::Value;
use tempfile::TempDir;
use topoloom::core::traffic::Group;
use topoloom::io::{
    CallTime, PartnerClass, RankState, RankTime, RecordedSeat, Times, read_recording,
    write_recording,
};

use crate::program::{json, path, topoloom};
use crate::schema::Page;

/// The output of a command line, separated by blanks.
fn run(line: &str) -> Value {
    json(&line.split(' ').collect::<Vec<_>>())
}

/// The same if the exit code is 0 or 1: some commands answer with it.
fn answered(arguments: &[&str]) -> Value {
    let output = topoloom(arguments).output().unwrap();
    assert!(matches!(output.status.code(), Some(0 | 1)), "{output:?}");
    serde_json::from_slice(&output.stdout).unwrap()
}

/// The items of a list, divided by whether they have this field.
fn divided(list: &Value, field: &str) -> (Vec<Value>, Vec<Value>) {
    list.as_array().unwrap().iter().cloned().partition(|item| item.get(field).is_some())
}

#[test]
fn placements_and_their_scores() {
    let folder = TempDir::new().unwrap();
    let (_, cluster) = path(&folder, "machine.json");
    topoloom(&["machine", "detect", "--hosts", "n[1-2]", "-o", &cluster]).assert().success();
    let node = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/node.xml");
    let assignment = concat!(env!("CARGO_MANIFEST_DIR"), "/../../bench/qaplib/instances/nug30.dat");
    let page = Page::read(&["score", "map", "compare", "compare: a strategy that does not fit"]);
    for line in [
        "score --traffic lu:class=S,ranks=4 --machine torus:2x2 --mapping hilbert --json"
            .to_string(),
        "score --traffic ring:4 --machine tree:2:2,distances=1:10 --mapping auto --json"
            .to_string(),
        format!("score --traffic ring:2 --machine {cluster} --mapping in-order --json"),
        format!("score --traffic {assignment} --mapping in-order --json"),
    ] {
        page.check("score", &run(&line));
    }
    let (_, leaves) = path(&folder, "topology.conf");
    let text = "SwitchName=a Nodes=n[1-4]\nSwitchName=b Nodes=n[5-8]\nSwitchName=c Switches=a,b\n";
    fs::write(&leaves, text).unwrap();
    let (_, pods) = path(&folder, "pods.json");
    topoloom(&["machine", "import", &leaves, "--slots", "2", "-o", &pods]).assert().success();
    // Whole groups of gradients do not fit a leaf in the order of hosts.
    let job = "llm:layers=4,hidden=64,sequence=64,tp=2,pp=4,dp=2,order=tp-cp-ep-pp-dp,\
               gpus-per-node=2";
    page.check(
        "score",
        &run(&format!("score --traffic {job} --machine {pods} --mapping auto --json")),
    );
    page.check(
        "score",
        &run(&format!(
            "score --traffic {job} --machine tree:2:8,distances=1:10 --mapping auto --json"
        )),
    );
    for line in [
        "map --traffic lu:class=S,ranks=4 --machine torus:2x2 --json".to_string(),
        "map --traffic random:ranks=9,degree=4 --machine mesh:3x3 --json".to_string(),
        format!("map --traffic ring:2 --machine {cluster} --json"),
        format!("map --traffic stencil:4x8,bytes=9999 --machine torus:2x2,node={node} --json"),
        format!("map --traffic {job} --machine {pods} --json"),
        format!("map --traffic {assignment} --effort fast --json"),
    ] {
        page.check("map", &run(&line));
    }
    for line in [
        "compare --traffic ring:4 --machine mesh:4 --strategy auto,in-order --json".to_string(),
        format!("compare --traffic lu:class=S,ranks=2 --machine {cluster} --strategy auto --json"),
        format!("compare --traffic {job} --machine {pods} --strategy auto,block --json"),
        format!("compare --traffic {assignment} --strategy in-order --json"),
        "compare --traffic ring:6 --machine mesh:6 --strategy random,in-order,a-star:max-slots=5 \
         --repeat 3 --json"
            .to_string(),
    ] {
        let (unfit, rows) = divided(&run(&line), "not_applicable");
        page.check("compare", &Value::from(rows));
        page.check("compare: a strategy that does not fit", &Value::from(unfit));
    }
    page.check_that_all_appeared();
}

#[test]
fn verdicts_and_files() {
    let folder = TempDir::new().unwrap();
    let (_, cluster) = path(&folder, "machine.json");
    topoloom(&["machine", "detect", "--hosts", "n[1-2]", "-o", &cluster]).assert().success();
    let (_, mapping) = path(&folder, "mapping.json");
    topoloom(&["map", "--traffic", "ring:2", "--machine", &cluster, "-o", &mapping])
        .assert()
        .success();
    let page = Page::read(&["check", "generate", "apply"]);
    let check = |traffic: &str, machine: &str| {
        let given = ["--traffic", traffic, "--machine", machine, "--mapping", &mapping, "--json"];
        answered(&[&["check"], &given[..]].concat())
    };
    let valid = check("ring:2", &cluster);
    page.check("check", &valid);
    assert_eq!(valid["valid"], true);
    let wrong = check("ring:3", &cluster);
    page.check("check", &wrong);
    assert_eq!(wrong["valid"], false);
    let assignment = concat!(env!("CARGO_MANIFEST_DIR"), "/../../bench/qaplib/instances/nug30.dat");
    let (_, assigned) = path(&folder, "assigned.json");
    topoloom(&["map", "--traffic", assignment, "--effort", "fast", "-o", &assigned])
        .assert()
        .success();
    page.check("check", &run(&format!("check --traffic {assignment} --mapping {assigned} --json")));
    let (_, matrix) = path(&folder, "ring.mtx");
    page.check("generate", &run(&format!("generate ring:4 -o {matrix} --json")));
    let (_, events) = path(&folder, "ring.trace");
    page.check("generate", &run(&format!("generate lu:class=S,ranks=4 -o {events} --json")));
    let apply = format!("apply --mapping {mapping} --format openmpi5-rankfile --json");
    let shown = run(&apply);
    page.check("apply", &shown);
    let (file, name) = path(&folder, "ranks");
    let written = run(&format!("{apply} -o {name}"));
    page.check("apply", &written);
    assert_eq!(fs::read_to_string(file).unwrap(), written["files"][0]["content"]);
    page.check_that_all_appeared();
}

#[test]
fn simulations() {
    let folder = TempDir::new().unwrap();
    let (_, mapping) = path(&folder, "mapping.json");
    let map = ["map", "--traffic", "ring:4", "--machine", "mesh:4", "-o", &mapping];
    topoloom(&map).assert().success();
    let page = Page::read(&[
        "simulate",
        "simulate: a run that was stopped",
        "advise",
        "advise: parts of a cluster",
    ]);
    let (_, leaves) = path(&folder, "topology.conf");
    let text = "SwitchName=a Nodes=n[1-4]\nSwitchName=b Nodes=n[5-8]\nSwitchName=c Switches=a,b\n";
    fs::write(&leaves, text).unwrap();
    let (_, pods) = path(&folder, "pods.json");
    topoloom(&["machine", "import", &leaves, "--slots", "2", "-o", &pods]).assert().success();
    for job in ["llm:layers=4,hidden=64,sequence=64,experts=4,ep=4,etp=1,tp=2,pp=2,dp=4", "ring:12"]
    {
        let line = format!("advise --traffic {job} --machine {pods} --json");
        page.check("advise: parts of a cluster", &run(&line));
    }
    for line in [
        "simulate --traffic lu:class=S,ranks=4,iterations=1 --machine mesh:4 --mapping auto --json"
            .to_string(),
        format!("simulate --traffic ring:4 --machine mesh:4 --mapping {mapping} --json"),
        "simulate --traffic ring:4 --machine mesh:4 --mapping in-order --model packet --json"
            .to_string(),
    ] {
        page.check("simulate", &run(&line));
    }
    for mapping in ["auto", &mapping] {
        let (traffic, machine) = match mapping {
            "auto" => ("all-to-all:64", "mesh:64"),
            _ => ("ring:4", "mesh:4"),
        };
        let line = format!(
            "simulate --traffic {traffic} --machine {machine} --mapping {mapping} --time-limit 0s \
             --json"
        );
        page.check("simulate: a run that was stopped", &run(&line));
    }
    for line in [
        "advise --traffic ring:4 --shapes mesh:4,mesh:2x2,mesh:2 --json",
        "advise --traffic ft:class=S,ranks=4 --shapes mesh:4 --strategy a-star:max-slots=2,auto --json",
    ] {
        page.check("advise", &run(line));
    }
    page.check_that_all_appeared();
}

#[test]
fn machines() {
    let folder = TempDir::new().unwrap();
    let (_, file) = path(&folder, "machine.json");
    let page = Page::read(&[
        "machine show",
        "machine show: a described cluster",
        "machine routes",
        "machine measure",
    ]);
    page.check("machine show", &run("machine show torus:4x4 --json"));
    let cluster = "machine show: a described cluster";
    let detected = run(&format!("machine detect --hosts n[1-2] --json -o {file}"));
    page.check(cluster, &detected);
    page.check(cluster, &run(&format!("machine show {file} --json")));
    // Real networks have every kind of fault except two: tables of one switch of two, and an
    // adapter without an address.
    for network in [
        "crates/topoloom-io/tests/machines/ib/topograph-ibnetdiscover-example.out",
        "tests/independent/networks/psmn-x5.ibnetdiscover.out.gz",
        "crates/topoloom-io/tests/machines/nodes/tioga-mi250x.v2.xml.gz",
    ] {
        page.check(cluster, &run(&format!("machine show ../../{network} --json")));
    }
    let (_, cables) = path(&folder, "holes.out");
    let text = "Switch 4 \"S-a\" # \"a\"\n[1] \"H-1\"[1] # \"n1 m0\" lid 1 4xHDR\n\
                [2] \"H-2\"[1] # \"n2 m0\" 4xHDR\n[3] \"S-b\"[3] # \"b\" lid 8 4xHDR\n\
                Switch 4 \"S-b\" # \"b\"\n[1] \"H-3\"[1] # \"n3 m0\" lid 3 4xHDR\n";
    std::fs::write(&cables, text).unwrap();
    let (_, tables) = path(&folder, "tables.out");
    std::fs::write(&tables, "Unicast lids [0-8] of switch Lid 3 guid 0xa ('a'):\n0x0001 001\n")
        .unwrap();
    let holes = run(&format!("machine import {cables} {tables} --slots 1 --json"));
    page.check(cluster, &holes);
    assert_eq!(holes["fabric"]["switches_without_table"], serde_json::json!(["b"]));
    assert_eq!(holes["fabric"]["adapters_without_address"], serde_json::json!(["n2 m0"]));
    page.check("machine routes", &run(&format!("machine routes {file} --json")));
    // Two switches side by side are not a tree.
    let (_, cables) = path(&folder, "cables.out");
    let text = "Switch 4 \"S-a\" # \"a\"\n[1] \"H-1\"[1] # \"n1 m0\" lid 1 4xHDR\n\
                [2] \"S-b\"[2] # \"b\" lid 8 4xHDR\n\
                Switch 4 \"S-b\" # \"b\"\n[1] \"H-2\"[1] # \"n2 m0\" lid 2 4xHDR\n";
    std::fs::write(&cables, text).unwrap();
    page.check("machine routes", &run(&format!("machine routes {cables} --json")));
    let route = run(&format!("machine routes {cables} --from n1 --to n2 --json"));
    let links = ["n1 m0 port 1 -> a port 1", "a port 2 -> b port 2", "b port 1 -> n2 m0 port 1"];
    let links = links.map(|link| serde_json::json!({"link": link, "share": 1.0}));
    assert_eq!(route, Value::from(links.to_vec()));
    if std::thread::available_parallelism().unwrap().get() == 1 {
        // There are no two places between which a message could be timed.
        return;
    }
    page.check("machine measure", &run("machine measure --rounds 20 --bytes 64 --json"));
    page.check_that_all_appeared();
}

/// Traffic of equal weight both ways between these pairs.
fn traffic(folder: &Path, name: &str, pairs: impl Iterator<Item = (u32, u32)>) -> String {
    let lines: String = pairs.map(|(a, b)| format!("{a},{b},100\n{b},{a},100\n")).collect();
    let file = folder.join(name);
    fs::write(&file, format!("from,to,bytes\n{lines}")).unwrap();
    file.display().to_string()
}

#[test]
fn traffic_of_every_structure() {
    let folder = TempDir::new().unwrap();
    let files = [
        traffic(folder.path(), "star.csv", (1..9).map(|worker| (0, worker))),
        traffic(folder.path(), "tree.csv", (1..15).map(|child| (child, (child - 1) / 2))),
        traffic(
            folder.path(),
            "cube.csv",
            (0..24u32).map(|n| (n / 3, (n / 3) ^ (1 << (n % 3)))).filter(|(a, b)| a < b),
        ),
        traffic(
            folder.path(),
            "blocks.csv",
            (0..64).map(|n| (n / 16 * 4 + n / 4 % 4, n / 16 * 4 + n % 4)).filter(|(a, b)| a < b),
        ),
        traffic(folder.path(), "parts.csv", (0..18).filter(|n| n % 9 > 0).map(|n| (n / 9 * 9, n))),
        recording(&folder),
    ];
    let page = Page::read(&["traffic show", "traffic groups"]);
    let job = "llm:layers=4,hidden=64,sequence=64,tp=2,dp=2".to_string();
    let patterns = ["lu:class=S,ranks=4".to_string(), "stencil:4x4,periodic".to_string(), job];
    for name in files.iter().chain(&patterns) {
        page.check("traffic show", &run(&format!("traffic show {name} --json")));
    }
    page.check("traffic groups", &run(&format!("traffic groups {} --json", patterns[2])));
    page.check_that_all_appeared();
}

/// A recording that has everything that recordings can have.
fn recording(folder: &TempDir) -> String {
    let (file, name) = path(folder, "all.rec");
    topoloom(&["generate", "ft:class=S,ranks=4", "--output", &name]).assert().success();
    let mut recording = read_recording(&file).unwrap();
    recording.info.push(("library".to_string(), "a name".to_string()));
    recording.notes.push("a note".to_string());
    recording.incomplete.push((3, RankState::Missing));
    recording.hosts = vec!["n1".to_string()];
    recording.host_of_rank = vec![0; 4];
    let seat = RecordedSeat { cpus: vec![0], online: 4, ..RecordedSeat::default() };
    let threads = RecordedSeat { openmp_threads: Some(2), threads: Some(3), ..seat.clone() };
    recording.seats = vec![seat.clone(), threads, seat, RecordedSeat::default()];
    recording.launcher_ranks = vec![1, 0, 2, 3];
    let time = RankTime { wall_nanoseconds: 10, mpi_nanoseconds: 4 };
    recording.times = Some(Times {
        ranks: vec![Some(time), Some(time), Some(time), None],
        calls: vec![CallTime {
            call: "MPI_Send".to_string(),
            partner: PartnerClass::SameHost,
            calls: 2,
            nanoseconds: 12,
        }],
    });
    let mut of_some = recording.collectives[0].clone();
    of_some.group = Group::List([0, 1, 3].into());
    recording.collectives.push(of_some);
    write_recording(&file, &recording).unwrap();
    name
}

#[test]
fn lists() {
    let page = Page::read(&["list", "list: all kinds"]);
    page.check("list", &run("list strategies --json"));
    page.check("list: all kinds", &run("list --json"));
    page.check_that_all_appeared();
}

#[test]
fn schedules() {
    let page = Page::read(&["schedule"]);
    for more in ["--load 0.9 --queue first-come,easy --seeds 2", "--compare"] {
        let line =
            format!("schedule --machine fat-tree:k=4 --workload lublin:jobs=20 {more} --json");
        page.check("schedule", &run(&line));
    }
    page.check_that_all_appeared();
}

#[test]
fn arrangements() {
    let page = Page::read(&["arrange", "arrange platform"]);
    for more in ["thesis-3.3 --compare", "thesis-4.1 --application mpdata --strategy auto"] {
        page.check("arrange", &run(&format!("arrange --platform example:{more} --json")));
    }
    for name in ["thesis-3.3", "thesis-4.1", "grid5000-sites"] {
        page.check("arrange platform", &run(&format!("arrange platform example:{name} --json")));
    }
    page.check_that_all_appeared();
}

/// A launcher of four ranks, the first two on the first CPU, unless it gets a rank file.
const LAUNCHER: &str = r#"#!/bin/sh
file=
while [ $# -gt 0 ]; do
  case $1 in
    --rankfile) file=$2; shift 2 ;;
    -n) shift 2 ;;
    --mca) shift 3 ;;
    --oversubscribe) shift ;;
    *) break ;;
  esac
done
if [ -n "$file" ]; then
  sed 's/rank \([0-9]*\)=.*slot=/\1 /' "$file" | while read -r rank slot; do
    PMI_RANK=$rank taskset -c "$slot" "$@"
  done
else
  for rank in 0 1 2 3; do PMI_RANK=$rank taskset -c $((rank / 2)) "$@"; done
fi
"#;

#[test]
fn jobs_that_a_script_launches() {
    use std::os::unix::fs::PermissionsExt;

    let allowed = fs::read_to_string("/proc/self/status").unwrap();
    let allowed = allowed.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:")).unwrap();
    if !topoloom::io::cpu_list::parse(allowed).unwrap().starts_with(&[0, 1]) {
        // The script needs the first two CPUs.
        return;
    }
    let folder = TempDir::new().unwrap();
    let (launcher, script) = path(&folder, "launcher");
    fs::write(&launcher, LAUNCHER).unwrap();
    fs::set_permissions(&launcher, fs::Permissions::from_mode(0o755)).unwrap();
    // Partners are on different CPUs, so exchanging ranks 1 and 2 gains.
    let csv = traffic(folder.path(), "halves.csv", [(0, 2), (1, 3)].into_iter());
    let (_, prefix) = path(&folder, "tuned");
    let page = Page::read(&["tune", "verify"]);
    let tune = ["tune", "--traffic", &csv, "--prefix", &prefix, "--json"];
    let job = ["--", &script, "sh", "-c", "true"];
    let measure = ["--format", "openmpi4-rankfile", "--measure", "3"];
    let tuned = answered(&[&tune[..], &measure, &job].concat());
    assert!(tuned["measured"].is_object(), "{tuned}");
    page.check("tune", &tuned);
    let mapping = format!("{prefix}.mapping.json");
    let scratch = folder.path().display().to_string();
    let verify = ["verify", "--json", "--mapping", &mapping, "--scratch", &scratch, "--"];
    // Rank 0 sits elsewhere, ranks 2 and 3 do not report, and rank 7 is not in the mapping.
    let ranks = "PMI_RANK=0 taskset -c 1 sh -c true; PMI_RANK=1 taskset -c 0 sh -c true; \
                 PMI_RANK=7 taskset -c 0 sh -c true";
    page.check("verify", &answered(&[&verify[..], &["sh", "-c", ranks]].concat()));
    page.check_that_all_appeared();
}

#[test]
fn the_paper_that_takes_seconds() {
    let page = Page::read(&["reproduce multicore"]);
    page.check("reproduce multicore", &run("reproduce multicore --json"));
    page.check_that_all_appeared();
}

#[test]
#[ignore = "takes minutes"]
fn the_papers_that_take_minutes() {
    let heterogeneous = ["reproduce heterogeneous", "reproduce heterogeneous: a remark"];
    let rahtm = ["reproduce rahtm", "reproduce rahtm: one iteration"];
    let others = ["reproduce haec", "reproduce td"];
    let page = Page::read(&[&others[..], &heterogeneous, &rahtm].concat());
    let (remarks, lines) = divided(&run("reproduce heterogeneous --json"), "remark");
    page.check(heterogeneous[0], &Value::from(lines));
    page.check(heterogeneous[1], &Value::from(remarks));
    page.check("reproduce haec", &run("reproduce haec --json"));
    page.check("reproduce td", &run("reproduce td --mappings 2 --json"));
    let (whole, iterations) = divided(&run("reproduce rahtm --json"), "published");
    page.check(rahtm[0], &Value::from(whole));
    page.check(rahtm[1], &Value::from(iterations));
    page.check_that_all_appeared();
}

#[test]
fn every_command_that_prints_json_is_on_the_page() {
    let page = Page::read(&[]);
    let commands = |help: &str| -> Vec<String> {
        let lines = help.lines().skip_while(|line| *line != "Commands:").skip(1);
        let lines = lines.take_while(|line| !line.is_empty());
        let name = |line: &str| line.strip_prefix("  ")?.split(' ').next().map(str::to_string);
        lines.filter_map(name).filter(|name| !name.is_empty() && name != "help").collect()
    };
    let help = |words: &[&str]| crate::program::stdout(&[words, &["--help"]].concat());
    let mut with_json = Vec::new();
    for command in commands(&help(&[])) {
        let text = help(&[&command]);
        let inner = commands(&text);
        for name in &inner {
            if help(&[&command, name]).contains("--json") {
                with_json.push(format!("{command} {name}"));
            }
        }
        if text.contains("  --json") {
            with_json.push(command);
        }
    }
    assert!(with_json.len() > 10, "{with_json:?}");
    for command in with_json {
        // These print what `machine show` prints.
        let same = ["machine detect", "machine import"].contains(&command.as_str());
        let named = page.has_section_of(&command);
        assert!(same || named, "{command} is not in docs/json.md");
    }
}
