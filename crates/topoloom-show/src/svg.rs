//! Functions that all pictures need: SVG is written by hand.

use crate::letters;
use crate::plain_text::is_unseen;

/// Text escaped for use between tags.
pub fn escaped(text: &str) -> String {
    let mut escaped = String::new();
    for sign in text.chars() {
        match sign {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            // XML does not allow these, however they are written.
            '\u{fffe}' | '\u{ffff}' => escaped.push(' '),
            // Pages do not show them either, and those that change the direction would reverse the
            // text beside them.
            sign if is_unseen(sign) => escaped.push(' '),
            sign => escaped.push(sign),
        }
    }
    escaped
}

/// How wide a text is in DejaVu Sans, at this font size. Other sans-serif fonts are narrower, so a
/// text that fits in DejaVu Sans fits in them.
pub fn width_of(text: &str, size: f64) -> f64 {
    size * text.chars().map(|letter| letters::width(letter, false)).sum::<f64>()
}

/// The same for bold letters.
pub fn bold_width_of(text: &str, size: f64) -> f64 {
    size * text.chars().map(|letter| letters::width(letter, true)).sum::<f64>()
}

/// As much of the beginning of a text as fits this width, escaped; empty if there is no room for
/// the three dots that mark the cut.
pub fn fitted(text: &str, size: f64, width: f64) -> String {
    if width_of(text, size) <= width {
        return escaped(text);
    }
    let room = width - width_of(DOTS, size);
    if room < 0.0 {
        return String::new();
    }
    let start = &text[..fitting(text.chars(), size, room)];
    escaped(&format!("{}{DOTS}", start.trim_end()))
}

/// As much of the end of a text as fits this width, not escaped: the end of a path is more useful.
pub fn end_of(text: &str, size: f64, width: f64) -> String {
    if width_of(text, size) <= width {
        return text.to_string();
    }
    let room = width - width_of(DOTS, size);
    if room < 0.0 {
        return String::new();
    }
    let end = &text[text.len() - fitting(text.chars().rev(), size, room)..];
    format!("{DOTS}{}", end.trim_start())
}

/// Marks the part that was cut.
const DOTS: &str = "...";

/// How many bytes the longest beginning has that is not wider than this.
fn fitting(text: impl Iterator<Item = char>, size: f64, room: f64) -> usize {
    let mut width = 0.0;
    text.take_while(|&letter| {
        width += size * letters::width(letter, false);
        width <= room
    })
    .map(char::len_utf8)
    .sum()
}

/// A text in lines that are no wider than this, not escaped; a word that is wider gets its own
/// line. A number and its unit stay together.
pub fn wrapped(text: &str, size: f64, width: f64) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        let is_unit = word.trim_end_matches([',', '.', ';']).chars().count() <= 2;
        match words.last_mut() {
            Some(number) if is_unit && number.ends_with(|end: char| end.is_ascii_digit()) => {
                number.push(' ');
                number.push_str(word);
            }
            _ => words.push(word.to_string()),
        }
    }
    let mut lines: Vec<String> = Vec::new();
    for word in words {
        match lines.last_mut() {
            Some(line) if width_of(line, size) + width_of(&word, size) + size / 3.0 <= width => {
                line.push(' ');
                line.push_str(&word);
            }
            _ => lines.push(word),
        }
    }
    lines
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
        // A digit of size 10 is 6.37 wide, a dot and a blank 3.18: ten digits are 63.7, three dots 9.54.
        assert_eq!(fitted("0123456789", 10.0, 63.8), "0123456789");
        // 40 leave 30.46 for 4 digits, 25.48, and a blank, 3.18, which is of no use at the end.
        assert_eq!(fitted("0123 56789", 10.0, 40.0), "0123...");
        assert_eq!(end_of("01234 6789", 10.0, 40.0), "...6789");
        assert_eq!(fitted("0123456789", 10.0, 9.6), "...");
        assert_eq!(fitted("0123456789", 10.0, 9.5), "");
    }

    #[test]
    fn what_was_cut_is_never_wider_than_it_may_be() {
        for text in ["0123456789", "mmmm mmmm", "größe ‰ 中文 in words", "a", ""] {
            for width in 0..120 {
                for cut in
                    [fitted(text, 9.0, f64::from(width)), end_of(text, 9.0, f64::from(width))]
                {
                    assert!(width_of(&cut, 9.0) <= f64::from(width) + 1e-9, "{cut} in {width}");
                }
            }
        }
    }

    #[test]
    fn lines_are_broken_between_words() {
        // Letters "a" of size 10 are 6.13 wide, a blank is 3.18: two words of two are 27.7.
        assert_eq!(wrapped("aa aa  aaaaaa aa", 10.0, 28.0), ["aa aa", "aaaaaa", "aa"]);
        assert_eq!(wrapped(" ", 10.0, 28.0), Vec::<String>::new());
        assert_eq!(wrapped("aa 2 GB, aa", 10.0, 28.0), ["aa", "2 GB,", "aa"]);
    }
}
