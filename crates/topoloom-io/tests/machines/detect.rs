//! Nodes as described by `/sys` and `/proc`.

use std::collections::BTreeMap;
use std::{fs, thread};

use topoloom_core::cluster::{Object, ObjectKind};
use topoloom_io::machines::{KeptFiles, PROBED_FILES, RunningSystem, SystemFiles, detect};

const SNC: &str = include_str!("sys/two-packages-snc.txt");
const NO_CACHES: &str = include_str!("sys/no-caches.txt");
const RESTRICTED: &str = include_str!("sys/restricted.txt");

/// The tree as text: `package0[numa0[...]]`, with threads as plain numbers.
fn shown(object: &Object) -> String {
    let index = object.index.map(|index| index.to_string()).unwrap_or_default();
    if object.kind == ObjectKind::Thread {
        return index;
    }
    let inside: Vec<String> = object.children.iter().map(shown).collect();
    let inside = if inside.is_empty() { String::new() } else { format!("[{}]", inside.join(" ")) };
    format!("{}{index}{inside}", object.kind)
}

fn described(text: &str) -> String {
    shown(&detect(&KeptFiles::parse(text).unwrap()).unwrap().node)
}

#[test]
fn packages_with_memory_of_their_halves() {
    let hardware = detect(&KeptFiles::parse(SNC).unwrap()).unwrap();
    assert_eq!(hardware.host.as_deref(), Some("snc-node"));
    let core = |core: u32| format!("L2[L1[core{}[{core} {}]]]", core % 4, core + 8);
    // An L3 of the package contains both halves; the GPUs are beside their nearest cores.
    let half = |numa: u32, gpu: &str| {
        format!("numa{numa}[{gpu}{} {}]", core(2 * numa), core(2 * numa + 1))
    };
    let package = |number: u32| {
        let halves = half(2 * number, "gpu ") + " " + &half(2 * number + 1, "");
        format!("package{number}[L3[{halves}]]")
    };
    assert_eq!(shown(&hardware.node), format!("node[{} {}]", package(0), package(1)));
    let gpu = &hardware.node.children[1].children[0].children[0].children[0];
    assert_eq!(gpu.name.as_deref(), Some("NVIDIA A100-SXM4-40GB"));
}

#[test]
fn a_machine_without_caches_and_memory_has_packages_and_cores() {
    assert_eq!(described(NO_CACHES), "node[package0[core0[0 1] core1[2 3]]]");
}

#[test]
fn only_allowed_cpus_are_there() {
    // CPUs 1 to 3 and 6, of dies 0 to 3 and 4 to 7 and third-level caches of two. The first GPU is
    // near the rest of the second die, the other one is near nothing that is left.
    let cached = |cpu: u32| format!("L2[L1[core{cpu}[{cpu}]]]");
    let expected = format!(
        "node[gpu package0[numa0[die0[L3[{}] L3[{} {}]] die1[gpu L3[{}]]]]]",
        cached(1),
        cached(2),
        cached(3),
        cached(6)
    );
    assert_eq!(described(RESTRICTED), expected);
}

fn files(files: &[(&str, &str)]) -> KeptFiles {
    let text = |text: &&str| text.to_string();
    KeptFiles::new(files.iter().map(|(path, content)| (text(path), text(content))).collect())
}

#[test]
fn hardly_anything_is_enough() {
    let online = ("/sys/devices/system/cpu/online", "0-1\n");
    let allowed = ("/proc/self/status", "Cpus_allowed_list:\t1,3\n");
    let node = |found: &[(&str, &str)]| shown(&detect(&files(found)).unwrap().node);
    assert_eq!(node(&[online]), "node[core0[0] core1[1]]");
    assert_eq!(node(&[allowed]), "node[core1[1] core3[3]]");
    assert_eq!(node(&[online, allowed]), "node[core1[1]]");
    let folder = ("/sys/devices/system/cpu/cpu5/topology/core_id", "7\n");
    assert_eq!(node(&[folder]), "node[core5[5]]");
    assert_eq!(detect(&files(&[online, allowed])).unwrap().host, None);
}

#[test]
fn parts_that_overlap_are_left_out() {
    let cpu = "/sys/devices/system/cpu/cpu";
    let level = |cpu_number: u32, level: u32, list: &str| {
        let cache = format!("{cpu}{cpu_number}/cache/index{level}");
        format!("{cache}/level\t{level}\n{cache}/shared_cpu_list\t{list}\n")
    };
    let text = "/sys/devices/system/cpu/online\t0-3\n".to_string()
        + &level(0, 3, "0-2")
        + &level(2, 2, "2-3")
        + &level(3, 2, "3");
    assert_eq!(described(&text), "node[L3[core0[0] core1[1] core2[2]] L2[core3[3]]]");
}

#[test]
fn what_is_no_system_is_refused_in_words() {
    let nothing = "expected CPUs that may be used in /sys/devices/system/cpu and /proc/self/status, found none";
    assert_eq!(detect(&files(&[])).unwrap_err().to_string(), nothing);
    let wrong = files(&[("/proc/self/status", "Cpus_allowed_list:\t3-1\n")]);
    let message =
        "/proc/self/status: Cpus_allowed_list: expected CPUs such as 0-3,8, found \"3-1\"";
    assert_eq!(detect(&wrong).unwrap_err().to_string(), message);
    let refusal = |text| KeptFiles::parse(text).unwrap_err().to_string();
    let expected =
        "expected a path such as /proc/self/status, a tabulator and the content of the file";
    assert_eq!(refusal("/a\tb\n/c"), format!("line 2: {expected}"));
    assert_eq!(refusal("a\tb"), format!("line 1: {expected}"));
    assert_eq!(refusal("/a\t\\x"), "line 1: expected \\n or \\\\ in the content, found \"\\x\"");
    assert_eq!(refusal("/a\tb\\"), "line 1: expected \\n or \\\\ in the content, found \"\\\"");
}

#[test]
fn folders_of_kept_files_have_what_is_directly_in_them() {
    let kept = files(&[("/a/b/c", ""), ("/a/b-c/d", ""), ("/a/x", "1"), ("/ab/y", "")]);
    assert_eq!(kept.list("/a"), ["b", "b-c", "x"]);
    assert_eq!(kept.list("/a/"), ["b", "b-c", "x"]);
    assert_eq!(kept.list("/nothing"), Vec::<String>::new());
    assert_eq!(kept.read("/a/x").as_deref(), Some("1"));
}

/// Remembers which files were asked for.
struct Watched<'a>(&'a KeptFiles, std::cell::RefCell<BTreeMap<String, bool>>);

impl SystemFiles for Watched<'_> {
    fn read(&self, path: &str) -> Option<String> {
        let content = self.0.read(path);
        self.1.borrow_mut().insert(path.to_string(), content.is_some());
        content
    }

    fn list(&self, folder: &str) -> Vec<String> {
        self.0.list(folder)
    }
}

#[test]
fn every_file_that_is_read_is_in_the_list_of_those_to_collect() {
    /// Whether a name fits a pattern in which `*` stands for anything and `[0-9]` for a digit.
    fn fits(pattern: &str, name: &str) -> bool {
        let first_rest =
            |text: &str| text.chars().next().map(|first| text[first.len_utf8()..].to_string());
        match (pattern.strip_prefix("[0-9]"), pattern.strip_prefix('*')) {
            (Some(rest), _) => {
                name.starts_with(|first: char| first.is_ascii_digit()) && fits(rest, &name[1..])
            }
            (_, Some(rest)) => {
                (0..=name.len()).any(|at| name.is_char_boundary(at) && fits(rest, &name[at..]))
            }
            _ => match (first_rest(pattern), first_rest(name)) {
                (None, None) => true,
                (Some(rest), Some(left)) => {
                    pattern.chars().next() == name.chars().next() && fits(&rest, &left)
                }
                _ => false,
            },
        }
    }
    for text in [SNC, NO_CACHES, RESTRICTED] {
        let kept = KeptFiles::parse(text).unwrap();
        let watched = Watched(&kept, Default::default());
        detect(&watched).unwrap();
        for path in watched.1.borrow().keys() {
            let listed = |pattern: &&&str| {
                let (names, parts): (Vec<&str>, Vec<&str>) =
                    (path.split('/').collect(), pattern.split('/').collect());
                names.len() == parts.len()
                    && parts.iter().zip(names).all(|(part, name)| fits(part, name))
            };
            assert!(PROBED_FILES.iter().any(|pattern| listed(&pattern)), "{path}");
        }
    }
}

#[test]
fn the_running_machine_has_the_threads_that_programs_may_use() {
    let hardware = detect(&RunningSystem).unwrap();
    let found = hardware.node.count(ObjectKind::Thread);
    let usable = thread::available_parallelism().unwrap().get();
    // A limit of time, not of CPUs, lowers only the number that the library reports.
    let limited =
        fs::read_to_string("/sys/fs/cgroup/cpu.max").is_ok_and(|limit| !limit.starts_with("max"));
    assert!(found == usable || (limited && found > usable), "{found} threads, {usable} usable");
    assert!(hardware.node.count(ObjectKind::Core) > 0);
}
