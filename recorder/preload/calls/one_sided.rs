//! Reading and writing the memory of other ranks.

use super::{interpose, partner};
use crate::form::Form;
use crate::invoke::invoke;
use crate::layout::header;
use crate::recorder::{library, recording, with};
use crate::totals::{Direction, Kind};

/// What moves: to the target, from it, or both ways.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    There,
    Back,
    Both,
}

/// The data of a call.
struct Data {
    bytes_of: (usize, usize),
    target: usize,
    window: usize,
}

fn access<F: Form>(data: Data, way: Way, real: impl FnOnce() -> i32) -> i32 {
    let result = real();
    let Data { bytes_of: (count, datatype), target, window } = data;
    if result == 0 && recording() && F::int(target) != library().proc_null {
        with(|recorder| {
            let bytes = recorder.bytes(F::count(count), F::datatype(datatype));
            let window = recorder.window(F::window(window));
            for (direction, other_way) in
                [(Direction::ToPeer, Way::Back), (Direction::FromPeer, Way::There)]
            {
                if way != other_way {
                    let flow = recorder.flow(Kind::OneSided, direction, window, F::int(target));
                    recorder.count(flow, Kind::OneSided, bytes);
                }
            }
            *recorder.totals.number(header::ONE_SIDED) += 1;
        });
    }
    result
}

/// Which way data goes if it is combined with the target's, which is returned.
fn fetched<F: Form>(operation: usize) -> Way {
    if recording() && F::operation(operation) == library().no_op { Way::Back } else { Way::Both }
}

interpose! {
    (origin, origin_count, origin_type, target, displacement, target_count, target_type, window)
    [target target window]
    |real, all| {
        let data = Data { bytes_of: (origin_count, origin_type), target, window };
        access::<F>(data, Way::There, || real(all))
    };
    C: MPI_Put;
    Large: MPI_Put_c MPI_Put;
    Fortran: mpi_put_ ompi_put_f;
}

interpose! {
    (origin, origin_count, origin_type, target, displacement, target_count, target_type, window)
    [target target window]
    |real, all| {
        let data = Data { bytes_of: (origin_count, origin_type), target, window };
        access::<F>(data, Way::Back, || real(all))
    };
    C: MPI_Get;
    Large: MPI_Get_c MPI_Get;
    Fortran: mpi_get_ ompi_get_f;
}

interpose! {
    (origin, origin_count, origin_type, target, displacement, target_count, target_type, window,
     request) [target target window] |real, all| {
        let data = Data { bytes_of: (origin_count, origin_type), target, window };
        access::<F>(data, Way::There, || real(all))
    };
    C: MPI_Rput;
    Large: MPI_Rput_c MPI_Rput;
    Fortran: mpi_rput_ ompi_rput_f;
}

interpose! {
    (origin, origin_count, origin_type, target, displacement, target_count, target_type, window,
     request) [target target window] |real, all| {
        let data = Data { bytes_of: (origin_count, origin_type), target, window };
        access::<F>(data, Way::Back, || real(all))
    };
    C: MPI_Rget;
    Large: MPI_Rget_c MPI_Rget;
    Fortran: mpi_rget_ ompi_rget_f;
}

interpose! {
    (origin, origin_count, origin_type, target, displacement, target_count, target_type, operation,
     window) [target target window] |real, all| {
        let data = Data { bytes_of: (origin_count, origin_type), target, window };
        access::<F>(data, Way::There, || real(all))
    };
    C: MPI_Accumulate;
    Large: MPI_Accumulate_c MPI_Accumulate;
    Fortran: mpi_accumulate_ ompi_accumulate_f;
}

interpose! {
    (origin, origin_count, origin_type, target, displacement, target_count, target_type, operation,
     window, request) [target target window] |real, all| {
        let data = Data { bytes_of: (origin_count, origin_type), target, window };
        access::<F>(data, Way::There, || real(all))
    };
    C: MPI_Raccumulate;
    Large: MPI_Raccumulate_c MPI_Raccumulate;
    Fortran: mpi_raccumulate_ ompi_raccumulate_f;
}

// What the target had is returned, as much as was sent. If nothing is sent, the origin's count has
// no meaning.
interpose! {
    (origin, origin_count, origin_type, result, result_count, result_type, target, displacement,
     target_count, target_type, operation, window) [target target window] |real, all| {
        let data = Data { bytes_of: (result_count, result_type), target, window };
        access::<F>(data, fetched::<F>(operation), || real(all))
    };
    C: MPI_Get_accumulate;
    Large: MPI_Get_accumulate_c MPI_Get_accumulate;
    Fortran: mpi_get_accumulate_ ompi_get_accumulate_f;
}

interpose! {
    (origin, origin_count, origin_type, result, result_count, result_type, target, displacement,
     target_count, target_type, operation, window, request) [target target window] |real, all| {
        let data = Data { bytes_of: (result_count, result_type), target, window };
        access::<F>(data, fetched::<F>(operation), || real(all))
    };
    C: MPI_Rget_accumulate;
    Large: MPI_Rget_accumulate_c MPI_Rget_accumulate;
    Fortran: mpi_rget_accumulate_ ompi_rget_accumulate_f;
}

interpose! {
    (origin, result, datatype, target, displacement, operation, window) [target target window]
    |real, all|
        {
            let data = Data { bytes_of: (F::one(), datatype), target, window };
            access::<F>(data, fetched::<F>(operation), || real(all))
        };
    C: MPI_Fetch_and_op;
    Fortran: mpi_fetch_and_op_ ompi_fetch_and_op_f;
}

interpose! {
    (origin, compare, result, datatype, target, displacement, window) [target target window]
    |real, all|
        {
            let data = Data { bytes_of: (F::one(), datatype), target, window };
            access::<F>(data, Way::Both, || real(all))
        };
    C: MPI_Compare_and_swap;
    Fortran: mpi_compare_and_swap_ ompi_compare_and_swap_f;
}
