//! `topoloom completions` and `topoloom man`, both made from the command line's own definition.

use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::CommandFactory;
use topoloom::io::atomic_write;

use crate::cli::Cli;
use crate::output::print;

pub fn completions(shell: clap_complete::Shell) -> anyhow::Result<()> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "topoloom", &mut script);
    print(&String::from_utf8_lossy(&script));
    Ok(())
}

pub fn man(directory: Option<PathBuf>) -> anyhow::Result<()> {
    let mut command = Cli::command();
    command.build();
    let Some(directory) = directory else {
        print(&String::from_utf8_lossy(&page(&command)?));
        return Ok(());
    };
    std::fs::create_dir_all(&directory)
        .with_context(|| format!("{}: cannot create", directory.display()))?;
    write_pages(&directory, "topoloom", &command)
}

/// A page of a command and of all below it.
fn write_pages(directory: &Path, name: &str, command: &clap::Command) -> anyhow::Result<()> {
    // The page's title is the whole name, as in `man topoloom-map`.
    write_page(directory, name, &command.clone().name(name.to_string()))?;
    for subcommand in
        command.get_subcommands().filter(|below| below.get_name() != "help" && !below.is_hide_set())
    {
        write_pages(directory, &format!("{name}-{}", subcommand.get_name()), subcommand)?;
    }
    Ok(())
}

fn page(command: &clap::Command) -> anyhow::Result<Vec<u8>> {
    let mut text = Vec::new();
    clap_mangen::Man::new(command.clone()).render(&mut text).context("cannot write the page")?;
    Ok(text)
}

fn write_page(directory: &Path, name: &str, command: &clap::Command) -> anyhow::Result<()> {
    let text = page(command)?;
    atomic_write(&directory.join(format!("{name}.1")), |writer| writer.write_all(&text))?;
    Ok(())
}
