//! Commands as a user could type them.

use std::ffi::OsString;

/// The command as a user could type it.
pub fn shown(command: &[OsString]) -> String {
    let word = |word: &OsString| quoted(&word.to_string_lossy());
    command.iter().map(word).collect::<Vec<String>>().join(" ")
}

/// A word, quoted for a shell.
pub fn quoted(word: &str) -> String {
    let plain = |letter: char| letter.is_alphanumeric() || "-_./=:,@+%".contains(letter);
    match !word.is_empty() && word.chars().all(plain) {
        true => word.to_string(),
        false => format!("'{}'", word.replace('\'', "'\\''")),
    }
}
