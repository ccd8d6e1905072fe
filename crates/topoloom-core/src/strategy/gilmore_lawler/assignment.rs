//! The linear assignment problem, by the Hungarian method with potentials.

/// The least total of `cost[row * columns + column]` when each row gets its own column. There must
/// be at least as many columns as rows. Takes O(rows^2 x columns).
pub(super) fn least_assignment(cost: &[f64], rows: usize, columns: usize) -> f64 {
    debug_assert!(rows <= columns && cost.len() == rows * columns);
    // Column 0 is a sentinel: it holds the row that needs a place.
    let mut row_of = vec![0usize; columns + 1];
    let mut row_potential = vec![0.0; rows + 1];
    let mut column_potential = vec![0.0; columns + 1];
    let mut came_from = vec![0usize; columns + 1];
    let mut slack = vec![0.0; columns + 1];
    let mut seen = vec![false; columns + 1];
    for row in 1..=rows {
        row_of[0] = row;
        let mut at = 0;
        slack.fill(f64::INFINITY);
        seen.fill(false);
        while row_of[at] != 0 {
            seen[at] = true;
            let current = row_of[at];
            let mut step = f64::INFINITY;
            let mut next = 0;
            for column in 1..=columns {
                if seen[column] {
                    continue;
                }
                let reduced = cost[(current - 1) * columns + column - 1]
                    - row_potential[current]
                    - column_potential[column];
                if reduced < slack[column] {
                    slack[column] = reduced;
                    came_from[column] = at;
                }
                if slack[column] < step {
                    step = slack[column];
                    next = column;
                }
            }
            for column in 0..=columns {
                if seen[column] {
                    row_potential[row_of[column]] += step;
                    column_potential[column] -= step;
                } else {
                    slack[column] -= step;
                }
            }
            at = next;
        }
        while at != 0 {
            let previous = came_from[at];
            row_of[at] = row_of[previous];
            at = previous;
        }
    }
    // The sentinel's potential went down by every step, and each step raised the total by it.
    -column_potential[0]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random;

    fn by_trying_all(cost: &[f64], rows: usize, columns: usize, row: usize, taken: u32) -> f64 {
        if row == rows {
            return 0.0;
        }
        (0..columns)
            .filter(|column| taken >> column & 1 == 0)
            .map(|column| {
                cost[row * columns + column]
                    + by_trying_all(cost, rows, columns, row + 1, taken | 1 << column)
            })
            .fold(f64::INFINITY, f64::min)
    }

    #[test]
    fn the_hungarian_method_finds_what_trying_all_finds() {
        let mut rng = random::stream(3, &[]);
        for _ in 0..200 {
            let rows = 1 + random::below(&mut rng, 5) as usize;
            let columns = rows + random::below(&mut rng, 3) as usize;
            let cost: Vec<f64> =
                (0..rows * columns).map(|_| f64::from(random::below(&mut rng, 20))).collect();
            let expected = by_trying_all(&cost, rows, columns, 0, 0);
            assert_eq!(least_assignment(&cost, rows, columns), expected, "{cost:?}");
        }
    }
}
