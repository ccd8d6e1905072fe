//! Runs the program as a user does.

pub mod help;

use std::path::PathBuf;

use assert_cmd::Command;
use serde_json::Value;

pub fn topoloom(arguments: &[&str]) -> Command {
    let mut command = Command::cargo_bin("topoloom").unwrap();
    command.args(arguments).env("NO_COLOR", "1");
    command
}

/// What it prints on standard output when it succeeds.
pub fn stdout(arguments: &[&str]) -> String {
    let output = topoloom(arguments).assert().success().get_output().clone();
    String::from_utf8(output.stdout).unwrap()
}

pub fn json(arguments: &[&str]) -> Value {
    serde_json::from_str(&stdout(arguments)).unwrap()
}

/// What it prints on standard error when it refuses with exit code 2, without "error: ".
pub fn refusal(arguments: &[&str]) -> String {
    let output = topoloom(arguments).assert().code(2).get_output().clone();
    assert!(output.stdout.is_empty(), "a refusal prints nothing on standard output");
    let text = String::from_utf8(output.stderr).unwrap();
    text.trim_end().strip_prefix("error: ").unwrap_or(&text).to_string()
}

/// A file in a folder, as a path and as an argument.
pub fn path(directory: &tempfile::TempDir, name: &str) -> (PathBuf, String) {
    let path = directory.path().join(name);
    let text = path.display().to_string();
    (path, text)
}

/// As in the HAEC thesis, which has no collectives: every neighbour can be one hop away.
pub const LU_ON_HAEC: [&str; 6] =
    ["--traffic", "lu:class=C,ranks=64", "--machine", "haec:4x4x4", "--collectives", "none"];

/// A command for that problem.
pub fn with<'a>(command: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    [&[command], &LU_ON_HAEC[..], more].concat()
}
