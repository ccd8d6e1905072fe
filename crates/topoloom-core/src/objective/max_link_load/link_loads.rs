//! The loads of all links under change, and the largest of them.

use crate::ids::{LinkId, Vertex};
use crate::machine::Machine;
use crate::topology::Topology;

/// Links whose largest load is kept together.
const BLOCK: usize = 64;

/// The load of every link relative to its bandwidth, and what a change under examination would
/// add.
pub struct Loads {
    load: Vec<f64>,
    /// What the change would add; zero where `touched` does not say otherwise.
    change: Vec<f64>,
    touched: Vec<u32>,
    is_touched: Vec<bool>,
    /// The largest load of each block of links.
    largest: Vec<f64>,
    is_dirty: Vec<bool>,
    dirty: Vec<u32>,
    squares: f64,
    /// The bandwidth of the fastest link by that of each; empty where all are alike.
    slowness: Vec<f64>,
}

impl Loads {
    /// No load on any link.
    pub fn new(topology: &dyn Topology) -> Loads {
        let bound = topology.link_id_bound() as usize;
        let fastest = topology.fastest_link();
        let slowness = |id: usize| {
            let link = topology.link(LinkId(id as u64));
            link.map_or(1.0, |link| fastest / link.properties.bytes_per_second)
        };
        let mut slowness: Vec<f64> = (0..bound).map(slowness).collect();
        if slowness.iter().all(|&slowness| slowness == 1.0) {
            slowness = Vec::new();
        }
        Loads {
            load: vec![0.0; bound],
            change: vec![0.0; bound],
            touched: Vec::new(),
            is_touched: vec![false; bound],
            largest: vec![0.0; bound.div_ceil(BLOCK)],
            is_dirty: vec![false; bound.div_ceil(BLOCK)],
            dirty: Vec::new(),
            squares: 0.0,
            slowness,
        }
    }

    pub fn clear(&mut self) {
        self.load.fill(0.0);
        self.largest.fill(0.0);
        self.squares = 0.0;
    }

    /// The largest load and the sum of squares.
    pub fn now(&self) -> (f64, f64) {
        (self.largest.iter().copied().fold(0.0, f64::max), self.squares)
    }

    /// Notes a change: a flow of `weight` more, or less, from one node to another.
    pub fn change(&mut self, machine: &Machine, from: u32, to: u32, weight: f64) {
        if weight == 0.0 {
            return;
        }
        let topology = machine.topology();
        machine.routing().route(topology, Vertex(from), Vertex(to), &mut |id, share| {
            let link = id.index();
            if !self.is_touched[link] {
                self.is_touched[link] = true;
                self.touched.push(link as u32);
            }
            let slowness = self.slowness.get(link).copied().unwrap_or(1.0);
            self.change[link] += weight * share * slowness;
        });
    }

    /// What `now` would say after the change.
    pub fn after_change(&mut self) -> (f64, f64) {
        let mut squares = self.squares;
        for &link in &self.touched {
            let (load, change) = (self.load[link as usize], self.change[link as usize]);
            squares += change * (2.0 * load + change);
            let block = link as usize / BLOCK;
            if !self.is_dirty[block] {
                self.is_dirty[block] = true;
                self.dirty.push(block as u32);
            }
        }
        let mut largest: f64 = 0.0;
        for (&block, _) in self.largest.iter().zip(&self.is_dirty).filter(|(_, dirty)| !**dirty) {
            largest = largest.max(block);
        }
        for block in self.dirty.drain(..) {
            self.is_dirty[block as usize] = false;
            let links = block as usize * BLOCK..self.load.len().min((block as usize + 1) * BLOCK);
            for (load, change) in self.load[links.clone()].iter().zip(&self.change[links]) {
                largest = largest.max(load + change);
            }
        }
        (largest, squares.max(0.0))
    }

    /// Makes the change.
    pub fn accept(&mut self) {
        self.squares = self.after_change().1;
        for &link in &self.touched {
            let link = link as usize;
            // Rounding must not leave a link with less than nothing.
            self.load[link] = (self.load[link] + self.change[link]).max(0.0);
        }
        for &link in &self.touched {
            let block = link as usize / BLOCK;
            let links = block * BLOCK..self.load.len().min((block + 1) * BLOCK);
            if !std::mem::replace(&mut self.is_dirty[block], true) {
                self.dirty.push(block as u32);
                self.largest[block] = self.load[links].iter().copied().fold(0.0, f64::max);
            }
        }
        for block in self.dirty.drain(..) {
            self.is_dirty[block as usize] = false;
        }
        self.refuse();
    }

    /// Forgets the change.
    pub fn refuse(&mut self) {
        for link in self.touched.drain(..) {
            self.change[link as usize] = 0.0;
            self.is_touched[link as usize] = false;
        }
    }
}
