//! Ranks of an edge list that have names instead of numbers.
//!
//! If every name ends in a number, names are numbered in their natural order, in which `n2` comes
//! before `n10`. Otherwise they are numbered as they appear.

use std::collections::HashMap;

use topoloom_core::words::counted;

use crate::text::fault::Fault;
use crate::text::number::shown;

/// Names and numbers meet: `expected` is not there.
pub(super) fn mixed(expected: &str, field: &[u8]) -> Fault {
    let found = shown(field);
    let rule = "ranks have numbers in every line, or names in every line";
    Fault::Contradiction(format!("expected {expected}, found {found}: {rule}"))
}

/// The rank of each name.
#[derive(Debug, Default)]
pub(super) struct Names<'a> {
    ranks: HashMap<&'a [u8], u32>,
    /// The names in the order of their ranks.
    names: Vec<&'a [u8]>,
    is_natural: bool,
}

/// Whether a field is a name: text that is not empty, not a number of any kind, and not damaged.
pub(super) fn is_name(field: &[u8]) -> bool {
    let is_damage = |letter: char| letter.is_control() || letter == '"';
    str::from_utf8(field).is_ok_and(|text| {
        !text.is_empty() && !text.contains(is_damage) && text.parse::<f64>().is_err()
    })
}

impl<'a> Names<'a> {
    /// Adds the name of a rank, if it is new.
    pub fn add(&mut self, field: &'a [u8]) -> Result<(), Fault> {
        if !is_name(field) {
            return Err(mixed("the name of a rank", field));
        }
        if !self.ranks.contains_key(field) {
            self.ranks.insert(field, self.names.len() as u32);
            self.names.push(field);
        }
        Ok(())
    }

    /// Decides the order, once all names are known.
    pub fn number(&mut self) {
        let mut keys: Vec<_> = self.names.iter().map_while(|name| natural_key(name)).collect();
        self.is_natural = keys.len() == self.names.len();
        if self.is_natural {
            keys.sort_unstable();
            self.names = keys.into_iter().map(|(.., name)| name).collect();
            self.ranks = self.names.iter().copied().zip(0..).collect();
        }
    }

    /// The rank of a name.
    pub fn rank(&self, field: &[u8]) -> Result<u32, Fault> {
        let unknown = || Fault::expected("the name of a rank", shown(field));
        self.ranks.get(field).copied().ok_or_else(unknown)
    }

    /// How names became ranks, for the user.
    pub fn note(&self) -> Option<String> {
        let (first, last) = (self.names.first()?, self.names.last()?);
        let order = if self.is_natural { "in their natural order" } else { "as they appear" };
        Some(format!(
            "{} numbered {order}: {} is rank 0, {} is rank {}",
            counted(self.names.len(), "name"),
            shown(first),
            shown(last),
            self.names.len() - 1
        ))
    }
}

/// What is before the number at the end of a name, the length and the digits of the number without
/// its leading zeros, and the name. The length comes first, because a number may be too long for an
/// integer.
type NaturalKey<'a> = (&'a [u8], usize, &'a [u8], &'a [u8]);

/// `None` without a number at the end.
fn natural_key(name: &[u8]) -> Option<NaturalKey<'_>> {
    let digits = name.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
    let (before, number) = name.split_at(name.len() - digits);
    let zeros = number.iter().take_while(|&&byte| byte == b'0').count();
    let number = &number[zeros..];
    (digits > 0).then_some((before, number.len(), number, name))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order(names: &[&'static str]) -> (Vec<&'static str>, String) {
        let mut all = Names::default();
        names.iter().for_each(|name| all.add(name.as_bytes()).unwrap());
        all.number();
        let note = all.note().unwrap();
        (all.names.iter().map(|name| str::from_utf8(name).unwrap()).collect(), note)
    }

    #[test]
    fn names_that_end_in_numbers_are_in_natural_order_and_others_as_they_appear() {
        let (names, note) = order(&["n10", "n2", "n2", "n01", "m3"]);
        assert_eq!(names, ["m3", "n01", "n2", "n10"]);
        assert_eq!(
            note,
            "4 names numbered in their natural order: \"m3\" is rank 0, \"n10\" is rank 3"
        );
        let (names, note) = order(&["worker", "10.0.0.2", "n1"]);
        assert_eq!(names, ["worker", "10.0.0.2", "n1"]);
        assert!(note.contains("as they appear"), "{note}");
        // Numbers that no integer holds.
        let (names, _) = order(&["a99999999999999999999999", "a100000000000000000000000"]);
        assert_eq!(names[1], "a100000000000000000000000");
    }

    #[test]
    fn numbers_are_not_names() {
        for field in ["", "3", "-1", "1e5", "nan", "0.5", "\"0", "n\u{1b}[31m"] {
            assert!(!is_name(field.as_bytes()), "{field}");
            assert!(Names::default().add(field.as_bytes()).is_err());
        }
        assert!(is_name(b"10.0.0.1") && is_name(b"4th") && !is_name(b"\xff"));
    }
}
