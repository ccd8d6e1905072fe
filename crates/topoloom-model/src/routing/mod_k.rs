//! D-mod-K and S-mod-K: one fixed route through a fat tree for each destination, or each source.
//!
//! The destinations are numbered in the order of the nodes. A switch that is not above destination
//! d sends it up to its parent number q mod w and, of the p cables there, takes number q / w, where
//! q = d / (ways below) mod (w p). A switch above d sends it down, over the cable that the switch
//! below it would use on the way up. With sources instead of destinations it is S-mod-K.
//!
//! E. Zahavi, "D-Mod-K Routing Providing Non-Blocking Traffic for Shift Permutations on Real Life Fat
//! Trees", 2010.

use std::sync::Arc;

use super::entry::RoutingEntry;
use super::interface::Routing;
use super::tree_shape::{Bundle, Place, TreeShape};
use crate::ids::{LinkId, Vertex};
use crate::spec::SpecError;
use crate::topology::Topology;

/// Routes that depend on the destination.
pub static D_MOD_K: RoutingEntry = RoutingEntry {
    name: "d-mod-k",
    summary: "one route per destination through a fat tree, as OpenSM's ftree engine makes them",
    example: "d-mod-k",
    parameters: &[],
    build: |spec, topology| {
        spec.no_shape()?;
        Ok(Arc::new(ModK::new(D_MOD_K.name, By::Destination, topology)?))
    },
};

/// Routes that depend on the source.
pub static S_MOD_K: RoutingEntry = RoutingEntry {
    name: "s-mod-k",
    summary: "one route per source through a fat tree",
    example: "s-mod-k",
    parameters: &[],
    build: |spec, topology| {
        spec.no_shape()?;
        Ok(Arc::new(ModK::new(S_MOD_K.name, By::Source, topology)?))
    },
};

#[derive(Debug, Clone, Copy)]
enum By {
    Destination,
    Source,
}

/// One fixed route through a fat tree.
#[derive(Debug)]
struct ModK {
    name: &'static str,
    by: By,
    shape: TreeShape,
}

impl ModK {
    fn new(name: &'static str, by: By, topology: &dyn Topology) -> Result<ModK, SpecError> {
        let wrong = |why: String| {
            SpecError::new(format!("{name}: expected a network of switches in levels, but {why}"))
        };
        let shape = TreeShape::of(topology).map_err(wrong)?;
        let nodes = topology.num_nodes();
        match shape.places[..nodes].iter().position(|place| place.unreached(nodes) > 0) {
            Some(node) => {
                let name = topology.vertex_name(Vertex(node as u32));
                let unreached = shape.places[node].unreached(nodes);
                Err(wrong(format!(
                    "no way up and then down leads from {name} to {unreached} of the nodes"
                )))
            }
            None => Ok(ModK { name, by, shape }),
        }
    }

    /// The bundle that leads up, and the number of the cable in it.
    fn up<'a>(&self, place: &'a Place, to: Vertex, number: u64) -> (&'a Bundle, usize) {
        let levels = place.levels_up(to).expect("every node is reached");
        // On a regular tree these are all parents.
        let leads = |bundle: &&Bundle| self.shape.place(bundle.to).reaches(levels - 1, to);
        let parents = place.up.iter().filter(leads).count();
        let (parent, cable) = choice(place, parents, number);
        let bundle = place.up.iter().filter(leads).nth(parent).expect("one of the parents");
        (bundle, cable)
    }
}

/// The number of the parent, and of the cable to it, for the destination (or source) with this
/// number.
fn choice(place: &Place, parents: usize, number: u64) -> (usize, usize) {
    let parents = parents.max(1) as u64;
    let cables = place.up.iter().map(|bundle| bundle.links.len()).max().unwrap_or(1) as u64;
    let q = number / place.ways % (parents * cables);
    ((q % parents) as usize, (q / parents) as usize)
}

impl Routing for ModK {
    fn name(&self) -> String {
        self.name.to_string()
    }

    fn route(
        &self,
        topology: &dyn Topology,
        from: Vertex,
        to: Vertex,
        visit: &mut dyn FnMut(LinkId, f64),
    ) {
        let number = u64::from(match self.by {
            By::Destination => to.0,
            By::Source => from.0,
        });
        let mut at = from;
        while at != to {
            let place = self.shape.place(at);
            let (bundle, cable) = if place.reaches(0, to) {
                let leads = |bundle: &&Bundle| self.shape.place(bundle.to).reaches(0, to);
                let bundle = place.down.iter().find(leads).expect("something below leads there");
                let below = self.shape.place(bundle.to);
                (bundle, choice(below, below.up.len(), number).1)
            } else {
                self.up(place, to, number)
            };
            // Where cables are missing, the others take their share.
            let link = bundle.links[cable % bundle.links.len()];
            visit(link, 1.0);
            at = topology.link(link).expect("links of the shape exist").to;
        }
    }
}
