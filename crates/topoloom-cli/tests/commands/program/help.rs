//! Every help text of the program.

use super::topoloom;

/// The help of the program and of every command: its name and the text.
pub fn help_texts() -> Vec<(String, String)> {
    let mut texts = Vec::new();
    add(&mut Vec::new(), &mut texts);
    texts
}

/// Adds the help of a command and of all its subcommands.
fn add(command: &mut Vec<String>, texts: &mut Vec<(String, String)>) {
    let help = help_of(command);
    let below = subcommands(&help);
    let name = std::iter::once("topoloom").chain(command.iter().map(String::as_str));
    texts.push((name.collect::<Vec<_>>().join(" "), help));
    for name in below.into_iter().filter(|name| name != "help") {
        command.push(name);
        add(command, texts);
        command.pop();
    }
}

fn help_of(command: &[String]) -> String {
    let arguments: Vec<&str> = command.iter().map(String::as_str).chain(["--help"]).collect();
    let output = topoloom(&arguments).assert().success().get_output().stdout.clone();
    String::from_utf8(output).unwrap()
}

/// The subcommands that a help text lists.
fn subcommands(help: &str) -> Vec<String> {
    let list = help.split("Commands:\n").nth(1).unwrap_or_default();
    let list = list.split("\n\n").next().unwrap_or_default();
    let names = list.lines().filter(|line| line.starts_with("  ") && !line.starts_with("   "));
    names.filter_map(|line| line.split_whitespace().next()).map(str::to_string).collect()
}
