//! Every way to share out processors of different speed among columns.

use std::collections::BTreeSet;

use topoloom_core::{NotApplicable, Run};

use super::columns::{Amount, amount, improve};
use super::counting::too_many;
use crate::arrangement::{Arrangement, Column};
use crate::partition::Cutter;
use crate::strategy::parts::no_columns;
use crate::strategy::row_costs::total_cost;
use crate::strategy::{Parts, Task};

/// With more processors, the ways to share them out are not even counted.
const MOST_PROCESSORS: usize = 24;

/// The steps that count for one way to share out, besides those of its orders.
const WORK_OF_A_WAY: f64 = 5000.0;

pub(super) fn search(
    task: &Task,
    parts: &Parts,
    start: &Arrangement,
    max_work: f64,
    run: &mut Run,
) -> Result<Arrangement, NotApplicable> {
    let processors = start.num_processors();
    if processors > MOST_PROCESSORS {
        return Err(too_many(f64::INFINITY));
    }
    let cutter = Cutter::new(task.platform, parts.domain)
        .map_err(|error| NotApplicable(error.to_string()))?;
    let mut all = Amount::default();
    let mut ways = Vec::new();
    let is_little = for_each_way(cutter.classes(), |columns| {
        all.work += WORK_OF_A_WAY;
        if parts.allow(columns.iter().map(Vec::len))
            && let Ok(cut) = cutter.cut(columns)
        {
            let of_way = amount(task.measure, cut.columns(), max_work - all.work);
            all.work += of_way.work;
            all.arrangements += of_way.arrangements;
            ways.push(cut.columns().to_vec());
        }
        all.work <= max_work
    });
    if !is_little {
        return Err(too_many(all.arrangements));
    }
    let cost = |columns: &Vec<Column>| total_cost(task.measure, columns);
    let Some(first) = ways.first() else { return Err(no_columns(parts, processors)) };
    let mut best = (cost(first), first.clone());
    for columns in &ways {
        if run.was_cut_short() {
            break;
        }
        let cost = cost(columns);
        if cost < best.0 {
            best = (cost, columns.clone());
        }
        improve(task.measure, columns, &mut best, run);
    }
    Ok(Arrangement::new(best.1).expect("columns in another order tile as before"))
}

/// Calls `see` with every way to put processors into columns, whose order does not matter;
/// processors of one class are not distinguished. Ends as soon as `see` returns false, and then
/// returns false.
fn for_each_way(classes: &[u32], see: impl FnMut(&[Vec<u32>]) -> bool) -> bool {
    let mut order: Vec<u32> = (0..classes.len() as u32).collect();
    order.sort_by_key(|&processor| (classes[processor as usize], processor));
    let mut ways = Ways { classes, order, columns: Vec::new(), seen: BTreeSet::new(), see };
    ways.extend(0, 0)
}

struct Ways<'a, See> {
    classes: &'a [u32],
    /// The processors, class by class.
    order: Vec<u32>,
    columns: Vec<Vec<u32>>,
    /// The classes in the columns of each way, sorted.
    seen: BTreeSet<Vec<Vec<u32>>>,
    see: See,
}

impl<See: FnMut(&[Vec<u32>]) -> bool> Ways<'_, See> {
    /// Puts the processor number `at` into every column from `first` on, or into a new one. A
    /// processor of the same class as the one before does not go to the left of it.
    fn extend(&mut self, at: usize, first: usize) -> bool {
        let Some(&processor) = self.order.get(at) else {
            let class = |processor: &u32| self.classes[*processor as usize];
            let signature = |column: &Vec<u32>| column.iter().map(class).collect();
            let mut signatures: Vec<Vec<u32>> = self.columns.iter().map(signature).collect();
            signatures.sort_unstable();
            return !self.seen.insert(signatures) || (self.see)(&self.columns);
        };
        let class = |at: usize| self.order.get(at).map(|&one| self.classes[one as usize]);
        let is_like_next = class(at) == class(at + 1);
        for column in first..=self.columns.len() {
            if column == self.columns.len() {
                self.columns.push(Vec::new());
            }
            self.columns[column].push(processor);
            let goes_on = self.extend(at + 1, if is_like_next { column } else { 0 });
            self.columns[column].pop();
            if self.columns[column].is_empty() {
                self.columns.truncate(column);
            }
            if !goes_on {
                return false;
            }
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ways(classes: &[u32]) -> usize {
        let mut number = 0;
        for_each_way(classes, |columns| {
            let mut all: Vec<u32> = columns.concat();
            all.sort_unstable();
            assert_eq!(all, (0..classes.len() as u32).collect::<Vec<u32>>());
            number += 1;
            true
        });
        number
    }

    #[test]
    fn different_processors_have_as_many_ways_as_sets_have_partitions() {
        // Bell numbers.
        let numbers = (1..=7).map(|count| ways(&(0..count).collect::<Vec<u32>>()));
        assert_eq!(numbers.collect::<Vec<usize>>(), [1, 2, 5, 15, 52, 203, 877]);
    }

    #[test]
    fn equal_processors_have_as_many_ways_as_numbers_have_partitions() {
        let numbers = (1..=7).map(|count| ways(&vec![0; count]));
        assert_eq!(numbers.collect::<Vec<usize>>(), [1, 2, 3, 5, 7, 11, 15]);
        // {a, a, b, b} has nine partitions as a multiset.
        assert_eq!(ways(&[0, 1, 0, 1]), 9);
    }
}
