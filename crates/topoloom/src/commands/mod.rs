//! One file a command.

pub mod advise;
pub mod apply;
pub mod arrange;
pub mod baseline;
pub mod check;
pub mod compare;
pub mod documents;
pub mod generate;
mod idle_hosts;
mod launcher;
pub mod list;
pub mod machine;
pub mod map;
pub mod measure;
mod placement;
pub mod plot;
mod preload;
pub mod probe;
pub mod record;
pub mod report;
pub mod reproduce;
pub mod score;
pub mod search;
pub mod simulate;
pub mod traffic;
pub mod tune;
pub mod verify;
