//! Pictures of traffic, machines and placements, and the report that contains them.
//!
//! A [`Picture`] is drawn once and used in three ways: as an SVG file, as PNG, and inside the
//! report, where it takes the colours of the page. The same input gives the same bytes.

pub mod colour;
pub mod figure;
pub mod layout;
mod letters;
pub mod numbers;
mod picture;
pub mod plain_text;
mod png;
pub mod report;
pub mod svg;

pub use picture::Picture;
pub use png::{PngError, png_of};
