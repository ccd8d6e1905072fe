//! Where one rank runs.

/// Where one rank runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The host: an index of [`Description::hosts`](crate::cluster::Description::hosts).
    pub host: u32,
    /// The number of its first core among the cores of its host, in the order of the hardware; none
    /// if the rank is not bound and may run anywhere on its host.
    pub core: Option<u32>,
    /// The numbers of its cores, if it has whole ones. None if it has some threads of a core, or if
    /// they are not known.
    pub cores: Vec<u32>,
    /// The operating system's numbers of its threads; none if they are not known.
    pub cpus: Vec<u32>,
    /// The number of the GPU among those of its host, if a rank gets one.
    pub gpu: Option<u32>,
}

impl Place {
    /// `CPU 3`, `CPUs 0-3,8`, or `any CPU` for a rank that is not bound.
    pub fn cpus_in_words(&self) -> String {
        match (self.core, &self.cpus[..]) {
            (None, _) => "any CPU".to_string(),
            (Some(core), []) => format!("core {core}"),
            (Some(_), [one]) => format!("CPU {one}"),
            (Some(_), several) => format!("CPUs {}", number_ranges(several)),
        }
    }
}

/// Rising numbers as Linux writes them: `0-3,8`.
pub fn number_ranges(numbers: &[u32]) -> String {
    let range = |run: &[u32]| match run {
        [one] => one.to_string(),
        run => format!("{}-{}", run[0], run[run.len() - 1]),
    };
    let follows = |a: &u32, b: &u32| a.checked_add(1) == Some(*b);
    numbers.chunk_by(follows).map(range).collect::<Vec<String>>().join(",")
}
