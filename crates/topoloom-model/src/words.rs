//! Counts in words: `1 rank`, `2 ranks`. Every message that counts something uses this.

use std::fmt::Display;

/// A word as it follows a count: `rank` after 1, `ranks` after any other number.
///
/// ```
/// use topoloom_model::words::noun;
/// assert_eq!(noun(1, "switch"), "switch");
/// assert_eq!(noun(0, "switch"), "switches");
/// assert_eq!(noun(2.5, "boundary"), "boundaries");
/// ```
pub fn noun<N: PartialEq + From<u8>>(count: N, one: &str) -> String {
    if count == N::from(1) {
        return one.to_string();
    }
    match one.strip_suffix('y') {
        Some(stem) if !stem.ends_with(['a', 'e', 'i', 'o', 'u']) => format!("{stem}ies"),
        _ if ["s", "x", "ch", "sh"].iter().any(|end| one.ends_with(end)) => format!("{one}es"),
        _ => format!("{one}s"),
    }
}

/// A word with its article: `a mapping`, `an arrangement`.
///
/// ```
/// use topoloom_model::words::with_article;
/// assert_eq!(with_article("arrangement"), "an arrangement");
/// ```
pub fn with_article(word: &str) -> String {
    let article = if word.starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" };
    format!("{article} {word}")
}

/// A count with its word.
///
/// ```
/// use topoloom_model::words::counted;
/// assert_eq!(counted(1, "rank"), "1 rank");
/// assert_eq!(counted(1024_u64, "rank"), "1024 ranks");
/// ```
pub fn counted<N: PartialEq + From<u8> + Display + Copy>(count: N, one: &str) -> String {
    format!("{count} {}", noun(count, one))
}
