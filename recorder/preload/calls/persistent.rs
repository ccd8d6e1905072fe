//! Requests that are made once and started many times.

use super::point_to_point::Sent;
use super::receive::Awaited;
use super::{interpose, invoke, partner, prepared};
use crate::clock::ticks;
use crate::form::Form;
use crate::layout::event;
use crate::recorder::{recording, recording_events, with};
use crate::totals::{Direction, Kind};

/// A send, with the number of parts in which its buffer is filled.
fn prepare_send<F: Form>(sent: Sent, parts: u64, request: usize, real: impl Fn() -> i32) -> i32 {
    if !recording() || sent.goes_nowhere::<F>() {
        return real();
    }
    prepared(
        real,
        || F::request_at(request, 0),
        |recorder, action| {
            let mut message = sent.message::<F>(recorder);
            message.bytes *= parts;
            let rank = F::int(sent.dest);
            let flow = recorder.flow(Kind::PointToPoint, Direction::ToPeer, message.comm, rank);
            recorder.plan_message(action, flow, Kind::PointToPoint, message.bytes);
            recorder.plan_start(action, event::START_SEND, message);
        },
    )
}

interpose! {
    (buf, count, datatype, dest, tag, comm, request) |real, all|
        prepare_send::<F>(Sent { count, datatype, dest, tag, comm }, 1, request, || real(all));
    C: MPI_Send_init MPI_Bsend_init MPI_Ssend_init MPI_Rsend_init;
    Large: MPI_Send_init_c MPI_Send_init, MPI_Bsend_init_c MPI_Bsend_init,
        MPI_Ssend_init_c MPI_Ssend_init, MPI_Rsend_init_c MPI_Rsend_init;
    Fortran: mpi_send_init_ ompi_send_init_f, mpi_bsend_init_ ompi_bsend_init_f,
        mpi_ssend_init_ ompi_ssend_init_f, mpi_rsend_init_ ompi_rsend_init_f;
}

// Partitioned calls always have large counts.
interpose! {
    (buf, partitions, count, datatype, dest, tag, comm, info, request) |real, all| {
        let parts = F::int(partitions).max(0) as u64;
        let sent = Sent { count, datatype, dest, tag, comm };
        prepare_send::<crate::form::Large>(sent, parts, request, || real(all))
    };
    C: MPI_Psend_init;
}

fn prepare_receive<F: Form>(awaited: Awaited, request: usize, real: impl Fn() -> i32) -> i32 {
    if !recording_events() || awaited.comes_from_nowhere::<F>() {
        return real();
    }
    prepared(
        real,
        || F::request_at(request, 0),
        |recorder, action| {
            let message = awaited.message::<F>(recorder);
            recorder.plan_start(action, event::START_RECEIVE, message);
        },
    )
}

interpose! {
    (buf, count, datatype, source, tag, comm, request) |real, all|
        prepare_receive::<F>(Awaited { source, tag, comm }, request, || real(all));
    C: MPI_Recv_init;
    Large: MPI_Recv_init_c MPI_Recv_init;
    Fortran: mpi_recv_init_ ompi_recv_init_f;
}

interpose! {
    (buf, partitions, count, datatype, source, tag, comm, info, request) |real, all|
        prepare_receive::<F>(Awaited { source, tag, comm }, request, || real(all));
    C: MPI_Precv_init;
}

fn start<F: Form>(number: usize, requests: usize, real: impl Fn() -> i32) -> i32 {
    if !recording() {
        return real();
    }
    let entered = if recording_events() { ticks() } else { 0 };
    let result = real();
    if result == 0 {
        with(|recorder| {
            recorder.enter(entered);
            for place in 0..number {
                let request = F::request_at(requests, place);
                if let Some(action) = recorder.persistent.get(&request).cloned() {
                    recorder.perform(&action, Some(request));
                }
            }
            recorder.exit_at_once();
        });
    }
    result
}

interpose! {
    (request) |real, all| start::<F>(1, request, || real(all));
    C: MPI_Start;
    Profiling: PMPI_Start;
}

interpose! {
    (count, requests) |real, all|
        start::<F>(F::int(count).max(0) as usize, requests, || real(all));
    C: MPI_Startall;
    Profiling: PMPI_Startall;
}

interpose! {
    (request) |real, all| {
        if recording() {
            let handle = F::request_at(request, 0);
            with(|recorder| {
                recorder.persistent.remove(&handle);
                recorder.let_go(handle);
            });
        }
        real(all)
    };
    C: MPI_Request_free;
    Profiling: PMPI_Request_free;
}

interpose! {
    (request) |real, all| {
        if recording_events() {
            let handle = F::request_at(request, 0);
            with(|recorder| recorder.cancel(handle));
        }
        real(all)
    };
    C: MPI_Cancel;
    Profiling: PMPI_Cancel;
}
