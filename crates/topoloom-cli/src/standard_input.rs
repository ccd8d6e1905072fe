//! `-` in the arguments: standard input, wherever a file is read.

use std::ffi::OsString;

/// The file name of standard input.
const STANDARD_INPUT: &str = "/dev/stdin";

/// Options that name files to read. Others name files to write.
const READ: [&str; 8] = [
    "--traffic",
    "--trace",
    "--machine",
    "--mapping",
    "--network",
    "--platform",
    "--hosts",
    "--workload",
];

/// The arguments, with the name of standard input for every `-` that stands for a file to read.
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
        // `arrange --mapping` writes a file.
        let reads = READ.iter().any(|option| before == *option)
            && !(command == "arrange" && before == "--mapping");
        let is_operand = !before.to_string_lossy().starts_with('-');
        let is_input = is_ours && argument == "-" && (reads || is_operand);
        named.push(if is_input { STANDARD_INPUT.into() } else { argument.clone() });
        before = argument;
    }
    named
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
        assert_eq!(after("t score --traffic - --json"), "t score --traffic /dev/stdin --json");
        assert_eq!(after("t traffic show -"), "t traffic show /dev/stdin");
        assert_eq!(after("t generate - -o x.mtx"), "t generate /dev/stdin -o x.mtx");
    }

    #[test]
    fn other_dashes_stay() {
        for text in [
            "t map --traffic x.mtx --output -",
            "t record -o r.rec -- cat -",
            "t arrange --mapping -",
            "t map --traffic x-y.mtx -o -",
        ] {
            assert_eq!(after(text), text);
        }
    }
}
