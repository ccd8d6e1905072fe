//! Runs one strategy and times it.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::Context;
use topoloom::core::crew::{Packed, Reader, Used, fingerprint, mark};
use topoloom::core::objective::{CostMatrix, GroupBytes, HopBytes};
use topoloom::core::seats::keep_in_slot;
use topoloom::core::{
    Effort, Mapping, NotApplicable, Objective, Problem, Run, Score, Strategy, score_within,
};

use super::checkpoint::CheckpointFile;
use crate::arguments::SearchArguments;
use crate::crew;
use crate::files::read_objective;
use crate::interrupt::Interrupt;
use crate::progress::{Progress, limited_run};

/// The settings that every search of a command has in common.
pub struct Searches {
    pub objective: Option<Arc<dyn Objective>>,
    pub interrupt: Interrupt,
    arguments: SearchArguments,
    /// How much of the time limit a search may use.
    share_of_limit: f64,
    /// Where the state of a long search is kept.
    checkpoint: Option<Arc<CheckpointFile>>,
}

/// A placement and how it was found.
pub struct Found {
    pub mapping: Mapping,
    /// When the search began.
    pub started: Instant,
    pub seconds: f64,
    pub run: Run,
    /// What was optimised.
    pub objective: &'static str,
    /// The cost of the placement under it.
    pub cost: f64,
    /// The same without the part that only decides between equals.
    pub shown_cost: f64,
}

/// Shares out the work of a search, if there are several processes.
fn shared(run: Run, problem: &Problem, objective: &dyn Objective) -> Run {
    match crew::current() {
        Some(crew) => {
            let mark = fingerprint("search", problem, objective.name(), &run);
            run.with_crew(crew).with_mark(mark)
        }
        None => run,
    }
}

/// The result of a search on its way between processes.
struct Carried {
    result: Result<(Vec<u32>, f64, Used), NotApplicable>,
}

impl Carried {
    fn of(found: Result<Found, NotApplicable>) -> Carried {
        let carried =
            |found: Found| (found.mapping.slots().to_vec(), found.seconds, Used::by(&found.run));
        Carried { result: found.map(carried) }
    }
}

impl Packed for Carried {
    fn pack(&self, bytes: &mut Vec<u8>) {
        let reason = self.result.as_ref().err().map(|reason| reason.0.clone());
        reason.pack(bytes);
        if let Ok((slots, seconds, used)) = &self.result {
            slots.pack(bytes);
            seconds.pack(bytes);
            used.pack(bytes);
        }
    }

    fn unpack(from: &mut Reader<'_>) -> Option<Self> {
        let result = match Option::<String>::unpack(from)? {
            Some(reason) => Err(NotApplicable(reason)),
            None => Ok(<(Vec<u32>, f64, Used)>::unpack(from)?),
        };
        Some(Carried { result })
    }
}

impl Searches {
    pub fn new(arguments: SearchArguments) -> anyhow::Result<Searches> {
        arguments.check()?;
        let objective = arguments.objective.as_deref().map(read_objective).transpose()?;
        let interrupt = Interrupt::catch()?;
        Ok(Searches { objective, interrupt, arguments, share_of_limit: 1.0, checkpoint: None })
    }

    /// Uses the objective that suits the traffic if none was given: the costs that came with it, or
    /// the objective for training jobs.
    pub fn suit(self, problem: &Problem, costs: Option<&Arc<CostMatrix>>) -> Self {
        let is_training = problem.traffic().step().is_some();
        let mut searches = self.suit_costs(costs);
        if searches.objective.is_none() && is_training {
            searches.objective = Some(Arc::new(GroupBytes));
        }
        searches
    }

    /// Uses the costs that came with the traffic if no objective was given.
    pub fn suit_costs(mut self, costs: Option<&Arc<CostMatrix>>) -> Self {
        if self.objective.is_none() {
            self.objective = costs.map(|costs| costs.clone() as Arc<dyn Objective>);
        }
        self
    }

    /// The same if an equally long step follows each search: that step gets half of the time limit,
    /// and the time that the search leaves.
    pub fn leave_half_of_limit(mut self) -> Self {
        self.share_of_limit = 0.5;
        self
    }

    /// The same with a file that keeps the state of the search, and may have one already.
    pub fn with_checkpoint(mut self, path: &Path) -> anyhow::Result<Self> {
        self.checkpoint = Some(Arc::new(CheckpointFile::open(path, self.interrupt)?));
        Ok(self)
    }

    /// Whether a file was given for a state that no search had.
    pub fn has_useless_checkpoint(&self) -> bool {
        self.checkpoint.as_ref().is_some_and(|checkpoint| !checkpoint.was_asked_for())
    }

    /// A quick search for another objective, in what is left of the time limit since `started`.
    pub fn quick(&self, objective: Arc<dyn Objective>, started: Instant) -> Searches {
        let mut arguments = self.arguments.clone();
        arguments.work.effort = Effort::Fast;
        let limit = &mut arguments.work.time_limit;
        *limit = limit.map(|limit| limit.saturating_sub(started.elapsed()));
        let Searches { interrupt, share_of_limit, .. } = *self;
        let objective = Some(objective);
        Searches { objective, interrupt, arguments, share_of_limit, checkpoint: None }
    }

    /// The rest of the time limit for work that began at `started`; Ctrl-C ends it too.
    pub fn rest_of_limit(&self, started: Instant) -> Run {
        let run = Run::new(self.seed()).with_cancel(self.interrupt.flag());
        match self.arguments.work.time_limit {
            Some(limit) => run.with_time_limit(limit.saturating_sub(started.elapsed())),
            None => run,
        }
    }

    /// The cheapest placement that can be made of these with a rank in a certain slot.
    pub fn with_rank_kept(
        &self,
        problem: &Problem,
        objective: &dyn Objective,
        starts: &[&Mapping],
        kept: (u32, u32),
    ) -> anyhow::Result<Mapping> {
        let mut best: Option<(f64, Mapping)> = None;
        for start in starts {
            let mut run = self.rest_of_limit(Instant::now());
            let mapping = keep_in_slot(problem, objective, start, kept, &mut run)?;
            let cost = objective.cost(problem, &mapping);
            if best.as_ref().is_none_or(|(least, _)| cost < *least) {
                best = Some((cost, mapping));
            }
        }
        Ok(best.context("there is a placement to start from")?.1)
    }

    /// For scores: what is left of the time limit, and as much work for lower bounds as the effort
    /// allows.
    pub fn rest_for_bounds(&self, started: Instant) -> Run {
        self.rest_of_limit(started).with_effort(self.arguments.work.effort)
    }

    /// Scores a placement. The lower bound gets the rest of the time limit.
    pub fn score(&self, problem: &Problem, mapping: &Mapping, started: Instant) -> Score {
        let mut run = self.rest_for_bounds(started);
        let progress = Progress::new("judging the placement");
        let score = self.interrupt.during_scoring(|| score_within(problem, mapping, &mut run));
        progress.finish();
        score
    }

    fn search_limit(&self) -> Option<Duration> {
        self.arguments.work.time_limit.map(|limit| limit.mul_f64(self.share_of_limit))
    }

    /// The seed of every random choice.
    pub fn seed(&self) -> u64 {
        self.arguments.work.seed
    }

    /// Runs several searches, each on its own, in all processes of the job; nothing if there is only
    /// this process, which does better one after the other. Missing are those that were not begun
    /// when the work was interrupted.
    pub fn run_shared(
        &self,
        problem: &Problem,
        searches: &[(&dyn Strategy, u64)],
    ) -> Option<Vec<Option<Result<Found, NotApplicable>>>> {
        crew::current().filter(|_| searches.len() > 1)?;
        let all = Run::new(self.seed()).with_cancel(self.interrupt.flag());
        let objective = self.objective.as_deref().unwrap_or(&HopBytes);
        let all = shared(all, problem, objective);
        let mark = mark("searches", searches.iter().map(|&(_, seed)| seed));
        let progress = Progress::new("searches");
        let one = |number: usize| -> Carried {
            let (strategy, seed) = searches[number];
            let run = limited_run(seed, self.search_limit(), &self.interrupt, &progress);
            Carried::of(self.search(strategy, problem, run.unreported()))
        };
        let results = self.interrupt.during(|| all.share(mark, searches.len(), one));
        progress.finish();
        let found = results.into_iter().zip(searches).map(|(carried, &(strategy, seed))| {
            Some(carried?.result.and_then(|(slots, seconds, used)| {
                let mapping = problem.mapping(slots);
                let mapping = mapping.map_err(|reason| NotApplicable(reason.to_string()))?;
                let mut run = Run::new(seed).with_effort(self.arguments.work.effort);
                used.absorb(&mut run);
                // What follows gets the rest of the time limit.
                let now = Instant::now();
                let started = now.checked_sub(Duration::from_secs_f64(seconds)).unwrap_or(now);
                let times = (started, seconds);
                Ok(self.found(strategy, problem, mapping, times, run))
            }))
        });
        Some(found.collect())
    }

    /// Runs `strategy`; the terminal shows it as `task`.
    pub fn run_strategy(
        &self,
        task: &str,
        strategy: &dyn Strategy,
        problem: &Problem,
    ) -> Result<Found, NotApplicable> {
        self.run_with_seed(task, strategy, problem, self.arguments.work.seed)
    }

    /// The same with its own seed.
    pub fn run_with_seed(
        &self,
        task: &str,
        strategy: &dyn Strategy,
        problem: &Problem,
        seed: u64,
    ) -> Result<Found, NotApplicable> {
        let progress = Progress::new(task);
        let run = limited_run(seed, self.search_limit(), &self.interrupt, &progress);
        let objective = self.objective.as_deref().unwrap_or(strategy.usual_objective());
        let run = shared(run, problem, objective);
        let run = match &self.checkpoint {
            Some(checkpoint) => run.with_checkpoint(checkpoint.clone()),
            None => run,
        };
        progress.minimises(objective.name());
        let found = self.interrupt.during(|| self.search(strategy, problem, run));
        progress.finish();
        found
    }

    fn search(
        &self,
        strategy: &dyn Strategy,
        problem: &Problem,
        run: Run,
    ) -> Result<Found, NotApplicable> {
        let mut run = run
            .with_effort(self.arguments.work.effort)
            .with_generations(self.arguments.generations);
        if let Some(islands) = self.arguments.islands {
            run = run.with_islands(islands);
        }
        let start = Instant::now();
        let given = self.objective.as_deref();
        let mapping = strategy.map(problem, given, &mut run)?;
        let seconds = start.elapsed().as_secs_f64();
        Ok(self.found(strategy, problem, mapping, (start, seconds), run))
    }

    fn found(
        &self,
        strategy: &dyn Strategy,
        problem: &Problem,
        mapping: Mapping,
        (started, seconds): (Instant, f64),
        run: Run,
    ) -> Found {
        let objective = self.objective.as_deref().unwrap_or(strategy.usual_objective());
        let cost = objective.cost(problem, &mapping);
        let shown_cost = objective.shown(problem, &mapping, cost);
        Found { mapping, started, seconds, run, objective: objective.name(), cost, shown_cost }
    }
}
