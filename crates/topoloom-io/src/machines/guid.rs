//! GUIDs in machine files.

use crate::text::fault::Fault;

/// A GUID as a machine file writes it.
pub fn guid(text: Option<&str>) -> Result<Option<u64>, Fault> {
    let number = |text: &str| {
        let wrong = || Fault::expected("a GUID of hexadecimal digits", format!("\"{text}\""));
        u64::from_str_radix(text, 16).map_err(|_| wrong())
    };
    text.map(number).transpose()
}
