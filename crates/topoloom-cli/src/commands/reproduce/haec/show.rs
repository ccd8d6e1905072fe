//! The published tables beside ours, for people.

use super::computed::{BY_HOPS, CARDINALITY, Computed, HOPS, MACHINES, Ours};
use super::tables::Published;
use crate::output::numbers::grouped;
use crate::output::table::numbers_table;

pub const PREFACE: &str = "\
Besmer, Process-to-Node Mapping Strategies for the HAEC Box (2016): messages on the links used.
Both directions of a pair count together and travel once, from the lower rank; links have no
direction. `=` marks totals that agree to within the one message by which pairs differ.

Where we differ: on the mesh the totals of the thesis are larger than the sum of its distances
(sweep on 4x4x4 is 216 hops, the thesis has 232), so no shortest route gives them. Its averages and
maxima follow from ours only in part (sweep on the 4x4x4 torus: 136 links used, ours 140), so it
routes or counts in a way that it does not describe. Gray and Hilbert curves have many variants.
Bokhari, genetic and random-sampling depend on random choices, minmd on the order of equally heavy
pairs; bokhari here is the best of 8 searches.

The genetic algorithm of the thesis maximises cardinality: the number of pairs that are neighbours.
The thesis does not say which objective its random sampling uses. Cardinality fits better than
hops: the run times double on HAEC, as the thesis says of strategies that compute cardinality, and
the hops are closer. Both use cardinality here. A table below has both by cardinality and by
messages times hops, which is what the tables show.
";

/// Whether two totals agree: the thesis counts 80829 or 80830 messages per pair. So equal numbers
/// of hops differ by at most one part in ten thousand.
pub fn agree(published: f64, ours: f64) -> bool {
    (published - ours).abs() <= published * 1e-4
}

pub fn show(computed: &Computed) -> String {
    let plain = |value: f64| format!("{value:.0}");
    let optional = |value: Option<f64>| value.map_or("-".to_string(), plain);
    let Computed { table, pairs, .. } = computed;
    let rows: Vec<Vec<String>> = table
        .rows
        .iter()
        .zip(&computed.rows)
        .map(|(published, ours)| {
            let equal = published.total.is_some_and(|total| agree(total, ours.links.total));
            let cut = if ours.complete { "" } else { "*" };
            vec![
                format!("{}{cut}", ours.name),
                optional(published.total),
                format!("{}{}", plain(ours.links.total), if equal { "=" } else { " " }),
                optional(published.average),
                plain(ours.links.average),
                optional(published.minimum),
                plain(ours.links.minimum),
                optional(published.maximum),
                plain(ours.links.maximum),
            ]
        })
        .collect();
    format!(
        "\nTable {}: {} on {}\n between processes: total {}, average {}, minimum {}, maximum {}\n\n{}",
        table.table,
        table.benchmark,
        table.machine,
        grouped(pairs.total),
        grouped(pairs.average.floor()),
        grouped(pairs.minimum),
        grouped(pairs.maximum),
        numbers_table(
            &["", "total", "ours", "average", "ours", "min", "ours", "max", "ours"],
            &rows
        )
    )
}

pub fn show_times(all: &[Computed]) -> String {
    let mut text = String::from(
        "\nTable 4.1: run time in seconds; the thesis's with Python on a 2.3 GHz Core i5-5300U\n \
         (`*`: stopped after 3 hours)\n",
    );
    for machines in all.chunks(MACHINES.len()) {
        let table = machines[0].table;
        let rows: Vec<Vec<String>> = (0..table.rows.len())
            .map(|row| {
                let mut cells = vec![table.rows[row].strategy.to_string()];
                for computed in machines {
                    let published = computed.table.rows[row].seconds;
                    cells
                        .push(published.map_or("*".to_string(), |seconds| format!("{seconds:.3}")));
                    let ours = computed.rows[row].seconds;
                    cells.push(ours.map_or("-".to_string(), |seconds| format!("{seconds:.5}")));
                }
                cells
            })
            .collect();
        let header = [table.benchmark, "mesh", "ours", "torus", "ours", "haec", "ours"];
        text.push_str(&format!("\n{}", numbers_table(&header, &rows)));
    }
    text
}

/// The genetic algorithm and random sampling with both objectives.
pub fn show_objectives(all: &[Computed]) -> String {
    let mut text = String::from(
        "\nGenetic algorithm and random sampling by both objectives: hops of an average pair summed over\n\
         all pairs (total / messages per pair), and pairs that are neighbours\n",
    );
    for machines in all.chunks(MACHINES.len()) {
        let mut rows = Vec::new();
        for strategy in BY_HOPS {
            let mut published = vec![format!("{strategy}, thesis")];
            for computed in machines {
                let of_strategy = |row: &&Published| row.strategy == strategy;
                let total = computed.table.rows.iter().find(of_strategy).and_then(|row| row.total);
                let hops = total.map(|total| total / computed.pairs.average);
                published.push(hops.map_or("-".to_string(), |hops| grouped(hops.round())));
                published.push("-".to_string());
            }
            rows.push(published);
            for (objective, name) in [(CARDINALITY, "cardinality"), (HOPS, "hops")] {
                let mut cells = vec![format!("{strategy} by {name}")];
                for computed in machines {
                    let wanted =
                        |row: &&Ours| row.strategy == strategy && row.objective == Some(objective);
                    let found = computed.rows.iter().find(wanted);
                    let hops = found.map(|row| grouped(row.hops.round()));
                    cells.push(hops.unwrap_or_else(|| "-".to_string()));
                    let neighbours = found.map(|row| grouped(row.neighbours as f64));
                    cells.push(neighbours.unwrap_or_else(|| "-".to_string()));
                }
                rows.push(cells);
            }
        }
        let benchmark = machines[0].table.benchmark;
        let header =
            [benchmark, "mesh: hops", "pairs", "torus: hops", "pairs", "haec: hops", "pairs"];
        text.push_str(&format!("\n{}", numbers_table(&header, &rows)));
    }
    text
}
