//! How launchers are made to pass environment variables on to other hosts. We tell them by
//! variables too, never by options. So it also works with a script that calls the launcher.

use std::ffi::{OsStr, OsString};

use super::kind::Kind;

/// Open MPI's list of variables to pass on. Open MPI 4 refuses it together with `-x`.
const LIST: &str = "OMPI_MCA_mca_base_env_list";
/// The separator of the names in it.
const DELIMITER: &str = "OMPI_MCA_mca_base_env_list_delimiter";
/// The same list of Open MPI 4 for names that come from files. It goes together with `-x`.
const LIST_OF_FILES: &str = "OMPI_MCA_mca_base_env_list_internal";
/// Makes Open MPI 5 pass everything on, as MPICH and Slurm do by themselves.
const EVERYTHING: &str = "PRTE_MCA_prte_fwd_environment";

/// The variables that make the launcher of this command pass the variables `names` on. `present`
/// looks up a variable in the present environment.
pub fn handing_on(
    kind: Option<Kind>,
    arguments: &[OsString],
    names: &[&str],
    present: impl Fn(&str) -> Option<OsString>,
) -> Vec<(&'static str, OsString)> {
    // An option overrides the variable.
    let has_option = arguments.iter().any(|word| word.to_string_lossy().contains("env_list"));
    let extended = |list: &'static str| {
        let delimiter = present(DELIMITER).unwrap_or_else(|| OsString::from(";"));
        let mut text = present(list).filter(|text| !text.is_empty()).unwrap_or_default();
        for name in names {
            if !text.is_empty() {
                text.push(&delimiter);
            }
            text.push(OsStr::new(name));
        }
        (list, text)
    };
    match kind {
        Some(Kind::Mpich | Kind::Slurm | Kind::Flux) => Vec::new(),
        Some(Kind::Prrte) => vec![(EVERYTHING, OsString::from("1"))],
        // A user of this variable does not use `-x`.
        _ if present(LIST).is_some() && !has_option => vec![extended(LIST)],
        Some(Kind::OpenMpi5) if !has_option => vec![extended(LIST)],
        Some(Kind::OpenMpi4) => vec![extended(LIST_OF_FILES)],
        Some(Kind::OpenMpi5) => vec![(EVERYTHING, OsString::from("1"))],
        // Perhaps a script, which may call either.
        None => vec![extended(LIST_OF_FILES), (EVERYTHING, OsString::from("1"))],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(kind: Option<Kind>, arguments: &[&str], list: Option<&str>) -> Vec<String> {
        let arguments: Vec<OsString> = arguments.iter().map(OsString::from).collect();
        let present = |name: &str| list.filter(|_| name == LIST).map(OsString::from);
        let told = handing_on(kind, &arguments, &["A", "B"], present);
        told.iter().map(|(name, value)| format!("{name}={}", value.display())).collect()
    }

    #[test]
    fn launchers_that_hand_everything_on_are_told_nothing() {
        for kind in [Kind::Mpich, Kind::Slurm, Kind::Flux] {
            assert!(told(Some(kind), &["-n", "2"], Some("C")).is_empty());
        }
    }

    #[test]
    fn open_mpi_is_told_in_a_way_that_goes_with_its_options() {
        assert_eq!(told(Some(Kind::OpenMpi4), &[], None), [format!("{LIST_OF_FILES}=A;B")]);
        assert_eq!(told(Some(Kind::OpenMpi5), &[], None), [format!("{LIST}=A;B")]);
        assert_eq!(told(Some(Kind::Prrte), &[], Some("C")), [format!("{EVERYTHING}=1")]);
        let option = ["--mca", "mca_base_env_list", "C"];
        assert_eq!(told(Some(Kind::OpenMpi5), &option, None), [format!("{EVERYTHING}=1")]);
    }

    #[test]
    fn a_script_is_told_what_serves_either_open_mpi() {
        let both = [format!("{LIST_OF_FILES}=A;B"), format!("{EVERYTHING}=1")];
        assert_eq!(told(None, &[], None), both);
    }

    #[test]
    fn a_list_of_the_users_own_is_extended() {
        for kind in [None, Some(Kind::OpenMpi4), Some(Kind::OpenMpi5)] {
            assert_eq!(told(kind, &[], Some("C=1;D")), [format!("{LIST}=C=1;D;A;B")]);
        }
    }
}
