//! A user-defined cost matrix: the mapping problem as a quadratic assignment problem.

use thiserror::Error;

use super::cost_tracker::CostTracker;
use super::definition::{NodeCosts, Objective};
use super::entry::ObjectiveEntry;
use super::pair_sum::{CostTable, PairCost, sum_over_flows, track_table};
use super::unsuitable_machine::UnsuitableMachine;
use crate::machine::Machine;
use crate::mapping::Mapping;
use crate::problem::Problem;
use crate::spec::{Spec, SpecError};
use crate::words::counted;

/// Matrices from files. Nothing here reads files: the code that does creates a [`CostMatrix`].
pub static ENTRY: ObjectiveEntry = ObjectiveEntry {
    name: CostMatrix::NAME,
    summary: "weight times the cost of each pair of nodes, from a file (quadratic assignment)",
    example: "cost-matrix:costs.csv",
    parameters: &[],
    build: |spec| {
        let file = CostMatrix::file(spec)?;
        Err(SpecError::new(format!("cost-matrix: the matrix must first be read from \"{file}\"")))
    },
};

/// The sum over all flows of weight times the cost from the sender's node to the receiver's, which
/// may differ from the cost of the way back. The diagonal counts for ranks that share a node and
/// for messages from a rank to itself.
///
/// ```
/// use topoloom_core::objective::CostMatrix;
/// use topoloom_core::{Machine, Mapping, Objective, Problem, Weight, parse_pattern};
/// let matrix = CostMatrix::new("costs.csv", vec![vec![0.0, 3.0], vec![5.0, 0.0]]).unwrap();
/// let machine = Machine::parse("mesh:2").unwrap();
/// let mapping = Mapping::new(vec![0, 1], &machine).unwrap();
/// let problem = Problem::new(parse_pattern("ring:2").unwrap(), machine, Weight::Bytes).unwrap();
/// // One byte each way.
/// assert_eq!(matrix.cost(&problem, &mapping), 8.0);
/// ```
#[derive(Debug, Clone)]
pub struct CostMatrix {
    file: String,
    table: CostTable,
}

/// Sums of costs times weights must stay finite.
const MOST_COST: f64 = 1e100;

/// What is wrong with the costs of a matrix.
#[derive(Debug, Clone, Copy, PartialEq, Error)]
pub enum InvalidCosts {
    /// There are more nodes than fit into memory.
    #[error("{nodes} nodes are too many; at most {} fit", CostMatrix::MOST_NODES)]
    TooManyNodes {
        /// How many there are.
        nodes: usize,
    },
    /// A row that is too short or too long.
    #[error("row {row} has {}, but there are {}", counted(*costs, "cost"), counted(*rows, "row"))]
    NotSquare {
        /// Which row, from 0.
        row: usize,
        /// How many costs it has.
        costs: usize,
        /// How many rows the matrix has.
        rows: usize,
    },
    /// A cost that is negative, too large or not a number.
    #[error("row {row}: expected costs from 0 to {MOST_COST:e}, found {cost:e}")]
    OutOfRange {
        /// Which row, from 0.
        row: usize,
        /// The cost.
        cost: f64,
    },
}

impl CostMatrix {
    /// The name in specifications.
    pub const NAME: &'static str = "cost-matrix";

    /// The maximum number of nodes: a matrix takes 8 bytes per pair.
    pub const MOST_NODES: usize = 8192;

    /// The costs of `rows[from][to]`, which were read from `file`.
    pub fn new(file: &str, rows: Vec<Vec<f64>>) -> Result<CostMatrix, InvalidCosts> {
        let nodes = rows.len();
        if nodes > Self::MOST_NODES {
            return Err(InvalidCosts::TooManyNodes { nodes });
        }
        for (number, row) in rows.iter().enumerate() {
            if row.len() != nodes {
                return Err(InvalidCosts::NotSquare { row: number, costs: row.len(), rows: nodes });
            }
            if let Some(&cost) = row.iter().find(|cost| !(0.0..=MOST_COST).contains(*cost)) {
                return Err(InvalidCosts::OutOfRange { row: number, cost });
            }
        }
        let table = CostTable::from_rows(nodes, rows.concat());
        Ok(CostMatrix { file: file.to_string(), table })
    }

    /// The file that a specification names.
    pub fn file(spec: &Spec) -> Result<&str, SpecError> {
        spec.shape.as_deref().ok_or_else(|| {
            SpecError::new("cost-matrix: expected a file such as cost-matrix:costs.csv, found none")
        })
    }

    /// The number of nodes.
    pub fn num_nodes(&self) -> usize {
        self.table.nodes()
    }

    /// What a unit of weight costs from one node to another.
    pub fn between(&self, from: u32, to: u32) -> f64 {
        let nodes = self.table.nodes();
        // A matrix that does not fit has been refused before; here entries beyond its end cost
        // nothing.
        if (from as usize) < nodes && (to as usize) < nodes {
            self.table.between(from, to)
        } else {
            0.0
        }
    }

    /// The costs of all nodes of a machine.
    fn fitted(&self, machine: &Machine) -> CostTable {
        if self.table.nodes() == machine.num_nodes() {
            return self.table.clone();
        }
        CostTable::new(machine.num_nodes(), |from, to| self.between(from, to))
    }
}

impl Objective for CostMatrix {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn applies_to(&self, machine: &Machine) -> Result<(), UnsuitableMachine> {
        let (size, nodes) = (self.table.nodes(), machine.num_nodes());
        if size == nodes {
            return Ok(());
        }
        let (file, spec) = (&self.file, machine.spec());
        let nodes = counted(nodes, "node");
        let text = format!("of {file} has {size} x {size} costs, but {spec} has {nodes}");
        Err(UnsuitableMachine::Other(text))
    }

    fn cost(&self, problem: &Problem, mapping: &Mapping) -> f64 {
        sum_over_flows(problem, mapping, |from, to| self.between(from.0, to.0))
    }

    fn track<'a>(&self, problem: &'a Problem, start: &Mapping) -> Box<dyn CostTracker + 'a> {
        track_table(problem, self.fitted(problem.machine()), start)
    }

    fn node_costs<'a>(&'a self, _machine: &'a Machine) -> Option<NodeCosts<'a>> {
        Some(Box::new(|from, to| self.between(from, to)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{TrafficBuilder, Weight};

    #[test]
    fn direction_diagonal_and_self_messages_all_count() {
        let rows = vec![vec![1.0, 10.0], vec![100.0, 1000.0]];
        let matrix = CostMatrix::new("costs.csv", rows).unwrap();
        let machine = Machine::parse("mesh:2,slots=2").unwrap();
        let mut builder = TrafficBuilder::new(3);
        builder.add(0, 1, 1.0, 2.0);
        builder.add(1, 0, 1.0, 3.0);
        builder.add(2, 2, 1.0, 4.0);
        builder.add(2, 1, 1.0, 5.0);
        let problem = Problem::new(builder.build(), machine, Weight::Bytes).unwrap();
        let cost = |slots: &[u32]| {
            let mapping = Mapping::new(slots.to_vec(), problem.machine()).unwrap();
            let cost = matrix.cost(&problem, &mapping);
            assert_eq!(matrix.track(&problem, &mapping).cost(), cost);
            cost
        };
        // Ranks 0 and 2 on node 0, 1 on node 1: 2 x 10 there, 3 x 100 back, 4 x 1 from rank 2 to
        // itself on node 0, and 5 x 10 to rank 1.
        assert_eq!(cost(&[0, 2, 1]), 20.0 + 300.0 + 4.0 + 50.0);
        // Ranks 0 and 1 share node 0: (2 + 3) x 1; rank 2 on node 1: 4 x 1000 and 5 x 100.
        assert_eq!(cost(&[0, 1, 3]), 5.0 + 4000.0 + 500.0);
    }

    #[test]
    fn a_matrix_of_another_size_is_refused_in_words() {
        let matrix = CostMatrix::new("costs.csv", vec![vec![0.0; 3]; 3]).unwrap();
        let refused = matrix.applies_to(&Machine::parse("mesh:2x2").unwrap()).unwrap_err();
        assert_eq!(refused.to_string(), "of costs.csv has 3 x 3 costs, but mesh:2x2 has 4 nodes");
        assert!(matrix.applies_to(&Machine::parse("mesh:3").unwrap()).is_ok());
        let wrong = |rows| CostMatrix::new("costs.csv", rows).unwrap_err().to_string();
        assert_eq!(
            wrong(vec![vec![0.0], vec![1.0, 2.0]]),
            "row 0 has 1 cost, but there are 2 rows"
        );
        assert_eq!(wrong(vec![vec![-1.0]]), "row 0: expected costs from 0 to 1e100, found -1e0");
        assert_eq!(wrong(vec![vec![1e308]]), "row 0: expected costs from 0 to 1e100, found 1e308");
    }
}
