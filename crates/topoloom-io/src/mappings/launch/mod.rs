//! Files that tell launchers where ranks go, and the commands that start jobs with them.
//!
//! One file a format; [`LAUNCH_FORMATS`] lists them.
//!
//! ```
//! use topoloom_io::launch::{self, Launch};
//! use topoloom_io::{MappingFile, host_list};
//!
//! let mapping = MappingFile {
//!     machine: Some("mesh:1,slots=2".to_string()),
//!     node_of_rank: vec![0, 0],
//!     slot_of_rank: Some(vec![1, 0]),
//!     ..MappingFile::default()
//! };
//! let format = launch::find("openmpi4-rankfile").unwrap();
//! let hosts = host_list::parse("n01").unwrap();
//! let launch = Launch::new(&mapping, Some(&hosts), format).unwrap();
//! let prepared = launch::prepare(format, &launch, None, "./app").unwrap();
//! assert_eq!(prepared.files[0].content, "rank 0=n01 slot=1\nrank 1=n01 slot=0\n");
//! assert_eq!(prepared.command, "mpirun -n 2 --rankfile rankfile ./app");
//! ```

mod bgq_mapfile;
mod binding;
mod cray_rank_order;
mod error;
mod flux_taskmap;
mod hostlist;
mod hosts;
mod mpich_hosts;
mod openmpi4_rankfile;
mod openmpi5_rankfile;
mod openmpi_seq;
mod rankfile;
mod seating;
mod shell;
mod slurm_hostfile;

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use topoloom_core::cluster::Seating;
use topoloom_core::{Entry, Machine, Registry, Spec, SpecError};

pub use error::LaunchError;
pub use hosts::{read_hosts, read_hosts_with};
pub use seating::seating_of;

use crate::machines::specification::read_machine;
use crate::mappings::mapping_file::MappingFile;
use crate::text::atomic_write::FilesTogether;
use crate::text::host_list::ListedHost;

/// What a launcher's files are made of.
#[derive(Debug, Clone)]
pub struct Launch {
    /// The number of ranks.
    pub ranks: usize,
    /// The host and the CPUs of each rank; none for formats that name no hosts.
    pub seating: Option<Seating>,
    /// The machine of the mapping and the slot of each rank on it, for formats that need them.
    pub slots: Option<(Machine, Vec<u32>)>,
    /// The ranks of each host, in their order.
    ranks_of_host: Vec<Vec<u32>>,
}

/// One format of launch files.
#[derive(Debug, Clone, Copy)]
pub struct LaunchFormat {
    /// Whether hosts must be known; otherwise the machine's coordinates say it all.
    pub needs_hosts: bool,
    /// Whether ranks are bound to cores, by the file or by the command.
    pub binds: bool,
    /// Makes the content of its files.
    pub write: fn(&Launch) -> Result<LaunchFiles, LaunchError>,
    /// The command that starts the job.
    pub command: fn(&Launch, &LaunchNames<'_>) -> Result<String, LaunchError>,
}

/// What goes into the files of a launch.
#[derive(Debug, Clone, Default)]
pub struct LaunchFiles {
    /// The file of the format.
    pub main: String,
    /// A list of CPUs a line, a line a rank, where the launcher cannot be told otherwise.
    pub bind: Option<String>,
    /// What the user should know.
    pub warnings: Vec<String>,
}

/// The names that a command has in it.
#[derive(Debug, Clone, Copy)]
pub struct LaunchNames<'a> {
    /// The file of the format.
    pub main: &'a str,
    /// The file of CPUs, if it was written.
    pub bind: Option<&'a str>,
    /// What to run.
    pub program: &'a str,
}

/// An entry of [`LAUNCH_FORMATS`].
pub type LaunchEntry = Entry<LaunchFormat>;

/// Every known format of launch files.
pub static LAUNCH_FORMATS: Registry<LaunchFormat> = Registry {
    kind: "launch format",
    entries: &[
        &openmpi4_rankfile::ENTRY,
        &openmpi5_rankfile::ENTRY,
        &openmpi_seq::ENTRY,
        &mpich_hosts::ENTRY,
        &slurm_hostfile::ENTRY,
        &cray_rank_order::ENTRY,
        &bgq_mapfile::ENTRY,
        &flux_taskmap::ENTRY,
        &hostlist::ENTRY,
    ],
    common: &[],
};

/// The format of this name.
pub fn find(name: &str) -> Result<&'static LaunchEntry, SpecError> {
    LAUNCH_FORMATS.find(&Spec { name: name.to_string(), shape: None, options: Vec::new() })
}

impl Launch {
    /// What a format needs to know of a mapping and of the hosts of an allocation.
    pub fn new(
        mapping: &MappingFile,
        hosts: Option<&[ListedHost]>,
        format: &LaunchEntry,
    ) -> Result<Launch, LaunchError> {
        if format.build.needs_hosts {
            return Ok(Launch::of_seating(seating_of(mapping, hosts)?));
        }
        let spec = mapping.machine.as_ref().ok_or_else(|| {
            LaunchError::Mapping("the mapping does not say what machine it is for".to_string())
        })?;
        let machine = read_machine(spec)?;
        let slots = seating::slots_on(&machine, mapping)?;
        let slots = Some((machine, slots));
        Ok(Launch { ranks: mapping.ranks(), seating: None, slots, ranks_of_host: Vec::new() })
    }

    /// A launch of ranks whose hosts are known.
    pub fn of_seating(seating: Seating) -> Launch {
        let mut ranks_of_host = vec![Vec::new(); seating.hosts.len()];
        for (rank, seat) in (0..).zip(&seating.seats) {
            ranks_of_host[seat.host as usize].push(rank);
        }
        Launch { ranks: seating.seats.len(), seating: Some(seating), slots: None, ranks_of_host }
    }

    fn seating(&self) -> Result<&Seating, LaunchError> {
        let missing = || LaunchError::Hosts("the hosts are not known: give --hosts".to_string());
        self.seating.as_ref().ok_or_else(missing)
    }

    /// The hosts that have ranks: name, slots, and ranks in their order.
    fn used_hosts(&self) -> Result<Vec<UsedHost<'_>>, LaunchError> {
        let seating = self.seating()?;
        let hosts = seating.hosts.iter().zip(&seating.slots_of_host).zip(&self.ranks_of_host);
        let used = hosts.filter(|(_, ranks)| !ranks.is_empty());
        Ok(used.map(|((name, &slots), ranks)| UsedHost { name, slots, ranks }).collect())
    }

    /// The name of the host of each rank.
    fn host_names(&self) -> Result<Vec<&str>, LaunchError> {
        let seating = self.seating()?;
        Ok(seating.seats.iter().map(|seat| &seating.hosts[seat.host as usize][..]).collect())
    }
}

/// A host that has ranks.
#[derive(Debug, Clone, Copy)]
struct UsedHost<'a> {
    name: &'a str,
    slots: u32,
    ranks: &'a [u32],
}

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
}

/// Makes the files of a launch and the command that runs `program`; nothing is written yet. Without
/// a name the file gets the usual one of its format, and there is no second file: then ranks that
/// would need it are not bound to cores, and a warning says so.
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
    let mut files = vec![LaunchFile { path: path.clone(), content: main }];
    match bind {
        Some(content) if output.is_some() => {
            let mut name = OsString::from(&path);
            name.push(".bind");
            files.push(LaunchFile { path: PathBuf::from(name), content });
        }
        Some(_) => warnings.push(
            "the command does not bind ranks to cores, because that needs a second file: give \
             --output"
                .to_string(),
        ),
        None => {}
    }
    let name = |file: &LaunchFile| match file.path.to_string_lossy() {
        // Nothing that a launcher could take for an option.
        name if name.starts_with('-') => shell::quoted(&format!("./{name}")),
        name => shell::quoted(&name),
    };
    let names: Vec<String> = files.iter().map(name).collect();
    let names = LaunchNames { main: &names[0], bind: names.get(1).map(String::as_str), program };
    let command = (format.build.command)(launch, &names)?;
    let longest = command.split(' ').map(str::len).max().unwrap_or(0);
    warnings.extend(shell::warning_of_length(longest));
    Ok(Prepared { files, command, warnings })
}

/// Writes the files, all of them or none.
pub fn write_files(prepared: &Prepared) -> Result<(), LaunchError> {
    let mut files = FilesTogether::new();
    for LaunchFile { path, content } in &prepared.files {
        files.add(path, |writer| writer.write_all(content.as_bytes()))?;
    }
    Ok(files.commit()?)
}

#[cfg(test)]
mod tests;
