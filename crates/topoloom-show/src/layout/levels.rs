//! Levels of switches: rows above each other, with the nodes at the bottom.

use topoloom_core::Topology;

use super::limits::MOST_POINTS;
use super::plan::{Plan, in_rows, run_of};
use crate::numbers::plural;

/// Up to this many points are in one row.
const ONE_ROW: usize = 64;

/// How the nodes of a machine of levels become points.
struct Leaves {
    /// Parts of this level are points; nodes are level 0.
    level: usize,
    /// The number of nodes of a point.
    nodes: u32,
    /// Points that are close together, below the same switches.
    together: usize,
}

impl Leaves {
    /// The finest level with few enough parts.
    fn of(lengths: &[u32], nodes: usize) -> Leaves {
        let mut leaves = Leaves { level: 0, nodes: 1, together: 1 };
        for &length in lengths {
            if nodes / leaves.nodes as usize <= MOST_POINTS {
                break;
            }
            leaves.level += 1;
            leaves.nodes *= length;
        }
        // A part that is a point has its own switches above it, which need its width.
        if leaves.level == 0 {
            leaves.together = lengths.first().map_or(1, |&length| length as usize);
        }
        leaves
    }

    fn note(&self) -> Option<String> {
        let nodes = plural(self.nodes as usize, "node");
        let edges = "an edge shows the busiest of the links that it stands for";
        match self.level {
            0 => None,
            1 => {
                Some(format!("A point stands for the {nodes} under a switch of level 1; {edges}."))
            }
            level => Some(format!(
                "A point stands for a part: the {nodes} under the same switches of level {level}, with all \
                 lower switches; {edges}."
            )),
        }
    }
}

/// The positions of the points of the lowest row: blocks of several rows, which lets many points
/// fit the width.
pub struct Ground {
    blocks: usize,
    together: usize,
    /// The number of columns of a block.
    pub columns: usize,
}

impl Ground {
    /// As few columns per block as possible while the blocks stay flat compared with the whole
    /// width.
    pub fn of(points: usize, together: usize) -> Ground {
        let blocks = points.div_ceil(together.max(1)).max(1);
        let mut ground = Ground { blocks, together: together.max(1), columns: 1 };
        if points <= ONE_ROW {
            ground.columns = ground.together;
        }
        while ground.rows() as f64 > (ground.width() / 6.0).max(4.0) {
            ground.columns += 1;
        }
        // Full rows look better.
        ground.columns = ground.together.div_ceil(ground.rows());
        ground
    }

    fn rows(&self) -> usize {
        self.together.div_ceil(self.columns)
    }

    /// The width of a block and the gap to the next.
    fn pitch(&self) -> f64 {
        self.columns as f64 + 0.6
    }

    fn width(&self) -> f64 {
        self.blocks as f64 * self.pitch()
    }

    fn place(&self, point: usize) -> [f64; 2] {
        let (block, at) = (point / self.together, point % self.together);
        let [column, row] = in_rows(self.together, self.columns, at);
        let slant = self.slant(row, self.rows());
        [(block as f64 + 0.5) * self.pitch() + column + slant, -row]
    }

    /// How far a row is moved aside, so lines to the lower rows do not run through the upper ones.
    pub fn slant(&self, row: f64, rows: usize) -> f64 {
        match rows {
            0 | 1 => 0.0,
            rows => 0.8 * (row / (rows - 1) as f64 - 0.5),
        }
    }
}

pub fn plan(topology: &dyn Topology, rows: &[u16]) -> Plan {
    let nodes = topology.num_nodes();
    let leaves = Leaves::of(&topology.levels().unwrap_or_default(), nodes);
    let points = nodes.div_ceil(leaves.nodes as usize);
    let ground = Ground::of(points, leaves.together);
    let mut plan = Plan { block: "part", ..Plan::flat() };
    plan.notes.extend(leaves.note());
    for point in 0..points as u32 {
        let run = point * leaves.nodes..((point + 1) * leaves.nodes).min(nodes as u32);
        plan.add(ground.place(point as usize), run_of("node", run));
    }
    plan.holding = points;
    plan.point_of_vertex = (0..nodes as u32).map(|node| node / leaves.nodes).collect();

    let top = rows.iter().copied().max().unwrap_or(0) as usize;
    let mut in_row = vec![0usize; top + 1];
    rows[nodes.min(rows.len())..].iter().for_each(|&row| in_row[row as usize] += 1);
    let drawn = leaves.level.max(1)..=top;
    let first = (ground.width() / 24.0).clamp(1.5, 8.0);
    let height = ground.width() * 0.55 - ground.rows() as f64 - first;
    let gaps = drawn.clone().count().saturating_sub(1).max(1);
    let apart = (height / gaps as f64).clamp(2.5, (ground.width() / 3.0).max(2.5));
    let mut first_point = vec![0u32; top + 1];
    let mut switches_a_point = vec![1usize; top + 1];
    for row in drawn.clone() {
        let switches = in_row[row];
        let at_a_point = switches.div_ceil(MOST_POINTS).max(1);
        let count = switches.div_ceil(at_a_point);
        (first_point[row], switches_a_point[row]) = (plan.points.len() as u32, at_a_point);
        let y = first + (row - drawn.start()) as f64 * apart;
        for at in 0..count {
            let x = (at as f64 + 0.5) / count as f64 * ground.width();
            let run = (at * at_a_point) as u32..((at + 1) * at_a_point).min(switches) as u32;
            let which = match run.len() {
                1 => format!("switch {}", run.start),
                _ => format!("switches {} to {}", run.start, run.end - 1),
            };
            plan.add([x, y], format!("{which} of level {row}"));
        }
        if at_a_point > 1 {
            plan.notes
                .push(format!("A point of level {row} stands for up to {at_a_point} switches."));
        }
    }
    // Switches of a row are numbered part by part, so those inside a point have consecutive
    // numbers.
    let mut seen = vec![0usize; top + 1];
    for row in rows.iter().skip(nodes).map(|&row| row as usize) {
        let number = seen[row];
        seen[row] += 1;
        plan.point_of_vertex.push(match drawn.contains(&row) {
            true => first_point[row] + (number / switches_a_point[row]) as u32,
            false => (number * points / in_row[row].max(1)) as u32,
        });
    }
    plan
}

#[cfg(test)]
mod tests {
    use super::*;
    use topoloom_core::Machine;

    fn plan_of(spec: &str) -> Plan {
        let machine = Machine::parse(spec).unwrap();
        let topoloom_core::topology::Drawing::Levels(rows) = machine.topology().drawing() else {
            panic!("{spec} has levels")
        };
        plan(machine.topology(), &rows)
    }

    #[test]
    fn switches_stand_above_the_middle_of_what_they_reach() {
        let plan = plan_of("fat-tree:levels=2,down=2:3,up=1");
        // 6 nodes, 3 switches above two each, 1 above all.
        assert_eq!(plan.points.len(), 10);
        for switch in 0..3 {
            let [a, b] = [2 * switch, 2 * switch + 1].map(|node| plan.points[node][0]);
            assert!(((a + b) / 2.0 - plan.points[6 + switch][0]).abs() < 1e-5);
        }
        assert!((plan.points[7][0] - plan.points[9][0]).abs() < 1e-5);
        assert!(plan.points[9][1] > plan.points[7][1] && plan.points[7][1] > plan.points[2][1]);
        assert_eq!(plan.names[8], "switch 2 of level 1");
    }

    #[test]
    fn nodes_under_a_switch_become_one_point_where_there_are_too_many() {
        // 64 x 32 x 8 = 16,384 nodes; 256 lowest switches.
        let plan = plan_of("fat-tree:levels=3,down=64:32:8,up=2:2");
        assert_eq!((plan.holding, plan.names[1].as_str()), (256, "nodes 64 to 127"));
        assert_eq!(plan.point_of_vertex[64], 1);
        // Above them 256, 8 x 2 and 4.
        assert_eq!(plan.points.len(), 256 + 256 + 16 + 4);
        assert!(plan.notes[0].starts_with("A point stands for the 64 nodes under a switch"));
    }

    #[test]
    fn lower_switches_go_into_the_parts_that_are_points() {
        // 2 x 16,384 nodes under as many switches: parts of level 2 are points.
        let plan = plan_of("fat-tree:levels=3,down=2:4:4096,up=2:1");
        assert_eq!(plan.holding, 4096);
        // Nodes 8 to 15 and switches 4 to 7 of level 1 are in point 1.
        assert_eq!([plan.point_of_vertex[8], plan.point_of_vertex[32_768 + 4]], [1, 1]);
        assert_eq!(plan.names[4096], "switch 0 of level 2");
    }
}
