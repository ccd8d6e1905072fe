//! Writes pictures of many kinds of machines, and of curves through boxes, into a folder:
//! `cargo run --release -p topoloom-show --example machines -- FOLDER`.

use std::error::Error;
use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

use topoloom_core::topology::{Edge, Graph, LinkProperties};
use topoloom_core::{
    Machine, Mapping, Problem, Run, Vertex, Weight, parse_pattern, parse_strategy,
};
use topoloom_show::figure::curve::curve;
use topoloom_show::figure::machine::{MachineOptions, machine};
use topoloom_show::layout::DrawnMachine;

/// A machine, the traffic on it, and the strategies.
const MACHINES: &[(&str, &str, &[&str])] = &[
    ("mesh:8x8", "stencil:8x8", &["random", "in-order"]),
    ("torus:24", "ring:24", &["random"]),
    ("torus:4x4x4", "stencil:8x8", &["random", "in-order", "hilbert"]),
    ("torus:16x16x16", "stencil:64x64", &["in-order", "hilbert"]),
    ("torus:40x40x40", "stencil:40x40x40", &["hilbert"]),
    ("torus:4x4x4x4x2", "stencil:32x16", &["random", "in-order"]),
    ("hypercube:6", "stencil:8x8", &["random", "gray"]),
    ("haec:4x4x4", "stencil:8x8", &["random", "in-order"]),
    ("haec:16x16x16", "stencil:64x64", &["in-order"]),
    ("fat-tree:k=8", "stencil:16x8", &["random", "in-order"]),
    ("fat-tree:k=16", "stencil:32x32", &["random"]),
    ("fat-tree:levels=2,down=16:12,up=8", "stencil:16x12", &["random", "in-order"]),
    ("dragonfly:groups=9,routers=4,nodes=2", "stencil:9x8", &["random", "in-order"]),
    ("dragonfly:groups=33,routers=16,nodes=8", "stencil:66x64", &["random"]),
    ("tree:4:8:8,distances=1:10:100", "stencil:16x16", &["random", "in-order"]),
];

/// A box and the strategies that draw a curve through it.
const CURVES: &[(&str, &[&str])] = &[
    ("mesh:8x8", &["hilbert", "gray", "in-order"]),
    ("mesh:4x4x4", &["hilbert", "scan", "sweep", "gray"]),
    ("mesh:9x9", &["peano"]),
    ("mesh:16x16x16", &["hilbert"]),
    ("mesh:4x4x4x4", &["hilbert"]),
];

/// Clusters of this many nodes, with one switch each, and a switch that joins them.
fn clusters(sizes: &[u32]) -> Result<Machine, Box<dyn Error>> {
    let nodes: u32 = sizes.iter().sum();
    let backbone = nodes + sizes.len() as u32;
    let mut ends = Vec::new();
    let mut node = 0;
    for (switch, &size) in (nodes..).zip(sizes) {
        ends.extend((node..node + size).map(|node| (node, switch)));
        ends.push((switch, backbone));
        node += size;
    }
    network("graph:clusters.txt", nodes, sizes.len() as u32 + 1, &ends)
}

/// Nodes in a triangle, each linked to its neighbours beside and below it.
fn triangle(rows: u32) -> Result<Machine, Box<dyn Error>> {
    let number = |row: u32, column: u32| row * (row + 1) / 2 + column;
    let mut ends = Vec::new();
    for row in 1..rows {
        ends.extend((0..row).map(|column| (number(row, column), number(row, column + 1))));
        for column in 0..row {
            ends.push((number(row - 1, column), number(row, column)));
            ends.push((number(row - 1, column), number(row, column + 1)));
        }
    }
    network("graph:triangle.txt", number(rows, 0), 0, &ends)
}

fn network(
    spec: &str,
    nodes: u32,
    switches: u32,
    ends: &[(u32, u32)],
) -> Result<Machine, Box<dyn Error>> {
    let edge = |&(a, b): &(u32, u32)| Edge {
        ends: [Vertex(a), Vertex(b)],
        properties: LinkProperties::ELECTRICAL,
    };
    let graph = Graph::new(nodes, switches, &ends.iter().map(edge).collect::<Vec<_>>())?;
    Ok(Machine::with_topology(spec, Arc::new(graph))?)
}

fn main() -> Result<(), Box<dyn Error>> {
    let folder = PathBuf::from(std::env::args().nth(1).ok_or("expected a folder")?);
    fs::create_dir_all(&folder)?;
    let place = |problem: &Problem, name: &str| -> Result<Mapping, Box<dyn Error>> {
        Ok(parse_strategy(name)?.map(problem, None, &mut Run::new(1))?)
    };
    let file_name = |text: &str| text.replace([':', ',', '='], "-");
    let mut machines = Vec::new();
    for &(spec, pattern, strategies) in MACHINES {
        machines.push((Machine::parse(spec)?, pattern, strategies));
    }
    machines.push((clusters(&[12, 40, 8, 20])?, "stencil:10x8", &["random", "in-order"]));
    machines.push((triangle(8)?, "stencil:6x6", &["random", "in-order"]));
    for (on, pattern, strategies) in machines {
        let problem = Problem::new(parse_pattern(pattern)?, on, Weight::Bytes)?;
        let spec = problem.machine().spec();
        let mappings: Result<Vec<Mapping>, _> =
            strategies.iter().map(|name| place(&problem, name)).collect();
        let mappings = mappings?;
        let drawn = DrawnMachine::under(&problem, &mappings.iter().collect::<Vec<_>>());
        let options = MachineOptions { title: spec, placements: strategies, weight: Weight::Bytes };
        let picture = machine(&drawn, options);
        fs::write(folder.join(format!("{}.svg", file_name(spec))), picture.standalone())?;
    }
    for (spec, strategies) in CURVES {
        let machine = Machine::parse(spec)?;
        let lengths = machine.topology().grid_lengths().ok_or("expected a box")?.to_vec();
        let traffic = parse_pattern(&format!("ring:{}", machine.num_nodes()))?;
        let problem = Problem::new(traffic, machine, Weight::Bytes)?;
        for name in *strategies {
            let distance = |a, b| problem.machine().topology().distance(Vertex(a), Vertex(b));
            let picture = curve(&lengths, &place(&problem, name)?.nodes(), name, distance);
            let file = format!("curve-{}-{name}.svg", file_name(spec));
            fs::write(folder.join(file), picture.standalone())?;
        }
    }
    Ok(())
}
