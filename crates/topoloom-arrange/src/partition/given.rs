//! A rectangle of blocks cut into columns whose processors are given.

use std::collections::HashMap;

use super::columns::{ColumnPlan, PlannedColumn};
use super::{MOST_BLOCKS, PartitionError, round, valid_speeds};
use crate::arrangement::{Arrangement, Column, InvalidArrangement, Rectangle};
use crate::balance::balance;
use crate::platform::Platform;
use crate::speed::Speed;

/// Cuts a domain for the processors of a platform, any number of times: each gets a rectangle in
/// proportion to its speed.
#[derive(Debug)]
pub struct Cutter<'a> {
    /// Rows and columns of blocks.
    domain: (u32, u32),
    speeds: Vec<&'a Speed>,
    /// Blocks of each processor, if they need not be whole numbers.
    areas: Vec<f64>,
    /// Equal for processors of the same cluster and the same speed.
    classes: Vec<u32>,
}

impl<'a> Cutter<'a> {
    /// For a domain with this many rows and columns of blocks.
    pub fn new(platform: &'a Platform, domain: (u32, u32)) -> Result<Self, PartitionError> {
        let (height, width) = domain;
        if let Some(side) =
            [height, width].into_iter().find(|side| !(1..=MOST_BLOCKS).contains(side))
        {
            return Err(PartitionError::Blocks(side));
        }
        let speeds = valid_speeds(platform)?;
        let areas = balance(&speeds, f64::from(height) * f64::from(width));
        let classes = classes(platform, &speeds);
        Ok(Cutter { domain, speeds, areas, classes })
    }

    /// A number for each processor, the same for those of one cluster and one speed: exchanging
    /// these changes no cost.
    pub fn classes(&self) -> &[u32] {
        &self.classes
    }

    /// Blocks of each processor, if they need not be whole numbers.
    pub fn areas(&self) -> &[f64] {
        &self.areas
    }

    /// The columns of these processors, from left to right and from top to bottom, in whole blocks.
    /// Their sizes depend on which processors share a column, not on any order.
    pub fn cut(&self, columns: &[Vec<u32>]) -> Result<Arrangement, PartitionError> {
        let (height, width) = self.domain;
        let too_long = columns.iter().any(|column| column.len() > height as usize);
        if columns.len() > width as usize || too_long {
            return Err(PartitionError::NoRoom { height, width });
        }
        let count = self.speeds.len();
        self.check_that_each_comes_once(columns)?;
        // Among equals, the first gets more if whole blocks do not divide evenly. They are sorted
        // by class, so exchanges within a class change no size.
        let class = |processor: &u32| self.classes[*processor as usize];
        let mut sorted: Vec<(Vec<u32>, usize)> = columns.iter().cloned().zip(0..).collect();
        sorted.iter_mut().for_each(|(column, _)| column.sort_by_key(|one| (class(one), *one)));
        sorted.sort_by_cached_key(|(column, _)| {
            (column.iter().map(class).collect::<Vec<u32>>(), column.clone())
        });
        let all: f64 = self.areas.iter().sum();
        let planned = |(column, _): &(Vec<u32>, usize)| {
            let area = |processor: u32| self.areas[processor as usize];
            let sum: f64 = column.iter().map(|&processor| area(processor)).sum();
            let rectangles = column.iter().map(|&processor| (processor, area(processor) / sum));
            PlannedColumn { width: sum / all, rectangles: rectangles.collect() }
        };
        let plan = ColumnPlan { columns: sorted.iter().map(planned).collect() };
        let cut = round::whole_blocks(&plan, &self.speeds, self.domain);
        let mut heights = vec![0; count];
        let mut widths = vec![0; columns.len()];
        for (column, (_, number)) in cut.columns().iter().zip(&sorted) {
            widths[*number] = column.width;
            for rectangle in &column.rectangles {
                heights[rectangle.processor as usize] = rectangle.height;
            }
        }
        let column = |(column, width): (&Vec<u32>, u32)| Column {
            width,
            rectangles: column
                .iter()
                .map(|&processor| Rectangle { processor, height: heights[processor as usize] })
                .collect(),
        };
        Ok(Arrangement::new(columns.iter().zip(widths).map(column).collect())?)
    }

    fn check_that_each_comes_once(&self, columns: &[Vec<u32>]) -> Result<(), InvalidArrangement> {
        let mut seen = vec![false; self.speeds.len()];
        let last = seen.len() - 1;
        for (number, column) in columns.iter().enumerate() {
            if column.is_empty() {
                return Err(InvalidArrangement::Empty(number));
            }
            for &processor in column {
                match seen.get_mut(processor as usize) {
                    Some(seen) if !*seen => *seen = true,
                    _ => return Err(InvalidArrangement::Processor { processor, last }),
                }
            }
        }
        match seen.iter().position(|seen| !seen) {
            Some(missing) => Err(InvalidArrangement::Processor { processor: missing as u32, last }),
            None => Ok(()),
        }
    }
}

fn classes(platform: &Platform, speeds: &[&Speed]) -> Vec<u32> {
    let mut known: HashMap<(u32, u64), u32> = HashMap::new();
    let mut classes: Vec<u32> = Vec::with_capacity(speeds.len());
    for (processor, (speed, &cluster)) in speeds.iter().zip(platform.cluster_of()).enumerate() {
        let next = processor as u32;
        classes.push(match speed {
            Speed::Constant(speed) => *known.entry((cluster, speed.to_bits())).or_insert(next),
            // Nodes of one kind are next to each other.
            Speed::Function(_) => {
                let alike = processor > 0
                    && speeds[processor - 1] == *speed
                    && platform.cluster_of()[processor - 1] == cluster;
                if alike { classes[processor - 1] } else { next }
            }
        });
    }
    classes
}

#[cfg(test)]
mod tests {
    use topoloom_core::random::stream;

    use super::*;
    use crate::strategy::cases;

    #[test]
    fn a_column_of_faster_processors_is_wider_and_a_faster_one_higher() {
        // Speeds 3, 1 and 2: half of the 12 columns for the first two, of which the first has three
        // quarters.
        let platform = cases::platform_of_speeds(&mut stream(1, &[]), &[&[3.0, 1.0], &[2.0, 2.0]]);
        let cutter = Cutter::new(&platform, (8, 12)).unwrap();
        let found = cutter.cut(&[vec![1, 0], vec![3, 2]]).unwrap();
        let widths: Vec<u32> = found.columns().iter().map(|column| column.width).collect();
        assert_eq!(widths, [6, 6]);
        let first = [Rectangle { processor: 1, height: 2 }, Rectangle { processor: 0, height: 6 }];
        assert_eq!(found.columns()[0].rectangles, first);
    }

    #[test]
    fn sizes_do_not_depend_on_any_order() {
        let platform = cases::platform_of_speeds(&mut stream(1, &[]), &[&[1.0; 3], &[1.0, 2.5]]);
        let cutter = Cutter::new(&platform, (7, 11)).unwrap();
        let sizes = |columns: &[Vec<u32>]| {
            let mut sizes = vec![(0, 0); 5];
            for column in cutter.cut(columns).unwrap().columns() {
                for rectangle in &column.rectangles {
                    sizes[rectangle.processor as usize] = (column.width, rectangle.height);
                }
            }
            sizes
        };
        assert_eq!(sizes(&[vec![0, 1, 4], vec![2, 3]]), sizes(&[vec![3, 2], vec![4, 1, 0]]));
    }

    #[test]
    fn columns_that_cannot_be_are_refused() {
        let platform = cases::platform_of_speeds(&mut stream(1, &[]), &[&[1.0; 3]]);
        let cutter = Cutter::new(&platform, (2, 2)).unwrap();
        let no_room = Err(PartitionError::NoRoom { height: 2, width: 2 });
        assert_eq!(cutter.cut(&[vec![0, 1, 2]]), no_room);
        assert_eq!(cutter.cut(&[vec![0], vec![1], vec![2]]), no_room);
        for wrong in [&[vec![0, 1]][..], &[vec![0, 0], vec![1]], &[vec![0, 1], vec![3]]] {
            assert!(matches!(cutter.cut(wrong), Err(PartitionError::Columns(_))), "{wrong:?}");
        }
        assert!(matches!(cutter.cut(&[vec![], vec![0, 1]]), Err(PartitionError::Columns(_))));
        assert!(Cutter::new(&platform, (0, 2)).is_err());
    }
}
