//! What training jobs sent, from traces of their ranks: which groups there are and what each does.
//!
//! Every format makes a [`rank_trace::RankTrace`] of each rank's file. [`join`] makes traffic of
//! them. A trace of one rank has its own groups; [`regular`] finds the others if the layout is
//! regular.

pub(crate) mod chakra;
mod elements;
pub(crate) mod execution_trace;
mod group_list;
mod group_names;
mod join;
pub(crate) mod kineto;
mod messages;
mod operations;
mod rank_trace;
mod recorded_call;
mod regular;
mod run;
mod scalar;
