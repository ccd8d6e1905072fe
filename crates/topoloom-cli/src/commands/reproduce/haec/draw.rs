//! The figures that belong to the tables.

use super::super::figures::{self, Figures};
use super::computed::{Computed, MACHINES};
use super::simulated::{MODEL, Simulated};
use crate::output::numbers::plural;

/// Adds figures 4.1 to 4.3, and the simulated values.
pub fn draw(figures: &mut Figures, all: &[Computed]) {
    for (machines, number) in all.chunks(MACHINES.len()).zip(["4.1", "4.2", "4.3"]) {
        let tables: Vec<figures::haec::Table<'_>> = machines
            .iter()
            .map(|computed| figures::haec::Table {
                published: computed.table,
                logical_total: computed.pairs.total,
                links: computed.rows.iter().map(|row| &row.links).collect(),
            })
            .collect();
        figures::haec::draw_links(figures, number, &tables);
        let Ok((iterations, _)) = &machines[0].simulation else { continue };
        let rows: Vec<figures::haec::Simulated> = (0..machines[0].rows.len())
            .map(|row| {
                let each = |value: fn(Simulated) -> f64| {
                    machines
                        .iter()
                        .map(|computed| computed.rows[row].simulated.map(value))
                        .collect()
                };
                figures::haec::Simulated {
                    name: machines[0].rows[row].name.clone(),
                    seconds: each(|found| found.seconds),
                    joules: each(|found| found.transfer_joules),
                }
            })
            .collect();
        let steps = plural(*iterations as usize, "iteration");
        let settings = format!("Model {MODEL}, {steps} and the warm-up, links of the HAEC box");
        let names: Vec<&str> = machines.iter().map(|computed| computed.table.machine).collect();
        let benchmark = machines[0].table.benchmark;
        figures::haec::draw_simulated(figures, benchmark, &names, &settings, &rows);
    }
}
