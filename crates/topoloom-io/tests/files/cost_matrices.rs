//! Cost matrices: valid ones, and the errors of the others.

use topoloom_core::{Machine, Mapping, Objective, Problem, TrafficBuilder, Weight};
use topoloom_io::{parse_cost_matrix, read_objective};

/// What one byte from node `from` to node `to` of three costs.
fn cost(matrix: &str, from: u32, to: u32) -> f64 {
    let matrix = parse_cost_matrix("costs", matrix.as_bytes()).unwrap();
    let machine = Machine::parse("mesh:3").unwrap();
    assert_eq!(matrix.applies_to(&machine), Ok(()));
    let mut builder = TrafficBuilder::new(2);
    builder.add(0, 1, 1.0, 1.0);
    let mapping = Mapping::new(vec![from, to], &machine).unwrap();
    let problem = Problem::new(builder.build(), machine, Weight::Bytes).unwrap();
    matrix.cost(&problem, &mapping)
}

#[test]
fn rows_may_be_separated_by_anything_and_matrix_market_leaves_zeros_out() {
    let matrices = [
        "0,1,2.5\n3,0,5\n6,7,0\n",
        "# costs\n0\t1\t2.5\n3\t0\t5\n6\t7\t0",
        "0;1;2.5\r\n3;0;5\r\n\r\n6;7;0\r\n",
        "  0 1   2.5 # first\n3 0 5\n6 7 0",
        "%%MatrixMarket matrix coordinate real general\n3 3 6\n1 2 1\n1 3 2.5\n2 1 3\n2 3 5\n3 1 6\n3 2 7\n",
        "%%MatrixMarket matrix array real general\n3 3\n0\n3\n6\n1\n0\n7\n2.5\n5\n0\n",
    ];
    for matrix in matrices {
        assert_eq!(cost(matrix, 0, 2), 2.5, "{matrix}");
        assert_eq!(cost(matrix, 2, 0), 6.0, "{matrix}");
        assert_eq!(cost(matrix, 1, 0), 3.0, "{matrix}");
    }
}

#[test]
fn what_is_wrong_is_said_with_its_line() {
    for (matrix, expected) in [
        ("", "c.csv: expected a square matrix of costs, found none"),
        ("# nothing\n", "c.csv: expected a square matrix of costs, found none"),
        ("0,1\n1,0,5\n", "c.csv:2: expected 2 columns, found 3"),
        ("0,1\n\n1,-2\n", "c.csv:3: expected a number that is not negative, found \"-2\""),
        ("0,x\n1,0\n", "c.csv:1: expected a number, found \"x\""),
        ("0,1\n1,0\n1,0\n", "c.csv:3: expected 2 rows of 2 columns, found more"),
        ("0,1,2\n1,0,2\n", "c.csv:2: expected 3 rows of 3 columns, found 2"),
        ("0,inf\n1,0\n", "c.csv:1: expected a finite number, found \"inf\""),
    ] {
        let found = parse_cost_matrix("c.csv", matrix.as_bytes()).unwrap_err();
        assert_eq!(found.to_string(), expected);
    }
}

#[test]
fn objectives_without_files_are_read_as_ever() {
    assert_eq!(read_objective("distance").unwrap().name(), "distance");
    let error = |text: &str| read_objective(text).unwrap_err().to_string();
    assert!(error("hop-bites").starts_with("unknown objective \"hop-bites\"; known: "));
    assert_eq!(
        error("cost-matrix"),
        "cost-matrix: expected a file such as cost-matrix:costs.csv, found none"
    );
    assert_eq!(error("cost-matrix:a.csv,b=1"), "cost-matrix: unknown option \"b\"; known: none");
}
