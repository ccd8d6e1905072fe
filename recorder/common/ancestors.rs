//! The processes above a rank.

use std::fs;
use std::os::unix::process::parent_id;

/// The process that started this rank and its siblings: the nearest ancestor that is not a rank
/// itself. There may be scripts in between, which have the variables of a rank.
pub fn nearest_that_is_not(is_rank: impl Fn(&[u8]) -> bool) -> u32 {
    const MOST_BETWEEN: usize = 32;
    let mut process = parent_id();
    for _ in 0..MOST_BETWEEN {
        let environment = fs::read(format!("/proc/{process}/environ")).unwrap_or_default();
        let is_between = environment.split(|&byte| byte == 0).any(&is_rank);
        match parent_of(process) {
            0 => break,
            above if is_between => process = above,
            _ => break,
        }
    }
    process
}

/// The process that started a process; 0 if the system does not say.
pub fn parent_of(process: u32) -> u32 {
    field(process, 1).and_then(|above| above.parse().ok()).unwrap_or(0)
}

/// The name of the program that a process runs; nothing if the system does not say.
pub fn program_of(process: u32) -> Vec<u8> {
    // The file of another user's process is not shown, but its name is.
    let file = fs::read_link(format!("/proc/{process}/exe")).ok();
    let name = file.and_then(|file| Some(file.file_name()?.as_encoded_bytes().to_vec()));
    name.or_else(|| fs::read(format!("/proc/{process}/comm")).ok())
        .map_or_else(Vec::new, |name| name.trim_ascii_end().to_vec())
}

/// What distinguishes a process from all others, including those of other containers and other
/// hosts: the system's start, the namespace of its number, and its own start.
pub fn identity_of(process: u32) -> u64 {
    let system = fs::read("/proc/sys/kernel/random/boot_id").unwrap_or_default();
    let namespace = fs::read_link("/proc/self/ns/pid").unwrap_or_default();
    // The number of fields after its name that come before the time when it began.
    let began = field(process, 19).unwrap_or_default();
    let text = [&system, namespace.as_os_str().as_encoded_bytes(), began.as_bytes()];
    // FNV-1a.
    text.iter().flat_map(|part| part.iter()).fold(0xcbf2_9ce4_8422_2325, |sum, &byte| {
        (sum ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

/// A field of what the system says about a process, counted after its name.
fn field(process: u32, number: usize) -> Option<String> {
    let status = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // The name of the program is in brackets and may contain any characters.
    status.rsplit(')').next()?.split_whitespace().nth(number).map(str::to_string)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_process_above_is_known_by_its_number_and_its_program() {
        let own = std::process::id();
        assert_eq!(parent_of(own), parent_id());
        let name = std::env::current_exe().unwrap();
        let name = name.file_name().unwrap().as_encoded_bytes().to_vec();
        assert_eq!(program_of(own), name);
        assert_eq!(nearest_that_is_not(|_| false), parent_id());
        assert_ne!(identity_of(own), identity_of(parent_id()));
        assert_eq!(identity_of(own), identity_of(own));
    }

    #[test]
    fn what_the_system_does_not_tell_is_nothing() {
        assert_eq!((parent_of(u32::MAX), program_of(u32::MAX)), (0, Vec::new()));
    }
}
