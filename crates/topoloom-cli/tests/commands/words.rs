//! Words that readers stumble over, in help texts, comments and
//! the documentation. `CONTRIBUTING.md` says what to write instead.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use crate::program::help::help_texts;
use crate::program::topoloom;

/// Each with what to write instead.
const FOREIGN: [(&str, &str); 16] = [
    (" anew", "again"),
    ("held against", "checked against"),
    ("holds against", "checks against"),
    ("nevertheless", "anyway"),
    (" as told", "as given"),
    ("what there is", "name it"),
    ("the usual one", "the default"),
    (" is no name", "is not a name"),
    ("which is no ", "which is not a"),
    (", or take auto", ", or use auto"),
    ("not a arrangement", "not an arrangement"),
    ("would be overwritten", "would overwrite"),
    ("you are told", "a message says so"),
    ("made so that", "designed so that"),
    ("nowhere above", "never above"),
    ("hardly count", "are negligible"),
];

/// With two of these, "4 slots a node" means "4 slots per node".
const THINGS: [&str; 17] = [
    "node", "host", "rank", "slot", "pair", "line", "call", "message", "link", "core", "switch",
    "file", "cycle", "level", "byte", "process", "packet",
];

fn is_thing(word: &str) -> bool {
    THINGS
        .iter()
        .any(|thing| word.strip_prefix(thing).is_some_and(|end| matches!(end, "" | "s" | "es")))
}

fn is_number(word: &str) -> bool {
    ["one", "two", "three", "four"].contains(&word)
        || word.chars().next().is_some_and(|first| first.is_ascii_digit())
}

/// The foreign phrases in a text, each with the words around it.
fn foreign(text: &str) -> Vec<String> {
    let text = text.to_lowercase();
    let words: Vec<&str> = text.split_whitespace().collect();
    let line = words.join(" ");
    let mut found: Vec<String> = FOREIGN
        .iter()
        .filter(|(pattern, _)| line.contains(pattern))
        .map(|(pattern, instead)| format!("\"{}\": write \"{instead}\"", pattern.trim()))
        .collect();
    for four in words.windows(4) {
        let last = four[3].trim_end_matches(|c: char| !c.is_alphanumeric());
        if is_number(four[0]) && is_thing(four[1]) && four[2] == "a" && is_thing(last) {
            found.push(format!("\"{}\": write \"per\"", four.join(" ")));
        }
    }
    found
}

#[test]
fn foreign_words_are_found() {
    assert_eq!(foreign("It is computed\nanew."), ["\"anew\": write \"again\""]);
    assert_eq!(foreign("with 4 slots a node, and"), ["\"4 slots a node,\": write \"per\""]);
    assert!(
        foreign("4 slots per node. One rank is a node's neighbour. A file is read again.")
            .is_empty()
    );
}

/// A page without blocks of code and without tables that show what not to write.
fn prose(page: &str) -> String {
    let outside = page.split("```").step_by(2);
    let lines = outside.flat_map(str::lines).filter(|line| !line.starts_with('|'));
    lines.collect::<Vec<_>>().join("\n")
}

#[test]
fn the_documentation_has_no_foreign_words() {
    let project = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let docs = fs::read_dir(project.join("docs")).unwrap().map(|entry| entry.unwrap().path());
    let pages = docs.filter(|path| path.extension().is_some_and(|ending| ending == "md"));
    let more = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md"];
    for page in pages.chain(more.map(|name| project.join(name))) {
        let found = foreign(&prose(&fs::read_to_string(&page).unwrap()));
        assert!(found.is_empty(), "{}: {}", page.display(), found.join("; "));
    }
}

/// Adds all sources in a folder.
fn add_sources(folder: &Path, sources: &mut Vec<(PathBuf, String)>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            add_sources(&path, sources);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            let source = fs::read_to_string(&path).unwrap();
            sources.push((path, source));
        }
    }
}

/// The sources of every crate.
fn sources() -> Vec<(PathBuf, String)> {
    let program = Path::new(env!("CARGO_MANIFEST_DIR"));
    let crates = program.parent().expect("crates are in a folder");
    let mut sources = Vec::new();
    for entry in fs::read_dir(crates).unwrap() {
        add_sources(&entry.unwrap().path().join("src"), &mut sources);
    }
    assert!(sources.len() > 500, "only {} files", sources.len());
    sources
}

/// The comments of a source.
fn comments(source: &str) -> String {
    let lines = source.lines().map(str::trim_start).filter(|line| line.starts_with("//"));
    let text: Vec<&str> = lines.map(|line| line.trim_start_matches(['/', '!'])).collect();
    prose(&text.join("\n"))
}

#[test]
fn comments_have_no_foreign_words() {
    for (file, source) in sources() {
        let found = foreign(&comments(&source).replace("which is no longer", "which was"));
        assert!(found.is_empty(), "{}: {}", file.display(), found.join("; "));
    }
}

#[test]
fn help_texts_have_no_foreign_words() {
    let texts = help_texts();
    // The program, and every command that it lists.
    assert!(texts.len() > 21);
    for (command, help) in texts {
        let found = foreign(&help);
        assert!(found.is_empty(), "{command} --help: {}", found.join("; "));
    }
}

#[test]
fn the_registries_have_no_foreign_words() {
    let output = topoloom(&["list", "--markdown"]).assert().success().get_output().stdout.clone();
    let found = foreign(&String::from_utf8(output).unwrap());
    assert!(found.is_empty(), "{}", found.join("; "));
}

/// The options in a text: words that begin with two hyphens.
fn options(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '-');
    words.filter(|word| {
        let name = word.strip_prefix("--");
        name.is_some_and(|name| name.starts_with(|c: char| c.is_ascii_lowercase()))
    })
}

/// The options of all commands.
fn all_options() -> BTreeSet<String> {
    let mut all = BTreeSet::new();
    for (_, help) in help_texts() {
        let listed = help.lines().map(str::trim_start).filter(|line| line.starts_with('-'));
        all.extend(listed.flat_map(options).map(str::to_string));
    }
    all
}

/// Options of launchers that have the name of one of ours.
const OF_LAUNCHERS: [(&str, &str); 3] = [
    ("bgq_mapfile.rs", "--mapping"),
    ("bgq_mapfile.rs", "--ranks-per-node"),
    ("openmpi5_rankfile.rs", "--host"),
];

#[test]
fn libraries_do_not_name_options_of_the_program() {
    let ours = all_options();
    assert!(ours.len() > 50 && ours.contains("--imbalance"), "{ours:?}");
    for (file, source) in sources() {
        let is = |name: &str| file.file_name().is_some_and(|file| file == name);
        // Launchers take options, and tests check them.
        if is("tests.rs") || file.components().any(|part| part.as_os_str() == "topoloom-cli") {
            continue;
        }
        let source = source.split("#[cfg(test)]\nmod tests").next().unwrap_or_default();
        let code = source.lines().filter(|line| !line.trim_start().starts_with("//"));
        for option in code.flat_map(options) {
            let known = OF_LAUNCHERS.iter().any(|(name, other)| is(name) && *other == option);
            assert!(
                known || !ours.contains(option),
                "{}: {option} belongs to the program; state the fact in a typed error, and add the \
                 hint in hints.rs of topoloom-cli",
                file.display()
            );
        }
    }
}
