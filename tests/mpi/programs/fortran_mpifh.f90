! Collectives through mpif.h, 4 ranks; see `fortran_mpifh` in expected.py.
program fortran_mpifh
  implicit none
  include 'mpif.h'
  integer :: ierror, rank, ranks, request, i, m, counts(4), places(4), a(64), b(64)
  integer :: status(MPI_STATUS_SIZE)

  call MPI_INIT(ierror)
  call MPI_COMM_RANK(MPI_COMM_WORLD, rank, ierror)
  call MPI_COMM_SIZE(MPI_COMM_WORLD, ranks, ierror)
  a = rank
  ! Root 2, 40 bytes; three times, and twice non-blocking.
  do i = 1, 3
    call MPI_BCAST(a, 10, MPI_INTEGER, 2, MPI_COMM_WORLD, ierror)
  end do
  do i = 1, 2
    call MPI_IBCAST(a, 10, MPI_INTEGER, 2, MPI_COMM_WORLD, request, ierror)
    call MPI_WAIT(request, MPI_STATUS_IGNORE, ierror)
  end do
  if (a(1) /= 2) call MPI_ABORT(MPI_COMM_WORLD, 3, ierror)
  ! 12 bytes each to rank 1; 16 each to rank 3, which has its own in place.
  call MPI_GATHER(a, 3, MPI_INTEGER, b, 3, MPI_INTEGER, 1, MPI_COMM_WORLD, ierror)
  if (rank == 3) then
    call MPI_GATHER(MPI_IN_PLACE, 0, MPI_INTEGER, b, 4, MPI_INTEGER, 3, MPI_COMM_WORLD, ierror)
  else
    call MPI_GATHER(a, 4, MPI_INTEGER, b, 0, MPI_INTEGER, 3, MPI_COMM_WORLD, ierror)
  end if
  ! 20 to each from rank 0, in place there.
  if (rank == 0) then
    call MPI_SCATTER(a, 5, MPI_INTEGER, MPI_IN_PLACE, 5, MPI_INTEGER, 0, MPI_COMM_WORLD, ierror)
  else
    call MPI_SCATTER(a, 0, MPI_INTEGER, b, 5, MPI_INTEGER, 0, MPI_COMM_WORLD, ierror)
  end if
  ! 8 each; 12 each in place.
  call MPI_ALLGATHER(a, 2, MPI_INTEGER, b, 2, MPI_INTEGER, MPI_COMM_WORLD, ierror)
  call MPI_ALLGATHER(MPI_IN_PLACE, 0, MPI_INTEGER, b, 3, MPI_INTEGER, MPI_COMM_WORLD, ierror)
  ! Member m (from 0) gives 4 (m + 1) bytes to rank 2.
  do m = 1, 4
    counts(m) = m
    places(m) = 8 * (m - 1)
  end do
  call MPI_GATHERV(a, rank + 1, MPI_INTEGER, b, counts, places, MPI_INTEGER, 2, MPI_COMM_WORLD, ierror)
  call MPI_ALLGATHERV(MPI_IN_PLACE, 0, MPI_INTEGER, b, counts, places, MPI_INTEGER, MPI_COMM_WORLD, ierror)
  ! 4 a pair, and in place; from i to j 4 (i + j) bytes.
  call MPI_ALLTOALL(a, 1, MPI_INTEGER, b, 1, MPI_INTEGER, MPI_COMM_WORLD, ierror)
  call MPI_ALLTOALL(MPI_IN_PLACE, 0, MPI_INTEGER, b, 1, MPI_INTEGER, MPI_COMM_WORLD, ierror)
  do m = 1, 4
    counts(m) = rank + m - 1
  end do
  call MPI_ALLTOALLV(a, counts, places, MPI_INTEGER, b, counts, places, MPI_INTEGER, MPI_COMM_WORLD, ierror)
  ! 28 to rank 3; 8 for all, in place; non-blocking 4; 16 and 20; member m gets 4 (m + 1).
  call MPI_REDUCE(a, b, 7, MPI_INTEGER, MPI_SUM, 3, MPI_COMM_WORLD, ierror)
  b(1) = 1
  call MPI_ALLREDUCE(MPI_IN_PLACE, b, 2, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierror)
  if (b(1) /= 4) call MPI_ABORT(MPI_COMM_WORLD, 3, ierror)
  call MPI_IALLREDUCE(a, b, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, request, ierror)
  call MPI_WAIT(request, status, ierror)
  call MPI_SCAN(a, b, 4, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierror)
  call MPI_EXSCAN(a, b, 5, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierror)
  do m = 1, 4
    counts(m) = m
  end do
  call MPI_REDUCE_SCATTER(a, b, counts, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierror)
  call MPI_REDUCE_SCATTER_BLOCK(a, b, 3, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierror)
  call MPI_BARRIER(MPI_COMM_WORLD, ierror)
  call MPI_FINALIZE(ierror)
  if (rank == 0) print '(a)', 'done'
end program
