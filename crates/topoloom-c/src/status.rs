//! What functions of the interface return.

/// What functions return. More values may follow.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(non_camel_case_types, clippy::upper_case_acronyms)]
pub enum Status {
    /// It is done.
    TOPOLOOM_OK = 0,
    /// An argument is not what it should be, such as a null pointer.
    TOPOLOOM_INVALID = 1,
    /// What was asked for cannot be done, such as more ranks than slots.
    TOPOLOOM_REFUSED = 2,
    /// A fault of the library.
    TOPOLOOM_INTERNAL = 3,
}
