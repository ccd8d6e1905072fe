//! Simulated times and energies, for people.

use super::computed::{Computed, MACHINES};
use super::simulated::Simulated;
use crate::output::numbers::{duration, energy as in_joules, grouped, plural};
use crate::output::table::{numbers_table, wrapped};

const SIMULATED: &str = "
Simulated time and energy, which the thesis leaves to its simulator. Messages share links fairly
(the flow model), and computing takes no time. Links of the HAEC box have 31.25 GB/s, 10 ns, 40 pJ
per byte and 0.6 W all the time in layers, and 12.5 GB/s, 100 ns and 160 pJ per byte between layers.
Mesh and torus have only links of the first kind. Hops are as above; ms and mJ are for the part
that is replayed; mJ are the energy of what is sent + the energy of links that are always on.
";

/// A sentence for the case that the fewest hops do not mean the least time or energy: which
/// placement has which value.
fn in_words(computed: &Computed) -> Option<String> {
    let row = |name: &str| {
        let found = computed.rows.iter().find(|row| row.name == name)?;
        Some((found.hops, found.simulated?))
    };
    let (auto, sweep, energy) = (row("auto")?, row("sweep")?, row("auto by energy")?);
    let is_better = |(_, other): &(f64, Simulated)| {
        other.seconds < auto.1.seconds || other.transfer_joules < auto.1.transfer_joules
    };
    if ![sweep, energy].iter().any(is_better) {
        return None;
    }
    let said = |(hops, found): (f64, Simulated)| {
        let hops = grouped(hops.round());
        format!("{hops} hops, {} and {}", duration(found.seconds), in_joules(found.transfer_joules))
    };
    Some(format!(
        "On {} auto (by hop-bytes) has {}; sweep has {}; auto by energy has {}. The placement with \
        the fewest hop-bytes need not be the fastest, nor need it take the least energy: links \
        between layers are slower and cost more than links in layers, and hops do not tell them \
        apart.\n",
        computed.table.machine,
        said(auto),
        said(sweep),
        said(energy)
    ))
}

/// About three significant digits.
fn three_digits(value: f64) -> String {
    let decimals = match value {
        value if value >= 100.0 => 0,
        value if value >= 10.0 => 1,
        _ => 2,
    };
    format!("{value:.decimals$}")
}

pub fn show_simulated(all: &[Computed]) -> String {
    let mut text = SIMULATED.to_string();
    for machines in all.chunks(MACHINES.len()) {
        let benchmark = machines[0].table.benchmark;
        let iterations = match &machines[0].simulation {
            Ok((iterations, _)) => iterations,
            Err(reason) => {
                text.push_str(&format!("\n{benchmark}: not simulated: {reason}\n"));
                continue;
            }
        };
        let steps = plural(*iterations as usize, "iteration");
        text.push_str(&format!("\n{benchmark}: {steps} and the warm-up\n\n"));
        let rows: Vec<Vec<String>> = (0..machines[0].rows.len())
            .map(|row| {
                let mut cells = vec![machines[0].rows[row].name.clone()];
                for computed in machines {
                    let row = &computed.rows[row];
                    let (time, energy) = match row.simulated {
                        None => ("-".to_string(), "-".to_string()),
                        Some(found) => {
                            let millijoules = |joules: f64| three_digits(joules * 1e3);
                            let (sent, idle) = (found.transfer_joules, found.idle_joules);
                            let energy = format!("{}+{}", millijoules(sent), millijoules(idle));
                            (three_digits(found.seconds * 1e3), energy)
                        }
                    };
                    cells.extend([grouped(row.hops.round()), time, energy]);
                }
                cells
            })
            .collect();
        let header = ["hops on", "mesh", "ms", "mJ", "torus", "ms", "mJ", "haec", "ms", "mJ"];
        text.push_str(&numbers_table(&header, &rows));
        if let Some(words) = machines.last().and_then(in_words) {
            text.push_str(&format!("\n{}", wrapped(&words, "")));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use topoloom::core::{Machine, Mapping, Summary};

    use super::super::computed::{HOPS, Ours};
    use super::super::record::record;
    use super::super::simulated::TooManyMessages;
    use super::super::tables::TABLES;
    use super::*;

    fn row(name: &str, hops: f64, simulated: Option<Simulated>) -> Ours {
        let machine = Machine::parse("haec:2x2x2").unwrap();
        Ours {
            name: name.to_string(),
            strategy: "auto",
            objective: Some(HOPS),
            links: Summary::default(),
            hops,
            neighbours: 3,
            seconds: None,
            complete: true,
            mapping: Mapping::new((0..8).collect(), &machine).unwrap(),
            simulated,
        }
    }

    fn computed(simulation: Result<(u32, String), TooManyMessages>) -> Computed {
        let found = |seconds, transfer_joules| {
            Some(Simulated { seconds, transfer_joules, idle_joules: 0.129 })
        };
        let rows = vec![
            row("sweep", 152.0, found(0.8e-3, 0.035)),
            row("auto", 112.0, found(1.2e-3, 0.050)),
            row("auto by energy", 150.0, None),
            row("auto by energy", 150.0, found(0.7e-3, 0.029)),
        ];
        Computed { table: &TABLES[2], pairs: Summary::default(), rows, simulation }
    }

    #[test]
    fn times_and_energies_stand_beside_hops() {
        let three = || {
            let some = || computed(Ok((2, "haec:4x4x4".to_string())));
            vec![some(), some(), some()]
        };
        let text = show_simulated(&three());
        assert!(text.contains("LU.C.64: 2 iterations and the warm-up"), "{text}");
        let words = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
        let has = |wanted: &str| text.lines().any(|line| words(line) == wanted);
        assert!(has("sweep 152 0.80 35.0+129 152 0.80 35.0+129 152 0.80 35.0+129"), "{text}");
        // A run that was cut short has no numbers, not zeros.
        assert!(has("auto by energy 150 - - 150 - - 150 - -"), "{text}");
        assert!(text.lines().all(|line| line.chars().count() <= 100), "{text}");
    }

    #[test]
    fn what_is_not_simulated_says_why() {
        const WHY: &str =
            "one iteration and the warm-up are 5 messages, and the budget of a simulation is 3";
        let none = || computed(Err(TooManyMessages { messages: 5, budget: 3 }));
        let text = show_simulated(&[none(), none(), none()]);
        assert!(text.contains(&format!("LU.C.64: not simulated: {WHY}")), "{text}");
        let record = record(&none(), None, &row("auto", 112.0, None));
        assert_eq!(record["simulated"], serde_json::Value::Null);
        assert_eq!(record["not_simulated"], WHY);
        assert_eq!(record["objective"], HOPS);
    }

    #[test]
    fn the_best_in_hops_is_named_beside_the_best_in_energy() {
        let mut all = computed(Ok((2, "haec:4x4x4".to_string())));
        assert_eq!(in_words(&all), None, "a row that was cut short says nothing");
        all.rows.remove(2);
        let words = in_words(&all).unwrap();
        assert!(words.contains("auto (by hop-bytes) has 112 hops, 1.2 ms and 50.0 mJ"), "{words}");
        assert!(words.contains("auto by energy has 150 hops, 700 µs and 29.0 mJ"), "{words}");
        // If auto is the best in everything, there is nothing to say.
        let (seconds, transfer_joules, idle_joules) = (0.1e-3, 0.001, 0.2);
        all.rows[1].simulated = Some(Simulated { seconds, transfer_joules, idle_joules });
        assert_eq!(in_words(&all), None);
    }
}
