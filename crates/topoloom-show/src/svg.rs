//! Pictures are written by hand: what all of them need.

/// Text as it may stand between tags.
pub fn escaped(text: &str) -> String {
    let mut escaped = String::new();
    for sign in text.chars() {
        match sign {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            // XML has no place for these, whatever way they are written.
            '\u{fffe}' | '\u{ffff}' => escaped.push(' '),
            sign if sign.is_control() => escaped.push(' '),
            sign => escaped.push(sign),
        }
    }
    escaped
}

/// About how wide a text is, in letters of this size. Sans-serif letters are some 0.56 of their
/// size wide on average; a little more leaves room.
pub fn width_of(text: &str, size: f64) -> f64 {
    0.6 * size * text.chars().count() as f64
}

/// As much of the beginning of a text as fits this width, escaped.
pub fn fitted(text: &str, size: f64, width: f64) -> String {
    if width_of(text, size) <= width {
        return escaped(text);
    }
    let letters = (width / width_of("m", size)) as usize;
    let start: String = text.chars().take(letters.saturating_sub(3)).collect();
    escaped(&format!("{}...", start.trim_end()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_would_be_a_tag_or_no_letter_is_escaped() {
        assert_eq!(escaped("a<b> & c\u{1}\u{ffff}"), "a&lt;b&gt; &amp; c  ");
    }

    #[test]
    fn what_does_not_fit_is_cut_at_its_end() {
        // Ten letters of size 10 are 60 wide.
        assert_eq!(fitted("0123456789", 10.0, 60.0), "0123456789");
        assert_eq!(fitted("0123 56789", 10.0, 50.0), "0123...");
    }
}
