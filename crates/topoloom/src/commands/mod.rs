//! One file a command.

pub mod check;
pub mod compare;
pub mod documents;
pub mod generate;
pub mod list;
pub mod map;
pub mod reproduce;
pub mod score;
mod search;
