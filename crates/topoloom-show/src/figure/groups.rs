//! Bars in groups: the values of several methods in several cases, with published values beside
//! ours.

use super::axis::Axis;
use super::drawing::{Drawing, Letters, MARGIN, SMALL, place};
use super::legend::{self, Sample};
use super::plot::{self, Numbers};
use super::room::Area;
use super::unit::Scale;
use super::{Frame, Unit};
use crate::Picture;
use crate::colour::SERIES;
use crate::svg::{escaped, fitted, width_of, wrapped};

/// The values of several methods in several cases.
#[derive(Debug, Clone, PartialEq)]
pub struct Groups {
    /// The title, in a few words.
    pub title: String,
    /// What readers must know, in a sentence or two.
    pub explanation: String,
    /// What bars mean, such as `time relative to the best`.
    pub what: String,
    /// The unit of the values.
    pub unit: Unit,
    /// The names of the methods: the bars of each group, in order.
    pub series: Vec<String>,
    /// The cases, from left to right.
    pub groups: Vec<Group>,
    /// A value that all are compared with, and its name.
    pub reference: Option<(f64, String)>,
}

/// One case.
#[derive(Debug, Clone, PartialEq)]
pub struct Group {
    /// The label below it.
    pub name: String,
    /// One bar for each of the series.
    pub bars: Vec<Bar>,
}

/// One method in one case.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Bar {
    /// The value that was computed here.
    pub ours: Option<f64>,
    /// Its standard deviation.
    pub deviation: Option<f64>,
    /// The value that a paper prints.
    pub published: Option<f64>,
}

impl Bar {
    /// A value without a published one.
    pub fn ours(value: f64) -> Bar {
        Bar { ours: Some(value), ..Bar::default() }
    }

    fn values(&self) -> [Option<f64>; 2] {
        [self.published, self.ours].map(|value| value.filter(|value| value.is_finite()))
    }

    fn deviation(&self) -> Option<f64> {
        self.deviation.filter(|deviation| deviation.is_finite() && *deviation > 0.0)
    }
}

/// The gap between groups, and the least and the greatest width of a bar with the gap beside it.
const GAP: f64 = 16.0;
const NARROWEST: f64 = 10.0;
const WIDEST: f64 = 34.0;
/// The height of the bars if there is one row of groups, and if there are several.
const HEIGHT: f64 = 250.0;
const HEIGHT_OF_SEVERAL: f64 = 170.0;
/// The font size of the numbers at the ends of bars.
const NUMBER: f64 = 10.0;
/// The most lines of the name of a group.
const MOST_LINES: usize = 3;
const LINE: f64 = 15.0;

/// Vertical bars from zero, with one group per case; groups that do not fit in one row go below.
pub fn groups(frame: Frame, input: &Groups) -> Picture {
    let columns = columns(input);
    let values = || {
        input.groups.iter().flat_map(|group| &group.bars).flat_map(|bar| {
            let [published, ours] = bar.values();
            let spread = bar.deviation().zip(ours).map(|(deviation, ours)| ours + deviation);
            [published, ours, spread.filter(|value| value.is_finite())].into_iter().flatten()
        })
    };
    if columns.is_empty() || values().next().is_none() {
        return Drawing::nothing(frame, &input.title, "There are no numbers to draw.");
    }
    let (mut drawing, top) = Drawing::new(frame, &input.title, &input.explanation);
    let top = legend::draw(&mut drawing, top, &entries(input, &columns));
    let reference = input.reference.as_ref().filter(|(value, _)| value.is_finite());
    let high = values().chain(reference.map(|(value, _)| *value)).fold(0.0, f64::max);
    let low = values().fold(0.0, f64::min);
    let scale = input.unit.up_to(high.max(-low));
    let written = Numbers::In(scale.clone());
    let sample = Axis::linear((low, high), (HEIGHT, 0.0));
    let left = plot::room_left(&sample, HEIGHT, &written);
    let words = input.groups.iter().flat_map(|group| group.name.split_whitespace());
    let widest_word = words.map(|word| width_of(word, SMALL)).fold(0.0, f64::max);
    let room = drawing.width - MARGIN - left;
    let layout = Layout::new(room, input.groups.len(), columns.len(), widest_word + 6.0);
    let numbers = Ends::new(&scale, values(), layout.bar);
    let height = match layout.per_row < input.groups.len() {
        true => HEIGHT_OF_SEVERAL,
        false => HEIGHT,
    };
    let mut y = top + 26.0;
    for row in input.groups.chunks(layout.per_row) {
        let area = Area { left, top: y, right: drawing.width - MARGIN, bottom: y + height };
        let below = if low < 0.0 { numbers.room } else { 0.0 };
        let axis = Axis::linear((low, high), (area.bottom - below, area.top + numbers.room));
        plot::left(&mut drawing, area, &axis, &written, &scale.title(&input.what));
        let columns = &columns;
        let bars = Row { input, columns, layout: &layout, axis: &axis, numbers: &numbers };
        let lines = bars.draw(&mut drawing, area, row);
        y = area.bottom + 10.0 + lines as f64 * LINE + 24.0;
    }
    let description = description(input);
    drawing.done(y - 20.0, description)
}

/// One bar of every group: the number of its series, and whether it is a published one.
#[derive(Debug, Clone, Copy, PartialEq)]
struct ColumnOfBars {
    series: usize,
    is_published: bool,
}

/// The columns that are not empty in every group.
fn columns(input: &Groups) -> Vec<ColumnOfBars> {
    let is_used = |column: &ColumnOfBars| {
        let values = input.groups.iter().filter_map(|group| group.bars.get(column.series));
        values.map(Bar::values).any(|values| values[usize::from(!column.is_published)].is_some())
    };
    let all = (0..input.series.len())
        .flat_map(|series| [true, false].map(|is_published| ColumnOfBars { series, is_published }));
    all.filter(is_used).collect()
}

/// The look of the bars of a column.
fn look(column: ColumnOfBars) -> String {
    let colour = column.series % SERIES.len();
    match column.is_published {
        true => format!("class=\"paper line-{colour}\" stroke-width=\"1.6\""),
        false => format!("class=\"fill-{colour}\""),
    }
}

const PUBLISHED: &str = "class=\"paper axis\" stroke-width=\"1.6\"";
const REFERENCE: &str = "class=\"axis\" stroke-width=\"1.5\" stroke-dasharray=\"5 3\"";
const DEVIATION: &str = "class=\"axis\" stroke-width=\"1.3\"";

/// The legend: the series, and everything else that is drawn.
fn entries(input: &Groups, columns: &[ColumnOfBars]) -> Vec<(Sample, String)> {
    let mut entries: Vec<(Sample, String)> = Vec::new();
    for (series, name) in input.series.iter().enumerate() {
        let mut of_series = columns.iter().filter(|column| column.series == series);
        // Filled, unless there are only published values.
        if let Some(&column) = of_series.next_back() {
            entries.push((Sample::Field(look(column)), name.clone()));
        }
    }
    let has = |is_published: bool| columns.iter().any(|column| column.is_published == is_published);
    if has(true) {
        let text = if has(false) { "outlined: published" } else { "published" };
        entries.push((Sample::Field(PUBLISHED.to_string()), text.to_string()));
    }
    let mut bars = input.groups.iter().flat_map(|group| &group.bars);
    if bars.any(|bar| bar.deviation().is_some()) {
        entries.push((Sample::Line(DEVIATION.to_string()), "standard deviation".to_string()));
    }
    if let Some((value, name)) = &input.reference
        && value.is_finite()
    {
        entries.push((Sample::Line(REFERENCE.to_string()), name.clone()));
    }
    entries
}

/// How groups share the width.
#[derive(Debug, Clone, PartialEq)]
struct Layout {
    /// The number of groups in a row.
    per_row: usize,
    /// The width of a bar and the gap beside it.
    bar: f64,
    /// The distance from the start of a group to the start of the next one.
    step: f64,
}

impl Layout {
    /// `name` is the width of the widest name of a group.
    fn new(room: f64, groups: usize, columns: usize, name: f64) -> Layout {
        let (groups, columns) = (groups.max(1), columns.max(1) as f64);
        let least = (columns * NARROWEST + GAP).max(name);
        let most = ((room / least) as usize).clamp(1, groups);
        // Rows with about the same number of groups.
        let per_row = groups.div_ceil(groups.div_ceil(most));
        let step = room / per_row as f64;
        let bar = ((step - GAP) / columns).clamp(1.0, WIDEST);
        Layout { per_row, bar, step }
    }
}

/// The numbers at the ends of bars.
struct Ends<'a> {
    scale: &'a Scale,
    /// The largest value in the scale's unit determines the decimals of all numbers.
    most: f64,
    /// Whether they are rotated to read upwards; `None` if bars have no room for text.
    upward: Option<bool>,
    /// The room that they need beyond the ends.
    room: f64,
}

impl<'a> Ends<'a> {
    fn new(scale: &'a Scale, values: impl Iterator<Item = f64> + Clone, bar: f64) -> Ends<'a> {
        let most = values.clone().map(f64::abs).fold(0.0, f64::max) / scale.factor();
        let mut ends = Ends { scale, most, upward: None, room: 6.0 };
        let widest = values.map(|value| width_of(&ends.number(value), NUMBER)).fold(0.0, f64::max);
        if widest + 2.0 <= bar {
            (ends.upward, ends.room) = (Some(false), 16.0);
        } else if bar >= NARROWEST {
            (ends.upward, ends.room) = (Some(true), (widest + 10.0).min(HEIGHT_OF_SEVERAL / 3.0));
        }
        ends
    }

    /// Three digits for the largest, and the same number of decimals for all others: bars are not
    /// more exact.
    fn number(&self, value: f64) -> String {
        let decimals = match self.most {
            most if !(1.0..1e4).contains(&most) => return self.scale.number(value),
            most => (2 - most.log10().floor() as i32).max(0) as usize,
        };
        let text = format!("{:.decimals$}", value / self.scale.factor());
        match text.trim_start_matches('-').chars().all(|digit| matches!(digit, '0' | '.')) {
            true => "0".to_string(),
            false => text,
        }
    }

    /// Writes the number of a bar that ends at `y`, centred at `x`.
    fn write(&self, drawing: &mut Drawing, (x, y): (f64, f64), value: f64) {
        let text = escaped(&self.number(value));
        let below = value < 0.0;
        let letters = Letters::INK.of_size(NUMBER);
        match self.upward {
            Some(false) => {
                let y = if below { y + 12.0 } else { y - 4.0 };
                drawing.text((x, y), letters.centred(), &text);
            }
            Some(true) if below => {
                drawing.upward_text((x + 3.6, y + 4.0), letters.ending(), &text);
            }
            Some(true) => drawing.upward_text((x + 3.6, y - 4.0), letters, &text),
            None => {}
        }
    }
}

/// A row of groups.
struct Row<'a> {
    input: &'a Groups,
    columns: &'a [ColumnOfBars],
    layout: &'a Layout,
    axis: &'a Axis,
    numbers: &'a Ends<'a>,
}

impl Row<'_> {
    /// Returns how many lines the names below take.
    fn draw(&self, drawing: &mut Drawing, area: Area, groups: &[Group]) -> usize {
        let Layout { bar, step, .. } = *self.layout;
        let zero = self.axis.at(0.0);
        let mut most_lines = 1;
        let mut numbers = Vec::new();
        for (number, group) in groups.iter().enumerate() {
            let middle = area.left + (number as f64 + 0.5) * step;
            let begin = middle - bar * self.columns.len() as f64 / 2.0;
            for (place, &column) in self.columns.iter().enumerate() {
                let Some(values) = group.bars.get(column.series) else { continue };
                let Some(value) = values.values()[usize::from(!column.is_published)] else {
                    continue;
                };
                let (left, width) = (begin + place as f64 * bar, (bar * 0.86).max(0.5));
                let end = self.axis.at(value);
                let whose = if column.is_published { ", published" } else { "" };
                let tooltip = format!(
                    "{}, {}{whose}: {}",
                    group.name,
                    self.input.series[column.series],
                    self.input.unit.written(value)
                );
                let extent = (width, (end - zero).abs());
                drawing.rectangle((left, end.min(zero)), extent, &look(column), &tooltip);
                let mut end_of_all = end;
                if let Some(deviation) = values.deviation().filter(|_| !column.is_published) {
                    end_of_all = self.whisker(drawing, left + width / 2.0, (value, deviation));
                }
                numbers.push(((left + width / 2.0, end_of_all), value));
            }
            let room = step - 6.0;
            let mut lines = wrapped(&group.name, SMALL, room);
            lines.truncate(MOST_LINES);
            most_lines = most_lines.max(lines.len());
            for (line, text) in lines.iter().enumerate() {
                let at = (middle, area.bottom + 16.0 + line as f64 * LINE);
                drawing.text(at, Letters::INK.small().centred(), &fitted(text, SMALL, room));
            }
        }
        drawing.line((area.left, zero), (area.right, zero), "class=\"axis\"");
        if let Some((value, name)) = self.input.reference.as_ref().filter(|(v, _)| v.is_finite()) {
            let y = place(self.axis.at(*value));
            let path = format!("M{} {y}H{}", place(area.left), place(area.right));
            drawing.pointed_line(&path, REFERENCE, name);
        }
        // Drawn above all lines.
        for (at, value) in numbers {
            self.numbers.write(drawing, at, value);
        }
        most_lines
    }

    /// A line of one deviation to both sides; returns where it ends.
    fn whisker(&self, drawing: &mut Drawing, x: f64, (value, deviation): (f64, f64)) -> f64 {
        let (low, high) = (self.axis.at(value - deviation), self.axis.at(value + deviation));
        let cap = self.layout.bar * 0.2;
        let path = format!(
            "M{x} {low}V{high}M{left} {high}H{right}M{left} {low}H{right}",
            x = place(x),
            low = place(low),
            high = place(high),
            left = place(x - cap),
            right = place(x + cap)
        );
        drawing.path(&path, DEVIATION, "");
        if value < 0.0 { low } else { high }
    }
}

/// The largest and the smallest bar, and how many published values are beside them.
fn description(input: &Groups) -> String {
    let all = || {
        input.groups.iter().flat_map(|group| {
            let named = input.series.iter().zip(&group.bars);
            named.filter_map(move |(series, bar)| Some((bar.values()[1]?, &group.name, series)))
        })
    };
    let said = |(value, group, series): (f64, &String, &String)| {
        format!("{} for {series} of {group}", input.unit.written(value))
    };
    let least = all().min_by(|a, b| a.0.total_cmp(&b.0)).map(said);
    let most = all().max_by(|a, b| a.0.total_cmp(&b.0)).map(said);
    let bars = input.groups.iter().flat_map(|group| &group.bars);
    let published = bars.filter(|bar| bar.values()[0].is_some()).count();
    let mut text = format!("{}: {} groups of bars.", input.what, input.groups.len());
    if let (Some(least), Some(most)) = (least, most) {
        text.push_str(&format!(" From {least} to {most}."));
    }
    if published > 0 {
        text.push_str(&format!(" Published values: {published}."));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn input(groups: usize, published: Option<f64>) -> Groups {
        let bars = |group: usize| {
            let first = Bar { ours: Some(group as f64 + 1.0), published, ..Bar::default() };
            vec![first, Bar { deviation: Some(0.5), ..Bar::ours(2.0) }]
        };
        Groups {
            title: "Times".to_string(),
            explanation: String::new(),
            what: "time".to_string(),
            unit: Unit::Plain,
            series: vec!["one".to_string(), "two".to_string()],
            groups: (0..groups)
                .map(|group| Group { name: format!("case {group}"), bars: bars(group) })
                .collect(),
            reference: None,
        }
    }

    #[test]
    fn a_published_value_is_a_bar_beside_ours() {
        let with = groups(Frame::WIDE, &input(3, Some(7.0))).body;
        let without = groups(Frame::WIDE, &input(3, None)).body;
        let bars = |body: &str| body.matches("<rect").count();
        // Three groups of two bars, and the two fields of the legend; with published values, three
        // more bars and one more field.
        assert_eq!((bars(&without), bars(&with)), (8, 12));
        assert!(with.contains("case 1, one, published: 7"));
        assert!(with.contains("outlined: published") && !without.contains("published"));
    }

    #[test]
    fn groups_that_have_no_room_go_below() {
        // Two bars of 10 and a gap of 16 are 36: ten fit 360, so 30 take three rows of ten.
        assert_eq!(Layout::new(360.0, 30, 2, 20.0).per_row, 10);
        assert_eq!(Layout::new(360.0, 11, 2, 20.0).per_row, 6);
        // Names of 90 fit four times.
        assert_eq!(Layout::new(360.0, 30, 2, 90.0).per_row, 4);
        let few = Layout::new(400.0, 2, 2, 20.0);
        assert_eq!((few.per_row, few.step, few.bar), (2, 200.0, WIDEST));
    }

    #[test]
    fn numbers_stand_upright_where_bars_are_narrow() {
        let scale = Unit::Plain.up_to(2.0);
        let upward = |bar: f64| Ends::new(&scale, [1.25].into_iter(), bar).upward;
        // "1.25" of size 10 is 22.3 wide.
        assert_eq!((upward(30.0), upward(12.0), upward(4.0)), (Some(false), Some(true), None));
    }

    #[test]
    fn all_numbers_have_the_decimals_of_the_largest() {
        let scale = Unit::Percent.up_to(0.684);
        let ends = Ends::new(&scale, [0.684, 0.000_167].into_iter(), 20.0);
        let written = [0.684, 0.000_167, -0.0001, -0.007, 0.1].map(|value| ends.number(value));
        assert_eq!(written, ["68.4", "0", "0", "-0.7", "10.0"]);
    }
}
