//! The functions that make process topologies. If the program lets ranks be reordered, this happens
//! here, and the library is told to keep them.

use crate::invoke::invoke;
use crate::library::Library;
use crate::lists::{Weights, edges, grid, handed_on, numbers};
use crate::reorder::{Asking, Reordered};
use crate::symbols::Real;
use crate::translate::instead;
use crate::world::translated;

const KEEP: usize = 0;

/// Makes a topology by `real`, which gets a communicator and whether it may reorder. `neighbours`
/// are the lines of this rank's question.
fn made(
    call: &str,
    comm: usize,
    reorder: usize,
    neighbours: impl FnOnce(&Asking) -> String,
    real: impl Fn(usize, usize, Option<&Reordered>) -> i32,
) -> i32 {
    let comm = translated(comm);
    let Some(asking) = Asking::new(comm, reorder) else { return real(comm, reorder, None) };
    match asking.ask(call, &neighbours(&asking)) {
        None => real(comm, KEEP, None),
        Some(reordered) => {
            let result = real(reordered.comm, KEEP, Some(&reordered));
            reordered.free();
            result
        }
    }
}

instead! {
    MPI_Cart_create (comm, number, dims, periods, reorder, new) {
        static REAL: Real = Real::new(c"PMPI_Cart_create");
        let neighbours = |asking: &Asking| match asking.rank {
            0 => {
                let length = (number as i32).max(0) as usize;
                unsafe { grid(numbers(dims, length), numbers(periods, length)) }
            }
            _ => String::new(),
        };
        made("MPI_Cart_create", comm, reorder, neighbours, |comm, reorder, _| {
            invoke!(REAL; comm, number, dims, periods, reorder, new)
        })
    }
}

instead! {
    MPI_Graph_create (comm, nodes, index, targets, reorder, new) {
        static REAL: Real = Real::new(c"PMPI_Graph_create");
        let neighbours = |asking: &Asking| match asking.rank {
            0 => unsafe { graph((nodes as i32).max(0) as usize, index, targets) },
            _ => String::new(),
        };
        made("MPI_Graph_create", comm, reorder, neighbours, |comm, reorder, _| {
            invoke!(REAL; comm, nodes, index, targets, reorder, new)
        })
    }
}

/// The edges of a graph that every process knows: `index` says where the targets of a node end.
unsafe fn graph(nodes: usize, index: usize, targets: usize) -> String {
    let ends = unsafe { numbers(index, nodes) };
    let all = ends.last().map_or(0, |&end| end.max(0) as usize);
    let targets = unsafe { numbers(targets, all) };
    let begins = std::iter::once(0).chain(ends.iter().copied());
    let of_node = |(node, (begin, &end)): (i32, (i32, &i32))| {
        let own = targets.get(begin.max(0) as usize..end.max(0) as usize).unwrap_or_default();
        own.iter().map(move |&target| (node, target, 1))
    };
    edges((0..).zip(begins.zip(ends)).flat_map(of_node))
}

instead! {
    MPI_Dist_graph_create (comm, number, sources, degrees, targets, weights, info, reorder, new) {
        static REAL: Real = Real::new(c"PMPI_Dist_graph_create");
        let neighbours = |asking: &Asking| unsafe {
            let number = (number as i32).max(0) as usize;
            named_edges(asking.library, number, [sources, degrees, targets], Weights(weights))
        };
        made("MPI_Dist_graph_create", comm, reorder, neighbours, |comm, reorder, _| {
            invoke!(REAL; comm, number, sources, degrees, targets, weights, info, reorder, new)
        })
    }
}

/// Edges that a process names: for each source so many targets.
unsafe fn named_edges(
    library: &Library,
    number: usize,
    [sources, degrees, targets]: [usize; 3],
    weights: Weights,
) -> String {
    let (sources, degrees) = unsafe { (numbers(sources, number), numbers(degrees, number)) };
    let all: usize = degrees.iter().map(|&degree| degree.max(0) as usize).sum();
    let targets = unsafe { numbers(targets, all) };
    let repeated = sources.iter().zip(degrees);
    let from =
        repeated.flat_map(|(&source, &degree)| std::iter::repeat_n(source, degree.max(0) as usize));
    let weighted = targets.iter().enumerate();
    edges(
        from.zip(weighted).map(|(source, (edge, &target))| {
            (source, target, unsafe { weights.of(library, edge) })
        }),
    )
}

instead! {
    MPI_Dist_graph_create_adjacent
    (comm, in_number, sources, in_weights, out_number, targets, out_weights, info, reorder, new) {
        static REAL: Real = Real::new(c"PMPI_Dist_graph_create_adjacent");
        let lists = [
            List::new(sources, in_number, in_weights),
            List::new(targets, out_number, out_weights),
        ];
        let neighbours = |asking: &Asking| unsafe {
            let (library, rank) = (asking.library, asking.rank);
            let inward = lists[0].pairs(library).map(|(other, weight)| (other, rank, weight));
            let outward = lists[1].pairs(library).map(|(other, weight)| (rank, other, weight));
            edges(inward) + &edges(outward)
        };
        made("MPI_Dist_graph_create_adjacent", comm, reorder, neighbours, |comm, reorder, moved| {
            let Some(moved) = moved else {
                return invoke!(
                    REAL; comm, in_number, sources, in_weights, out_number, targets, out_weights,
                    info, reorder, new
                );
            };
            // The lists belong to the rank, not to the process.
            let [inward, outward] = lists.map(|list| list.handed_on(moved));
            let (in_number, sources, in_weights) = inward.passed();
            let (out_number, targets, out_weights) = outward.passed();
            invoke!(
                REAL; comm, in_number, sources, in_weights, out_number, targets, out_weights,
                info, reorder, new
            )
        })
    }
}

/// The sources or the targets of a rank, as they were passed.
#[derive(Clone, Copy)]
struct List {
    others: usize,
    number: usize,
    weights: Weights,
}

/// The same as numbers of our own.
struct OwnList {
    others: Vec<i32>,
    weights: Vec<i32>,
    /// What was passed instead of weights.
    instead_of_weights: Option<usize>,
}

impl List {
    fn new(others: usize, number: usize, weights: usize) -> List {
        List { others, number: (number as i32).max(0) as usize, weights: Weights(weights) }
    }

    /// # Safety
    /// The arrays must be as long as they were said to be.
    unsafe fn pairs(&self, library: &'static Library) -> impl Iterator<Item = (i32, i32)> {
        let weights = self.weights;
        let others = unsafe { numbers(self.others, self.number) };
        let weight = move |edge| unsafe { weights.of(library, edge) };
        others.iter().enumerate().map(move |(edge, &other)| (other, weight(edge)))
    }

    fn handed_on(self, moved: &Reordered) -> OwnList {
        let library = moved.library;
        let others = handed_on(moved, unsafe { numbers(self.others, self.number) });
        let (weights, instead) = match self.weights.are_given(library) {
            true => (handed_on(moved, unsafe { numbers(self.weights.0, self.number) }), None),
            false if self.weights.0 == library.unweighted => (Vec::new(), Some(self.weights.0)),
            // A rank without edges has no weights, but others may have some.
            false => (handed_on(moved, &[]), None),
        };
        OwnList { others, weights, instead_of_weights: instead }
    }
}

impl OwnList {
    /// As arguments of a call.
    fn passed(&self) -> (usize, usize, usize) {
        let weights = self.instead_of_weights.unwrap_or(self.weights.as_ptr() as usize);
        (self.others.len(), self.others.as_ptr() as usize, weights)
    }
}
