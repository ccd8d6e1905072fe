//! Partitions, speeds and execution times of the thesis on heterogeneous clusters.
//!
//! Its partitions are pictures without numbers; ours are drawn as computed. The costs and times of
//! its tables are shown beside ours.

use topoloom::arrange::{Arrangement, Platform, Speed};
use topoloom::show::Picture;
use topoloom::show::figure::groups::{Bar, Group, Groups, groups};
use topoloom::show::figure::speeds::{Cluster, Processor, Speeds, speeds};
use topoloom::show::figure::{Frame, Unit};

use super::super::heterogeneous::line::{Drawn, Line, Quantity};
use super::Figures;
use crate::commands::arrange::picture::{self, Machine, Panel};
use crate::output::numbers::grouped;

/// An arrangement and its name.
pub struct Named {
    pub name: String,
    pub arrangement: Arrangement,
}

/// Adds the figures for table 3.10 or 3.12: partitions (the first is FPM-BR), times and speeds.
pub fn draw_experiment(
    figures: &mut Figures,
    number: &str,
    platform: &Platform,
    arrangements: &[Named],
    lines: &[Line],
) {
    let pictures = if number == "3.10" { "3.9-3.10" } else { "3.11-3.12" };
    let file = format!("heterogeneous-figures-{pictures}");
    let title = format!("Figures {pictures}: partitions and arrangements");
    draw_partitions(figures, (&file, &title), platform, arrangements, lines);
    draw_times(figures, number, platform.name(), lines);
    if let Some(partition) = arrangements.first() {
        draw_speeds(figures, number, platform, &partition.arrangement);
    }
}

/// Adds the partitions of a platform side by side. `lines` holds the costs of some of them.
pub fn draw_partitions(
    figures: &mut Figures,
    (file, title): (&str, &str),
    platform: &Platform,
    arrangements: &[Named],
    lines: &[Line],
) {
    figures.add_svg(file, title, partitions(platform, arrangements, lines));
}

fn partitions(platform: &Platform, arrangements: &[Named], lines: &[Line]) -> String {
    let clusters: Vec<String> =
        platform.clusters().iter().map(|cluster| cluster.name.clone()).collect();
    let hosts: Vec<String> = platform.nodes().map(|node| node.name.clone()).collect();
    let machine = Machine { clusters: &clusters, cluster_of: platform.cluster_of(), hosts: &hosts };
    let panels: Vec<Panel<'_>> = arrangements
        .iter()
        .map(|named| Panel {
            title: named.name.clone(),
            arrangement: &named.arrangement,
            lines: costs(&named.name, lines),
        })
        .collect();
    picture::svg(&machine, &panels)
}

/// The text below a partition: its costs beside the published ones.
fn costs(name: &str, lines: &[Line]) -> Vec<String> {
    let mut costs = Vec::new();
    for line in lines {
        let Some(Drawn { arrangement, quantity: Quantity::Cost(what) }) = &line.drawn else {
            continue;
        };
        let Some(ours) = line.ours.filter(|_| arrangement == name) else { continue };
        let published = match line.published {
            Some(published) => format!(" (published {})", grouped(published.round())),
            None => String::new(),
        };
        costs.push(format!("{what} {}{published}", grouped(ours.round())));
    }
    costs
}

const FLOWS: [&str; 2] = ["ring", "one-to-all"];

/// Adds the execution times of table 3.10 or 3.12, from `lines`.
pub fn draw_times(figures: &mut Figures, number: &str, platform: &str, lines: &[Line]) {
    figures.add(&format!("heterogeneous-table-{number}-times"), &times(number, platform, lines));
}

fn times(number: &str, platform: &str, lines: &[Line]) -> Picture {
    let seconds = |line: &Line, flow: &str| match &line.drawn {
        Some(Drawn { arrangement, quantity: Quantity::Seconds(of) }) if *of == flow => {
            Some(arrangement.clone())
        }
        _ => None,
    };
    let names = lines.iter().filter_map(|line| seconds(line, FLOWS[0]));
    let group = |name: String| {
        let bar = |flow: &&str| {
            let found = lines.iter().find(|line| seconds(line, flow).as_ref() == Some(&name));
            found.map_or(Bar::default(), |line| Bar {
                ours: line.ours,
                deviation: None,
                published: line.published,
            })
        };
        Group { bars: FLOWS.iter().map(bar).collect(), name: name.clone() }
    };
    groups(
        Frame::WIDE,
        &Groups {
            title: format!("Thesis on heterogeneous clusters, table {number}: execution times"),
            explanation: format!(
                "{platform}. Published: seconds of whole runs of a matrix multiplication. Ours: \
                 seconds of its communication alone, simulated by flows."
            ),
            what: "time".to_string(),
            unit: Unit::Seconds,
            series: FLOWS.map(str::to_string).to_vec(),
            groups: names.map(group).collect(),
            reference: None,
        },
    )
}

/// Adds the speeds of the processors of a platform, and the size that a partition gives to each.
pub fn draw_speeds(
    figures: &mut Figures,
    number: &str,
    platform: &Platform,
    partition: &Arrangement,
) {
    let explanation = "The thesis prints no speed functions: these are constant speeds, the clock \
                       times the threads of table 3.8. A dot is the part that FPM-BR gives to a \
                       processor.";
    let title = format!("Thesis on heterogeneous clusters, table {number}: speeds");
    let picture = drawn_speeds(&title, explanation, platform, partition);
    figures.add(&format!("heterogeneous-table-{number}-speeds"), &picture);
}

/// The number of sizes at which a speed function is evaluated.
const POINTS: u32 = 120;

fn drawn_speeds(
    title: &str,
    explanation: &str,
    platform: &Platform,
    partition: &Arrangement,
) -> Picture {
    let mut given = vec![None; platform.num_processors()];
    for column in partition.columns() {
        for rectangle in &column.rectangles {
            if let Some(given) = given.get_mut(rectangle.processor as usize) {
                *given = Some(f64::from(column.width) * f64::from(rectangle.height));
            }
        }
    }
    let parts = || given.iter().flatten().copied();
    let most = parts().fold(1.0, f64::max) * 2.0;
    let least = (parts().fold(most, f64::min) / 4.0).max(1.0);
    let at_step = |step: u32| least * (most / least).powf(f64::from(step) / f64::from(POINTS));
    let sizes: Vec<f64> = (0..=POINTS).map(at_step).collect();
    let mut processors = platform.nodes().zip(&given);
    let cluster = |cluster: &topoloom::arrange::Cluster| Cluster {
        name: cluster.name.clone(),
        processors: processors
            .by_ref()
            .take(cluster.nodes.len())
            .map(|(node, given)| {
                let at = |size: f64| (size, node.speed.speed(size));
                let points = match &node.speed {
                    Speed::Constant(_) => vec![at(least), at(most)],
                    Speed::Function(_) => sizes.iter().map(|&size| at(size)).collect(),
                };
                Processor { name: node.name.clone(), points, given: given.map(at) }
            })
            .collect(),
    };
    let is_function = |speed: &Speed| matches!(speed, Speed::Function(_));
    let unit = match platform.nodes().any(|node| is_function(&node.speed)) {
        true => "blocks/s",
        false => "relative",
    };
    speeds(
        Frame::WIDE,
        &Speeds {
            title: title.to_string(),
            explanation: explanation.to_string(),
            unit: unit.to_string(),
            clusters: platform.clusters().iter().map(cluster).collect(),
        },
    )
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use topoloom::arrange::fpm_br;
    use topoloom::io::platforms::read_platform;

    use super::*;

    fn platform() -> Platform {
        read_platform(Path::new("example:thesis-3.3")).unwrap().0
    }

    fn line(name: &str, quantity: Quantity, published: Option<f64>, ours: f64) -> Line {
        let drawn = Some(Drawn { arrangement: name.to_string(), quantity });
        Line { table: "3.10", what: String::new(), published, ours: Some(ours), drawn }
    }

    #[test]
    fn times_of_both_flows_stand_beside_the_published_ones() {
        let lines = [
            line("FPM-BR", Quantity::Cost("hop cost"), Some(2677.0), 2700.0),
            line("FPM-BR", Quantity::Seconds("ring"), Some(244.5955), 20.0),
            line("FPM-BR", Quantity::Seconds("one-to-all"), Some(202.6377), 10.0),
            line("auto", Quantity::Seconds("ring"), None, 8.0),
            line("auto", Quantity::Seconds("one-to-all"), None, 4.0),
        ];
        let body = times("3.10", "six clusters", &lines).body;
        assert!(body.contains("<title>FPM-BR, ring, published: 244.6 s</title>"), "{body}");
        assert!(body.contains("<title>auto, one-to-all: 4.00 s</title>"), "{body}");
        // Four bars of ours, two published ones, and the three fields of the legend.
        assert_eq!(body.matches("<rect").count(), 9);
    }

    #[test]
    fn a_partition_has_a_rectangle_for_each_processor_and_its_costs() {
        let platform = platform();
        let arrangement = fpm_br(&platform, 128).unwrap();
        let named = [Named { name: "FPM-BR".to_string(), arrangement }];
        let lines = [
            line("FPM-BR", Quantity::Cost("bandwidth cost"), Some(29205.22), 30000.4),
            line("FPM-BR", Quantity::Seconds("ring"), Some(244.5955), 20.0),
        ];
        let svg = partitions(&platform, &named, &lines);
        assert!(svg.contains("bandwidth cost 30,000 (published 29,205)"), "{svg}");
        assert!(!svg.contains("seconds"), "{svg}");
        // The background, 16 processors, and the fields of the legend.
        let clusters = platform.clusters().len();
        assert_eq!(svg.matches("<rect").count(), 1 + 16 + clusters, "{svg}");
    }

    #[test]
    fn a_processor_has_its_speed_and_its_part() {
        let platform = platform();
        let arrangement = fpm_br(&platform, 128).unwrap();
        let picture = drawn_speeds("Speeds", "", &platform, &arrangement);
        // A dot for each of the 16, and one in the legend.
        assert_eq!(picture.body.matches("<circle").count(), 17);
        assert!(picture.body.contains("speed (relative)"), "{}", picture.body);
    }
}
