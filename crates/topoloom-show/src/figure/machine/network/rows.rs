//! How large the switches of a row are, and where their names fit.

use crate::layout::{DrawnMachine, Layers};
use crate::svg::width_of;

/// The size of names of switches and hosts.
pub const NAME: f64 = 10.0;

/// From this distance of two switches on, the ends of long names are written.
const LONG_ENOUGH: f64 = 70.0;

/// How names of switches are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SwitchNames {
    /// Inside them.
    Inside,
    /// Above them, upwards: only in the highest row, where nothing else is.
    Above,
    /// There is no room.
    None,
}

/// The look of a row of switches.
#[derive(Debug, Clone, Copy)]
pub struct Row {
    pub names: SwitchNames,
    pub widest_name: f64,
    /// Half the width and half the height of a switch.
    pub half: [f64; 2],
}

impl Row {
    pub fn of(drawn: &DrawnMachine, layers: &Layers, unit: f64, level: u16) -> Row {
        let in_row = |&(_, &at): &(usize, &u16)| at == level;
        let points: Vec<usize> =
            layers.level_of.iter().enumerate().filter(in_row).map(|(point, _)| point).collect();
        let mut places: Vec<f64> =
            points.iter().map(|&point| f64::from(drawn.points[point][0]) * unit).collect();
        places.sort_by(f64::total_cmp);
        let apart = places.windows(2).map(|two| two[1] - two[0]).fold(f64::INFINITY, f64::min);
        let labels = points.iter().filter_map(|&point| layers.labels.get(point));
        let widest_name = labels.map(|label| width_of(label, NAME)).fold(0.0, f64::max);
        let apart = apart.min(240.0);
        let inside = widest_name + 10.0;
        let (names, width, height) = if inside + 4.0 <= apart || apart >= LONG_ENOUGH {
            (SwitchNames::Inside, inside.max(26.0).min(apart - 4.0), 16.0)
        } else {
            let is_top = level == layers.top();
            let above = is_top && apart >= NAME + 1.0 && widest_name <= 140.0;
            let names = if above { SwitchNames::Above } else { SwitchNames::None };
            let width = (0.66 * apart).clamp(1.4, 26.0);
            (names, width, (0.5 * width).clamp(4.0, 11.0))
        };
        Row { names, widest_name, half: [0.5 * width, 0.5 * height] }
    }
}
