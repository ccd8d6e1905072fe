//! Where the files of `/sys` and `/proc` come from: the running system, or saved copies.

use crate::text::fault::Fault;
use std::collections::BTreeMap;
use std::fs;

/// Files of a Linux system by their absolute paths.
pub trait SystemFiles {
    /// The content of a file; none if it is not there or cannot be read.
    fn read(&self, path: &str) -> Option<String>;
    /// The names of the entries directly in a folder, sorted; none if it is not there.
    fn list(&self, folder: &str) -> Vec<String>;
}

/// The files of the running system.
#[derive(Debug, Clone, Copy, Default)]
pub struct RunningSystem;

impl SystemFiles for RunningSystem {
    fn read(&self, path: &str) -> Option<String> {
        fs::read(path).ok().map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
    }

    fn list(&self, folder: &str) -> Vec<String> {
        let entries = fs::read_dir(folder).into_iter().flatten().flatten();
        let mut names: Vec<String> =
            entries.filter_map(|entry| entry.file_name().into_string().ok()).collect();
        names.sort_unstable();
        names
    }
}

/// Saved files, for example of another host.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct KeptFiles {
    files: BTreeMap<String, String>,
}

impl KeptFiles {
    /// Files by their absolute paths.
    pub fn new(files: BTreeMap<String, String>) -> KeptFiles {
        KeptFiles { files }
    }

    /// Files as text, one per line: the path, a tab, and the content with `\n` for a line end and
    /// `\\` for a backslash.
    ///
    /// ```
    /// use topoloom_io::machines::{KeptFiles, SystemFiles};
    /// let files = KeptFiles::parse("/proc/sys/kernel/hostname\tn17\\n").unwrap();
    /// assert_eq!(files.read("/proc/sys/kernel/hostname").unwrap(), "n17\n");
    /// assert_eq!(files.list("/proc/sys"), ["kernel"]);
    /// ```
    pub fn parse(text: &str) -> Result<KeptFiles, Fault> {
        let mut files = BTreeMap::new();
        for (number, line) in (1..).zip(text.lines()).filter(|(_, line)| !line.is_empty()) {
            let Some((path, content)) = line.split_once('\t').filter(|_| line.starts_with('/'))
            else {
                return Err(Fault::wanted(
                    "a path such as /proc/self/status, a tabulator and the content of the file",
                )
                .within(format!("line {number}")));
            };
            let content = unescaped(content).map_err(|UnknownEscape(letter)| {
                let found = letter.map(String::from).unwrap_or_default();
                Fault::expected("\\n or \\\\ in the content", format!("\"\\{found}\""))
                    .within(format!("line {number}"))
            })?;
            files.insert(path.to_string(), content);
        }
        Ok(KeptFiles { files })
    }
}

/// What follows a backslash and has no meaning; nothing at the end of the text.
struct UnknownEscape(Option<char>);

/// Text with `\n` and `\\` replaced by what they mean; the error is any other escape.
fn unescaped(text: &str) -> Result<String, UnknownEscape> {
    let mut plain = String::with_capacity(text.len());
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        plain.push(match (letter, letter == '\\') {
            (letter, false) => letter,
            _ => match letters.next() {
                Some('n') => '\n',
                Some('\\') => '\\',
                other => return Err(UnknownEscape(other)),
            },
        });
    }
    Ok(plain)
}

impl SystemFiles for KeptFiles {
    fn read(&self, path: &str) -> Option<String> {
        self.files.get(path).cloned()
    }

    fn list(&self, folder: &str) -> Vec<String> {
        let prefix = format!("{}/", folder.trim_end_matches('/'));
        let below = self.files.range(prefix.clone()..).map(|(path, _)| path);
        let names = below
            .map_while(|path| path.strip_prefix(&prefix))
            .map(|rest| rest.split('/').next().unwrap_or(rest).to_string());
        let mut names: Vec<String> = names.collect();
        // Paths are sorted as a whole, and then "a-b/c" comes before "a/b".
        names.sort_unstable();
        names.dedup();
        names
    }
}
