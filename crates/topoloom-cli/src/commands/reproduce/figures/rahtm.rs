//! Figures 8 to 10 of the RAHTM paper: execution and communication times relative to ABCDET.
//!
//! The text prints few of the bars as numbers; only those are drawn.

use topoloom::show::Picture;
use topoloom::show::figure::groups::{Bar, Group, Groups, groups};
use topoloom::show::figure::{Frame, Unit};

use super::super::published::{Row, Sheet};
use super::Figures;

/// The values of one mapping on each benchmark, relative to ABCDET.
#[derive(Debug, Clone, PartialEq)]
pub struct Relative {
    pub mapping: &'static str,
    /// One value per benchmark.
    pub values: Vec<f64>,
}

/// The quantity that represents the communication time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Measured {
    /// The load of the busiest link.
    Load,
    /// A simulated time during which all nodes send all their bytes at once.
    Burst,
}

impl Measured {
    fn in_words(self) -> &'static str {
        match self {
            Measured::Load => {
                "what the most loaded link carries, which bounds that time from below"
            }
            Measured::Burst => {
                "a simulated time (flow model) in which all nodes send all their bytes at once"
            }
        }
    }
}

/// The bars of figures 8 and 10 that the text prints.
pub const PRINTED: &str = include_str!("../../../../data/published/rahtm_figures.csv");

/// The shares of communication of figure 9.
pub const SHARES: &str = include_str!("../../../../data/published/rahtm_shares.csv");

const MEAN: &str = "geometric mean";

/// The share of communication in the time of a benchmark.
pub fn share_of_communication(benchmark: &str) -> f64 {
    Sheet::read(SHARES).find(&[benchmark]).map_or(f64::NAN, |row| row.number("share"))
}

/// Adds the three figures; `benchmarks` are BT, SP and CG in any order.
pub fn draw(figures: &mut Figures, measured: Measured, benchmarks: &[&str], rows: &[Relative]) {
    let names: Vec<String> = benchmarks.iter().map(|name| name.to_uppercase()).collect();
    figures.add("rahtm-figure-8", &execution(measured, &names, rows));
    figures.add("rahtm-figure-9", &shares());
    figures.add("rahtm-figure-10", &communication(measured, &names, rows));
}

const SETTING: &str = "16,384 ranks, class D, 4x4x4x4x2 nodes of a Blue Gene/Q";

/// Figure 10.
fn communication(measured: Measured, benchmarks: &[String], rows: &[Relative]) -> Picture {
    groups(
        Frame::WIDE,
        &Groups {
            title: "RAHTM paper, figure 10: communication time relative to ABCDET".to_string(),
            explanation: format!(
                "{SETTING}. Published: measured time, if the text gives a number. Ours: {}.",
                measured.in_words()
            ),
            what: "communication relative to ABCDET".to_string(),
            ..relative(benchmarks, rows, "10", |_, value| value)
        },
    )
}

/// Figure 8: communication times count by their share, computation is unchanged.
fn execution(measured: Measured, benchmarks: &[String], rows: &[Relative]) -> Picture {
    let scaled = |benchmark: &str, value: f64| {
        let share = share_of_communication(benchmark);
        1.0 - share + share * value
    };
    groups(
        Frame::WIDE,
        &Groups {
            title: "RAHTM paper, figure 8: execution time relative to ABCDET".to_string(),
            explanation: format!(
                "{SETTING}. Published: measured time, if the text gives a number. Ours is an \
                 estimate: the share of communication that the text prints (figure 9) scales with \
                 {}, and computing stays as it is.",
                measured.in_words()
            ),
            what: "execution time relative to ABCDET".to_string(),
            ..relative(benchmarks, rows, "8", scaled)
        },
    )
}

fn relative(
    benchmarks: &[String],
    rows: &[Relative],
    figure: &str,
    scaled: impl Fn(&str, f64) -> f64,
) -> Groups {
    let printed = Sheet::read(PRINTED);
    let published = |mapping: &str, group: &str| {
        printed.find(&[figure, mapping, group]).map(|row| row.number("value"))
    };
    let bar = |row: &Relative, group: &str, ours: f64| Bar {
        ours: Some(ours),
        deviation: None,
        published: published(row.mapping, group),
    };
    let mut drawn: Vec<Group> = benchmarks
        .iter()
        .enumerate()
        .map(|(place, name)| {
            let values = rows.iter().map(|row| bar(row, name, scaled(name, row.values[place])));
            Group { name: name.clone(), bars: values.collect() }
        })
        .collect();
    let mean = |row: &Relative| {
        let values = benchmarks.iter().zip(&row.values).map(|(name, &value)| scaled(name, value));
        let product: f64 = values.product();
        bar(row, MEAN, product.powf(1.0 / benchmarks.len().max(1) as f64))
    };
    drawn.push(Group { name: MEAN.to_string(), bars: rows.iter().map(mean).collect() });
    Groups {
        title: String::new(),
        explanation: String::new(),
        what: String::new(),
        unit: Unit::Plain,
        series: rows.iter().map(|row| row.mapping.to_string()).collect(),
        groups: drawn,
        reference: Some((1.0, "ABCDET".to_string())),
    }
}

/// Figure 9: published numbers only.
fn shares() -> Picture {
    let published = |share: f64| Bar { published: Some(share), ..Bar::default() };
    let group = |row: Row<'_>| {
        let share = row.number("share");
        let bars = vec![published(share), published(1.0 - share)];
        Group { name: row.text("benchmark").to_string(), bars }
    };
    groups(
        Frame::WIDE,
        &Groups {
            title: "RAHTM paper, figure 9: communication and computation".to_string(),
            explanation: "Shares of the execution time under ABCDET as the text prints them: \
                          communication is over 70 % of CG and about 35 % of BT and SP. We have no \
                          values to compare: the paper does not say how fast the machine computes."
                .to_string(),
            what: "share of the execution time".to_string(),
            unit: Unit::Percent,
            series: vec!["communication".to_string(), "computation".to_string()],
            groups: Sheet::read(SHARES).rows().map(group).collect(),
            reference: None,
        },
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows() -> Vec<Relative> {
        let row = |mapping, values: [f64; 3]| Relative { mapping, values: values.to_vec() };
        vec![row("ABCDET", [1.0; 3]), row("TABCDE", [2.0; 3]), row("RAHTM", [0.5, 0.5, 4.0])]
    }

    fn names() -> Vec<String> {
        ["BT", "SP", "CG"].map(str::to_string).to_vec()
    }

    #[test]
    fn communication_has_the_numbers_of_the_text_and_the_geometric_mean() {
        let body = communication(Measured::Load, &names(), &rows()).body;
        assert!(body.contains("<title>CG, TABCDE, published: 1.480</title>"), "{body}");
        assert!(body.contains("<title>BT, RAHTM, published: 0.8000</title>"), "{body}");
        // The text has no number for TABCDE on BT.
        assert!(!body.contains("BT, TABCDE, published"), "{body}");
        // The cube root of 0.5 x 0.5 x 4.
        assert!(body.contains("<title>geometric mean, RAHTM: 1</title>"), "{body}");
    }

    #[test]
    fn execution_counts_communication_by_its_published_share() {
        let body = execution(Measured::Load, &names(), &rows()).body;
        // 0.65 + 0.35 x 0.5 for BT, 0.3 + 0.7 x 4 for CG.
        assert!(body.contains("<title>BT, RAHTM: 0.8250</title>"), "{body}");
        assert!(body.contains("<title>CG, RAHTM: 3.100</title>"), "{body}");
        assert!(body.contains("<title>CG, TABCDE, published: 1.330</title>"), "{body}");
    }

    #[test]
    fn shares_are_published_alone() {
        let body = shares().body;
        assert!(body.contains("<title>CG, communication, published: 70.0 %</title>"), "{body}");
        assert!(!body.contains("class=\"fill-"), "{body}");
    }
}
