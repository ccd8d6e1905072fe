//! The neighbours of a process in a process topology of MPI.

use crate::library::{self, Library, asked};

/// The neighbours in a process topology, in the order of the library's buffers.
#[derive(Default)]
pub struct Neighbours {
    pub sources: Vec<i32>,
    pub destinations: Vec<i32>,
}

/// The neighbours of a communicator with a process topology.
pub fn ask_for_neighbours(library: &Library, comm: usize) -> Neighbours {
    let kind = asked(|kind| unsafe { library::topo_test(comm, kind) });
    if kind == Some(library.cartesian) {
        cartesian_neighbours(library, comm)
    } else if kind == Some(library.graph) {
        let rank = asked(|rank| unsafe { library::comm_rank(comm, rank) }).unwrap_or(0) as usize;
        let number = |number| unsafe { library::graph_neighbors_count(comm, rank, number) };
        let number = asked(number).unwrap_or(0).max(0) as usize;
        let mut all = vec![0_i32; number];
        let address = all.as_mut_ptr() as usize;
        unsafe { library::graph_neighbors(comm, rank, number, address) };
        Neighbours { sources: all.clone(), destinations: all }
    } else if kind == Some(library.distributed_graph) {
        distributed_neighbours(comm)
    } else {
        Neighbours::default()
    }
}

/// In each dimension the previous and the next one, which both send and receive.
fn cartesian_neighbours(library: &Library, comm: usize) -> Neighbours {
    let dimensions = asked(|number| unsafe { library::cartdim_get(comm, number) }).unwrap_or(0);
    let mut all = Vec::new();
    for dimension in 0..dimensions.max(0) as usize {
        let (mut before, mut after) = (library.proc_null, library.proc_null);
        let (to_before, to_after) = (&raw mut before as usize, &raw mut after as usize);
        unsafe { library::cart_shift(comm, dimension, 1, to_before, to_after) };
        all.extend([before, after]);
    }
    Neighbours { sources: all.clone(), destinations: all }
}

fn distributed_neighbours(comm: usize) -> Neighbours {
    let (mut inward, mut outward, mut weighted) = (0_i32, 0_i32, 0_i32);
    unsafe {
        library::dist_graph_neighbors_count(
            comm,
            &raw mut inward as usize,
            &raw mut outward as usize,
            &raw mut weighted as usize,
        )
    };
    let (inward, outward) = (inward.max(0) as usize, outward.max(0) as usize);
    let (mut sources, mut destinations) = (vec![0_i32; inward], vec![0_i32; outward]);
    let (mut weights_in, mut weights_out) = (vec![0_i32; inward], vec![0_i32; outward]);
    unsafe {
        library::dist_graph_neighbors(
            comm,
            inward,
            sources.as_mut_ptr() as usize,
            weights_in.as_mut_ptr() as usize,
            outward,
            destinations.as_mut_ptr() as usize,
            weights_out.as_mut_ptr() as usize,
        )
    };
    Neighbours { sources, destinations }
}
