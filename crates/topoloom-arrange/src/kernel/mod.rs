//! The kernel that every processor repeats: one update of its rectangle, C += A x B.
//!
//! C has m x n blocks of b x b numbers; A is the part of the pivot column beside it, m blocks high
//! and one wide, B the part of the pivot row above it, one block high and n wide. A and B are
//! packed into strips first, as libraries do, and C is updated in tiles that stay in registers.
//! This is plain Rust that the compiler turns into vector instructions; `pulp` compiles it for
//! several kinds of processors and selects the version for the one that the program runs on.

mod precision;

use pulp::{Arch, Simd, WithSimd};
use rayon::prelude::*;

pub use precision::Timings;

/// Rows of a tile of C.
const TILE_ROWS: usize = 6;
/// Columns of a tile of C. A tile takes 12 vector registers of 4 numbers; AVX2 has 16.
const TILE_COLUMNS: usize = 8;
/// The amount of B that is processed at a time: half of a second-level cache of 256 KiB.
const STRIP_NUMBERS: usize = 1 << 14;

/// A rectangle of C with the parts of A and B that update it.
#[derive(Debug, Clone, PartialEq)]
pub struct RectangleUpdate {
    block: usize,
    rows: usize,
    columns: usize,
    /// Row by row.
    c: Vec<f64>,
    a: Vec<f64>,
    b: Vec<f64>,
    /// A in strips of tile height, each column by column; B in strips of tile width, each row by
    /// row. The last strip is padded with 0.
    packed_a: Vec<f64>,
    packed_b: Vec<f64>,
}

impl RectangleUpdate {
    /// A rectangle of `blocks` (down and across) of `block` x `block` numbers, filled with numbers
    /// that are not zero; `None` if it does not fit in memory.
    pub fn new(blocks: (u32, u32), block: u32) -> Option<Self> {
        let block = block as usize;
        let rows = (blocks.0 as usize).checked_mul(block)?;
        let columns = (blocks.1 as usize).checked_mul(block)?;
        let whole = |length: usize, tile: usize| length.div_ceil(tile).checked_mul(tile);
        Some(RectangleUpdate {
            block,
            rows,
            columns,
            c: filled(rows.checked_mul(columns)?, 3)?,
            a: filled(rows.checked_mul(block)?, 5)?,
            b: filled(columns.checked_mul(block)?, 7)?,
            packed_a: filled(whole(rows, TILE_ROWS)?.checked_mul(block)?, 0)?,
            packed_b: filled(whole(columns, TILE_COLUMNS)?.checked_mul(block)?, 0)?,
        })
    }

    /// How many bytes such a rectangle takes; `None` on overflow.
    pub fn bytes(blocks: (u32, u32), block: u32) -> Option<u64> {
        let (down, across, block) = (u64::from(blocks.0), u64::from(blocks.1), u64::from(block));
        // C, and A and B twice, with the padding of their last strips.
        let c = down.checked_mul(across)?.checked_mul(block * block)?;
        let sides = down.checked_add(across)?.checked_mul(2 * block * block)?;
        let ends = block * (TILE_ROWS + TILE_COLUMNS) as u64;
        c.checked_add(sides)?.checked_add(ends)?.checked_mul(8)
    }

    /// Operations of one update: a multiplication and an addition for each number of C and each
    /// of a row of A.
    pub fn operations(&self) -> f64 {
        2.0 * self.rows as f64 * self.columns as f64 * self.block as f64
    }

    /// C, row by row.
    pub fn c(&self) -> &[f64] {
        &self.c
    }

    /// C += A x B, with `threads` threads of rayon's current pool. Each thread takes some rows. The
    /// result does not depend on their number.
    pub fn update(&mut self, threads: usize) {
        let (block, columns) = (self.block, self.columns);
        if block == 0 || self.rows == 0 || columns == 0 {
            return;
        }
        let strips = self.rows.div_ceil(TILE_ROWS).div_ceil(threads.max(1));
        let wide_strips = columns.div_ceil(TILE_COLUMNS).div_ceil(threads.max(1));
        let b = &self.b;
        // B is packed once for all threads; each thread packs its own A.
        let pack = |(number, packed): (usize, &mut [f64])| {
            pack_b(b, columns, block, number * wide_strips, packed);
        };
        let parts = self.packed_b.chunks_mut(wide_strips * TILE_COLUMNS * block).enumerate();
        in_parallel(threads, parts, pack);
        let packed_b = &self.packed_b;
        let rows = strips * TILE_ROWS;
        let parts = self.c.chunks_mut(rows * columns).zip(self.a.chunks(rows * block));
        let parts = parts.zip(self.packed_a.chunks_mut(rows * block));
        in_parallel(threads, parts, |((c, a), packed_a)| {
            pack_a(a, block, packed_a);
            Arch::new().dispatch(Multiply { a: packed_a, b: packed_b, c, columns, block });
        });
    }
}

/// Runs `action` on each part: in this thread if there is one thread, otherwise in the pool.
fn in_parallel<T: Send>(
    threads: usize,
    parts: impl Iterator<Item = T>,
    action: impl Fn(T) + Sync + Send,
) {
    match threads {
        0 | 1 => parts.for_each(action),
        _ => parts.collect::<Vec<T>>().into_par_iter().for_each(action),
    }
}

/// `count` numbers between 0 and 1, in a repeated pattern that depends on `kind`, or zeros for
/// `kind` 0.
fn filled(count: usize, kind: usize) -> Option<Vec<f64>> {
    let mut numbers = Vec::new();
    numbers.try_reserve_exact(count).ok()?;
    numbers.extend((0..count).map(|at| (at * kind % 17) as f64 / 17.0));
    Some(numbers)
}

/// Rows of A in strips of tile height.
fn pack_a(a: &[f64], block: usize, packed: &mut [f64]) {
    let strips = packed.chunks_mut(TILE_ROWS * block).zip(a.chunks(TILE_ROWS * block));
    for (strip, rows) in strips {
        for (row, numbers) in rows.chunks(block).enumerate() {
            for (column, &number) in strip.chunks_mut(TILE_ROWS).zip(numbers) {
                column[row] = number;
            }
        }
    }
}

/// Columns of B in strips of tile width, from strip `first` on.
fn pack_b(b: &[f64], columns: usize, block: usize, first: usize, packed: &mut [f64]) {
    for (number, strip) in packed.chunks_mut(TILE_COLUMNS * block).enumerate() {
        let start = (first + number) * TILE_COLUMNS;
        let width = TILE_COLUMNS.min(columns - start);
        for (row, numbers) in strip.chunks_mut(TILE_COLUMNS).zip(b.chunks(columns)) {
            row[..width].copy_from_slice(&numbers[start..start + width]);
        }
    }
}

/// C += A x B of packed A and B, with as many strips of B at a time as fit in a cache.
struct Multiply<'a> {
    a: &'a [f64],
    b: &'a [f64],
    c: &'a mut [f64],
    columns: usize,
    block: usize,
}

impl WithSimd for Multiply<'_> {
    type Output = ();

    // Everything is inlined, because only inlined code is compiled for the processor `S`.
    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let Multiply { a, b, c, columns, block } = self;
        let strip = TILE_COLUMNS * block;
        let strips = (STRIP_NUMBERS / strip).max(1);
        for (part, b) in b.chunks(strips * strip).enumerate() {
            let left = part * strips * TILE_COLUMNS;
            let bands = a.chunks(TILE_ROWS * block).zip(c.chunks_mut(TILE_ROWS * columns));
            for (a, c) in bands {
                for (number, b) in b.chunks(strip).enumerate() {
                    let start = left + number * TILE_COLUMNS;
                    let width = TILE_COLUMNS.min(columns - start);
                    let tile = product::<S>(a, b);
                    for (row, numbers) in c.chunks_mut(columns).zip(&tile) {
                        match width {
                            // The length is known, so this is fast.
                            TILE_COLUMNS => add(&mut row[start..start + TILE_COLUMNS], numbers),
                            _ => add(&mut row[start..start + width], &numbers[..width]),
                        }
                    }
                }
            }
        }
    }
}

#[inline(always)]
fn add(row: &mut [f64], numbers: &[f64]) {
    row.iter_mut().zip(numbers).for_each(|(sum, number)| *sum += number);
}

/// The product of a strip of A and one of B: a tile, which stays in registers.
#[inline(always)]
fn product<S: Simd>(a: &[f64], b: &[f64]) -> [[f64; TILE_COLUMNS]; TILE_ROWS] {
    let mut tile = [[0.0; TILE_COLUMNS]; TILE_ROWS];
    let steps = a.as_chunks::<TILE_ROWS>().0.iter().zip(b.as_chunks::<TILE_COLUMNS>().0);
    for (column, row) in steps {
        for (sums, &left) in tile.iter_mut().zip(column) {
            for (sum, &right) in sums.iter_mut().zip(row) {
                *sum = multiply_add::<S>(left, right, *sum);
            }
        }
    }
    tile
}

/// One instruction if there are vectors of several numbers, because processors with these have it.
/// Otherwise `mul_add` would be a slow call.
#[inline(always)]
fn multiply_add<S: Simd>(left: f64, right: f64, sum: f64) -> f64 {
    match size_of::<S::f64s>() > size_of::<f64>() {
        true => left.mul_add(right, sum),
        false => sum + left * right,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The definition: three loops.
    fn updated(update: &RectangleUpdate) -> Vec<f64> {
        let mut c = update.c.clone();
        for row in 0..update.rows {
            for column in 0..update.columns {
                for step in 0..update.block {
                    c[row * update.columns + column] += update.a[row * update.block + step]
                        * update.b[step * update.columns + column];
                }
            }
        }
        c
    }

    #[test]
    fn an_update_is_what_three_loops_make_of_it() {
        for (blocks, block) in
            [((1, 1), 1), ((2, 3), 4), ((3, 2), 5), ((1, 7), 3), ((2, 5), 16), ((1, 40), 13)]
        {
            for threads in [1, 2, 3, 64] {
                let mut update = RectangleUpdate::new(blocks, block).unwrap();
                // A second update must not use leftovers of the first one.
                for _ in 0..2 {
                    let expected = updated(&update);
                    update.update(threads);
                    for (found, expected) in update.c().iter().zip(expected) {
                        assert!((found - expected).abs() < 1e-9, "{blocks:?} {block} {threads}");
                    }
                }
            }
        }
    }

    #[test]
    fn what_memory_cannot_hold_is_refused() {
        assert_eq!(RectangleUpdate::new((u32::MAX, u32::MAX), 64), None);
        assert_eq!(RectangleUpdate::bytes((u32::MAX, u32::MAX), u32::MAX), None);
        // 2 x 3 blocks of 4 x 4, A and B twice, and 4 x 14 numbers of padding.
        assert_eq!(RectangleUpdate::bytes((2, 3), 4), Some((96 + 2 * 80 + 56) * 8));
    }
}
