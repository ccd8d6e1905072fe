! Point to point, datatypes and communicators through `use mpi`, 4 ranks; see `fortran_mpi` in expected.py.
program fortran_mpi
  use mpi
  implicit none
  integer :: ierror, rank, ranks, next, previous, index, outcount, i, comm, half, member
  integer :: requests(6), statuses(MPI_STATUS_SIZE, 6), status(MPI_STATUS_SIZE), indices(6), count
  integer :: vector, lengths(2), types(2), structure
  integer(kind=MPI_ADDRESS_KIND) :: places(2)
  logical :: flag
  real(8) :: outgoing(64), incoming(64)
  integer :: numbers(8), received(8), slots(4, 3)

  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierror)
  call check(ranks == 4)
  next = mod(rank + 1, ranks)
  previous = mod(rank + ranks - 1, ranks)
  outgoing = rank
  numbers = rank

  ! Blocking: 80 bytes from even ranks to the next, which answer with 40.
  if (mod(rank, 2) == 0) then
    call MPI_Send(outgoing, 10, MPI_DOUBLE_PRECISION, next, 1, MPI_COMM_WORLD, ierror)
    call MPI_Recv(incoming, 5, MPI_REAL8, MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, status, ierror)
    call check(status(MPI_SOURCE) == next .and. status(MPI_TAG) == 2)
    call MPI_Get_count(status, MPI_REAL8, count, ierror)
    call check(count == 5)
  else
    call MPI_Recv(incoming, 64, MPI_DOUBLE_PRECISION, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierror)
    call MPI_Ssend(outgoing, 5, MPI_REAL8, previous, 2, MPI_COMM_WORLD, ierror)
  end if
  ! Nobody: nothing.
  call MPI_Send(outgoing, 10, MPI_DOUBLE_PRECISION, MPI_PROC_NULL, 1, MPI_COMM_WORLD, ierror)
  call MPI_Recv(incoming, 10, MPI_DOUBLE_PRECISION, MPI_PROC_NULL, 1, MPI_COMM_WORLD, status, ierror)

  ! Each to the next: 24 and 16 bytes; then 6 rounds of 3 messages of 4, 8 and 12 bytes.
  call MPI_Sendrecv(numbers, 6, MPI_INTEGER, next, 3, received, 6, MPI_INTEGER, previous, 3, MPI_COMM_WORLD, status, ierror)
  call check(received(6) == previous)
  call MPI_Sendrecv_replace(numbers, 4, MPI_INTEGER, next, 4, previous, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierror)
  call check(numbers(1) == previous .and. numbers(8) == rank)
  call post()
  call MPI_Waitall(6, requests, statuses, ierror)
  call check(statuses(MPI_SOURCE, 1) == previous .and. statuses(MPI_TAG, 3) == 3)
  call post()
  call MPI_Waitall(6, requests, MPI_STATUSES_IGNORE, ierror)
  call post()
  do i = 1, 6
    call MPI_Waitany(6, requests, index, status, ierror)
    call check(index >= 1 .and. index <= 6)
    if (index <= 3) call check(status(MPI_TAG) == index)
  end do
  ! Nothing is left; the index is not checked, since MPICH 4.0 gives MPI_UNDEFINED + 1.
  call MPI_Waitany(6, requests, index, status, ierror)
  call post()
  do
    call MPI_Waitsome(6, requests, outcount, indices, statuses, ierror)
    if (outcount == MPI_UNDEFINED) exit
    do i = 1, outcount
      if (indices(i) <= 3) call check(statuses(MPI_TAG, i) == indices(i))
    end do
  end do
  call post()
  do i = 1, 6
    flag = .false.
    do while (.not. flag)
      call MPI_Test(requests(i), flag, MPI_STATUS_IGNORE, ierror)
    end do
  end do
  call post()
  flag = .false.
  do while (.not. flag)
    call MPI_Testall(6, requests, flag, MPI_STATUSES_IGNORE, ierror)
  end do

  ! Persistent, twice: 32 bytes to the next.
  call MPI_Send_init(outgoing, 4, MPI_DOUBLE_PRECISION, next, 5, MPI_COMM_WORLD, requests(1), ierror)
  call MPI_Recv_init(incoming, 4, MPI_DOUBLE_PRECISION, previous, 5, MPI_COMM_WORLD, requests(2), ierror)
  do i = 1, 2
    call MPI_Startall(2, requests, ierror)
    call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE, ierror)
  end do
  call MPI_Request_free(requests(1), ierror)
  call MPI_Request_free(requests(2), ierror)

  ! Types: 3 x 2 integers, 24 bytes; an integer and two doubles, 20 bytes. To the next.
  call MPI_Type_vector(3, 2, 4, MPI_INTEGER, vector, ierror)
  call MPI_Type_commit(vector, ierror)
  call MPI_Sendrecv(outgoing, 1, vector, next, 6, incoming, 1, vector, previous, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierror)
  call MPI_Type_free(vector, ierror)
  lengths = (/ 1, 2 /)
  places = (/ 0, 8 /)
  types = (/ MPI_INTEGER, MPI_DOUBLE_PRECISION /)
  call MPI_Type_create_struct(2, lengths, places, types, structure, ierror)
  call MPI_Type_commit(structure, ierror)
  call MPI_Sendrecv(outgoing, 1, structure, next, 7, incoming, 1, structure, previous, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierror)
  call MPI_Type_free(structure, ierror)
  ! 11 characters, 3 complex numbers of 16 bytes, 2 logicals of 4.
  call MPI_Sendrecv(outgoing, 11, MPI_CHARACTER, next, 8, incoming, 11, MPI_CHARACTER, previous, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierror)
  call MPI_Sendrecv(outgoing, 3, MPI_DOUBLE_COMPLEX, next, 8, incoming, 3, MPI_DOUBLE_COMPLEX, previous, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierror)
  call MPI_Sendrecv(numbers, 2, MPI_LOGICAL, next, 8, received, 2, MPI_LOGICAL, previous, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierror)

  ! {2 0} and {3 1}: member 0 -> 1 with 36 bytes is 2 -> 0 and 3 -> 1; Allreduce of 8 bytes in each.
  call MPI_Comm_split(MPI_COMM_WORLD, mod(rank, 2), -rank, half, ierror)
  call MPI_Comm_rank(half, member, ierror)
  if (member == 0) call MPI_Send(outgoing, 9, MPI_INTEGER, 1, 9, half, ierror)
  if (member == 1) call MPI_Recv(incoming, 9, MPI_INTEGER, 0, 9, half, MPI_STATUS_IGNORE, ierror)
  call MPI_Allreduce(MPI_IN_PLACE, numbers, 2, MPI_INTEGER, MPI_SUM, half, ierror)
  call MPI_Comm_free(half, ierror)
  call MPI_Comm_dup(MPI_COMM_WORLD, comm, ierror)
  call MPI_Barrier(comm, ierror)
  call MPI_Comm_free(comm, ierror)
  call MPI_Finalize(ierror)
  if (rank == 0) print '(a)', 'done'

contains

  subroutine post()
    integer :: k
    do k = 1, 3
      call MPI_Irecv(slots(1, k), k, MPI_INTEGER, previous, k, MPI_COMM_WORLD, requests(k), ierror)
      call MPI_Isend(numbers, k, MPI_INTEGER, next, k, MPI_COMM_WORLD, requests(3 + k), ierror)
    end do
  end subroutine

  subroutine check(condition)
    logical, intent(in) :: condition
    if (.not. condition) then
      print '(a,i0)', 'a check failed on rank ', rank
      call MPI_Abort(MPI_COMM_WORLD, 3, ierror)
    end if
  end subroutine
end program
