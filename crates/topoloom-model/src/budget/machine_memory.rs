//! How much memory this process can get, as far as the files of Linux say.

use std::fs;
use std::path::Path;

/// Half of the smallest limit (the machine, its control groups, the address space of the process),
/// and at most what is free now. `None` if none of this can be read.
pub(super) fn share() -> Option<u64> {
    let meminfo = fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let limits = fs::read_to_string("/proc/self/limits").unwrap_or_default();
    let half = [field_in_kilobytes(&meminfo, "MemTotal:"), address_space(&limits), control_group()]
        .into_iter()
        .flatten()
        .min()
        .map(|smallest| smallest / 2);
    [half, field_in_kilobytes(&meminfo, "MemAvailable:")].into_iter().flatten().min()
}

fn field_in_kilobytes(meminfo: &str, name: &str) -> Option<u64> {
    let line = meminfo.lines().find_map(|line| line.strip_prefix(name))?;
    let kilobytes: u64 = line.split_whitespace().next()?.parse().ok()?;
    kilobytes.checked_mul(1024)
}

/// The soft limit of `ulimit -v`.
fn address_space(limits: &str) -> Option<u64> {
    let line = limits.lines().find_map(|line| line.strip_prefix("Max address space"))?;
    line.split_whitespace().next()?.parse().ok()
}

/// The smallest memory limit of this process's control group and of those around it.
fn control_group() -> Option<u64> {
    let groups = fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
    let mut smallest = None;
    let mut consider = |file: &Path| {
        let limit = fs::read_to_string(file).ok().and_then(|text| text.trim().parse::<u64>().ok());
        smallest = [smallest, limit].into_iter().flatten().min();
    };
    for line in groups.lines() {
        // hierarchy:controllers:path; version 2 has an empty list of controllers.
        let mut fields = line.splitn(3, ':').skip(1);
        let (Some(controllers), Some(path)) = (fields.next(), fields.next()) else {
            continue;
        };
        let (root, file) = match controllers {
            "" => ("/sys/fs/cgroup", "memory.max"),
            list if list.split(',').any(|name| name == "memory") => {
                ("/sys/fs/cgroup/memory", "memory.limit_in_bytes")
            }
            _ => continue,
        };
        for group in Path::new(path.trim_start_matches('/')).ancestors() {
            consider(&Path::new(root).join(group).join(file));
        }
    }
    smallest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_read_from_the_files_of_linux() {
        let meminfo = "MemTotal:       24675732 kB\nMemAvailable:    1000 kB\n";
        assert_eq!(field_in_kilobytes(meminfo, "MemAvailable:"), Some(1_024_000));
        assert_eq!(field_in_kilobytes("", "MemTotal:"), None);
        let limits = "Limit       Soft Limit   Hard Limit   Units\n\
                      Max address space         4194304              unlimited            bytes\n";
        assert_eq!(address_space(limits), Some(4_194_304));
        let unlimited = limits.replace("4194304", "unlimited");
        assert_eq!(address_space(&unlimited), None);
    }
}
