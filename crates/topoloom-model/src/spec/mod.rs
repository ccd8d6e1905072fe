//! The one short syntax for machines, traffic and strategies: `name:shape,key=value,word`.

mod error;

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

pub use error::{SpecError, UnknownName};

/// One specification, split into its parts but not yet interpreted.
///
/// ```
/// use topoloom_model::Spec;
/// let spec = Spec::parse("torus:4x4x2,slots=32,double-links").unwrap();
/// assert_eq!(spec.name, "torus");
/// assert_eq!(spec.shape.as_deref(), Some("4x4x2"));
/// assert_eq!(spec.get::<u32>("slots", "a number").unwrap(), Some(32));
/// assert!(spec.flag("double-links").unwrap());
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Spec {
    /// The part before the colon.
    pub name: String,
    /// The first item after the colon, unless it is of the form `key=value`.
    pub shape: Option<String>,
    /// The other items: `key=value`, or a bare word without a value.
    pub options: Vec<(String, Option<String>)>,
}

impl Spec {
    /// Splits `text` into its parts.
    pub fn parse(text: &str) -> Result<Spec, SpecError> {
        let text = text.trim();
        let (name, rest) = match text.split_once(':') {
            Some((name, rest)) => (name.trim(), Some(rest)),
            None => (text, None),
        };
        if name.is_empty() {
            return Err(SpecError::new(format!(
                "expected a specification of the form name:shape,key=value, found \"{text}\""
            )));
        }
        let mut spec = Spec { name: name.to_string(), shape: None, options: Vec::new() };
        let mut left = rest;
        let mut is_first = true;
        while let Some(rest) = left {
            let first = std::mem::replace(&mut is_first, false);
            if let Some((shape, after)) = quoted(rest).filter(|_| first) {
                spec.shape = Some(shape.to_string());
                left = after;
                continue;
            }
            let (item, after) = match rest.split_once(',') {
                Some((item, after)) => (item.trim(), Some(after)),
                None => (rest.trim(), None),
            };
            left = after;
            match item.split_once('=') {
                Some((key, value)) => {
                    let key = key.trim();
                    // The value may be in quotes and contain commas.
                    let begin = rest.find('=').map_or(rest.len(), |at| at + 1);
                    let value = match quoted(&rest[begin..]) {
                        Some((value, after)) => {
                            left = after;
                            value
                        }
                        None => value.trim(),
                    };
                    spec.add_option(text, key, Some(value))?;
                }
                None if item.is_empty() => {
                    return Err(SpecError::new(format!("empty item in \"{text}\"")));
                }
                None if first => spec.shape = Some(item.to_string()),
                None => spec.add_option(text, item, None)?,
            }
        }
        Ok(spec)
    }

    fn add_option(&mut self, text: &str, key: &str, value: Option<&str>) -> Result<(), SpecError> {
        if self.options.iter().any(|(known, _)| known == key) {
            return Err(SpecError::new(format!("option \"{key}\" is given twice in \"{text}\"")));
        }
        self.options.push((key.to_string(), value.map(str::to_string)));
        Ok(())
    }

    /// The value of `key`, read as a `T`; `expected` says in words what was wanted.
    pub fn get<T: FromStr>(&self, key: &str, expected: &str) -> Result<Option<T>, SpecError> {
        let Some((_, value)) = self.options.iter().find(|(known, _)| known == key) else {
            return Ok(None);
        };
        let wrong = |found: &str| {
            SpecError::new(format!(
                "{}: expected {expected} for \"{key}\", found {found}",
                self.name
            ))
        };
        match value {
            None => Err(wrong("nothing")),
            Some(value) => value.parse().map(Some).map_err(|_| wrong(&format!("\"{value}\""))),
        }
    }

    /// The value of the option `key`, a number of at least 1.
    pub fn get_positive<T: FromStr + Default + PartialEq>(
        &self,
        key: &str,
    ) -> Result<Option<T>, SpecError> {
        let expected = "a number of at least 1";
        match self.get(key, expected)? {
            Some(number) if number == T::default() => Err(SpecError::new(format!(
                "{}: expected {expected} for \"{key}\", found \"0\"",
                self.name
            ))),
            number => Ok(number),
        }
    }

    /// Whether the bare word `key` is among the options.
    pub fn flag(&self, key: &str) -> Result<bool, SpecError> {
        match self.options.iter().find(|(known, _)| known == key) {
            None => Ok(false),
            Some((_, None)) => Ok(true),
            Some((_, Some(value))) => Err(SpecError::new(format!(
                "{}: \"{key}\" takes no value, found \"{value}\"",
                self.name
            ))),
        }
    }

    /// The shape as whole numbers of at least 1 separated by `x`, such as `4x4x4`.
    pub fn lengths(&self, example: &str) -> Result<Vec<u32>, SpecError> {
        let wrong = |found: &str| {
            SpecError::new(format!(
                "{}: expected a shape such as {example}, found {found}",
                self.name
            ))
        };
        let shape = self.shape.as_deref().ok_or_else(|| wrong("none"))?;
        let lengths: Result<Vec<u32>, _> = shape.split('x').map(str::parse::<u32>).collect();
        match lengths {
            Ok(lengths) if lengths.iter().all(|&length| length >= 1) => Ok(lengths),
            _ => Err(wrong(&format!("\"{shape}\""))),
        }
    }

    /// The shape as one whole number of at least 1.
    pub fn count(&self, example: &str) -> Result<u32, SpecError> {
        let lengths = self.lengths(example)?;
        match lengths[..] {
            [count] => Ok(count),
            _ => Err(SpecError::new(format!(
                "{}: expected one number such as {example}, found {} of them",
                self.name,
                lengths.len()
            ))),
        }
    }

    /// An error if there is a shape.
    pub fn no_shape(&self) -> Result<(), SpecError> {
        match &self.shape {
            None => Ok(()),
            Some(shape) => Err(SpecError::new(format!(
                "{}: expected options of the form key=value, found \"{shape}\"",
                self.name
            ))),
        }
    }
}

/// Surrounds a shape or a value that contains characters of the syntax, such as the name of a file.
const QUOTE: char = '"';

/// `text`, in quotes if it would be read as something else without them.
fn in_quotes_if_needed(text: &str) -> Cow<'_, str> {
    match text.contains([',', '=', QUOTE]) || text.trim() != text {
        true => format!("{QUOTE}{text}{QUOTE}").into(),
        false => text.into(),
    }
}

/// A text in quotes at the beginning of `rest`, without the quotes, and what follows its comma.
fn quoted(rest: &str) -> Option<(&str, Option<&str>)> {
    let inside = rest.trim_start().strip_prefix(QUOTE)?;
    let ends = inside.match_indices(QUOTE).map(|(end, _)| (&inside[..end], &inside[end + 1..]));
    let mut ends = ends.map(|(shape, after)| (shape, after.trim_start()));
    // A quote inside a name is not followed by a comma.
    ends.find_map(|(shape, after)| match after.strip_prefix(',') {
        Some(options) => Some((shape, Some(options))),
        None => after.is_empty().then_some((shape, None)),
    })
}

impl fmt::Display for Spec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)?;
        let mut separator = ':';
        if let Some(shape) = &self.shape {
            write!(f, "{separator}{}", in_quotes_if_needed(shape))?;
            separator = ',';
        }
        for (key, value) in &self.options {
            write!(f, "{separator}{key}")?;
            if let Some(value) = value {
                write!(f, "={}", in_quotes_if_needed(value))?;
            }
            separator = ',';
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_specification_prints_as_it_was_written() {
        for text in ["hilbert", "torus:4x4x2,slots=32,double-links", "lu:class=C,ranks=64"] {
            assert_eq!(Spec::parse(text).unwrap().to_string(), text);
        }
    }

    #[test]
    fn names_of_files_may_have_any_sign_in_quotes() {
        for name in ["a,b=c.json", "a\"b.json", " a", "a\"", "n[1,2].xml"] {
            let option = ("slots".to_string(), Some("2".to_string()));
            for options in [vec![], vec![option]] {
                let spec = Spec { name: "cluster".into(), shape: Some(name.into()), options };
                assert_eq!(Spec::parse(&spec.to_string()), Ok(spec), "{name}");
            }
        }
        for name in ["a,b=c.json", "a\"b.json", " a", "a\"", "n[1,2].xml", "=", ""] {
            let node = ("node".to_string(), Some(name.to_string()));
            let word = ("double-links".to_string(), None);
            for options in [vec![node.clone()], vec![node.clone(), word.clone()], vec![word, node]]
            {
                for shape in [Some("4x4".to_string()), None] {
                    // Without a shape, a bare word would be one.
                    if shape.is_none() && options[0].1.is_none() {
                        continue;
                    }
                    let options = options.clone();
                    let spec = Spec { name: "torus".into(), shape, options };
                    assert_eq!(Spec::parse(&spec.to_string()), Ok(spec), "{name}");
                }
            }
        }
        let spec = Spec::parse("cluster:\"a.json\", slots=2").unwrap();
        assert_eq!(spec.to_string(), "cluster:a.json,slots=2");
    }

    #[test]
    fn a_wrong_shape_says_what_was_expected() {
        let error = Spec::parse("torus:4xx4").unwrap().lengths("4x4x4").unwrap_err();
        assert_eq!(error.to_string(), "torus: expected a shape such as 4x4x4, found \"4xx4\"");
    }

    #[test]
    fn an_option_given_twice_is_refused() {
        let error = Spec::parse("torus:4,slots=1,slots=2").unwrap_err();
        assert_eq!(
            error.to_string(),
            "option \"slots\" is given twice in \"torus:4,slots=1,slots=2\""
        );
    }
}
