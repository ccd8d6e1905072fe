//! Sums and differences of coordinates from tables, for some of the dimensions of a box.

use crate::topology::Lattice;

/// The most places that one half may have: its tables have the square of this.
const MOST_PLACES: u32 = 1024;

/// Some dimensions of a lattice. A place is a number like that of a node, with the first dimension
/// fastest.
#[derive(Debug)]
pub struct Half {
    lengths: Vec<u32>,
    /// Whether an offset counts modulo the length.
    wraps: bool,
    size: u32,
    num_offsets: usize,
    /// The place that is a given number of steps from a place, dimension by dimension around the
    /// box.
    sums: Vec<u16>,
    offsets: Vec<u32>,
}

/// The first dimensions and the others, neither larger than necessary; `None` if one is too large.
pub fn halves(lattice: &Lattice) -> Option<[Half; 2]> {
    let size = |lengths: &[u32]| lengths.iter().map(|&length| u64::from(length)).product::<u64>();
    let larger = |cut: &usize| {
        let (low, high) = lattice.lengths.split_at(*cut);
        size(low).max(size(high))
    };
    let cut = (0..=lattice.lengths.len()).min_by_key(larger)?;
    let fits = larger(&cut) <= u64::from(MOST_PLACES);
    let (low, high) = lattice.lengths.split_at(cut);
    fits.then(|| [Half::new(low, lattice.wraps), Half::new(high, lattice.wraps)])
}

impl Half {
    fn new(lengths: &[u32], wraps: bool) -> Half {
        let size: u32 = lengths.iter().product();
        let span = |&length: &u32| if wraps { length } else { 2 * length - 1 } as usize;
        let mut half = Half {
            lengths: lengths.to_vec(),
            wraps,
            size,
            num_offsets: lengths.iter().map(span).product(),
            sums: Vec::new(),
            offsets: Vec::new(),
        };
        let pairs = || (0..size).flat_map(|a| (0..size).map(move |b| (a, b)));
        half.sums = pairs().map(|(a, b)| half.sum(a, b)).collect();
        half.offsets = pairs().map(|(a, b)| half.difference(a, b)).collect();
        half
    }

    pub fn size(&self) -> u32 {
        self.size
    }

    pub fn num_offsets(&self) -> usize {
        self.num_offsets
    }

    /// Where each number of steps from `place` leads.
    #[inline]
    pub fn sums(&self, place: u32) -> &[u16] {
        let size = self.size as usize;
        &self.sums[place as usize * size..][..size]
    }

    /// The number of the offset from one place to another.
    #[inline]
    pub fn offset(&self, from: u32, to: u32) -> usize {
        self.offsets[(from * self.size + to) as usize] as usize
    }

    /// The steps that lead from one place to another, around the box.
    pub fn steps(&self, mut from: u32, mut to: u32) -> u16 {
        let (mut steps, mut stride) = (0, 1);
        for &length in &self.lengths {
            steps += (to % length + length - from % length) % length * stride;
            (from, to, stride) = (from / length, to / length, stride * length);
        }
        steps as u16
    }

    fn sum(&self, mut a: u32, mut b: u32) -> u16 {
        let (mut sum, mut stride) = (0, 1);
        for &length in &self.lengths {
            sum += (a % length + b % length) % length * stride;
            (a, b, stride) = (a / length, b / length, stride * length);
        }
        sum as u16
    }

    fn difference(&self, mut from: u32, mut to: u32) -> u32 {
        let (mut number, mut stride) = (0, 1);
        for &length in &self.lengths {
            let above = to % length + length - from % length;
            let (digit, span) =
                if self.wraps { (above % length, length) } else { (above - 1, 2 * length - 1) };
            number += digit * stride;
            (from, to, stride) = (from / length, to / length, stride * span);
        }
        number
    }
}
