//! What a launcher's variables say about the job.

use crate::error::Error;

/// How processes of a job find each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Interface {
    /// Open MPI's own launcher.
    OpenMpi,
    /// PMIx without Open MPI's launcher, as with Slurm. Open MPI uses it, and MPICH can.
    Pmix,
    /// PMI, as with MPICH's launcher and Slurm.
    Pmi,
    /// Unknown, but the user says that it is a job and which library it needs.
    Told,
}

/// A job that this process may be a part of.
#[derive(Debug, PartialEq, Eq)]
pub struct Launch {
    pub interface: Interface,
    /// How many processes it has, if that is known.
    pub size: Option<usize>,
    /// The variable with the number of this process, and its value, as other processes have it.
    pub rank: String,
    /// The library that was asked for.
    pub library: Option<String>,
    /// Whether somebody says that this process takes part.
    pub is_certain: bool,
}

impl Launch {
    /// Whose variables they are.
    pub fn launcher(&self) -> &'static str {
        match self.interface {
            Interface::OpenMpi => "Open MPI's",
            Interface::Pmix => "PMIx's",
            Interface::Pmi => "PMI's",
            Interface::Told => "Topoloom's",
        }
    }
}

/// What the variables say: nothing if this process is alone, or is to be.
pub fn launch(variable: impl Fn(&str) -> Option<String>) -> Result<Option<Launch>, Error> {
    let is_certain = match variable("TOPOLOOM_MPI").as_deref() {
        None | Some("") => false,
        Some("on") => true,
        Some("off") => return Ok(None),
        Some(other) => return Err(Error::Setting { value: other.to_string() }),
    };
    let library = variable("TOPOLOOM_MPI_LIBRARY").filter(|library| !library.is_empty());
    let number = |name: &str| variable(name)?.trim().parse::<usize>().ok();
    // Slurm's size of a job is that of the script. The step is what was started at once.
    let slurm_step = || number("SLURM_STEP_NUM_TASKS");
    let has = |name: &str| variable(name).is_some();
    let (interface, size, rank) = if has("OMPI_COMM_WORLD_SIZE") {
        (Interface::OpenMpi, number("OMPI_COMM_WORLD_SIZE"), "OMPI_COMM_WORLD_RANK")
    } else if has("PMIX_RANK") {
        (Interface::Pmix, slurm_step(), "PMIX_RANK")
    } else if has("PMI_RANK") {
        (Interface::Pmi, number("PMI_SIZE").or_else(slurm_step), "PMI_RANK")
    } else if is_certain && library.is_some() {
        (Interface::Told, None, "TOPOLOOM_MPI")
    } else {
        return Ok(None);
    };
    if size == Some(1) {
        return Ok(None);
    }
    let rank = format!("{rank}={}", variable(rank).unwrap_or_default());
    Ok(Some(Launch { interface, size, rank, library, is_certain }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(variables: &[(&str, &str)]) -> Result<Option<Launch>, Error> {
        launch(|name| {
            let found = variables.iter().find(|(other, _)| *other == name);
            found.map(|(_, value)| value.to_string())
        })
    }

    fn seen(variables: &[(&str, &str)]) -> Option<(Interface, Option<usize>)> {
        of(variables).unwrap().map(|launch| (launch.interface, launch.size))
    }

    #[test]
    fn every_launcher_is_known_by_its_variables() {
        let open_mpi =
            [("OMPI_COMM_WORLD_SIZE", "4"), ("OMPI_COMM_WORLD_RANK", "1"), ("PMIX_RANK", "1")];
        assert_eq!(seen(&open_mpi), Some((Interface::OpenMpi, Some(4))));
        assert_eq!(of(&open_mpi).unwrap().unwrap().rank, "OMPI_COMM_WORLD_RANK=1");
        let hydra = [("PMI_RANK", "0"), ("PMI_SIZE", "3")];
        assert_eq!(seen(&hydra), Some((Interface::Pmi, Some(3))));
        let slurm = [("PMIX_RANK", "0"), ("SLURM_STEP_NUM_TASKS", "8"), ("SLURM_NTASKS", "16")];
        assert_eq!(seen(&slurm), Some((Interface::Pmix, Some(8))));
        assert_eq!(seen(&[("PMIX_RANK", "0")]), Some((Interface::Pmix, None)));
    }

    #[test]
    fn a_process_alone_joins_nothing() {
        assert_eq!(seen(&[]), None);
        assert_eq!(seen(&[("OMPI_COMM_WORLD_SIZE", "1"), ("OMPI_COMM_WORLD_RANK", "0")]), None);
        assert_eq!(seen(&[("PMI_RANK", "0"), ("PMI_SIZE", "1")]), None);
        // A script of Slurm, not a step.
        assert_eq!(seen(&[("SLURM_NTASKS", "8"), ("SLURM_PROCID", "0")]), None);
    }

    #[test]
    fn the_user_decides_first() {
        let hydra = [("PMI_RANK", "0"), ("PMI_SIZE", "3"), ("TOPOLOOM_MPI", "off")];
        assert_eq!(seen(&hydra), None);
        let hydra = [("PMI_RANK", "0"), ("PMI_SIZE", "3"), ("TOPOLOOM_MPI", "on")];
        assert!(of(&hydra).unwrap().unwrap().is_certain);
        let unknown = [("TOPOLOOM_MPI", "on"), ("TOPOLOOM_MPI_LIBRARY", "/opt/libmpi.so")];
        assert_eq!(seen(&unknown), Some((Interface::Told, None)));
        assert_eq!(seen(&unknown[..1]), None);
        let wrong = of(&[("TOPOLOOM_MPI", "maybe")]).unwrap_err().to_string();
        assert_eq!(wrong, "TOPOLOOM_MPI is \"maybe\"; expected \"on\" or \"off\"");
    }
}
