//! What is wrong with a file or a text, by kind.

use std::fmt::Display;
use std::io;

use thiserror::Error;
use topoloom_core::budget::BudgetError;
use topoloom_core::spec::UnknownName;

/// What is wrong with a file or a text. The kind tells a program how to react, and the text tells
/// the user what to change.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum Fault {
    /// Something else than the expected was found, such as a word instead of a number.
    #[error("expected {expected}{}", shown(.found.as_deref()))]
    Expected {
        /// What was expected.
        expected: String,
        /// What was found, if it can be shown.
        found: Option<String>,
    },
    /// Nothing is known by this name.
    #[error("unknown {what}; known: {known}")]
    Unknown {
        /// The kind of thing and the name that was given.
        what: String,
        /// The names that are known.
        known: String,
    },
    /// It does not have the form of its format, in the words of a parser or our own.
    #[error("{0}")]
    Malformed(String),
    /// Something is missing.
    #[error("{0}")]
    Missing(String),
    /// The file has no content.
    #[error("{0}")]
    Empty(String),
    /// Something that may appear once appears several times.
    #[error("{0}")]
    Repeated(String),
    /// A number names something that does not exist, such as a rank beyond the last one.
    #[error("{0}")]
    OutOfRange(String),
    /// A number or an amount is larger than is supported, whatever the memory.
    #[error("{0}")]
    TooLarge(String),
    /// It would take more memory than the budget allows.
    #[error("{0}")]
    OverBudget(Box<BudgetError>),
    /// It is valid, but not supported, such as a later version of the format.
    #[error("{0}")]
    Unsupported(String),
    /// Two parts of the content contradict each other.
    #[error("{0}")]
    Contradiction(String),
    /// Each part can be read, but the model refuses what they make together.
    #[error("{0}")]
    Refused(String),
    /// The end is missing.
    #[error("{0}")]
    CutShort(String),
    /// The bytes are not those that were written.
    #[error("{0}")]
    Damaged(String),
    /// The system refuses to read or to write.
    #[error("cannot {action}: {message}")]
    System {
        /// What was tried: `read` or `write`.
        action: &'static str,
        /// The kind of the system's error.
        kind: io::ErrorKind,
        /// The system's message.
        message: String,
    },
    /// It is the wrong kind of input, and the text says which one to use instead.
    #[error("{0}")]
    WrongInput(String),
    /// A fault in a part of the file, such as a section of a recording, or in an attempt to read
    /// it.
    #[error("{place}: {fault}")]
    Within {
        /// The part or the attempt.
        place: String,
        /// What is wrong in it.
        fault: Box<Fault>,
    },
}

/// The end of a message that says what was found.
fn shown(found: Option<&str>) -> String {
    found.map(|found| format!(", found {found}")).unwrap_or_default()
}

impl Fault {
    /// `expected` is not there, but `found`.
    pub(crate) fn expected(expected: impl Display, found: impl Display) -> Fault {
        Fault::Expected { expected: expected.to_string(), found: Some(found.to_string()) }
    }

    /// `expected` is not there. It would not help to show what is there instead.
    pub(crate) fn wanted(expected: impl Display) -> Fault {
        Fault::Expected { expected: expected.to_string(), found: None }
    }

    /// `what` is unknown, unlike those that are `known`.
    pub(crate) fn unknown(what: impl Display, known: impl Display) -> Fault {
        Fault::Unknown { what: what.to_string(), known: known.to_string() }
    }

    /// The model's reason to refuse the content.
    pub(crate) fn refused(reason: impl Display) -> Fault {
        Fault::Refused(reason.to_string())
    }

    /// This fault in a part of the file.
    pub(crate) fn within(self, place: impl Display) -> Fault {
        Fault::Within { place: place.to_string(), fault: Box::new(self) }
    }

    /// The fault that a reader of bytes reported as an error of the system.
    pub(crate) fn inside(error: &io::Error) -> Option<&Fault> {
        error.get_ref()?.downcast_ref()
    }

    /// The fault itself, without the parts of the file that it is in.
    pub fn innermost(&self) -> &Fault {
        match self {
            Fault::Within { fault, .. } => fault.innermost(),
            fault => fault,
        }
    }
}

impl From<BudgetError> for Fault {
    fn from(error: BudgetError) -> Fault {
        Fault::OverBudget(Box::new(error))
    }
}

impl From<UnknownName> for Fault {
    fn from(error: UnknownName) -> Fault {
        Fault::unknown(format!("{} \"{}\"", error.kind, error.found), error.known)
    }
}

/// For readers of bytes, which have errors of the system; `Fault::inside` is the way back.
impl From<Fault> for io::Error {
    fn from(fault: Fault) -> io::Error {
        io::Error::other(fault)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kind_is_the_same_wherever_in_a_file_it_is() {
        let fault = Fault::Damaged("the checksum differs".into());
        let nested = fault.clone().within("group 7").within("coll");
        assert_eq!(nested.to_string(), "coll: group 7: the checksum differs");
        assert_eq!(*nested.innermost(), fault);
    }
}
