//! Widths and heights in whole blocks.

use super::columns::{ColumnPlan, PlannedColumn};
use super::share_out::{Takers, share_out};
use crate::arrangement::{Arrangement, Column, Rectangle};
use crate::speed::Speed;

/// The columns of `plan` in whole blocks, at least one for each processor, such that the last
/// processor finishes as early as possible with these columns.
///
/// Heights are shared out within a column of a given width. Widths are shared out among columns,
/// given the time of the best heights for each width. Both are the same problem: more blocks take
/// longer.
pub(super) fn whole_blocks(
    plan: &ColumnPlan,
    speeds: &[&Speed],
    (height, width): (u32, u32),
) -> Arrangement {
    let total = f64::from(height) * f64::from(width);
    let time_of = |column: &PlannedColumn| {
        let times = column.rectangles.iter().map(|&(processor, height)| {
            speeds[processor as usize].time(total * column.width * height)
        });
        times.fold(0.0, f64::max)
    };
    let guess = plan.columns.iter().map(time_of).fold(0.0, f64::max);
    let speeds_of = |column: &PlannedColumn| {
        column.rectangles.iter().map(|&(processor, _)| speeds[processor as usize]).collect()
    };
    let columns = Columns { height, guess, speeds: plan.columns.iter().map(speeds_of).collect() };
    let widths = share_out(&columns, width, guess);
    let column = |(at, column): (usize, &PlannedColumn)| {
        let heights = columns.heights(at, widths[at]);
        let rectangles = column.rectangles.iter().zip(heights);
        let rectangles =
            rectangles.map(|(&(processor, _), height)| Rectangle { processor, height });
        Column { width: widths[at], rectangles: rectangles.collect() }
    };
    let columns = plan.columns.iter().enumerate().map(column).collect();
    Arrangement::new(columns).expect("widths and heights sum to the sides of the whole")
}

/// Rectangles of one column, which get rows of blocks.
struct Rectangles<'a> {
    width: f64,
    speeds: &'a [&'a Speed],
}

impl Takers for Rectangles<'_> {
    fn count(&self) -> usize {
        self.speeds.len()
    }

    fn within(&self, limit: f64, total: u32, mut action: impl FnMut(u32)) {
        for speed in self.speeds {
            action(((speed.size_in(limit) / self.width) as u32).min(total));
        }
    }

    fn load(&self, taker: usize, units: u32) -> f64 {
        self.speeds[taker].time(self.width * f64::from(units))
    }
}

/// Columns, which get columns of blocks.
struct Columns<'a> {
    height: u32,
    guess: f64,
    speeds: Vec<Vec<&'a Speed>>,
}

impl Columns<'_> {
    /// The best heights in a column of this width.
    fn heights(&self, column: usize, width: u32) -> Vec<u32> {
        share_out(&self.rectangles(column, width), self.height, self.guess)
    }

    fn rectangles(&self, column: usize, width: u32) -> Rectangles<'_> {
        Rectangles { width: f64::from(width), speeds: &self.speeds[column] }
    }
}

impl Takers for Columns<'_> {
    fn count(&self) -> usize {
        self.speeds.len()
    }

    /// The greatest width of a column: with the largest allowed size of each rectangle, rows of
    /// whole blocks must still fill the height.
    fn within(&self, limit: f64, total: u32, mut action: impl FnMut(u32)) {
        for speeds in &self.speeds {
            let sizes: Vec<f64> = speeds.iter().map(|speed| speed.size_in(limit)).collect();
            let fills = |width: u32| {
                let rows = |size: &f64| (size / f64::from(width)).floor();
                let flat = sizes.iter().any(|size| *size < f64::from(width));
                !flat && sizes.iter().map(rows).sum::<f64>() >= f64::from(self.height)
            };
            // Bisection between a width that works and one that is known not to.
            let most = sizes.iter().sum::<f64>() / f64::from(self.height);
            let (mut fitting, mut too_wide) = (0, (most.min(f64::from(total)) as u32) + 1);
            while too_wide - fitting > 1 {
                let middle = fitting + (too_wide - fitting) / 2;
                match fills(middle) {
                    true => fitting = middle,
                    false => too_wide = middle,
                }
            }
            action(fitting);
        }
    }

    fn load(&self, taker: usize, units: u32) -> f64 {
        let rectangles = self.rectangles(taker, units);
        let heights = self.heights(taker, units);
        let loads = heights.iter().enumerate().map(|(at, &height)| rectangles.load(at, height));
        loads.fold(0.0, f64::max)
    }
}
