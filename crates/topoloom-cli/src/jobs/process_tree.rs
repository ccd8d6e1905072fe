//! The processes that a launcher has started, in order to end those that do not end by themselves.

use std::collections::HashMap;
use std::fs;
use std::process::{Command, Stdio};

/// A process and all its descendants, as far as the system shows them.
pub fn below(root: u32) -> Vec<u32> {
    let mut children: HashMap<u32, Vec<u32>> = HashMap::new();
    for entry in fs::read_dir("/proc").into_iter().flatten().flatten() {
        let number = entry.file_name().to_str().and_then(|name| name.parse().ok());
        let Some(process): Option<u32> = number else { continue };
        if let Some(parent) = parent_of(process) {
            children.entry(parent).or_default().push(process);
        }
    }
    let mut found = vec![root];
    let mut at = 0;
    while let Some(&process) = found.get(at) {
        found.extend(children.remove(&process).into_iter().flatten());
        at += 1;
    }
    found
}

/// The process that has started `process`: the second field after its name, which may hold
/// anything.
fn parent_of(process: u32) -> Option<u32> {
    let text = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    text.rsplit_once(')')?.1.split_whitespace().nth(1)?.parse().ok()
}

/// Sends a signal, such as `-TERM`, to processes; some of them may have ended.
pub fn signal(signal: &str, processes: &[u32]) {
    let numbers = processes.iter().map(u32::to_string);
    let _ = Command::new("kill").arg(signal).args(numbers).stderr(Stdio::null()).status();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_process_started_is_found_below_it() {
        let mut child =
            Command::new("sh").args(["-c", "sleep 60 & wait"]).spawn().expect("there is a shell");
        // The shell needs a moment to start its child.
        let found = (0..200).find_map(|_| {
            std::thread::sleep(std::time::Duration::from_millis(10));
            Some(below(child.id())).filter(|found| found.len() == 2)
        });
        signal("-KILL", &found.clone().unwrap_or_else(|| vec![child.id()]));
        child.wait().expect("it was started");
        assert_eq!(found.map(|found| found[0]), Some(child.id()));
    }
}
