//! For a file of no known format: which format it resembles most, and why it is not that format.

use topoloom_core::Weight;

use super::format::FormatEntry;
use super::{csv, graphml, matrix_market, metis, npy, qaplib, recording, scotch, text_table, tsv};
use crate::mappings::arrangement_file;
use crate::text::fault::Fault;
use crate::text::foreign_kind;
use crate::text::json::kind_in_words;
use crate::text::source::Source;
use crate::text::warnings::Warnings;

/// Why a file of no known format is not traffic; `endings` are those of files that are.
pub(super) fn fault(source: &Source<'_>, weight: Weight, endings: &str) -> Fault {
    let bytes = source.bytes();
    if let Some(advice) = foreign_kind::advice(bytes) {
        return Fault::WrongInput(advice.into());
    }
    if let Some(found) = kind_in_words(bytes) {
        let expected = "traffic (in JSON: an arrangement, or a trace of PyTorch or Chakra)";
        return Fault::expected(expected, found);
    }
    let closest = match closest(source, weight) {
        reasons if reasons.is_empty() => String::new(),
        reasons => format!("; it looks most like {reasons}"),
    };
    Fault::WrongInput(format!("unknown traffic format{closest}; known endings: {endings}"))
}

/// The formats that are closest to the content, with the errors of their readers.
fn closest(source: &Source<'_>, weight: Weight) -> String {
    let reasons = candidates(source.bytes()).into_iter().filter_map(|entry| {
        let error = entry.build.read?(source, weight, &mut Warnings::new()).err()?;
        let place = error.line.map(|line| format!("line {line}: ")).unwrap_or_default();
        Some(format!("{} ({place}{})", entry.name, error.fault))
    });
    reasons.collect::<Vec<_>>().join(" or ")
}

/// One or two formats, judging by the most obvious features.
fn candidates(bytes: &[u8]) -> Vec<&'static FormatEntry> {
    let text = bytes.trim_ascii_start();
    let first_line = text.split(|&byte| byte == b'\n').next().unwrap_or_default();
    match text.first() {
        _ if str::from_utf8(first_line).is_err() || first_line.contains(&0) => {
            vec![&npy::ENTRY, &recording::FORMAT_ENTRY]
        }
        Some(b'<') => vec![&graphml::ENTRY],
        Some(b'{') => vec![&arrangement_file::FORMAT_ENTRY],
        Some(b'%') => vec![&matrix_market::ENTRY, &metis::ENTRY],
        _ if first_line.contains(&b'\t') => vec![&tsv::ENTRY],
        _ if first_line.iter().any(|byte| b",;".contains(byte)) => vec![&csv::ENTRY],
        _ if qaplib::begins_with_a_size(text) => vec![&qaplib::ENTRY],
        _ if first_line.trim_ascii() == b"0" => vec![&scotch::ENTRY],
        _ => vec![&text_table::ENTRY, &metis::ENTRY],
    }
}
