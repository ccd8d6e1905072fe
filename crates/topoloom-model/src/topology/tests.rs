use super::metric;
use super::{Link, MetricKind, TOPOLOGIES};
use crate::Machine;
use crate::ids::{LinkId, Vertex};

#[test]
fn distances_by_formula_are_those_of_all_pairs_for_many_parameters() {
    let mut specs: Vec<String> = (0..=7).map(|n| format!("hypercube:{n}")).collect();
    for (x, y, z) in
        (1..=5).flat_map(|x| (1..=4).flat_map(move |y| (1..=3).map(move |z| (x, y, z))))
    {
        specs.extend(["mesh", "torus", "haec"].map(|name| format!("{name}:{x}x{y}x{z}")));
        specs.push(format!("torus:{x}x{y}x{z},double-links"));
        for distances in ["1:10:100", "0:0:3", "2:2:2"] {
            specs.push(format!("tree:{x}:{y}:{z},distances={distances}"));
        }
        for up in 1..=2 {
            specs.push(format!("fat-tree:levels=2,down={x}:{y},up={up}"));
            specs.push(format!("fat-tree:levels=3,down={x}:{y}:{z},up={up}:{z}"));
        }
    }
    specs.extend((1..=3).map(|half| format!("fat-tree:k={}", 2 * half)));
    specs.extend(
        ["mesh:7", "torus:8", "torus:2x3x2x3", "mesh:2x2x3x2x2", "torus:4x2x2x2x2x2"]
            .map(String::from),
    );
    let mut tried = 0;
    // Not every combination is a machine; the kinds are counted below.
    for machine in specs.iter().filter_map(|spec| Machine::parse(spec).ok()) {
        let (spec, topology) = (machine.spec(), machine.topology());
        let pairs = metric::pairs_at_distance_by_counting(topology);
        assert_eq!(topology.pairs_at_distance(), pairs, "{spec}");
        assert_eq!(topology.largest_ball(), metric::largest_ball_by_counting(topology), "{spec}");
        tried += 1;
    }
    assert!(tried > 600, "{tried} of {} are machines", specs.len());
}

/// Checks distances and next links between all vertices, including switches, against a search over
/// the links.
pub fn check_all_vertices(machine: &Machine) {
    let (spec, topology) = (machine.spec(), machine.topology());
    let links: Vec<(LinkId, Link)> = (0..topology.link_id_bound())
        .map(LinkId)
        .filter_map(|id| Some((id, topology.link(id)?)))
        .collect();
    assert_eq!(links.len() as u64, topology.num_links(), "{spec}");
    let vertices = links.iter().map(|(_, link)| link.from.0 + 1).max().unwrap();
    assert_eq!(topology.num_vertices(), vertices as usize, "{spec}");
    for to in 0..vertices {
        let mut hops = vec![u32::MAX; vertices as usize];
        hops[to as usize] = 0;
        for round in 0..vertices {
            for (_, link) in &links {
                if hops[link.to.index()] == round && hops[link.from.index()] == u32::MAX {
                    hops[link.from.index()] = round + 1;
                }
            }
        }
        for from in (0..vertices).map(Vertex) {
            assert_eq!(topology.distance(from, Vertex(to)), hops[from.index()], "{from} {to}");
            let mut next = Vec::new();
            topology.next_links(from, Vertex(to), &mut next);
            next.sort_unstable();
            let closer = |(_, link): &&(LinkId, Link)| {
                link.from == from && hops[link.to.index()] + 1 == hops[from.index()]
            };
            let expected: Vec<LinkId> = links.iter().filter(closer).map(|&(id, _)| id).collect();
            assert_eq!(next, expected, "{from} {to}");
        }
    }
}

#[test]
fn a_fast_metric_is_in_the_list_of_metrics() {
    for entry in TOPOLOGIES.entries {
        // Machines that are read from files are made elsewhere.
        let Ok(machine) = Machine::parse(entry.example) else { continue };
        let listed = !matches!(machine.metric(), MetricKind::General(_));
        assert_eq!(machine.topology().metric().is_some(), listed, "{}", entry.name);
    }
}
