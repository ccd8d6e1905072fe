//! Hypercubes on paper: half of the dimensions along rows, the others along columns, both in the
//! order of a Gray code. Every link then is in a row or in a column, and one of a dimension joins
//! places that mirror each other.

use super::gray_code::place_of_code;
use super::plan::Plan;

/// Smaller ones are clear as boxes; in larger ones, arcs could not be told apart.
const DIMENSIONS: std::ops::RangeInclusive<usize> = 4..=10;

/// Whether a box of these lengths is drawn like this.
pub fn suits(lengths: &[u32]) -> bool {
    DIMENSIONS.contains(&lengths.len()) && lengths.iter().all(|&length| length == 2)
}

/// The plan of a hypercube.
pub fn plan(dimensions: u32, names: Vec<String>) -> Plan {
    let along_rows = dimensions.div_ceil(2);
    let mut plan = Plan { arcs: true, ..Plan::flat() };
    for (node, name) in (0u32..).zip(names) {
        let column = place_of_code(node & ((1 << along_rows) - 1));
        let row = place_of_code(node >> along_rows);
        plan.add([f64::from(column), -f64::from(row)], name);
    }
    plan.holding = plan.points.len();
    plan.point_of_vertex = (0..plan.holding as u32).collect();
    plan.notes.push(format!(
        "Dimensions 1 to {along_rows} are along rows, the others along columns. Neighbours differ in \
         one bit (Gray code); arcs are links that pass others."
    ));
    plan
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_link_is_in_a_row_or_a_column() {
        let plan = plan(5, (0..32).map(|node| node.to_string()).collect());
        for node in 0..32u32 {
            for dimension in 0..5 {
                let [a, b] = [node, node ^ (1 << dimension)].map(|at| plan.points[at as usize]);
                assert!(a[0] == b[0] || a[1] == b[1], "{node} along {dimension}");
            }
        }
    }
}
