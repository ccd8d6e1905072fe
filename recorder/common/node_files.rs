//! The files of the system that describe a node, as text that can be read elsewhere.

use std::fs;
use std::path::Path;

const CPUS: &str = "/sys/devices/system/cpu";
const NODES: &str = "/sys/devices/system/node";
const GROUPS: &str = "/sys/fs/cgroup";
const DEVICES: &str = "/sys/bus/pci/devices";
const NVIDIA: &str = "/proc/driver/nvidia/gpus";

/// One line for each file: its path, a tab and its contents, with line breaks as `\n` and
/// backslashes as `\\`. In order of CPUs and NUMA nodes.
pub fn describe_node() -> String {
    let mut text = String::new();
    add(&mut text, "/proc/sys/kernel/hostname");
    let online = format!("{CPUS}/online");
    if let Some(cpus) = usable_cpus() {
        let line = format!("Cpus_allowed_list:\t{}\n", cpus.trim());
        add_content(&mut text, "/proc/self/status", &line);
    }
    add(&mut text, &online);
    for cpu in numbered(CPUS, "cpu") {
        for name in
            ["physical_package_id", "die_id", "core_id", "core_cpus_list", "thread_siblings_list"]
        {
            add(&mut text, &format!("{CPUS}/cpu{cpu}/topology/{name}"));
        }
        for index in numbered(&format!("{CPUS}/cpu{cpu}/cache"), "index") {
            for name in ["level", "type", "shared_cpu_list"] {
                add(&mut text, &format!("{CPUS}/cpu{cpu}/cache/index{index}/{name}"));
            }
        }
    }
    for node in numbered(NODES, "node") {
        add(&mut text, &format!("{NODES}/node{node}/cpulist"));
    }
    add_accelerators(&mut text);
    text
}

/// The CPUs of this node that the job may use, such as 0-3,8. A rank may be limited to some of
/// them, but the job's share of the node counts.
fn usable_cpus() -> Option<String> {
    allowed_by_group().or_else(|| fs::read_to_string(format!("{CPUS}/online")).ok())
}

/// How many CPUs of this node the job may use.
pub fn num_usable_cpus() -> Option<u64> {
    count_listed(usable_cpus()?.trim())
}

/// How many numbers are in a list such as 0-3,8.
fn count_listed(list: &str) -> Option<u64> {
    let count = |range: &str| {
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        let (first, last): (u64, u64) = (first.parse().ok()?, last.parse().ok()?);
        Some(last.checked_sub(first)? + 1)
    };
    list.split(',').map(count).sum()
}

/// Display controllers and processing accelerators that a rank may have to be near.
fn add_accelerators(text: &mut String) {
    for device in names(DEVICES) {
        let folder = format!("{DEVICES}/{device}");
        let class = fs::read_to_string(format!("{folder}/class")).unwrap_or_default();
        if !["0x03", "0x12"].iter().any(|kind| class.starts_with(kind)) {
            continue;
        }
        for name in ["class", "vendor", "local_cpulist"] {
            add(text, &format!("{folder}/{name}"));
        }
        for name in names(&format!("{folder}/drm")) {
            if name.starts_with("renderD") {
                add(text, &format!("{folder}/drm/{name}/dev"));
            }
        }
    }
    for gpu in names(NVIDIA) {
        add(text, &format!("{NVIDIA}/{gpu}/information"));
    }
}

fn add(text: &mut String, path: &str) {
    if let Ok(content) = fs::read_to_string(path) {
        add_content(text, path, &content);
    }
}

fn add_content(text: &mut String, path: &str, content: &str) {
    let escaped = content.replace('\\', "\\\\").replace('\n', "\\n");
    text.push_str(&format!("{path}\t{escaped}\n"));
}

/// The names of the entries of a folder, in order.
fn names(folder: &str) -> Vec<String> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut names: Vec<String> =
        entries.filter_map(|entry| entry.file_name().into_string().ok()).collect();
    names.sort_unstable();
    names
}

/// The numbers of the entries of a folder whose names are this beginning and a number, in rising
/// order.
fn numbered(folder: &str, beginning: &str) -> Vec<u32> {
    let number = |name: &String| name.strip_prefix(beginning)?.parse().ok();
    let mut numbers: Vec<u32> = names(folder).iter().filter_map(number).collect();
    numbers.sort_unstable();
    numbers
}

/// The CPUs of the control group of this process: the share of the node that a batch system gives
/// to a job, or a container.
fn allowed_by_group() -> Option<String> {
    let groups = fs::read_to_string("/proc/self/cgroup").ok()?;
    groups.lines().find_map(|line| {
        let mut fields = line.splitn(3, ':').skip(1);
        let (controllers, path) = (fields.next()?, fields.next()?);
        match controllers {
            "" => effective(GROUPS, path, "cpuset.cpus.effective"),
            list if list.split(',').any(|controller| controller == "cpuset") => {
                effective(&format!("{GROUPS}/cpuset"), path, "cpuset.effective_cpus")
            }
            _ => None,
        }
    })
}

/// The file in the group at `path`, or in the nearest group around it that has it.
fn effective(root: &str, path: &str, name: &str) -> Option<String> {
    let path = Path::new(path.trim_start_matches('/'));
    let files = path.ancestors().map(|group| Path::new(root).join(group).join(name));
    files
        .into_iter()
        .find_map(|file| fs::read_to_string(file).ok().filter(|cpus| !cpus.trim().is_empty()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_node_is_described_in_lines_of_path_and_content() {
        let text = describe_node();
        assert!(text.lines().all(|line| line.starts_with('/') && line.contains('\t')), "{text}");
        assert!(text.contains("/sys/devices/system/cpu/online\t"), "{text}");
        assert!(text.contains("/proc/self/status\tCpus_allowed_list:\t"), "{text}");
        let mut escaped = String::new();
        add_content(&mut escaped, "/x", "a\\b\nc\n");
        assert_eq!(escaped, "/x\ta\\\\b\\nc\\n\n");
    }

    #[test]
    fn listed_cpus_are_counted() {
        assert_eq!(count_listed("0-3,8"), Some(5));
        assert_eq!(count_listed("7"), Some(1));
        assert_eq!(count_listed(""), None);
        assert_eq!(count_listed("3-1"), None);
    }
}
