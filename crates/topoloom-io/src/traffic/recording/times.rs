//! How long ranks were in MPI, by call and by the partners of the calls.

use super::encoding::{Payload, PayloadWriter};
use crate::text::fault::Fault;
use topoloom_core::words::counted;

/// How long ranks were in MPI.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Times {
    /// One for each rank; none if it is not known.
    pub ranks: Vec<Option<RankTime>>,
    /// What all ranks spent in which calls, by ascending name and partner, each once. It adds up to
    /// the time in MPI of all ranks.
    pub calls: Vec<CallTime>,
}

/// How long one rank ran, from the end of `MPI_Init` to the beginning of `MPI_Finalize`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RankTime {
    /// In total.
    pub wall_nanoseconds: u64,
    /// In MPI, all threads together.
    pub mpi_nanoseconds: u64,
}

/// What all ranks spent in one call with one class of partners.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallTime {
    /// The name of the function in C.
    pub call: String,
    /// The partners of the call.
    pub partner: PartnerClass,
    /// How often it was called.
    pub calls: u64,
    /// How long all calls took together.
    pub nanoseconds: u64,
}

/// The partners of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PartnerClass {
    /// The calling rank itself.
    Itself,
    /// Another rank on the same host.
    SameHost,
    /// A rank on another host.
    OtherHost,
    /// All members of a communicator or a window.
    Everybody,
    /// A file.
    File,
    /// The call does not say: it waits for several ranks, or for any.
    NotTold,
}

impl PartnerClass {
    /// All of them.
    pub const ALL: [PartnerClass; 6] = [
        PartnerClass::Itself,
        PartnerClass::SameHost,
        PartnerClass::OtherHost,
        PartnerClass::Everybody,
        PartnerClass::File,
        PartnerClass::NotTold,
    ];

    /// Its name, in a word or two.
    pub fn name(self) -> &'static str {
        match self {
            PartnerClass::Itself => "itself",
            PartnerClass::SameHost => "same host",
            PartnerClass::OtherHost => "other host",
            PartnerClass::Everybody => "everybody",
            PartnerClass::File => "file",
            PartnerClass::NotTold => "unattributed",
        }
    }
}

const SECONDS_PER_NANOSECOND: f64 = 1e-9;

impl RankTime {
    /// How long it ran.
    pub fn wall_seconds(&self) -> f64 {
        self.wall_nanoseconds as f64 * SECONDS_PER_NANOSECOND
    }

    /// How long it was in MPI.
    pub fn mpi_seconds(&self) -> f64 {
        self.mpi_nanoseconds as f64 * SECONDS_PER_NANOSECOND
    }

    /// The share of its time in MPI; none if it ran for no time at all. Above 1 if several threads
    /// are in MPI at once.
    pub fn mpi_share(&self) -> Option<f64> {
        (self.wall_nanoseconds > 0)
            .then(|| self.mpi_nanoseconds as f64 / self.wall_nanoseconds as f64)
    }
}

impl CallTime {
    /// How long all calls took together.
    pub fn seconds(&self) -> f64 {
        self.nanoseconds as f64 * SECONDS_PER_NANOSECOND
    }
}

impl Times {
    /// How long all ranks ran together.
    pub fn wall_seconds(&self) -> f64 {
        self.ranks.iter().flatten().map(RankTime::wall_seconds).sum()
    }

    /// How long all ranks were in MPI together.
    pub fn mpi_seconds(&self) -> f64 {
        self.ranks.iter().flatten().map(RankTime::mpi_seconds).sum()
    }

    /// The share of the time of all ranks in MPI. Every recording with times has one.
    pub fn mpi_share(&self) -> f64 {
        let wall = self.wall_seconds();
        if wall > 0.0 { self.mpi_seconds() / wall } else { 0.0 }
    }

    /// Calls and nanoseconds of each class of partners that occurs.
    pub fn by_partner(&self) -> Vec<(PartnerClass, u64, u64)> {
        let sums = PartnerClass::ALL.map(|class| {
            let of_class = self.calls.iter().filter(|call| call.partner == class);
            of_class.fold((class, 0, 0), |(class, calls, nanoseconds), call| {
                (class, calls + call.calls, nanoseconds + call.nanoseconds)
            })
        });
        sums.into_iter().filter(|sums| sums.1 > 0).collect()
    }
}

pub fn check(times: &Times, ranks: u32) -> Result<(), Fault> {
    if times.ranks.len() != ranks as usize {
        return Err(Fault::expected(
            format!("times of {ranks}", ranks = counted(ranks, "rank")),
            times.ranks.len(),
        ));
    }
    let known = || times.ranks.iter().flatten();
    if sum(known().map(|time| time.wall_nanoseconds))? == 0 {
        return Err(Fault::wanted("a rank that ran for some time"));
    }
    if !times.calls.is_sorted_by(|a, b| (&a.call, a.partner) < (&b.call, b.partner)) {
        return Err(Fault::Malformed(
            "the calls are not in rising order of name and partner".into(),
        ));
    }
    if let Some(never) = times.calls.iter().find(|call| call.calls == 0) {
        return Err(Fault::expected(format!("at least 1 call of {}", never.call), "0"));
    }
    sum(times.calls.iter().map(|call| call.calls))?;
    let of_calls = sum(times.calls.iter().map(|call| call.nanoseconds))?;
    let of_ranks = sum(known().map(|time| time.mpi_nanoseconds))?;
    match of_calls == of_ranks {
        true => Ok(()),
        false => Err(Fault::Contradiction(format!(
            "ranks are in MPI for {of_ranks} ns, but in calls for {of_calls} ns"
        ))),
    }
}

fn sum(mut values: impl Iterator<Item = u64>) -> Result<u64, Fault> {
    let sum = values.try_fold(0_u64, |sum, value| sum.checked_add(value));
    sum.ok_or_else(|| Fault::TooLarge("the times add up to more than 64 bits".into()))
}

pub fn write(times: &Times) -> PayloadWriter {
    let mut payload = PayloadWriter::default();
    for time in &times.ranks {
        match time {
            None => payload.number(0u32),
            Some(time) => {
                payload.number(1u32);
                payload.number(time.wall_nanoseconds);
                payload.number(time.mpi_nanoseconds);
            }
        }
    }
    payload.count(times.calls.len());
    for call in &times.calls {
        payload.text(&call.call);
        payload.number(number_of(call.partner));
        payload.number(call.calls);
        payload.number(call.nanoseconds);
    }
    payload
}

fn number_of(class: PartnerClass) -> u32 {
    PartnerClass::ALL.iter().position(|&other| other == class).unwrap_or(0) as u32
}

pub fn read(payload: &mut Payload<'_>, ranks: u32) -> Result<Times, Fault> {
    let mut times = Times::default();
    for _ in 0..ranks {
        times.ranks.push(match payload.number()? {
            0 => None,
            1 => Some(RankTime {
                wall_nanoseconds: payload.number()?,
                mpi_nanoseconds: payload.number()?,
            }),
            other => {
                return Err(payload.error(Fault::expected("0 or 1 before a time", other)));
            }
        });
    }
    for _ in 0..payload.count(4, "calls")? {
        let call = payload.text()?;
        let class = payload.number()?;
        let known = usize::try_from(class).ok().and_then(|class| PartnerClass::ALL.get(class));
        let partner = *known.ok_or_else(|| {
            let last = PartnerClass::ALL.len() - 1;
            payload.error(Fault::expected(format!("a partner 0 to {last}"), class))
        })?;
        let (calls, nanoseconds) = (payload.number()?, payload.number()?);
        times.calls.push(CallTime { call, partner, calls, nanoseconds });
    }
    Ok(times)
}
