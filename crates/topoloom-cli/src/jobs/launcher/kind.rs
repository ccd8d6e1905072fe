//! Finds out what kind of launcher a program is. Nothing is ever started for that: what looks like
//! a launcher may be a script around one, which runs the whole job whatever its arguments are.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};

/// A family of launchers that take the same files and options.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Open MPI up to 4, whose runtime is ORTE.
    OpenMpi4,
    /// Open MPI from 5 on, whose runtime is PRRTE.
    OpenMpi5,
    /// PRRTE itself, which does not know Open MPI's variables.
    Prrte,
    /// MPICH and its descendants: hydra.
    Mpich,
    /// Slurm's srun.
    Slurm,
    /// Flux.
    Flux,
}

/// Names of launchers. Longer names begin with them (`mpirun.openmpi`, `mpiexec.hydra`).
const NAMES: [&str; 11] = [
    "aprun", "flux", "jsrun", "mpiexec", "mpirun", "orterun", "prte", "prterun", "prun", "runjob",
    "srun",
];

/// No more than this of a program is read.
const MOST_BYTES: u64 = 16 << 20;

impl Kind {
    /// The kind of a launcher, by its file. Only a program that the system runs directly is
    /// recognised. The kind of scripts and missing files is unknown.
    pub fn of_program(program: &OsStr) -> Option<Kind> {
        let launcher = Launcher::find(program)?;
        let has = |text: &str| contains(&launcher.content, text.as_bytes());
        // Names of libraries that it needs, and words from its own messages.
        if has("libopen-rte") || has("OpenRTE") {
            return Some(Kind::OpenMpi4);
        }
        if ["prte", "prun"].iter().any(|name| launcher.name().starts_with(name)) && has("libprrte")
        {
            return Some(Kind::Prrte);
        }
        let beside = launcher.file.with_file_name("prterun");
        let is_wrapped = has("OPAL_PREFIX") && beside.is_file();
        if has("libprrte") || has("PRRTE") || has("prterun") || is_wrapped {
            return Some(Kind::OpenMpi5);
        }
        if has("HYDRA build details") && !has("Intel(R) MPI") {
            return Some(Kind::Mpich);
        }
        match launcher.name() {
            "srun" if has("slurm") => Some(Kind::Slurm),
            "flux" if has("libflux") => Some(Kind::Flux),
            _ => None,
        }
    }

    /// The kind of the launcher whose helper with this name has started a rank.
    pub fn of_starter(name: &str) -> Option<Kind> {
        match name {
            "orterun" | "orted" => Some(Kind::OpenMpi4),
            "prte" | "prted" | "prterun" => Some(Kind::OpenMpi5),
            "hydra_pmi_proxy" | "hydra_bstrap_proxy" | "pmi_proxy" => Some(Kind::Mpich),
            "slurmstepd" => Some(Kind::Slurm),
            "flux-shell" => Some(Kind::Flux),
            _ => None,
        }
    }

    /// The launch format that it reads.
    pub fn format(self) -> &'static str {
        match self {
            Kind::OpenMpi4 => "openmpi4-rankfile",
            Kind::OpenMpi5 | Kind::Prrte => "openmpi5-rankfile",
            Kind::Mpich => "mpich-hosts",
            Kind::Slurm => "slurm-hostfile",
            Kind::Flux => "flux-taskmap",
        }
    }
}

/// Whether a program is a launcher itself, not a script around one.
pub fn is_launcher(program: &OsStr) -> bool {
    Launcher::find(program).is_some()
}

/// A program with the name of a launcher that the system runs directly.
struct Launcher {
    /// With symbolic links resolved.
    file: PathBuf,
    content: Vec<u8>,
}

impl Launcher {
    fn find(program: &OsStr) -> Option<Launcher> {
        const BINARY: &[u8] = b"\x7fELF";
        let named = found_in_path(program, std::env::var_os("PATH"))?;
        let file = fs::canonicalize(&named).ok()?;
        if !(looks_like_a_launcher(&named) || looks_like_a_launcher(&file)) {
            return None;
        }
        let mut content = Vec::new();
        File::open(&file).ok()?.take(MOST_BYTES).read_to_end(&mut content).ok()?;
        content.starts_with(BINARY).then_some(Launcher { file, content })
    }

    fn name(&self) -> &str {
        self.file.file_name().and_then(OsStr::to_str).unwrap_or_default()
    }
}

fn looks_like_a_launcher(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    NAMES.iter().any(|known| name.starts_with(known))
}

/// The file that the system would run.
pub fn found_in_path(program: &OsStr, path: Option<OsString>) -> Option<PathBuf> {
    if program.as_encoded_bytes().contains(&b'/') {
        return Some(PathBuf::from(program)).filter(|file| file.is_file());
    }
    std::env::split_paths(&path?)
        .map(|folder| folder.join(program))
        .find(|file| file.is_file() && is_executable(file))
}

#[cfg(unix)]
fn is_executable(file: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    fs::metadata(file).is_ok_and(|about| about.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_executable(_: &Path) -> bool {
    true
}

fn contains(content: &[u8], text: &[u8]) -> bool {
    let Some(&first) = text.first() else { return true };
    let mut rest = content;
    while let Some(at) = rest.iter().position(|&byte| byte == first) {
        if rest[at..].starts_with(text) {
            return true;
        }
        rest = &rest[at + 1..];
    }
    false
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use std::os::unix::fs::{PermissionsExt, symlink};

    use topoloom::io::launch;

    use super::*;

    const ALL: [Kind; 5] = [Kind::OpenMpi4, Kind::OpenMpi5, Kind::Mpich, Kind::Slurm, Kind::Flux];

    fn program(folder: &Path, name: &str, content: &str) -> PathBuf {
        let path = folder.join(name);
        fs::write(&path, content).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        path
    }

    #[test]
    fn a_launcher_is_known_by_its_file_through_links() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        let kind = |path: &Path| Kind::of_program(path.as_os_str());
        let orterun = program(folder, "orterun", "\x7fELF..libopen-rte.so.40..");
        symlink(&orterun, folder.join("mpirun")).unwrap();
        assert_eq!(kind(&folder.join("mpirun")), Some(Kind::OpenMpi4));
        let hydra =
            program(folder, "mpiexec.hydra", "\x7fELF..libslurm.so.38..HYDRA build details");
        assert_eq!(kind(&hydra), Some(Kind::Mpich));
        assert_eq!(kind(&program(folder, "srun", "\x7fELF libslurm.so.40")), Some(Kind::Slurm));
        assert_eq!(kind(&program(folder, "flux", "\x7fELF libflux-core.so.2")), Some(Kind::Flux));
        // A launcher that only starts another one is recognised by its neighbour.
        let small = program(folder, "mpiexec", "\x7fELF OPAL_PREFIX /proc/self/exe");
        assert_eq!(kind(&small), None);
        program(folder, "prterun", "\x7fELF libprrte.so.3");
        assert_eq!(kind(&small), Some(Kind::OpenMpi5));
        assert_eq!(kind(&folder.join("prterun")), Some(Kind::Prrte));
    }

    #[test]
    fn scripts_and_other_programs_are_not_launchers() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        let unknown = |path: &Path| {
            assert!(!is_launcher(path.as_os_str()), "{}", path.display());
            assert_eq!(Kind::of_program(path.as_os_str()), None);
        };
        unknown(&program(folder, "mpirun", "#!/bin/sh\n# libopen-rte\nexec orterun \"$@\"\n"));
        unknown(&program(folder, "app", "\x7fELF HYDRA build details"));
        unknown(&program(folder, "srun", ""));
        unknown(&folder.join("mpiexec"));
        unknown(folder);
    }

    #[test]
    fn programs_are_found_as_the_system_finds_them() {
        let folder = tempfile::tempdir().unwrap();
        let [first, second] = ["a", "b"].map(|name| folder.path().join(name));
        for folder in [&first, &second] {
            fs::create_dir(folder).unwrap();
        }
        // Not executable: skipped.
        fs::write(first.join("mpirun"), "\x7fELF").unwrap();
        let there = program(&second, "mpirun", "\x7fELF");
        let path = std::env::join_paths([&first, &second]).unwrap();
        assert_eq!(found_in_path(OsStr::new("mpirun"), Some(path)), Some(there));
        assert_eq!(found_in_path(OsStr::new("mpirun"), None), None);
    }

    #[test]
    fn every_kind_has_a_launch_format_and_a_helper() {
        for kind in ALL {
            assert!(launch::find(kind.format()).is_ok(), "{kind:?}");
        }
        let helpers = ["orted", "prted", "hydra_pmi_proxy", "slurmstepd", "flux-shell"];
        assert_eq!(helpers.map(Kind::of_starter), ALL.map(Some));
        assert_eq!(Kind::of_starter("sh"), None);
    }
}
