//! Traffic that spreads over all shortest routes.
//!
//! The links that lead closer to the destination form a graph without cycles. Its levels are the
//! remaining distances. Along it, shares flow down from the source.

use crate::ids::{LinkId, Vertex};
use crate::topology::Topology;

/// How a vertex divides what it has among the links that lead closer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Split {
    /// Each link gets the same share.
    ByLink,
    /// Each route from here on gets the same share.
    ByRoute,
}

/// One link on the way and where it leads: a position in the next level.
struct Step {
    link: LinkId,
    next: u32,
}

/// The vertices at one distance from the destination.
struct Level {
    /// The vertex numbers, in rising order.
    vertices: Vec<Vertex>,
    /// Where the steps of each vertex begin, and the end of the last.
    first: Vec<u32>,
    steps: Vec<Step>,
}

/// Visits every link on shortest routes from `from` to `to` with the share that crosses it.
pub fn spread(
    topology: &dyn Topology,
    from: Vertex,
    to: Vertex,
    split: Split,
    visit: &mut dyn FnMut(LinkId, f64),
) {
    let levels = levels(topology, from, to);
    let routes = match split {
        Split::ByLink => Vec::new(),
        Split::ByRoute => routes(&levels),
    };
    let mut shares = vec![1.0];
    for (depth, level) in levels.iter().enumerate() {
        let width = levels.get(depth + 1).map_or(1, |next| next.vertices.len());
        let mut passed_on = vec![0.0; width];
        for (index, &share) in shares.iter().enumerate() {
            let steps = &level.steps[level.first[index] as usize..level.first[index + 1] as usize];
            let weight = |step: &Step| match split {
                Split::ByLink => 1.0,
                Split::ByRoute => routes[depth + 1][step.next as usize],
            };
            let all: f64 = steps.iter().map(weight).sum();
            for step in steps {
                let part = share * weight(step) / all;
                if part > 0.0 {
                    visit(step.link, part);
                    passed_on[step.next as usize] += part;
                }
            }
        }
        shares = passed_on;
    }
}

/// Every vertex on a shortest route, by falling distance from `to`; the last level, `to` alone, is
/// omitted.
fn levels(topology: &dyn Topology, from: Vertex, to: Vertex) -> Vec<Level> {
    let mut levels = Vec::new();
    let mut vertices = vec![from];
    let mut links = Vec::new();
    while vertices != [to] {
        let mut first = vec![0];
        let mut ends: Vec<(LinkId, Vertex)> = Vec::new();
        for &vertex in &vertices {
            links.clear();
            topology.next_links(vertex, to, &mut links);
            ends.extend(
                links.iter().map(|&id| {
                    (id, topology.link(id).expect("a link that leads closer exists").to)
                }),
            );
            first.push(ends.len() as u32);
        }
        // Networks in parts: no link leads closer, and nothing arrives.
        if ends.is_empty() {
            return Vec::new();
        }
        let mut next: Vec<Vertex> = ends.iter().map(|&(_, end)| end).collect();
        next.sort_unstable();
        next.dedup();
        let position = |end: Vertex| next.binary_search(&end).expect("every end is listed") as u32;
        let steps = ends.iter().map(|&(link, end)| Step { link, next: position(end) }).collect();
        levels.push(Level { vertices: std::mem::replace(&mut vertices, next), first, steps });
    }
    levels
}

/// How many routes lead on from each vertex of each level, the last being the destination. Only the
/// ratio inside a level counts: each level is scaled so that its largest value is 1, because there
/// may be more routes than any number can hold.
fn routes(levels: &[Level]) -> Vec<Vec<f64>> {
    let mut routes = vec![vec![1.0]];
    for level in levels.iter().rev() {
        let below = routes.last().expect("the destination comes first");
        let mut here: Vec<f64> = level
            .first
            .windows(2)
            .map(|row| {
                let steps = &level.steps[row[0] as usize..row[1] as usize];
                steps.iter().map(|step| below[step.next as usize]).sum()
            })
            .collect();
        let most = here.iter().copied().fold(f64::MIN_POSITIVE, f64::max);
        here.iter_mut().for_each(|count| *count /= most);
        routes.push(here);
    }
    routes.reverse();
    routes
}
