//! Collective calls: what each member gives, or gets.

use super::{interpose, invoke, partner, prepared, recorded};
use crate::action::Action;
use crate::form::Form;
use crate::layout::{call, header};
use crate::recorder::Recorder;
use crate::totals::{Call, Direction};

/// Defines a collective in its three forms (blocking, started and persistent), each in C, in C with
/// large counts, and in Fortran. The plan says what a call does.
macro_rules! collective {
    (
        ($($a:ident),*) |$recorder:ident, $action:ident| $plan:expr;
        $call:ident $large:ident $fortran:ident $module:ident;
        $start:ident $start_large:ident $start_fortran:ident $start_module:ident;
        $init:ident $init_large:ident $init_fortran:ident $init_module:ident;
    ) => {
        interpose! {
            ($($a),*) [everybody] |real, all|
                recorded(|| real(all), || None, |$recorder, $action| $plan);
            C: $call;
            Large: $large $call;
            Fortran: $fortran $module;
        }
        interpose! {
            ($($a),*, request) [everybody] |real, all| {
                let request = || Some(F::request_at(request, 0));
                recorded(|| real(all), request, |$recorder, $action| $plan)
            };
            C: $start;
            Large: $start_large $start;
            Fortran: $start_fortran $start_module;
        }
        interpose! {
            ($($a),*, info, request) [everybody] |real, all| {
                let request = || F::request_at(request, 0);
                prepared(|| real(all), request, |$recorder, $action| $plan)
            };
            C: $init;
            Large: $init_large $init;
            Fortran: $init_fortran $init_module;
        }
    };
}
pub(super) use collective;

/// A buffer's part for one member: how many of which type.
type Elements = (usize, usize);

impl Recorder {
    /// The communicator, if its collectives are among members of one group.
    fn group_of<F: Form>(&mut self, comm: usize, action: &mut Action) -> Option<u32> {
        let comm = self.comm(F::comm(comm));
        if self.comms[comm as usize].is_inter {
            action.additions.push((header::INTERCOMMUNICATOR, 1));
            return None;
        }
        Some(comm)
    }

    /// A call in which every member has the same amount.
    fn plan_regular<F: Form>(
        &mut self,
        action: &mut Action,
        call: u64,
        comm: usize,
        root: Option<usize>,
        elements: impl FnOnce(bool) -> Elements,
    ) {
        let Some(comm) = self.group_of::<F>(comm, action) else { return };
        let root = root.map(F::int);
        let is_root = root == Some(self.comms[comm as usize].rank as i32);
        let (count, datatype) = elements(is_root);
        let bytes = self.bytes(F::count(count), F::datatype(datatype));
        self.plan_call(action, Call { call, comm, root, bytes }, [].into_iter());
    }

    /// A call in which members have different parts, and this one has one of them. `elements` finds
    /// it from the member's own number and from whether this is the root.
    fn plan_own_part<F: Form>(
        &mut self,
        action: &mut Action,
        call: u64,
        comm: usize,
        root: Option<usize>,
        elements: impl FnOnce(usize, bool) -> (i64, usize),
    ) {
        let Some(comm) = self.group_of::<F>(comm, action) else { return };
        let own = self.comms[comm as usize].rank;
        let root = root.map(F::int);
        let (count, datatype) = elements(own as usize, root == Some(own as i32));
        let bytes = self.bytes(count, F::datatype(datatype));
        let direction =
            if call == call::SCATTERV { Direction::FromPeer } else { Direction::ToPeer };
        let other = root.map_or(own, |root| root as u32);
        let part = [(other, direction, bytes)].into_iter();
        self.plan_call(action, Call { call, comm, root, bytes: 0 }, part);
    }

    /// An all-to-all in which every pair has its own size.
    fn plan_parts<F: Form>(
        &mut self,
        action: &mut Action,
        call: u64,
        comm: usize,
        counts: usize,
        datatype: impl Fn(usize) -> usize,
    ) {
        let Some(comm) = self.group_of::<F>(comm, action) else { return };
        let mut parts = std::mem::take(&mut self.parts_scratch);
        parts.clear();
        for other in 0..self.comms[comm as usize].size {
            let count = F::count_at(counts, other as usize);
            if count > 0 {
                let bytes = self.bytes(count, datatype(other as usize));
                parts.push((other, Direction::ToPeer, bytes));
            }
        }
        let call = Call { call, comm, root: None, bytes: 0 };
        self.plan_call(action, call, parts.iter().copied());
        self.parts_scratch = parts;
    }
}

/// Everyone waits for everyone. Only the communicator is passed, and there is no count.
fn plan_barrier<F: Form>(recorder: &mut Recorder, action: &mut Action, comm: usize) {
    if let Some(comm) = recorder.group_of::<F>(comm, action) {
        let call = Call { call: call::BARRIER, comm, root: None, bytes: 0 };
        recorder.plan_call(action, call, [].into_iter());
    }
}

interpose! {
    (comm) [everybody] |real, all|
        recorded(|| real(all), || None, |recorder, action| plan_barrier::<F>(recorder, action, comm));
    C: MPI_Barrier;
    Profiling: PMPI_Barrier;
}

interpose! {
    (comm, request) [everybody] |real, all| {
        let request = || Some(F::request_at(request, 0));
        recorded(|| real(all), request, |recorder, action| plan_barrier::<F>(recorder, action, comm))
    };
    C: MPI_Ibarrier;
    Profiling: PMPI_Ibarrier;
}

interpose! {
    (comm, info, request) [everybody] |real, all| {
        let request = || F::request_at(request, 0);
        prepared(|| real(all), request, |recorder, action| plan_barrier::<F>(recorder, action, comm))
    };
    C: MPI_Barrier_init;
    Profiling: PMPI_Barrier_init;
}

collective! {
    (buffer, count, datatype, root, comm) |recorder, action|
        recorder.plan_regular::<F>(action, call::BCAST, comm, Some(root), |_| (count, datatype));
    MPI_Bcast MPI_Bcast_c mpi_bcast_ ompi_bcast_f;
    MPI_Ibcast MPI_Ibcast_c mpi_ibcast_ ompi_ibcast_f;
    MPI_Bcast_init MPI_Bcast_init_c mpi_bcast_init_ ompi_bcast_init_f;
}

collective! {
    (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm) |recorder, action|
        recorder.plan_regular::<F>(action, call::GATHER, comm, Some(root), |is_root| {
            let in_place = is_root && F::is_in_place(sendbuf);
            if in_place { (recvcount, recvtype) } else { (sendcount, sendtype) }
        });
    MPI_Gather MPI_Gather_c mpi_gather_ ompi_gather_f;
    MPI_Igather MPI_Igather_c mpi_igather_ ompi_igather_f;
    MPI_Gather_init MPI_Gather_init_c mpi_gather_init_ ompi_gather_init_f;
}

collective! {
    (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm) |recorder, action|
        recorder.plan_regular::<F>(action, call::SCATTER, comm, Some(root), |is_root| {
            let in_place = is_root && F::is_in_place(recvbuf);
            if in_place { (sendcount, sendtype) } else { (recvcount, recvtype) }
        });
    MPI_Scatter MPI_Scatter_c mpi_scatter_ ompi_scatter_f;
    MPI_Iscatter MPI_Iscatter_c mpi_iscatter_ ompi_iscatter_f;
    MPI_Scatter_init MPI_Scatter_init_c mpi_scatter_init_ ompi_scatter_init_f;
}

collective! {
    (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm) |recorder, action|
        recorder.plan_regular::<F>(action, call::ALLGATHER, comm, None, |_| {
            let in_place = F::is_in_place(sendbuf);
            if in_place { (recvcount, recvtype) } else { (sendcount, sendtype) }
        });
    MPI_Allgather MPI_Allgather_c mpi_allgather_ ompi_allgather_f;
    MPI_Iallgather MPI_Iallgather_c mpi_iallgather_ ompi_iallgather_f;
    MPI_Allgather_init MPI_Allgather_init_c mpi_allgather_init_ ompi_allgather_init_f;
}

collective! {
    (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm) |recorder, action|
        recorder.plan_regular::<F>(action, call::ALLTOALL, comm, None, |_| {
            let in_place = F::is_in_place(sendbuf);
            if in_place { (recvcount, recvtype) } else { (sendcount, sendtype) }
        });
    MPI_Alltoall MPI_Alltoall_c mpi_alltoall_ ompi_alltoall_f;
    MPI_Ialltoall MPI_Ialltoall_c mpi_ialltoall_ ompi_ialltoall_f;
    MPI_Alltoall_init MPI_Alltoall_init_c mpi_alltoall_init_ ompi_alltoall_init_f;
}

collective! {
    (sendbuf, recvbuf, count, datatype, op, root, comm) |recorder, action|
        recorder.plan_regular::<F>(action, call::REDUCE, comm, Some(root), |_| (count, datatype));
    MPI_Reduce MPI_Reduce_c mpi_reduce_ ompi_reduce_f;
    MPI_Ireduce MPI_Ireduce_c mpi_ireduce_ ompi_ireduce_f;
    MPI_Reduce_init MPI_Reduce_init_c mpi_reduce_init_ ompi_reduce_init_f;
}

collective! {
    (sendbuf, recvbuf, count, datatype, op, comm) |recorder, action|
        recorder.plan_regular::<F>(action, call::ALLREDUCE, comm, None, |_| (count, datatype));
    MPI_Allreduce MPI_Allreduce_c mpi_allreduce_ ompi_allreduce_f;
    MPI_Iallreduce MPI_Iallreduce_c mpi_iallreduce_ ompi_iallreduce_f;
    MPI_Allreduce_init MPI_Allreduce_init_c mpi_allreduce_init_ ompi_allreduce_init_f;
}

collective! {
    (sendbuf, recvbuf, count, datatype, op, comm) |recorder, action|
        recorder.plan_regular::<F>(action, call::SCAN, comm, None, |_| (count, datatype));
    MPI_Scan MPI_Scan_c mpi_scan_ ompi_scan_f;
    MPI_Iscan MPI_Iscan_c mpi_iscan_ ompi_iscan_f;
    MPI_Scan_init MPI_Scan_init_c mpi_scan_init_ ompi_scan_init_f;
}

collective! {
    (sendbuf, recvbuf, count, datatype, op, comm) |recorder, action|
        recorder.plan_regular::<F>(action, call::EXSCAN, comm, None, |_| (count, datatype));
    MPI_Exscan MPI_Exscan_c mpi_exscan_ ompi_exscan_f;
    MPI_Iexscan MPI_Iexscan_c mpi_iexscan_ ompi_iexscan_f;
    MPI_Exscan_init MPI_Exscan_init_c mpi_exscan_init_ ompi_exscan_init_f;
}

collective! {
    (sendbuf, recvbuf, recvcount, datatype, op, comm) |recorder, action| {
        let call = call::REDUCE_SCATTER_BLOCK;
        recorder.plan_regular::<F>(action, call, comm, None, |_| (recvcount, datatype))
    };
    MPI_Reduce_scatter_block MPI_Reduce_scatter_block_c
        mpi_reduce_scatter_block_ ompi_reduce_scatter_block_f;
    MPI_Ireduce_scatter_block MPI_Ireduce_scatter_block_c
        mpi_ireduce_scatter_block_ ompi_ireduce_scatter_block_f;
    MPI_Reduce_scatter_block_init MPI_Reduce_scatter_block_init_c
        mpi_reduce_scatter_block_init_ ompi_reduce_scatter_block_init_f;
}

collective! {
    (sendbuf, recvbuf, recvcounts, datatype, op, comm) |recorder, action|
        recorder.plan_own_part::<F>(action, call::REDUCE_SCATTER, comm, None, |own, _| {
            (F::count_at(recvcounts, own), datatype)
        });
    MPI_Reduce_scatter MPI_Reduce_scatter_c mpi_reduce_scatter_ ompi_reduce_scatter_f;
    MPI_Ireduce_scatter MPI_Ireduce_scatter_c mpi_ireduce_scatter_ ompi_ireduce_scatter_f;
    MPI_Reduce_scatter_init MPI_Reduce_scatter_init_c
        mpi_reduce_scatter_init_ ompi_reduce_scatter_init_f;
}

collective! {
    (sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root, comm)
    |recorder, action|
        recorder.plan_own_part::<F>(action, call::GATHERV, comm, Some(root), |own, is_root| {
            let in_place = is_root && F::is_in_place(sendbuf);
            match in_place {
                true => (F::count_at(recvcounts, own), recvtype),
                false => (F::count(sendcount), sendtype),
            }
        });
    MPI_Gatherv MPI_Gatherv_c mpi_gatherv_ ompi_gatherv_f;
    MPI_Igatherv MPI_Igatherv_c mpi_igatherv_ ompi_igatherv_f;
    MPI_Gatherv_init MPI_Gatherv_init_c mpi_gatherv_init_ ompi_gatherv_init_f;
}

collective! {
    (sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root, comm)
    |recorder, action|
        recorder.plan_own_part::<F>(action, call::SCATTERV, comm, Some(root), |own, is_root| {
            let in_place = is_root && F::is_in_place(recvbuf);
            match in_place {
                true => (F::count_at(sendcounts, own), sendtype),
                false => (F::count(recvcount), recvtype),
            }
        });
    MPI_Scatterv MPI_Scatterv_c mpi_scatterv_ ompi_scatterv_f;
    MPI_Iscatterv MPI_Iscatterv_c mpi_iscatterv_ ompi_iscatterv_f;
    MPI_Scatterv_init MPI_Scatterv_init_c mpi_scatterv_init_ ompi_scatterv_init_f;
}

collective! {
    (sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm) |recorder, action|
        recorder.plan_own_part::<F>(action, call::ALLGATHERV, comm, None, |own, _| {
            match F::is_in_place(sendbuf) {
                true => (F::count_at(recvcounts, own), recvtype),
                false => (F::count(sendcount), sendtype),
            }
        });
    MPI_Allgatherv MPI_Allgatherv_c mpi_allgatherv_ ompi_allgatherv_f;
    MPI_Iallgatherv MPI_Iallgatherv_c mpi_iallgatherv_ ompi_iallgatherv_f;
    MPI_Allgatherv_init MPI_Allgatherv_init_c mpi_allgatherv_init_ ompi_allgatherv_init_f;
}

collective! {
    (sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm)
    |recorder, action| {
        let (counts, datatype) = match F::is_in_place(sendbuf) {
            true => (recvcounts, recvtype),
            false => (sendcounts, sendtype),
        };
        let datatype = |_| F::datatype(datatype);
        recorder.plan_parts::<F>(action, call::ALLTOALLV, comm, counts, datatype)
    };
    MPI_Alltoallv MPI_Alltoallv_c mpi_alltoallv_ ompi_alltoallv_f;
    MPI_Ialltoallv MPI_Ialltoallv_c mpi_ialltoallv_ ompi_ialltoallv_f;
    MPI_Alltoallv_init MPI_Alltoallv_init_c mpi_alltoallv_init_ ompi_alltoallv_init_f;
}

collective! {
    (sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm)
    |recorder, action| {
        let (counts, types) = match F::is_in_place(sendbuf) {
            true => (recvcounts, recvtypes),
            false => (sendcounts, sendtypes),
        };
        let datatype = |other| F::datatype_at(types, other);
        recorder.plan_parts::<F>(action, call::ALLTOALLW, comm, counts, datatype)
    };
    MPI_Alltoallw MPI_Alltoallw_c mpi_alltoallw_ ompi_alltoallw_f;
    MPI_Ialltoallw MPI_Ialltoallw_c mpi_ialltoallw_ ompi_ialltoallw_f;
    MPI_Alltoallw_init MPI_Alltoallw_init_c mpi_alltoallw_init_ ompi_alltoallw_init_f;
}
