//! `-` in the arguments: standard input where a file is read, standard output where one is written.

use std::ffi::{OsStr, OsString};

use topoloom::io::STANDARD_OUTPUT;

/// The file name of standard input.
const STANDARD_INPUT: &str = "/dev/stdin";

/// Options that name files to read.
const READ: [&str; 11] = [
    "--traffic",
    "--trace",
    "--machine",
    "--mapping",
    "--network",
    "--platform",
    "--hosts",
    "--workload",
    "--jobs",
    "--groups",
    "--keep",
];

/// Options that name files to write.
const WRITE: [&str; 6] = ["--output", "-o", "--html", "--links", "--table", "--plot"];

/// The arguments, with the name of standard input or output for every `-` that stands for a file.
/// Arguments after `--` belong to another program.
pub fn named(arguments: impl Iterator<Item = OsString>) -> Vec<OsString> {
    let mut before = OsString::new();
    let mut is_ours = true;
    let mut command = OsString::new();
    let mut named = Vec::new();
    for (number, argument) in arguments.enumerate() {
        if number == 1 {
            command.clone_from(&argument);
        }
        is_ours &= argument != "--";
        let stands_for = |option: &OsStr| file_of(option, &command);
        named.push(match argument.to_str() {
            Some("-") if is_ours => match stands_for(&before) {
                Some(file) => file.into(),
                None if before.to_string_lossy().starts_with('-') => argument.clone(),
                None => STANDARD_INPUT.into(),
            },
            Some(text) if is_ours && text.starts_with("--") && text.ends_with("=-") => {
                let option = text.trim_end_matches("=-");
                match stands_for(option.as_ref()) {
                    Some(file) => format!("{option}={file}").into(),
                    None => argument.clone(),
                }
            }
            _ => argument.clone(),
        });
        before = argument;
    }
    named
}

/// What `-` stands for as the value of an option.
fn file_of(option: &OsStr, command: &OsStr) -> Option<&'static str> {
    let is_one_of = |options: &[&str]| options.iter().any(|known| option == *known);
    // `arrange --mapping` writes a file.
    let writes_mapping = command == "arrange" && option == "--mapping";
    if writes_mapping || is_one_of(&WRITE) {
        Some(STANDARD_OUTPUT)
    } else {
        is_one_of(&READ).then_some(STANDARD_INPUT)
    }
}

/// Whether a file goes to standard output, so everything else has to go elsewhere.
pub fn write_to_standard_output(arguments: &[OsString]) -> bool {
    let ours = arguments.iter().take_while(|argument| *argument != "--");
    ours.map(|argument| argument.to_string_lossy()).any(|argument| {
        argument == STANDARD_OUTPUT || argument.ends_with(&format!("={STANDARD_OUTPUT}"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(text: &str) -> String {
        let words = named(text.split(' ').map(OsString::from));
        words.join(" ".as_ref()).into_string().unwrap()
    }

    #[test]
    fn a_dash_is_standard_input_where_files_are_read() {
        for (given, expected) in [
            ("t score --traffic - --json", "t score --traffic /dev/stdin --json"),
            ("t score --traffic=- --json", "t score --traffic=/dev/stdin --json"),
            ("t schedule --jobs -", "t schedule --jobs /dev/stdin"),
            ("t traffic show -", "t traffic show /dev/stdin"),
            ("t generate - -o x.mtx", "t generate /dev/stdin -o x.mtx"),
        ] {
            assert_eq!(after(given), expected);
        }
    }

    #[test]
    fn a_dash_is_standard_output_where_files_are_written() {
        for (given, expected) in [
            ("t map --output -", "t map --output /dev/stdout"),
            ("t map --output=-", "t map --output=/dev/stdout"),
            ("t arrange --mapping -", "t arrange --mapping /dev/stdout"),
            ("t generate - -o -", "t generate /dev/stdin -o /dev/stdout"),
        ] {
            assert_eq!(after(given), expected);
            assert!(write_to_standard_output(&named(given.split(' ').map(OsString::from))));
        }
    }

    #[test]
    fn other_dashes_stay() {
        for text in
            ["t record -o r.rec -- cat -", "t record -o r.rec -- cat --output -", "t map --seed -"]
        {
            assert_eq!(after(text), text);
            assert!(!write_to_standard_output(&named(text.split(' ').map(OsString::from))));
        }
    }
}
