//! Which format a launcher takes, from what it says of itself.

/// The format for the launcher that answers `--version` (or `flux version`) with `text`.
///
/// ```
/// use topoloom_io::launch::format_for;
/// assert_eq!(format_for("mpirun (Open MPI) 5.0.3\n"), Some("openmpi5-rankfile"));
/// assert_eq!(format_for("GNU bash, version 5.2"), None);
/// ```
pub fn format_for(text: &str) -> Option<&'static str> {
    let first = text.lines().find(|line| !line.trim().is_empty())?.trim();
    for name in ["(Open MPI)", "(OpenRTE)"] {
        if let Some((_, version)) = first.split_once(name) {
            let digits = |letter: char| !letter.is_ascii_digit();
            let major: u32 =
                version.trim().trim_start_matches('v').split(digits).next()?.parse().ok()?;
            return Some(if major >= 5 { "openmpi5-rankfile" } else { "openmpi4-rankfile" });
        }
    }
    let known = [
        ("(PRRTE)", "openmpi5-rankfile"),
        ("HYDRA", "mpich-hosts"),
        ("MPICH", "mpich-hosts"),
        ("slurm", "slurm-hostfile"),
    ];
    let by_first = known.iter().find(|(word, _)| first.contains(word)).map(|&(_, format)| format);
    let flux = first.starts_with("flux") || text.contains("libflux-core");
    by_first.or(flux.then_some("flux-taskmap"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn launchers_are_known_by_what_they_say() {
        let said = [
            ("mpirun (Open MPI) 4.1.4\n\nReport bugs to ...", "openmpi4-rankfile"),
            ("mpirun.openmpi (OpenRTE) 4.1.4\n\nReport bugs to ...", "openmpi4-rankfile"),
            ("mpirun (Open MPI) 5.0.11\n", "openmpi5-rankfile"),
            ("prterun (PRRTE) 3.0.6\n", "openmpi5-rankfile"),
            ("HYDRA build details:\n    Version:     4.0.2\n", "mpich-hosts"),
            ("MPICH Version:\t4.2.0\n", "mpich-hosts"),
            ("slurm 23.02.7\n", "slurm-hostfile"),
            ("slurm-wlm 22.05.8\n", "slurm-hostfile"),
            ("commands:    \t\t0.58.0\nlibflux-core:\t0.58.0\n", "flux-taskmap"),
        ];
        for (text, format) in said {
            assert_eq!(format_for(text), Some(format), "{text}");
            assert!(super::super::find(format).is_ok());
        }
        for text in ["", "\n", "mpirun (Open MPI) x", "Intel(R) MPI Library", "sh: not found"] {
            assert_eq!(format_for(text), None, "{text}");
        }
    }
}
