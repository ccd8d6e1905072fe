//! JSON files that name their format and version.

use serde::Deserialize;

use crate::text::error::ReadError;
use crate::text::fault::Fault;
use crate::text::number::shown;
use crate::text::source::Source;
use topoloom_core::words::with_article;

/// The fields to check first, whatever else the file holds.
#[derive(Deserialize)]
struct Label {
    format: Option<serde_json::Value>,
    version: Option<serde_json::Value>,
}

/// Makes sure that a file is what it should be: a `what` of this format and one of these versions.
pub fn labelled(
    source: &Source<'_>,
    expected: &str,
    what: &str,
    known: &[u64],
) -> Result<(), ReadError> {
    let label: Label =
        serde_json::from_slice(source.bytes()).map_err(|error| json_error(source, &error))?;
    match label.format {
        Some(format) if format == expected => {}
        Some(format) => {
            let found = shown_value(&format);
            return Err(source.error(Fault::expected(format!("the format \"{expected}\""), found)));
        }
        None => {
            return Err(source.error(Fault::WrongInput(format!(
                "not {}: no \"format\": \"{expected}\"",
                with_article(what)
            ))));
        }
    }
    match label.version {
        Some(version) if known.iter().any(|&known| version == known) => Ok(()),
        Some(version) => {
            let found = shown_value(&version);
            let known = known.iter().map(u64::to_string).collect::<Vec<_>>().join(", ");
            Err(source
                .error(Fault::Unsupported(format!("version {found} is not known; known: {known}"))))
        }
        None => Err(source.error(Fault::Missing("the version is missing".into()))),
    }
}

/// The kind of a JSON document that is not of the expected kind: the format that it names, or none.
pub fn kind_in_words(bytes: &[u8]) -> Option<String> {
    match bytes.trim_ascii_start().first()? {
        b'{' => {}
        b'[' => {
            let list = serde_json::from_slice::<Vec<serde::de::IgnoredAny>>(bytes);
            return list.is_ok().then(|| "a JSON list".to_string());
        }
        _ => return None,
    }
    let label: Label = serde_json::from_slice(bytes).ok()?;
    Some(match label.format.as_ref().and_then(|format| format.as_str()) {
        Some(format) => format!("a JSON file of the format {}", shown(format.as_bytes())),
        None => "a JSON file without a known format".to_string(),
    })
}

/// The JSON library's message in our form and wording.
pub fn json_error(source: &Source<'_>, error: &serde_json::Error) -> ReadError {
    if error.is_eof() {
        return source
            .error_in_line(error.line().max(1), Fault::CutShort("the file ends too early".into()));
    }
    let text = error.to_string();
    let message = text.rfind(" at line ").map_or(&text[..], |end| &text[..end]);
    let message = match message.strip_suffix("expected u32") {
        Some(start) => format!("{start}expected a whole number below 2^32"),
        None => message.to_string(),
    };
    let fault = Fault::Malformed(message.replace('`', "\""));
    match error.line() {
        0 => source.error(fault),
        line => source.error_in_line(line, fault),
    }
}

fn shown_value(value: &serde_json::Value) -> String {
    match value {
        serde_json::Value::String(text) => shown(text.as_bytes()),
        value => shown(value.to_string().as_bytes()).trim_matches('"').to_string(),
    }
}
