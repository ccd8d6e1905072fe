//! Any box of free nodes, rotated to fit.

use topoloom_core::{Entry, Machine, Parameter, SpecError};

use super::entry::PartitionEntry;
use super::interface::{Partition, PartitionPolicy, Request};
use crate::box_search::BoxSearch;
use crate::error::ScheduleError;
use crate::node_set::NodeSet;
use crate::shape::{ShapeRule, UnknownShape};

/// The name in specifications.
pub(crate) const NAME: &str = "free-box";

/// The registry's entry.
pub static ENTRY: PartitionEntry = Entry {
    name: NAME,
    summary: "any box of free nodes, rotated to fit; meshes and tori",
    example: "free-box:shape=cube",
    parameters: &[
        Parameter {
            name: "shape",
            default: "any",
            summary: "any (most compact free one), cube, 2d, 3d, or advise (fastest for the job)",
        },
        Parameter {
            name: "fit",
            default: "first",
            summary: "first: first position; best: position with the fewest free nodes around it",
        },
    ],
    build: |spec, machine| {
        spec.no_shape()?;
        let (lengths, wraps) = grid_of(machine, NAME)?;
        let rule = match spec.get::<String>("shape", "a shape")? {
            Some(text) => {
                text.parse().map_err(|error: UnknownShape| SpecError::new(error.to_string()))?
            }
            None => ShapeRule::default(),
        };
        let tightest = match spec.get::<String>("fit", "first or best")?.as_deref() {
            None | Some("first") => false,
            Some("best") => true,
            Some(other) => {
                let text = format!("{NAME}: expected first or best for \"fit\", found \"{other}\"");
                return Err(SpecError::new(text).into());
            }
        };
        Ok(Box::new(FreeBox { search: BoxSearch::new(&lengths, wraps), rule, tightest }))
    },
};

#[derive(Debug)]
struct FreeBox {
    search: BoxSearch,
    rule: ShapeRule,
    tightest: bool,
}

impl PartitionPolicy for FreeBox {
    fn find(&mut self, request: &Request, free: &NodeSet) -> Option<Partition> {
        for shape in &request.shapes {
            if shape.volume() > u64::from(free.len()) {
                continue;
            }
            for size in &shape.rotations {
                let origin = match self.tightest {
                    true => self.search.tightest(size, free),
                    false => self.search.first(size, free),
                };
                if let Some(origin) = origin {
                    let nodes = self.search.nodes(origin, size);
                    return Some(Partition { nodes, lengths: Some(size.clone()) });
                }
            }
        }
        None
    }

    fn could(&mut self, request: &Request, free: &NodeSet) -> bool {
        let search = &mut self.search;
        let sizes = request.shapes.iter().flat_map(|shape| &shape.rotations);
        sizes.into_iter().any(|size| search.first(size, free).is_some())
    }

    fn shape_rule(&self) -> Option<ShapeRule> {
        Some(self.rule)
    }
}

/// The lengths of a machine that is a box, and whether its dimensions are rings, on which distances
/// depend only on the offset.
fn grid_of(machine: &Machine, policy: &'static str) -> Result<(Vec<u32>, bool), ScheduleError> {
    match machine.topology().lattice() {
        Some(lattice) => Ok((lattice.lengths, lattice.wraps)),
        None => Err(ScheduleError::NotForMachine {
            policy,
            needs: "a box of nodes, such as mesh:4x4x4 or torus:4x4x4",
            machine: machine.spec().to_string(),
        }),
    }
}
