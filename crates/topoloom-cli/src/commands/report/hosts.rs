//! What a report knows about the hosts of a job.

use topoloom::io::host_list::ListedHost;

use crate::files;

/// What is known about the hosts of a job.
pub struct Hosts {
    pub hosts: Option<Vec<ListedHost>>,
    /// The program that the job runs.
    pub program: String,
}

impl Hosts {
    /// The hosts of an option.
    pub fn read(text: Option<&str>, program: &str) -> anyhow::Result<Hosts> {
        let hosts = text.map(files::read_hosts).transpose()?;
        Ok(Hosts { hosts, program: program.to_string() })
    }

    /// Nothing is known.
    pub fn unknown() -> Hosts {
        Hosts { hosts: None, program: "./app".to_string() }
    }
}
