//! How evenly links are used: which share of them carries at most a given load.

use topoloom_core::statistics::link_loads;
use topoloom_core::{Mapping, Problem};

use super::axis::Axis;
use super::drawing::{Drawing, Letters, MARGIN, SMALL, place};
use super::legend::{self, Sample};
use super::plot::{self, Numbers};
use super::room::{Area, Room};
use super::{Frame, Unit, drawable};
use crate::Picture;
use crate::colour::DASHES;
use crate::numbers::{grouped, percent};
use crate::svg::{escaped, width_of};

/// The loads of the links of one machine under placements.
#[derive(Debug, Clone, PartialEq)]
pub struct Loads {
    /// The unit of the loads.
    pub unit: Unit,
    /// One line each; those after the eighth are left out, and the picture says so.
    pub series: Vec<Series>,
}

/// One placement.
#[derive(Debug, Clone, PartialEq)]
pub struct Series {
    /// Such as the strategy that made it.
    pub name: String,
    /// The loads of the links that carry something, in any order.
    pub loads: Vec<f64>,
    /// How many links the machine has, used or not.
    pub all_links: u64,
}

impl Series {
    /// The loads of directed links under a placement.
    pub fn of(name: String, problem: &Problem, mapping: &Mapping) -> Series {
        let mut loads: Vec<f64> =
            link_loads(problem, mapping).iter().map(|link| link.load).collect();
        loads.sort_by(f64::total_cmp);
        Series { name, loads, all_links: problem.machine().topology().num_links() }
    }
}

/// As many as readers can tell apart.
const MOST_SERIES: usize = 8;
/// The most steps of a line. Loads that are closer together than this fraction of the axis become
/// one step at the largest of them. That is less than two pixels at the usual width of figures, and
/// a line is as wide itself.
const MOST_STEPS: usize = 400;
/// Beyond this ratio of the largest load to the smallest, the axis is logarithmic.
const WIDE_RANGE: f64 = 1000.0;

const TITLE: &str = "How evenly links are used";

/// One line per placement, which rises from the share of idle links to all of them.
pub fn loads(frame: Frame, input: &Loads) -> Picture {
    let lines: Vec<Line<'_>> = input.series.iter().take(MOST_SERIES).filter_map(Line::of).collect();
    if lines.is_empty() {
        return Drawing::nothing(frame, TITLE, "The machine has no links.");
    }
    let most = lines.iter().map(Line::most).fold(0.0, f64::max);
    if most <= 0.0 {
        return Drawing::nothing(frame, TITLE, "No link carries anything.");
    }
    let least = lines.iter().filter_map(|line| line.loads.first()).copied().fold(most, f64::min);
    let left_out = match input.series.len().saturating_sub(MOST_SERIES) {
        0 => String::new(),
        number => format!("; {number} more not drawn"),
    };
    let lowest = lowest_share(&lines);
    let cut = match lowest > 0.0 {
        true => format!("; the scale begins at {:.0} %", 100.0 * lowest),
        false => String::new(),
    };
    let explanation = format!(
        "Share of all links that carry at most a given load; a line further left and steeper is \
         better{cut}{left_out}"
    );
    let (mut drawing, top) = Drawing::new(frame, TITLE, &explanation);
    let legend: Vec<(Sample, String)> = lines
        .iter()
        .enumerate()
        .map(|(number, line)| (Sample::Line(look(number)), line.legend(input.unit)))
        .collect();
    let top = legend::draw(&mut drawing, top, &legend) + 26.0;
    let height = if frame.is_narrow() { 230.0 } else { 300.0 };
    let area = Area { left: 62.0, top, right: drawing.width - MARGIN - 14.0, bottom: top + height };
    let ends = (area.left, area.right);
    let x = match most / least > WIDE_RANGE {
        true => Axis::log((least, most), ends),
        false => Axis::linear((0.0, most), ends),
    };
    let y = Axis::linear((lowest, 1.0), (area.bottom, area.top));
    plot::left(&mut drawing, area, &y, &Numbers::Percent, "share of links");
    let scale = input.unit.up_to(most);
    let (numbers, title) = match x.is_log() {
        true => (Numbers::Of(input.unit), "load of a link (log)".to_string()),
        false => (Numbers::In(scale.clone()), scale.title("load of a link")),
    };
    plot::below(&mut drawing, area, &x, &numbers, &title);
    let all: Vec<Vec<(f64, f64)>> = lines.iter().map(|line| line.steps(&x, &y)).collect();
    for (number, (line, steps)) in lines.iter().zip(&all).enumerate() {
        let mut path = String::new();
        for (index, &(x, y)) in steps.iter().enumerate() {
            match index {
                0 => path.push_str(&format!("M{} {}", place(x), place(y))),
                _ => path.push_str(&format!("H{}V{}", place(x), place(y))),
            }
        }
        drawing.pointed_line(&path, &look(number), &line.tooltip(input.unit));
        if let Some(&end) = steps.last() {
            let text = format!("{}: busiest link {}", line.name, input.unit.written(line.most()));
            drawing.circle(end, 4.0, &format!("class=\"fill-{number}\""), &text);
        }
    }
    if lines.len() > 1 {
        write_names(&mut drawing, area, &lines, &all);
    }
    let description = lines.iter().map(|line| format!("{}.", line.tooltip(input.unit)));
    let description = description.collect::<Vec<String>>().join(" ");
    drawing.done(area.bottom + 44.0, description)
}

/// Where the scale of shares begins: at 0, or just below the lines if most links are idle under
/// every placement, as on HAEC boxes. Otherwise the lines would be squeezed into a strip.
fn lowest_share(lines: &[Line<'_>]) -> f64 {
    let idle = lines.iter().map(Line::idle).fold(1.0, f64::min);
    if idle > 0.6 { (10.0 * idle).floor().min(9.0) / 10.0 } else { 0.0 }
}

fn look(number: usize) -> String {
    format!(
        "class=\"line-{number}\" fill=\"none\" stroke-width=\"2\" stroke-dasharray=\"{}\"",
        DASHES[number]
    )
}

/// A name for each line if there is room for it: above its end, or beside a corner that is not near
/// another line. The legend has all of them.
fn write_names(drawing: &mut Drawing, area: Area, lines: &[Line<'_>], all: &[Vec<(f64, f64)>]) {
    let mut room = Room::new(Area { top: area.top - 22.0, right: drawing.width - 2.0, ..area });
    // The title of the axis is there.
    room.take(Area { right: area.left + 50.0, bottom: area.top, top: area.top - 22.0, ..area });
    for two in all.iter().flat_map(|steps| steps.windows(2)) {
        let ((x1, y1), (x2, y2)) = (two[0], two[1]);
        room.take(Area { left: x1, right: x2, top: y1 - 2.0, bottom: y1 + 2.0 });
        room.take(Area { left: x2 - 2.0, right: x2 + 2.0, top: y2.min(y1), bottom: y1.max(y2) });
    }
    for (number, (line, steps)) in lines.iter().zip(all).enumerate() {
        let width = width_of(line.name, SMALL);
        let area =
            |left: f64, top: f64| Area { left, top, right: left + width, bottom: top + 14.0 };
        let is_alone = |&(x, y): &(f64, f64)| {
            let others = all.iter().enumerate().filter(|(other, _)| *other != number);
            others.map(|(_, steps)| height_at(steps, x)).all(|other| (other - y).abs() > 16.0)
        };
        let end = steps.last().copied().unwrap_or((0.0, 0.0));
        let above = area(end.0.min(drawing.width - 3.0 - width / 2.0) - width / 2.0, end.1 - 21.0);
        let corners = steps.iter().skip(1).rev().filter(|corner| is_alone(corner));
        let beside =
            corners.flat_map(|&(x, y)| [area(x + 7.0, y + 5.0), area(x - 7.0 - width, y - 19.0)]);
        if let Some(free) = room.place(std::iter::once(above).chain(beside)) {
            drawing.text((free.left, free.bottom - 3.0), Letters::INK.small(), &escaped(line.name));
        }
    }
}

/// The height of a line at a horizontal position.
fn height_at(steps: &[(f64, f64)], x: f64) -> f64 {
    let before = steps.partition_point(|step| step.0 <= x);
    steps.get(before.saturating_sub(1)).map_or(0.0, |step| step.1)
}

/// A series that can be drawn completely.
struct Line<'a> {
    name: &'a str,
    /// Ascending, above 0.
    loads: Vec<f64>,
    all_links: f64,
}

impl Line<'_> {
    fn of(series: &Series) -> Option<Line<'_>> {
        let mut loads: Vec<f64> = drawable(series.loads.iter().copied()).collect();
        let all_links = series.all_links.max(loads.len() as u64);
        loads.retain(|&load| load > 0.0);
        loads.sort_by(f64::total_cmp);
        (all_links > 0).then_some(Line { name: &series.name, loads, all_links: all_links as f64 })
    }

    fn most(&self) -> f64 {
        self.loads.last().copied().unwrap_or(0.0)
    }

    fn idle(&self) -> f64 {
        1.0 - self.loads.len() as f64 / self.all_links
    }

    fn legend(&self, unit: Unit) -> String {
        format!("{} (busiest link {})", self.name, unit.written(self.most()))
    }

    /// The corners of the line: each step goes right, then up.
    fn steps(&self, x: &Axis, y: &Axis) -> Vec<(f64, f64)> {
        let start = if x.is_log() { self.loads.first().copied().unwrap_or(0.0) } else { 0.0 };
        let mut steps = vec![(x.at(start.min(self.most())).min(x.at(0.0)), y.at(self.idle()))];
        let cell = (x.at(f64::MAX) - x.at(0.0)) / MOST_STEPS as f64;
        let is_crowded = distinct(&self.loads) > MOST_STEPS;
        let cell_of = |load: f64| ((x.at(load) - x.at(0.0)) / cell) as i64;
        let is_last_of_step = |number: usize| match self.loads.get(number + 1) {
            None => true,
            Some(&next) if is_crowded => cell_of(next) != cell_of(self.loads[number]),
            Some(&next) => next != self.loads[number],
        };
        for (number, &load) in self.loads.iter().enumerate().filter(|(n, _)| is_last_of_step(*n)) {
            let share = self.idle() + (number + 1) as f64 / self.all_links;
            steps.push((x.at(load), y.at(share)));
        }
        steps
    }

    fn tooltip(&self, unit: Unit) -> String {
        let all = self.all_links as usize;
        // With a zero for each idle link in front.
        let median = match (all / 2).checked_sub(all - self.loads.len()) {
            Some(place) => self.loads.get(place).copied().unwrap_or(0.0),
            None => 0.0,
        };
        format!(
            "{}: {} of {} links carry something, {} are idle; median {}, busiest {}",
            self.name,
            grouped(self.loads.len() as f64),
            grouped(self.all_links),
            percent(self.idle()),
            unit.written(median),
            unit.written(self.most())
        )
    }
}

fn distinct(rising: &[f64]) -> usize {
    rising.windows(2).filter(|two| two[0] != two[1]).count() + usize::from(!rising.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn axes() -> (Axis, Axis) {
        (Axis::linear((0.0, 10.0), (0.0, 100.0)), Axis::linear((0.0, 1.0), (100.0, 0.0)))
    }

    #[test]
    fn a_line_starts_at_idle_links_and_ends_at_all() {
        let series =
            Series { name: "a".into(), loads: vec![10.0, 5.0, 5.0, f64::NAN], all_links: 8 };
        let line = Line::of(&series).unwrap();
        let (x, y) = axes();
        // 5 of 8 links are idle; two carry 5, the last 10.
        assert_eq!(line.steps(&x, &y), [(0.0, 37.5), (50.0, 12.5), (100.0, 0.0)]);
        // The fifth of eight in ascending order is idle.
        assert!(line.tooltip(Unit::Bytes).contains("62.5 % are idle; median 0 B, busiest 10 B"));
    }

    #[test]
    fn many_loads_become_at_most_four_hundred_steps_that_move_by_less_than_one() {
        let loads: Vec<f64> = (1..=5000).map(|number| f64::from(number) / 500.0).collect();
        let series = Series { name: "a".into(), loads, all_links: 5000 };
        let line = Line::of(&series).unwrap();
        let (x, y) = axes();
        let steps = line.steps(&x, &y);
        assert!(steps.len() <= MOST_STEPS + 2, "{}", steps.len());
        // The line is a diagonal; a step is a quarter of a pixel here.
        assert!(steps.iter().all(|&(x, y)| (x - (100.0 - y)).abs() < 0.26));
    }
}
