//! Where the points of a layered machine are on paper.

use crate::layout::{DrawnMachine, Layers};
use crate::svg::{width_of, wrapped};

/// The size of names of levels, of switches and of hosts.
pub const LEVEL_NAME: f64 = 12.0;
pub const NAME: f64 = 10.0;

/// The widest line of the name of a level.
const WIDEST_LEVEL_NAME: f64 = 104.0;

/// The largest distance of two hosts.
const LARGEST_UNIT: f64 = 58.0;

/// The room between hosts and their names, and around everything.
const CLEAR: f64 = 6.0;

/// How names of hosts are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HostNames {
    /// Below each host.
    Each,
    /// Below each host, upwards.
    EachUpwards,
    /// Those at the ends of a block, below it.
    Blocks,
    /// The same upwards.
    BlocksUpwards,
    /// There is no room.
    None,
}

/// The paper of one panel.
#[derive(Debug, Clone)]
pub struct Paper {
    pub width: f64,
    pub height: f64,
    /// The distance of two hosts.
    pub unit: f64,
    /// Where the names of levels end.
    pub left: f64,
    /// The lines of the name of each level.
    pub level_names: Vec<Vec<String>>,
    pub host_names: HostNames,
    top: f64,
    least_x: f64,
    most_y: f64,
}

impl Paper {
    /// A panel of at most this width.
    pub fn new(drawn: &DrawnMachine, layers: &Layers, widest: f64) -> Paper {
        let mut counts = vec![0usize; layers.names.len()];
        for &level in &layers.level_of {
            if let Some(count) = counts.get_mut(usize::from(level)) {
                *count += 1;
            }
        }
        let level_names: Vec<Vec<String>> = layers
            .names
            .iter()
            .zip(&counts)
            .map(|(name, &count)| {
                let text = format!("{name} ({})", crate::numbers::grouped(count as f64));
                wrapped(&text, LEVEL_NAME, WIDEST_LEVEL_NAME)
            })
            .collect();
        let widths = level_names.iter().flatten().map(|line| width_of(line, LEVEL_NAME));
        let left = widths.fold(0.0, f64::max) + 14.0;
        let (mut least, mut most) = ([f64::INFINITY; 2], [f64::NEG_INFINITY; 2]);
        for point in &drawn.points {
            for axis in 0..2 {
                least[axis] = least[axis].min(f64::from(point[axis]));
                most[axis] = most[axis].max(f64::from(point[axis]));
            }
        }
        if drawn.points.is_empty() {
            (least, most) = ([0.0; 2], [0.0; 2]);
        }
        let across = most[0] - least[0] + 1.0;
        let unit = ((widest - left) / across).min(LARGEST_UNIT);
        let (host_names, room) = host_names(drawn, layers, unit);
        let names_above = room_of_top_names(drawn, layers, unit);
        let cell = if layers.in_cells { 0.5 * unit } else { 0.5 * host_size(unit) };
        let top = CLEAR + names_above + 10.0;
        let height = top + (most[1] - least[1]) * unit + cell + room + CLEAR;
        Paper {
            width: left + across * unit,
            height,
            unit,
            left,
            level_names,
            host_names,
            top,
            least_x: least[0] - 0.5,
            most_y: most[1],
        }
    }

    /// Where a point is.
    pub fn see(&self, [x, y, _]: [f32; 3]) -> [f64; 2] {
        [
            self.left + (f64::from(x) - self.least_x) * self.unit,
            self.top + (self.most_y - f64::from(y)) * self.unit,
        ]
    }
}

/// The size of a host that is not a cell of a block.
pub fn host_size(unit: f64) -> f64 {
    (0.62 * unit).clamp(1.5, 15.0)
}

/// The label of a block: its only host, or the first and the last.
pub fn block_label(layers: &Layers, block: &[u32]) -> String {
    let label = |point: Option<&u32>| {
        point.and_then(|&point| layers.labels.get(point as usize)).map_or("", |label| &label[..])
    };
    match block {
        [] => String::new(),
        [_] => label(block.first()).to_string(),
        [first, .., last] => {
            let [first, last] = [first, last].map(|point| label(Some(point)));
            let is_number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
            let to = if is_number(first) && is_number(last) { "-" } else { " to " };
            format!("{first}{to}{last}")
        }
    }
}

/// How names of hosts fit, and the room that they need.
fn host_names(drawn: &DrawnMachine, layers: &Layers, unit: f64) -> (HostNames, f64) {
    /// Longer names than this are not written upwards: they would be longer than the picture.
    const LONGEST: f64 = 130.0;
    let line = NAME + 4.0;
    if !layers.in_cells {
        let labels = layers.labels.iter().take(drawn.holding);
        let widest = labels.map(|label| width_of(label, NAME)).fold(0.0, f64::max);
        if widest + 3.0 <= unit {
            return (HostNames::Each, line);
        }
        if unit >= NAME + 1.0 && widest <= LONGEST {
            return (HostNames::EachUpwards, widest + 4.0);
        }
    }
    let (mut widest, mut narrowest, mut fits) = (0f64, f64::INFINITY, true);
    for block in &layers.blocks {
        let text = width_of(&block_label(layers, block), NAME);
        let place = |point: &u32| f64::from(drawn.points[*point as usize][0]);
        let right = block.iter().map(place).fold(f64::NEG_INFINITY, f64::max);
        let left = block.iter().map(place).fold(f64::INFINITY, f64::min);
        let room = (right - left + 1.4) * unit;
        fits &= text + 2.0 <= room;
        (widest, narrowest) = (widest.max(text), narrowest.min(room));
    }
    match fits {
        true => (HostNames::Blocks, line),
        false if narrowest >= NAME - 1.0 && widest <= LONGEST => {
            (HostNames::BlocksUpwards, widest + 4.0)
        }
        false => (HostNames::None, 0.0),
    }
}

/// The room above the highest switches, if their names are written upwards.
fn room_of_top_names(drawn: &DrawnMachine, layers: &Layers, unit: f64) -> f64 {
    let top = layers.top();
    let row = super::glyphs::Row::of(drawn, layers, unit, top);
    match row.names {
        super::glyphs::SwitchNames::Above => row.widest_name + 6.0,
        _ => 0.0,
    }
}
