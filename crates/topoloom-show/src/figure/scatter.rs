//! The costs of placements against the time that it took to find them.

use super::axis::Axis;
use super::drawing::{Drawing, Letters, MARGIN, SMALL, place};
use super::legend::{self, Sample};
use super::plot::{self, Numbers};
use super::room::{Area, Room};
use super::{Frame, Unit};
use crate::Picture;
use crate::svg::{bold_width_of, escaped, width_of, wrapped};

/// Strategies on one problem.
#[derive(Debug, Clone, PartialEq)]
pub struct Scatter {
    /// The name of the costs, such as `hop-bytes`.
    pub cost: String,
    /// The unit of the costs.
    pub unit: Unit,
    /// No placement costs less.
    pub bound: Option<f64>,
    /// One dot each.
    pub strategies: Vec<Strategy>,
}

/// One strategy.
#[derive(Debug, Clone, PartialEq)]
pub struct Strategy {
    /// Its name.
    pub name: String,
    /// The search time.
    pub seconds: f64,
    /// The cost of its placement.
    pub cost: f64,
    /// Drawn in another colour with a bold name.
    pub highlighted: bool,
}

/// Shorter times are drawn as this one: nobody notices them.
const SHORTEST: f64 = 1e-6;
const TITLE: &str = "What time buys";
const DOT: f64 = 5.0;

/// A dot for each strategy: further down is cheaper, further left is quicker.
pub fn scatter(frame: Frame, input: &Scatter) -> Picture {
    let drawn = |strategy: &&Strategy| {
        strategy.cost.is_finite() && strategy.cost >= 0.0 && strategy.seconds.is_finite()
    };
    let strategies: Vec<&Strategy> = input.strategies.iter().filter(drawn).collect();
    if strategies.is_empty() {
        return Drawing::nothing(frame, TITLE, "No strategy has numbers to draw.");
    }
    let bound = input.bound.filter(|bound| bound.is_finite() && *bound >= 0.0);
    let front = front(&strategies);
    let explanation = format!(
        "{} of placements against the time to find them; further down is cheaper, further left is quicker",
        capitalised(&input.cost)
    );
    let (mut drawing, top) = Drawing::new(frame, TITLE, &explanation);
    let mut entries = vec![(
        Sample::Dot("class=\"fill-0\"".to_string()),
        "no other is both cheaper and quicker".to_string(),
    )];
    if front.len() < strategies.len() {
        entries
            .push((Sample::Dot(BEATEN.to_string()), "another is cheaper and quicker".to_string()));
    }
    if strategies.iter().any(|strategy| strategy.highlighted) {
        entries.push((Sample::Dot("class=\"fill-1\"".to_string()), "chosen".to_string()));
    }
    if bound.is_some() {
        entries.push((Sample::Line(BOUND.to_string()), "lower bound".to_string()));
    }
    let top = legend::draw(&mut drawing, top, &entries) + 28.0;
    let height = if frame.is_narrow() { 280.0 } else { 340.0 };
    let costs = strategies.iter().map(|strategy| strategy.cost).chain(bound);
    let (low, high) = range(costs);
    // Room below the cheapest, and above the most expensive.
    let margin = if high > low { 0.07 * (high - low) } else { high.abs().max(1.0) / 2.0 };
    let range_of_cost = ((low - margin).max(0.0), high + margin);
    let scale = input.unit.up_to(high);
    let numbers = Numbers::In(scale.clone());
    let vertical = |top: f64| Axis::linear(range_of_cost, (top + height, top));
    let left = plot::room_left(&vertical(top), height, &numbers);
    let area = Area { left, top, right: drawing.width - MARGIN, bottom: top + height };
    let y = vertical(top);
    let (first, last) = range(strategies.iter().map(|strategy| strategy.seconds.max(SHORTEST)));
    let x = Axis::log((first / 1.6, last * 1.6), (area.left, area.right));
    plot::left(&mut drawing, area, &y, &numbers, &scale.title(&input.cost));
    plot::below(&mut drawing, area, &x, &Numbers::Of(Unit::Seconds), "time to find it (log)");
    drawing.line((area.left, area.top), (area.left, area.bottom), "class=\"axis\"");
    let at = |strategy: &Strategy| (x.at(strategy.seconds.max(SHORTEST)), y.at(strategy.cost));
    let mut room = Room::new(area);
    if let Some(bound) = bound {
        let path = format!("M{} {}H{}", place(area.left), place(y.at(bound)), place(area.right));
        let tooltip = format!("lower bound: {}", input.unit.written(bound));
        drawing.pointed_line(&path, BOUND, &tooltip);
        let y = y.at(bound);
        room.take(Area { left: area.left, right: area.right, top: y - 2.0, bottom: y + 2.0 });
    }
    let places: Vec<(f64, f64)> = front.iter().map(|&number| at(strategies[number])).collect();
    draw_front(&mut drawing, &mut room, &places);
    for (number, strategy) in strategies.iter().enumerate() {
        let (x, y) = at(strategy);
        room.take(Area { left: x - DOT, right: x + DOT, top: y - DOT, bottom: y + DOT });
        let look = match (strategy.highlighted, front.contains(&number)) {
            (true, _) => "class=\"fill-1\"",
            (_, true) => "class=\"fill-0\"",
            (_, false) => BEATEN,
        };
        let cost = input.unit.written(strategy.cost);
        let time = Unit::Seconds.written(strategy.seconds.max(0.0));
        let over = match bound {
            Some(bound) if bound > 0.0 => format!(", {:.2} times the bound", strategy.cost / bound),
            _ => String::new(),
        };
        let tooltip = format!("{}: {cost}{over}, found in {time}", strategy.name);
        drawing.circle((x, y), DOT, look, &tooltip);
    }
    let numbered = write_names(&mut drawing, &mut room, &strategies, &front, at);
    let mut bottom = area.bottom + 44.0;
    for line in wrapped(&numbered.join(", "), SMALL, drawing.width - 2.0 * MARGIN) {
        drawing.text((MARGIN, bottom + 6.0), Letters::INK.small(), &escaped(&line));
        bottom += 17.0;
    }
    let description = description(input, &strategies, &front, bound);
    drawing.done(bottom, description)
}

const BEATEN: &str = "class=\"paper line-6\" stroke-width=\"2\"";
const BOUND: &str = "class=\"axis\" stroke-width=\"2\" stroke-dasharray=\"5 3\"";

fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
}

fn range(values: impl Iterator<Item = f64>) -> (f64, f64) {
    values.fold((f64::MAX, f64::MIN), |(low, high), value| (low.min(value), high.max(value)))
}

/// The strategies that no other one beats in both values, the quickest first. Equal ones are all
/// included.
fn front(strategies: &[&Strategy]) -> Vec<usize> {
    let is_beaten = |own: &Strategy| {
        strategies.iter().any(|other| {
            other.cost <= own.cost
                && other.seconds <= own.seconds
                && (other.cost < own.cost || other.seconds < own.seconds)
        })
    };
    let mut front: Vec<usize> =
        (0..strategies.len()).filter(|&number| !is_beaten(strategies[number])).collect();
    front.sort_by(|&a, &b| strategies[a].seconds.total_cmp(&strategies[b].seconds));
    front
}

/// The lowest cost after each time, as steps down.
fn draw_front(drawing: &mut Drawing, room: &mut Room, places: &[(f64, f64)]) {
    for two in places.windows(2) {
        let ((x1, y1), (x2, y2)) = (two[0], two[1]);
        room.take(Area { left: x1, right: x2, top: y1 - 1.0, bottom: y1 + 1.0 });
        room.take(Area { left: x2 - 1.0, right: x2 + 1.0, top: y1.min(y2), bottom: y1.max(y2) });
    }
    let mut path = String::new();
    for (number, &(x, y)) in places.iter().enumerate() {
        match number {
            0 => path.push_str(&format!("M{} {}", place(x), place(y))),
            _ => path.push_str(&format!("H{}V{}", place(x), place(y))),
        }
    }
    if places.len() > 1 {
        drawing.path(&path, "class=\"line-0\" fill=\"none\" stroke-opacity=\"0.5\"", "");
    }
}

/// Names beside their dots, first the chosen one and those of the front. Returns the others, with
/// the numbers that are beside their dots instead; pointing at a dot shows its name too.
fn write_names(
    drawing: &mut Drawing,
    room: &mut Room,
    strategies: &[&Strategy],
    front: &[usize],
    at: impl Fn(&Strategy) -> (f64, f64),
) -> Vec<String> {
    let mut order: Vec<usize> = (0..strategies.len()).collect();
    order.sort_by_key(|number| (!strategies[*number].highlighted, !front.contains(number)));
    let mut numbered = Vec::new();
    let mut unnamed = 0;
    for number in order {
        let strategy = strategies[number];
        let letters = Letters::INK.small().bold(strategy.highlighted);
        let width = match strategy.highlighted {
            true => bold_width_of(&strategy.name, SMALL),
            false => width_of(&strategy.name, SMALL),
        };
        if let Some(free) = room.place(around(at(strategy), width)) {
            drawing.text((free.left, free.bottom - 3.0), letters, &escaped(&strategy.name));
            continue;
        }
        let short = (numbered.len() + 1).to_string();
        if let Some(free) = room.place(around(at(strategy), width_of(&short, SMALL))) {
            drawing.text((free.left, free.bottom - 3.0), letters, &short);
            numbered.push(format!("{short} {}", strategy.name));
        } else {
            unnamed += 1;
        }
    }
    if unnamed > 0 {
        numbered.push(format!("{unnamed} more have no room for a name"));
    }
    numbered
}

/// Where a text of this width could be around a dot, the best place first.
fn around((x, y): (f64, f64), width: f64) -> [Area; 8] {
    let area = |left: f64, top: f64| Area { left, top, right: left + width, bottom: top + 14.0 };
    let (right, left, middle) = (x + DOT + 4.0, x - DOT - 4.0 - width, x - width / 2.0);
    [
        area(right, y - 7.0),
        area(left, y - 7.0),
        area(middle, y - DOT - 17.0),
        area(middle, y + DOT + 2.0),
        area(right, y - 19.0),
        area(right, y + 5.0),
        area(left, y - 19.0),
        area(left, y + 5.0),
    ]
}

fn description(
    input: &Scatter,
    strategies: &[&Strategy],
    front: &[usize],
    bound: Option<f64>,
) -> String {
    let named = |&number: &usize| {
        let strategy = strategies[number];
        let time = Unit::Seconds.written(strategy.seconds.max(0.0));
        format!("{} with {} in {time}", strategy.name, input.unit.written(strategy.cost))
    };
    let all: Vec<String> = front.iter().map(named).collect();
    let bound = match bound {
        Some(bound) => format!(" The lower bound is {}.", input.unit.written(bound)),
        None => String::new(),
    };
    format!(
        "Of {} strategies, no other is both cheaper and quicker than {}.{bound}",
        strategies.len(),
        all.join(", ")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_front_has_those_that_none_beats_in_both() {
        let strategy =
            |seconds, cost| Strategy { name: String::new(), seconds, cost, highlighted: false };
        // The third is slower and more expensive than the second; the last two are equal.
        let all = [
            strategy(9.0, 1.0),
            strategy(2.0, 4.0),
            strategy(3.0, 5.0),
            strategy(1.0, 7.0),
            strategy(1.0, 7.0),
        ];
        assert_eq!(front(&all.iter().collect::<Vec<_>>()), [3, 4, 1, 0]);
    }
}
