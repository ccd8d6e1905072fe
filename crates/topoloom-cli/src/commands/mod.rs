//! One file or folder per command.

pub mod advise;
pub mod apply;
pub mod arrange;
pub mod check;
pub mod compare;
pub mod docs;
pub mod documents;
pub mod generate;
pub mod list;
pub mod machine;
pub mod map;
pub mod measure;
pub mod plot;
pub mod record;
pub mod report;
pub mod reproduce;
pub mod run;
pub mod schedule;
pub mod score;
pub mod simulate;
pub mod traffic;
pub mod tune;
pub mod verify;
