//! The largest load, and the sum of squares to break ties.

use super::{Loads, Measure};

/// Links whose largest load is kept together.
const BLOCK: usize = 64;

/// How much the sum of squares counts: it breaks ties, and is never more than a millionth of the
/// largest load.
const TIE: f64 = 1e-6;

/// One value from the largest load and the sum of squares.
pub fn combined(largest: f64, squares: f64, links: u64) -> f64 {
    if largest > 0.0 { largest + TIE * squares / (links as f64 * largest) } else { 0.0 }
}

/// The largest load of any link.
pub struct Peak {
    links: u64,
    /// The largest load of each block of links.
    largest: Vec<f64>,
    is_dirty: Vec<bool>,
    dirty: Vec<u32>,
    squares: f64,
}

impl Peak {
    /// For a machine with this many links, whose numbers are below `bound`.
    pub fn new(links: u64, bound: usize) -> Peak {
        let blocks = bound.div_ceil(BLOCK);
        Peak {
            links,
            largest: vec![0.0; blocks],
            is_dirty: vec![false; blocks],
            dirty: Vec::new(),
            squares: 0.0,
        }
    }

    /// The most loaded link that is not in `except`; among equals, the first.
    pub fn most_loaded_except(&self, loads: &Loads, except: &[u32]) -> Option<u32> {
        let mut most: Option<(f64, u32)> = None;
        for (block, &largest) in self.largest.iter().enumerate() {
            if largest <= most.map_or(0.0, |(load, _)| load) {
                continue;
            }
            for (link, &load) in (block * BLOCK..).zip(block_of(loads.now(), block)) {
                if load > most.map_or(0.0, |(most, _)| most) && !except.contains(&(link as u32)) {
                    most = Some((load, link as u32));
                }
            }
        }
        most.map(|(_, link)| link)
    }

    fn mark_dirty(&mut self, loads: &Loads) {
        for &link in loads.touched() {
            let block = link as usize / BLOCK;
            if !self.is_dirty[block] {
                self.is_dirty[block] = true;
                self.dirty.push(block as u32);
            }
        }
    }

    fn squares_after(&self, loads: &Loads) -> f64 {
        let more = |&link: &u32| {
            let (load, change) = (loads.now()[link as usize], loads.changes()[link as usize]);
            change * (2.0 * load + change)
        };
        (self.squares + loads.touched().iter().map(more).sum::<f64>()).max(0.0)
    }
}

fn block_of(values: &[f64], block: usize) -> &[f64] {
    &values[block * BLOCK..values.len().min((block + 1) * BLOCK)]
}

/// The largest load of a block after the change.
fn largest_after(loads: &Loads, block: u32) -> f64 {
    let now = block_of(loads.now(), block as usize);
    let both = now.iter().zip(block_of(loads.changes(), block as usize));
    both.map(|(load, change)| load + change).fold(0.0, f64::max)
}

impl Measure for Peak {
    fn count(&mut self, load: &[f64]) {
        for (largest, links) in self.largest.iter_mut().zip(load.chunks(BLOCK)) {
            *largest = links.iter().copied().fold(0.0, f64::max);
        }
        self.squares = load.iter().map(|load| load * load).sum();
    }

    fn value(&self) -> f64 {
        let largest = self.largest.iter().copied().fold(0.0, f64::max);
        combined(largest, self.squares, self.links)
    }

    fn after(&mut self, loads: &Loads) -> f64 {
        self.mark_dirty(loads);
        let clean = self.largest.iter().zip(&self.is_dirty).filter(|(_, dirty)| !**dirty);
        let mut largest = clean.map(|(largest, _)| *largest).fold(0.0, f64::max);
        for block in self.dirty.drain(..) {
            self.is_dirty[block as usize] = false;
            largest = largest.max(largest_after(loads, block));
        }
        combined(largest, self.squares_after(loads), self.links)
    }

    fn accept(&mut self, loads: &Loads) {
        self.squares = self.squares_after(loads);
        self.mark_dirty(loads);
        for block in self.dirty.drain(..) {
            self.is_dirty[block as usize] = false;
            self.largest[block as usize] = largest_after(loads, block);
        }
    }
}
