//! The recorder's own files: every byte, written and read, and the errors of damaged ones.

mod by_hand;
mod good;
mod malformed;
mod survival;
