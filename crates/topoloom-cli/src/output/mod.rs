//! What people and programs see.
//!
//! All that is shown goes through here, and is made safe here: text from files may hold letters that
//! command a terminal ([`plain_text`]).

pub mod collectives;
pub mod picture;
pub mod structure;
pub mod table;

use std::io::{ErrorKind, Write};
use std::process::ExitCode;
use std::sync::Mutex;

use serde::Serialize;
pub use topoloom::show::{numbers, plain_text, svg};

use crate::interrupt;

/// Writes to standard output; a reader that has gone away ends the program quietly.
pub fn print(text: &str) {
    let text = plain_text::lines(text);
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
    print(&format!("{}\n", plain_text::json(&text)));
}

/// Says what is wrong with the arguments, or what help was asked for, and ends the program.
pub fn refuse_arguments(error: &clap::Error) -> ! {
    // File names may come from others by way of a shell's patterns. What has no such letters is shown
    // with clap's own colours.
    if std::env::args_os()
        .all(|argument| !argument.to_string_lossy().contains(plain_text::is_unseen))
    {
        error.exit()
    }
    inform(error.render().to_string().trim_end());
    std::process::exit(error.exit_code())
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
    let _ = writeln!(anstream::stderr().lock(), "{}", plain_text::lines(text));
}

fn say(kind: &str, colour: &str, text: &str) {
    // Later lines are set in, so that no name with a line end can pass for a message of ours.
    let text = plain_text::lines(text).trim_end().replace('\n', "\n  ");
    // Nobody is left to hear about a standard error that cannot be written to.
    let _ = writeln!(anstream::stderr().lock(), "{colour}{kind}\u{1b}[0m: {text}");
}
