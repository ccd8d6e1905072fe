//! The output of a command that we run: its beginning and its end, however long it is.

use std::collections::VecDeque;
use std::io::{self, Read};
use std::process::{Child, Command};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use anyhow::Context;

use super::wait::end;

/// This much of the beginning is kept, and the same amount of the end.
const MOST_KEPT: usize = 32 << 10;

/// The output so far.
#[derive(Default)]
struct Kept {
    first: Vec<u8>,
    last: VecDeque<u8>,
    left_out: u64,
}

impl Kept {
    fn add(&mut self, bytes: &[u8]) {
        let room = MOST_KEPT - self.first.len();
        let (first, rest) = bytes.split_at(room.min(bytes.len()));
        self.first.extend_from_slice(first);
        self.last.extend(rest);
        let too_many = self.last.len().saturating_sub(MOST_KEPT);
        self.last.drain(..too_many);
        self.left_out += too_many as u64;
    }

    fn text(&self) -> String {
        let mut text = String::from_utf8_lossy(&self.first).into_owned();
        let last: Vec<u8> = self.last.iter().copied().collect();
        if self.left_out > 0 {
            text += &format!("\n... {} bytes left out here ...\n", self.left_out);
        }
        text += &String::from_utf8_lossy(&last);
        text.trim_end().to_string()
    }
}

/// The standard output and the standard error of a running command.
pub struct Capture {
    kept: Arc<Mutex<Kept>>,
    reader: JoinHandle<()>,
}

impl Capture {
    /// Starts a command whose output is kept.
    pub fn start(mut command: Command) -> anyhow::Result<(Child, Capture)> {
        let program = command.get_program().to_os_string();
        let (mut reader, writer) = io::pipe().context("cannot make a pipe")?;
        let errors = writer.try_clone().context("cannot write twice to one pipe")?;
        let child = command
            .stdout(writer)
            .stderr(errors)
            .spawn()
            .with_context(|| format!("cannot run {}", program.display()))?;
        // Our own ends of the pipe are closed: the pipe ends with the last process that writes to
        // it.
        drop(command);
        let kept = Arc::new(Mutex::new(Kept::default()));
        let filled = kept.clone();
        let read = move || {
            let mut buffer = vec![0; 1 << 16];
            loop {
                match reader.read(&mut buffer) {
                    Ok(0) => return,
                    Ok(length) => {
                        let mut kept = filled.lock().unwrap_or_else(PoisonError::into_inner);
                        kept.add(&buffer[..length]);
                    }
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                    Err(_) => return,
                }
            }
        };
        let reader = thread::Builder::new().name("capture".to_string()).spawn(read);
        match reader {
            Ok(reader) => Ok((child, Capture { kept, reader })),
            Err(error) => {
                end(child);
                Err(error).context("cannot start a thread that reads what the command prints")
            }
        }
    }

    /// The output. The command has ended. Processes that it left behind may still write; we do not
    /// wait for them.
    pub fn text(self) -> String {
        const AT_MOST: Duration = Duration::from_secs(1);
        let begin = Instant::now();
        while !self.reader.is_finished() && begin.elapsed() < AT_MOST {
            thread::sleep(Duration::from_millis(2));
        }
        self.kept.lock().unwrap_or_else(PoisonError::into_inner).text()
    }
}

/// The output of a command, indented and without empty lines.
pub fn indented(text: &str) -> String {
    let lines = text.lines().filter(|line| !line.trim().is_empty());
    lines.map(|line| format!("  {line}")).collect::<Vec<String>>().join("\n")
}

/// The same after "it said", or nothing.
pub fn it_said(text: &str) -> String {
    match indented(text) {
        text if text.is_empty() => String::new(),
        text => format!("; it said:\n{text}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn beginning_and_end_are_kept_and_the_middle_is_counted() {
        let mut kept = Kept::default();
        kept.add(b"first\n");
        (0..MOST_KEPT / 4).for_each(|_| kept.add(b"xxxxxxxxxxxxxxx\n"));
        kept.add(b"last\n");
        let text = kept.text();
        assert!(text.starts_with("first\nxxx") && text.ends_with("xxx\nlast"));
        // 16 bytes for each 4 of the limit, and two limits are kept.
        let left_out = MOST_KEPT * 4 + 6 + 5 - 2 * MOST_KEPT;
        assert!(text.contains(&format!("... {left_out} bytes left out here ...")));
        assert!(text.len() < 2 * MOST_KEPT + 100);
    }

    #[test]
    fn what_a_command_prints_both_ways_is_kept_and_strays_are_not_waited_for() {
        let mut command = Command::new("sh");
        command.args(["-c", "echo out; echo err >&2; sleep 20 & echo $!"]);
        let (mut child, capture) = Capture::start(command).unwrap();
        child.wait().unwrap();
        let text = capture.text();
        assert!(text.starts_with("out\nerr\n"), "{text}");
        let stray: u32 = text.lines().last().unwrap().parse().unwrap();
        crate::jobs::process_tree::signal("-KILL", &[stray]);
    }
}
