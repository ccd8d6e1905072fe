//! Where a picture of a machine puts what, and what its links carry.

use topoloom_core::{Machine, Mapping, Problem};

/// A machine as it is drawn. Where it is too large, points stand for several nodes, and links between
/// them for several links; `notes` say so.
#[derive(Debug, Clone, PartialEq)]
pub struct DrawnMachine {
    /// Whether it has three dimensions and can be turned; otherwise every z is 0.
    pub turns: bool,
    /// Where points are, about 1 apart: x to the right, y up, z to the front. First those that
    /// hold nodes, then switches or groups.
    pub points: Vec<[f32; 3]>,
    /// What each point is, such as `node 17 (1, 1, 0)`, `switch 3 of level 1` or `host n04`.
    pub names: Vec<String>,
    /// How many points hold nodes: the first ones.
    pub holding: usize,
    /// The point of each node of the machine.
    pub point_of_node: Vec<u32>,
    /// The ends of each edge: points, the lower one first. It stands for the links of both directions.
    pub edges: Vec<[u32; 2]>,
    /// Whether an edge goes around a ring, from one end of the picture to the other: drawn as a
    /// stub at each end, in the direction away from the other end.
    pub around: Vec<bool>,
    /// What the edges carry, a placement each.
    pub loads: Vec<DrawnLoads>,
    /// What was put together or left out, in sentences.
    pub notes: Vec<String>,
}

/// What a placement makes of a drawn machine, in units of the problem's weight.
#[derive(Debug, Clone, PartialEq)]
pub struct DrawnLoads {
    /// On each edge from its first end to its second: the most of any link that it stands for.
    pub forward: Vec<f32>,
    /// And back.
    pub backward: Vec<f32>,
    /// Of each point that holds nodes: what its ranks exchange with ranks of other nodes, both directions.
    pub traffic: Vec<f32>,
    /// The busiest link, drawn or not.
    pub most: f64,
}

impl DrawnMachine {
    /// A machine without anything on it.
    pub fn of(_machine: &Machine) -> DrawnMachine {
        todo!("layouts of machines")
    }

    /// A machine under placements of one problem.
    pub fn under(_problem: &Problem, _mappings: &[&Mapping]) -> DrawnMachine {
        todo!("loads of drawn machines")
    }
}
