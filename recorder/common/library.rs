//! The MPI library of the program: which one it is, what its constants are, how to ask it.

use std::ffi::CStr;

use crate::symbols::{Real, find};

/// The origin of the binary interface.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Family {
    OpenMpi,
    Mpich,
    /// The interface of the MPI 5 standard, in the library of any vendor.
    Standard,
    /// SimGrid's simulator: all ranks are in one process.
    SimGrid,
}

/// The constants of an MPI library.
#[derive(Debug, Clone, Copy)]
pub struct Library {
    pub family: Family,
    /// Whether handles are pointers; otherwise they have 32 bits.
    pub wide_handles: bool,
    pub world: usize,
    /// The communicator of a process alone; 0 if it has no fixed handle.
    pub comm_self: usize,
    pub comm_null: usize,
    pub info_null: usize,
    pub errors_return: usize,
    /// What stands for edges without weights, and for an empty list of weights.
    pub unweighted: usize,
    pub weights_empty: usize,
    pub no_op: usize,
    /// The type of bytes.
    pub byte: usize,
    pub proc_null: i32,
    pub any_source: i32,
    pub any_tag: i32,
    pub in_place: usize,
    pub status_ignore: usize,
    /// A status in numbers of 32 bits: how many, and which are the source and the tag.
    pub status_words: usize,
    pub status_source: usize,
    pub status_tag: usize,
    pub cartesian: i32,
    pub graph: i32,
    pub distributed_graph: i32,
    pub thread_funneled: i32,
    pub thread_multiple: i32,
    /// What asks for communicators of processes that share memory.
    pub comm_type_shared: i32,
}

/// Used until the library is known: none of its handles is ever seen.
pub const UNKNOWN: Library = MPICH;

const MPICH: Library = Library {
    family: Family::Mpich,
    wide_handles: false,
    world: 0x4400_0000,
    comm_self: 0x4400_0001,
    comm_null: 0x0400_0000,
    info_null: 0x1c00_0000,
    errors_return: 0x5400_0001,
    // Variables of the library, which have to be looked up.
    unweighted: 0,
    weights_empty: 0,
    no_op: 0x5800_000e,
    byte: 0x4c00_010d,
    proc_null: -1,
    any_source: -2,
    any_tag: -1,
    in_place: usize::MAX,
    status_ignore: 1,
    status_words: 5,
    status_source: 2,
    status_tag: 3,
    cartesian: 2,
    graph: 1,
    distributed_graph: 3,
    thread_funneled: 1,
    thread_multiple: 3,
    comm_type_shared: 1,
};

const STANDARD: Library = Library {
    family: Family::Standard,
    wide_handles: true,
    world: 0x101,
    comm_self: 0x102,
    comm_null: 0x100,
    info_null: 0x130,
    errors_return: 0x143,
    unweighted: 10,
    weights_empty: 11,
    no_op: 0x3d,
    byte: 0x247,
    proc_null: -3,
    any_source: -1,
    any_tag: -2,
    in_place: 1,
    status_ignore: 0,
    status_words: 8,
    status_source: 0,
    status_tag: 1,
    cartesian: 211,
    graph: 212,
    distributed_graph: 213,
    thread_funneled: 1024,
    thread_multiple: 4096,
    comm_type_shared: 221,
};

/// Its handles are addresses, which have to be looked up.
const OPEN_MPI: Library = Library {
    family: Family::OpenMpi,
    wide_handles: true,
    world: 0,
    comm_self: 0,
    comm_null: 0,
    info_null: 0,
    errors_return: 0,
    unweighted: 2,
    weights_empty: 3,
    no_op: 0,
    byte: 0,
    proc_null: -2,
    any_source: -1,
    any_tag: -1,
    in_place: 1,
    status_ignore: 0,
    status_words: 6,
    status_source: 0,
    status_tag: 1,
    cartesian: 1,
    graph: 2,
    distributed_graph: 3,
    thread_funneled: 1,
    thread_multiple: 3,
    comm_type_shared: 0,
};

/// All of its handles are addresses. Only what is needed for process topologies is known.
const SIMGRID: Library = Library {
    family: Family::SimGrid,
    unweighted: 0,
    weights_empty: 1,
    proc_null: -666,
    any_source: -555,
    any_tag: -444,
    ..OPEN_MPI
};

impl Library {
    /// Whether another MPI program started this one.
    pub fn was_spawned(&self) -> bool {
        let mut parent = self.comm_null;
        let answer = unsafe { comm_get_parent(&raw mut parent as usize) };
        answer == Some(0) && self.handle(parent) != self.comm_null
    }

    /// The library that is loaded. A library that calls itself MPICH may have the standard's
    /// interface, so the text of the version does not decide.
    pub fn loaded() -> Option<Library> {
        let (mut major, mut minor) = (-1_i32, -1_i32);
        let answered = unsafe { abi_get_version(&raw mut major as usize, &raw mut minor as usize) };
        if answered == Some(0) && major >= 1 {
            return Some(STANDARD);
        }
        let handle = |name: &CStr| find(name).unwrap_or(0);
        let value = |name: &CStr| find(name).map_or(0, |place| unsafe { *(place as *const usize) });
        if let Some(world) = find(c"MPI_COMM_WORLD").filter(|_| handle(c"smpi_main") != 0) {
            let world = unsafe { *(world as *const usize) };
            return Some(Library { world, byte: handle(c"smpi_MPI_BYTE"), ..SIMGRID });
        }
        let Some(world) = find(c"ompi_mpi_comm_world") else {
            let is_there = find(c"PMPI_Comm_rank").is_some();
            let (unweighted, weights_empty) =
                (value(c"MPI_UNWEIGHTED"), value(c"MPI_WEIGHTS_EMPTY"));
            return is_there.then_some(Library { unweighted, weights_empty, ..MPICH });
        };
        Some(Library {
            world,
            comm_self: handle(c"ompi_mpi_comm_self"),
            info_null: handle(c"ompi_mpi_info_null"),
            errors_return: handle(c"ompi_mpi_errors_return"),
            comm_null: handle(c"ompi_mpi_comm_null"),
            no_op: handle(c"ompi_mpi_op_no_op"),
            byte: handle(c"ompi_mpi_byte"),
            ..OPEN_MPI
        })
    }

    /// A handle as it was passed: the upper half of a narrow one may be anything.
    #[inline]
    pub fn handle(&self, passed: usize) -> usize {
        if self.wide_handles { passed } else { passed as u32 as usize }
    }

    /// The handle with this number in an array of them.
    ///
    /// # Safety
    /// The array must consist of handles of this library and be long enough.
    #[inline]
    pub unsafe fn handle_at(&self, array: usize, number: usize) -> usize {
        unsafe {
            if self.wide_handles {
                *(array as *const usize).add(number)
            } else {
                *(array as *const u32).add(number) as usize
            }
        }
    }

    /// Source and tag of the status with this number in an array of them.
    ///
    /// # Safety
    /// The array must consist of statuses of this library and be long enough.
    pub unsafe fn source_and_tag(&self, statuses: usize, number: usize) -> (i32, i32) {
        unsafe {
            let status = (statuses as *const i32).add(self.status_words * number);
            (*status.add(self.status_source), *status.add(self.status_tag))
        }
    }
}

/// Functions that ask the library without a detour through the recorder. They return what the
/// function returns, or nothing if the library does not have it.
macro_rules! questions {
    ($($name:ident = $symbol:literal ($($argument:ident),*);)*) => {$(
        /// # Safety
        /// The arguments must be those of the MPI function.
        #[allow(clippy::too_many_arguments)]
        pub unsafe fn $name($($argument: usize),*) -> Option<i32> {
            static REAL: Real = Real::new($symbol);
            let address = REAL.address()?;
            type Function = unsafe extern "C" fn($(questions!(@usize $argument)),*) -> i32;
            Some(unsafe { std::mem::transmute::<usize, Function>(address)($($argument),*) })
        }
    )*};
    (@usize $argument:ident) => { usize };
}

questions! {
    abi_get_version = c"PMPI_Abi_get_version" (major, minor);
    init_thread = c"PMPI_Init_thread" (count, words, required, provided);
    initialized = c"PMPI_Initialized" (flag);
    finalized = c"PMPI_Finalized" (flag);
    query_thread = c"PMPI_Query_thread" (provided);
    library_version = c"PMPI_Get_library_version" (text, length);
    comm_get_parent = c"PMPI_Comm_get_parent" (parent);
    comm_rank = c"PMPI_Comm_rank" (comm, rank);
    comm_size = c"PMPI_Comm_size" (comm, size);
    comm_remote_size = c"PMPI_Comm_remote_size" (comm, size);
    comm_test_inter = c"PMPI_Comm_test_inter" (comm, flag);
    comm_group = c"PMPI_Comm_group" (comm, group);
    comm_remote_group = c"PMPI_Comm_remote_group" (comm, group);
    win_get_group = c"PMPI_Win_get_group" (win, group);
    group_size = c"PMPI_Group_size" (group, size);
    group_rank = c"PMPI_Group_rank" (group, rank);
    group_free = c"PMPI_Group_free" (group);
    group_translate = c"PMPI_Group_translate_ranks" (from, number, ranks, to, translated);
    type_size = c"PMPI_Type_size" (datatype, size);
    type_size_x = c"PMPI_Type_size_x" (datatype, size);
    topo_test = c"PMPI_Topo_test" (comm, kind);
    cartdim_get = c"PMPI_Cartdim_get" (comm, dimensions);
    cart_shift = c"PMPI_Cart_shift" (comm, dimension, step, source, destination);
    graph_neighbors_count = c"PMPI_Graph_neighbors_count" (comm, rank, number);
    graph_neighbors = c"PMPI_Graph_neighbors" (comm, rank, most, neighbours);
    dist_graph_neighbors_count = c"PMPI_Dist_graph_neighbors_count" (comm, inward, outward, weighted);
    dist_graph_neighbors = c"PMPI_Dist_graph_neighbors"
        (comm, most_in, sources, source_weights, most_out, destinations, destination_weights);
    send = c"PMPI_Send" (buffer, count, datatype, destination, tag, comm);
    receive = c"PMPI_Recv" (buffer, count, datatype, source, tag, comm, status);
    barrier = c"PMPI_Barrier" (comm);
    ibarrier = c"PMPI_Ibarrier" (comm, request);
    isend = c"PMPI_Isend" (buffer, count, datatype, destination, tag, comm, request);
    issend = c"PMPI_Issend" (buffer, count, datatype, destination, tag, comm, request);
    irecv = c"PMPI_Irecv" (buffer, count, datatype, source, tag, comm, request);
    iprobe = c"PMPI_Iprobe" (source, tag, comm, flag, status);
    get_count = c"PMPI_Get_count" (status, datatype, count);
    bcast = c"PMPI_Bcast" (buffer, count, datatype, root, comm);
    test = c"PMPI_Test" (request, flag, status);
    sendrecv = c"PMPI_Sendrecv"
        (sent, sent_count, sent_type, destination, sent_tag,
         received, received_count, received_type, source, received_tag, comm, status);
    gather = c"PMPI_Gather"
        (sent, sent_count, sent_type, received, received_count, received_type, root, comm);
    allgather = c"PMPI_Allgather"
        (sent, sent_count, sent_type, received, received_count, received_type, comm);
    gatherv = c"PMPI_Gatherv"
        (sent, sent_count, sent_type, received, counts, displacements, received_type, root, comm);
    abort = c"PMPI_Abort" (comm, code);
    processor_name = c"PMPI_Get_processor_name" (name, length);
    comm_create_group = c"PMPI_Comm_create_group" (comm, group, tag, new);
    comm_create_from_group = c"PMPI_Comm_create_from_group" (group, tag, info, errhandler, new);
    comm_split = c"PMPI_Comm_split" (comm, colour, key, new);
    comm_split_type = c"PMPI_Comm_split_type" (comm, kind, key, info, new);
    comm_free = c"PMPI_Comm_free" (comm);
    comm_set_name = c"PMPI_Comm_set_name" (comm, name);
    comm_create_keyval = c"PMPI_Comm_create_keyval" (copy, delete, keyval, extra);
    comm_set_attr = c"PMPI_Comm_set_attr" (comm, keyval, value);
    group_incl = c"PMPI_Group_incl" (group, number, ranks, new);
    group_from_session_pset = c"PMPI_Group_from_session_pset" (session, name, group);
    cart_create = c"PMPI_Cart_create" (comm, number, dims, periods, reorder, new);
    graph_create = c"PMPI_Graph_create" (comm, nodes, index, edges, reorder, new);
    dist_graph_create = c"PMPI_Dist_graph_create"
        (comm, number, sources, degrees, destinations, weights, info, reorder, new);
    dist_graph_create_adjacent = c"PMPI_Dist_graph_create_adjacent"
        (comm, in_number, sources, in_weights, out_number, destinations, out_weights, info, reorder, new);
    finalize = c"PMPI_Finalize" ();
    test_cancelled = c"PMPI_Test_cancelled" (status, flag);
}

/// Turns handles of Fortran into those of C, as Open MPI does: a number becomes an address.
macro_rules! from_fortran {
    ($($name:ident = $symbol:literal;)*) => {$(
        pub fn $name(handle: i32) -> usize {
            static REAL: Real = Real::new($symbol);
            let Some(address) = REAL.address() else { return 0 };
            type Function = unsafe extern "C" fn(i32) -> usize;
            unsafe { std::mem::transmute::<usize, Function>(address)(handle) }
        }
    )*};
}

from_fortran! {
    comm_from_fortran = c"PMPI_Comm_f2c";
    datatype_from_fortran = c"PMPI_Type_f2c";
    request_from_fortran = c"PMPI_Request_f2c";
    window_from_fortran = c"PMPI_Win_f2c";
    operation_from_fortran = c"PMPI_Op_f2c";
    message_from_fortran = c"PMPI_Message_f2c";
}

/// The number of a communicator in Fortran.
pub fn comm_to_fortran(comm: usize) -> i32 {
    static REAL: Real = Real::new(c"PMPI_Comm_c2f");
    let Some(address) = REAL.address() else { return 0 };
    unsafe { std::mem::transmute::<usize, unsafe extern "C" fn(usize) -> i32>(address)(comm) }
}

/// One number that a function of the library writes, and whether it answered.
pub fn asked(question: impl FnOnce(usize) -> Option<i32>) -> Option<i32> {
    let mut answer = 0_i32;
    (question(&raw mut answer as usize) == Some(0)).then_some(answer)
}
