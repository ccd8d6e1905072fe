//! Levels of switches: rows above each other, with the nodes at the bottom.

use topoloom_core::Topology;

use super::edges::Wired;
use super::hosts::label_of;
use super::layered;
use super::limits::MOST_POINTS;
use super::plan::{Plan, run_of};
use crate::numbers::plural;

/// How the nodes of a machine of levels become points.
struct Leaves {
    /// Parts of this level are points; nodes are level 0.
    level: usize,
    /// The number of nodes of a point.
    nodes: u32,
}

impl Leaves {
    /// The finest level with few enough parts.
    fn of(lengths: &[u32], nodes: usize) -> Leaves {
        let mut leaves = Leaves { level: 0, nodes: 1 };
        for &length in lengths {
            if nodes / leaves.nodes as usize <= MOST_POINTS {
                break;
            }
            leaves.level += 1;
            leaves.nodes *= length;
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

pub fn plan(topology: &dyn Topology, rows: &[u16]) -> Plan {
    let nodes = topology.num_nodes();
    let leaves = Leaves::of(&topology.levels().unwrap_or_default(), nodes);
    let points = nodes.div_ceil(leaves.nodes as usize);
    let mut plan = Plan { block: "part", ..Plan::flat() };
    plan.notes.extend(leaves.note());
    let mut labels = Vec::new();
    for point in 0..points as u32 {
        let run = point * leaves.nodes..((point + 1) * leaves.nodes).min(nodes as u32);
        labels.push(label_of(&run));
        plan.add([0.0; 2], run_of("node", run));
    }
    let mut level_of = vec![0; points];
    plan.holding = points;
    plan.point_of_vertex = (0..nodes as u32).map(|node| node / leaves.nodes).collect();

    let top = rows.iter().copied().max().unwrap_or(0) as usize;
    let mut in_row = vec![0usize; top + 1];
    rows[nodes.min(rows.len())..].iter().for_each(|&row| in_row[row as usize] += 1);
    let drawn = leaves.level.max(1)..=top;
    let mut first_point = vec![0u32; top + 1];
    let mut switches_a_point = vec![1usize; top + 1];
    for row in drawn.clone() {
        let switches = in_row[row];
        let at_a_point = switches.div_ceil(MOST_POINTS).max(1);
        let count = switches.div_ceil(at_a_point);
        (first_point[row], switches_a_point[row]) = (plan.points.len() as u32, at_a_point);
        for at in 0..count {
            let run = (at * at_a_point) as u32..((at + 1) * at_a_point).min(switches) as u32;
            let which = match run.len() {
                1 => format!("switch {}", run.start),
                _ => format!("switches {} to {}", run.start, run.end - 1),
            };
            labels.push(label_of(&run));
            level_of.push((row - drawn.start() + 1) as u16);
            plan.add([0.0; 2], format!("{which} of level {row}"));
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
    let all = layered::usual_names("nodes", top as u16);
    let names = all.iter().take(1).chain(&all[*drawn.start()..]).cloned().collect();
    let wired = Wired::walk(topology, &plan);
    layered::arrange(&mut plan, &wired, level_of, names, labels);
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
