//! Simulated time and energy of the placements of the HAEC thesis, which the thesis leaves to its
//! simulator.

use std::fmt;

use topoloom::core::crew::mark;
use topoloom::core::{
    CollectiveMode, Machine, Mapping, Problem, Run, Trace, Weight, parse_objective, parse_strategy,
    parse_trace,
};
use topoloom::sim::{KindOfLink, Model, Outcome, Report};

use super::tables::PublishedTable;
use crate::crew;
use crate::interrupt::Interrupt;
use crate::output::numbers::grouped;
use crate::progress::{Progress, limited_run};
use crate::simulation::simulated;

/// How messages travel: links are shared fairly between them.
pub const MODEL: &str = "flow";

/// The limit on messages of one simulation: with more, the whole command would take minutes.
const MOST_MESSAGES: u64 = 2_000_000;

/// The simulated steps besides the warm-up; the largest number within the budget is used.
const ITERATIONS: [u32; 2] = [2, 1];

/// The optical links of the box, for the machines that have one kind of link.
const OPTICAL: &str = "bandwidth=31.25e9,latency=10e-9,energy=40e-12,idle-power=0.6";

/// Placements that are simulated besides those of the thesis, by objectives that count bytes.
pub const AUTO: [(&str, &str); 3] = [
    ("auto", "hop-bytes"),
    ("auto by energy", "energy"),
    ("auto by max-link-load", "max-link-load"),
];

/// The simulation result of a placement.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Simulated {
    pub seconds: f64,
    /// The energy of the messages on links.
    pub transfer_joules: f64,
    /// The energy of links that are always on: the same amount each second, whatever they carry.
    pub idle_joules: f64,
}

/// A result on its way between processes.
type Numbers = (f64, f64, f64);

impl Simulated {
    fn numbers(&self) -> Numbers {
        (self.seconds, self.transfer_joules, self.idle_joules)
    }

    fn of_numbers((seconds, transfer_joules, idle_joules): Numbers) -> Simulated {
        Simulated { seconds, transfer_joules, idle_joules }
    }

    fn of(report: &Report) -> Simulated {
        let sum = |value: fn(&KindOfLink) -> f64| report.kinds.iter().map(value).sum();
        Simulated {
            seconds: report.seconds,
            transfer_joules: sum(|kind| kind.transfer_joules),
            idle_joules: sum(|kind| kind.idle_joules),
        }
    }

    /// All energy of the links.
    pub fn joules(&self) -> f64 {
        self.transfer_joules + self.idle_joules
    }
}

/// The events of a benchmark, and the machine on which they are replayed.
pub struct Replay {
    pub iterations: u32,
    /// With the speeds and energies of its links.
    pub machine: String,
    trace: Trace,
    built: Machine,
}

/// Why nothing is simulated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TooManyMessages {
    pub messages: u64,
    pub budget: u64,
}

impl fmt::Display for TooManyMessages {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "one iteration and the warm-up are {} messages, and the budget of a simulation is {}",
            grouped(self.messages as f64),
            grouped(self.budget as f64)
        )
    }
}

/// The machine of a table with the links of the HAEC box.
fn machine_with_links(machine: &str) -> String {
    match machine.starts_with("haec") {
        true => machine.to_string(),
        false => format!("{machine},{OPTICAL}"),
    }
}

impl Replay {
    /// The part of a table that can be simulated, or why there is none.
    pub fn of(table: &PublishedTable) -> anyhow::Result<Result<Replay, TooManyMessages>> {
        Replay::within(table.traffic, table.machine, MOST_MESSAGES)
    }

    fn within(
        traffic: &str,
        machine: &str,
        most_messages: u64,
    ) -> anyhow::Result<Result<Replay, TooManyMessages>> {
        let mut least = 0;
        for iterations in ITERATIONS {
            let text = format!("{traffic},iterations={iterations}");
            let trace = parse_trace(&text)?.expect("the benchmarks have an order of events");
            least = trace.num_messages();
            if least > most_messages {
                continue;
            }
            let trace = trace.expanded(CollectiveMode::default())?;
            let machine = machine_with_links(machine);
            let built = Machine::parse(&machine)?;
            return Ok(Ok(Replay { iterations, machine, trace, built }));
        }
        Ok(Err(TooManyMessages { messages: least, budget: most_messages }))
    }

    /// The placements of `auto` with each objective of [`AUTO`].
    pub fn by_auto(&self, seed: u64, interrupt: &Interrupt) -> anyhow::Result<Vec<Mapping>> {
        let machine = self.built.clone();
        let problem = Problem::new(self.trace.traffic(), machine, Weight::Bytes)?;
        let find = |(name, objective): &(&str, &str)| -> anyhow::Result<Mapping> {
            let progress = Progress::new(&format!("{} on {}", name, self.machine));
            let mut run = limited_run(seed, None, interrupt, &progress);
            let objective = parse_objective(objective)?;
            let strategy = parse_strategy("auto")?;
            let mapping =
                interrupt.during(|| strategy.map(&problem, Some(objective.as_ref()), &mut run))?;
            progress.finish();
            Ok(mapping)
        };
        AUTO.iter().map(find).collect()
    }

    /// Time and energy of each placement; `None` for those that Ctrl-C cut short.
    pub fn simulate(
        &self,
        mappings: &[&Mapping],
        interrupt: &Interrupt,
    ) -> anyhow::Result<Vec<Option<Simulated>>> {
        let model = Model::parse(MODEL)?;
        let run = crew::shared(Run::new(1).with_cancel(interrupt.flag()));
        let one = |number: usize| -> Result<Option<Numbers>, String> {
            let outcome = simulated(&self.trace, &self.built, mappings[number], &model, &run);
            Ok(match outcome.map_err(|reason| reason.to_string())? {
                Outcome::Finished(report) => Some(Simulated::of(&report).numbers()),
                Outcome::Stopped(_) => None,
            })
        };
        let count = mappings.len();
        let found = interrupt.during(|| run.share(mark("simulations", [count as u64]), count, one));
        let finished = |result: Option<Result<Option<Numbers>, String>>| {
            let numbers = result.transpose().map_err(|reason| anyhow::anyhow!("{reason}"))?;
            Ok(numbers.flatten().map(Simulated::of_numbers))
        };
        found.into_iter().map(finished).collect()
    }
}

#[cfg(test)]
mod tests {
    use topoloom::sim::simulate;

    use super::*;

    #[test]
    fn what_is_too_large_says_how_many_messages_it_has() {
        let small = Replay::within("lu:class=S,ranks=8", "haec:2x2x2", 1_000_000).unwrap();
        assert_eq!(small.map(|replay| replay.iterations), Ok(2));
        let reason = Replay::within("lu:class=S,ranks=8", "haec:2x2x2", 3)
            .unwrap()
            .err()
            .unwrap()
            .to_string();
        assert!(reason.contains("the budget of a simulation is 3"), "{reason}");
    }

    #[test]
    fn machines_of_one_kind_of_link_have_the_optical_links_of_the_box() {
        let properties = |spec: &str| {
            let machine = Machine::parse(&machine_with_links(spec)).unwrap();
            let topology = machine.topology();
            let numbers = 0..u64::from(u16::MAX);
            let links = numbers.filter_map(|number| topology.link(topoloom::core::LinkId(number)));
            links.map(|link| link.properties).next().unwrap()
        };
        // The first links of the box lie in its layers.
        assert_eq!(properties("torus:4x4x4"), properties("haec:4x4x4"));
    }

    #[test]
    fn time_and_energy_are_those_of_the_simulator() {
        let replay =
            Replay::within("lu:class=S,ranks=8", "haec:2x2x2", 1_000_000).unwrap().unwrap();
        let machine = &replay.built;
        let in_order = Mapping::new((0..8).collect(), machine).unwrap();
        let reversed = Mapping::new((0..8).rev().collect(), machine).unwrap();
        let interrupt = Interrupt::catch().unwrap();
        let found = replay.simulate(&[&in_order, &reversed], &interrupt).unwrap();
        for (mapping, found) in [in_order, reversed].iter().zip(found) {
            let model = Model::parse("flow").unwrap();
            let report = simulate(&replay.trace, machine, mapping, &model).unwrap();
            let found = found.unwrap();
            assert_eq!(found.seconds, report.seconds);
            assert!((found.joules() / report.joules() - 1.0).abs() < 1e-12);
            assert!(found.transfer_joules > 0.0 && found.idle_joules > found.transfer_joules);
        }
        assert_eq!(replay.by_auto(1, &interrupt).unwrap().len(), AUTO.len());
    }
}
