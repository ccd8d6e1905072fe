//! A step of training a large model.

use super::entry::{PatternBuilder, PatternEntry};
use crate::registry::Entry;
use crate::training::{PARAMETERS, TrainingJob};

/// The pattern `llm`.
pub static ENTRY: PatternEntry = Entry {
    name: "llm",
    summary: "a step of training a large model: tensor, context, expert, pipeline and data groups",
    example: "llm:model=llama3-70b,tp=4,pp=8,dp=2,micro-batches=128",
    parameters: PARAMETERS,
    build: PatternBuilder { traffic: |spec| TrainingJob::from_spec(spec)?.traffic(), trace: None },
};
