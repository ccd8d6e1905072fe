//! Figures 4.1 to 4.3 of the HAEC thesis, and the purpose of its simulator: time and energy.

use topoloom::core::Summary;
use topoloom::show::Picture;
use topoloom::show::figure::bars::{BarRow, Bars, MachineBars, titled_bars};
use topoloom::show::figure::groups::{Bar, Group, Groups, groups};
use topoloom::show::figure::{Frame, Unit};

use super::super::haec::tables::PublishedTable;
use super::Figures;

/// One benchmark on one machine.
pub struct Table<'a> {
    pub published: &'static PublishedTable,
    /// All that processes exchange: with one process per node, no placement has less on links.
    pub logical_total: f64,
    /// For each row of the published table.
    pub links: Vec<&'a Summary>,
}

/// Adds one of figures 4.1 to 4.3: a benchmark on three machines.
pub fn draw_links(figures: &mut Figures, number: &str, tables: &[Table<'_>]) {
    figures.add(&format!("haec-figure-{number}"), &links(number, tables));
}

fn links(number: &str, tables: &[Table<'_>]) -> Picture {
    let machine = |table: &Table<'_>| MachineBars {
        name: format!("{} on {}", table.published.benchmark, table.published.machine),
        bound: Some(table.logical_total),
        rows: table
            .published
            .rows
            .iter()
            .zip(&table.links)
            .map(|(published, ours)| BarRow {
                name: published.strategy.to_string(),
                total: ours.total,
                average: Some(ours.average),
                minimum: Some(ours.minimum),
                maximum: Some(ours.maximum),
                highlighted: false,
                published: [
                    published.total,
                    published.average,
                    published.minimum,
                    published.maximum,
                ],
            })
            .collect(),
    };
    let machines = tables.iter().map(machine).collect();
    let title = format!("HAEC thesis, figure {number}: messages on the links between nodes");
    titled_bars(Frame::WIDE, Some(&title), &Bars { unit: Unit::Messages, machines })
}

/// Simulated time and energy of one strategy on each machine; `None` if it was not simulated.
pub struct Simulated {
    pub name: String,
    pub seconds: Vec<Option<f64>>,
    /// The energy of the messages. The energy of links that are always on depends on the time
    /// alone.
    pub joules: Vec<Option<f64>>,
}

/// Adds the times and the energies of a benchmark.
pub fn draw_simulated(
    figures: &mut Figures,
    benchmark: &str,
    machines: &[&str],
    settings: &str,
    rows: &[Simulated],
) {
    let file = |what: &str| format!("haec-{}-{what}", benchmark.to_lowercase().replace('.', "-"));
    let [time, energy] = simulated(benchmark, machines, settings, rows);
    figures.add(&file("time"), &time);
    figures.add(&file("energy"), &energy);
}

fn simulated(
    benchmark: &str,
    machines: &[&str],
    settings: &str,
    rows: &[Simulated],
) -> [Picture; 2] {
    let draw = |what: &str, unit: Unit, values: &dyn Fn(&Simulated) -> Vec<Option<f64>>| {
        let group = |row: &Simulated| Group {
            name: row.name.clone(),
            bars: values(row).into_iter().map(|ours| Bar { ours, ..Bar::default() }).collect(),
        };
        groups(
            Frame::WIDE,
            &Groups {
                title: format!("HAEC thesis: simulated {what} of {benchmark}"),
                explanation: format!(
                    "{settings}. The thesis leaves time and energy to its simulator and prints no numbers."
                ),
                what: what.to_string(),
                unit,
                series: machines.iter().map(|machine| machine.to_string()).collect(),
                groups: rows.iter().map(group).collect(),
                reference: None,
            },
        )
    };
    [
        draw("time", Unit::Seconds, &|row| row.seconds.clone()),
        draw("energy of what is sent", Unit::Joules, &|row| row.joules.clone()),
    ]
}

#[cfg(test)]
mod tests {
    use super::super::super::haec::tables::TABLES;
    use super::*;

    #[test]
    fn every_strategy_has_a_bar_of_ours_and_the_published_one() {
        let summary =
            Summary { count: 2, total: 300.0, average: 150.0, minimum: 100.0, maximum: 200.0 };
        let table = Table {
            published: &TABLES[0],
            logical_total: 250.0,
            links: vec![&summary; TABLES[0].rows.len()],
        };
        let picture = links("4.1", &[table]);
        assert!(picture.body.contains("LU.C.64 on mesh:4x4x4"), "{}", picture.body);
        assert!(picture.body.contains("<title>sweep, total: 300 messages</title>"));
        let published = "<title>sweep, total, published: 18,752,386 messages</title>";
        assert!(picture.body.contains(published), "{}", picture.body);
        // Nine strategies, four panels, two bars each, and the legend's two fields.
        assert_eq!(picture.body.matches("<rect").count(), 9 * 4 * 2 + 2);
    }

    #[test]
    fn what_was_not_simulated_has_no_bar() {
        let row = |name: &str, seconds, joules| Simulated {
            name: name.to_string(),
            seconds: vec![Some(1e-3), seconds],
            joules: vec![Some(0.05), joules],
        };
        let rows = [row("sweep", Some(2e-3), Some(0.04)), row("auto", None, None)];
        let [time, energy] = simulated("LU.C.64", &["mesh", "haec"], "flow model", &rows);
        assert!(time.body.contains("<title>sweep, haec: 2.0 ms</title>"), "{}", time.body);
        assert!(!time.body.contains("<title>auto, haec"), "{}", time.body);
        assert!(energy.body.contains("<title>auto, mesh: 50.0 mJ</title>"), "{}", energy.body);
    }
}
