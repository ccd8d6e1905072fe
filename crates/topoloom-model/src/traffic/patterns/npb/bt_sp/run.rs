//! A run of BT or SP.

use super::super::Case;
use crate::spec::{Spec, SpecError};

/// Points in a direction and iterations of BT, by class.
const BT_SIZES: [(u64, u32); 7] =
    [(12, 60), (24, 200), (64, 200), (102, 200), (162, 200), (408, 250), (1020, 250)];

/// Points in a direction and iterations of SP, by class.
const SP_SIZES: [(u64, u32); 7] =
    [(12, 100), (36, 400), (64, 400), (102, 400), (162, 400), (408, 500), (1020, 500)];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Benchmark {
    Bt,
    Sp,
}

/// A legal run: points in a direction, timed iterations, and q x q working ranks.
#[derive(Debug)]
pub(super) struct Run<'a> {
    pub(super) case: Case<'a>,
    pub(super) n: u64,
    pub(super) iterations: u32,
    pub(super) q: usize,
}

impl<'a> Run<'a> {
    pub(super) fn read(spec: &'a Spec, benchmark: Benchmark) -> Result<Self, SpecError> {
        let case = Case::read(spec)?;
        let (n, usual_iterations) = case.class.of(match benchmark {
            Benchmark::Bt => &BT_SIZES,
            Benchmark::Sp => &SP_SIZES,
        });
        let iterations = case.iterations_or(usual_iterations);
        // Ranks beyond the largest square are idle, so the last legal count is just below the
        // next.
        let largest_q = (n / 3) as u32;
        let most = (largest_q + 1) * (largest_q + 1) - 1;
        case.check_ranks(most, "cells have at least 3 points in each direction", |_| true)?;
        let q = case.ranks.isqrt() as usize;
        Ok(Run { case, n, iterations, q })
    }
}
