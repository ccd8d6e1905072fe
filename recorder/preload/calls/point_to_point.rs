//! Messages that are sent.

use super::{interpose, partner};
use crate::clock::ticks;
use crate::events::{Message, Pending};
use crate::form::Form;
use crate::invoke::invoke;
use crate::layout::event;
use crate::recorder::{Recorder, has_threads, library, recording, recording_events, with};

/// The arguments that say what is sent where, as they were passed.
#[derive(Clone, Copy)]
pub struct Sent {
    pub count: usize,
    pub datatype: usize,
    pub dest: usize,
    pub tag: usize,
    pub comm: usize,
}

impl Sent {
    pub fn goes_nowhere<F: Form>(self) -> bool {
        F::int(self.dest) == library().proc_null
    }

    pub fn bytes<F: Form>(self, recorder: &mut Recorder) -> u64 {
        recorder.bytes(F::count(self.count), F::datatype(self.datatype))
    }

    #[inline]
    fn count<F: Form>(self, recorder: &mut Recorder) {
        let bytes = self.bytes::<F>(recorder);
        recorder.count_message(F::comm(self.comm), F::int(self.dest), bytes);
    }

    pub fn message<F: Form>(self, recorder: &mut Recorder) -> Message {
        let comm = recorder.comm(F::comm(self.comm));
        let peer = recorder.peer(comm, F::int(self.dest));
        Message { comm, peer, tag: F::int(self.tag), bytes: self.bytes::<F>(recorder) }
    }
}

#[inline]
fn send<F: Form>(sent: Sent, real: impl FnOnce() -> i32) -> i32 {
    if !recording() || sent.goes_nowhere::<F>() {
        return real();
    }
    if recording_events() {
        return send_with_events::<F>(sent, real);
    }
    let result = real();
    if result == 0 {
        with(|recorder| sent.count::<F>(recorder));
    }
    result
}

fn send_with_events<F: Form>(sent: Sent, real: impl FnOnce() -> i32) -> i32 {
    let entered = ticks();
    if !has_threads() {
        let result = real();
        if result == 0 {
            with(|recorder| {
                sent.count::<F>(recorder);
                let message = sent.message::<F>(recorder);
                recorder.enter(entered);
                recorder.push_message(event::SEND, message);
                recorder.exit();
            });
        }
        return result;
    }
    // Other threads go on while this one waits, so beginning and end have to be separate.
    let (number, record) = with(|recorder| {
        let message = sent.message::<F>(recorder);
        recorder.enter(entered);
        let begun = recorder.push_start(event::START_SEND, message);
        recorder.exit();
        begun
    });
    let result = real();
    with(|recorder| {
        recorder.enter(recorder.last_exit);
        if result == 0 {
            sent.count::<F>(recorder);
            recorder.push_wait(number);
        } else {
            recorder.take_back(record, number);
        }
        recorder.exit();
    });
    result
}

interpose! {
    (buf, count, datatype, dest, tag, comm) [rank dest comm] |real, all|
        send::<F>(Sent { count, datatype, dest, tag, comm }, || real(all));
    C: MPI_Send MPI_Bsend MPI_Ssend MPI_Rsend;
    Large: MPI_Send_c MPI_Send, MPI_Bsend_c MPI_Bsend, MPI_Ssend_c MPI_Ssend, MPI_Rsend_c MPI_Rsend;
    Fortran: mpi_send_ ompi_send_f, mpi_bsend_ ompi_bsend_f, mpi_ssend_ ompi_ssend_f,
        mpi_rsend_ ompi_rsend_f;
}

#[inline]
fn start_send<F: Form>(sent: Sent, request: usize, real: impl FnOnce() -> i32) -> i32 {
    if !recording() || sent.goes_nowhere::<F>() {
        return real();
    }
    let entered = if recording_events() { ticks() } else { 0 };
    let result = real();
    if result == 0 {
        with(|recorder| {
            sent.count::<F>(recorder);
            if entered > 0 {
                let message = sent.message::<F>(recorder);
                recorder.enter(entered);
                let (number, record) = recorder.push_start(event::START_SEND, message);
                let comm = message.comm;
                let pending =
                    Pending::Message { number, record, comm, is_open: false, is_cancelled: false };
                recorder.wait_for(F::request_at(request, 0), pending);
                recorder.exit_at_once();
            }
        });
    }
    result
}

interpose! {
    (buf, count, datatype, dest, tag, comm, request) [rank dest comm] |real, all|
        start_send::<F>(Sent { count, datatype, dest, tag, comm }, request, || real(all));
    C: MPI_Isend MPI_Ibsend MPI_Issend MPI_Irsend;
    Large: MPI_Isend_c MPI_Isend, MPI_Ibsend_c MPI_Ibsend, MPI_Issend_c MPI_Issend,
        MPI_Irsend_c MPI_Irsend;
    Fortran: mpi_isend_ ompi_isend_f, mpi_ibsend_ ompi_ibsend_f, mpi_issend_ ompi_issend_f,
        mpi_irsend_ ompi_irsend_f;
}
