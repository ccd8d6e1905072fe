//! Figure 1 of the paper on multi-core clusters: improvements over the default mapping.

use topoloom::show::Picture;
use topoloom::show::figure::groups::{Bar, Group, Groups, groups};
use topoloom::show::figure::{Frame, Unit};

use super::super::published::Sheet;
use super::Figures;

/// The improvements of one mapping on one benchmark.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Improvement {
    /// The improvement of execution times, from table 1.
    pub published: Option<f64>,
    /// An estimate of the same: the published time of the default mapping, minus the network time
    /// of the bytes that no longer cross the network.
    pub ours: f64,
}

/// What the paper's text says about the mean over all programs: ES, MWPM, DRB.
pub const MEANS: &str = include_str!("../../../../data/published/multicore_means.csv");

/// Adds figure 1. `rows` has, for each benchmark, its name and the improvement of each of
/// `mappings`; the first three mappings are the paper's.
pub fn draw(figures: &mut Figures, mappings: &[&str], rows: &[(String, Vec<Improvement>)]) {
    figures.add("multicore-figure-1", &picture(mappings, rows));
}

fn picture(mappings: &[&str], rows: &[(String, Vec<Improvement>)]) -> Picture {
    let bar = |improvement: &Improvement| Bar {
        ours: Some(improvement.ours),
        deviation: None,
        published: improvement.published,
    };
    let mut drawn: Vec<Group> = rows
        .iter()
        .map(|(name, improvements)| Group {
            name: name.clone(),
            bars: improvements.iter().map(bar).collect(),
        })
        .collect();
    let means = Sheet::read(MEANS);
    let mean = |mapping: usize| {
        let values = rows.iter().filter_map(|(_, row)| row.get(mapping)).map(|row| row.ours);
        let sum: f64 = values.sum();
        Bar {
            ours: (!rows.is_empty()).then(|| sum / rows.len() as f64),
            deviation: None,
            published: means.rows().nth(mapping).map(|row| row.number("improvement")),
        }
    };
    drawn.push(Group { name: "mean".to_string(), bars: (0..mappings.len()).map(mean).collect() });
    groups(
        Frame::WIDE,
        &Groups {
            title: "Multi-core paper, figure 1: improvement over the default mapping".to_string(),
            explanation: "NPB class C, 16 ranks, two nodes of two sockets of four cores: default / \
                          mapping - 1. Published: execution times of table 1, and the means of the \
                          text. Ours is an estimate: the published default time, less what the bytes \
                          that no longer cross the network would take at 117 MB/s each way."
                .to_string(),
            what: "improvement of the execution time".to_string(),
            unit: Unit::Percent,
            series: mappings.iter().map(|mapping| mapping.to_string()).collect(),
            groups: drawn,
            reference: None,
        },
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn published_improvements_stand_beside_ours_and_the_mean_is_last() {
        let row = |published, ours| Improvement { published, ours };
        let rows = [
            ("CG".to_string(), vec![row(Some(0.684), 0.9), row(Some(0.675), 0.5)]),
            ("EP".to_string(), vec![row(Some(-0.007), 0.0), row(None, 0.3)]),
        ];
        let body = picture(&["ES", "MWPM"], &rows).body;
        assert!(body.contains("<title>CG, ES, published: 68.4 %</title>"), "{body}");
        assert!(body.contains("<title>CG, ES: 90.0 %</title>"), "{body}");
        assert!(body.contains("<title>EP, ES, published: -0.7 %</title>"), "{body}");
        // (0.5 + 0.3) / 2, and the number in the text.
        assert!(body.contains("<title>mean, MWPM: 40.0 %</title>"), "{body}");
        assert!(body.contains("<title>mean, MWPM, published: 13.8 %</title>"), "{body}");
    }
}
