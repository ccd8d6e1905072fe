//! Seats: where single processes of a job may sit.

/// Where one process of a job may sit: a host, and what it has there.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Seat {
    /// The host: an index of [`super::Description::hosts`].
    pub host: u32,
    /// The operating system's numbers of its CPUs, in rising order. None for a process that is not
    /// bound and has its whole host.
    pub cpus: Vec<u32>,
    /// The number of its GPU among those of its host, if it has one.
    pub gpu: Option<u32>,
}

impl Seat {
    /// A seat of a process that may run anywhere on its host.
    pub fn unbound(host: u32) -> Seat {
        Seat { host, cpus: Vec::new(), gpu: None }
    }

    /// Whether a process in it is bound to some of the CPUs of its host.
    pub fn is_bound(&self) -> bool {
        !self.cpus.is_empty()
    }
}
