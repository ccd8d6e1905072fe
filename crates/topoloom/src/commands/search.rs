//! Runs one strategy and times it.

use std::sync::Arc;
use std::time::Instant;

use topoloom::core::{Mapping, NotApplicable, Objective, Problem, Run, Strategy};

use crate::cli::SearchArguments;
use crate::files::read_objective;
use crate::interrupt::Interrupt;
use crate::progress::{Progress, limited_run};

/// What every search of a command shares.
pub struct Searches {
    pub objective: Option<Arc<dyn Objective>>,
    pub interrupt: Interrupt,
    arguments: SearchArguments,
}

/// A placement and how it was found.
pub struct Found {
    pub mapping: Mapping,
    pub seconds: f64,
    pub run: Run,
    /// What was optimised.
    pub objective: &'static str,
    /// What the placement costs under it.
    pub cost: f64,
}

impl Searches {
    pub fn new(arguments: SearchArguments) -> anyhow::Result<Searches> {
        let objective = arguments.objective.as_deref().map(read_objective).transpose()?;
        Ok(Searches { objective, interrupt: Interrupt::catch()?, arguments })
    }

    /// The seed of every random choice.
    pub fn seed(&self) -> u64 {
        self.arguments.work.seed
    }

    /// Runs `strategy`, which is called `name`.
    pub fn run_strategy(
        &self,
        name: &str,
        strategy: &dyn Strategy,
        problem: &Problem,
    ) -> Result<Found, NotApplicable> {
        self.run_with_seed(name, strategy, problem, self.arguments.work.seed)
    }

    /// The same with a seed of its own.
    pub fn run_with_seed(
        &self,
        name: &str,
        strategy: &dyn Strategy,
        problem: &Problem,
        seed: u64,
    ) -> Result<Found, NotApplicable> {
        let progress = Progress::new(name);
        let mut run = limited_run(seed, self.arguments.work.time_limit, &self.interrupt, &progress)
            .with_effort(self.arguments.work.effort);
        let given = self.objective.as_deref();
        let objective = given.unwrap_or(strategy.usual_objective());
        let start = Instant::now();
        let result = self.interrupt.during(|| strategy.map(problem, given, &mut run));
        let seconds = start.elapsed().as_secs_f64();
        progress.finish();
        result.map(|mapping| {
            let cost = objective.cost(problem, &mapping);
            Found { mapping, seconds, run, objective: objective.name(), cost }
        })
    }
}
