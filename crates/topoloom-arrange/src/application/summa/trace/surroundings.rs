//! Which rectangles lie beside each other.

use crate::application::summa::{Flow, Summa, extents};
use crate::arrangement::Arrangement;

/// A processor that sends or receives a part of the pivot column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Partner {
    pub processor: u32,
    pub bytes: u64,
    pub tag: u32,
}

/// Where the rectangles of all columns begin and end.
pub struct Surroundings<'a> {
    summa: &'a Summa,
    /// Processor, first row and the row after the last, by column.
    extents: Vec<Vec<(u32, u32, u32)>>,
    cuts: Vec<u32>,
}

impl<'a> Surroundings<'a> {
    pub fn new(summa: &'a Summa, arrangement: &Arrangement) -> Self {
        let extents = arrangement.columns().iter().map(|column| extents(column).collect());
        Surroundings { summa, extents: extents.collect(), cuts: arrangement.cuts() }
    }

    /// The number of parts into which all columns cut the pivot column.
    pub fn num_overlaps(&self) -> usize {
        self.cuts.len() - 1
    }

    /// The partners of a rectangle for parts of the pivot column, column by column, from top to
    /// bottom. In a ring these are the neighbours to the left and to the right, once for each part
    /// into which all columns cut the rectangle.
    pub fn across(&self, column: usize, rectangle: usize) -> Vec<Vec<Partner>> {
        let mut across = vec![Vec::new(); self.extents.len()];
        let (_, top, bottom) = self.extents[column][rectangle];
        let count = self.extents.len();
        let others: Vec<usize> = match self.summa.flow {
            Flow::Ring => vec![(column + count - 1) % count, (column + 1) % count],
            Flow::OneToAll => (0..count).collect(),
        };
        for other in others.into_iter().filter(|&other| other != column) {
            across[other] = match self.summa.flow {
                Flow::Ring => self.parts(other, top, bottom),
                Flow::OneToAll => self.overlaps(other, top, bottom),
            };
        }
        across
    }

    /// The rectangles of a column between two rows, each with the rows that it has in common with
    /// them.
    fn between(
        &self,
        column: usize,
        top: u32,
        bottom: u32,
    ) -> impl Iterator<Item = (u32, u32, u32)> {
        let extents = &self.extents[column];
        let first = extents.partition_point(|&(_, _, other_bottom)| other_bottom <= top);
        extents[first..].iter().take_while(move |&&(_, other_top, _)| other_top < bottom).map(
            move |&(processor, other_top, other_bottom)| {
                (processor, other_top.max(top), other_bottom.min(bottom))
            },
        )
    }

    fn overlaps(&self, column: usize, top: u32, bottom: u32) -> Vec<Partner> {
        let partner = |(processor, top, bottom)| Partner {
            processor,
            bytes: self.summa.bytes_of_blocks(bottom - top),
            tag: 0,
        };
        self.between(column, top, bottom).map(partner).collect()
    }

    fn parts(&self, column: usize, top: u32, bottom: u32) -> Vec<Partner> {
        let cut = |y: u32| self.cuts.partition_point(|&cut| cut < y);
        let mut parts = Vec::new();
        for (processor, top, bottom) in self.between(column, top, bottom) {
            parts.extend((cut(top)..cut(bottom)).map(|part| {
                let blocks = self.cuts[part + 1] - self.cuts[part];
                Partner { processor, bytes: self.summa.bytes_of_blocks(blocks), tag: part as u32 }
            }));
        }
        parts
    }
}
