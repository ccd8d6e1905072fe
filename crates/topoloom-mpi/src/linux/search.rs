//! Where the library of the job may be.

use std::fs;
use std::path::{Path, PathBuf};

use super::between::ancestors;
use super::launch::{Interface, Launch};
use super::symbols;
use crate::error::{Error, processes};

const OPEN_MPI: &str = "libmpi.so.40";
const MPICH: [&str; 2] = ["libmpi.so.12", "libmpich.so.12"];
const STANDARD: &str = "libmpi_abi.so.1";

/// Where programs are whose libraries the loader finds by itself. It also knows which of several
/// libraries the user wants.
const SYSTEM_FOLDERS: [&str; 6] =
    ["/bin", "/sbin", "/usr/bin", "/usr/sbin", "/usr/libexec", "/usr/lib"];

/// Loads the library of the job, and says which file it is.
pub fn load(launch: &Launch) -> Result<String, Error> {
    let files = match &launch.library {
        Some(library) => vec![library.clone()],
        None => {
            let folders = folders_of_launchers(programs_above().into_iter());
            files(launch.interface, &folders, Path::exists)
        }
    };
    let mut tried = Vec::new();
    for file in files {
        match symbols::load(&file) {
            Ok(()) => return Ok(file),
            Err(said) if said.contains(&file) => tried.push(said),
            Err(said) => tried.push(format!("{file}: {said}")),
        }
    }
    Err(Error::NoLibrary {
        launcher: launch.launcher(),
        processes: processes(launch.size),
        tried: tried.join("; "),
    })
}

/// The programs of the processes above this one, nearest first. The launcher or its helper is
/// among them.
fn programs_above() -> Vec<PathBuf> {
    ancestors().filter_map(|process| fs::read_link(format!("/proc/{process}/exe")).ok()).collect()
}

/// The folders beside programs in which libraries are installed with them.
fn folders_of_launchers(programs: impl Iterator<Item = PathBuf>) -> Vec<PathBuf> {
    let mut folders: Vec<PathBuf> = Vec::new();
    for program in programs {
        let Some(folder) = program.parent() else { continue };
        let Some(above) = folder.parent() else { continue };
        if SYSTEM_FOLDERS.iter().any(|system| folder == Path::new(system)) {
            continue;
        }
        for name in ["lib", "lib64", "lib/release"] {
            let beside = above.join(name);
            if !folders.contains(&beside) {
                folders.push(beside);
            }
        }
    }
    folders
}

/// The files to try, in order: first those that were installed with the launcher, then what the
/// loader knows.
fn files(interface: Interface, folders: &[PathBuf], exists: impl Fn(&Path) -> bool) -> Vec<String> {
    let names: &[&str] = match interface {
        Interface::OpenMpi => &[OPEN_MPI, STANDARD],
        Interface::Pmix => &[OPEN_MPI, MPICH[0], MPICH[1], STANDARD],
        Interface::Pmi | Interface::Told => &[MPICH[0], MPICH[1], STANDARD, OPEN_MPI],
    };
    let beside = folders.iter().flat_map(|folder| names.iter().map(|name| folder.join(name)));
    let beside = beside.filter(|file| exists(file)).filter_map(|file| Some(file.to_str()?.into()));
    beside.chain(names.iter().map(|name| name.to_string())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn libraries_beside_the_launcher_come_first() {
        let programs = ["/opt/mpi/bin/prted", "/opt/mpi/bin/mpirun", "/usr/bin/bash"];
        let folders = folders_of_launchers(programs.iter().map(PathBuf::from));
        let expected = ["/opt/mpi/lib", "/opt/mpi/lib64", "/opt/mpi/lib/release"];
        assert_eq!(folders, expected.map(PathBuf::from));
        let found = files(Interface::OpenMpi, &folders, |file| {
            file == Path::new("/opt/mpi/lib64/libmpi.so.40")
        });
        assert_eq!(found, ["/opt/mpi/lib64/libmpi.so.40", "libmpi.so.40", "libmpi_abi.so.1"]);
    }

    #[test]
    fn each_interface_has_its_order_of_libraries() {
        let first = |interface| files(interface, &[], |_| true)[0].clone();
        assert_eq!(first(Interface::Pmix), "libmpi.so.40");
        assert_eq!(first(Interface::Pmi), "libmpi.so.12");
    }

    #[test]
    fn what_was_tried_is_named() {
        let launch = Launch {
            interface: Interface::Pmi,
            size: Some(3),
            rank: "PMI_RANK=0".to_string(),
            library: Some("/nowhere/libmpi.so".to_string()),
            is_certain: false,
        };
        let message = load(&launch).unwrap_err().to_string();
        for part in ["PMI's", "one of 3 processes", "/nowhere/libmpi.so", "TOPOLOOM_MPI_LIBRARY"] {
            assert!(message.contains(part), "{message}");
        }
    }
}
