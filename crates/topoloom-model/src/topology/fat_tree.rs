//! Fat trees: nodes under switches, switches under more switches.

use std::ops::ControlFlow;
use std::sync::Arc;

use super::distance_counts::DistanceCounts;
use super::drawing::Drawing;
use super::entry::TopologyEntry;
use super::groups::Groups;
use super::interface::Topology;
use super::link::LINK_PARAMETERS_BY_LEVEL;
use super::link::{Link, LinkProperties};
use super::metric::Metric;
use super::size::{MAX_NODES, checked_volume};
use super::tree::{Tree, numbers};
use crate::ids::{LinkId, Vertex};
use crate::registry::Parameter;
use crate::spec::{Spec, SpecError};
use crate::words::counted;

/// Fat trees.
pub static ENTRY: TopologyEntry = TopologyEntry {
    name: "fat-tree",
    summary: "levels of switches, each with several uplinks",
    example: "fat-tree:k=8",
    parameters: &[
        Parameter { name: "k", default: "none", summary: "ports per switch, with three levels" },
        Parameter { name: "levels", default: "none", summary: "levels of switches" },
        Parameter {
            name: "down",
            default: "none",
            summary: "children per switch of each level, lowest first, such as 16:12",
        },
        Parameter {
            name: "up",
            default: "none",
            summary: "uplinks per switch of each level except the top, lowest first",
        },
        LINK_PARAMETERS_BY_LEVEL[0],
        LINK_PARAMETERS_BY_LEVEL[1],
        LINK_PARAMETERS_BY_LEVEL[2],
        LINK_PARAMETERS_BY_LEVEL[3],
    ],
    build: |spec| Ok(Arc::new(FatTree::from_spec(spec)?)),
};

/// One level of switches. A switch is identified by the part of the machine below it and, since
/// several switches are above the same part, by its plane.
#[derive(Debug, Clone, Copy)]
struct Level {
    /// Children of a switch.
    down: u32,
    /// Uplinks of a switch; none at the top.
    up: u32,
    /// Nodes below a switch.
    nodes: u32,
    /// Switches above each part.
    planes: u32,
    /// The number of the first switch, and the number of its first link.
    first_vertex: u32,
    first_link: u64,
    /// Properties of the links to its children, in both directions.
    properties: LinkProperties,
}

/// A fat tree. Vertices are numbered nodes first, then switches level by level. A switch of level i
/// has number `part * planes + plane` in its level. From plane p, uplink q leads to plane `p * up +
/// q` of the next level.
#[derive(Debug, Clone)]
pub struct FatTree {
    levels: Vec<Level>,
    /// The nodes and their distances.
    leaves: Tree,
    links: u64,
}

/// A vertex by its position. Nodes are level 0.
#[derive(Debug, Clone, Copy)]
struct Place {
    level: usize,
    part: u32,
    plane: u32,
}

impl FatTree {
    fn from_spec(spec: &Spec) -> Result<FatTree, SpecError> {
        spec.no_shape()?;
        let (down, up) = shape(spec)?;
        let nodes = checked_volume(spec, &down)? as u32;
        let properties =
            LinkProperties::ELECTRICAL.overridden_each(spec, "", down.len(), "level")?;
        let mut levels: Vec<Level> = Vec::new();
        let (mut vertices, mut links) = (u64::from(nodes), u64::from(nodes));
        let (mut below, mut planes) = (1, 1u32);
        for (level, &children) in down.iter().enumerate() {
            let uplinks = up.get(level).copied().unwrap_or(0);
            below *= children;
            levels.push(Level {
                down: children,
                up: uplinks,
                nodes: below,
                planes,
                first_vertex: vertices as u32,
                first_link: links,
                properties: properties[level],
            });
            let switches = u64::from(nodes / below) * u64::from(planes);
            vertices += switches;
            links += switches * (u64::from(children) + u64::from(uplinks));
            if vertices > u64::from(MAX_NODES) * 2 || links > 1 << 40 {
                return Err(SpecError::new(format!("{spec} has too many switches")));
            }
            planes = planes.saturating_mul(uplinks.max(1));
        }
        let distances: Vec<u32> = (1..=down.len() as u32).map(|level| 2 * level).collect();
        Ok(FatTree { leaves: Tree::new(&down, &distances), levels, links })
    }

    fn nodes(&self) -> u32 {
        self.leaves.num_nodes() as u32
    }

    fn place(&self, vertex: Vertex) -> Place {
        let above = self.levels.iter().rposition(|level| level.first_vertex <= vertex.0);
        match above {
            Some(index) => {
                let level = &self.levels[index];
                let number = vertex.0 - level.first_vertex;
                Place {
                    level: index + 1,
                    part: number / level.planes,
                    plane: number % level.planes,
                }
            }
            None => Place { level: 0, part: vertex.0, plane: 0 },
        }
    }

    fn vertex(&self, place: Place) -> Vertex {
        match place.level.checked_sub(1) {
            Some(index) => {
                let level = &self.levels[index];
                Vertex(level.first_vertex + place.part * level.planes + place.plane)
            }
            None => Vertex(place.part),
        }
    }

    /// Nodes below a vertex of a level.
    fn nodes_below(&self, level: usize) -> u32 {
        level.checked_sub(1).map_or(1, |index| self.levels[index].nodes)
    }

    /// The part of a higher level that a part is in.
    fn part_above(&self, part: u32, level: usize, higher: usize) -> u32 {
        part / (self.nodes_below(higher) / self.nodes_below(level))
    }

    /// The plane of a lower level that a switch reaches going down.
    fn plane_below(&self, place: Place, lower: usize) -> u32 {
        let planes = |level: usize| level.checked_sub(1).map_or(1, |i| self.levels[i].planes);
        place.plane / (planes(place.level) / planes(lower.min(place.level)))
    }

    /// The first link that leaves a vertex downwards; its uplinks follow.
    fn first_link(&self, place: Place) -> u64 {
        match place.level.checked_sub(1) {
            Some(index) => {
                let level = &self.levels[index];
                let number = u64::from(self.vertex(place).0 - level.first_vertex);
                level.first_link + number * u64::from(level.down + level.up)
            }
            None => u64::from(place.part),
        }
    }
}

/// Children and uplinks of the switches of each level.
fn shape(spec: &Spec) -> Result<(Vec<u32>, Vec<u32>), SpecError> {
    let wrong = |expected: &str| SpecError::new(format!("fat-tree: expected {expected}"));
    let k = spec.get::<u32>("k", "an even number of ports")?;
    let levels = spec.get::<usize>("levels", "a number of levels")?;
    let down = spec.get::<String>("down", "numbers such as 16:12")?;
    let up = spec.get::<String>("up", "numbers such as 8:4")?;
    if let Some(k) = k {
        if levels.is_some() || down.is_some() || up.is_some() {
            return Err(wrong("either k=8 or levels=2,down=16:12,up=8, found both"));
        }
        if k < 2 || k % 2 == 1 || k > 1024 {
            return Err(wrong(&format!("an even k from 2 to 1024, found \"{k}\"")));
        }
        return Ok((vec![k / 2, k / 2, k], vec![k / 2, k / 2]));
    }
    let Some(down) = down else {
        return Err(wrong("k=8 or levels=2,down=16:12,up=8, found neither"));
    };
    let read = |text: &str, name: &str| {
        numbers(text).filter(|numbers| numbers.iter().all(|&number| number >= 1)).ok_or_else(|| {
            wrong(&format!("numbers of at least 1 such as 16:12 for \"{name}\", found \"{text}\""))
        })
    };
    let children = read(&down, "down")?;
    let uplinks = up.as_deref().map_or(Ok(Vec::new()), |up| read(up, "up"))?;
    let levels = levels.unwrap_or(children.len());
    if children.len() != levels {
        return Err(wrong(&format!(
            "{} for \"down\", found \"{down}\"",
            counted(levels, "number")
        )));
    }
    if uplinks.len() + 1 != levels {
        let found = up.map_or("none".to_string(), |up| format!("\"{up}\""));
        return Err(wrong(&format!("{} for \"up\", found {found}", counted(levels - 1, "number"))));
    }
    Ok((children, uplinks))
}

impl Topology for FatTree {
    fn num_nodes(&self) -> usize {
        self.leaves.num_nodes()
    }

    fn num_vertices(&self) -> usize {
        let top = self.levels.last().expect("a fat tree has levels");
        (top.first_vertex + self.nodes() / top.nodes * top.planes) as usize
    }

    fn drawing(&self) -> Drawing {
        let level = |vertex| self.place(Vertex(vertex)).level as u16;
        Drawing::Levels((0..self.num_vertices() as u32).map(level).collect())
    }

    fn num_links(&self) -> u64 {
        self.links
    }

    fn link_id_bound(&self) -> u64 {
        self.links
    }

    fn link(&self, id: LinkId) -> Option<Link> {
        if id.0 >= self.links {
            return None;
        }
        let above = self.levels.iter().rposition(|level| level.first_link <= id.0);
        let (from, to, properties) = match above {
            Some(index) => {
                let level = &self.levels[index];
                let ports = u64::from(level.down + level.up);
                let (number, port) =
                    ((id.0 - level.first_link) / ports, (id.0 - level.first_link) % ports);
                let from = Vertex(level.first_vertex + number as u32);
                let (place, port) = (self.place(from), port as u32);
                let (to, upper) = if port < level.down {
                    let lower = index;
                    let to = Place {
                        level: lower,
                        part: place.part * level.down + port,
                        plane: self.plane_below(place, lower),
                    };
                    (to, level)
                } else {
                    let to = Place {
                        level: index + 2,
                        part: place.part / self.levels[index + 1].down,
                        plane: place.plane * level.up + (port - level.down),
                    };
                    (to, &self.levels[index + 1])
                };
                (from, self.vertex(to), upper.properties)
            }
            None => {
                let node = id.0 as u32;
                let to = Place { level: 1, part: node / self.levels[0].down, plane: 0 };
                (Vertex(node), self.vertex(to), self.levels[0].properties)
            }
        };
        Some(Link { from, to, properties })
    }

    fn distance(&self, from: Vertex, to: Vertex) -> u32 {
        if from.0 < self.nodes() && to.0 < self.nodes() {
            return self.leaves.distance(from, to);
        }
        let (a, b) = (self.place(from), self.place(to));
        let higher = a.level.max(b.level);
        // Where both are below one switch: a route must climb that high.
        let together = |&level: &usize| {
            self.part_above(a.part, a.level, level) == self.part_above(b.part, b.level, level)
        };
        let top = (higher..=self.levels.len()).find(together).expect("all lie below the top");
        // Planes separate on the way up: a route from one to another goes down to where they meet.
        let lower = a.level.min(b.level);
        let meet = |&level: &usize| self.plane_below(a, level) == self.plane_below(b, level);
        let bottom = (0..=lower).rev().find(meet).expect("nodes lie in no plane");
        let (a, b, top, bottom) = (a.level as u32, b.level as u32, top as u32, bottom as u32);
        if bottom as usize == lower {
            return (top - a) + (top - b);
        }
        let down_first = (a - bottom) + (top - bottom) + (top - b);
        let up_first = (top - a) + (top - bottom) + (b - bottom);
        down_first.min(up_first)
    }

    fn next_links(&self, at: Vertex, to: Vertex, out: &mut Vec<LinkId>) {
        if at == to {
            return;
        }
        let place = self.place(at);
        let first = self.first_link(place);
        if to.0 < self.nodes() {
            let Some(index) = place.level.checked_sub(1) else {
                return out.push(LinkId(first));
            };
            let level = &self.levels[index];
            if to.0 / level.nodes == place.part {
                let child = to.0 / self.nodes_below(index) % level.down;
                out.push(LinkId(first + u64::from(child)));
            } else {
                let up = u64::from(level.down)..u64::from(level.down + level.up);
                out.extend(up.map(|port| LinkId(first + port)));
            }
            return;
        }
        let ports =
            place.level.checked_sub(1).map_or(1, |i| self.levels[i].down + self.levels[i].up);
        let left = self.distance(at, to);
        for id in (first..first + u64::from(ports)).map(LinkId) {
            let end = self.link(id).expect("each port has a link").to;
            if self.distance(end, to) + 1 == left {
                out.push(id);
            }
        }
    }

    fn levels(&self) -> Option<Vec<u32>> {
        self.leaves.levels()
    }

    fn groups(&self) -> Option<Arc<Groups>> {
        self.leaves.groups()
    }

    fn metric(&self) -> Option<Box<dyn Metric>> {
        self.leaves.metric()
    }

    fn fastest_link(&self) -> f64 {
        LinkProperties::fastest(self.levels.iter().map(|level| (true, level.properties)))
    }

    fn nodes_at_distance(
        &self,
        from: Vertex,
        distance: u32,
        visit: &mut dyn FnMut(Vertex) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        self.leaves.nodes_at_distance(from, distance, visit)
    }

    fn pairs_at_distance(&self) -> DistanceCounts {
        self.leaves.pairs_at_distance()
    }

    fn largest_ball(&self) -> DistanceCounts {
        self.leaves.largest_ball()
    }

    fn representative_nodes(&self) -> Vec<Vertex> {
        self.leaves.representative_nodes()
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::check_all_vertices;
    use super::*;
    use crate::Machine;

    fn ends(spec: &str) -> Vec<(u32, u32)> {
        let machine = Machine::parse(spec).unwrap();
        let topology = machine.topology();
        (0..topology.link_id_bound())
            .filter_map(|id| topology.link(LinkId(id)))
            .map(|link| (link.from.0, link.to.0))
            .collect()
    }

    #[test]
    fn a_small_tree_is_wired_as_drawn() {
        // Two leaf switches (4, 5) of two nodes each below two top switches (6, 7).
        let expected = [
            (0, 4),
            (1, 4),
            (2, 5),
            (3, 5),
            (4, 0),
            (4, 1),
            (4, 6),
            (4, 7),
            (5, 2),
            (5, 3),
            (5, 6),
            (5, 7),
            (6, 4),
            (6, 5),
            (7, 4),
            (7, 5),
        ];
        assert_eq!(ends("fat-tree:levels=2,down=2:2,up=2"), expected);
    }

    #[test]
    fn the_usual_tree_has_the_usual_numbers() {
        let machine = Machine::parse("fat-tree:k=4").unwrap();
        // 16 nodes, 8 edge, 8 aggregation and 4 core switches; 48 cables.
        assert_eq!((machine.num_nodes(), machine.topology().num_links()), (16, 96));
        let last = machine.topology().link(LinkId(95)).unwrap();
        assert_eq!(last.from, Vertex(35));
    }

    #[test]
    fn distances_are_those_of_a_search() {
        for spec in
            ["fat-tree:k=4", "fat-tree:levels=3,down=2:3:2,up=2:3", "fat-tree:levels=1,down=3"]
        {
            check_all_vertices(&Machine::parse(spec).unwrap());
        }
    }

    #[test]
    fn wrong_shapes_are_named() {
        for (spec, expected) in [
            ("fat-tree", "found neither"),
            ("fat-tree:k=5", "an even k"),
            ("fat-tree:k=4,up=2", "found both"),
            ("fat-tree:levels=2,down=4", "2 numbers for \"down\""),
            ("fat-tree:levels=2,down=4:4", "1 number for \"up\", found none"),
            ("fat-tree:levels=2,down=4:0,up=2", "at least 1"),
        ] {
            let message = Machine::parse(spec).unwrap_err().to_string();
            assert!(message.contains(expected), "{spec}: {message}");
        }
    }
}
