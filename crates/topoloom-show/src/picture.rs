//! A picture, drawn once and used in three ways.

use crate::svg::escaped;

/// A picture as SVG. Its body has classes instead of colours if these depend on the page: `ink` and
/// `soft` fill text, `axis` and `rule` stroke lines, `paper` fills the background, `fill-0` to
/// `fill-7` and `line-0` to `line-7` are series (see [`colour::SERIES`](crate::colour::SERIES)).
#[derive(Debug, Clone, PartialEq)]
pub struct Picture {
    /// In units of the body, which are pixels if it is not scaled.
    pub width: f64,
    /// In the same units.
    pub height: f64,
    /// The title, in a few words.
    pub title: String,
    /// What it shows, in a sentence or two, for those who cannot see it.
    pub description: String,
    /// SVG elements, without the `svg` element around them.
    pub body: String,
}

/// The look of a picture in its own file: dark on white.
const STYLE: &str = include_str!("picture.css");

impl Picture {
    /// The picture as a complete SVG file.
    pub fn standalone(&self) -> String {
        let Picture { width, height, .. } = self;
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" \
             height=\"{height}\" role=\"img\" font-family=\"DejaVu Sans, sans-serif\" font-size=\"13\">\n\
             <title>{}</title>\n<desc>{}</desc>\n<style>{STYLE}</style>\n\
             <rect class=\"paper\" width=\"{width}\" height=\"{height}\"/>\n{}\n</svg>\n",
            escaped(&self.title),
            escaped(&self.description),
            self.body.trim_end()
        )
    }

    /// A part of a page, which gives it its colours; `id` is unique on the page.
    pub fn inline(&self, id: &str) -> String {
        let Picture { width, height, .. } = self;
        format!(
            "<svg class=\"picture\" id=\"{id}\" viewBox=\"0 0 {width} {height}\" role=\"img\" \
             style=\"max-width:{width}px\" aria-labelledby=\"{id}-title {id}-text\" font-size=\"13\">\
             <title id=\"{id}-title\">{}</title><desc id=\"{id}-text\">{}</desc>\n{}\n</svg>",
            escaped(&self.title),
            escaped(&self.description),
            self.body.trim_end()
        )
    }
}
