//! The speed of processors as a function of the amount of work, and the amount that each gets.

use super::axis::Axis;
use super::drawing::{Drawing, MARGIN, place};
use super::legend::{self, Sample};
use super::plot::{self, Numbers};
use super::room::Area;
use super::{Frame, Unit};
use crate::Picture;
use crate::colour::{DASHES, SERIES};
use crate::numbers::{plural, precise};

/// The processors of a platform.
#[derive(Debug, Clone, PartialEq)]
pub struct Speeds {
    /// The title, in a few words.
    pub title: String,
    /// What readers must know, in a sentence or two.
    pub explanation: String,
    /// The unit of speeds, such as `blocks/s`.
    pub unit: String,
    /// One colour each.
    pub clusters: Vec<Cluster>,
}

/// Processors that belong together.
#[derive(Debug, Clone, PartialEq)]
pub struct Cluster {
    /// Its name.
    pub name: String,
    /// One line each.
    pub processors: Vec<Processor>,
}

/// One processor.
#[derive(Debug, Clone, PartialEq)]
pub struct Processor {
    /// Such as its host.
    pub name: String,
    /// Sizes in blocks and speeds, from left to right.
    pub points: Vec<(f64, f64)>,
    /// How many blocks it gets, and its speed at that size.
    pub given: Option<(f64, f64)>,
}

const HEIGHT: f64 = 300.0;
const DOT: f64 = 3.5;

/// A line for each processor, and a dot at the size that it gets.
pub fn speeds(frame: Frame, input: &Speeds) -> Picture {
    let lines = || {
        input.clusters.iter().flat_map(|cluster| &cluster.processors).map(|processor| {
            let points = processor.points.iter().chain(&processor.given);
            points.copied().filter(|&point| is_drawable(point))
        })
    };
    let sizes = || lines().flatten().map(|(size, _)| size);
    let least = sizes().fold(f64::INFINITY, f64::min);
    if !least.is_finite() {
        return Drawing::nothing(frame, &input.title, "No processor has a speed to draw.");
    }
    let most = sizes().fold(0.0, f64::max);
    let fastest = lines().flatten().map(|(_, speed)| speed).fold(0.0, f64::max);
    let (mut drawing, top) = Drawing::new(frame, &input.title, &input.explanation);
    let mut entries: Vec<(Sample, String)> = input
        .clusters
        .iter()
        .enumerate()
        .map(|(number, cluster)| {
            let processors = plural(cluster.processors.len(), "processor");
            (Sample::Line(look(number)), format!("{}, {processors}", cluster.name))
        })
        .collect();
    let processors = || input.clusters.iter().flat_map(|cluster| &cluster.processors);
    let has_given = processors().any(|processor| processor.given.is_some_and(is_drawable));
    if has_given {
        let dot = Sample::Dot("class=\"fill-6\"".to_string());
        entries.push((dot, "blocks assigned to it".to_string()));
    }
    let top = legend::draw(&mut drawing, top, &entries) + 26.0;
    let scale = Unit::Plain.up_to(fastest);
    let numbers = Numbers::In(scale.clone());
    // Lines end below the upper edge.
    let vertical = |top: f64| Axis::linear((0.0, fastest * 1.05), (top + HEIGHT, top));
    let left = plot::room_left(&vertical(top), HEIGHT, &numbers);
    let area = Area { left, top, right: drawing.width - MARGIN - 8.0, bottom: top + HEIGHT };
    let x = Axis::log((least, most), (area.left, area.right));
    let y = vertical(top);
    let named = match scale.name.as_str() {
        "" => format!("speed ({})", input.unit),
        factor => format!("speed ({factor} of {})", input.unit),
    };
    plot::left(&mut drawing, area, &y, &numbers, &named);
    plot::below(&mut drawing, area, &x, &Numbers::Of(Unit::Plain), "size (blocks, log)");
    drawing.line((area.left, area.top), (area.left, area.bottom), "class=\"axis\"");
    for (number, cluster) in input.clusters.iter().enumerate() {
        for processor in &cluster.processors {
            let mut path = String::new();
            for &(size, speed) in processor.points.iter().filter(|&&point| is_drawable(point)) {
                let step = if path.is_empty() { 'M' } else { 'L' };
                path.push_str(&format!("{step}{} {}", place(x.at(size)), place(y.at(speed))));
            }
            let tooltip = format!("{} ({})", processor.name, cluster.name);
            if !path.is_empty() {
                drawing.pointed_line(&path, &look(number), &tooltip);
            }
        }
    }
    for (number, cluster) in input.clusters.iter().enumerate() {
        let look = format!(
            "class=\"fill-{}\" stroke=\"white\" stroke-width=\"0.7\"",
            number % SERIES.len()
        );
        for processor in &cluster.processors {
            let Some((size, speed)) = processor.given.filter(|&point| is_drawable(point)) else {
                continue;
            };
            let tooltip = format!(
                "{} ({}): {} blocks at {} {}",
                processor.name,
                cluster.name,
                precise(size),
                precise(speed),
                input.unit
            );
            drawing.circle((x.at(size), y.at(speed)), DOT, &look, &tooltip);
        }
    }
    drawing.done(area.bottom + 46.0, description(input, fastest))
}

fn is_drawable((size, speed): (f64, f64)) -> bool {
    size.is_finite() && size > 0.0 && speed.is_finite() && speed >= 0.0
}

/// The look of the lines of a cluster: after the eighth, colours repeat with other dashes.
fn look(number: usize) -> String {
    let (colour, dash) = (number % SERIES.len(), DASHES[number / SERIES.len() % DASHES.len()]);
    format!("class=\"line-{colour}\" stroke-width=\"1.6\" stroke-dasharray=\"{dash}\"")
}

fn description(input: &Speeds, fastest: f64) -> String {
    let processors: usize = input.clusters.iter().map(|cluster| cluster.processors.len()).sum();
    format!(
        "The speeds of {} of {}, at most {} {}.",
        plural(processors, "processor"),
        plural(input.clusters.len(), "cluster"),
        precise(fastest),
        input.unit
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_processor_is_a_line_and_a_dot_where_its_part_lies() {
        let processor = |name: &str, speed: f64| Processor {
            name: name.to_string(),
            points: vec![(1.0, speed), (100.0, speed / 2.0)],
            given: Some((10.0, speed)),
        };
        let cluster = |name: &str, speed: f64| Cluster {
            name: name.to_string(),
            processors: vec![processor("first", speed), processor("second", speed + 1.0)],
        };
        let picture = speeds(
            Frame::WIDE,
            &Speeds {
                title: "Speeds".to_string(),
                explanation: String::new(),
                unit: "blocks/s".to_string(),
                clusters: vec![cluster("fast", 20.0), cluster("slow", 5.0)],
            },
        );
        // Four dots and one in the legend; the title of a line names its processor and cluster.
        assert_eq!(picture.body.matches("<circle").count(), 5);
        assert!(picture.body.contains("<title>second (slow)</title>"));
        assert!(picture.body.contains("second (slow): 10 blocks at 6 blocks/s"));
        assert!(picture.body.contains("fast, 2 processors"));
    }
}
