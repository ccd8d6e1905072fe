//! XML: text for attributes, and foreign XML, checked before it is parsed. The parser takes time quadratic in the attributes of
//! an element, and short entities may stand for gigabytes.

use roxmltree::{Document, ParsingOptions};

use crate::text::error::ReadError;
use crate::text::fault::Fault;
use crate::text::source::Source;

/// More than any element of hwloc or SimGrid has.
const MOST_ATTRIBUTES: usize = 256;

/// Deeper than the nesting of any machine or platform.
const DEEPEST: usize = 1000;

/// Text inside the quotes of an attribute.
pub(crate) fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// Parses a source as XML, within the limits above and without its own entities.
pub(crate) fn parse<'a>(source: &Source<'a>) -> Result<Document<'a>, ReadError> {
    let text = std::str::from_utf8(source.bytes())
        .map_err(|error| source.error_at(error.valid_up_to(), Fault::wanted("UTF-8 text")))?;
    look_over(text.as_bytes()).map_err(|(at, fault)| source.error_at(at, fault))?;
    let options = ParsingOptions { allow_dtd: true, ..ParsingOptions::default() };
    Document::parse_with_options(text, options).map_err(|error| {
        let (position, message) = (error.pos(), error.to_string());
        let place = format!(" at {position}");
        let message = message.strip_suffix(&place).unwrap_or(&message);
        // For a missing end, the parser reports only the beginning of the file.
        let ends_early = message.contains("end of stream") || message.contains("never closed");
        let row = if ends_early { source.lines().count().max(1) } else { position.row as usize };
        source.error_in_line(row, Fault::Malformed(format!("expected XML: {message}")))
    })
}

/// The name of the first element, after comments; none if it is not XML.
pub(crate) fn root_name(bytes: &[u8]) -> Option<&[u8]> {
    let bytes = Source::new("", bytes).bytes();
    if !bytes.trim_ascii_start().starts_with(b"<") {
        return None;
    }
    let mut at = 0;
    while let Some(next) = find(bytes, at, b"<") {
        let rest = &bytes[next..];
        let end: &[u8] = match rest {
            _ if rest.starts_with(b"<!--") => b"-->",
            _ if rest.starts_with(b"<?") => b"?>",
            _ if rest.starts_with(b"<!") => b">",
            _ => {
                let name = rest[1..].split(|&byte| !byte.is_ascii_alphanumeric()).next();
                return name.filter(|name| !name.is_empty());
            }
        };
        at = find(bytes, next, end)? + end.len();
    }
    None
}

/// Where it exceeds a limit, and which one. Input that is not XML at all is left to the parser.
fn look_over(bytes: &[u8]) -> Result<(), (usize, Fault)> {
    let mut depth = 0_usize;
    let mut at = 0;
    while let Some(next) = find(bytes, at, b"<") {
        let rest = &bytes[next..];
        let passed =
            |end: &[u8]| find(bytes, next, end).map_or(bytes.len(), |found| found + end.len());
        if rest.starts_with(b"<!--") {
            at = passed(b"-->");
        } else if rest.starts_with(b"<![CDATA[") {
            at = passed(b"]]>");
        } else if rest.starts_with(b"<?") {
            at = passed(b"?>");
        } else {
            let tag = Tag::at(bytes, next);
            if rest.starts_with(b"<!") {
                if tag.has_bracket {
                    let fault = Fault::Unsupported(
                        "definitions inside the document (<!DOCTYPE ... [ ... ]>) are \
                                   not read, because entities may stand for any amount of text; \
                                   remove them"
                            .into(),
                    );
                    return Err((next, fault));
                }
            } else if rest.starts_with(b"</") {
                depth = depth.saturating_sub(1);
            } else {
                if tag.attributes > MOST_ATTRIBUTES {
                    let found = tag.attributes;
                    let fault = Fault::TooLarge(format!(
                        "an element with {found} attributes; at most {MOST_ATTRIBUTES} are read"
                    ));
                    return Err((next, fault));
                }
                depth += usize::from(!tag.is_empty_element);
                if depth > DEEPEST {
                    return Err((
                        next,
                        Fault::TooLarge(format!("more than {DEEPEST} nested elements")),
                    ));
                }
            }
            at = tag.end;
        }
    }
    Ok(())
}

/// The text between `<` and `>`.
struct Tag {
    end: usize,
    attributes: usize,
    has_bracket: bool,
    is_empty_element: bool,
}

impl Tag {
    fn at(bytes: &[u8], start: usize) -> Tag {
        let mut quote = None;
        let mut tag =
            Tag { end: bytes.len(), attributes: 0, has_bracket: false, is_empty_element: false };
        for (at, &byte) in bytes.iter().enumerate().skip(start + 1) {
            match (quote, byte) {
                (Some(open), _) if byte == open => quote = None,
                (Some(_), _) => {}
                (None, b'"' | b'\'') => quote = Some(byte),
                (None, b'=') => tag.attributes += 1,
                (None, b'[') => tag.has_bracket = true,
                (None, b'>') => {
                    tag.end = at + 1;
                    tag.is_empty_element = bytes[at - 1] == b'/';
                    break;
                }
                _ => {}
            }
        }
        tag
    }
}

/// Where `part` is next, from `at` on.
fn find(bytes: &[u8], at: usize, part: &[u8]) -> Option<usize> {
    let rest = bytes.get(at..)?;
    rest.windows(part.len()).position(|window| window == part).map(|found| at + found)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(text: &str) -> String {
        parse(&Source::new("a.xml", text.as_bytes())).unwrap_err().to_string()
    }

    #[test]
    fn entities_are_refused_before_they_are_expanded() {
        let text = "<?xml version=\"1.0\"?>\n<!DOCTYPE a [<!ENTITY b \"ccc\">]><a>&b;</a>";
        assert!(refusal(text).starts_with("a.xml:2: definitions inside the document"));
    }

    #[test]
    fn a_doctype_without_definitions_is_read() {
        let text =
            "<!DOCTYPE topology SYSTEM \"hwloc2.dtd\"><topology a='[1]'><!-- <a [ --></topology>";
        let source = Source::new("a.xml", text.as_bytes());
        assert_eq!(parse(&source).unwrap().root_element().attribute("a"), Some("[1]"));
    }

    #[test]
    fn attributes_and_depth_have_limits() {
        let attributes =
            |count: usize| -> String { (0..count).map(|n| format!(" a{n}='='")).collect() };
        let source = format!("<a{}/>", attributes(MOST_ATTRIBUTES));
        assert!(parse(&Source::new("a.xml", source.as_bytes())).is_ok());
        assert_eq!(
            refusal(&format!("<a>\n<b{}/></a>", attributes(MOST_ATTRIBUTES + 1))),
            "a.xml:2: an element with 257 attributes; at most 256 are read"
        );
        assert_eq!(
            refusal(&format!("{}{}", "<a>".repeat(1001), "</a>".repeat(1001))),
            "a.xml:1: more than 1000 nested elements"
        );
        // There may be many elements side by side.
        let flat = format!("<a>{}{}</a>", "<b/>".repeat(2000), "<b></b>".repeat(2000));
        assert!(parse(&Source::new("a.xml", flat.as_bytes())).is_ok());
    }
}
