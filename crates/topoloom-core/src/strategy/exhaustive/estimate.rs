//! How much work there would be, in numbers and in words.

use crate::problem::Problem;
use crate::words::counted;

/// Beyond this many nodes every slot counts separately.
const MOST_NODES: usize = 1 << 16;

/// How many placements there are. The slots of a node are alike; if `symmetric`, so are, for the
/// first rank, nodes that are images of each other.
pub fn placements(problem: &Problem, symmetric: bool) -> f64 {
    let machine = problem.machine();
    let (ranks, nodes) = (problem.num_ranks(), machine.num_nodes());
    let first = match symmetric {
        true => machine.topology().representative_nodes().len() as f64 / nodes as f64,
        false => 1.0,
    };
    // Beyond 170 ranks the number of their orders is infinite in floating point as well.
    if ranks > 170 || nodes > MOST_NODES {
        return first * (0..ranks).map(|rank| (problem.num_slots() - rank) as f64).product::<f64>();
    }
    // ways[r]: the number of ways to put r of the ranks on the nodes so far, divided by the orders
    // of these r.
    let per_node = (machine.slots_per_node() as usize).min(ranks);
    let mut ways = vec![0.0; ranks + 1];
    ways[0] = 1.0;
    for _ in 0..nodes {
        for placed in (1..=ranks).rev() {
            let mut orders = 1.0;
            for here in 1..=per_node.min(placed) {
                orders *= here as f64;
                ways[placed] += ways[placed - here] / orders;
            }
        }
    }
    first * ways[ranks] * (1..=ranks).map(|rank| rank as f64).product::<f64>()
}

/// A count of things, rounded.
pub fn many(count: f64, what: &str) -> String {
    match count {
        count if count < 1e6 => format!("{count:.0} {what}"),
        count if count.is_finite() => format!("{count:.1e} {what}"),
        _ => format!("more {what} than can be counted"),
    }
}

/// A time, rounded.
pub fn duration_in_words(seconds: f64) -> String {
    let units = [
        (60.0, 1.0, "second"),
        (3600.0, 60.0, "minute"),
        (86_400.0, 3600.0, "hour"),
        (31_557_600.0, 86_400.0, "day"),
        (31_557_600e6, 31_557_600.0, "year"),
    ];
    match units.iter().find(|(below, ..)| seconds < *below) {
        Some((_, length, name)) => format!("about {}", counted((seconds / length).ceil(), name)),
        None => "which takes longer than anyone can wait".to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Machine, Weight, parse_pattern};

    #[test]
    fn placements_are_counted_up_to_equal_slots() {
        let count = |ranks: u32, machine: &str, symmetric| {
            let traffic = parse_pattern(&format!("ring:{ranks}")).unwrap();
            let machine = Machine::parse(machine).unwrap();
            placements(&Problem::new(traffic, machine, Weight::Bytes).unwrap(), symmetric)
        };
        // 5 x 4 x 3; of a ring's nodes only one is tried for the first.
        assert_eq!(count(3, "torus:5", false), 60.0);
        assert_eq!(count(3, "torus:5", true), 12.0);
        // Four ranks on two nodes of two: which two are together.
        assert_eq!(count(4, "mesh:2,slots=2", false), 6.0);
        // At most two per node on three nodes: 27 minus the three placements with all on one.
        assert_eq!(count(3, "mesh:3,slots=2", false), 24.0);
    }

    #[test]
    fn times_are_in_words() {
        assert_eq!(duration_in_words(250_000.0), "about 3 days");
        assert_eq!(duration_in_words(f64::INFINITY), "which takes longer than anyone can wait");
    }
}
