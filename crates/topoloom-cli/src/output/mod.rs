//! Output for people and programs.
//!
//! All output goes through here, and is made safe here: text from files may hold control characters
//! for terminals ([`plain_text`]).

pub mod collectives;
pub mod picture;
pub mod structure;
pub mod table;

use std::io::{ErrorKind, Write, stderr};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use anstream::{AutoStream, ColorChoice};
use serde::Serialize;
pub use topoloom::show::{numbers, plain_text, svg};

use crate::leave::leave;
use crate::{hints, interrupt, session};

/// Whether a file goes to standard output.
static STANDARD_OUTPUT_IS_TAKEN: AtomicBool = AtomicBool::new(false);

/// From now on [`print`] writes to standard error, because a file goes to standard output.
pub fn print_on_standard_error() {
    STANDARD_OUTPUT_IS_TAKEN.store(true, Ordering::Relaxed);
}

/// Writes to standard output; a reader that has closed the pipe ends the program quietly.
pub fn print(text: &str) {
    if STANDARD_OUTPUT_IS_TAKEN.load(Ordering::Relaxed) {
        return inform(text.trim_end());
    }
    let text = plain_text::lines(text);
    if session::keep(|done| done.printed.push_str(&text)) {
        return;
    }
    let mut out = anstream::stdout().lock();
    if let Err(error) = out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        if error.kind() == ErrorKind::BrokenPipe {
            leave(0);
        }
        let text = error.to_string();
        let reason = text.split(" (os error").next().unwrap_or_default();
        say("error", "\u{1b}[1;31m", &format!("standard output: cannot write: {reason}"));
        leave(2);
    }
}

/// Writes a file to standard output, as `-o -` asks for.
pub fn print_file(text: &str) {
    let was_taken = STANDARD_OUTPUT_IS_TAKEN.swap(false, Ordering::Relaxed);
    print(text);
    STANDARD_OUTPUT_IS_TAKEN.store(was_taken, Ordering::Relaxed);
}

/// Writes a value as JSON, with a line break at the end.
pub fn print_json<T: Serialize>(value: &T) {
    let text = serde_json::to_string_pretty(value).expect("records have no maps with odd keys");
    print(&format!("{}\n", plain_text::json(&text)));
}

/// Prints what is wrong with the arguments, or the help that was asked for, and ends the program.
pub fn refuse_arguments(error: &clap::Error) -> ! {
    // File names may come from others through a shell's patterns. Text without control characters
    // is shown with clap's own colours.
    if std::env::args_os()
        .all(|argument| !argument.to_string_lossy().contains(plain_text::is_unseen))
    {
        error.exit()
    }
    inform(error.render().to_string().trim_end());
    std::process::exit(error.exit_code())
}

/// Says on standard error what went wrong. The result is the exit code.
pub fn fail(error: &anyhow::Error) -> u8 {
    say("error", "\u{1b}[1;31m", &in_words(error));
    // A user who interrupts a program knows why it ended.
    if interrupt::happened() { interrupt::INTERRUPTED } else { 2 }
}

/// An error with its causes, and the option that helps.
pub fn in_words(error: &anyhow::Error) -> String {
    let chain: Vec<String> = error.chain().map(ToString::to_string).collect();
    let hint = hints::of(error).unwrap_or_default();
    format!("{}{hint}", chain.join(": "))
}

/// The warnings so far.
static WARNINGS: Mutex<Vec<String>> = Mutex::new(Vec::new());

/// All warnings of [`warn`] so far.
pub fn warnings() -> Vec<String> {
    let mut of_session = None;
    if session::keep(|done| of_session = Some(done.warnings.clone())) {
        return of_session.unwrap_or_default();
    }
    WARNINGS.lock().map(|warnings| warnings.clone()).unwrap_or_default()
}

/// Prints a warning on standard error.
pub fn warn(text: &str) {
    if session::keep(|done| done.warnings.push(text.to_string())) {
        return;
    }
    if let Ok(mut warnings) = WARNINGS.lock() {
        warnings.push(text.to_string());
    }
    say("warning", "\u{1b}[1;33m", text);
}

/// Says that a search has ended early, and why.
pub fn warn_of_early_end() {
    let reason = if interrupt::happened() { "an interrupt" } else { "a limit" };
    warn(&format!("{reason} cut the search short: this is the best so far"));
}

/// Prints on standard error what was done.
pub fn inform(text: &str) {
    if session::keep(|done| done.notes.push(text.to_string())) {
        return;
    }
    write_on_standard_error(&format!("{}\n", plain_text::lines(text)));
}

fn say(kind: &str, colour: &str, text: &str) {
    // Later lines are indented. So a name with a line break cannot look like a message of ours.
    let text = plain_text::lines(text).trim_end().replace('\n', "\n  ");
    let kind = match AutoStream::choice(&stderr()) {
        ColorChoice::Never => kind.to_string(),
        _ => format!("{colour}{kind}\u{1b}[0m"),
    };
    write_on_standard_error(&format!("{kind}: {text}\n"));
}

/// Writes a message in one piece: processes of a job share the stream, and a launcher that ends them
/// passes on only what it has read by then.
fn write_on_standard_error(text: &str) {
    // If standard error cannot be written to, there is nobody to tell.
    let _ = stderr().lock().write_all(text.as_bytes());
}
