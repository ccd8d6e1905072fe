//! Where the points of a layered machine are on paper.

use super::rows::{NAME, Row, SwitchNames};
use crate::layout::{DrawnMachine, Layers};
use crate::svg::{width_of, wrapped};

/// The size of names of levels.
const LEVEL_NAME: f64 = 12.0;

/// The widest line of the name of a level.
const WIDEST_LEVEL_NAME: f64 = 104.0;

/// The largest distance of two hosts.
const LARGEST_UNIT: f64 = 58.0;

/// The room between hosts and their names, and around everything.
const CLEAR: f64 = 6.0;

/// Which blocks have one label.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Together {
    /// Each block has its own.
    Block,
    /// Blocks of a pod, which are closer together than pods are.
    Pod,
}

/// How names of hosts are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HostNames {
    /// Below each host.
    Each,
    /// Below each host, upwards.
    EachUpwards,
    /// The first and the last name of blocks that are no farther apart than this, below them.
    Runs { together: Together, upwards: bool },
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

/// Blocks with one label: from the middle of the first host to that of the last one.
#[derive(Debug, Clone, PartialEq)]
pub struct Run {
    pub left: f32,
    pub right: f32,
    /// The height of the lowest row.
    pub lowest: f32,
    pub label: String,
}

/// The blocks that are labelled together.
pub fn runs(drawn: &DrawnMachine, layers: &Layers, names: HostNames) -> Vec<Run> {
    /// Pods are at least this far apart, hosts of different blocks of a pod less.
    const BETWEEN_PODS: f32 = 1.9;
    let HostNames::Runs { together, .. } = names else { return Vec::new() };
    let mut blocks: Vec<(Run, u32, u32)> = Vec::new();
    for block in &layers.blocks {
        let (Some(&first), Some(&last)) = (block.first(), block.last()) else { continue };
        let mut run =
            Run { left: f32::MAX, right: f32::MIN, lowest: f32::MAX, label: String::new() };
        for &host in block {
            let [x, y, _] = drawn.points[host as usize];
            (run.left, run.right) = (run.left.min(x), run.right.max(x));
            run.lowest = run.lowest.min(y);
        }
        blocks.push((run, first, last));
    }
    blocks.sort_by(|a, b| a.0.left.total_cmp(&b.0.left).then(a.1.cmp(&b.1)));
    let mut joined: Vec<(Run, u32, u32)> = Vec::new();
    for (run, first, last) in blocks {
        match joined.last_mut() {
            Some((before, _, end))
                if together == Together::Pod && run.left - before.right < BETWEEN_PODS =>
            {
                (before.right, *end) = (before.right.max(run.right), last);
                before.lowest = before.lowest.min(run.lowest);
            }
            _ => joined.push((run, first, last)),
        }
    }
    let label = |point: u32| layers.labels.get(point as usize).map_or("", |label| &label[..]);
    let named = |(run, first, last): (Run, u32, u32)| {
        let is_number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
        let [a, b] = [first, last].map(label);
        let label = match first == last {
            true => a.to_string(),
            false if is_number(a) && is_number(b) => format!("{a}-{b}"),
            false => format!("{a} to {b}"),
        };
        Run { label, ..run }
    };
    joined.into_iter().map(named).collect()
}

/// How names of hosts fit, and the room that they need.
fn host_names(drawn: &DrawnMachine, layers: &Layers, unit: f64) -> (HostNames, f64) {
    /// Longer names than this are not written upwards: they would be longer than the picture.
    const LONGEST: f64 = 150.0;
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
    for together in [Together::Block, Together::Pod] {
        let level = HostNames::Runs { together, upwards: false };
        let runs = runs(drawn, layers, level);
        // One label for everything says nothing.
        if together == Together::Pod && runs.len() < 2 {
            break;
        }
        let (mut widest, mut narrowest, mut fitting) = (0f64, f64::INFINITY, 0);
        for run in &runs {
            let text = width_of(&run.label, NAME);
            let room = (f64::from(run.right - run.left) + 1.2) * unit;
            fitting += usize::from(text <= room);
            (widest, narrowest) = (widest.max(text), narrowest.min(room));
        }
        if fitting == runs.len() {
            return (level, line);
        }
        if narrowest >= NAME && widest <= LONGEST {
            return (HostNames::Runs { together, upwards: true }, widest + 4.0);
        }
        if 2 * fitting >= runs.len() {
            return (level, line);
        }
    }
    (HostNames::None, 0.0)
}

/// The room above the highest switches, if their names are written upwards.
fn room_of_top_names(drawn: &DrawnMachine, layers: &Layers, unit: f64) -> f64 {
    let top = layers.top();
    let row = Row::of(drawn, layers, unit, top);
    match row.names {
        SwitchNames::Above => row.widest_name + 6.0,
        _ => 0.0,
    }
}
