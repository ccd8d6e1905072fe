//! Whatever a file contains, none of it controls the terminal that shows it.

use std::fs;
use std::path::{Path, PathBuf};

use crate::program::topoloom;
use tempfile::TempDir;
use topoloom::core::Weight;
use topoloom::io::{Recording, parse_traffic, write_recording};
use topoloom::show::plain_text::is_unseen;

/// A title, a cleared screen, a bell, DEL, the C1 code that clears it, a change of direction and
/// letters without width. There is no colour, because the colours of the program itself are left
/// out of the comparison.
const EVIL: &str = "e\u{1b}]0;t\u{7}\u{1b}[2J\u{8}\u{7f}\u{9b}2J\u{202e}\u{2066}\u{200b}\u{feff}v";

/// Runs the program as on a terminal with colours, and checks everything that it prints.
fn check_output(arguments: &[&str], what: &str) {
    let mut command = topoloom(arguments);
    command.env_remove("NO_COLOR").env("CLICOLOR_FORCE", "1").env("TERM", "xterm-256color");
    let output = command.output().unwrap();
    for (stream, bytes) in [("output", &output.stdout), ("error", &output.stderr)] {
        let text = without_colours(str::from_utf8(bytes).expect("text"));
        let found = text.chars().find(|&letter| letter != '\n' && is_unseen(letter));
        assert_eq!(found, None, "{arguments:?} of {what} prints on standard {stream}: {text:?}");
    }
    assert!(output.status.code().is_some_and(|code| code <= 2), "{arguments:?} of {what}");
}

/// The text without sequences such as `\u{1b}[1;31m`, which are the only ones that the program may
/// send.
fn without_colours(text: &str) -> String {
    let mut parts = text.split("\u{1b}[");
    let mut plain = parts.next().unwrap_or_default().to_string();
    for part in parts {
        let rest = part.trim_start_matches(|letter: char| letter.is_ascii_digit() || letter == ';');
        match rest.strip_prefix('m') {
            Some(rest) => plain.push_str(rest),
            None => plain.push_str(&format!("\u{1b}[{part}")),
        }
    }
    plain
}

/// The commands that show a file of this name, with FILE for the name; `None` if it belongs to a
/// set of files.
fn commands_for(path: &Path) -> Option<&'static [&'static [&'static str]]> {
    let name = path.to_str()?;
    let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
    Some(match ending {
        "csv" | "tsv" | "mtx" | "graph" => {
            &[&["traffic", "show", "FILE"], &["traffic", "show", "FILE", "--json"]]
        }
        "trace" => &[
            &["traffic", "show", "FILE"],
            &["simulate", "--traffic", "FILE", "--machine", "torus:2x2x2"],
        ],
        "net" => &[
            &["machine", "show", "graph:FILE"],
            &["score", "--traffic", "ring:4", "--machine", "graph:FILE", "--mapping", "FILE"],
        ],
        "conf" | "out" => {
            &[&["machine", "import", "FILE"], &["machine", "import", "FILE", "--json"]]
        }
        "xml" if name.contains("platforms") => &[&["arrange", "platform", "FILE"]],
        "xml" => &[&["machine", "import", "FILE"], &["machine", "show", "FILE", "--json"]],
        "toml" => &[
            &["arrange", "platform", "FILE"],
            &["arrange", "platform", "FILE", "--json"],
            &["arrange", "--platform", "FILE", "--size", "32"],
        ],
        "rec" => &[
            &["traffic", "show", "FILE"],
            &["traffic", "show", "FILE", "--json"],
            &["score", "--traffic", "FILE", "--machine", "torus:2x2"],
            &["map", "--traffic", "FILE", "--output", "MADE"],
        ],
        "json" if name.contains("arrangements") => &[
            &["traffic", "show", "FILE"],
            &["compare", "--traffic", "FILE", "--machine", "torus:8x8", "--strategy", "linear"],
        ],
        "json" if name.contains("machine") => &[
            &["machine", "show", "FILE"],
            &["machine", "show", "FILE", "--json"],
            &["map", "--traffic", "ring:4", "--machine", "FILE", "--output", "MADE"],
            &[
                "compare",
                "--traffic",
                "ring:4",
                "--machine",
                "FILE",
                "--strategy",
                "linear",
                "--csv",
            ],
        ],
        "json" => &[
            &["check", "--traffic", "ring:8", "--machine", "torus:2x2x2", "--mapping", "FILE"],
            &["score", "--traffic", "ring:8", "--machine", "torus:2x2x2", "--mapping", "FILE"],
            &["apply", "--mapping", "FILE", "--format", "slurm-hostfile"],
            &["apply", "--mapping", "FILE", "--format", "openmpi5-rankfile"],
            &["apply", "--mapping", "FILE", "--format", "mpich-hosts"],
        ],
        "txt" if name.contains("slurm") => &[&["machine", "import", "FILE"]],
        "txt" if name.contains("mapping") => {
            &[&["check", "--traffic", "ring:8", "--machine", "ring:8", "--mapping", "FILE"]]
        }
        "swf" => &[
            &["schedule", "--machine", "mesh:4x4", "--strategy", "in-order", "--jobs", "FILE"],
            &[
                "schedule",
                "--machine",
                "mesh:16",
                "--strategy",
                "in-order",
                "--jobs",
                "FILE",
                "--json",
            ],
        ],
        "hosts" => &[
            &["machine", "import", "FILE"],
            &[
                "apply",
                "--mapping",
                "mapping.json",
                "--format",
                "slurm-hostfile",
                "--hosts",
                "FILE",
            ],
        ],
        _ => return None,
    })
}

/// Shows a file with this content, with every command for it.
fn show(folder: &Path, name: &str, content: &[u8], like: &Path) {
    let Some(commands) = commands_for(like) else { return };
    let file = folder.join(name);
    fs::write(&file, content).unwrap();
    let made = folder.join("made.json");
    for command in commands {
        let words: Vec<String> = command
            .iter()
            .map(|word| word.replace("FILE", file.to_str().unwrap()))
            .map(|word| word.replace("MADE", made.to_str().unwrap()))
            .collect();
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        check_output(&words, &format!("{like:?}: {:?}", String::from_utf8_lossy(content)));
    }
}

/// The files in a folder and its subfolders.
fn files_below(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => files.extend(files_below(&path)),
            false => files.push(path),
        }
    }
    files.sort();
    files
}

/// Texts with `EVIL` inserted before some words and inside others, a few at a time.
fn spoilt(text: &str) -> Vec<String> {
    let is_break = |letter: char| " \t\n\",:=[]<>{}".contains(letter);
    let starts: Vec<usize> = text
        .char_indices()
        .filter(|&(at, letter)| !is_break(letter) && text[..at].chars().last().is_none_or(is_break))
        .map(|(at, _)| at)
        .collect();
    // Enough positions to cover every kind of word in a small file, few enough to be quick.
    let step = (starts.len() / 6).max(1);
    let mut places: Vec<usize> = starts.iter().copied().step_by(step).collect();
    places.extend(starts.iter().take(2));
    let mut texts: Vec<String> =
        places.iter().map(|&at| format!("{}{EVIL}{}", &text[..at], &text[at..])).collect();
    // JSON and XML refuse the letters themselves, but not their escapes.
    let in_json = serde_json::to_string(EVIL).unwrap();
    let in_json = in_json.trim_matches('"');
    if text.contains('{') {
        texts.extend(places.iter().map(|&at| format!("{}{in_json}{}", &text[..at], &text[at..])));
    }
    if text.contains("<") {
        let in_xml = "&#x7f;&#x9b;2J&#x202e;&#x200b;&#10;";
        texts.extend(places.iter().map(|&at| format!("{}{in_xml}{}", &text[..at], &text[at..])));
    }
    texts
}

#[test]
fn no_file_commands_the_terminal_whatever_is_wrong_with_it() {
    let folder = TempDir::new().unwrap();
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("../topoloom-io/tests");
    let mut walked = 0;
    for part in ["good", "data", "machines"] {
        for path in files_below(&tests.join(part)) {
            let Ok(text) = fs::read_to_string(&path) else { continue };
            // The test is about the messages of readers, and large files cause the same messages as
            // small ones.
            if commands_for(&path).is_none() || text.len() > 6000 {
                continue;
            }
            let name = format!("file.{}", path.extension().unwrap().to_str().unwrap());
            for text in spoilt(&text) {
                show(folder.path(), &name, text.as_bytes(), &path);
            }
            walked += 1;
        }
    }
    assert!(walked > 40, "{walked} files");
}

#[test]
fn names_and_notes_of_recordings_are_shown_without_their_commands() {
    let folder = TempDir::new().unwrap();
    let traffic = parse_traffic("a.csv", b"0,1,5\n1,2,7\n2,3,9\n3,0,1\n", Weight::Bytes).unwrap();
    let mut recording = Recording::of_traffic(&traffic);
    for key in ["command", "library", "date"] {
        recording.info.push((key.to_string(), EVIL.to_string()));
    }
    recording.notes = vec![EVIL.to_string(), format!("two\nlines {EVIL}")];
    recording.hosts = vec![EVIL.to_string(), format!("b{EVIL}")];
    recording.host_of_rank = vec![0, 0, 1, 1];
    let file = folder.path().join("evil.rec");
    write_recording(&file, &recording).unwrap();
    show(folder.path(), "a.rec", &fs::read(&file).unwrap(), Path::new("a.rec"));
    // It is not lost, but escaped.
    let shown = topoloom(&["traffic", "show", file.to_str().unwrap()]).output().unwrap();
    let shown = String::from_utf8(shown.stdout).unwrap();
    assert!(
        shown.contains(r"note       e\u{1b}]0;t\u{7}\u{1b}[2J\u{8}\u{7f}\u{9b}2J\u{202e}"),
        "{shown}"
    );
    assert!(shown.contains(r"note       two\nlines"), "{shown}");
}

#[test]
fn names_in_machines_platforms_and_mappings_are_shown_without_their_commands() {
    let folder = TempDir::new().unwrap();
    let evil = serde_json::to_string(EVIL).unwrap();
    let machine = format!(
        r#"{{"format": "topoloom-machine", "version": 1, "place": "core",
        "hosts": [{{"names": {evil}, "kind": 0, "slots": 4, "group": 1}}],
        "kinds": [{{"node": {{"kind": "node", "name": {evil}, "in": [{{"kind": "core", "index": 0, "cpus": "0"}}]}}}}],
        "network": {{"switches": 2, "links": 3, "groups": [{{"name": {evil}, "level": 2}}, {{"name": {evil}, "level": 1, "in": 0}}]}}}}"#
    );
    show(folder.path(), "machine.json", machine.as_bytes(), Path::new("machine.json"));
    let mapping = format!(
        r#"{{"format": "topoloom-mapping", "version": 1, "traffic": {evil}, "machine": {evil},
        "strategy": {evil}, "seed": 1, "slot_of_rank": [0,1,2,3,4,5,6,7], "hosts": [{evil}],
        "host_of_rank": [0,0,0,0,0,0,0,0]}}"#
    );
    show(folder.path(), "mapping.json", mapping.as_bytes(), Path::new("mapping.json"));
    let in_toml = EVIL.replace('\u{1b}', "\\u001b").replace('\u{7}', "\\u0007");
    let in_toml = in_toml.replace('\u{8}', "\\b").replace('\u{7f}', "\\u007f");
    let platform = format!(
        "[[cluster]]\nname = \"{in_toml}\"\nnodes = 2\nspeed = 1e9\nbandwidth = \"1Gbps\"\n\
         [[cluster]]\nname = \"b{in_toml}\"\nnodes = 2\nspeed = 1e9\nbandwidth = \"1Gbps\"\n\
         [[link]]\nbetween = [\"{in_toml}\", \"b{in_toml}\"]\nbandwidth = \"1Mbps\"\n"
    );
    show(folder.path(), "platform.toml", platform.as_bytes(), Path::new("platform.toml"));
    let hosts = format!("{EVIL}:4\nb{EVIL} slots=2\n");
    show(folder.path(), "a.hosts", hosts.as_bytes(), Path::new("a.hosts"));
}

#[test]
fn names_of_files_and_arguments_are_shown_without_their_commands() {
    let folder = TempDir::new().unwrap();
    for name in [format!("{EVIL}.csv"), format!("line\nerror: {EVIL}.csv")] {
        let file = folder.path().join(&name);
        fs::write(&file, "0,1,x\n").unwrap();
        let path = file.to_str().unwrap();
        check_output(&["traffic", "show", path], "a wrong file");
        fs::write(&file, "0,1,5\n1,0,5\n").unwrap();
        check_output(&["traffic", "show", path], "a good file");
        check_output(&["traffic", "show", path, "--json"], "a good file");
        check_output(&["score", "--traffic", path, "--machine", "ring:2"], "a good file");
        check_output(&["machine", "show", path], "an unknown machine");
        check_output(&["map", "--traffic", "ring:2", "--strategy", path], "an unknown strategy");
        check_output(&[path], "an unknown command");
        check_output(&["traffic", "show", &format!("--{path}")], "an unknown option");
        check_output(&["score", "--weight", path], "an unknown value");
    }
}

#[test]
fn a_line_end_in_a_name_cannot_begin_a_message_of_its_own() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("a\nerror: all is lost.csv");
    fs::write(&file, "0,1,x\n").unwrap();
    let output = topoloom(&["traffic", "show", file.to_str().unwrap()]).output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(said.lines().filter(|line| line.starts_with("error: ")).count(), 1, "{said}");
}
