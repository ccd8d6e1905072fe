//! The machine of a recording: the hosts of the run as they described themselves, with the seats
//! that its ranks had.

use topoloom_core::cluster::{Description, Parts, Seat};
use topoloom_core::seats::JobSeat;

use crate::machines::{KeptFiles, detect};
use crate::text::fault::Fault;
use crate::traffic::recording::Recording;

impl Recording {
    /// Where each rank sat; none if the recording does not contain it.
    pub fn job_seats(&self) -> Option<Vec<JobSeat>> {
        let of_rank = self.seats.iter().zip(&self.host_of_rank);
        let seats: Vec<JobSeat> = of_rank
            .map(|(seat, &host)| {
                let host = self.hosts.get(host as usize)?.clone();
                let cpus = if seat.is_bound() { seat.cpus.clone() } else { Vec::new() };
                (!seat.cpus.is_empty()).then_some(JobSeat { host, cpus })
            })
            .collect::<Option<_>>()?;
        (seats.len() == self.ranks as usize && self.ranks > 0).then_some(seats)
    }

    /// The hosts of the run with the seats of its ranks, and what had to be assumed. The error says
    /// what the recording lacks.
    pub fn machine(&self) -> Result<(Description, Vec<String>), Fault> {
        let lacks = |what: &str| {
            Fault::Missing(format!(
                "the recording does not show {what}: record the job again, or give a machine"
            ))
        };
        let seats = self.job_seats().ok_or_else(|| lacks("where its ranks ran"))?;
        if self.nodes.len() != self.hosts.len() {
            return Err(lacks("what is inside its hosts"));
        }
        let mut parts = Parts::default();
        for (name, text) in self.hosts.iter().zip(&self.nodes) {
            let files = KeptFiles::parse(text);
            let hardware = files.and_then(|files| detect(&files));
            let hardware = hardware.map_err(|error| error.within(format!("host {name}")))?;
            parts.hosts.push((name.clone(), None));
            parts.hardware.push((hardware, vec![name.clone()]));
        }
        let (mut description, assumed) = parts.join().map_err(Fault::refused)?;
        let host_of = |seat: &JobSeat| self.hosts.iter().position(|host| *host == seat.host);
        let seat = |seat: &JobSeat| {
            let host = host_of(seat)? as u32;
            Some(Seat { host, cpus: seat.cpus.clone(), gpu: None })
        };
        description.seats =
            seats.iter().map(seat).collect::<Option<_>>().ok_or_else(|| lacks("its hosts"))?;
        Ok((description, assumed.map(|assumed| assumed.to_string()).into_iter().collect()))
    }
}
