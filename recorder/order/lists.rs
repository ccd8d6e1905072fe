//! Lists of neighbours: as lines of a question, and on their way to the process that has them now.

use std::fmt::Write;

use crate::layout::run::{EDGE, GRID};
use crate::library::{self, Library};
use crate::reorder::Reordered;

/// A grid, as a line of a question.
pub fn grid(dims: &[i32], periods: &[i32]) -> String {
    let mut line = GRID.to_string();
    for (dim, &period) in dims.iter().zip(periods) {
        let _ = write!(line, " {dim}{}", if period != 0 { "p" } else { "" });
    }
    line + "\n"
}

/// Edges, as lines of a question.
pub fn edges(edges: impl Iterator<Item = (i32, i32, i32)>) -> String {
    let mut lines = String::new();
    for (from, to, weight) in edges {
        let _ = writeln!(lines, "{EDGE} {from} {to} {weight}");
    }
    lines
}

/// Numbers that were passed by their address.
///
/// # Safety
/// This many numbers must be at the address, if any.
pub unsafe fn numbers<'a>(address: usize, number: usize) -> &'a [i32] {
    match address == 0 || number == 0 || number > i32::MAX as usize {
        true => &[],
        false => unsafe { std::slice::from_raw_parts(address as *const i32, number) },
    }
}

/// Weights of edges, as they were passed.
#[derive(Clone, Copy)]
pub struct Weights(pub usize);

impl Weights {
    /// Whether there is an array of them, and not one of the names for none.
    pub fn are_given(self, library: &Library) -> bool {
        ![0, library.unweighted, library.weights_empty].contains(&self.0)
    }

    /// The weight of an edge; 1 if edges have none.
    ///
    /// # Safety
    /// There must be so many.
    pub unsafe fn of(self, library: &Library, edge: usize) -> i32 {
        match self.are_given(library) {
            true => unsafe { *(self.0 as *const i32).add(edge) },
            false => 1,
        }
    }
}

/// Gives the numbers of this process to the one that has its old rank now, and returns those of the
/// process whose old rank this one has now.
pub fn handed_on(reordered: &Reordered, own: &[i32]) -> Vec<i32> {
    const TAG: usize = 1;
    let Reordered { library, comm, .. } = *reordered;
    let to = reordered.rank as usize;
    let from = reordered.new_rank[reordered.own_new_rank() as usize] as usize;
    let exchange = |sent: &[i32], received: &mut [i32]| {
        let (data, place) = (sent.as_ptr() as usize, received.as_mut_ptr() as usize);
        let (length, room) = (size_of_val(sent), size_of_val(received));
        let (byte, ignore) = (library.byte, library.status_ignore);
        unsafe {
            library::sendrecv(
                data, length, byte, to, TAG, place, room, byte, from, TAG, comm, ignore,
            )
        };
    };
    let mut length = [0_i32];
    exchange(&[own.len() as i32], &mut length);
    let mut received = vec![0; length[0].max(0) as usize];
    exchange(own, &mut received);
    received
}
