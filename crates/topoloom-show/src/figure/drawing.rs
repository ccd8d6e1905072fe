//! A picture while it is drawn, element by element.

use std::fmt::{Display, Write};

use super::Frame;
use crate::Picture;
use crate::svg::{bold_width_of, escaped, wrapped};

/// Font sizes of titles, of text, and of labels of axes.
const TITLE: f64 = 16.0;
pub(super) const TEXT: f64 = 13.0;
pub(super) const SMALL: f64 = 12.0;
/// The margin to the left and to the right of everything.
pub(super) const MARGIN: f64 = 12.0;

/// How a text looks.
#[derive(Debug, Clone, Copy)]
pub(super) struct Letters {
    class: &'static str,
    size: f64,
    anchor: &'static str,
    is_bold: bool,
}

impl Letters {
    /// Important text.
    pub const INK: Letters = Letters { class: "ink", size: TEXT, anchor: "", is_bold: false };
    /// Secondary text.
    pub const SOFT: Letters = Letters { class: "soft", size: SMALL, anchor: "", is_bold: false };

    pub fn small(self) -> Letters {
        Letters { size: SMALL, ..self }
    }

    pub fn of_size(self, size: f64) -> Letters {
        Letters { size, ..self }
    }

    pub fn bold(self, is_bold: bool) -> Letters {
        Letters { is_bold, ..self }
    }

    /// The text ends at its position instead of starting there.
    pub fn ending(self) -> Letters {
        Letters { anchor: " text-anchor=\"end\"", ..self }
    }

    pub fn centred(self) -> Letters {
        Letters { anchor: " text-anchor=\"middle\"", ..self }
    }

    fn attributes(self) -> String {
        let weight = if self.is_bold { " font-weight=\"bold\"" } else { "" };
        format!("class=\"{}\" font-size=\"{}\"{}{weight}", self.class, self.size, self.anchor)
    }
}

/// A number as written in pictures: rounded to a hundredth, and always finite.
pub(super) fn place(value: f64) -> impl Display {
    let value = if value.is_finite() { (value * 100.0).round() / 100.0 } else { 0.0 };
    // Avoids a negative zero.
    value + 0.0
}

/// An unfinished picture.
#[derive(Debug)]
pub(super) struct Drawing {
    pub width: f64,
    title: String,
    body: String,
}

impl Drawing {
    /// Begins with the title and a line or two of explanation; returns where the room below begins.
    pub fn new(frame: Frame, title: &str, explanation: &str) -> (Drawing, f64) {
        let width = frame.usable_width();
        let mut drawing = Drawing { width, title: title.to_string(), body: String::new() };
        let room = width - 2.0 * MARGIN;
        let mut y = 4.0;
        // Bold letters are at most a fifth wider.
        let size_of_title = if bold_width_of(title, TITLE) > room { 14.0 } else { TITLE };
        for line in wrapped(title, size_of_title * 1.15, room) {
            y += 20.0;
            let letters = Letters { size: size_of_title, ..Letters::INK };
            drawing.text((MARGIN, y), letters.bold(true), &escaped(&line));
        }
        for line in wrapped(explanation, SMALL, room) {
            y += 17.0;
            drawing.text((MARGIN, y), Letters::SOFT, &escaped(&line));
        }
        (drawing, y + 10.0)
    }

    /// A picture with nothing to see, and the reason.
    pub fn nothing(frame: Frame, title: &str, reason: &str) -> Picture {
        let (mut drawing, top) = Drawing::new(frame, title, "");
        let mut y = top + 8.0;
        for line in wrapped(reason, TEXT, drawing.width - 2.0 * MARGIN) {
            y += 18.0;
            drawing.text((MARGIN, y), Letters::INK, &escaped(&line));
        }
        drawing.done(y + 20.0, reason.to_string())
    }

    pub fn done(self, height: f64, description: String) -> Picture {
        let height = if height.is_finite() { height.ceil() } else { 100.0 };
        Picture { width: self.width, height, title: self.title, description, body: self.body }
    }

    /// Adds something that is already SVG.
    pub fn raw(&mut self, element: &str) {
        self.body.push_str(element);
        self.body.push('\n');
    }

    /// Adds text that is already escaped.
    pub fn text(&mut self, (x, y): (f64, f64), letters: Letters, content: &str) {
        let (x, y, attributes) = (place(x), place(y), letters.attributes());
        let _ = writeln!(self.body, "<text x=\"{x}\" y=\"{y}\" {attributes}>{content}</text>");
    }

    /// The same, rotated to read upwards.
    pub fn upward_text(&mut self, (x, y): (f64, f64), letters: Letters, content: &str) {
        let (x, y, attributes) = (place(x), place(y), letters.attributes());
        let _ = writeln!(
            self.body,
            "<text transform=\"translate({x} {y}) rotate(-90)\" {attributes}>{content}</text>"
        );
    }

    /// A rectangle; `look` has its attributes, and `tooltip` shows under the pointer.
    pub fn rectangle(
        &mut self,
        (x, y): (f64, f64),
        (width, height): (f64, f64),
        look: &str,
        tooltip: &str,
    ) {
        let (x, y) = (place(x), place(y));
        let (width, height) = (place(width.max(0.0)), place(height.max(0.0)));
        let _ = writeln!(
            self.body,
            "<rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" {look}{}",
            ending("rect", tooltip)
        );
    }

    /// A line or a shape.
    pub fn path(&mut self, path: &str, look: &str, tooltip: &str) {
        let _ = writeln!(self.body, "<path d=\"{path}\" {look}{}", ending("path", tooltip));
    }

    /// A line from one point to another.
    pub fn line(&mut self, (x1, y1): (f64, f64), (x2, y2): (f64, f64), look: &str) {
        let path = format!("M{} {}L{} {}", place(x1), place(y1), place(x2), place(y2));
        self.path(&path, look, "");
    }

    /// A line that is easy to point at: its tooltip also shows a few pixels beside it.
    pub fn pointed_line(&mut self, path: &str, look: &str, tooltip: &str) {
        let _ = writeln!(
            self.body,
            "<g fill=\"none\"><title>{}</title><path d=\"{path}\" {look}/>\
             <path d=\"{path}\" stroke=\"none\" stroke-width=\"12\" pointer-events=\"stroke\"/></g>",
            escaped(tooltip)
        );
    }

    pub fn circle(&mut self, (x, y): (f64, f64), radius: f64, look: &str, tooltip: &str) {
        let (x, y) = (place(x), place(y));
        let _ = writeln!(
            self.body,
            "<circle cx=\"{x}\" cy=\"{y}\" r=\"{radius}\" {look}{}",
            ending("circle", tooltip)
        );
    }
}

fn ending(element: &str, tooltip: &str) -> String {
    match tooltip {
        "" => "/>".to_string(),
        tooltip => format!("><title>{}</title></{element}>", escaped(tooltip)),
    }
}
