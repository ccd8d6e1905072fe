//! Moves ranks between the cells of a box until as many neighbours as possible are adjacent.

use super::neighbours::Neighbours;
use crate::clock::Clock;
use crate::pace::Pace;

/// The maximum number of cycles over all ranks.
const MOST_CYCLES: usize = 6;

const NOBODY: u32 = u32::MAX;

/// A box of cells and the ranks in them, each in its own cell.
#[derive(Debug)]
pub(super) struct Cells {
    lengths: Vec<u32>,
    rings: Vec<bool>,
    cell_of: Vec<u32>,
    rank_in: Vec<u32>,
}

impl Cells {
    /// Puts each rank in the cell it wants if that is still free, and the others near their
    /// neighbours.
    pub(super) fn new(
        neighbours: &Neighbours,
        lengths: Vec<u32>,
        rings: Vec<bool>,
        wanted: Vec<Option<Vec<u32>>>,
    ) -> Cells {
        let count: u32 = lengths.iter().product();
        let mut cells = Cells {
            lengths,
            rings,
            cell_of: vec![NOBODY; wanted.len()],
            rank_in: vec![NOBODY; count as usize],
        };
        for (rank, coordinates) in (0..).zip(wanted) {
            if let Some(cell) = coordinates.map(|coordinates| cells.number(&coordinates))
                && cells.rank_in[cell as usize] == NOBODY
            {
                cells.put(rank, cell);
            }
        }
        cells.settle_homeless(neighbours);
        cells
    }

    /// The lengths of the box.
    pub(super) fn lengths(&self) -> &[u32] {
        &self.lengths
    }

    /// The coordinates of all ranks, one after the other.
    pub(super) fn coordinates(&self) -> Vec<u32> {
        let mut coordinates = Vec::with_capacity(self.cell_of.len() * self.lengths.len());
        for &cell in &self.cell_of {
            let mut rest = cell;
            for &length in &self.lengths {
                coordinates.push(rest % length);
                rest /= length;
            }
        }
        coordinates
    }

    fn number(&self, coordinates: &[u32]) -> u32 {
        let pairs = coordinates.iter().zip(&self.lengths).rev();
        pairs.fold(0, |number, (&at, &length)| number * length + at)
    }

    fn put(&mut self, rank: u32, cell: u32) {
        self.cell_of[rank as usize] = cell;
        self.rank_in[cell as usize] = rank;
    }

    /// Gives a cell to ranks without one: the free cell beside most of their neighbours, then any.
    fn settle_homeless(&mut self, neighbours: &Neighbours) {
        let mut beside = Vec::new();
        let homeless = |cells: &Cells| -> Vec<u32> {
            let ranks = 0..cells.cell_of.len() as u32;
            ranks.filter(|&rank| cells.cell_of[rank as usize] == NOBODY).collect()
        };
        loop {
            let mut settled = false;
            for rank in homeless(self) {
                self.cells_beside_neighbours(neighbours, rank, &mut beside);
                beside.retain(|&cell| self.rank_in[cell as usize] == NOBODY);
                beside.sort_unstable();
                let votes = |cell: u32| beside.iter().filter(|&&other| other == cell).count();
                let best = beside.iter().copied().max_by_key(|&cell| (votes(cell), !cell));
                if let Some(cell) = best {
                    self.put(rank, cell);
                    settled = true;
                }
            }
            if !settled {
                break;
            }
        }
        let mut free = 0;
        for rank in homeless(self) {
            while self.rank_in[free] != NOBODY {
                free += 1;
            }
            self.put(rank, free as u32);
        }
    }

    /// The cells one step from each neighbour of a rank; a cell beside several neighbours appears
    /// several times.
    fn cells_beside_neighbours(&self, neighbours: &Neighbours, rank: u32, out: &mut Vec<u32>) {
        out.clear();
        for &neighbour in neighbours.of(rank) {
            let cell = self.cell_of[neighbour as usize];
            if cell == NOBODY {
                continue;
            }
            let mut stride = 1;
            for (&length, &ring) in self.lengths.iter().zip(&self.rings) {
                let at = cell / stride % length;
                if at + 1 < length {
                    out.push(cell + stride);
                } else if ring {
                    out.push(cell - at * stride);
                }
                if at > 0 {
                    out.push(cell - stride);
                } else if ring {
                    out.push(cell + (length - 1) * stride);
                }
                stride *= length;
            }
        }
    }

    fn steps(&self, a: u32, b: u32) -> i64 {
        let (mut a, mut b) = (a, b);
        let mut steps = 0;
        for (&length, &ring) in self.lengths.iter().zip(&self.rings) {
            let straight = (a % length).abs_diff(b % length);
            steps += if ring { straight.min(length - straight) } else { straight };
            (a, b) = (a / length, b / length);
        }
        i64::from(steps)
    }

    /// Whether two cells do not even touch at a corner.
    fn are_apart(&self, a: u32, b: u32) -> bool {
        let (mut a, mut b) = (a, b);
        let mut apart = false;
        for (&length, &ring) in self.lengths.iter().zip(&self.rings) {
            let straight = (a % length).abs_diff(b % length);
            apart |= straight > 1 && !(ring && straight + 1 == length);
            (a, b) = (a / length, b / length);
        }
        apart
    }

    /// What moving a rank would add to the steps to all its neighbours except `other`.
    fn move_delta(&self, neighbours: &Neighbours, rank: u32, to: u32, other: u32) -> i64 {
        if rank == NOBODY {
            return 0;
        }
        let from = self.cell_of[rank as usize];
        let kept = neighbours.of(rank).iter().filter(|&&neighbour| neighbour != other);
        kept.map(|&neighbour| {
            let there = self.cell_of[neighbour as usize];
            self.steps(to, there) - self.steps(from, there)
        })
        .sum()
    }
}

/// Swaps ranks with those beside their neighbours until no swap brings neighbours closer. Diagonal
/// neighbours count as adjacent.
pub(super) fn repair(neighbours: &Neighbours, cells: &mut Cells, clock: &Clock<'_>) {
    let mut pace = Pace::default();
    let mut beside = Vec::new();
    for _ in 0..MOST_CYCLES {
        let mut improved = false;
        for rank in 0..neighbours.ranks() as u32 {
            if clock.is_over_after(1, &mut pace) {
                return;
            }
            let here = cells.cell_of[rank as usize];
            let mut partners = neighbours.of(rank).iter();
            if !partners.any(|&other| cells.are_apart(here, cells.cell_of[other as usize])) {
                continue;
            }
            cells.cells_beside_neighbours(neighbours, rank, &mut beside);
            beside.sort_unstable();
            beside.dedup();
            let mut best = (0, here);
            for &cell in &beside {
                let other = cells.rank_in[cell as usize];
                let delta = cells.move_delta(neighbours, rank, cell, other)
                    + cells.move_delta(neighbours, other, here, rank);
                best = best.min((delta, cell));
            }
            if best.0 < 0 {
                let other = cells.rank_in[best.1 as usize];
                cells.put(rank, best.1);
                cells.rank_in[here as usize] = other;
                if other != NOBODY {
                    cells.cell_of[other as usize] = here;
                }
                improved = true;
            }
        }
        if !improved {
            return;
        }
    }
}
