//! What each directed link carries.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, DefaultHasher};

use crate::ids::LinkId;

/// Up to this many link numbers a node, loads are kept in a flat array; beyond it (HAEC has
/// hundreds a node) only for links that are used.
const DENSE_LINKS_PER_NODE: u64 = 16;

#[derive(Debug, Clone)]
enum Store {
    Dense(Vec<f64>),
    Sparse(HashMap<u64, f64, BuildHasherDefault<DefaultHasher>>),
}

/// What each directed link carries, in units of the weight.
#[derive(Debug, Clone)]
pub struct LinkLoads {
    store: Store,
}

impl LinkLoads {
    /// No load on links numbered below `bound`, of a machine of `nodes` nodes.
    pub fn new(bound: u64, nodes: usize) -> Self {
        let store = if bound <= DENSE_LINKS_PER_NODE * nodes as u64 {
            Store::Dense(vec![0.0; bound as usize])
        } else {
            Store::Sparse(HashMap::default())
        };
        LinkLoads { store }
    }

    /// Adds `load` to a link.
    #[inline]
    pub fn add(&mut self, link: LinkId, load: f64) {
        match &mut self.store {
            Store::Dense(loads) => loads[link.index()] += load,
            Store::Sparse(loads) => *loads.entry(link.0).or_insert(0.0) += load,
        }
    }

    /// Every link that carries anything with its load, by rising link number.
    pub fn used(&self) -> Vec<(LinkId, f64)> {
        match &self.store {
            Store::Dense(loads) => (0u64..)
                .zip(loads)
                .filter(|&(_, &load)| load > 0.0)
                .map(|(id, &load)| (LinkId(id), load))
                .collect(),
            Store::Sparse(loads) => {
                let mut used: Vec<_> = loads
                    .iter()
                    .filter(|&(_, &load)| load > 0.0)
                    .map(|(&id, &load)| (LinkId(id), load))
                    .collect();
                used.sort_unstable_by_key(|&(id, _)| id);
                used
            }
        }
    }
}
