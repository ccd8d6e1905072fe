//! `topoloom docs`: the pages of the documentation, which are part of the program.

use std::ffi::OsString;

use anyhow::bail;
use clap::Args;

use crate::output::print;

#[derive(Debug, Args)]
pub struct DocsArguments {
    /// The page, such as tutorial [default: a list of all pages]
    pub page: Option<String>,
}

/// A page of the documentation.
struct Page {
    name: &'static str,
    text: &'static str,
}

macro_rules! pages {
    ($($name:literal)*) => {
        &[$(Page {
            name: $name,
            text: include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/", $name, ".md")),
        }),*]
    };
}

/// All pages, in the order in which a reader needs them.
const PAGES: &[Page] = pages!(
    "tutorial" "tune" "record" "traffic" "machines" "ai" "overview" "strategies" "run" "launch" "verify" "report"
    "simulation" "schedule" "arrange" "platforms" "speeds" "scale" "python" "c" "library" "reference" "commands"
    "formats" "json" "glossary" "numbers" "papers" "benchmarks" "reliability"
);

pub fn run(arguments: &DocsArguments) -> anyhow::Result<()> {
    let Some(name) = &arguments.page else {
        print(&list());
        return Ok(());
    };
    let Some(page) = page_named(name) else {
        let known: Vec<&str> = PAGES.iter().map(|page| page.name).collect();
        bail!("unknown page \"{name}\"; known: {}", known.join(", "));
    };
    print(page.text);
    Ok(())
}

/// The names of all pages with their titles.
fn list() -> String {
    let width = PAGES.iter().map(|page| page.name.len()).max().unwrap_or_default();
    let title = |page: &Page| page.text.lines().next().unwrap_or_default().trim_start_matches("# ");
    let lines = PAGES.iter().map(|page| format!("  {:width$}  {}\n", page.name, title(page)));
    format!("topoloom docs PAGE prints a page:\n\n{}", lines.collect::<String>())
}

/// Whether there is a page of this name.
#[cfg(test)]
pub fn is_page(name: &str) -> bool {
    page_named(name).is_some()
}

/// The page of this name; the name of its file will do, too.
fn page_named(name: &str) -> Option<&'static Page> {
    let name = name.strip_prefix("docs/").unwrap_or(name);
    let name = name.strip_suffix(".md").unwrap_or(name);
    PAGES.iter().find(|page| page.name == name)
}

/// `topoloom help PAGE` shows a page, unless a command has this name.
pub fn asked_as_help(arguments: Vec<OsString>, is_command: impl Fn(&str) -> bool) -> Vec<OsString> {
    let asked = match &arguments[..] {
        [_, help, name] if help == "help" => name.to_str(),
        _ => None,
    };
    match asked.filter(|name| page_named(name).is_some() && !is_command(name)) {
        Some(name) => vec![arguments[0].clone(), "docs".into(), name.into()],
        None => arguments,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_page_of_the_documentation_is_here() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs");
        let files = std::fs::read_dir(folder).unwrap().flatten();
        let names = files
            .filter_map(|file| Some(file.file_name().to_str()?.strip_suffix(".md")?.to_string()));
        // The list of pages takes the place of the index.
        let mut expected: Vec<String> = names.filter(|name| name != "README").collect();
        let mut found: Vec<&str> = PAGES.iter().map(|page| page.name).collect();
        expected.sort();
        found.sort();
        assert_eq!(found, expected);
        assert!(PAGES.iter().all(|page| page.text.starts_with("# ")));
    }

    #[test]
    fn help_shows_pages_that_are_not_commands() {
        let after = |words: &str| {
            let words = words.split(' ').map(OsString::from).collect();
            let words = asked_as_help(words, |name| name == "tune");
            words.join(" ".as_ref()).into_string().unwrap()
        };
        assert_eq!(after("t help tutorial"), "t docs tutorial");
        for same in
            ["t help tune", "t help nonsense", "t help", "t help machine show", "t docs json"]
        {
            assert_eq!(after(same), same);
        }
    }
}
