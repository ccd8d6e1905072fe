//! Cables: the two directions of a link under one name.

use std::collections::HashMap;

use topoloom_core::topology::{Link, LinkProperties};
use topoloom_core::{LinkId, Machine};

use super::error::ExportError;

/// The most link numbers that are examined.
const MOST_LINKS: u64 = 1 << 24;

/// The number that stands for no link.
const NONE: u32 = u32::MAX;

/// How messages share a cable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sharing {
    /// Those of each direction share its bandwidth.
    ByDirection,
    /// There is only one direction.
    OneWay,
    /// Every message has the whole bandwidth.
    FatPipe,
}

/// One cable.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cable {
    /// The direction with the lower number.
    pub link: Link,
    pub sharing: Sharing,
}

/// The cable that a directed link is part of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Step {
    pub cable: u32,
    /// Whether the link is the direction with the higher number.
    pub is_back: bool,
}

/// The cables of a machine's network.
#[derive(Debug)]
pub(super) struct Cables {
    pub all: Vec<Cable>,
    /// By the number of a link, counted from the first one of the network: twice the cable, and one
    /// more for the way back.
    of_link: Vec<u32>,
    /// The number of the first link of the network.
    first: u64,
}

impl Cables {
    /// Puts together what leads back and forth between the same two vertices with the same
    /// properties, in the order of link numbers.
    pub fn of(machine: &Machine) -> Result<Cables, ExportError> {
        let topology = machine.topology();
        let (first, bound) = (topology.inner_link_bound(), topology.link_id_bound());
        if bound - first > MOST_LINKS {
            let (machine, links) = (machine.spec().to_string(), bound - first);
            return Err(ExportError::TooManyLinks { machine, links, most: MOST_LINKS });
        }
        let mut cables =
            Cables { all: Vec::new(), of_link: vec![NONE; (bound - first) as usize], first };
        // Cables that have no way back yet, by where they lead from and to.
        let mut open: HashMap<(u32, u32), Vec<u32>> = HashMap::new();
        for (number, id) in (first..bound).enumerate() {
            let Some(link) = topology.link(LinkId(id)) else { continue };
            let waiting = open.get_mut(&(link.to.0, link.from.0));
            let is_back = |&cable: &u32| same(&cables.all[cable as usize].link, &link);
            let found = waiting
                .and_then(|waiting| waiting.iter().position(is_back).map(|at| waiting.remove(at)));
            if let Some(cable) = found {
                cables.all[cable as usize].sharing = Sharing::ByDirection;
                cables.of_link[number] = 2 * cable + 1;
                continue;
            }
            let cable = cables.all.len() as u32;
            let is_fat_pipe = link.properties.is_fat_pipe;
            let sharing = if is_fat_pipe { Sharing::FatPipe } else { Sharing::OneWay };
            if !is_fat_pipe {
                open.entry((link.from.0, link.to.0)).or_default().push(cable);
            }
            cables.all.push(Cable { link, sharing });
            cables.of_link[number] = 2 * cable;
        }
        Ok(cables)
    }

    /// The cable of a link; none for links inside hosts.
    pub fn step(&self, id: LinkId) -> Option<Step> {
        let number = id.0.checked_sub(self.first)?;
        let &of_link = self.of_link.get(number as usize)?;
        (of_link != NONE).then_some(Step { cable: of_link / 2, is_back: of_link % 2 == 1 })
    }
}

fn same(one: &Link, other: &Link) -> bool {
    let speed =
        |link: &LinkProperties| (link.bytes_per_second, link.latency_seconds, link.is_fat_pipe);
    speed(&one.properties) == speed(&other.properties)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_directions_are_one_cable_and_parallel_cables_stay_apart() {
        // A ring of two with double links: two cables, four directed links.
        let machine = Machine::parse("torus:2,double-links").unwrap();
        let cables = Cables::of(&machine).unwrap();
        assert_eq!(cables.all.len(), 2);
        assert!(cables.all.iter().all(|cable| cable.sharing == Sharing::ByDirection));
        // 3 x 4 torus: 2 cables per node.
        let machine = Machine::parse("torus:3x4").unwrap();
        assert_eq!(Cables::of(&machine).unwrap().all.len(), 24);
    }
}
