//! Figures, one file each; each returns a [`Picture`](crate::Picture).
//!
//! A figure is a function of plain numbers and of the width available. Values that cannot be drawn,
//! such as infinite numbers, are left out. If nothing remains, the picture says so.

mod axis;
pub mod bars;
pub mod curve;
mod drawing;
pub mod groups;
pub mod host;
mod legend;
pub mod levels;
pub mod loads;
pub mod machine;
pub mod matrix;
mod plot;
mod projection;
pub mod racks;
mod room;
pub mod scatter;
pub mod speeds;
pub mod timeline;
mod unit;
pub mod waiting;

pub use unit::Unit;

/// How much room a figure has. Text keeps its size. A narrow figure puts parts below each other
/// that a wide one puts side by side.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Frame {
    /// In pixels.
    pub width: f64,
}

impl Frame {
    /// For a page on a screen or on paper.
    pub const WIDE: Frame = Frame { width: 760.0 };
    /// For a mobile phone.
    pub const NARROW: Frame = Frame { width: 360.0 };

    /// A width in which a figure can be drawn.
    fn usable_width(self) -> f64 {
        if self.width.is_finite() {
            self.width.round().clamp(300.0, 4000.0)
        } else {
            Frame::WIDE.width
        }
    }

    fn is_narrow(self) -> bool {
        self.usable_width() < 560.0
    }
}

/// The values that can be drawn: finite, and not below 0.
fn drawable(values: impl IntoIterator<Item = f64>) -> impl Iterator<Item = f64> {
    values.into_iter().filter(|value| value.is_finite() && *value >= 0.0)
}

#[cfg(test)]
mod tests;
