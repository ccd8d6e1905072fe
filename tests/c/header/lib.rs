//! The C header is up to date: `tests/header.rs` compares it with what cbindgen writes.
