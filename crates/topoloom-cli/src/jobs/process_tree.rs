//! The processes that a launcher has started, in order to end those that do not end by themselves.

use std::collections::HashMap;
use std::fs;
use std::process::{Command, Stdio};

/// Processes by number and start: numbers are used again.
#[derive(Debug, Default)]
pub struct Tree(Vec<(u32, u64)>);

impl Tree {
    /// A process and all its descendants.
    pub fn below(root: u32) -> Tree {
        let mut tree = Tree::default();
        tree.add_below(root);
        tree
    }

    /// A process alone.
    pub fn only(process: u32) -> Tree {
        Tree(start_of(process).map(|started| (process, started)).into_iter().collect())
    }

    /// Adds what this process has started since then.
    pub fn add_below(&mut self, root: u32) {
        for process in below(root) {
            let started = start_of(process);
            self.0.extend(
                started.map(|started| (process, started)).filter(|one| !self.0.contains(one)),
            );
        }
    }

    /// Sends a signal to those that still run. Returns whether there are any.
    pub fn signal(&mut self, name: &str) -> bool {
        if !self.is_there() {
            return false;
        }
        let numbers: Vec<u32> = self.0.iter().map(|&(process, _)| process).collect();
        signal(name, &numbers);
        true
    }

    /// Whether any of them still runs.
    pub fn is_there(&mut self) -> bool {
        self.0.retain(|&(process, started)| start_of(process) == Some(started));
        !self.0.is_empty()
    }
}

/// When a process was started; `None` if it has ended.
fn start_of(process: u32) -> Option<u64> {
    let after_name = after_name(process)?;
    let mut fields = after_name.split_whitespace();
    // A zombie has ended. Only its number is left.
    let runs = fields.next().is_some_and(|state| state != "Z");
    fields.nth(18).filter(|_| runs)?.parse().ok()
}

/// A process and all its descendants, as far as the system shows them.
fn below(root: u32) -> Vec<u32> {
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

/// The process that has started `process`.
fn parent_of(process: u32) -> Option<u32> {
    after_name(process)?.split_whitespace().nth(1)?.parse().ok()
}

/// What the system says of a process after its name, which may hold anything.
fn after_name(process: u32) -> Option<String> {
    let text = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    Some(text.rsplit_once(')')?.1.to_string())
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
        let mut tree = Tree::below(child.id());
        assert!(tree.signal("-KILL"));
        child.wait().expect("it was started");
        assert_eq!(found.map(|found| found[0]), Some(child.id()));
        while tree.is_there() {
            std::thread::sleep(std::time::Duration::from_millis(10));
        }
        assert!(!tree.signal("-KILL"));
    }
}
