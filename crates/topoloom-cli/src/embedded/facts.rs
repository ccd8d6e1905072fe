//! What the command line knows about its commands, for interfaces in other languages.

use clap::{Arg, ArgAction, Command, CommandFactory};

use crate::cli::Cli;

/// A command and what it takes.
#[derive(Debug, Clone)]
pub struct CommandFacts {
    /// Its name; the program itself is called `topoloom`.
    pub name: String,
    /// What it does.
    pub about: String,
    /// Its own commands, such as `import` of `machine`.
    pub commands: Vec<CommandFacts>,
    /// Its arguments, those without a name first.
    pub arguments: Vec<ArgumentFacts>,
}

/// One argument of a command.
#[derive(Debug, Clone)]
pub struct ArgumentFacts {
    /// The name after the two dashes, or that of the operand.
    pub name: String,
    /// Other names.
    pub aliases: Vec<String>,
    /// Whether it has no name on the command line.
    pub is_operand: bool,
    /// Whether it takes no value.
    pub is_flag: bool,
    /// Whether it may be given several times, or takes several values.
    pub is_many: bool,
    /// Whether it must be given.
    pub is_required: bool,
    /// Whether its value is a whole number.
    pub is_whole_number: bool,
    /// The value that it has if it is not given.
    pub default: Option<String>,
    /// What it means.
    pub help: String,
    /// Its values, if there are only some.
    pub values: Vec<String>,
}

/// All commands that are shown to users.
pub fn command_facts() -> CommandFacts {
    let mut command = Cli::command();
    command.build();
    facts(&command)
}

fn facts(command: &Command) -> CommandFacts {
    let shown = |command: &&Command| !command.is_hide_set() && command.get_name() != "help";
    let is_own = |argument: &&Arg| !["help", "version"].contains(&argument.get_id().as_str());
    let mut arguments: Vec<ArgumentFacts> =
        command.get_arguments().filter(is_own).map(argument_facts).collect();
    arguments.sort_by_key(|argument| !argument.is_operand);
    CommandFacts {
        name: command.get_name().to_string(),
        about: command.get_about().map(ToString::to_string).unwrap_or_default(),
        commands: command.get_subcommands().filter(shown).map(facts).collect(),
        arguments,
    }
}

fn argument_facts(argument: &Arg) -> ArgumentFacts {
    let is_flag = !argument.get_action().takes_values();
    let several = argument.get_num_args().is_some_and(|range| range.max_values() > 1);
    let values = argument.get_possible_values();
    let whole = ["u16", "u32", "u64", "usize", "i64", "i32"];
    let parser = format!("{:?}", argument.get_value_parser());
    let default = argument.get_default_values().first();
    ArgumentFacts {
        name: argument.get_long().map_or_else(|| argument.get_id().to_string(), str::to_string),
        aliases: argument.get_all_aliases().into_iter().flatten().map(str::to_string).collect(),
        is_operand: argument.is_positional(),
        is_flag,
        is_many: several || matches!(argument.get_action(), ArgAction::Append),
        is_required: argument.is_required_set(),
        is_whole_number: whole.iter().any(|kind| parser.contains(kind)),
        default: default.filter(|_| !is_flag).map(|text| text.to_string_lossy().into_owned()),
        help: argument.get_help().map(ToString::to_string).unwrap_or_default(),
        values: values
            .iter()
            .filter(|_| !is_flag)
            .map(|value| value.get_name().to_string())
            .collect(),
    }
}
