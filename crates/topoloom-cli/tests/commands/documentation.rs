//! The commands of the README and of the tutorial work as written, with the files that are shipped.

use std::fs;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use crate::program::help::help_texts;
use crate::program::topoloom;

fn project() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The lines of code blocks that call this program, without its name.
fn commands(page: &str) -> Vec<Vec<String>> {
    let text = fs::read_to_string(project().join(page)).unwrap();
    let blocks = text.split("```").skip(1).step_by(2);
    let joined: Vec<String> = blocks.map(|block| block.replace("\\\n", " ")).collect();
    joined
        .iter()
        .flat_map(|block| block.lines())
        .filter_map(|line| {
            line.strip_prefix("topoloom ")
                .or_else(|| line.strip_prefix("cargo run --profile quick -- "))
        })
        .map(|line| line.split_whitespace().map(str::to_string).collect())
        .collect()
}

/// Whether a command starts MPI jobs: `tests/mpi` covers these.
fn needs_mpi(command: &[String]) -> bool {
    ["record", "tune", "verify"].contains(&command[0].as_str())
}

/// A folder with the files that are shipped in `examples`.
fn examples() -> TempDir {
    let folder = TempDir::new().unwrap();
    let copies = folder.path().join("examples");
    fs::create_dir(&copies).unwrap();
    for entry in fs::read_dir(project().join("examples")).unwrap() {
        let path = entry.unwrap().path();
        if path.is_file() {
            fs::copy(&path, copies.join(path.file_name().unwrap())).unwrap();
        }
    }
    folder
}

/// Runs the commands of a page in a folder; returns how many there were.
fn run(page: &str, folder: &Path) -> usize {
    let all = commands(page);
    for command in all.iter().filter(|command| !needs_mpi(command)) {
        let arguments: Vec<&str> = command.iter().map(String::as_str).collect();
        topoloom(&arguments).current_dir(folder).assert().success();
    }
    all.len()
}

#[test]
fn the_commands_of_the_readme_run_as_written() {
    // compare, report, tune
    assert_eq!(run("README.md", examples().path()), 3);
}

/// A line as words, without the time of a search at the end of a row.
fn without_time(line: &str) -> Vec<&str> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let is_time = words.last().is_some_and(|&word| ["s", "ms", "µs", "ns"].contains(&word));
    words[..words.len() - if is_time { 2 } else { 0 }].to_vec()
}

#[test]
fn the_first_command_of_the_readme_prints_what_the_readme_shows() {
    let readme = fs::read_to_string(project().join("README.md")).unwrap();
    let blocks: Vec<&str> = readme.split("```").skip(1).step_by(2).collect();
    let at = blocks.iter().position(|block| block.contains("cargo run --profile quick -- compare"));
    let shown = blocks[at.unwrap() + 1];
    let command = &commands("README.md")[0];
    let arguments: Vec<&str> = command.iter().map(String::as_str).collect();
    let assert = topoloom(&arguments).current_dir(examples().path()).assert().success();
    let printed = String::from_utf8(assert.get_output().stdout.clone()).unwrap();
    let rows = |text: &str| -> Vec<String> {
        let rows = text.lines().map(|line| without_time(line).join(" "));
        rows.filter(|row| !row.is_empty()).collect()
    };
    assert_eq!(rows(shown), rows(&printed));
}

#[test]
fn the_commands_of_the_tutorial_run_as_written() {
    // record, traffic show, machine import, compare, map, report, apply, verify, tune
    assert_eq!(run("docs/tutorial.md", &examples().path().join("examples")), 9);
}

#[test]
fn links_between_pages_lead_somewhere() {
    let docs = project().join("docs");
    let pages = fs::read_dir(&docs).unwrap().map(|entry| entry.unwrap().path());
    let pages = pages.filter(|path| path.extension().is_some_and(|ending| ending == "md"));
    let more =
        ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "SECURITY.md", "examples/README.md"];
    for page in pages.chain(more.map(|name| project().join(name))) {
        let text = fs::read_to_string(&page).unwrap();
        for link in text.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            let target = link.split('#').next().unwrap_or_default();
            if target.is_empty() || target.contains("://") || target.contains(' ') {
                continue;
            }
            let path = page.parent().unwrap().join(target);
            assert!(path.exists(), "{}: {link} leads nowhere", page.display());
        }
    }
}

/// The page with every help text. `TOPOLOOM_WRITE_PAGES=1 cargo test -p topoloom-cli --test
/// commands page_of_commands` writes it.
#[test]
fn the_page_of_commands_has_every_help_text() {
    let mut page = String::from(
        "# Commands\n\nEvery command with its options, as `topoloom COMMAND --help` prints them.\n",
    );
    for (command, help) in help_texts() {
        let help: Vec<&str> = help.lines().map(str::trim_end).collect();
        page += &format!("\n## {command}\n\n```text\n{}\n```\n", help.join("\n").trim_end());
    }
    let path = project().join("docs/commands.md");
    if std::env::var_os("TOPOLOOM_WRITE_PAGES").is_some() {
        fs::write(&path, &page).unwrap();
    }
    let written = fs::read_to_string(&path).unwrap();
    let differs = page.lines().zip(written.lines()).find(|(now, then)| now != then);
    assert!(page == written, "docs/commands.md is not up to date: {differs:?}");
}
