//! The words of a text, wherever its lines end.

/// The words of a text, each with the number of bytes before it.
pub(crate) fn words(bytes: &[u8]) -> impl Iterator<Item = (usize, &[u8])> {
    words_between(bytes, |byte| byte.is_ascii_whitespace())
}

/// The same, with other bytes between the words.
pub(crate) fn words_between(
    bytes: &[u8],
    is_between: impl Fn(&u8) -> bool,
) -> impl Iterator<Item = (usize, &[u8])> {
    let mut position = 0;
    std::iter::from_fn(move || {
        let rest = &bytes[position..];
        let start = position + rest.iter().position(|byte| !is_between(byte))?;
        let length = bytes[start..].iter().position(&is_between);
        position = length.map_or(bytes.len(), |length| start + length);
        Some((start, &bytes[start..position]))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_come_with_their_places() {
        let found: Vec<_> = words(b" a\n\r\nbc\td").collect();
        assert_eq!(found, [(1, &b"a"[..]), (5, b"bc"), (8, b"d")]);
        assert_eq!(words(b" \n").count(), 0);
    }
}
