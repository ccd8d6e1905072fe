//! `topoloom completions` and `topoloom man`, both made from the command line's own definition.

use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::CommandFactory;
use topoloom::io::FilesTogether;

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
    let mut files = FilesTogether::new();
    add_pages(&mut files, &directory, "topoloom", &command)?;
    Ok(files.commit()?)
}

/// Adds the pages of a command and of all its subcommands.
fn add_pages(
    files: &mut FilesTogether,
    directory: &Path,
    name: &str,
    command: &clap::Command,
) -> anyhow::Result<()> {
    // The page's title is the whole name, as in `man topoloom-map`.
    let text = page(&command.clone().name(name.to_string()))?;
    files.add(&directory.join(format!("{name}.1")), |writer| writer.write_all(&text))?;
    for subcommand in
        command.get_subcommands().filter(|below| below.get_name() != "help" && !below.is_hide_set())
    {
        add_pages(files, directory, &format!("{name}-{}", subcommand.get_name()), subcommand)?;
    }
    Ok(())
}

fn page(command: &clap::Command) -> anyhow::Result<Vec<u8>> {
    let mut text = Vec::new();
    clap_mangen::Man::new(command.clone()).render(&mut text).context("cannot write the page")?;
    Ok(text)
}
