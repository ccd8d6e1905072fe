//! Mixed integer linear programs, and the solver that solves them: HiGHS if it is built in, microlp
//! otherwise.

#[cfg(feature = "highs")]
mod highs;
#[cfg(not(feature = "highs"))]
mod microlp;
mod program;

pub use program::{Answer, Program, Sense};

#[cfg(feature = "highs")]
use self::highs::minimise;
#[cfg(not(feature = "highs"))]
use self::microlp::minimise;
use crate::run::Run;

impl Program {
    /// Minimises, from a start if there is one, with at most this many search tree nodes. `None` if
    /// no solution was found in time.
    pub fn minimise(
        &self,
        start: Option<&[(usize, f64)]>,
        most_nodes: u64,
        run: &Run,
    ) -> Option<Answer> {
        minimise(self, start, most_nodes, run)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn objective(program: &Program, answer: &Answer) -> f64 {
        program.columns.iter().zip(&answer.values).map(|(column, value)| column.cost * value).sum()
    }

    /// Worth 8, 11, 6 and 4, weighing 5, 7, 4 and 3, of which 14 can be carried.
    fn knapsack() -> Program {
        let mut program = Program::default();
        let terms = [(8.0, 5.0), (11.0, 7.0), (6.0, 4.0), (4.0, 3.0)]
            .map(|(worth, weight)| (program.add_column(-worth, 0.0, 1.0, true), weight));
        program.add_row(terms.to_vec(), Sense::AtMost, 14.0);
        program
    }

    #[test]
    fn a_linear_program_is_solved_at_its_corner() {
        // Least x + 2 y with x + y = 3 and x <= 2: as much x as allowed, 2 + 2 x 1.
        let mut program = Program::default();
        let x = program.add_column(1.0, 0.0, f64::INFINITY, false);
        let y = program.add_column(2.0, 0.0, f64::INFINITY, false);
        program.add_row(vec![(x, 1.0), (y, 1.0)], Sense::Equal, 3.0);
        program.add_row(vec![(x, 1.0)], Sense::AtMost, 2.0);
        let answer = program.minimise(None, u64::MAX, &Run::new(1)).unwrap();
        assert!(answer.proven && program.allows(&answer.values, 1e-6));
        assert!((answer.values[x] - 2.0).abs() < 1e-6 && (answer.values[y] - 1.0).abs() < 1e-6);
        assert!((answer.bound - 4.0).abs() < 1e-6);
    }

    #[test]
    fn whole_things_are_packed_best_from_any_start() {
        // The last three weigh 14 and are worth 21. By worth per weight it would be the first two,
        // 12 and 19, and half of the third.
        let program = knapsack();
        let (best, poor, too_heavy) = ([0.0, 1.0, 1.0, 1.0], [0.0, 0.0, 0.0, 1.0], [1.0; 4]);
        let start = |values: [f64; 4]| (0..).zip(values).collect::<Vec<(usize, f64)>>();
        for start in [None, Some(start(best)), Some(start(poor)), Some(start(too_heavy))] {
            let answer = program.minimise(start.as_deref(), u64::MAX, &Run::new(1)).unwrap();
            assert!(answer.proven && program.allows(&answer.values, 1e-6), "from {start:?}");
            assert!((objective(&program, &answer) + 21.0).abs() < 1e-6, "from {start:?}");
            assert!((answer.bound + 21.0).abs() < 1e-6, "from {start:?}");
        }
    }

    #[test]
    fn a_start_of_the_integers_alone_is_enough() {
        // Up to 1.5 is carried if it was chosen; the start says nothing about the amount carried.
        let mut program = Program::default();
        let chosen = program.add_column(1.0, 0.0, 1.0, true);
        let carried = program.add_column(-3.0, 0.0, f64::INFINITY, false);
        program.add_row(vec![(carried, 1.0), (chosen, -1.5)], Sense::AtMost, 0.0);
        for value in [0.0, 1.0] {
            let start = [(chosen, value)];
            let answer = program.minimise(Some(&start), u64::MAX, &Run::new(1)).unwrap();
            // Chosen: 1 - 3 x 1.5.
            assert!((objective(&program, &answer) + 3.5).abs() < 1e-6);
        }
    }

    #[test]
    fn no_program_that_contradicts_itself_has_an_answer() {
        for integer in [false, true] {
            let mut program = Program::default();
            let x = program.add_column(1.0, 0.0, 1.0, integer);
            let y = program.add_column(1.0, 0.0, 1.0, integer);
            program.add_row(vec![(x, 1.0), (y, 1.0)], Sense::Equal, 3.0);
            assert!(program.minimise(None, u64::MAX, &Run::new(1)).is_none());
        }
    }
}
