//! What the processors of an arrangement send each other.

mod halo;
pub mod summa;

pub use summa::{Flow, Message, Summa};

use thiserror::Error;
use topoloom_core::trace::most_events;
use topoloom_core::traffic::patterns::{InvalidMpdata, Mpdata};
use topoloom_core::words::counted;
use topoloom_core::{Trace, Traffic};

use crate::arrangement::Arrangement;

/// What runs on an arrangement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Application {
    /// Matrix multiplication. Ranks are processors.
    Summa(Summa),
    /// MPDATA on a grid of equal parts, or on parts of unequal size that fill its domain; in that
    /// case its rows and columns are ignored. Ranks are positions, row by row: rank r runs on the
    /// r-th of [`Arrangement::row_by_row`].
    Mpdata(Mpdata),
}

/// Why there are no messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum ApplicationError {
    /// More pairs than memory holds.
    #[error("{} exchange messages; at most {MOST_FLOWS} are possible", counted(*.0, "pair"))]
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
    /// Parts of unequal size that do not fill the domain.
    #[error(
        "mpdata needs equal parts, or parts that fill its domain of {} x {}; these fill {height} x {width}",
        domain.0,
        domain.1
    )]
    NotTheDomain {
        /// Rows and columns of the domain.
        domain: (u32, u32),
        /// Rows of all parts together.
        height: u32,
        /// Columns of all parts together.
        width: u32,
    },
    /// Halos that cannot be exchanged.
    #[error("mpdata: {0}")]
    Mpdata(#[from] InvalidMpdata),
}

/// The most pairs of processors that fit in memory: about 50 bytes each.
pub const MOST_FLOWS: u64 = 1 << 27;

impl Application {
    /// Whether it can run on this arrangement; matrix multiplication can on any.
    pub fn check(&self, arrangement: &Arrangement) -> Result<(), ApplicationError> {
        match self {
            Application::Summa(_) => Ok(()),
            Application::Mpdata(mpdata) if is_grid(arrangement) => {
                mpdata.check()?;
                check_grid(mpdata, arrangement)
            }
            Application::Mpdata(mpdata) => {
                let domain = (mpdata.domain[0], mpdata.domain[1]);
                let (height, width) = (arrangement.height(), arrangement.width());
                if domain != (height, width) {
                    return Err(ApplicationError::NotTheDomain { domain, height, width });
                }
                Ok(halo::check(mpdata, arrangement)?)
            }
        }
    }

    /// How much each rank sends to each other rank in the whole run.
    pub fn traffic(&self, arrangement: &Arrangement) -> Result<Traffic, ApplicationError> {
        match self {
            Application::Summa(summa) => summa.traffic(arrangement),
            Application::Mpdata(mpdata) => {
                self.check(arrangement)?;
                Ok(match is_grid(arrangement) {
                    true => mpdata.traffic()?,
                    false => halo::traffic(mpdata, arrangement)?,
                })
            }
        }
    }

    /// What every rank does, in order; with the computing time of each processor per iteration or
    /// step, if given.
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
                let of_positions = of_positions.as_ref().map(|seconds: &Vec<f64>| &seconds[..]);
                Ok(match is_grid(arrangement) {
                    true => mpdata.trace(of_positions)?,
                    false => halo::trace(mpdata, arrangement, of_positions)?,
                })
            }
        }
    }
}

/// Whether all parts are equal.
fn is_grid(arrangement: &Arrangement) -> bool {
    let columns = arrangement.columns();
    let (width, height) = (columns[0].width, columns[0].rectangles[0].height);
    columns.iter().all(|column| {
        column.width == width && column.rectangles.iter().all(|one| one.height == height)
    })
}

fn check_grid(mpdata: &Mpdata, arrangement: &Arrangement) -> Result<(), ApplicationError> {
    let (rows, columns) = (mpdata.rows, mpdata.columns);
    let wrong = |column, found| ApplicationError::NoGrid { rows, columns, column, found };
    let counts = arrangement.columns().iter().map(|column| column.rectangles.len());
    if let Some((column, found)) = counts.enumerate().find(|(_, found)| *found != rows as usize) {
        return Err(wrong(column, found));
    }
    let found = arrangement.columns().len();
    // The first column that is missing, or the first column too many.
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
            trace.programs()[rank].contains(&topoloom_core::Event::Compute {
                nanoseconds: if rank == 0 { 5 } else { 1 },
            })
        };
        assert!(computes(0) && computes(1));
        assert_eq!(application.traffic(&arrangement).unwrap(), trace.traffic());
    }

    #[test]
    fn unequal_parts_must_fill_the_domain() {
        let rectangle = |processor, height| crate::Rectangle { processor, height };
        let column = |width, rectangles: &[crate::Rectangle]| crate::Column {
            width,
            rectangles: rectangles.to_vec(),
        };
        let columns =
            vec![column(4, &[rectangle(0, 4), rectangle(1, 6)]), column(5, &[rectangle(2, 10)])];
        let arrangement = Arrangement::new(columns).unwrap();
        let check = |domain| {
            Application::Mpdata(Mpdata { domain, ..Mpdata::default() }).check(&arrangement)
        };
        assert_eq!(check([10, 9, 2]), Ok(()));
        assert_eq!(
            check([10, 8, 2]).unwrap_err().to_string(),
            "mpdata needs equal parts, or parts that fill its domain of 10 x 8; these fill 10 x 9"
        );
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
