//! The text of a picture as paths, so what draws the picture needs no fonts.

use std::fmt::Write;

use roxmltree::{Document, Node};

use super::error::PngError;
use super::glyphs::font;
use super::marks::composed;
use super::outlines::Step;
use crate::plain_text::is_unseen;

const SVG: &str = "http://www.w3.org/2000/svg";
const XML: &str = "http://www.w3.org/XML/1998/namespace";
/// The most bytes of SVG with paths: a letter takes about 300.
const MOST_BYTES: usize = 256 << 20;
/// The font size if none is given.
const USUAL_SIZE: f64 = 12.0;
/// Attributes that would place letters differently, and that no picture of ours has.
const UNSUPPORTED: [&str; 9] = [
    "dx",
    "dy",
    "rotate",
    "textLength",
    "letter-spacing",
    "word-spacing",
    "writing-mode",
    "dominant-baseline",
    "text-decoration",
];

/// The same SVG with a path in place of each text, which keeps the attributes of the text.
pub(super) fn as_paths(svg: &str) -> Result<String, PngError> {
    let document = Document::parse(svg).map_err(|error| PngError(error.to_string()))?;
    // What the ranges of nodes refer to.
    let svg = document.input_text();
    let mut drawn = String::with_capacity(svg.len());
    let mut copied = 0;
    for text in document.descendants().filter(|node| node.has_tag_name((SVG, "text"))) {
        let range = text.range();
        if range.start < copied {
            // In the title of another text: not drawn.
            continue;
        }
        drawn.push_str(&svg[copied..range.start]);
        copied = range.end;
        let path = path_of(text)?;
        if !path.is_empty() {
            let _ = write!(drawn, "<path d=\"{path}\"");
            for attribute in
                text.attributes().filter(|kept| !["x", "y", "d"].contains(&kept.name()))
            {
                let _ = write!(drawn, " {}", &svg[attribute.range()]);
            }
            drawn.push_str("/>");
        }
        if drawn.len() > MOST_BYTES {
            let megabytes = MOST_BYTES >> 20;
            return Err(PngError(format!("its letters take more than {megabytes} MB as paths")));
        }
    }
    drawn.push_str(&svg[copied..]);
    Ok(drawn)
}

/// The letters of a text as the data of a path; empty if there is nothing to see.
fn path_of(text: Node<'_, '_>) -> Result<String, PngError> {
    if let Some(name) = UNSUPPORTED.iter().find(|name| text.has_attribute(**name)) {
        return Err(PngError(format!("expected a text without \"{name}\"")));
    }
    let size = match inherited(text, "font-size") {
        Some(size) => number("font-size", size.strip_suffix("px").unwrap_or(size))?,
        None => USUAL_SIZE,
    };
    let is_bold = match inherited(text, "font-weight") {
        Some("bold" | "bolder") => true,
        Some(weight) => weight.parse().is_ok_and(|weight: f64| weight >= 600.0),
        None => false,
    };
    let place = |name: &str| text.attribute(name).map_or(Ok(0.0), |value| number(name, value));
    let (x, y) = (place("x")?, place("y")?);

    let glyphs: Vec<_> =
        letters_of(text)?.chars().map(|letter| font(is_bold).glyph(letter)).collect();
    let width: f64 = glyphs.iter().map(|glyph| size * glyph.advance).sum();
    let mut left = match inherited(text, "text-anchor") {
        Some("middle") => x - width / 2.0,
        Some("end") => x - width,
        _ => x,
    };
    let mut path = String::new();
    for glyph in glyphs {
        for step in &glyph.steps {
            // In SVG, y is downwards.
            let step =
                step.map(|(across, up)| (rounded(left + size * across), rounded(y - size * up)));
            let _ = match step {
                Step::Start((x, y)) => {
                    write!(path, "{}M{x} {y}", if path.is_empty() { "" } else { "Z" })
                }
                Step::Line((x, y)) => write!(path, "L{x} {y}"),
                Step::Curve((x1, y1), (x, y)) => write!(path, "Q{x1} {y1} {x} {y}"),
            };
        }
        left += size * glyph.advance;
    }
    if !path.is_empty() {
        path.push('Z');
    }
    Ok(path)
}

/// The value of an attribute, or of the nearest element around that has it.
fn inherited<'a>(text: Node<'a, '_>, name: &str) -> Option<&'a str> {
    let values = text.ancestors().filter_map(|node| node.attribute(name));
    values.map(str::trim).find(|value| *value != "inherit")
}

fn number(name: &str, value: &str) -> Result<f64, PngError> {
    let number = value.trim().parse().ok().filter(|number: &f64| number.is_finite());
    number.ok_or_else(|| {
        PngError(format!("expected a number as {name} of a text, found \"{value}\""))
    })
}

/// To a thousandth: far below a pixel.
fn rounded(value: f64) -> f64 {
    // Avoids a negative zero.
    (value * 1000.0).round() / 1000.0 + 0.0
}

/// What is to be drawn of a text. As SVG asks for, blanks at its ends and a second blank in a row
/// are left out.
fn letters_of(text: Node<'_, '_>) -> Result<String, PngError> {
    let mut written = String::new();
    for child in text.children() {
        match child.tag_name().name() {
            _ if child.is_text() => written.push_str(child.text().unwrap_or_default()),
            _ if !child.is_element() => {}
            "title" | "desc" => {}
            name => {
                return Err(PngError(format!("expected only letters in a text, found <{name}>")));
            }
        }
    }
    let is_blank = |letter: char| matches!(letter, ' ' | '\t' | '\n' | '\r');
    let space = text.ancestors().find_map(|node| node.attribute((XML, "space")));
    let written = match space {
        Some("preserve") => written.replace(is_blank, " "),
        _ => {
            let words: Vec<&str> =
                written.split(is_blank).filter(|word| !word.is_empty()).collect();
            words.join(" ")
        }
    };
    Ok(composed(&written).replace(is_unseen, ""))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn(body: &str) -> Result<String, PngError> {
        let start = format!("<svg xmlns=\"{SVG}\">");
        let paths = as_paths(&format!("{start}{body}</svg>"))?;
        Ok(paths.strip_prefix(&start).unwrap().strip_suffix("</svg>").unwrap().to_string())
    }

    /// The data of the only path.
    fn data(body: &str) -> String {
        let drawn = drawn(body).unwrap();
        assert_eq!(drawn.matches("<path").count(), 1, "{drawn}");
        let data = drawn.split_once("<path d=\"").unwrap().1;
        data.split_once('"').unwrap().0.to_string()
    }

    #[test]
    fn a_text_is_a_path_with_its_attributes_and_all_else_stays() {
        // In units of the font, of which a font size has 2048, a bar is a rectangle from 260 to 430
        // across and from -483 to 1565 up.
        let body = "<g>&amp;<!-- a --><text x=\"10\" class='i &amp; k' y=\"20\" transform=\"rotate(9)\" \
                    font-size=\"2048\"><title>told</title>|</text><title>text</title></g>";
        let path = "M440 -1545L440 503L270 503L270 -1545Z";
        let drawn = drawn(body).unwrap();
        assert!(drawn.starts_with("<g>&amp;<!-- a --><path d=\"M"), "{drawn}");
        let end = "Z\" class='i &amp; k' transform=\"rotate(9)\" font-size=\"2048\"/><title>text</title></g>";
        assert!(drawn.ends_with(end), "{drawn}");
        assert_eq!(data(body), path);
    }

    #[test]
    fn size_weight_and_anchor_are_inherited() {
        let direct =
            data("<text font-size=\"9\" font-weight=\"bold\" text-anchor=\"end\">a1</text>");
        let around = "<g font-size=\"9px\" text-anchor=\"end\"><g font-weight=\"700\">\
                      <text font-weight=\"inherit\">a1</text></g></g>";
        assert_eq!(data(around), direct);
        assert_ne!(data(&around.replace("700", "400")), direct);
        assert_ne!(data(&around.replace("end", "start")), direct);
        assert_eq!(data("<text font-size=\"12\">a</text>"), data("<text>a</text>"));
        // Three digits of 1303 units each.
        let at = |x: f64, anchor: &str| {
            data(&format!("<text x=\"{x}\" text-anchor=\"{anchor}\" font-size=\"2048\">123</text>"))
        };
        assert_eq!(at(0.0, "start"), at(3909.0, "end"));
        assert_eq!(at(0.0, "start"), at(1954.5, "middle"));
    }

    #[test]
    fn blanks_and_entities_are_those_of_svg() {
        let path = data("<text>a &lt; b</text>");
        for text in ["\n a\t \n&#60;  b ", "a <![CDATA[<]]> b", "a &lt;<!-- c --> <desc>d</desc>b"]
        {
            assert_eq!(data(&format!("<text>{text}</text>")), path, "{text:?}");
        }
        assert_ne!(data("<text xml:space=\"preserve\"> a &lt; b</text>"), path);
        assert_ne!(data("<text>a\u{a0} &lt; b</text>"), path);
        assert_eq!(data("<text>a\u{200b}\u{ad} &lt; b</text>"), path);
        assert_eq!(data("<text>e\u{301}</text>"), data("<text>é</text>"));
        assert_eq!(drawn("<text>  </text><text/>").unwrap(), "");
    }

    #[test]
    fn what_would_be_drawn_wrongly_is_refused() {
        for (body, message) in [
            ("<text>a<tspan>b</tspan></text>", "expected only letters in a text, found <tspan>"),
            ("<text x=\"1 2\">a</text>", "expected a number as x of a text, found \"1 2\""),
            ("<text y=\"inf\">a</text>", "expected a number as y of a text, found \"inf\""),
            (
                "<text font-size=\"1em\">a</text>",
                "expected a number as font-size of a text, found \"1em\"",
            ),
            ("<text dx=\"1\">a</text>", "expected a text without \"dx\""),
        ] {
            assert_eq!(drawn(body).unwrap_err(), PngError(message.to_string()));
        }
        assert!(drawn("<text>").is_err());
        // Not of SVG, or not drawn.
        let other = "<text xmlns=\"urn:a\" dx=\"1\">a</text>";
        assert_eq!(drawn(other).unwrap(), other);
        assert_eq!(drawn("<text><title><text>a</text></title></text>").unwrap(), "");
    }
}
