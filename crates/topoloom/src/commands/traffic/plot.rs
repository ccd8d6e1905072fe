//! The matrix of who sends how much to whom, as a picture.

use std::fmt::Write;

use topoloom::core::Weight;
use topoloom::core::insight::Matrix;

use super::show::shortened;
use crate::output::numbers::{bytes, grouped};
use crate::output::svg::escaped;

/// Where the matrix stands, and how large it is.
const LEFT: f64 = 86.0;
const TOP: f64 = 92.0;
const SIDE: f64 = 560.0;
const WIDTH: f64 = LEFT + SIDE + 150.0;
const HEIGHT: f64 = TOP + SIDE + 54.0;

/// Colours told apart; cells of one are one shape, which keeps files small.
const SHADES: usize = 48;

/// From little to much, readable in grey and for the colour-blind (viridis, reversed).
const SCALE: [(u8, u8, u8); 6] =
    [(236, 229, 27), (122, 209, 81), (34, 168, 132), (42, 120, 142), (65, 68, 135), (68, 1, 84)];

/// What is written around it.
pub struct Labels<'a> {
    pub name: &'a str,
    pub ranks: usize,
    pub weight: Weight,
}

/// Sender down, receiver right; colours by the logarithm.
pub fn svg(matrix: &Matrix, labels: &Labels<'_>) -> String {
    let mut text = String::new();
    let mut line = |content: String| {
        text.push_str(&content);
        text.push('\n');
    };
    line(format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" width=\"{WIDTH}\" height=\"{HEIGHT}\" font-family=\"sans-serif\" font-size=\"13\" fill=\"#222\">"
    ));
    let title = escaped(&shortened(labels.name, 70));
    line(format!("<title>Who sends how much to whom: {title}</title>"));
    line(format!("<rect width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"white\"/>"));
    line(format!(
        "<text x=\"{LEFT}\" y=\"26\" font-size=\"17\" font-weight=\"bold\">{title}</text>"
    ));
    let bins = match matrix.ranks_per_cell {
        1 => String::new(),
        ranks => format!("; a cell is {ranks} x {ranks} ranks"),
    };
    let ranks = grouped(labels.ranks as f64);
    line(format!(
        "<text x=\"{LEFT}\" y=\"46\" fill=\"#555\">{} from each sender to each receiver, {ranks} ranks{bins}</text>",
        labels.weight
    ));
    let range = matrix.range().map(widened);
    if let Some(range) = range {
        line(cells(matrix, range));
    }
    line(format!(
        "<rect x=\"{LEFT}\" y=\"{TOP}\" width=\"{SIDE}\" height=\"{SIDE}\" fill=\"none\" stroke=\"#444\"/>"
    ));
    line(axes(matrix, labels.ranks));
    match range {
        Some(range) => line(legend(range, labels.weight)),
        None => line(format!(
            "<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">no messages</text>",
            LEFT + SIDE / 2.0,
            TOP + SIDE / 2.0
        )),
    }
    text.push_str("</svg>\n");
    text
}

/// Values that hardly differ shall not look as if they did.
fn widened((least, most): (f64, f64)) -> (f64, f64) {
    const AT_LEAST: f64 = 10.0;
    if least < most { (least.min(most / AT_LEAST), most) } else { (least, most) }
}

/// Where a value stands between the least and the most, by the logarithm; 1 if all are equal.
fn position(value: f64, (least, most): (f64, f64)) -> f64 {
    if most > least { (value / least).ln() / (most / least).ln() } else { 1.0 }
}

fn colour(position: f64) -> String {
    let place = position.clamp(0.0, 1.0) * (SCALE.len() - 1) as f64;
    let below = (place as usize).min(SCALE.len() - 2);
    let part = place - below as f64;
    let (a, b) = (SCALE[below], SCALE[below + 1]);
    let mix = |a: u8, b: u8| (f64::from(a) + part * (f64::from(b) - f64::from(a))).round() as u8;
    format!("#{:02x}{:02x}{:02x}", mix(a.0, b.0), mix(a.1, b.1), mix(a.2, b.2))
}

/// The cells that hold something, those of one colour in a row as one shape.
fn cells(matrix: &Matrix, range: (f64, f64)) -> String {
    let shade = |row: usize, column: usize| {
        let value = matrix.at(row, column);
        (value > 0.0).then(|| (position(value, range) * (SHADES - 1) as f64).round() as usize)
    };
    let mut paths = vec![String::new(); SHADES];
    for row in 0..matrix.size {
        let mut column = 0;
        while column < matrix.size {
            let first = column;
            let own = shade(row, first);
            while column < matrix.size && shade(row, column) == own {
                column += 1;
            }
            if let Some(own) = own {
                let width = column - first;
                let _ = write!(paths[own], "M{first} {row}h{width}v1h-{width}z");
            }
        }
    }
    let scale = SIDE / matrix.size as f64;
    let mut text = format!(
        "<g transform=\"translate({LEFT} {TOP}) scale({scale:.6})\" shape-rendering=\"crispEdges\">"
    );
    for (shade, path) in paths.iter().enumerate().filter(|(_, path)| !path.is_empty()) {
        let fill = colour(shade as f64 / (SHADES - 1) as f64);
        let _ = write!(text, "\n<path fill=\"{fill}\" d=\"{path}\"/>");
    }
    text + "\n</g>"
}

/// Rank numbers along both sides, each at the middle of its cell.
fn axes(matrix: &Matrix, ranks: usize) -> String {
    let cell = SIDE / matrix.size as f64;
    let mut text = String::new();
    for rank in ticks(ranks) {
        let at = ((rank / matrix.ranks_per_cell) as f64 + 0.5) * cell;
        let (x, y) = (LEFT + at, TOP + at);
        let label = grouped(rank as f64);
        let _ = writeln!(
            text,
            "<path d=\"M{x:.1} {TOP}v-5M{LEFT} {y:.1}h-5\" stroke=\"#444\"/><text x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{label}</text><text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{label}</text>",
            TOP - 9.0,
            LEFT - 9.0,
            y + 4.5
        );
    }
    let middle = SIDE / 2.0;
    let _ = write!(
        text,
        "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">receiving rank &#8594;</text><text transform=\"translate(22 {:.1}) rotate(-90)\" text-anchor=\"middle\">&#8592; sending rank</text>",
        LEFT + middle,
        TOP + SIDE + 28.0,
        TOP + middle
    );
    text
}

/// The first rank, and about eight round numbers after it.
fn ticks(ranks: usize) -> Vec<usize> {
    let wanted = (ranks as f64 / 8.0).max(1.0);
    // Ranks come in powers of two as often as in tens.
    let step = if ranks.is_power_of_two() {
        (wanted as usize).next_power_of_two()
    } else {
        let ten = 10f64.powf(wanted.log10().floor());
        let steps = [1.0, 2.0, 5.0, 10.0].map(|times| times * ten);
        steps.into_iter().find(|&step| step >= wanted).unwrap_or(10.0 * ten) as usize
    };
    (0..ranks).step_by(step.max(1)).collect()
}

/// The colours with what they stand for.
fn legend(range: (f64, f64), weight: Weight) -> String {
    let amount = |value: f64| match weight {
        Weight::Bytes => bytes(value),
        Weight::Messages => grouped(value.round()),
    };
    let (x, height) = (LEFT + SIDE + 28.0, 240.0);
    let mut text = format!("<text x=\"{x}\" y=\"{:.1}\">{weight} (log)</text>", TOP + 4.0);
    let bottom = TOP + 20.0 + height;
    let (least, most) = range;
    if most <= least {
        let _ = write!(
            text,
            "<rect x=\"{x}\" y=\"{:.1}\" width=\"18\" height=\"18\" fill=\"{}\"/><text x=\"{}\" y=\"{:.1}\">{}</text>",
            TOP + 20.0,
            colour(1.0),
            x + 26.0,
            TOP + 34.0,
            amount(most)
        );
        return text + &silent(x, TOP + 64.0);
    }
    let part = height / SHADES as f64;
    for shade in 0..SHADES {
        let y = bottom - (shade + 1) as f64 * part;
        let fill = colour(shade as f64 / (SHADES - 1) as f64);
        let _ = write!(
            text,
            "<rect x=\"{x}\" y=\"{y:.1}\" width=\"18\" height=\"{:.1}\" fill=\"{fill}\"/>",
            part + 0.5
        );
    }
    let mut labels = vec![(0.0, least), (1.0, most)];
    let powers = (least.log10().floor() as i32..=most.log10().ceil() as i32).map(|p| 10f64.powi(p));
    for power in powers {
        let place = position(power, range);
        // Labels must not cover each other.
        if labels.iter().all(|known| (known.0 - place).abs() * height > 17.0)
            && place > 0.0
            && place < 1.0
        {
            labels.push((place, power));
        }
    }
    for (place, value) in labels {
        let y = bottom - place * height;
        let _ = write!(
            text,
            "<path d=\"M{} {y:.1}h4\" stroke=\"#444\"/><text x=\"{}\" y=\"{:.1}\">{}</text>",
            x + 18.0,
            x + 26.0,
            y + 4.5,
            amount(value)
        );
    }
    text + &silent(x, bottom + 20.0)
}

fn silent(x: f64, y: f64) -> String {
    format!(
        "<rect x=\"{x}\" y=\"{y:.1}\" width=\"18\" height=\"18\" fill=\"white\" stroke=\"#888\"/><text x=\"{}\" y=\"{:.1}\">nothing</text>",
        x + 26.0,
        y + 13.5
    )
}
