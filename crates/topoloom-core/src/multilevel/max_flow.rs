//! Maximum flow and minimum cut of a small undirected network, grown step by step.
//!
//! Dinic's algorithm with whole numbers. Sources and sinks are vertices with a supply or a demand.
//! More of them can be added while the flow found so far is kept.

use crate::clock::Clock;
use crate::pace::Pace;

/// An amount that no cut reaches.
pub const UNLIMITED: i64 = i64::MAX / 4;

#[derive(Debug, Clone, Copy)]
struct Arc {
    to: u32,
    /// The position of the arc in the other direction.
    back: u32,
    /// The capacity that is left.
    residual: i32,
}

/// A network with a flow.
#[derive(Debug, Default)]
pub struct Network {
    start: Vec<u32>,
    arcs: Vec<Arc>,
    /// What each vertex may still take in from the source, and give out to the sink.
    pub supply: Vec<i64>,
    pub demand: Vec<i64>,
    level: Vec<u32>,
    next: Vec<u32>,
    queue: Vec<u32>,
    path: Vec<u32>,
    flow: i64,
}

const UNSEEN: u32 = u32::MAX;

impl Network {
    /// Becomes a network of `n` vertices and undirected edges, each given once, without flow.
    pub fn set(&mut self, n: usize, edges: &[(u32, u32, i32)]) {
        let start = &mut self.start;
        start.clear();
        start.resize(n + 1, 0);
        for &(a, b, _) in edges {
            start[a as usize + 1] += 1;
            start[b as usize + 1] += 1;
        }
        for vertex in 0..n {
            start[vertex + 1] += start[vertex];
        }
        // Where the next arc of each vertex goes.
        let free = &mut self.next;
        free.clear();
        free.extend_from_slice(&start[..n]);
        self.arcs.clear();
        self.arcs.resize(edges.len() * 2, Arc { to: 0, back: 0, residual: 0 });
        for &(a, b, capacity) in edges {
            let (forth, back) = (free[a as usize], free[b as usize]);
            free[a as usize] += 1;
            free[b as usize] += 1;
            self.arcs[forth as usize] = Arc { to: b, back, residual: capacity };
            self.arcs[back as usize] = Arc { to: a, back: forth, residual: capacity };
        }
        for amounts in [&mut self.supply, &mut self.demand] {
            amounts.clear();
            amounts.resize(n, 0);
        }
        self.level.clear();
        self.level.resize(n, UNSEEN);
        self.flow = 0;
    }

    /// The present flow.
    pub fn flow(&self) -> i64 {
        self.flow
    }

    fn row(&self, vertex: u32) -> std::ops::Range<usize> {
        self.start[vertex as usize] as usize..self.start[vertex as usize + 1] as usize
    }

    /// The vertices next to `vertex`.
    #[inline]
    pub fn neighbours(&self, vertex: u32) -> impl Iterator<Item = u32> + '_ {
        self.arcs[self.row(vertex)].iter().map(|arc| arc.to)
    }

    /// Increases the flow as far as possible, or until it exceeds `limit`; `false` if the time ran
    /// out first.
    pub fn augment(&mut self, limit: i64, clock: &Clock<'_>) -> bool {
        let mut pace = Pace::default();
        while self.flow <= limit && self.find_levels() {
            self.next.copy_from_slice(&self.start[..self.supply.len()]);
            for root in 0..self.supply.len() as u32 {
                if self.supply[root as usize] > 0 && self.level[root as usize] != UNSEEN {
                    while self.supply[root as usize] > 0
                        && self.flow <= limit
                        && self.send_from(root)
                    {
                        if clock.is_over_after(1 + self.path.len(), &mut pace) {
                            return false;
                        }
                    }
                }
            }
            if clock.is_over_after(self.arcs.len(), &mut pace) {
                return false;
            }
        }
        true
    }

    /// The number of steps from each vertex to a demand, found breadth first from the demands: then
    /// paths from the supplies go straight to one. Returns whether a supply can reach any. Goes no
    /// further than the nearest supply.
    fn find_levels(&mut self) -> bool {
        self.level.fill(UNSEEN);
        self.queue.clear();
        for vertex in 0..self.demand.len() as u32 {
            if self.demand[vertex as usize] > 0 {
                self.level[vertex as usize] = 0;
                self.queue.push(vertex);
            }
        }
        let mut last = UNSEEN;
        let mut done = 0;
        while done < self.queue.len() {
            let vertex = self.queue[done];
            let level = self.level[vertex as usize];
            done += 1;
            if level >= last {
                break;
            }
            if self.supply[vertex as usize] > 0 {
                last = level;
                continue;
            }
            for arc in &self.arcs[self.row(vertex)] {
                let seen = &mut self.level[arc.to as usize];
                if *seen == UNSEEN && self.arcs[arc.back as usize].residual > 0 {
                    *seen = level + 1;
                    self.queue.push(arc.to);
                }
            }
        }
        last != UNSEEN
    }

    /// Sends along one path of descending levels; `false` if there is none.
    fn send_from(&mut self, root: u32) -> bool {
        self.path.clear();
        let mut at = root;
        loop {
            if self.demand[at as usize] > 0 {
                let along = self.path.iter().map(|&arc| self.arcs[arc as usize].residual).min();
                let amount = along
                    .map_or(UNLIMITED, i64::from)
                    .min(self.supply[root as usize])
                    .min(self.demand[at as usize]);
                for &index in &self.path {
                    let arc = &mut self.arcs[index as usize];
                    arc.residual -= amount as i32;
                    let back = arc.back;
                    self.arcs[back as usize].residual += amount as i32;
                }
                if self.supply[root as usize] < UNLIMITED {
                    self.supply[root as usize] -= amount;
                }
                if self.demand[at as usize] < UNLIMITED {
                    self.demand[at as usize] -= amount;
                }
                self.flow += amount;
                return true;
            }
            let end = self.start[at as usize + 1];
            let mut next = self.next[at as usize];
            // A demand that has since been used up has no level below its own.
            let below = self.level[at as usize].wrapping_sub(1);
            while next < end {
                let arc = self.arcs[next as usize];
                if arc.residual > 0 && self.level[arc.to as usize] == below {
                    break;
                }
                next += 1;
            }
            self.next[at as usize] = next;
            if next < end && below != UNSEEN {
                self.path.push(next);
                at = self.arcs[next as usize].to;
                continue;
            }
            // A dead end: step back and skip it.
            let Some(index) = self.path.pop() else { return false };
            let back = self.arcs[index as usize].back;
            at = self.arcs[back as usize].to;
            self.next[at as usize] += 1;
        }
    }

    /// Marks the vertices that still reach a demand, once `augment` has finished.
    pub fn mark_sink_side(&self, mark: &mut [bool]) {
        for (mark, &level) in mark.iter_mut().zip(&self.level) {
            *mark = level != UNSEEN;
        }
    }

    /// Marks the vertices that the supplies still reach.
    pub fn mark_source_side(&mut self, mark: &mut [bool]) {
        mark.fill(false);
        self.queue.clear();
        for vertex in 0..self.supply.len() as u32 {
            if self.supply[vertex as usize] > 0 {
                mark[vertex as usize] = true;
                self.queue.push(vertex);
            }
        }
        let mut done = 0;
        while done < self.queue.len() {
            let vertex = self.queue[done];
            done += 1;
            for arc in &self.arcs[self.row(vertex)] {
                if !mark[arc.to as usize] && arc.residual > 0 {
                    mark[arc.to as usize] = true;
                    self.queue.push(arc.to);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::Run;

    fn augment(network: &mut Network, limit: i64) {
        assert!(network.augment(limit, &Clock::new(&Run::new(1))));
    }

    #[test]
    fn the_flow_is_as_large_as_the_smallest_cut() {
        // 0 and 1 feed 2 and 3 over edges of 3, 1, 1 and 2; 2 and 3 are drained.
        let mut network = Network::default();
        network.set(4, &[(0, 2, 3), (0, 3, 1), (1, 2, 1), (1, 3, 2)]);
        network.supply[0] = UNLIMITED;
        network.supply[1] = 2;
        network.demand[2] = UNLIMITED;
        network.demand[3] = 2;
        augment(&mut network, 1_000);
        // Vertex 3 takes at most 2, vertex 2 gets 3 from 0 and at most 1 from 1.
        assert_eq!(network.flow(), 6);
        let (mut source, mut sink) = (vec![false; 4], vec![false; 4]);
        network.mark_source_side(&mut source);
        network.mark_sink_side(&mut sink);
        assert!(source[0] && sink[2]);
        assert!(source.iter().zip(&sink).all(|(source, sink)| !(source & sink)));
    }

    #[test]
    fn more_sources_raise_the_flow_from_where_it_is() {
        let mut network = Network::default();
        network.set(3, &[(0, 2, 1), (1, 2, 5)]);
        network.supply[0] = UNLIMITED;
        network.demand[2] = UNLIMITED;
        augment(&mut network, 100);
        assert_eq!(network.flow(), 1);
        network.supply[1] = UNLIMITED;
        augment(&mut network, 100);
        assert_eq!(network.flow(), 6);
    }

    #[test]
    fn a_limit_ends_it_even_where_a_source_is_a_sink() {
        let mut network = Network::default();
        network.set(1, &[]);
        network.supply[0] = UNLIMITED;
        network.demand[0] = UNLIMITED;
        augment(&mut network, 10);
        assert!(network.flow() > 10);
    }
}
