//! `-` in the arguments: standard input where a file is read, standard output where one is written.

use std::ffi::OsString;

use clap::{Arg, Command};
use topoloom::io::STANDARD_OUTPUT;

/// The file name of standard input.
const STANDARD_INPUT: &str = "/dev/stdin";

/// Options that name files to read.
const READ: [&str; 13] = [
    "traffic", "trace", "machine", "mapping", "strategy", "network", "platform", "hosts",
    "workload", "jobs", "groups", "keep", "order",
];

/// Options that name files to write.
const WRITE: [&str; 6] = ["output", "html", "links", "table", "plot", "svg"];

/// The values of options that name files or folders.
const FILES: [&str; 3] = ["FILE", "FOLDER", "DIR"];

/// Arguments in which no `-` stands for a file.
pub struct Named {
    /// The arguments, with the name of standard input or output for every such `-`.
    pub arguments: Vec<OsString>,
    /// Whether a file goes to standard output, so everything else has to go elsewhere.
    pub take_standard_output: bool,
}

/// Names what `-` stands for. Arguments of another program stay as they are. An error says which
/// option takes no `-`.
pub fn named(
    arguments: impl Iterator<Item = OsString>,
    mut program: Command,
) -> Result<Named, String> {
    // Fills in which options take values.
    program.build();
    let mut reader =
        Reader { command: &program, option: None, is_ours: true, take_standard_output: false };
    let words = arguments.enumerate();
    let words = words.map(|(at, word)| if at == 0 { Ok(word) } else { reader.named(word) });
    let arguments = words.collect::<Result<_, String>>()?;
    Ok(Named { arguments, take_standard_output: reader.take_standard_output })
}

/// What is known of the words so far.
struct Reader<'a> {
    /// The command, or the command inside it.
    command: &'a Command,
    /// The option before the next word, if that is its value.
    option: Option<&'a Arg>,
    /// Whether the next word is not yet of another program.
    is_ours: bool,
    /// Whether a file goes to standard output.
    take_standard_output: bool,
}

impl<'a> Reader<'a> {
    fn named(&mut self, word: OsString) -> Result<OsString, String> {
        if !self.is_ours {
            return Ok(word);
        }
        let option = self.option.take();
        let Some(text) = word.to_str() else {
            // A name that is not UTF-8 is a value, a file, or the first word of another program.
            self.is_ours = option.is_some() || !self.starts_programs();
            return Ok(word);
        };
        if let Some(option) = option {
            return self.value(option, text).map(OsString::from);
        }
        match text {
            "-" => return Ok(STANDARD_INPUT.into()),
            "--" => self.is_ours = false,
            _ if text.starts_with('-') => return self.of_option(text).map(OsString::from),
            _ => match self.command.find_subcommand(text) {
                Some(inner) => self.command = inner,
                // The first word of another program.
                None => self.is_ours = !self.starts_programs(),
            },
        }
        Ok(word)
    }

    /// `--name`, `--name=value`, `-o`, `-ovalue` or `-o=value`.
    fn of_option(&mut self, text: &str) -> Result<String, String> {
        let known = |is: &dyn Fn(&Arg) -> bool| self.command.get_arguments().find(|arg| is(arg));
        let (option, given) = match text.strip_prefix("--") {
            Some(rest) => {
                let (name, value) =
                    rest.split_once('=').map_or((rest, None), |(name, value)| (name, Some(value)));
                let is = |arg: &Arg| {
                    let aliases = arg.get_all_aliases().unwrap_or_default();
                    arg.get_long() == Some(name) || aliases.contains(&name)
                };
                (known(&is), value)
            }
            None => {
                let letter = text[1..].chars().next();
                let rest = &text[1 + letter.map_or(0, char::len_utf8)..];
                let value = (!rest.is_empty()).then(|| rest.trim_start_matches('='));
                (known(&|arg| arg.get_short() == letter), value)
            }
        };
        let Some(option) = option.filter(|option| option.get_action().takes_values()) else {
            return Ok(text.to_string());
        };
        let Some(given) = given else {
            self.option = Some(option);
            return Ok(text.to_string());
        };
        match self.value(option, given)? {
            same if same == given => Ok(text.to_string()),
            file => Ok(format!("--{}={file}", long_name(option))),
        }
    }

    /// Whether what follows the options is a program with its arguments.
    fn starts_programs(&self) -> bool {
        self.command.get_positionals().any(Arg::is_trailing_var_arg_set)
    }

    /// The value of an option, with the name of the file that `-` stands for.
    fn value(&mut self, option: &Arg, given: &str) -> Result<String, String> {
        let name = long_name(option);
        // `arrange --mapping` writes a file.
        let writes =
            WRITE.contains(&name) || name == "mapping" && self.command.get_name() == "arrange";
        let is_dash = given == "-";
        if writes && (is_dash || given == STANDARD_OUTPUT) {
            self.take_standard_output = true;
            return Ok(STANDARD_OUTPUT.to_string());
        }
        if is_dash && READ.contains(&name) {
            return Ok(STANDARD_INPUT.to_string());
        }
        let names = option.get_value_names().unwrap_or_default();
        let is_file = names.iter().any(|name| FILES.iter().any(|file| name.starts_with(file)));
        if is_dash && is_file {
            return Err(format!("--{name}: expected the name of a file or a folder, found \"-\""));
        }
        Ok(given.to_string())
    }
}

fn long_name(option: &Arg) -> &str {
    option.get_long().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;
    use crate::cli::Cli;

    fn read(text: &str) -> Result<Named, String> {
        named(text.split(' ').map(OsString::from), Cli::command())
    }

    fn after(text: &str) -> String {
        read(text).unwrap().arguments.join(" ".as_ref()).into_string().unwrap()
    }

    #[test]
    fn a_dash_is_standard_input_where_files_are_read() {
        for (given, expected) in [
            ("t score --traffic - --json", "t score --traffic /dev/stdin --json"),
            ("t score --traffic=- --json", "t score --traffic=/dev/stdin --json"),
            ("t schedule --jobs -", "t schedule --jobs /dev/stdin"),
            ("t traffic show -", "t traffic show /dev/stdin"),
            ("t traffic show --json -", "t traffic show --json /dev/stdin"),
            ("t traffic merge - -", "t traffic merge /dev/stdin /dev/stdin"),
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
            ("t map -o-", "t map --output=/dev/stdout"),
            ("t map -o=-", "t map --output=/dev/stdout"),
            ("t arrange --mapping -", "t arrange --mapping /dev/stdout"),
            ("t generate - -o -", "t generate /dev/stdin -o /dev/stdout"),
        ] {
            assert_eq!(after(given), expected);
            assert!(read(given).unwrap().take_standard_output);
        }
    }

    #[test]
    fn other_dashes_stay() {
        for text in [
            "t record -o r.rec -- cat -",
            "t record -o r.rec -- cat --output -",
            "t record -o r.rec cat --output - --html=- - /dev/stdout",
            "t map --seed -",
            "t map --seed=-",
        ] {
            assert_eq!(after(text), text);
            assert!(!read(text).unwrap().take_standard_output);
        }
    }

    #[cfg(unix)]
    #[test]
    fn names_that_are_not_utf_8_are_values_too() {
        use std::os::unix::ffi::OsStringExt;
        let odd = OsString::from_vec(vec![0xff]);
        let after = |before: &[&str], next: &[&str]| {
            let words = before.iter().map(OsString::from).chain([odd.clone()]);
            let named =
                named(words.chain(next.iter().map(OsString::from)), Cli::command()).unwrap();
            named.arguments.last().unwrap().clone()
        };
        assert_eq!(after(&["t", "map", "--traffic"], &["-o", "-"]), STANDARD_OUTPUT);
        assert_eq!(after(&["t", "record"], &["-"]), "-");
    }

    #[test]
    fn what_cannot_be_read_or_written_so_is_refused() {
        let refused = read("t map --checkpoint -").err().unwrap();
        assert_eq!(refused, "--checkpoint: expected the name of a file or a folder, found \"-\"");
    }
}
