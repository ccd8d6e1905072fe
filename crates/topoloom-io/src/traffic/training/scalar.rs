//! Values of JSON of which only numbers and texts matter.

use std::fmt;

use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

/// A text, a whole number, or something else.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub(super) enum Scalar {
    Text(String),
    Whole(i64),
    #[default]
    Other,
}

impl Scalar {
    /// The text; nothing if it is something else.
    pub fn text(&self) -> Option<&str> {
        match self {
            Scalar::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The number, also if it is in quotes.
    pub fn whole(&self) -> Option<i64> {
        match self {
            Scalar::Text(text) => text.trim().parse().ok(),
            Scalar::Whole(number) => Some(*number),
            Scalar::Other => None,
        }
    }

    /// The number if it is not negative.
    pub fn count(&self) -> Option<u64> {
        self.whole().and_then(|number| u64::try_from(number).ok())
    }

    /// What it is, for errors.
    pub fn shown(&self) -> String {
        match self {
            Scalar::Text(text) => crate::text::number::shown(text.as_bytes()),
            Scalar::Whole(number) => number.to_string(),
            Scalar::Other => "something else".to_string(),
        }
    }
}

impl<'de> Deserialize<'de> for Scalar {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Scalar, D::Error> {
        deserializer.deserialize_any(ScalarVisitor)
    }
}

struct ScalarVisitor;

impl<'de> Visitor<'de> for ScalarVisitor {
    type Value = Scalar;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a value")
    }

    fn visit_unit<E>(self) -> Result<Scalar, E> {
        Ok(Scalar::Other)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Scalar, E> {
        Ok(Scalar::Whole(i64::from(value)))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Scalar, E> {
        Ok(Scalar::Whole(value))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Scalar, E> {
        Ok(i64::try_from(value).map_or(Scalar::Other, Scalar::Whole))
    }

    fn visit_f64<E>(self, _: f64) -> Result<Scalar, E> {
        Ok(Scalar::Other)
    }

    fn visit_str<E>(self, value: &str) -> Result<Scalar, E> {
        Ok(Scalar::Text(value.to_string()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Scalar, A::Error> {
        while list.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Scalar::Other)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Scalar, A::Error> {
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(Scalar::Other)
    }
}
