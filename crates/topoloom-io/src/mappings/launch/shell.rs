//! Words of commands, as a shell reads them.

/// A word that a shell reads unchanged, in quotes if necessary.
pub(super) fn quoted(word: &str) -> String {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || "-._/:,=+@%".contains(letter);
    match !word.is_empty() && word.chars().all(plain) {
        true => word.to_string(),
        false => format!("'{}'", word.replace('\'', r"'\''")),
    }
}

/// The longest argument that Linux passes to a program.
const LONGEST_ARGUMENT: usize = 128 * 1024 - 1;

/// The warning about an argument, preceded by its option, that is too long for Linux.
pub(super) fn warning_of_length(length: usize) -> Option<String> {
    (length + 32 > LONGEST_ARGUMENT).then(|| {
        format!(
            "the command has an argument of {length} bytes, but Linux accepts at most \
             {LONGEST_ARGUMENT}"
        )
    })
}

/// Text in double quotes, for the shell that the command starts, not the shell that starts the
/// command.
pub(super) fn in_double_quotes(text: &str) -> String {
    let mut inside = String::with_capacity(text.len());
    for letter in text.chars() {
        if matches!(letter, '"' | '\\' | '$' | '`') {
            inside.push('\\');
        }
        inside.push(letter);
    }
    inside
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_quoted_only_where_they_must_be() {
        assert_eq!(quoted("out/rank-file_1.txt"), "out/rank-file_1.txt");
        assert_eq!(quoted("my file"), "'my file'");
        assert_eq!(quoted("it's"), r"'it'\''s'");
        assert_eq!(quoted(""), "''");
        assert_eq!(in_double_quotes(r#"a "$b" \c"#), r#"a \"\$b\" \\c"#);
    }
}
