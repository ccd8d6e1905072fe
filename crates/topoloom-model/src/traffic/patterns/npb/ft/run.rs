//! A run of FT and the groups that transpose.

use super::super::Case;
use crate::spec::{Spec, SpecError};
use crate::traffic::Group;

/// Points along x, y and z, and iterations, by class.
const SIZES: [([u32; 3], u32); 7] = [
    ([64, 64, 64], 6),
    ([128, 128, 32], 6),
    ([256, 256, 128], 6),
    ([512, 256, 256], 20),
    ([512, 512, 512], 20),
    ([2048, 1024, 1024], 25),
    ([4096, 2048, 2048], 25),
];

pub(super) const BYTES_OF_A_POINT: u64 = 16;

/// A legal run: points along each axis and timed iterations.
#[derive(Debug)]
pub(super) struct Run<'a> {
    pub(super) case: Case<'a>,
    pub(super) sides: [u32; 3],
    pub(super) iterations: u32,
}

impl<'a> Run<'a> {
    pub(super) fn read(spec: &'a Spec) -> Result<Self, SpecError> {
        let case = Case::read(spec)?;
        let (sides, usual_iterations) = case.class.of(&SIZES);
        let iterations = case.iterations_or(usual_iterations);
        let planes = sides[2];
        let rule = format!("a power of two, at most nz x nz = {}", planes * planes);
        case.check_ranks(planes * planes, &rule, u32::is_power_of_two)?;
        Ok(Run { case, sides, iterations })
    }
}

/// The groups that transpose among themselves. As long as there are enough planes, each rank has
/// some, and all ranks transpose together. Beyond that, each plane is shared by consecutive ranks,
/// and the ranks with the same position in their planes come first.
pub(super) fn slices(ranks: u32, planes: u32) -> Vec<Group> {
    if ranks == 1 {
        return Vec::new();
    }
    if ranks <= planes {
        return vec![Group::first(ranks)];
    }
    let sharing = ranks / planes;
    let across = (0..sharing).map(|first| Group::Strided { first, stride: sharing, size: planes });
    let within = (0..planes).map(|plane| Group::Strided {
        first: plane * sharing,
        stride: 1,
        size: sharing,
    });
    across.chain(within).collect()
}
