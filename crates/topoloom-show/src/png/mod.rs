//! Pictures as PNG, with our own font, so they look the same on every machine.

mod bytes;
mod error;
mod glyphs;
mod marks;
mod outlines;
mod text;

use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::{Options, Tree};

pub use error::PngError;

use crate::Picture;

/// The most pixels of a PNG: 32 million take 128 MB while they are drawn.
const MOST_PIXELS: f64 = 32e6;
/// The most pixels along a side.
const LONGEST_SIDE: f64 = 20_000.0;
/// The most bytes of SVG: it is held in memory several times.
const MOST_BYTES: usize = 32 << 20;

impl Picture {
    /// As PNG, with `scale` pixels per unit: 2 suits today's screens and documents. Refuses more
    /// than 32 million pixels or 20,000 along a side.
    pub fn png(&self, scale: f32) -> Result<Vec<u8>, PngError> {
        let has_size = [self.width, self.height].iter().all(|side| side.is_finite() && *side > 0.0);
        if !has_size {
            return Err(PngError(format!("it is {} x {} large", self.width, self.height)));
        }
        png_of(&self.standalone(), scale)
    }
}

/// A whole SVG file as PNG, within the same limits. Text is drawn in DejaVu Sans, whatever font it
/// asks for. Its size, weight and anchor come from attributes, not from style sheets; text with
/// other elements in it is refused.
pub fn png_of(svg: &str, scale: f32) -> Result<Vec<u8>, PngError> {
    if !(scale.is_finite() && scale > 0.0) {
        return Err(PngError(format!("expected a scale above 0, found {scale}")));
    }
    if svg.len() > MOST_BYTES {
        let megabytes = svg.len() >> 20;
        return Err(PngError(format!("{megabytes} MB of SVG is more than {}", MOST_BYTES >> 20)));
    }
    let svg = text::as_paths(svg)?;
    let tree =
        Tree::from_str(&svg, &Options::default()).map_err(|error| PngError(error.to_string()))?;
    let side = |length: f32| (f64::from(length) * f64::from(scale)).ceil().max(1.0);
    let (width, height) = (side(tree.size().width()), side(tree.size().height()));
    if width.max(height) > LONGEST_SIDE || width * height > MOST_PIXELS {
        return Err(PngError(format!(
            "{width:.0} x {height:.0} pixels are too many; at most {LONGEST_SIDE:.0} along a side and \
             {:.0} million in all",
            MOST_PIXELS / 1e6
        )));
    }
    let mut pixels = Pixmap::new(width as u32, height as u32)
        .ok_or_else(|| PngError(format!("no room for {width:.0} x {height:.0} pixels")))?;
    resvg::render(&tree, Transform::from_scale(scale, scale), &mut pixels.as_mut());
    pixels.encode_png().map_err(|error| PngError(error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::svg::{bold_width_of, width_of};

    fn picture(width: f64, height: f64, body: &str) -> Picture {
        let (title, description) = ("a title".to_string(), "a description".to_string());
        Picture { width, height, title, description, body: body.to_string() }
    }

    /// Pixels that are darker than half grey, in a part of a picture.
    fn dark(png: &[u8], columns: std::ops::Range<u32>, rows: std::ops::Range<u32>) -> usize {
        let pixels = Pixmap::decode_png(png).unwrap();
        let is_dark = |&(x, y): &(u32, u32)| pixels.pixel(x, y).unwrap().red() < 128;
        rows.flat_map(|y| columns.clone().map(move |x| (x, y))).filter(is_dark).count()
    }

    #[test]
    fn a_png_has_the_size_of_its_picture_times_the_scale_and_is_the_same_twice() {
        let drawn = picture(100.0, 40.5, "<rect class=\"fill-0\" width=\"10\" height=\"10\"/>");
        let png = drawn.png(2.0).unwrap();
        assert_eq!(png, drawn.png(2.0).unwrap());
        // The header of a PNG has 16 bytes before width and height.
        assert_eq!(png[16..24], [0, 0, 0, 200, 0, 0, 0, 81]);
        let pixels = Pixmap::decode_png(&png).unwrap();
        let blue = pixels.pixel(5, 5).unwrap();
        assert_eq!((blue.red(), blue.green(), blue.blue()), (0x00, 0x72, 0xb2));
    }

    #[test]
    fn letters_are_drawn_where_they_stand_and_bold_ones_are_darker() {
        let body = |weight: &str| {
            format!("<text class=\"ink\" x=\"10\" y=\"20\"{weight}>Größe µ ≤ → label</text>")
        };
        let regular = picture(160.0, 40.0, &body("")).png(1.0).unwrap();
        let bold = picture(160.0, 40.0, &body(" font-weight=\"bold\"")).png(1.0).unwrap();
        let inked = dark(&regular, 10..150, 8..24);
        assert!(inked > 100, "{inked}");
        assert!(dark(&bold, 10..160, 8..24) > inked + 50);
        assert_eq!(dark(&regular, 0..160, 26..40), 0);
    }

    #[test]
    fn a_text_is_as_wide_as_its_letters() {
        // A text fits between bars at the distance of its computed width, to within a pixel.
        let all: String = ('!'..='~').collect();
        for (text, bold) in [
            ("0123456789", false),
            ("mmmmmmmmmm", true),
            ("Œœ—Ŵ", true),
            (&all, false),
            (&all, true),
        ] {
            let width = if bold { bold_width_of(text, 20.0) } else { width_of(text, 20.0) };
            let weight = if bold { " font-weight=\"bold\"" } else { "" };
            let body = format!(
                "<text class=\"ink\" x=\"10\" y=\"24\" font-size=\"20\"{weight}>{}</text>",
                crate::svg::escaped(text)
            );
            let end = (10.0 + width).ceil() as u32;
            let png = picture(f64::from(end) + 40.0, 40.0, &body).png(1.0).unwrap();
            assert_eq!(dark(&png, end..end + 40, 0..40), 0, "{text}");
            assert_eq!(dark(&png, 0..9, 0..40), 0, "{text}");
            if text.is_ascii() {
                assert!(dark(&png, end - 8..end, 0..40) > 0, "{text}");
            }
        }
    }

    #[test]
    fn what_is_too_large_or_no_size_is_refused() {
        for (width, height, scale) in
            [(1e6, 1.0, 1.0), (1e4, 1e4, 1.0), (100.0, 100.0, 1e6), (1e300, 1e300, 1.0)]
        {
            assert!(picture(width, height, "").png(scale).is_err(), "{width} x {height}");
        }
        for (width, scale) in
            [(f64::NAN, 1.0), (0.0, 1.0), (-1.0, 1.0), (9.0, 0.0), (9.0, f32::NAN)]
        {
            assert!(picture(width, 10.0, "").png(scale).is_err(), "{width} at {scale}");
        }
        let message = picture(1e4, 1e4, "").png(1.0).unwrap_err().to_string();
        assert!(message.contains("10000 x 10000 pixels are too many"), "{message}");
        assert!(picture(10.0, 10.0, "<unclosed>").png(1.0).is_err());
    }
}
