//! Localised moves of single vertices: the search of Fiduccia and Mattheyses, started at one place
//! of the boundary at a time, with the real distances between blocks as the cost.
//!
//! A lower cost is better. A gain is the decrease of the cost, so a move with a positive gain is
//! good.

mod candidate;
mod descent;
mod division;
mod from_scratch;
mod gains;
mod relief;
mod search;
mod trend;

pub use division::Division;
pub use from_scratch::{judge, overload_of};

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::clock::Clock;
    use crate::multilevel::blocks::{Table, Uniform};
    use crate::multilevel::graph::examples::grid;
    use crate::multilevel::work::Patience;
    use crate::random;
    use crate::run::Run;

    const PATIENCE: Patience = Patience { moves: 10, rounds: 3 };

    fn random_blocks(n: u32, blocks: u32, seed: u64) -> Vec<u32> {
        let mut rng = random::stream(seed, &[]);
        let mut block_of: Vec<u32> = (0..n).map(|vertex| vertex % blocks).collect();
        random::shuffle(&mut rng, &mut block_of);
        block_of
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]

        #[test]
        fn gains_are_those_of_the_definition(seed in 0u64..500, blocks in 2u32..20) {
            let graph = grid(8, 10);
            let line = Table::new(blocks as usize, |a, b| a.abs_diff(b) as f32);
            let capacity = vec![f64::from(80 / blocks + 3); blocks as usize];
            let start = random_blocks(80, blocks, seed);
            let mut rng = random::stream(seed, &[1]);

            let mut cut = Division::new(&graph, &Uniform, &capacity, &[], start.clone());
            let before = cut.cost();
            let run = Run::new(seed);
            let clock = Clock::new(&run);
            let gain = cut.improve(PATIENCE, &clock, &mut rng);
            prop_assert_eq!(before - gain, cut.cost());
            prop_assert_eq!(cut.overload(), 0.0);

            let mut along = Division::new(&graph, &line, &capacity, &[], start);
            let before = along.cost();
            let gain = along.improve(PATIENCE, &clock, &mut rng);
            prop_assert_eq!(before - gain, along.cost());
            along.descend(&clock, &mut rng);
            prop_assert!(along.cost() <= before - gain);
            prop_assert_eq!(along.overload(), 0.0);
        }
    }

    #[test]
    fn overloaded_blocks_are_relieved() {
        let graph = grid(6, 6);
        let mut division = Division::new(&graph, &Uniform, &[12.0; 3], &[], vec![0; 36]);
        assert_eq!(division.overload(), 24.0);
        division.relieve(&Clock::new(&Run::new(1)));
        assert_eq!(division.overload(), 0.0);
    }
}
