//! Launch files that are ready to be written, and the command that goes with them.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::error::LaunchError;
use super::format::{Launch, LaunchEntry, LaunchFiles, LaunchNames};
use super::{hostlist, shell};
use crate::text::atomic_write::FilesTogether;

/// One file to be written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LaunchFile {
    /// Where it goes.
    pub path: PathBuf,
    /// What is in it.
    pub content: String,
}

/// Files that are ready to be written, and the command that starts the job with them.
#[derive(Debug, Clone)]
pub struct Prepared {
    /// The file of the format, and possibly one more.
    pub files: Vec<LaunchFile>,
    /// The command, for a shell.
    pub command: String,
    /// What the user should know.
    pub warnings: Vec<String>,
    /// Whether ranks are not bound to cores, because that needs a second file and no name was given.
    pub lacks_second_file: bool,
}

/// Makes the files of a launch and the command that runs `program`; nothing is written yet. Without
/// a name the file gets the default name of its format, and there is no second file. Ranks that
/// would need it are then not bound to cores, and the result says so.
pub fn prepare(
    format: &LaunchEntry,
    launch: &Launch,
    output: Option<&Path>,
    program: &str,
) -> Result<Prepared, LaunchError> {
    if program.trim().is_empty() {
        return Err(LaunchError::Mapping("expected a program to start, found none".to_string()));
    }
    let LaunchFiles { main, bind, mut warnings } = (format.build.write)(launch)?;
    let has_gpus =
        launch.seating.iter().flat_map(|seating| &seating.seats).any(|seat| seat.gpu.is_some());
    if has_gpus && format.name != hostlist::ENTRY.name {
        warnings.push(
            "the mapping gives each rank a GPU, which this format cannot express: set \
             CUDA_VISIBLE_DEVICES or a similar variable for each rank (gpu_of_rank in the mapping)"
                .to_string(),
        );
    }
    let path = output.unwrap_or(Path::new(format.example)).to_path_buf();
    let mut lacks_second_file = false;
    let mut files = vec![LaunchFile { path: path.clone(), content: main }];
    match bind {
        Some(content) if output.is_some() => {
            let mut name = OsString::from(&path);
            name.push(".bind");
            files.push(LaunchFile { path: PathBuf::from(name), content });
        }
        Some(_) => lacks_second_file = true,
        None => {}
    }
    let name = |file: &LaunchFile| match file.path.to_string_lossy() {
        // A launcher must not treat the name as an option.
        name if name.starts_with('-') => shell::quoted(&format!("./{name}")),
        name => shell::quoted(&name),
    };
    let names: Vec<String> = files.iter().map(name).collect();
    let names = LaunchNames { main: &names[0], bind: names.get(1).map(String::as_str), program };
    let command = (format.build.command)(launch, &names)?;
    let longest = command.split(' ').map(str::len).max().unwrap_or(0);
    warnings.extend(shell::warning_of_length(longest));
    Ok(Prepared { files, command, warnings, lacks_second_file })
}

/// Writes the files, all of them or none.
pub fn write_files(prepared: &Prepared) -> Result<(), LaunchError> {
    let mut files = FilesTogether::new();
    for LaunchFile { path, content } in &prepared.files {
        files.add(path, |writer| writer.write_all(content.as_bytes()))?;
    }
    Ok(files.commit()?)
}
