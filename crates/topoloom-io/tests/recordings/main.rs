//! The recorder's own files: every byte, there and back, and what is wrong with damaged ones.

mod by_hand;
mod good;
mod malformed;
mod survival;
