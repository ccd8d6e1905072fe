//! What the processors of an arrangement send each other.

pub mod summa;

pub use summa::{Flow, Message, Summa};

use thiserror::Error;
use topoloom_core::trace::most_events;
use topoloom_core::traffic::patterns::{InvalidMpdata, Mpdata};
use topoloom_core::{Trace, Traffic};

use crate::arrangement::Arrangement;

/// What runs on an arrangement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Application {
    /// Matrix multiplication. Ranks are processors.
    Summa(Summa),
    /// MPDATA on a grid. Ranks are positions, row by row: rank r runs on the r-th of
    /// [`Arrangement::row_by_row`].
    Mpdata(Mpdata),
}

/// Why there are no messages to speak of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum ApplicationError {
    /// More pairs than memory holds.
    #[error("{0} pairs exchange messages; at most {MOST_FLOWS} are possible")]
    TooManyFlows(u64),
    /// More events than memory holds.
    #[error("the trace has {0} events or more; at most {most} are possible", most = most_events())]
    TooManyEvents(u64),
    /// Columns of different length, or not as many as the application has.
    #[error("mpdata needs a grid of {rows} x {columns} rectangles; column {column} has {found}")]
    NoGrid {
        /// Rows of the grid.
        rows: u32,
        /// Columns of the grid.
        columns: u32,
        /// The column that does not fit.
        column: usize,
        /// How many rectangles it has.
        found: usize,
    },
    /// Halos that cannot be exchanged.
    #[error("mpdata: {0}")]
    Mpdata(#[from] InvalidMpdata),
}

/// Pairs of processors that memory holds: some 50 bytes each.
pub const MOST_FLOWS: u64 = 1 << 27;

impl Application {
    /// Whether it can run on this arrangement; matrix multiplication can on any.
    pub fn check(&self, arrangement: &Arrangement) -> Result<(), ApplicationError> {
        match self {
            Application::Summa(_) => Ok(()),
            Application::Mpdata(mpdata) => {
                mpdata.check()?;
                check_grid(mpdata, arrangement)
            }
        }
    }

    /// Who sends how much to whom in the whole run.
    pub fn traffic(&self, arrangement: &Arrangement) -> Result<Traffic, ApplicationError> {
        match self {
            Application::Summa(summa) => summa.traffic(arrangement),
            Application::Mpdata(mpdata) => {
                self.check(arrangement)?;
                Ok(mpdata.traffic()?)
            }
        }
    }

    /// What every rank does, in order; with the time that each processor computes in an iteration
    /// or step, if it is to compute.
    pub fn trace(
        &self,
        arrangement: &Arrangement,
        seconds_per_iteration: Option<&[f64]>,
    ) -> Result<Trace, ApplicationError> {
        match self {
            Application::Summa(summa) => summa.trace(arrangement, seconds_per_iteration),
            Application::Mpdata(mpdata) => {
                self.check(arrangement)?;
                let of_positions = seconds_per_iteration.map(|seconds| {
                    let of = |processor: u32| seconds.get(processor as usize).copied();
                    arrangement.row_by_row().into_iter().map(|one| of(one).unwrap_or(0.0)).collect()
                });
                Ok(mpdata.trace(of_positions.as_ref().map(|seconds: &Vec<f64>| &seconds[..]))?)
            }
        }
    }
}

fn check_grid(mpdata: &Mpdata, arrangement: &Arrangement) -> Result<(), ApplicationError> {
    let (rows, columns) = (mpdata.rows, mpdata.columns);
    let wrong = |column, found| ApplicationError::NoGrid { rows, columns, column, found };
    let counts = arrangement.columns().iter().map(|column| column.rectangles.len());
    if let Some((column, found)) = counts.enumerate().find(|(_, found)| *found != rows as usize) {
        return Err(wrong(column, found));
    }
    let found = arrangement.columns().len();
    // The first column that is missing, or the first beyond the last.
    let odd_one = found.min(columns as usize);
    let of_odd_one = arrangement.columns().get(odd_one).map_or(0, |column| column.rectangles.len());
    if found == columns as usize { Ok(()) } else { Err(wrong(odd_one, of_odd_one)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mpdata_computes_where_its_positions_are() {
        // Positions 0 and 1 are processors 1 and 0.
        let arrangement = Arrangement::grid(1, 2, (4, 4), &[1, 0]).unwrap();
        let mpdata = Mpdata { columns: 2, domain: [4, 8, 1], ..Mpdata::default() };
        let application = Application::Mpdata(mpdata);
        let trace = application.trace(&arrangement, Some(&[1e-9, 5e-9])).unwrap();
        let computes = |rank: usize| {
            trace.program(rank).contains(&topoloom_core::Event::Compute {
                nanoseconds: if rank == 0 { 5 } else { 1 },
            })
        };
        assert!(computes(0) && computes(1));
        assert_eq!(application.traffic(&arrangement).unwrap(), trace.traffic());
    }

    #[test]
    fn mpdata_wants_its_grid() {
        let arrangement = Arrangement::grid(2, 2, (4, 4), &[0, 1, 2, 3]).unwrap();
        let error = |rows, columns| {
            let mpdata = Mpdata { rows, columns, ..Mpdata::default() };
            Application::Mpdata(mpdata).traffic(&arrangement).unwrap_err().to_string()
        };
        assert_eq!(error(1, 4), "mpdata needs a grid of 1 x 4 rectangles; column 0 has 2");
        assert_eq!(error(2, 3), "mpdata needs a grid of 2 x 3 rectangles; column 2 has 0");
        assert_eq!(error(2, 1), "mpdata needs a grid of 2 x 1 rectangles; column 1 has 2");
    }
}
