//! A picture, drawn once and used three ways.

use crate::svg::escaped;

/// A picture as SVG. Its body has classes instead of colours wherever these depend on the page:
/// `ink` and `soft` fill text, `axis` and `rule` stroke lines, `paper` fills the ground, `fill-0` to
/// `fill-7` and `line-0` to `line-7` are series (see [`colour::SERIES`](crate::colour::SERIES)).
#[derive(Debug, Clone, PartialEq)]
pub struct Picture {
    /// In units of the body, which are pixels where nothing scales it.
    pub width: f64,
    /// The same.
    pub height: f64,
    /// What it is, in a few words.
    pub title: String,
    /// What it shows, in a sentence or two, for those who cannot see it.
    pub description: String,
    /// Elements of SVG, without the one around them.
    pub body: String,
}

/// The look of a picture that stands alone: dark on white.
const STYLE: &str = include_str!("picture.css");

impl Picture {
    /// A file of its own.
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

    /// A part of a page, which gives it its colours; `id` is like no other on the page.
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
