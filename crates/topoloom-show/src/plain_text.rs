//! Text from files, made safe to show. Names and notes that others wrote may contain characters
//! that control a terminal, or that hide or reorder the text beside them.

use std::borrow::Cow;
use std::fmt::Write;

/// Whether a character does something other than be visible: it controls a terminal (C0, DEL, C1),
/// changes the direction of the text around it, or has no width. Line ends and tabs count too.
pub fn is_unseen(letter: char) -> bool {
    letter.is_control()
        || matches!(letter,
            '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}'
            | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e01ef}')
}

/// The text with such characters written as `\u{1b}`; line ends and tabs stay.
///
/// ```
/// use topoloom_show::plain_text::lines;
/// assert_eq!(lines("n1\t\u{1b}[2J\n"), "n1\t\\u{1b}[2J\n");
/// ```
pub fn lines(text: &str) -> Cow<'_, str> {
    let is_layout = |letter| matches!(letter, '\n' | '\t');
    escaped(text, |letter| is_unseen(letter) && !is_layout(letter), in_braces)
}

/// The text in one line: line ends and tabs are written as `\n` and `\t`, other invisible
/// characters as `\u{1b}`.
pub fn one_line(text: &str) -> Cow<'_, str> {
    escaped(text, is_unseen, in_braces)
}

/// JSON text in which such characters are escaped too: JSON requires it only below U+0020.
pub fn json(text: &str) -> Cow<'_, str> {
    let is_layout = |letter| matches!(letter, '\n' | '\t' | '\r');
    escaped(
        text,
        |letter| is_unseen(letter) && !is_layout(letter),
        |letter, into| {
            for unit in letter.encode_utf16(&mut [0; 2]) {
                let _ = write!(into, "\\u{unit:04x}");
            }
        },
    )
}

fn in_braces(letter: char, into: &mut String) {
    match letter {
        '\n' => into.push_str("\\n"),
        '\t' => into.push_str("\\t"),
        letter => {
            let _ = write!(into, "\\u{{{:x}}}", u32::from(letter));
        }
    }
}

fn escaped(
    text: &str,
    is_escaped: impl Fn(char) -> bool,
    escape: impl Fn(char, &mut String),
) -> Cow<'_, str> {
    if !text.chars().any(&is_escaped) {
        return Cow::Borrowed(text);
    }
    let mut safe = String::with_capacity(text.len() + 16);
    for letter in text.chars() {
        match is_escaped(letter) {
            true => escape(letter, &mut safe),
            false => safe.push(letter),
        }
    }
    Cow::Owned(safe)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_terminal_obeys_is_written_out() {
        let evil = "a\u{1b}]0;x\u{7}\r\u{7f}\u{9b}2J\u{202e}b\u{2066}\u{200b}\u{feff}";
        let safe = "a\\u{1b}]0;x\\u{7}\\u{d}\\u{7f}\\u{9b}2J\\u{202e}b\\u{2066}\\u{200b}\\u{feff}";
        assert_eq!(one_line(evil), safe);
        assert_eq!(lines(evil), safe);
    }

    #[test]
    fn text_that_is_seen_stays_as_it_is() {
        for text in ["", "n[01-16], 3 µs └─ Köln 東京", "\"quoted\" \\u{1b}"] {
            assert!(matches!(one_line(text), Cow::Borrowed(same) if same == text));
        }
    }

    #[test]
    fn line_ends_stay_where_there_may_be_several_lines() {
        assert_eq!(lines("a\n\tb"), "a\n\tb");
        assert_eq!(one_line("a\n\tb"), "a\\n\\tb");
    }

    #[test]
    fn json_keeps_its_meaning() {
        assert_eq!(
            json("{\n \"a\": \"\u{9b}\u{e0001}\"\n}"),
            "{\n \"a\": \"\\u009b\\udb40\\udc01\"\n}"
        );
    }
}
