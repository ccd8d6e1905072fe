//! What people and programs see.

pub mod collectives;
pub mod record;
pub mod table;

use std::io::{ErrorKind, Write};
use std::process::ExitCode;
use std::sync::Mutex;

use serde::Serialize;
pub use topoloom_show::{numbers, svg};

use crate::interrupt;

/// Writes to standard output; a reader that has gone away ends the program quietly.
pub fn print(text: &str) {
    let mut out = anstream::stdout().lock();
    if let Err(error) = out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        if error.kind() == ErrorKind::BrokenPipe {
            std::process::exit(0);
        }
        let text = error.to_string();
        let reason = text.split(" (os error").next().unwrap_or_default();
        say("error", "\u{1b}[1;31m", &format!("standard output: cannot write: {reason}"));
        std::process::exit(2);
    }
}

/// Writes a value as JSON, with a line break at the end.
pub fn print_json<T: Serialize>(value: &T) {
    let text = serde_json::to_string_pretty(value).expect("records have no maps with odd keys");
    print(&format!("{text}\n"));
}

/// Says on standard error what went wrong.
pub fn fail(error: &anyhow::Error) -> ExitCode {
    let chain: Vec<String> = error.chain().map(ToString::to_string).collect();
    say("error", "\u{1b}[1;31m", &chain.join(": "));
    // Who interrupts a program knows why it ended.
    ExitCode::from(if interrupt::happened() { interrupt::INTERRUPTED } else { 2 })
}

/// What the user was told he should know.
static WARNINGS: Mutex<Vec<String>> = Mutex::new(Vec::new());

/// All that [`warn`] has said until now.
pub fn warnings() -> Vec<String> {
    WARNINGS.lock().map(|warnings| warnings.clone()).unwrap_or_default()
}

/// Says on standard error what the user should know.
pub fn warn(text: &str) {
    if let Ok(mut warnings) = WARNINGS.lock() {
        warnings.push(text.to_string());
    }
    say("warning", "\u{1b}[1;33m", text);
}

/// Says on standard error what was done.
pub fn inform(text: &str) {
    let _ = writeln!(anstream::stderr().lock(), "{text}");
}

fn say(kind: &str, colour: &str, text: &str) {
    // Nobody is left to hear about a standard error that cannot be written to.
    let _ = writeln!(anstream::stderr().lock(), "{colour}{kind}\u{1b}[0m: {text}");
}
