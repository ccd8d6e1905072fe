//! Messages that are matched by a probe and received later.

use super::receive::with_status;
use super::{interpose, partner};
use crate::clock::ticks;
use crate::events::{Message, Pending};
use crate::form::Form;
use crate::invoke::invoke;
use crate::layout::event::{self, NO_PEER};
use crate::recorder::{library, recording_events, with};

/// Notes the communicator of the message that a probe has found.
fn note<F: Form>(comm: usize, message: usize) {
    let (comm, message) = (F::comm(comm), F::message_behind(message));
    with(|recorder| {
        let comm = recorder.comm(comm);
        recorder.matched.insert(message, comm);
    });
}

interpose! {
    (source, tag, comm, message, status) |real, all| {
        let result = real(all);
        if result == 0 && recording_events() {
            note::<F>(comm, message);
        }
        result
    };
    C: MPI_Mprobe;
    Profiling: PMPI_Mprobe;
}

interpose! {
    (source, tag, comm, flag, message, status) |real, all| {
        let result = real(all);
        if result == 0 && recording_events() && unsafe { *(flag as *const i32) } != 0 {
            note::<F>(comm, message);
        }
        result
    };
    C: MPI_Improbe;
    Profiling: PMPI_Improbe;
}

fn receive_matched<F: Form>(message: usize, status: usize, real: impl Fn(usize) -> i32) -> i32 {
    if !recording_events() {
        return real(status);
    }
    let entered = ticks();
    let handle = F::message_behind(message);
    let comm = with(|recorder| recorder.matched.remove(&handle));
    with_status::<F, i32>(status, |status| {
        let result = real(status);
        let (source, tag) = unsafe { library().source_and_tag(status, 0) };
        if result == 0
            && source != library().proc_null
            && let Some(comm) = comm
        {
            with(|recorder| {
                let peer = recorder.peer(comm, source);
                recorder.enter(entered);
                recorder.push_message(event::RECEIVE, Message { comm, peer, tag, bytes: 0 });
                recorder.exit();
            });
        }
        result
    })
}

interpose! {
    (buf, count, datatype, message, status) |real, all|
        receive_matched::<F>(message, status, |status| real([buf, count, datatype, message, status]));
    C: MPI_Mrecv;
    Large: MPI_Mrecv_c MPI_Mrecv;
    Fortran: mpi_mrecv_ ompi_mrecv_f;
}

fn start_matched<F: Form>(message: usize, request: usize, real: impl FnOnce() -> i32) -> i32 {
    if !recording_events() {
        return real();
    }
    let entered = ticks();
    let handle = F::message_behind(message);
    let comm = with(|recorder| recorder.matched.remove(&handle));
    let result = real();
    if result == 0
        && let Some(comm) = comm
    {
        with(|recorder| {
            recorder.enter(entered);
            let message = Message { comm, peer: NO_PEER, tag: library().any_tag, bytes: 0 };
            let (number, record) = recorder.push_start(event::START_RECEIVE, message);
            let pending =
                Pending::Message { number, record, comm, is_open: true, is_cancelled: false };
            recorder.wait_for(F::request_at(request, 0), pending);
            recorder.exit_at_once();
        });
    }
    result
}

interpose! {
    (buf, count, datatype, message, request) |real, all|
        start_matched::<F>(message, request, || real(all));
    C: MPI_Imrecv;
    Large: MPI_Imrecv_c MPI_Imrecv;
    Fortran: mpi_imrecv_ ompi_imrecv_f;
}
