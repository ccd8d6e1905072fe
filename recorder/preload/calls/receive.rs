//! Messages that are received, which matter to events only, and messages sent and received at once.

use super::point_to_point::Sent;
use super::{interpose, invoke, partner, recorded};
use crate::clock::ticks;
use crate::events::{Message, Pending};
use crate::form::Form;
use crate::layout::event::{self, NO_PEER};
use crate::recorder::{Recorder, has_threads, library, recording, recording_events, with};
use crate::times::timing;
use crate::totals::{Direction, Kind};

/// A status of any library.
pub type Status = [i32; 16];

/// The arguments that say what is received from where, as they were passed.
#[derive(Clone, Copy)]
pub struct Awaited {
    pub source: usize,
    pub tag: usize,
    pub comm: usize,
}

impl Awaited {
    pub fn comes_from_nowhere<F: Form>(self) -> bool {
        F::int(self.source) == library().proc_null
    }

    /// Whether the sender or the tag is known only from the status.
    pub fn is_open<F: Form>(self) -> bool {
        F::int(self.source) == library().any_source || F::int(self.tag) == library().any_tag
    }

    /// The message as far as it is known.
    pub fn message<F: Form>(self, recorder: &mut Recorder) -> Message {
        let comm = recorder.comm(F::comm(self.comm));
        let peer = match F::int(self.source) {
            source if source == library().any_source => NO_PEER,
            source => recorder.peer(comm, source),
        };
        Message { comm, peer, tag: F::int(self.tag), bytes: 0 }
    }

    fn message_of<F: Form>(self, status: usize, recorder: &mut Recorder) -> Message {
        let comm = recorder.comm(F::comm(self.comm));
        if !self.is_open::<F>() {
            return self.message::<F>(recorder);
        }
        let (source, tag) = unsafe { library().source_and_tag(status, 0) };
        Message { comm, peer: recorder.peer(comm, source), tag, bytes: 0 }
    }
}

/// Calls with a status to look at: the caller's or our own.
pub fn with_status<F: Form, T>(status: usize, call: impl FnOnce(usize) -> T) -> T {
    let mut own: Status = [0; 16];
    if F::ignores_status(status) { call(own.as_mut_ptr() as usize) } else { call(status) }
}

/// Receives a message. If times are kept, the sender must be known afterwards.
fn with_sender<F: Form>(awaited: Awaited, status: usize, real: impl Fn(usize) -> i32) -> i32 {
    if timing() && F::int(awaited.source) == library().any_source {
        return with_status::<F, i32>(status, real);
    }
    real(status)
}

fn receive<F: Form>(awaited: Awaited, status: usize, real: impl Fn(usize) -> i32) -> i32 {
    if !recording_events() || awaited.comes_from_nowhere::<F>() {
        return with_sender::<F>(awaited, status, real);
    }
    if has_threads() {
        return receive_among_threads::<F>(awaited, status, real);
    }
    let entered = ticks();
    with_status::<F, i32>(status, |status| {
        let result = real(status);
        if result == 0 {
            with(|recorder| {
                let message = awaited.message_of::<F>(status, recorder);
                recorder.enter(entered);
                recorder.push_message(event::RECEIVE, message);
                recorder.exit();
            });
        }
        result
    })
}

/// Other threads go on while this one waits, so beginning and end are separate.
fn receive_among_threads<F: Form>(
    awaited: Awaited,
    status: usize,
    real: impl Fn(usize) -> i32,
) -> i32 {
    let entered = ticks();
    let pending = with(|recorder| {
        let message = awaited.message::<F>(recorder);
        recorder.enter(entered);
        let (number, record) = recorder.push_start(event::START_RECEIVE, message);
        recorder.exit();
        let (comm, is_open) = (message.comm, awaited.is_open::<F>());
        Pending::Message { number, record, comm, is_open, is_cancelled: false }
    });
    with_status::<F, i32>(status, |status| {
        let result = real(status);
        with(|recorder| {
            recorder.enter(recorder.last_exit);
            match (result, pending) {
                (0, pending) => recorder.end(pending, Some(status), 0),
                (_, Pending::Message { record, number, .. }) => recorder.take_back(record, number),
                _ => {}
            }
            recorder.exit();
        });
        result
    })
}

interpose! {
    (buf, count, datatype, source, tag, comm, status) [source source comm status] |real, all| {
        receive::<F>(Awaited { source, tag, comm }, status, |status| {
            let [buf, count, datatype, source, tag, comm, _] = all;
            real([buf, count, datatype, source, tag, comm, status])
        })
    };
    C: MPI_Recv;
    Large: MPI_Recv_c MPI_Recv;
    Fortran: mpi_recv_ ompi_recv_f;
}

fn start_receive<F: Form>(awaited: Awaited, request: usize, real: impl Fn() -> i32) -> i32 {
    if !recording_events() || awaited.comes_from_nowhere::<F>() {
        return real();
    }
    let entered = ticks();
    let result = real();
    if result == 0 {
        with(|recorder| {
            let message = awaited.message::<F>(recorder);
            recorder.enter(entered);
            let (number, record) = recorder.push_start(event::START_RECEIVE, message);
            let (comm, is_open) = (message.comm, awaited.is_open::<F>());
            let pending = Pending::Message { number, record, comm, is_open, is_cancelled: false };
            recorder.wait_for(F::request_at(request, 0), pending);
            recorder.exit_at_once();
        });
    }
    result
}

interpose! {
    (buf, count, datatype, source, tag, comm, request) [rank source comm] |real, all|
        start_receive::<F>(Awaited { source, tag, comm }, request, || real(all));
    C: MPI_Irecv;
    Large: MPI_Irecv_c MPI_Irecv;
    Fortran: mpi_irecv_ ompi_irecv_f;
}

/// Both at once: the send goes on during the receive.
fn exchange<F: Form>(
    sent: Sent,
    awaited: Awaited,
    status: usize,
    real: impl Fn(usize) -> i32,
) -> i32 {
    if !recording() {
        return real(status);
    }
    if !recording_events() {
        let result = with_sender::<F>(awaited, status, real);
        if result == 0 {
            with(|recorder| count::<F>(sent, recorder));
        }
        return result;
    }
    let entered = ticks();
    if has_threads() {
        return exchange_among_threads::<F>(sent, awaited, status, real);
    }
    with_status::<F, i32>(status, |status| {
        let result = real(status);
        if result == 0 {
            with(|recorder| {
                count::<F>(sent, recorder);
                recorder.enter(entered);
                let sending = (!sent.goes_nowhere::<F>()).then(|| {
                    let message = sent.message::<F>(recorder);
                    recorder.push_start(event::START_SEND, message).0
                });
                if !awaited.comes_from_nowhere::<F>() {
                    let message = awaited.message_of::<F>(status, recorder);
                    recorder.push_message(event::RECEIVE, message);
                }
                if let Some(number) = sending {
                    recorder.push_wait(number);
                }
                recorder.exit();
            });
        }
        result
    })
}

/// Other threads go on while this one waits, so beginnings and ends are separate.
fn exchange_among_threads<F: Form>(
    sent: Sent,
    awaited: Awaited,
    status: usize,
    real: impl Fn(usize) -> i32,
) -> i32 {
    let entered = ticks();
    let (sending, receiving) = with(|recorder| {
        recorder.enter(entered);
        let sending = (!sent.goes_nowhere::<F>()).then(|| {
            let message = sent.message::<F>(recorder);
            recorder.push_start(event::START_SEND, message)
        });
        let receiving = (!awaited.comes_from_nowhere::<F>()).then(|| {
            let message = awaited.message::<F>(recorder);
            (recorder.push_start(event::START_RECEIVE, message), message.comm)
        });
        recorder.exit();
        (sending, receiving)
    });
    with_status::<F, i32>(status, |status| {
        let result = real(status);
        with(|recorder| {
            recorder.enter(recorder.last_exit);
            if result == 0 {
                count::<F>(sent, recorder);
            }
            if let Some(((number, record), comm)) = receiving {
                let is_open = awaited.is_open::<F>();
                let pending =
                    Pending::Message { number, record, comm, is_open, is_cancelled: false };
                match result {
                    0 => recorder.end(pending, Some(status), 0),
                    _ => recorder.take_back(record, number),
                }
            }
            if let Some((number, record)) = sending {
                match result {
                    0 => recorder.push_wait(number),
                    _ => recorder.take_back(record, number),
                }
            }
            recorder.exit();
        });
        result
    })
}

fn count<F: Form>(sent: Sent, recorder: &mut Recorder) {
    if !sent.goes_nowhere::<F>() {
        let bytes = sent.bytes::<F>(recorder);
        recorder.count_message(F::comm(sent.comm), F::int(sent.dest), bytes);
    }
}

interpose! {
    (sendbuf, count, datatype, dest, tag, recvbuf, recvcount, recvtype, source, recvtag, comm, status)
    [either dest source comm status] |real, all| {
        let sent = Sent { count, datatype, dest, tag, comm };
        exchange::<F>(sent, Awaited { source, tag: recvtag, comm }, status, |status| {
            let mut all = all;
            all[11] = status;
            real(all)
        })
    };
    C: MPI_Sendrecv;
    Large: MPI_Sendrecv_c MPI_Sendrecv;
    Fortran: mpi_sendrecv_ ompi_sendrecv_f;
}

interpose! {
    (buf, count, datatype, dest, tag, source, recvtag, comm, status)
    [either dest source comm status] |real, all| {
        let sent = Sent { count, datatype, dest, tag, comm };
        exchange::<F>(sent, Awaited { source, tag: recvtag, comm }, status, |status| {
            let mut all = all;
            all[8] = status;
            real(all)
        })
    };
    C: MPI_Sendrecv_replace;
    Large: MPI_Sendrecv_replace_c MPI_Sendrecv_replace;
    Fortran: mpi_sendrecv_replace_ ompi_sendrecv_replace_f;
}

/// Both at once, without waiting for either.
fn start_exchange<F: Form>(
    sent: Sent,
    awaited: Awaited,
    request: usize,
    real: impl Fn() -> i32,
) -> i32 {
    recorded(
        real,
        || Some(F::request_at(request, 0)),
        |recorder, action| {
            if !sent.goes_nowhere::<F>() {
                let message = sent.message::<F>(recorder);
                let (comm, rank) = (message.comm, F::int(sent.dest));
                let flow = recorder.flow(Kind::PointToPoint, Direction::ToPeer, comm, rank);
                recorder.plan_message(action, flow, Kind::PointToPoint, message.bytes);
                recorder.plan_start(action, event::START_SEND, message);
            }
            if !awaited.comes_from_nowhere::<F>() {
                let message = awaited.message::<F>(recorder);
                recorder.plan_start(action, event::START_RECEIVE, message);
            }
        },
    )
}

interpose! {
    (sendbuf, count, datatype, dest, tag, recvbuf, recvcount, recvtype, source, recvtag, comm, request)
    [rank source comm] |real, all| {
        let sent = Sent { count, datatype, dest, tag, comm };
        start_exchange::<F>(sent, Awaited { source, tag: recvtag, comm }, request, || real(all))
    };
    C: MPI_Isendrecv;
    Large: MPI_Isendrecv_c MPI_Isendrecv;
    Fortran: mpi_isendrecv_ ompi_isendrecv_f;
}

interpose! {
    (buf, count, datatype, dest, tag, source, recvtag, comm, request) [rank source comm] |real, all| {
        let sent = Sent { count, datatype, dest, tag, comm };
        start_exchange::<F>(sent, Awaited { source, tag: recvtag, comm }, request, || real(all))
    };
    C: MPI_Isendrecv_replace;
    Large: MPI_Isendrecv_replace_c MPI_Isendrecv_replace;
    Fortran: mpi_isendrecv_replace_ ompi_isendrecv_replace_f;
}
