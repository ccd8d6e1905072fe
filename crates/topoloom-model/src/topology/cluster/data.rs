//! The data of a cluster: groups in groups, and the places in them.

use std::sync::Arc;

use super::between::Between;
use super::place::Place;
use super::wired::Wired;
use crate::cluster::Description;
use crate::spec::{Spec, SpecError};
use crate::topology::groups::Groups;

/// A cluster. Its nodes, in the sense of a topology, are the places where ranks run.
#[derive(Debug, Clone)]
pub struct Cluster {
    pub(super) description: Arc<Description>,
    pub(super) groups: Arc<Groups>,
    pub(super) places: Arc<Vec<Place>>,
    /// The group of each host.
    pub(super) host_groups: Arc<Vec<u32>>,
    /// The node of each seat of the description.
    pub(super) node_of_seat: Arc<Vec<u32>>,
    /// Its links; none if its network is in parts.
    pub(super) wired: Option<Arc<Wired>>,
    /// Distances between hosts, if they are not those of the groups.
    pub(super) between: Option<Between>,
}

impl Cluster {
    /// The name of the topology.
    pub const NAME: &'static str = "cluster";

    /// The file that a specification names.
    pub fn file(spec: &Spec) -> Result<&str, SpecError> {
        spec.shape.as_deref().ok_or_else(|| {
            SpecError::new("cluster: expected a file, such as cluster:machine.json, found none")
        })
    }

    /// The description it was made from.
    pub fn description(&self) -> &Description {
        &self.description
    }

    /// Where the ranks of each node of the topology run.
    pub fn places(&self) -> &[Place] {
        &self.places
    }

    /// The node of each seat of the description, in its order; empty without seats.
    pub fn node_of_seat(&self) -> &[u32] {
        &self.node_of_seat
    }

    /// The group of each host, in the order of the description.
    pub fn host_groups(&self) -> &[u32] {
        &self.host_groups
    }

    /// Its links; none if its network is in parts that do not reach each other.
    pub fn wired(&self) -> Option<&Wired> {
        self.wired.as_deref()
    }

    /// How many places each host has.
    pub(super) fn places_of_hosts(&self) -> Vec<u64> {
        let places = |&group: &u32| self.groups.group(group).nodes.len() as u64;
        self.host_groups.iter().map(places).collect()
    }

    /// Its groups in groups. If the network is not a tree, all hosts are in one group, whose
    /// distance means nothing.
    pub fn tree(&self) -> &Groups {
        &self.groups
    }

    /// The groups around a node, smallest first, including itself.
    pub(super) fn around(&self, node: u32) -> impl Iterator<Item = u32> {
        let first = self.group_of(node);
        std::iter::successors(Some(first), |&group| {
            (group > 0).then(|| self.groups.group(group).parent)
        })
    }

    /// The group of a single node, found from the outside.
    pub(super) fn group_of(&self, node: u32) -> u32 {
        let mut at = 0;
        loop {
            let children = self.groups.group(at).children.clone();
            if children.is_empty() {
                return at;
            }
            // The children follow each other in the order of their nodes.
            let (mut low, mut high) = (children.start, children.end);
            while high - low > 1 {
                let middle = low + (high - low) / 2;
                if self.groups.group(middle).nodes.start <= node {
                    low = middle
                } else {
                    high = middle
                }
            }
            at = low;
        }
    }
}
